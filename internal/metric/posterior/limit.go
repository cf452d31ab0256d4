package posterior

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mathext"

	"hallmark/internal/metric/posterior/exact"
	"hallmark/internal/metric/posterior/predictive"
	"hallmark/internal/stat"
	"hallmark/internal/stat/figure"
)

// MaxTerms bounds the sum of an exact rate after finitely many pairs, and MaxLabels the labels of an exact rate.
const (
	MaxTerms  = 10_000_000
	MaxLabels = 4
)

// DirichletLimit returns the posterior hallucination rate of a posterior about labels as ever more pairs are made up,
//
//	Σ_l p_l P(Σ {θ_j : θ_j <= θ_l} < eps),   p the next label's distribution, θ from the posterior,
//
// in [0, 1]. Two labels have a closed form, p_1 I(a, b) + p_0 I(b, a) with I the regularized incomplete beta
// function at min(eps, ½); three and four are integrated numerically to about 1e-8. More are an error. Source:
// S3-O2 and S3-O3 of the project's checklist.
func DirichletLimit(d exact.Dirichlet, eps float64) (float64, error) {
	if len(d) > MaxLabels {
		return 0, fmt.Errorf("the limit of %d labels is not computed: at most %d are", len(d), MaxLabels)
	}
	var rate float64
	for l, p := range d.Predict() {
		rate += float64(p * unlikely(d[l], slices.Delete(slices.Clone(d), l, l+1), eps))
	}
	return rate, nil
}

// unlikely is the chance that a label of parameter a, and all labels that are no likelier, have together less than eps.
func unlikely(a float64, rest []float64, eps float64) float64 {
	others := stat.Sum(rest)
	if len(rest) == 1 {
		return mathext.RegIncBeta(a, others, min(eps, .5))
	}
	lb := mathext.Lbeta(a, others)
	f := func(t, u float64) float64 {
		if t >= eps {
			return 0
		}
		return math.Exp((a-1)*math.Log(t)+(others-1)*math.Log(u)-lb) * below(rest, u, t, eps-t)
	}
	return integrate(f, 1e-9, eps, eps/2, eps/3, 1./2, 1./3, 1./4, (1-eps)/2, 1-eps)
}

// below is the chance that of labels that share the mass w in proportions from a Dirichlet with these parameters,
// those of at most t have together less than b.
func below(labels []float64, w, t, b float64) float64 {
	switch len(labels) {
	case 1:
		if w <= t && w >= b {
			return 0
		}
		return 1
	case 2:
		at := places(t/w, 1-t/w, b/w, 1-b/w)
		var p float64
		for i := 1; i < len(at); i++ {
			var sum float64
			u := (at[i-1] + at[i]) / 2
			for _, share := range []float64{u, 1 - u} {
				if share*w <= t {
					sum += share * w
				}
			}
			if sum < b {
				p += mathext.RegIncBeta(labels[0], labels[1], at[i]) - mathext.RegIncBeta(labels[0], labels[1], at[i-1])
			}
		}
		return p
	}
	a, others := labels[0], stat.Sum(labels[1:])
	lb := mathext.Lbeta(a, others)
	f := func(v, rest float64) float64 {
		left := b
		if v*w <= t {
			if left -= v * w; left <= 0 {
				return 0
			}
		}
		return math.Exp((a-1)*math.Log(v)+(others-1)*math.Log(rest)-lb) * below(labels[1:], w*rest, t, left)
	}
	return integrate(f, 1e-7, t/w, b/w, 1-t/w, 1-b/w, 1-2*t/w, (b-t)/w)
}

// DirichletAt returns the rate after exactly n made-up pairs: the sum over the counts c that they can have, by the
// Dirichlet-multinomial distribution (the Beta-binomial where there are two labels), of the mass of p that is
// unlikely after c. It is exact but for rounding. More than MaxLabels labels or MaxTerms counts are an error.
func DirichletAt(d exact.Dirichlet, n int, eps float64) (float64, error) {
	if terms := compositions(n, len(d)); len(d) > MaxLabels || terms > MaxTerms {
		return 0, fmt.Errorf("%d pairs of %d labels are %s terms: at most %d labels and %d terms are summed", n,
			len(d), figure.Digits(terms, 3), MaxLabels, MaxTerms)
	}
	p := d.Predict()
	all := stat.Sum(d)
	// log n! Γ(A)/Γ(n+A) Π Γ(c_j+a_j) / (Γ(a_j) c_j!)
	constant := lgamma(float64(n)+1) + lgamma(all) - lgamma(float64(n)+all)
	table := make([][]float64, len(d))
	for j, a := range d {
		table[j] = make([]float64, n+1)
		for c := range table[j] {
			table[j][c] = lgamma(float64(c)+a) - lgamma(a) - lgamma(float64(c)+1)
		}
	}
	after := make(predictive.Categorical, len(d))
	var rate float64
	var walk func(j, left int, logp float64)
	walk = func(j, left int, logp float64) {
		set := func(c int) float64 {
			after[j] = (d[j] + float64(c)) / (all + float64(n))
			return logp + table[j][c]
		}
		if j == len(d)-1 {
			rate += float64(math.Exp(set(left)) * p.Unlikely(after, eps))
			return
		}
		for c := 0; c <= left; c++ {
			walk(j+1, left-c, set(c))
		}
	}
	walk(0, n, constant)
	return rate, nil
}

