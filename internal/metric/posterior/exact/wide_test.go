package exact

import (
	"math"
	"math/rand/v2"
	"strconv"
	"testing"
)

// Simulation of the definition: the covariance of networks with many units. One unit's products have a standard
// deviation of at most about 4, so that 400,000 units leave .007; four of these are allowed.
func TestWideKernelIsTheNetworks(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	const units = 400_000
	points := [][2]float64{{0, 0}, {1, 1}, {-2, 2}, {.5, -.3}, {2, 1.5}}
	sums := make([]float64, len(points))
	for range units {
		w, b := r.NormFloat64(), r.NormFloat64()
		for i, p := range points {
			sums[i] += max(0, w*p[0]+b) * max(0, w*p[1]+b) / units
		}
	}
	for i, p := range points {
		if got := (Wide{}).Kernel(p[0], p[1]); math.Abs(got-sums[i]) > .03 {
			t.Errorf("kernel at %v is %g, simulated %g", p, got, sums[i])
		}
	}
	if got := (Wide{}).Kernel(2, 2); math.Abs(got-2.5) > 1e-12 {
		t.Errorf("kernel at (2, 2) is %g, want 2.5", got)
	}
}

// By hand: one pair at the query leaves v − v²/(v + s²) of the variance v, and the mean y v/(v + s²).
func TestWideByHand(t *testing.T) {
	c, err := Wide{Sigma: .1}.Learn([]Pair{{"1", ".7"}})
	if err != nil {
		t.Fatal(err)
	}
	m, v := c.At(1)
	if want := .7 / 1.01; math.Abs(m-want) > 1e-12 {
		t.Errorf("mean %g, want %g", m, want)
	}
	if want := 1 - 1/1.01; math.Abs(v-want) > 1e-12 {
		t.Errorf("variance %g, want %g", v, want)
	}
	if _, err := (Wide{}).Learn([]Pair{{"1", "x"}}); err == nil {
		t.Error("a label that is no number: no error")
	}
}

// The order of the pairs does not matter, and where the truth is drawn from the posterior's own prior the posterior is
// calibrated: the squared standard scores of new answers average 1.
func TestWideIsExchangeableAndCalibrated(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	var scores float64
	const functions = 150
	for range functions {
		const units = 300
		var w, b, a [units]float64
		for j := range units {
			w[j], b[j], a[j] = r.NormFloat64(), r.NormFloat64(), r.NormFloat64()/math.Sqrt(units)
		}
		draw := func() (x, y float64) {
			x = 4*r.Float64() - 2
			for j := range units {
				y += a[j] * max(0, w[j]*x+b[j])
			}
			return x, y + .1*r.NormFloat64()
		}
		var pairs []Pair
		for range 12 {
			x, y := draw()
			pairs = append(pairs, Pair{strconv.FormatFloat(x, 'g', -1, 64), strconv.FormatFloat(y, 'g', -1, 64)})
		}
		c, err := Wide{Sigma: .1}.Learn(pairs)
		if err != nil {
			t.Fatal(err)
		}
		x, y := draw()
		p := c.Predict(x)
		scores += (y - p.Mean) * (y - p.Mean) / p.Variance / functions
		r.Shuffle(len(pairs), func(i, j int) { pairs[i], pairs[j] = pairs[j], pairs[i] })
		d, _ := Wide{Sigma: .1}.Learn(pairs)
		if q := d.Predict(x); math.Abs(q.Mean-p.Mean) > 1e-6 || math.Abs(q.Variance-p.Variance) > 1e-8 {
			t.Fatalf("in another order: %v, want %v", q, p)
		}
	}
	if sd := math.Sqrt(2. / functions); math.Abs(scores-1) > 4*sd {
		t.Errorf("squared standard scores average %g, want 1 within %g", scores, 4*sd)
	}
}

// An extension leaves the posterior as it was, and knows more.
func TestWideExtend(t *testing.T) {
	c, err := Wide{Sigma: .1}.Learn([]Pair{{"0", "0"}, {"1", ".5"}})
	if err != nil {
		t.Fatal(err)
	}
	before := c.Predict(.3)
	r := rand.New(rand.NewPCG(3, 3))
	one, two := c.Extend(20, .3, r), c.Extend(20, .3, r)
	if c.Predict(.3) != before {
		t.Error("the belief changed")
	}
	if one.Predict(.3) == two.Predict(.3) {
		t.Error("two extensions are one")
	}
	if _, v := one.At(.3); v > .5*(before.Variance-.01) {
		t.Errorf("after 20 pairs the variance is %g, before %g", v, before.Variance-.01)
	}
	c.Repeat = true
	_, v := c.At(.3)
	_, after := c.Extend(5, .3, r).At(.3)
	if want := 1 / (1/v + 5/.01); math.Abs(after-want) > 1e-9 {
		t.Errorf("after 5 repeats the variance is %g, want %g", after, want)
	}
}
