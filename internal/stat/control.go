package stat

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// ControlAlpha is the chance of a false alarm that control limits aim at, both sides together: that of three
// standard deviations of a normal variable, 2 Phi(-3) = .0027.
var ControlAlpha = 2 * distuv.UnitNormal.CDF(-3)

// A Control holds the limits within which the figure of a further run lies while nothing changes.
type Control struct{ Centre, Lo, Hi float64 }

// Beyond reports whether a figure is outside the limits.
func (c Control) Beyond(x float64) bool { return x < c.Lo-1e-12 || x > c.Hi+1e-12 }

// ControlShare returns the limits of a chart for a share (a p-chart), of m further cases, from k of the n cases of
// a baseline: the quantiles alpha/2 and 1 - alpha/2 of the beta-binomial distribution
//
//	K ~ BetaBinomial(m, k + ½, n - k + ½),
//
// which is that of the further count given the baseline's, by Jeffreys's prior, divided by m. Unlike p ± 3
// √(p(1-p)/m) they know that the centre was estimated, that counts are whole and that small shares are skew, and
// they stand where the baseline has no failure: 0 of 100 gives [0, .07] for a further 100.
//
// Range: 0 <= lo <= k/n <= hi <= 1. No baseline, or m < 1, is false. False alarms on cases drawn anew, computed
// exactly for shares from .005 to .5 and n = m of 30, 100 and 200: never above alpha, near it from a share of about
// 5/n (TestControlShareFalseAlarms). Runs on the same cases share what these are like, and alarm less often. It
// panics unless 0 <= k <= n, and if alpha is not inside (0, 1). Source: Shewhart, 1931, for the chart; Menzefricke,
// Communications in Statistics 31 (2002) 1423-1440, for limits from the predictive distribution.
func ControlShare(k, n, m int, alpha float64) (Control, bool) {
	checkAlpha(alpha)
	checkCounts(k, n)
	if n == 0 || m < 1 {
		return Control{}, false
	}
	return controlOf(float64(k), float64(n), m, alpha), true
}

// controlOf returns the quantiles of ControlShare, where k and n need not be whole.
func controlOf(k, n float64, m int, alpha float64) Control {
	a, b, mf := k+.5, n-k+.5, float64(m)
	lgamma := func(x float64) float64 { v, _ := math.Lgamma(x); return v }
	log := lgamma(mf+b) + lgamma(a+b) - lgamma(b) - lgamma(mf+a+b) // of the chance of 0
	chance := make([]float64, m+1)
	for j := range chance {
		chance[j] = math.Exp(log)
		jf := float64(j)
		log += math.Log((mf - jf) / (jf + 1) * (jf + a) / (mf - jf - 1 + b))
	}
	lo, hi := 0, m
	for below := chance[0]; lo < m && below <= alpha/2; below += chance[lo] {
		lo++
	}
	for above := chance[m]; hi > 0 && above <= alpha/2; above += chance[hi] {
		hi--
	}
	centre := k / n
	return Control{centre, min(centre, float64(lo)/mf), max(centre, float64(hi)/mf)}
}

// ControlShareByCluster is ControlShare of a baseline of values that are 0 or 1, for a further run of as many cases
// in clusters of the same sizes; cluster is as for Together. It is ControlShare, to the bit, where no two cases go
// together.
//
// Formula: k, n and m are divided by the loss 1 + (Σ m_c²/Σ m_c - 1) ρ, with m_c the cases of cluster c and ρ in [0,
// 1] how alike they are at most: the upper bound of the correlation within clusters by analysis of variance (95 %,
// one-sided), and 1 where all values are the same or stand in one cluster. With clusters of one size whose cases
// fare the same the limits are those of the clusters.
//
// Range and edge cases: as ControlShare. It panics on other values and on different lengths. False alarms:
// TestControlByCluster. Source: Kish, Survey Sampling, 1965, 8.2, for the loss; Searle, Linear
// Models, 1971, for the bound; their use here is this project's.
func ControlShareByCluster(values []float64, cluster []int32, alpha float64) (Control, bool) {
	var k float64
	for _, v := range values {
		if v != 0 && v != 1 {
			panic(fmt.Sprintf("stat: %v is no case of a share", v))
		}
		k += v
	}
	n := float64(len(values))
	if !together(len(values), cluster) {
		return ControlShare(int(k), len(values), len(values), alpha)
	}
	checkAlpha(alpha)
	at, _ := places(cluster)
	alone := worthOf(values, at, true)
	m := max(1, int(math.Round(alone)))
	c := controlOf(k*alone/n, alone, m, alpha)
	c.Centre = k / n
	return c, true
}

