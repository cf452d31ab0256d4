package predictive

import (
	"fmt"
	"math"
	"math/rand/v2"
)

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
		panic(fmt.Sprintf("predictive: %d bins of %g from %g on, and %d of %g from %g", len(b.P), b.Width, b.Lo,
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
