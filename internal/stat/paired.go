package stat

import (
	"math"
	"slices"

	"hallmark/internal/base/lists"

	"gonum.org/v1/gonum/mathext"
)

// A Difference is the mean of other - base over cases, with the p that its interval agrees with.
type Difference struct {
	Estimate
	P    float64 // two-sided
	Test string  // what P is of: one of the tests below
}

// The tests of paired differences.
const (
	ExactTest  = "sign-flip"               // of differences of -1, 0 and 1, which is McNemar's, and of few others
	MidTest    = "sign-flip, mid-p"        // of other differences
	LimitOfOne = "sign-flip, normal limit" // where that is out of reach
)

const pairedMethod = "paired, sign-flip test and " + meanMethod

// Paired returns the mean of other_i - base_i over cases, both in [0, 1], with an interval and a test that never
// contradict each other. Cases of one cluster, a number above 0, are one observation; cluster may be nil, and a case
// of cluster 0 is by itself.
//
// Formula: p is that of SignFlip on the differences, summed by cluster: the exact one where all differences are -1, 0
// or 1, as of shares, which is McNemar's, or fewer than 8 are not 0, else mid-p. The interval [l, h] is Gaffke's,
// that of Mean on (1 + other_i - base_i)/2 mapped back by 2x - 1 (of Ratio, with clusters of several sizes), but for
// the bound next to 0:
//
//	p >= α:  [min(l, 0), max(h, 0)]                              α = 1 - level
//	p <  α:  l = max(l, d (1 - z_α/z)) for d > 0, and the mirror of it for d < 0,   z_α = Phi^-1(1 - α/2)
//
// with z the lesser of z_p and the normal limit |Σ d_i| / sqrt(Σ d_i²), where this is above z_α. So it holds 0 exactly
// where p >= α, and finds a difference as often as the sign-flip test, which is as often as the t test. The bound away
// from 0 stays Gaffke's: it is never of zero width, and holds where nearly all differences are 0.
//
// Range: -1 <= lo <= 0 <= hi <= 1 or 0 on neither side; lo < hi. Edge cases: no cases give no value, with p = 1.
// Differences that are no whole numbers of any 1/q, q up to 8192, are rounded to 1/8192 for p, which keeps its level.
// It panics on values outside [0, 1] and on different lengths. It changes nothing; the order of cases changes no bit
// of p.
//
// Coverage and power: TestPairedSimulated, 2,000 draws a cell for the share of 95 % intervals that hold the truth
// (Monte Carlo error .005), and 4,000 for the power, with that of the t test on the same draws beside it in brackets;
// tenths are shares of ten variants:
//
//	differences                   n = 20  100    500    power: 50    100          200          400
//	tenths, 0.01 and 0.01         1.000   0.960  0.950  0.01 (0.04)  0.03 (0.04)  0.04 (0.05)  0.05 (0.05)
//	tenths, 0.1 and 0.1           0.964   0.953  0.949  0.05 (0.05)  0.04 (0.05)  0.05 (0.05)  0.05 (0.05)
//	tenths, 0.5 and 0.5           0.957   0.957  0.951  0.05 (0.05)  0.05 (0.05)  0.05 (0.05)  0.05 (0.05)
//	tenths, 0.01 and 0.03         0.999   0.990  0.991  0.75 (0.76)  0.97 (0.97)  1.00 (1.00)  1.00 (1.00)
//	tenths, 0.1 and 0.15          0.995   0.991  0.978  0.85 (0.85)  0.99 (0.99)  1.00 (1.00)  1.00 (1.00)
//	tenths, 0.5 and 0.55          0.991   0.985  0.971  0.56 (0.56)  0.85 (0.85)  0.99 (0.99)  1.00 (1.00)
//	tenths, 0.2 of cases +0.3     0.998   0.989  0.980  0.80 (0.80)  0.98 (0.98)  1.00 (1.00)  1.00 (1.00)
//	0 or 1, 0.05 and 0.15 alone   0.990   0.967  0.959  0.23 (0.33)  0.55 (0.64)  0.87 (0.91)  1.00 (1.00)
//	0 or 1, 0 and 0.02 alone      1.000   0.999  0.986  0.00 (0.01)  0.01 (0.14)  0.21 (0.57)  0.81 (0.95)
//	u^8 against 0                 1.000   0.994  0.975  1.00 (1.00)  1.00 (1.00)  1.00 (1.00)  1.00 (1.00)
//	0.2 at -0.4, else +0.1        0.920   0.930  0.956  0.06 (0.06)  0.06 (0.06)  0.05 (0.05)  0.05 (0.05)
//	0.05 at -1, else +0.1         0.636   0.960  0.948  0.29 (0.29)  0.43 (0.43)  0.71 (0.71)  0.93 (0.93)
//
// The test is of differences that are as likely to be negative as positive. Where many small ones of one side stand
// against few large ones of the other, as in the last rows, which a small sample may not show, the bound next to 0
// covers less than its level, as that of the t test does. McNemar's exact test, which is that of shares, finds less
// than the t test.
//
// Source: as SignFlip and Mean; the bound next to 0: Miettinen, American Journal of Epidemiology 103 (1976) 226-235.
// That it and Gaffke's bound make one interval is this project's.
func Paired(base, other []float64, cluster []int32, level float64) Difference {
	d := Difference{Estimate: Estimate{Level: level, N: len(base), Method: pairedMethod}, P: 1, Test: ExactTest}
	Z(level)
	checkUnits(base, other)
	if d.N == 0 {
		return d
	}
	var sum float64
	up, down := make([]float64, d.N), make([]float64, d.N)
	for i := range base {
		x := other[i] - base[i]
		sum += x
		up[i], down[i] = (1+x)/2, (1-x)/2
	}
	as, largest := clusterAtoms(up, down, cluster)
	lo, hi := shareBounds(as, largest, level)
	d.Value, d.Lo, d.Hi = sum/float64(d.N), 2*lo-1, 2*hi-1
	f := flipOf(base, other, cluster)
	d.P, d.Test = f.p, f.test
	d.agree(f)
	return d
}

