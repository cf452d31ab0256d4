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

// A Binned is the distribution of a real answer as steps: bins of one width from Lo on, each with its probability,
// which lies evenly in it (a Riemann distribution). It has no tails: an answer outside counts as one in the bin at
// that end. The probabilities sum to 1.
type Binned struct {
	Lo, Width float64 // Width > 0
	P         []float64
}

// bin is the index of the bin of y.
func (b Binned) bin(y float64) int {
	return max(0, min(len(b.P)-1, int(math.Floor((y-b.Lo)/b.Width))))
}

// Draw returns an answer: a bin by its probability, and a place in it evenly.
func (b Binned) Draw(r *rand.Rand) float64 {
	return b.Lo + b.Width*(Categorical(b.P).Draw(r)+r.Float64())
}

// LogP returns the log-density at y in nats, the same all over a bin.
func (b Binned) LogP(y float64) float64 { return math.Log(b.P[b.bin(y)] / b.Width) }

// Entropy returns the differential entropy −Σ p ln(p/width) in nats, which may be negative.
func (b Binned) Entropy() float64 { return Categorical(b.P).Entropy() + math.Log(b.Width) }

// Mean returns the mean.
func (b Binned) Mean() float64 {
	var m float64
	for i, p := range b.P {
		m += float64(p * (float64(i) + .5))
	}
	return b.Lo + b.Width*m
}

// Below returns the probability of answers below y, in [0, 1]; that of a bin counts in proportion to the part of it
// that lies below.
func (b Binned) Below(y float64) float64 {
	at := (y - b.Lo) / b.Width
	var sum float64
	for i, p := range b.P {
		part := at - float64(i)
		if part <= 0 {
			break
		}
		sum += float64(p * min(1, part))
	}
	return min(1, sum)
}

// Outside returns the probability of answers below lo or above hi, for lo <= hi; in [0, 1].
func (b Binned) Outside(lo, hi float64) float64 {
	return min(1, max(0, 1-b.Below(hi)+b.Below(lo)))
}

// Quantile returns the y with Below(y) = p, for p in [0, 1].
func (b Binned) Quantile(p float64) float64 {
	var sum float64
	for i, q := range b.P {
		if q > 0 && sum+q >= p {
			return b.Lo + b.Width*(float64(i)+(p-sum)/q)
		}
		sum += q
	}
	return b.Lo + b.Width*float64(len(b.P))
}

// Unlikely returns the mass that b puts on answers that are not (1−eps)-likely under q, which has the same bins;
// see Rates.
func (b Binned) Unlikely(q Binned, eps float64) float64 { return b.Rates(q, []float64{eps})[0] }

// Rates returns Unlikely for several eps, each in (0, 1). Of the answers by rising density under q the first that
// together have the mass eps are unlikely. A density of steps has many answers of the same density, and the
// quantile falls among them: of these bins the part counts that makes up eps, so that for narrow bins the rate is
// that of the density behind the steps. (A strict comparison would leave all of them out, and with them up to two
// bins' mass.) Each rate is in [0, 1]. It panics where the bins differ. Source: as Categorical.Unlikely.
func (b Binned) Rates(q Binned, eps []float64) []float64 {
	if len(b.P) != len(q.P) || b.Lo != q.Lo || b.Width != q.Width {
		panic(fmt.Sprintf("predictive: %d bins of %v from %v on, and %d of %v from %v", len(b.P), b.Width, b.Lo,
			len(q.P), q.Width, q.Lo))
	}
	order := Ascending(q.P)
	rates := make([]float64, len(eps))
	for k, e := range eps {
		var below, mass float64
		for i := 0; i < len(order); {
			j, level, own := i, 0., 0.
			for ; j < len(order) && q.P[order[j]] == q.P[order[i]]; j++ {
				level += q.P[order[j]]
				own += b.P[order[j]]
			}
			if below+level >= e {
				mass += float64(own * ((e - below) / level))
				break
			}
			below, mass, i = below+level, mass+own, j
		}
		rates[k] = min(1, max(0, mass))
	}
	return rates
}
