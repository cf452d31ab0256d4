package stat

import (
	"fmt"
	"math"
	"sort"
)

// mostPlanned is the largest sample that a search goes to.
const mostPlanned = 1_000_000

// The largest samples of which power and detectable differences are computed: of two runs on the same cases, and of
// others.
const (
	MostPaired = mostPlanned
	MostGiven  = 1_000_000_000
)

// tooth is how many sizes beyond the first an exact power must stay as high as asked, since it moves in a saw-tooth.
const tooth = 20

// SizeHalfWidth returns the cases that one rate needs for its Wilson interval to be at most ± half, with a chance
// of at least power, if the rate is base. Size.Power is that chance.
//
// Formula: the interval of k of n has half the width h(k) = z/(1 + z²/n) sqrt(p(1-p)/n + z²/4n²), p = k/n; the
// chance is P(h(K) <= half), K ~ Bin(n, base), summed exactly. n is the smallest from which on it stays as high
// through the next 20 sizes. Range: n >= 1; at a rate of one half h cannot be larger than there, and the chance is 1.
// Edge cases: an error where base is not in [0, 1], half not in (0, .5), power not in (0, 1), or over a million
// cases would be needed. Source: Wilson (see Wilson); the assurance is this project's.
func SizeHalfWidth(base, half, level, power float64) (Size, error) {
	switch {
	case !(base >= 0 && base <= 1):
		return Size{}, fmt.Errorf("base %v is not a share: it must be in [0, 1]", base)
	case !(half > 0 && half < .5):
		return Size{}, fmt.Errorf("a half-width of %v cannot be planned: it must be between 0 and .5", half)
	case !(power > 0 && power < 1):
		return Size{}, fmt.Errorf("power %v must be between 0 and 1", power)
	}
	// Where the rate is one half the interval is widest: no more cases than there are needed.
	z := Z(level)
	widest := math.Ceil(z * z * (1/(4*half*half) - 1))
	if widest > mostPlanned-2 {
		return Size{}, fmt.Errorf("a half-width of %v needs over a million cases: plan for a larger one", half)
	}
	most := int(widest) + 2
	start := sort.Search(most, func(n int) bool { return n > 0 && halfWidth(base, n, z) <= half })
	n, reached := firstLasting(max(1, start*9/10-10), most+tooth+1, power, func(n int) float64 {
		return narrowEnough(base, half, n, z)
	})
	return Size{n, reached}, nil
}

func halfWidth(p float64, n int, z float64) float64 {
	nf := float64(n)
	return z / (1 + z*z/nf) * math.Sqrt(p*(1-p)/nf+z*z/(4*nf*nf))
}

// narrowEnough returns P(h(K) <= half) for K ~ Bin(n, base).
func narrowEnough(base, half float64, n int, z float64) float64 {
	if halfWidth(.5, n, z) <= half {
		return 1
	}
	// h falls to both sides of n/2, so what is too wide is one run of k.
	k := sort.Search(n/2+1, func(k int) bool { return halfWidth(float64(k)/float64(n), n, z) > half })
	if k > n/2 {
		return 1
	}
	return binomialCDF(k-1, n, base) + (1 - binomialCDF(n-k, n, base))
}

// SizeKnown returns the cases that one run needs to find that its rate is base - detect and not base, where base is
// known and not measured, such as a limit that was agreed on.
//
// Formula: the exact binomial test at 1 - level, which rejects where one tail at base is at most (1-level)/2; its
// power is summed exactly at base - detect, and n is the smallest from which on it stays as asked through the next
// 20 sizes. Range: n >= 1. Edge cases: as SizeUnpaired. Source: Clopper and Pearson's interval is this test
// inverted.
func SizeKnown(base, detect, level, power float64) (Size, error) {
	if err := checkSize(base, detect, power); err != nil {
		return Size{}, err
	}
	other := base - detect
	root := max(0, Z(level)*math.Sqrt(base*(1-base))+normalQuantile(power)*math.Sqrt(other*(1-other))) / detect
	if root*root > mostPlanned/2 {
		return Size{}, fmt.Errorf("a difference of %v needs over a million cases: plan for a larger one", detect)
	}
	n, reached := firstLasting(max(1, int(root*root*.8)-10), mostPlanned, power, func(n int) float64 {
		return PowerKnown(base, detect, n, level)
	})
	return Size{n, reached}, nil
}

// PowerKnown returns the exact power of the test that SizeKnown is for, with n cases.
func PowerKnown(base, detect float64, n int, level float64) float64 {
	Z(level)
	tail := (1 - level) / 2
	low := sort.Search(n+1, func(k int) bool { return binomialCDF(k, n, base) > tail }) - 1 // the largest that rejects
	high := sort.Search(n+1, func(k int) bool { return 1-binomialCDF(k-1, n, base) <= tail })
	other := base - detect
	return min(1, binomialCDF(low, n, other)+1-binomialCDF(high-1, n, other))
}

// halve returns two points around where holds, which is false of low and true of high, changes, after so many steps,
// each of which halves their distance.
func halve(low, high float64, steps int, holds func(float64) bool) (float64, float64) {
	for range steps {
		if mid := (low + high) / 2; holds(mid) {
			high = mid
		} else {
			low = mid
		}
	}
	return low, high
}