// Reduction returns the relative reduction of a mean between two paired runs,
//
//	R = (mean base - mean other) / mean base = 1 - Σ other_i / Σ base_i,
//
// with its interval; base_i and other_i in [0, 1] belong to case i, and cluster is as for Paired. Range: (-∞, 1]; 1
// means that nothing is left.
//
// Interval: as Mean, on the ratio Σ d_i other_i / Σ d_i base_i, with an added case (base 0, other 1) for the lower
// bound and (base 1, other 0) for the upper one, and the bound next to 0 by the p of Paired on the same cases, as
// there: so it holds 0 exactly where the difference does. It is never of zero width, and wide where the base has few
// failures: one of base's 20 cases against none of other's is a reduction of 1 with a lower bound of -38.
// Conservative.
//
// Edge cases: where the base is 0 everywhere the reduction is not defined: no value, and a warning. It panics on
// values outside [0, 1] and on different lengths. It changes nothing. Source: as Paired; the extension to a ratio is
// this project's, checked by TestReductionCoverage.
func Reduction(base, other []float64, cluster []int32, level float64) Estimate {
	e := Estimate{Level: level, Method: pairedMethod}
	Z(level)
	checkUnits(base, other)
	sumBase := Sum(base)
	if len(base) == 0 {
		return e
	}
	if sumBase == 0 {
		e.Warnings = []string{"the base is 0, so a relative reduction is not defined"}
		return e
	}
	as, largest := clusterAtoms(other, base, cluster)
	lo, hi := shareBounds(as, largest, level)
	e.N = len(base)
	e.Value, e.Lo, e.Hi = 1-Sum(other)/sumBase, 1-hi/(1-hi), 1-lo/(1-lo)
	e.agree(flipOf(base, other, cluster))
	return e
}

// FewInBase reports whether the mean of a base cannot be told from 0 by the test of Paired: whether a run in which
// nothing of it is left would have a p of 1 - level or more, as with up to 5 failing cases, or clusters, at .95. A
// relative reduction of such a base says nothing to a reader, though its interval holds. Arguments and panics: as
// of Reduction.
func FewInBase(base []float64, cluster []int32, level float64) bool {
	Z(level)
	none := make([]float64, len(base))
	checkUnits(none, base)
	return flipOf(none, base, cluster).p >= 1-level
}

// agree moves the bound next to 0 to where a test of 0 has it; see Paired.
func (e *Estimate) agree(f flip) {
	if f.p >= 1-e.Level {
		e.Lo, e.Hi = min(e.Lo, 0), max(e.Hi, 0)
		return
	}
	// math.Erfcinv is infinite from about 1e-17 down, and a p of 0 is one that is too small for float64.
	z, far := Z(e.Level), -mathext.NormalQuantile(max(f.p, 1e-300)/2)
	if f.limit > z {
		far = min(far, f.limit)
	}
	if next := e.Value * (1 - z/far); e.Value > 0 {
		e.Lo = max(e.Lo, next)
	} else {
		e.Hi = min(e.Hi, next)
	}
}

// clusterAtoms are the atoms of yes and no, summed by cluster, and the size of the largest cluster.
func clusterAtoms(yes, no []float64, cluster []int32) (as []atom, largest float64) {
	yes, no, size := summed(yes, cluster), summed(no, cluster), summed(ones(len(yes)), cluster)
	return atoms(len(yes), func(i int) (float64, float64) { return yes[i], no[i] }), slices.Max(size)
}

// fewDiffer is the number of differences that are not 0 from which on the mid-p of them is taken. With fewer it may
// be far above its level where they are skewed: five of one sign have a mid-p of 1/32.
const fewDiffer = 8

// mostUnits is the finest unit of differences for the sign-flip test, as the number of them in 1.
const mostUnits = 1 << 13

// A flip is the sign-flip test of paired differences.
type flip struct {
	p     float64
	test  string
	limit float64 // |Σ d| / sqrt(Σ d²), which is standard normal in the limit
}