// ControlMeanByCluster returns the limits of a chart for a mean (an x̄-chart), of a further run of as many cases in
// clusters of the same sizes, from the values in [0, 1] of the n cases of a baseline; cluster is as for Together.
//
// Formula: where no two cases go together,
//
//	centre ± t s √(2/n),   s² = the sample variance of the values with one 0 and one 1 added
//
// with t the 1 - alpha/2 quantile of Student's t at n + 1 degrees of freedom, clamped to [0, 1]: the prediction
// interval of a further mean. The added cases keep the limits apart where the baseline does not vary, and cover the
// skew that values near a bound have; so the chart is conservative there. Else, with C clusters of m_c cases whose
// values sum to k_c, and two more of the largest size M, one of 0 and one of 1,
//
//	centre ± t s √(2/C),   s² = Σ (k_c - p m_c)² / ((C + 1) m̄²),
//	p = Σ k_c / Σ m_c over all C + 2,   m̄ = Σ m_c/C of the C
//
// with t at C + 1 degrees of freedom.
//
// Range: 0 <= lo <= centre <= hi <= 1. No values is false. False alarms on cases drawn anew, simulated at n = 100
// (TestControlMeanFalseAlarms): none for stabilities that vary case by case, alpha for values spread over [0, 1], and
// .009 where two cases in a hundred carry all that varies; by cluster: TestControlByCluster. It panics on a value
// outside [0, 1], on different lengths and if alpha is not inside (0, 1). It changes nothing. Source: Shewhart, 1931;
// the prediction interval is standard, the added cases are this project's, as in Mean; Cochran, Sampling Techniques
// (1977) 6.3, for the variance of a ratio.
func ControlMeanByCluster(values []float64, cluster []int32, alpha float64) (Control, bool) {
	checkAlpha(alpha)
	checkShares(values)
	n := float64(len(values))
	if n == 0 {
		return Control{}, false
	}
	if !together(len(values), cluster) {
		all := Sum(values)
		variance := (sumOfSquares(values) + 1 - float64((all+1)*(all+1))/(n+2)) / (n + 1)
		return controlAround(all/n, variance, n, alpha), true
	}
	ks, ms := Together(values, ones(len(values)), cluster)
	largest, all := slices.Max(ms), Sum(ks)
	p := (all + largest) / (n + 2*largest)
	squares := square(p*largest) + square(largest-p*largest)
	for i, k := range ks {
		squares += square(k - p*ms[i])
	}
	c := float64(len(ks))
	return controlAround(all/n, squares/(c+1)/square(n/c), c, alpha), true
}

// controlAround returns the prediction interval of a mean of n further units, from the variance of as many.
func controlAround(centre, variance, n, alpha float64) Control {
	t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: n + 1}.Quantile(1 - alpha/2)
	half := t * math.Sqrt(math.Max(0, variance)*(2/n))
	centre = min(1, centre)
	return Control{centre, max(0, centre-half), min(1, centre+half)}
}

func checkAlpha(alpha float64) {
	if !(alpha > 0 && alpha < 1) {
		panic(fmt.Sprintf("stat: alpha %v is not inside (0, 1)", alpha))
	}
}
