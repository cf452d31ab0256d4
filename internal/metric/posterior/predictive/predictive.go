// Package predictive holds distributions of the next answer, as a model with a context gives them: over labels, or
// normal. What the posterior hallucination rate needs of one stands here: draws, log-probabilities, entropy, and the
// part of one distribution that another calls unlikely.
package predictive

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// A Categorical gives the probability of each label; the probabilities sum to 1. A model whose answers are not all
// labels has one more member at the end for all else, which is taken for one label.
type Categorical []float64

// A Normal is the distribution of a real answer.
type Normal struct {
	Mean, Variance float64 // Variance > 0
}

// Draw returns the index of a label.
func (c Categorical) Draw(r *rand.Rand) float64 {
	x := r.Float64()
	for i, p := range c {
		if x -= p; x < 0 {
			return float64(i)
		}
	}
	for i := len(c) - 1; i >= 0; i-- { // rounding left a sum just below 1
		if c[i] > 0 {
			return float64(i)
		}
	}
	panic("predictive: a distribution without mass")
}

// LogP returns the log-probability of the label with index y, in nats; -Inf where it has none.
func (c Categorical) LogP(y float64) float64 { return math.Log(c[int(y)]) }

// Entropy returns −Σ p ln p in nats, in [0, ln n]. Labels of probability 0 add nothing.
func (c Categorical) Entropy() float64 {
	var h float64
	for _, p := range c {
		if p > 0 {
			h -= float64(p * math.Log(p))
		}
	}
	return h
}

// Ascending returns the places of probabilities, the least likely first; equal ones in their order.
func Ascending(p []float64) []int {
	order := make([]int, len(p))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case p[a] < p[b]:
			return -1
		case p[a] > p[b]:
			return 1
		}
		return 0
	})
	return order
}

// Unlikely returns the mass that c puts on answers that are not (1−eps)-likely under q, a distribution over the
// same labels:
//
//	Σ c_l over the labels l with Σ {q_j : q_j <= q_l} < eps
//
// in [0, 1]. That is the exact form of the rule "log q(y) below the eps-quantile of log q(Y), Y from q", with the
// quantile as the inverse of the distribution function and a strict comparison, so that labels of equal probability
// stay together. With two labels it is 0 unless the rarer has less than eps. It panics where the lengths differ.
// Source: the posterior hallucination rate's equations 5 to 8.
func (c Categorical) Unlikely(q Categorical, eps float64) float64 {
	if len(c) != len(q) {
		panic(fmt.Sprintf("predictive: %d and %d labels", len(c), len(q)))
	}
	order := Ascending(q)
	var below, mass float64
	for i := 0; i < len(order); {
		j := i
		for ; j < len(order) && q[order[j]] == q[order[i]]; j++ {
			below += q[order[j]]
		}
		if below >= eps*(1-1e-12) { // sums of tenths reach a tenth
			break
		}
		for ; i < j; i++ {
			mass += c[order[i]]
		}
	}
	return min(1, mass)
}

// Draw returns an answer.
func (n Normal) Draw(r *rand.Rand) float64 { return n.Mean + r.NormFloat64()*math.Sqrt(n.Variance) }

// LogP returns the log-density at y, in nats.
func (n Normal) LogP(y float64) float64 {
	d := y - n.Mean
	return -(float64(d*d)/n.Variance + math.Log(2*math.Pi*n.Variance)) / 2
}

// Entropy returns the differential entropy ½ ln(2πe·variance) in nats, which may be negative.
func (n Normal) Entropy() float64 { return math.Log(2*math.Pi*math.E*n.Variance) / 2 }

// Unlikely returns the mass that n puts outside the central interval of q that holds 1−eps:
//
//	Φ((m' − z s' − m)/s) + 1 − Φ((m' + z s' − m)/s),   z = Φ⁻¹(1 − eps/2)
//
// with m, s of n and m', s' of q; in [0, 1]. Source: as Categorical.Unlikely.
func (n Normal) Unlikely(q Normal, eps float64) float64 {
	half, sd := Z(eps)*math.Sqrt(q.Variance), math.Sqrt(n.Variance)
	return Phi((q.Mean-half-n.Mean)/sd) + Phi((n.Mean-q.Mean-half)/sd)
}

// Phi is the standard normal distribution function.
func Phi(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }

// Z returns the z with 2 Φ(−z) = eps, for eps in (0, 1).
func Z(eps float64) float64 { return -distuv.UnitNormal.Quantile(eps / 2) }
