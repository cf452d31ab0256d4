package stat

import (
	"fmt"
	"math"
	"sort"

	"gonum.org/v1/gonum/stat/distuv"
)

// A Size is a number of cases and the power it reaches.
type Size struct {
	N     int     `json:"n"`     // cases: in each of two independent groups, or pairs
	Power float64 `json:"power"` // chance that the test at level alpha finds the difference
}

// SizeUnpaired returns the cases needed in each of two independent runs to find that a share fell from base to base -
// detect.
//
// Formula, two-sided at 1 - level, with p̄ the mean of p1 = base and p2 = base - detect, z_a = Z(level), z_b =
// Phi^-1(power):
//
//	n = ceil( (z_a sqrt(2 p̄(1-p̄)) + z_b sqrt(p1(1-p1) + p2(1-p2)))² / detect² )
//
// Range: n >= 1; .25 to .20 at 95 % and power .8 needs 1094. Edge cases: an error where base or base - detect is not
// in [0, 1], detect is 0, or over a billion cases would be needed; a negative detect is a rise. Source: Fleiss,
// Statistical Methods for Rates and Proportions, ch. 3, without continuity correction.
func SizeUnpaired(base, detect, level, power float64) (Size, error) {
	if err := checkSize(base, detect, power); err != nil {
		return Size{}, err
	}
	p1, p2 := base, base-detect
	null, alt := unpairedSpread(p1, p2)
	root := max(0, Z(level)*null+normalQuantile(power)*alt) / detect // below 0 any sample has the power
	if root*root > MostGiven {
		return Size{}, fmt.Errorf("a difference of %v needs over a billion cases: plan for a larger one", detect)
	}
	n := max(1, int(math.Ceil(root*root-1e-9)))
	return Size{n, PowerUnpaired(base, detect, n, level)}, nil
}

// PowerUnpaired returns the power of the test that SizeUnpaired is for, with n cases in each run:
// Phi((|detect| sqrt(n) - z_a sqrt(2 p̄(1-p̄))) / sqrt(p1(1-p1) + p2(1-p2))), in [0, 1]; the far tail is left out.
func PowerUnpaired(base, detect float64, n int, level float64) float64 {
	null, alt := unpairedSpread(base, base-detect)
	x := math.Abs(detect)*math.Sqrt(float64(n)) - Z(level)*null
	if alt == 0 {
		return Bit(x > 0)
	}
	return distuv.UnitNormal.CDF(x / alt)
}

// Detectable returns the smallest fall from base that n cases in each of two independent runs find with the given
// power, and false if not even a fall to 0 is found. 600 cases from .25 at 95 % and power .8 find .067.
func Detectable(base float64, n int, level, power float64) (float64, bool) {
	if PowerUnpaired(base, base, n, level) < power {
		return 0, false
	}
	_, found := halve(0, base, 60, func(d float64) bool { return !(PowerUnpaired(base, d, n, level) < power) })
	return found, true
}

// SizePaired returns the cases needed by two runs on the same cases, compared by the exact McNemar test, to find
// that a share fell from base to base - detect, where the two outcomes of a case correlate by rho.
//
// Formula: with p1 = base, p2 = base - detect, the discordant shares are
//
//	b = p1 - p11,  c = p2 - p11,  p11 = p1 p2 + rho sqrt(p1(1-p1) p2(1-p2))
//
// and n is the smallest sample from which on the exact power (PowerPaired) stays at least as asked through the next
// 20 sizes, since exact power moves in a saw-tooth. The search starts below the normal formula of Connor,
// Biometrics 43 (1987) 207-211, n = (z_a sqrt(b+c) + z_b sqrt(b+c-(b-c)²))² / (b-c)².
//
// Range: n >= 1. Edge cases: an error where a share is not in [0, 1], detect is 0, or no pair of outcomes has that
// correlation.
func SizePaired(base, detect, rho, level, power float64) (Size, error) {
	if err := checkSize(base, detect, power); err != nil {
		return Size{}, err
	}
	b, c, err := discordant(base, detect, rho)
	if err != nil {
		return Size{}, err
	}
	d := b - c
	root := max(0, Z(level)*math.Sqrt(b+c)+normalQuantile(power)*math.Sqrt(max(0, b+c-d*d))) / d
	connor := root * root
	if !(connor <= MostPaired) {
		return Size{}, fmt.Errorf("a difference of %v needs over a million cases: plan for a larger one", detect)
	}
	reach := func(n int) float64 { return pairedPower(b, c, n, level) }
	from, to := max(1, int(connor*.8)-10), 2*int(connor)+1000
	if connor > 500 { // one by one from there would take minutes
		at := from + sort.Search(to-from, func(k int) bool { return reach(from+k) >= power })
		back := tooth
		// few numbers of discordant pairs: the teeth show
		if spread := float64(at) * min(1, b+c) * (1 - min(1, b+c)); spread < 25 {
			back += 2 * int(math.Sqrt(float64(at)))
		}
		from = max(from, at-back)
	}
	n, reached := firstLasting(from, to, power, reach)
	return Size{n, reached}, nil
}