// compositions is the number of ways to write n as an ordered sum of k counts.
func compositions(n, k int) float64 {
	return math.Round(math.Exp(lgamma(float64(n+k)) - lgamma(float64(n)+1) - lgamma(float64(k))))
}

func lgamma(x float64) float64 {
	y, _ := math.Lgamma(x)
	return y
}

// LinearLimit returns the posterior hallucination rate of a posterior about a line at x as ever more pairs are made up,
//
//	2 Φ(−z s / √(s² + 2v)),   z = Φ⁻¹(1 − eps/2), s the noise, v the variance of F·x.
//
// Source: S3-O1 of the project's checklist.
func LinearLimit(b exact.Posterior, x []float64, eps float64) float64 {
	_, v := b.At(x)
	return NormalRate(v, 0, b.Sigma, eps)
}

// NormalRate returns the rate of a normal posterior of variance v about the mean of an answer, with noise s, once w of
// that variance is left:
//
//	2 Φ(−z √(s² + w) / √(s² + 2v − w)),   z = Φ⁻¹(1 − eps/2),   0 <= w <= v, s > 0.
//
// Source: S3-O1 of the project's checklist, with the extended posterior's mean normal of variance v − w around today's.
func NormalRate(v, w, s, eps float64) float64 {
	s2 := s * s
	return 2 * predictive.Phi(-predictive.Z(eps)*math.Sqrt(s2+w)/math.Sqrt(s2+2*v-w))
}

// rateAfter is NormalRate once the query was seen so often, with what that leaves of the variance v.
func rateAfter(v, s, seen, eps float64) float64 {
	w := 0.
	if v > 0 {
		w = 1 / (1/v + seen/(s*s))
	}
	return NormalRate(v, w, s, eps)
}

// LinearAt returns the rate after exactly n made-up pairs,
//
//	2 Φ(−z √(s² + w) / √(s² + 2v − w)),   w what is left of v,
//
// with w = 1/(1/v + n/s²) where the pairs repeat the query. Where their inputs are normal, in one dimension, it is
// the mean of that over the sum of squares of n inputs, chi-squared with n degrees; in more it is an error, for w
// then depends on more than that sum.
func LinearAt(b exact.Posterior, x []float64, n int, eps float64) (float64, error) {
	_, v := b.At(x)
	// seen: Σ of squared inputs in units of the query's
	rate := func(seen float64) float64 { return rateAfter(v, b.Sigma, seen, eps) }
	if b.Repeat || v == 0 || n == 0 {
		return rate(float64(n)), nil
	}
	if b.Dim > 1 {
		return 0, fmt.Errorf("the rate after %d pairs is not computed for inputs in %d dimensions: x=query has "+
			"it, and so has the limit", n, b.Dim)
	}
	// S = x_1² + … + x_n² tells the query's F·x as much as S/x² repeats of the query.
	k := float64(n)
	f := func(u, left float64) float64 { // S = k u/(1−u)
		s := k * u / left
		return math.Exp((k/2-1)*math.Log(s)-s/2-k/2*math.Ln2-lgamma(k/2)) * rate(s/(x[0]*x[0])) * k / (left * left)
	}
	return integrate(f, 1e-10, .25, .5, .75), nil
}

// node is one place of tanh-sinh quadrature on (0, 1): the distances from both ends, and the weight.
type node struct{ left, right, weight float64 }

// nodes are those of a grid whose every second place, from the first on, is one of a grid that is half as fine,
// with half of its weight.
var nodes = func() (all []node) {
	const h, reach = 1. / 8, 36
	for k := -reach; k <= reach; k++ {
		t := float64(k) * h
		u := math.Pi / 2 * math.Sinh(t)
		left, right := 1/(1+math.Exp(-2*u)), 1/(1+math.Exp(2*u))
		all = append(all, node{left, right, h * math.Pi * math.Cosh(t) * float64(left*right)})
	}
	return all
}()

// integrate returns the integral over (0, 1) of f, which takes x and 1 − x, both without loss of digits next to an
// end, where f may grow without bound as long as the integral exists. The interval is cut at the places that are
// given, in any order, and halved where two grids differ by more than the tolerance, at most 24 times.
func integrate(f func(x, y float64) float64, tolerance float64, cuts ...float64) float64 {
	at := places(cuts...)
	var sum float64
	for i := 1; i < len(at); i++ {
		sum += piece(f, at[i-1], at[i], tolerance, 0)
	}
	return sum
}

func piece(f func(x, y float64) float64, a, b, tolerance float64, depth int) float64 {
	var fine, coarse float64
	for i, n := range nodes {
		x, y := a+(b-a)*n.left, (1-b)+(b-a)*n.right
		if v := f(x, y); !math.IsInf(v, 0) && !math.IsNaN(v) { // a place so near an end that it is the end
			v *= n.weight * (b - a)
			fine += v
			if i%2 == 0 {
				coarse += 2 * v
			}
		}
	}
	if depth == 24 || math.Abs(fine-coarse) <= tolerance {
		return fine
	}
	m := (a + b) / 2
	return piece(f, a, m, tolerance, depth+1) + piece(f, m, b, tolerance, depth+1)
}

// places are 0, 1 and the cuts between them, in order and each once.
func places(cuts ...float64) []float64 {
	at := append(slices.DeleteFunc(cuts, func(c float64) bool { return !(c > 0 && c < 1) }), 0, 1)
	slices.Sort(at)
	return slices.Compact(at)
}
