package posterior

import (
	"gonum.org/v1/gonum/mathext"
	"gonum.org/v1/gonum/stat/distuv"

	"hallmark/internal/metric/posterior/predictive"
)

// drawn returns the mean and the variance that a chain's rate has by the source's Algorithm 2 over its own 2K draws,
// without drawing: the quantile is the j-th smallest of K draws, j = ⌈eps K⌉, below which lies a mass U under then that
// is Beta(j, K+1−j), and the rate is a share of K draws with the chance h(U) = now.Unlikely(then, U),
//
//	mean = E h(U),  variance = Var h(U) + E h(U)(1 − h(U))/K.
//
// For labels h is a step function and the sums over its steps are exact; for a normal they are taken at the 200
// midpoints of U's quantiles.
func drawn[P Distribution[P]](now, then P, eps float64, k int) (mean, variance float64) {
	j := rank(eps, k)
	var square float64
	add := func(weight, h float64) {
		mean += weight * h
		square += weight * (h*h + h*(1-h)/float64(k))
	}
	a, b := float64(j), float64(k+1-j)
	n, ok := any(now).(predictive.Categorical)
	if !ok {
		const steps = 200
		u := distuv.Beta{Alpha: a, Beta: b}
		for i := range steps {
			add(1./steps, now.Unlikely(then, u.Quantile((float64(i)+.5)/steps)))
		}
		return mean, max(0, square-mean*mean)
	}
	q := any(then).(predictive.Categorical)
	place := predictive.Ascending(q)
	var below, mass, reached float64 // under then, under now, and the chance that U lies below
	for i := 0; i < len(place); {
		l := i
		here := 0.
		for ; l < len(place) && q[place[l]] == q[place[i]]; l++ {
			below += q[place[l]]
			here += n[place[l]]
		}
		upTo := 1.
		if l < len(place) && below < 1 {
			upTo = mathext.RegIncBeta(a, b, max(0, below))
		}
		add(upTo-reached, min(1, mass))
		mass, reached, i = mass+here, upTo, l
	}
	return mean, max(0, square-mean*mean)
}
