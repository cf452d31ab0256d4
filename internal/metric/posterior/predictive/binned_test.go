package predictive

import (
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

// binned is a normal distribution in bins.
func binned(n Normal, lo, width float64, bins int) Binned {
	b := Binned{lo, width, make([]float64, bins)}
	sd, sum := math.Sqrt(n.Variance), 0.
	for i := range b.P {
		at := lo + width*float64(i)
		b.P[i] = Phi((at+width-n.Mean)/sd) - Phi((at-n.Mean)/sd)
		sum += b.P[i]
	}
	for i := range b.P {
		b.P[i] /= sum
	}
	return b
}

// In narrow bins a normal distribution gives what the closed forms of Normal do.
func TestBinnedAgainstNormal(t *testing.T) {
	for _, tt := range []struct{ now, then Normal }{
		{Normal{.2, .25}, Normal{-.1, .04}}, {Normal{0, 1}, Normal{0, 1}}, {Normal{1, .09}, Normal{-1, .01}},
	} {
		now, then := binned(tt.now, -5, 1./64, 640), binned(tt.then, -5, 1./64, 640)
		for _, eps := range []float64{.02, .05, .2, .5} {
			if got, want := now.Unlikely(then, eps), tt.now.Unlikely(tt.then, eps); math.Abs(got-want) > 4e-3 {
				t.Errorf("%v, %v, eps %g: %g, want %g", tt.now, tt.then, eps, got, want)
			}
		}
		if got, want := now.Entropy(), tt.now.Entropy(); math.Abs(got-want) > 1e-3 {
			t.Errorf("entropy %g, want %g", got, want)
		}
		if got, want := now.LogP(.3), tt.now.LogP(.3); math.Abs(got-want) > .1 {
			t.Errorf("log-density %g, want about %g", got, want)
		}
		sd := math.Sqrt(tt.now.Variance)
		if got, want := now.Outside(-.4, .9), Phi((-.4-tt.now.Mean)/sd)+
			1-Phi((.9-tt.now.Mean)/sd); math.Abs(got-want) > 1e-4 {
			t.Errorf("outside %g, want %g", got, want)
		}
		if got, want := now.Quantile(.975), tt.now.Mean+1.959964*sd; math.Abs(got-want) > 1e-2 {
			t.Errorf("quantile %g, want %g", got, want)
		}
		if got := now.Mean(); math.Abs(got-tt.now.Mean) > 1e-3 {
			t.Errorf("mean %g, want %g", got, tt.now.Mean)
		}
	}
}

// By hand: four bins of .1, .2, .3, .4.
func TestBinnedByHand(t *testing.T) {
	q := Binned{0, 1, []float64{.1, .2, .3, .4}}
	now := Binned{0, 1, []float64{.4, .3, .2, .1}}
	for _, tt := range []struct{ eps, want float64 }{{.1, .4}, {.05, .2}, {.2, .4 + .15}, {.3, .7}, {.6, .9}, {.8, .95}} {
		if got := now.Unlikely(q, tt.eps); math.Abs(got-tt.want) > 1e-12 {
			t.Errorf("eps %g: %g, want %g", tt.eps, got, tt.want)
		}
	}
	even := Binned{0, 1, []float64{.25, .25, .25, .25}}
	if got := now.Unlikely(even, .3); math.Abs(got-.3) > 1e-12 {
		t.Errorf("of one density: %g, want .3", got)
	}
	if got := q.Below(2.5); math.Abs(got-.45) > 1e-12 {
		t.Errorf("below 2.5: %g, want .45", got)
	}
	if q.LogP(-9) != math.Log(.1) || q.LogP(99) != math.Log(.4) {
		t.Error("an answer outside is not that of the bin at the end")
	}
}

func TestBinnedProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 40).Draw(t, "bins")
		draw := func(name string) Binned {
			r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, name), 1))
			b, sum := Binned{-1, .25, make([]float64, n)}, 0.
			for i := range b.P {
				b.P[i] = math.Round(5*r.Float64()) / 5 // with ties and zeros
				sum += b.P[i]
			}
			if sum == 0 {
				b.P[0], sum = 1, 1
			}
			for i := range b.P {
				b.P[i] /= sum
			}
			return b
		}
		p, q := draw("p"), draw("q")
		eps := []float64{.01, .05, .3, .75, .99}
		last := 0.
		for k, rate := range p.Rates(q, eps) {
			if !(rate >= last-1e-12 && rate <= 1) {
				t.Fatalf("rates of %v against %v do not rise within [0, 1]: %v at eps %v", p, q, rate, eps[k])
			}
			last = rate
		}
		for k, rate := range p.Rates(p, eps) {
			if math.Abs(rate-eps[k]) > 1e-9 {
				t.Fatalf("%v against itself: %g, want %g", p, rate, eps[k])
			}
		}
		u := rapid.Float64Range(0, 1).Draw(t, "u")
		if got := p.Below(p.Quantile(u)); math.Abs(got-u) > 1e-9 {
			t.Fatalf("below the %g quantile of %v lies %g", u, p, got)
		}
	})
}

func TestBinnedDraw(t *testing.T) {
	b := binned(Normal{.5, .09}, -5, .03125, 320)
	r := rand.New(rand.NewPCG(1, 2))
	const n = 20000
	var sum, squares float64
	for range n {
		y := b.Draw(r)
		sum += y
		squares += y * y
	}
	mean := sum / n
	if math.Abs(mean-.5) > 4*.3/math.Sqrt(n) || math.Abs(squares/n-mean*mean-.09) > .004 {
		t.Errorf("draws have mean %g and variance %g, want .5 and .09", mean, squares/n-mean*mean)
	}
}