// PowerPaired returns the exact power of the two-sided exact McNemar test at 1 - level with n pairs: see
// SizePaired. The error is SizePaired's.
func PowerPaired(base, detect, rho float64, n int, level float64) (float64, error) {
	if err := checkSize(base, detect, .5); err != nil {
		return 0, err
	}
	b, c, err := discordant(base, detect, rho)
	if err != nil {
		return 0, err
	}
	return pairedPower(b, c, n, level), nil
}

// pairedPower sums over the number m of discordant pairs: P(m) times the chance that Bin(m, b/(b+c)) falls where
// the test rejects.
func pairedPower(b, c float64, n int, level float64) float64 {
	Z(level)
	alpha := 1 - level
	share := min(1, b+c)
	mean, sd := float64(n)*share, math.Sqrt(float64(n)*share*(1-share))
	from, to := max(0, int(mean-8*sd)-1), min(n, int(mean+8*sd)+1)
	var power float64
	// largest k with 2 P(Bin(m, 1/2) <= k) <= alpha; it never falls as m grows
	critical := max(-1, int(float64(from)/2-3*math.Sqrt(float64(from)))-2)
	for m := from; m <= to; m++ {
		for 2*(critical+1) < m && 2*binomialCDF(critical+1, m, .5) <= alpha {
			critical++
		}
		if critical < 0 {
			continue
		}
		q, reject := b/(b+c), 1.
		if !(q >= 1 || q <= 0) {
			reject = binomialCDF(critical, m, q) + binomialCDF(critical, m, 1-q)
		}
		power += binomialPMF(m, n, share) * reject
	}
	return min(1, power)
}

func binomialPMF(k, n int, p float64) float64 {
	if p <= 0 || p >= 1 {
		if (p >= 1 && k == n) || (p <= 0 && k == 0) {
			return 1
		}
		return 0
	}
	return math.Exp(logChoose(n, k) + float64(k)*math.Log(p) + float64(n-k)*math.Log1p(-p))
}

func discordant(base, detect, rho float64) (b, c float64, err error) {
	p1, p2 := base, base-detect
	both := p1*p2 + rho*math.Sqrt(p1*(1-p1)*p2*(1-p2))
	b, c = p1-both, p2-both
	const eps = 1e-12
	if !(both >= -eps && b >= -eps && c >= -eps && b+p2 <= 1+eps) {
		lo := max(0, p1+p2-1) - p1*p2
		hi := min(p1, p2) - p1*p2
		s := math.Sqrt(p1 * (1 - p1) * p2 * (1 - p2))
		if s == 0 {
			return 0, 0, fmt.Errorf("a share of 0 or 1 has no correlation: leave it at 0")
		}
		return 0, 0, fmt.Errorf("shares %v and %v cannot correlate by %v: between %.4f and %.4f they can", p1, p2,
			rho, lo/s, hi/s)
	}
	return max(0, b), max(0, c), nil
}

func unpairedSpread(p1, p2 float64) (null, alt float64) {
	mean := (p1 + p2) / 2
	return math.Sqrt(2 * mean * (1 - mean)), math.Sqrt(p1*(1-p1) + p2*(1-p2))
}

func checkSize(base, detect, power float64) error {
	switch {
	case !(base >= 0 && base <= 1):
		return fmt.Errorf("base %v is not a share: it must be in [0, 1]", base)
	case detect == 0 || !(base-detect >= 0 && base-detect <= 1):
		return fmt.Errorf("a change of %v from %v does not lead to another share in [0, 1]", detect, base)
	case !(power > 0 && power < 1):
		return fmt.Errorf("power %v must be between 0 and 1", power)
	}
	return nil
}