// flipOf tests other - base, summed by cluster.
func flipOf(base, other []float64, cluster []int32) flip {
	d := make([]float64, len(base))
	unit := int64(1) // in 1, so that all differences are whole numbers of it
	seen := map[float64]bool{}
	for i := range d {
		d[i] = other[i] - base[i]
		if x := math.Abs(d[i]); !seen[x] && unit < mostUnits {
			seen[x] = true
			unit = min(mostUnits, LCM(unit, denominator(x)))
		}
	}
	whole := lists.Map(d, func(x float64) int64 { return int64(math.Round(x * float64(unit))) })
	whole = slices.Clone(summed(whole, cluster))
	slices.Sort(whole) // so that the order of cases changes no bit
	var sum, squares float64
	for _, x := range whole {
		sum += float64(x)
		squares += float64(x) * float64(x)
	}
	f := flip{p: 1, test: ExactTest, limit: math.Abs(sum) / math.Sqrt(max(1, squares))}
	if lost, won := count(whole, -1), count(whole, 1); unit == 1 && lost+won+count(whole, 0) == len(whole) {
		f.p = McNemar(lost, won)
		return f
	}
	p, mid, exact := SignFlip(whole)
	switch {
	case !exact:
		f.p, f.test = p, LimitOfOne
	case unit == 1, len(whole)-count(whole, 0) < fewDiffer:
		f.p = p
	default:
		f.p, f.test = mid, MidTest
	}
	return f
}

func count(values []int64, x int64) (n int) {
	for _, v := range values {
		if v == x {
			n++
		}
	}
	return n
}

// denominator returns the least q up to mostUnits with which x in [0, 1] is p/q, to the last bits of float64, by
// continued fractions; mostUnits if there is none.
func denominator(x float64) int64 {
	const near = 1e-13
	before, q, rest := int64(0), int64(1), x
	for q < mostUnits {
		if math.Abs(x-math.Round(x*float64(q))/float64(q)) <= near {
			return q
		}
		rest = 1 / (rest - math.Floor(rest))
		before, q = q, int64(min(mostUnits, math.Floor(rest)*float64(q)+float64(before)))
	}
	return mostUnits
}

// LCM returns the least common multiple of two numbers above 0.
func LCM(a, b int64) int64 {
	gcd, rest := a, b
	for rest != 0 {
		gcd, rest = rest, gcd%rest
	}
	return a / gcd * b
}

// checkUnits panics unless the values are paired and in [0, 1].
func checkUnits(base, other []float64) {
	checkPaired(base, other)
	checkShares(base)
	checkShares(other)
}

// Bounds of the exact sign-flip distribution: places of its grid, and steps to fill it.
const (
	maxFlipGrid  = 1 << 20
	maxFlipSteps = 1 << 25
)

// SignFlip returns the two-sided p of the sign-flip test: if each paired difference is as likely to be negative as
// positive, how probable is a sum at least as far from 0 as the one seen? Its mid-p counts sums just as far by half.
//
//	p   = P(|Σ ±d_i| >= |Σ d_i|),  all 2^n signs alike
//	mid = p - ½ P(|Σ ±d_i| = |Σ d_i|)
//
// The differences are whole numbers, in units of their common denominator; zeros change nothing. p is exact, by the
// distribution of the sum over a grid, while Σ |d_i| is at most about a million and the work about thirty million
// steps; beyond that both are the normal limit 2 Phi(-|Σ d| / sqrt(Σ d²)), and exact is false.
//
// The exact p keeps its level for any n, and is below it where few sums are possible, as with few or equal differences;
// mid makes up for that, and then rejects as often as the t test (TestPairedPower).
//
// Range: (0, 1]; both are 1 where the sum is 0. Differences of ±1 give McNemar's exact test. It does not change d.
// Source: Fisher, The Design of Experiments, 1935, section 21; Pitman, 1937; mid-p: Lancaster, JASA 56 (1961) 223-234.
func SignFlip(d []int64) (p, mid float64, exact bool) {
	var sum, span, squares float64
	n := 0
	for _, x := range d {
		sum += float64(x)
		span += math.Abs(float64(x))
		squares += float64(x) * float64(x)
		if x != 0 {
			n++
		}
	}
	if n == 0 || sum == 0 {
		return 1, 1, true
	}
	if span > maxFlipGrid || span*float64(n) > maxFlipSteps {
		p = math.Erfc(math.Abs(sum) / math.Sqrt(2*squares))
		return p, p, false
	}
	// chance[i] is that of a sum of i below the largest: each difference is subtracted twice, or not.
	width := int(span)
	chance, next := make([]float64, width+1), make([]float64, width+1)
	chance[0] = 1
	top := 0
	for _, x := range d {
		if x == 0 {
			continue
		}
		step := int(max(x, -x))
		clear(next[:top+step+1])
		for i := 0; i <= top; i++ {
			half := chance[i] / 2
			next[i] += half
			next[i+step] += half
		}
		top += step
		chance, next = next, chance
	}
	seen := int(math.Abs(sum))
	for i := 0; i <= width; i++ { // the sum is width - 2i
		if s := width - 2*i; s >= seen || -s >= seen {
			p += chance[i]
			if s == seen || -s == seen {
				mid -= chance[i] / 2
			}
		}
	}
	return min(1, p), min(1, p+mid), true
}
