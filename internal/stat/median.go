package stat

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mathext"
)

// Median returns the median of values over cases with its interval from order statistics,
//
//	[x_(k), x_(n+1-k)],  k the largest with P(Bin(n, ½) <= k - 1) <= (1 - level)/2
//
// which covers the median of any continuous law with at least the level, whatever the tails (at a law with atoms too, for a median of it). For
// an even n the value is the mean of the two middle ones. Edge cases: no values give no value; where no k does, as with fewer than 6 values
// at .95, the bounds are infinite and a warning says how many values it takes. It panics on NaN; infinities are values. It does not change
// values. Source: David and Nagaraja, Order Statistics, 7.1; Thompson, Annals of Mathematical Statistics 7 (1936) 122-128.
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
	k := 1
	for lo, hi := 1, (n+1)/2; lo <= hi; { // the tail grows with k
		if mid := (lo + hi) / 2; mathext.RegIncBeta(float64(n-mid+1), float64(mid), .5) <= tail {
			k, lo = mid, mid+1
		} else {
			hi = mid - 1
		}
	}
	e.Lo, e.Hi = xs[k-1], xs[n-k]
	return e
}
