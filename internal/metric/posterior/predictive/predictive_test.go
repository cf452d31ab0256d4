package predictive

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"hallmark/internal/base/seed"
)

// The mass that is unlikely under a distribution itself is below eps, and all labels of it together are not.
func TestUnlikelyUnderItselfIsBelowEps(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		weights := rapid.SliceOfN(rapid.Float64Range(0, 1), 2, 8).Draw(t, "weights")
		var sum float64
		for _, w := range weights {
			sum += w
		}
		if sum == 0 {
			t.Skip("no mass")
		}
		c := make(Categorical, len(weights))
		for i, w := range weights {
			c[i] = w / sum
		}
		eps := rapid.Float64Range(.01, .99).Draw(t, "eps")
		if u := c.Unlikely(c, eps); u >= eps || u < 0 {
			t.Fatalf("%v: %g is unlikely at %g", c, u, eps)
		}
	})
	n := Normal{1, 4}
	if u := n.Unlikely(n, .05); math.Abs(u-.05) > 1e-12 {
		t.Errorf("a normal finds %g of itself unlikely, want .05", u)
	}
}

// Draws have the probabilities and the mean log-probability that they should.
func TestDrawsAreTheDistribution(t *testing.T) {
	r := seed.Stream(1, "test")
	c, n := Categorical{.1, 0, .6, .3}, Normal{-1, .25}
	const m = 20000
	counts := make([]float64, len(c))
	var labels, reals float64
	for range m {
		y := c.Draw(r)
		counts[int(y)]++
		labels -= c.LogP(y) / m
		reals -= n.LogP(n.Draw(r)) / m
	}
	for i, p := range c {
		if math.Abs(counts[i]/m-p) > 4*math.Sqrt(p*(1-p)/m) {
			t.Errorf("label %d drawn %g times of %d, want a share of %g", i, counts[i], m, p)
		}
	}
	if math.Abs(labels-c.Entropy()) > .03 || math.Abs(reals-n.Entropy()) > .03 {
		t.Errorf("mean surprise %g and %g, entropies %g and %g", labels, reals, c.Entropy(), n.Entropy())
	}
}