// firstLasting returns the smallest n in [from, to) from which on reach stays at least power for tooth more sizes,
// with its reach.
func firstLasting(from, to int, power float64, reach func(int) float64) (n int, reached float64) {
	run := 0
	for n = from; n < to; n++ {
		p := reach(n)
		if p < power {
			run = 0
			continue
		}
		if run == 0 {
			reached = p
		}
		if run++; run > tooth {
			return n - tooth, reached
		}
	}
	return n, reached
}

// DetectablePaired returns the smallest fall from base that two runs on the same n cases find with the given power
// by McNemar's exact test, where the outcomes of a case correlate by rho, and false if none is found for which that
// correlation is possible.
func DetectablePaired(base, rho float64, n int, level, power float64) (float64, bool) {
	reach := func(d float64) float64 {
		p, err := PowerPaired(base, d, rho, n, level)
		if err != nil {
			return math.NaN()
		}
		return p
	}
	// The power grows with the fall until the correlation is no longer possible.
	lo, hi := 0., 0.
	for d := base / 64; d <= base*(1+1e-12); d += base / 64 {
		p := reach(min(d, base))
		if math.IsNaN(p) {
			break // no larger fall either
		}
		if p >= power {
			hi = min(d, base)
			break
		}
		lo = d
	}
	if hi == 0 {
		return 0, false
	}
	_, found := halve(lo, hi, 40, func(d float64) bool { return reach(d) >= power })
	return found, true
}

// DetectableKnown returns the smallest fall from a known base that n cases of one run find with the given power,
// and false if not even a fall to 0 is found.
func DetectableKnown(base float64, n int, level, power float64) (float64, bool) {
	if PowerKnown(base, base, n, level) < power {
		return 0, false
	}
	_, found := halve(0, base, 50, func(d float64) bool { return !(PowerKnown(base, d, n, level) < power) })
	return found, true
}

// HalfWidth returns half the width of the Wilson interval of n cases at a rate of base, 0 for n = 0.
func HalfWidth(base float64, n int, level float64) float64 {
	if n < 1 {
		return 0
	}
	return halfWidth(base, n, Z(level))
}

// DetectableAt returns the least difference of a share between two runs on the same n cases that McNemar's exact test
// at 1 - level finds with the given power, where the outcomes of a share of the cases, discordant, differ between the
// runs; false where not even a difference of 1 is found, as with fewer than 6 cases at .95.
//
// Formula: the least d with P(reject | n, b, c) >= power, the sum of pairedPower, at
//
//	b = (ψ + d)/2,  c = (ψ - d)/2   for d <= ψ = discordant
//	b = d,          c = 0           for d > ψ, as no difference exceeds the share that differs
//
// The power grows with d in both. Range: (0, 1]. Edge cases: it panics unless discordant is in [0, 1] and power in
// (0, 1). It is what a sample of this size and discordance could have found, whatever it did find: that no difference
// was found says nothing below it. Source: as SizePaired; the search is by halves to 2^-30.
func DetectableAt(n int, discordant, level, power float64) (float64, bool) {
	checkRange(discordant, 1)
	if !(power > 0 && power < 1) {
		panic("stat: a power outside (0, 1)")
	}
	reach := func(d float64) float64 {
		psi := max(discordant, d)
		return pairedPower((psi+d)/2, (psi-d)/2, n, level)
	}
	if n < 1 || reach(1) < power {
		return 0, false
	}
	_, found := halve(0, 1, 30, func(d float64) bool { return reach(d) >= power })
	return found, true
}

// DetectableBy returns the difference that a normal estimate with a standard error finds with the given power in a
// two-sided test at 1 - level: (z_α + z_power) se. It may exceed what can be.
func DetectableBy(se, level, power float64) float64 { return se * (Z(level) + normalQuantile(power)) }

// SizeThreshold returns the cases with which Wilson's interval at level of a rate lies on one side of a threshold, with
// a chance of at least power, if the rate is what it is said to be: below it where it is below. False where rate and
// threshold are equal, so that no number of cases tells them apart, the threshold is 0 or 1, of which no
// interval shows that a share is it, or over a million cases would be needed.
//
// Formula: the interval of k of n is below t exactly where k <= nt - z sqrt(n t(1-t)), as it inverts the score test,
// and above it where k >= nt + z sqrt(n t(1-t)); the chance of that, K ~ Bin(n, rate), is summed exactly, and n is the
// smallest from which on it stays as high through the next 20 sizes. Range: n >= 1; no wrong answer at all is below .05
// from 73 cases on, at .95. It panics unless rate and threshold are in [0, 1]. Source: as SizeHalfWidth.
func SizeThreshold(rate, threshold, level, power float64) (Size, bool) {
	checkRange(rate, 1)
	checkRange(threshold, 1)
	if rate == threshold || threshold == 0 || threshold == 1 {
		return Size{}, false
	}
	if rate > threshold {
		rate, threshold = 1-rate, 1-threshold
	}
	z, d := Z(level), threshold-rate
	spread := math.Sqrt(threshold * (1 - threshold))
	root := (z*spread + max(0, normalQuantile(power))*math.Sqrt(rate*(1-rate))) / d
	if !(root*root <= mostPlanned/2) {
		return Size{}, false
	}
	reach := func(n int) float64 {
		most := float64(n)*threshold - z*spread*math.Sqrt(float64(n))
		return binomialCDF(int(math.Floor(most+1e-9)), n, rate)
	}
	n, reached := firstLasting(max(1, int(root*root*.7)-20), mostPlanned, power, reach)
	return Size{n, reached}, true
}
