package stat

import (
	"math"
	"sort"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// AUROC returns the area under the ROC curve of scores that should be higher for positive cases,
//
//	A = P(X > Y) + P(X = Y)/2 = Σ_ij ([x_i > y_j] + [x_i = y_j]/2) / mn
//
// with m positive scores x and n negative scores y; .5 is chance.
//
// Interval: the union of two. First the θ with |A - θ| <= z sqrt(V(θ)), where
//
//	V(θ) = θ(1-θ)/(mn) · [1 + N*(1-θ)/(2-θ) + N*θ/(1+θ)],  N* = (m+n)/2 - 1,
//
// the variance under a pair of exponential distributions, taken at θ and not at A: so it is never of zero width, also at A = 0 and
// A = 1. It is too narrow where the smaller class spreads wider, so it is joined with DeLong's on the logit scale,
//
//	logit A ± t sqrt(S_x/m + S_y/n) / (A(1-A)),
//
// where S_x and S_y are the variances of the placements (the share of the other class that a score beats) and t has Satterthwaite's
// degrees of freedom; where A is 0 or 1, or a class has one case, the first stands alone.
//
// Range: 0 <= Lo <= A <= Hi <= 1. Edge cases: no positive or no negative score gives no value and a warning. It panics on NaN. It
// does not change its arguments. Coverage of 95 % (TestAUROCCoverage, 20,000 draws of normal scores, m and n from 10 to 50):
// .954 to .996, but .888 where ten scores of one class spread five times as wide as fifty of the other.
// Source: Newcombe, Statistics in Medicine 25 (2006) 559-573, method 5, after Hanley and McNeil, Radiology 143 (1982) 29-36; DeLong et al.,
// Biometrics 44 (1988) 837-845. The union is this project's.
func AUROC(positive, negative []float64, level float64) Estimate {
	e := Estimate{Level: level, Method: "newcombe 2006 method 5, joined with delong on the logit scale"}
	z := Z(level)
	xs, ys := sorted(positive), sorted(negative)
	if len(xs) == 0 || len(ys) == 0 {
		e.Warnings = []string{"an AUROC needs cases of both classes"}
		return e
	}
	m, n := float64(len(xs)), float64(len(ys))
	px := placements(xs, ys) // twice the negatives that each positive beats
	py := placements(ys, xs)
	var twice float64
	for _, p := range px {
		twice += p
	}
	e.N = len(xs) + len(ys)
	e.Value = twice / (2 * m * n)
	star := (m+n)/2 - 1
	// excess is negative where θ is inside the interval; it changes sign once on each side of the value.
	excess := func(θ float64) float64 {
		v := θ * (1 - θ) / (m * n) * (1 + star*(1-θ)/(2-θ) + star*θ/(1+θ))
		return math.Abs(e.Value-θ) - z*math.Sqrt(v)
	}
	e.Lo = edge(excess, e.Value, 0)
	e.Hi = edge(excess, e.Value, 1)
	if e.Value <= 0 || e.Value >= 1 || len(xs) < 2 || len(ys) < 2 {
		return e
	}
	vx := stat.Variance(px, nil) / (4 * n * n) / m
	vy := stat.Variance(py, nil) / (4 * m * m) / n
	if vx+vy == 0 {
		return e
	}
	df := (vx + vy) * (vx + vy) / (vx*vx/(m-1) + vy*vy/(n-1))
	t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: df}.Quantile((1 + level) / 2)
	half := t * math.Sqrt(vx+vy) / (e.Value * (1 - e.Value))
	logit := math.Log(e.Value / (1 - e.Value))
	e.Lo = min(e.Lo, 1/(1+math.Exp(half-logit)))
	e.Hi = max(e.Hi, 1/(1+math.Exp(-half-logit)))
	return e
}

// placements returns for each of a twice the number of b below it, plus the ties; both sorted.
func placements(a, b []float64) []float64 {
	out := make([]float64, len(a))
	below, through := 0, 0
	for i, x := range a {
		for below < len(b) && b[below] < x {
			below++
		}
		through = max(through, below)
		for through < len(b) && b[through] == x {
			through++
		}
		out[i] = float64(below + through)
	}
	return out
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
