package stat

import (
	"fmt"
	"math"
	"slices"
	"sort"

	"hallmark/internal/base/lists"

	"gonum.org/v1/gonum/mathext"
)

// Median returns the median of values over cases with its interval from order statistics,
//
//	[x_(k), x_(n+1-k)],  k the largest with P(Bin(n, ½) <= k - 1) <= (1 - level)/2
//
// which covers the median of any continuous law with at least the level, whatever the tails (at a law with atoms
// too, for a median of it). For an even n the value is the mean of the two middle ones. Edge cases: no values give
// no value; where no k does, as with fewer than 6 values at .95, the bounds are infinite and a warning says how
// many values it takes. It panics on NaN; infinities are values. It does not change values. Source: David and
// Nagaraja, Order Statistics, 7.1; Thompson, Annals of Mathematical Statistics 7 (1936) 122-128.
func Median(values []float64, level float64) Estimate {
	e := Estimate{Level: level, N: len(values), Method: "order statistics", Lo: math.Inf(-1), Hi: math.Inf(1)}
	Z(level)
	if e.N == 0 {
		return Estimate{Level: level, Method: e.Method}
	}
	xs := slices.Clone(values)
	slices.Sort(xs)
	if math.IsNaN(xs[0]) { // NaN sorts first
		panic("stat: the median of a value that is no number")
	}
	n := len(xs)
	e.Value = xs[n/2]
	if n%2 == 0 && xs[n/2-1] != xs[n/2] {
		e.Value = xs[n/2-1]/2 + xs[n/2]/2
	}
	tail := (1 - level) / 2
	if least := int(math.Ceil(1 - math.Log2(1-level))); math.Pow(.5, float64(n)) > tail {
		e.Warnings = []string{fmt.Sprintf("%d values bound no median at %g %%: it takes %d", n, 100*level, least)}
		return e
	}
	k := sort.Search((n+1)/2, func(k int) bool { // the tail grows with k
		return !(mathext.RegIncBeta(float64(n-k), float64(k+1), .5) <= tail)
	})
	e.Lo, e.Hi = xs[k-1], xs[n-k]
	return e
}

// MedianByCluster is Median over cases with an interval that takes the clusters of Together as the units, and
// Median, to the bit, where no two cases go together. N counts cases.
//
// Formula: the interval holds each x of which the share of the cases at or below it may be ½, and that at or above it,
//
//	[min {x: hi(share <= x) >= ½}, max {x: hi(share >= x) >= ½}]
//
// over the values, with hi the upper bound of ShareByCluster. In clusters of one size whose cases are the same it
// is Median's of one case of each. Edge cases: as Median's; where a share of 0 may be ½, as with fewer than 6
// clusters at .95, the bounds are infinite, with a warning. It panics on NaN and on different lengths. It does not
// change values. Coverage: TestMedianByCluster. Source: Woodruff, JASA 47 (1952) 635-646.
func MedianByCluster(values []float64, cluster []int32, level float64) Estimate {
	e := Median(values, level)
	if !together(len(values), cluster) {
		return e
	}
	e.Method, e.Warnings, e.Lo, e.Hi = "shares below by cluster", nil, math.Inf(-1), math.Inf(1)
	half := func(in func(x float64) bool) bool { // whether the share may be ½
		at := lists.Map(values, func(x float64) float64 { return Bit(in(x)) })
		return ShareByCluster(at, cluster, level).Hi >= .5
	}
	if half(func(float64) bool { return false }) {
		e.Warnings = []string{fmt.Sprintf("%d values in %d clusters bound no median at %g %%: it takes more clusters",
			e.N, Clusters(cluster), 100*level)}
		return e
	}
	xs := slices.Compact(slices.Sorted(slices.Values(values)))
	last := len(xs) - 1
	e.Lo = xs[sort.Search(last, func(i int) bool { return half(func(x float64) bool { return x <= xs[i] }) })]
	e.Hi = xs[last-sort.Search(last, func(i int) bool { return half(func(x float64) bool { return x >= xs[last-i] }) })]
	return e
}
