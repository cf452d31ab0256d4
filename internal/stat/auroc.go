package stat

import (
	"math"
	"math/rand/v2"
	"sort"
)

// AUROC returns the area under the ROC curve of scores that should be higher for positive cases,
//
//	A = P(X > Y) + P(X = Y)/2 = Σ_ij [x_i > y_j] + [x_i = y_j]/2 over m n pairs
//
// with m positive scores x and n negative scores y; .5 is chance.
//
// Interval: the θ with |A - θ| <= z sqrt(V(θ)), where
//
//	V(θ) = θ(1-θ)/(mn) · [1 + N*(1-θ)/(2-θ) + N*θ/(1+θ)],  N* = (m+n)/2 - 1,
//
// the variance under a pair of exponential distributions, taken at θ and not at A: so it is never of zero width, also at A = 0 and
// A = 1, where DeLong's is. TestAUROCCoverage simulates it on normal and tied scores. It is a nominal interval; where the positive
// scores spread far wider or narrower than the negative ones it can cover less than its level.
//
// Range: 0 <= Lo <= A <= Hi <= 1. Edge cases: no positive or no negative score gives no value and a warning. It panics on NaN. It
// does not change its arguments. Source: Hanley and McNeil, Radiology 143 (1982) 29-36; Newcombe, Statistics in Medicine 25
// (2006) 559-573, method 5.
func AUROC(positive, negative []float64, level float64) Estimate {
	e := Estimate{Level: level, Method: "newcombe 2006 method 5"}
	z := Z(level)
	if len(positive) == 0 || len(negative) == 0 {
		e.Warnings = []string{"an AUROC needs cases of both classes"}
		return e
	}
	ys := sorted(negative)
	xs := sorted(positive)
	// Both sorted: one sweep counts the negatives below and at each positive.
	var below, through int
	var twice int // 2 (pairs won) + pairs tied
	for _, x := range xs {
		for below < len(ys) && ys[below] < x {
			below++
		}
		through = max(through, below)
		for through < len(ys) && ys[through] == x {
			through++
		}
		twice += below + through
	}
	m, n := float64(len(xs)), float64(len(ys))
	e.N = len(xs) + len(ys)
	e.Value = float64(twice) / (2 * m * n)
	star := (m+n)/2 - 1
	// excess is negative where θ is inside the interval; it changes sign once on each side of the value.
	excess := func(θ float64) float64 {
		v := θ * (1 - θ) / (m * n) * (1 + star*(1-θ)/(2-θ) + star*θ/(1+θ))
		return math.Abs(e.Value-θ) - z*math.Sqrt(v)
	}
	e.Lo = edge(excess, e.Value, 0)
	e.Hi = edge(excess, e.Value, 1)
	return e
}

// edge bisects for the point between inside and outside where excess stops being negative.
func edge(excess func(float64) float64, inside, outside float64) float64 {
	for range 60 {
		mid := (inside + outside) / 2
		if excess(mid) < 0 {
			inside = mid
		} else {
			outside = mid
		}
	}
	return (inside + outside) / 2
}

func sorted(xs []float64) []float64 {
	s := append([]float64(nil), xs...)
	for _, x := range s {
		if math.IsNaN(x) {
			panic("stat: a score is NaN")
		}
	}
	sort.Float64s(s)
	return s
}

// ArgMin returns the index of a smallest value, drawn uniformly from r among ties, so that the position of a value gives it no
// advantage; -1 if xs is empty. r is used only where there is a tie. It panics on NaN and does not change xs.
func ArgMin(xs []float64, r *rand.Rand) int {
	best, ties := -1, 0
	for i, x := range xs {
		if math.IsNaN(x) {
			panic("stat: a value is NaN")
		}
		switch {
		case best < 0 || x < xs[best]:
			best, ties = i, 1
		case x == xs[best]:
			ties++
			if r.IntN(ties) == 0 {
				best = i
			}
		}
	}
	return best
}
