package posterior

import (
	"math"
	"math/rand/v2"
	"testing"

	"hallmark/internal/archtest"
	"hallmark/internal/base/seed"
	"hallmark/internal/metric/posterior/exact"
	"hallmark/internal/metric/posterior/predictive"
)

// A posterior with F·x ~ N(.3, .4) at x = 1 and noise .5.
func line() exact.Posterior {
	return exact.Posterior{Linear: exact.Linear{Dim: 1, Sigma: .5, Repeat: true}, Mean: []float64{.3},
		Covariance: [][]float64{{.4}}}
}

// Values: S3-O1 of the checklist, and section D of the design's measured page (finite pairs), which a Monte Carlo run
// agreed with.
func TestLineHasTheKnownRates(t *testing.T) {
	b, x := line(), []float64{1}
	archtest.IsNear(t, "limit", LinearLimit(b, x, .05), .33889, 5e-6)
	for n, want := range map[int]float64{5: .28888, 20: .32464, 100: .33593, 1000: .33859} {
		got, err := LinearAt(b, x, n, .05)
		if err != nil {
			t.Fatal(err)
		}
		archtest.IsNear(t, "at", got, want, 5e-6)
	}
	// The true rate at f = 1.1: mass of N(.3, .25 + .4) outside 1.1 ± z/2.
	f := predictive.Normal{Mean: 1.1, Variance: .25}
	archtest.IsNear(t, "true rate", b.Predict(x).Unlikely(f, .05), .42530, 5e-6)
}

func TestNormalInputsGiveTheMeanOverTheirSquares(t *testing.T) {
	b := line()
	b.Repeat = false
	x := []float64{1.5}
	r := seed.Stream(1, "test")
	for _, n := range []int{1, 2, 5, 50} {
		got, err := LinearAt(b, x, n, .05)
		if err != nil {
			t.Fatal(err)
		}
		const m = 20000
		var sum, squares float64
		for range m {
			h := b.Predict(x).Unlikely(b.Extend(n, x, r).Predict(x), .05)
			sum += h
			squares += h * h
		}
		mean := sum / m
		archtest.IsNear(t, "simulated", got, mean, 4*math.Sqrt((squares/m-mean*mean)/m))
	}
	b.Dim = 2
	if _, err := LinearAt(b, x, 5, .05); err == nil {
		t.Error("two dimensions were computed")
	}
}

// Values: section D of the design's measured page: quadrature by another substitution, and the exact sum.
func TestCoinHasTheKnownRates(t *testing.T) {
	for _, c := range []struct {
		a, b, eps, limit float64
		at               map[int]float64
	}{
		{1.5, 2.5, .75, .44695, map[int]float64{5: .35046, 100: .44616, 10000: .44694}},
		{8, 1, .05, .03740, map[int]float64{5: 0, 100: .03607, 10000: .03738}},
		{4.5, .5, .05, .04914, map[int]float64{5: 0, 100: .04754, 10000: .04912}},
	} {
		d := exact.Dirichlet{c.b, c.a}
		got, err := DirichletLimit(d, c.eps)
		if err != nil {
			t.Fatal(err)
		}
		archtest.IsNear(t, "limit", got, c.limit, 6e-6)
		for n, want := range c.at {
			if got, err = DirichletAt(d, n, c.eps); err != nil {
				t.Fatal(err)
			}
			archtest.IsNear(t, "at", got, want, 6e-6)
		}
	}
}

// The limit of three and four labels agrees with draws from the posterior, and with the exact sum after many pairs.
func TestLimitOfMoreLabelsAgreesWithDraws(t *testing.T) {
	r := seed.Stream(1, "test", "limit")
	for _, c := range []struct {
		d   exact.Dirichlet
		eps float64
	}{
		{exact.Dirichlet{1, 1, 1}, .05}, {exact.Dirichlet{1, 1, 1}, .75}, {exact.Dirichlet{.3, 2, 5}, .2},
		{exact.Dirichlet{.1, .1, .1}, .3},
		{exact.Dirichlet{.5, 1, 2, 4}, .5}, {exact.Dirichlet{3, .2, .2, .2}, .1},
	}[:archtest.Draws(5, 6, 6)] {
		got, err := DirichletLimit(c.d, c.eps)
		if err != nil {
			t.Fatal(err)
		}
		p := c.d.Predict()
		const m = 40_000
		var sum, squares float64
		for range m {
			h := p.Unlikely(draw(c.d, r), c.eps)
			sum += h
			squares += h * h
		}
		mean := sum / m
		archtest.IsNear(t, "simulated", got, mean, 4*math.Sqrt(max(0, squares/m-mean*mean)/m)+1e-7)
	}
	got, err := DirichletAt(exact.Dirichlet{1, 1, 1}, 2000, .2)
	if err != nil {
		t.Fatal(err)
	}
	limit, err := DirichletLimit(exact.Dirichlet{1, 1, 1}, .2)
	if err != nil {
		t.Fatal(err)
	}
	archtest.IsNear(t, "after 2000 pairs", got, limit, 2e-3)
	if _, err := DirichletLimit(exact.Dirichlet{1, 1, 1, 1, 1}, .05); err == nil {
		t.Error("five labels were computed")
	}
	if _, err := DirichletAt(exact.Dirichlet{1, 1, 1, 1}, 1000, .05); err == nil {
		t.Error("over ten million terms were summed")
	}
}

// draw is a draw from a Dirichlet by Marsaglia and Tsang's gamma variates.
func draw(d exact.Dirichlet, r *rand.Rand) predictive.Categorical {
	out := make(predictive.Categorical, len(d))
	var sum float64
	for i, a := range d {
		boost := 1.
		if a < 1 {
			boost, a = math.Pow(r.Float64(), 1/a), a+1
		}
		e := a - 1./3
		c := 1 / math.Sqrt(9*e)
		for {
			x := r.NormFloat64()
			v := 1 + c*x
			if v <= 0 {
				continue
			}
			v = v * v * v
			if math.Log(1-r.Float64()) < x*x/2+e-e*v+e*math.Log(v) {
				out[i] = e * v * boost
				break
			}
		}
		sum += out[i]
	}
	for i := range out {
		out[i] /= sum
	}
	return out
}
