package stat

import "math"

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
	checkRange(discordant, 0, 1)
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
	checkRange(rate, 0, 1)
	checkRange(threshold, 0, 1)
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
		return shareOf(rate, n, int(math.Floor(most+1e-9)))
	}
	n, reached := firstLasting(max(1, int(root*root*.7)-20), mostPlanned, power, reach)
	return Size{n, reached}, true
}
