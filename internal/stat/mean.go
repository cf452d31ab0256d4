package stat

import "fmt"

const meanMethod = "bayesian bootstrap by case with one case added at the far end"

// Mean returns the mean of values in [0, 1], one per case, with a nonparametric interval.
//
// Formula: the cases get random weights d ~ Dirichlet(1, …, 1), as in the Bayesian bootstrap by case, but the upper
// bound is taken with one more case of value 1 added and the lower one with one more case of value 0,
//
//	hi = quantile(1 - α/2) of Σ d_i x_i + d_{n+1} · 1,   lo = quantile(α/2) of Σ d_i x_i + d_{n+1} · 0,   α = 1 - level.
//
// The quantiles are those of infinitely many resamples, computed by numerical inversion, so no seed enters and no
// Monte Carlo error is left. On values that are only 0 and 1 this is Clopper and Pearson's interval; elsewhere it
// narrows with the spread of the values.
//
// Range: 0 <= lo < hi <= 1, never of zero width: ten ones give [.6915, 1]. Edge cases: no values give no value; n =
// 1 gives a width of at least .975. It panics on a value outside [0, 1]. It does not change values, and their order
// changes no bit.
//
// Coverage: conservative. That it is at least the level for every distribution on [0, 1] is proved for special
// cases and otherwise conjectured; TestMeanCoverage simulates it. Share of 95 % intervals that hold the true mean,
// 20,000 draws each (Monte Carlo error .0015), beside the bare percentile bootstrap (b, 2000 draws):
//
//	values                  n = 10 (b)    n = 20 (b)    n = 100 (b)
//	2 % at .5, else 1       0.984 (0.18)  0.992 (0.34)  0.984 (0.86)
//	2 % at .1, else 1       0.985 (0.19)  0.994 (0.32)  0.985 (0.86)
//	1 % at 1, else .5       1.000 (0.10)  1.000 (0.18)  1.000 (0.63)
//	0 or 1, .05             0.990 (0.40)  0.984 (0.64)  0.982 (0.95)
//	0 or 1, .50             0.978 (0.97)  0.960 (0.96)  0.964 (0.95)
//	half .2, half 1         0.988 (0.94)  0.975 (0.95)  0.964 (0.95)
//	tenths, binomial 0.95   0.988 (0.91)  0.985 (0.94)  0.981 (0.95)
//	tenths, binomial 0.50   1.000 (0.92)  0.999 (0.94)  0.982 (0.96)
//	u^8, near 0             0.990 (0.80)  0.987 (0.89)  0.973 (0.95)
//	1 - u^30/2, near 1      0.988 (0.53)  0.987 (0.70)  0.984 (0.91)
//
// Source: Gaffke, Mathematical Methods of Statistics 14 (2005) 451-467; its place among mean bounds: Phan, Thomas and
// Learned-Miller, arXiv:2106.03163. The inversion and the two-sided use are this project's.
func Mean(values []float64, level float64) Estimate {
	e := Estimate{Level: level, N: len(values), Method: meanMethod}
	Z(level)
	if e.N == 0 {
		return e
	}
	for _, x := range values {
		checkRange(x, 0, 1)
	}
	as := atoms(len(values), func(i int) (float64, float64) { return values[i], 1 - values[i] })
	var total, lost float64 // summed with Neumaier's compensation, so that tenths print as tenths
	for _, a := range as {
		x := float64(a.count * a.yes)
		t := total + x
		if total >= x {
			lost += (total - t) + x
		} else {
			lost += (x - t) + total
		}
		total = t
	}
	lo, hi := shareBounds(as, 1, level)
	e.Value = min(1, (total+lost)/float64(e.N))
	e.Lo, e.Hi = min(lo, e.Value), max(hi, e.Value)
	return e
}

// Ratio returns Σ k_i / Σ m_i over cases that have different sizes m_i, such as the failures k_i among the m_i
// scored variants of case i, with an interval that takes the case, not the variant, as the unit.
//
// Formula: as Mean, on τ = Σ d_i k_i / Σ d_i m_i, with an added case of the largest size that holds only failures,
// or none. Range: 0 <= lo < hi <= 1. Edge cases: no case, or none of positive size, gives no value. It panics
// unless 0 <= k_i <= m_i, and if the lengths differ. It changes nothing. With equal sizes it is Mean of k_i/m_i.
// Source: as Mean.
func Ratio(k, m []float64, level float64) Estimate {
	e := Estimate{Level: level, Method: meanMethod}
	Z(level)
	checkPaired(k, m)
	var largest float64
	for i := range m {
		checkRange(k[i], 0, m[i])
		largest = max(largest, m[i])
	}
	if largest == 0 {
		return e
	}
	as := atoms(len(m), func(i int) (float64, float64) { return k[i], m[i] - k[i] })
	e.N = len(m)
	e.Lo, e.Hi = shareBounds(as, largest, level)
	e.Value = share(as)
	return e
}

// share is Σ yes / Σ (yes + no), summed in the order of the atoms.
func share(as []atom) float64 {
	var yes, no float64
	for _, a := range as {
		yes += a.count * a.yes
		no += a.count * a.no
	}
	return yes / (yes + no)
}

func checkRange(x, lo, hi float64) {
	if !(x >= lo && x <= hi) {
		panic(fmt.Sprintf("stat: value %v is not in [%v, %v]", x, lo, hi))
	}
}

func checkPaired(a, b []float64) {
	if len(a) != len(b) {
		panic(fmt.Sprintf("stat: %d and %d values are not paired", len(a), len(b)))
	}
}
