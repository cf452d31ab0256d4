package stat

import (
	"math"
	"testing"

	"hallmark/internal/archtest"
	"hallmark/internal/base/seed"
)

// TestDetectableAt: the difference has the power that was asked for, and a smaller one has not. By hand: with 6 cases
// McNemar's test rejects only where all 6 go one way (2/64 = .031; of 5, 2/32 = .063), so the power of a difference d,
// with nothing the other way, is d^6, and .8^(1/6) = .963491.
func TestDetectableAt(t *testing.T) {
	if d, ok := DetectableAt(6, 0, .95, .8); !ok || math.Abs(d-math.Pow(.8, 1./6)) > 1e-8 {
		t.Errorf("6 cases: %v, %v, want .963491", d, ok)
	}
	for _, n := range []int{0, 1, 5} {
		if d, ok := DetectableAt(n, .5, .95, .8); ok {
			t.Errorf("%d cases find %v", n, d)
		}
	}
	for _, n := range []int{20, 100, 688, 5000} {
		for _, psi := range []float64{0, .05, .2, .6, 1} {
			d, ok := DetectableAt(n, psi, .95, .8)
			if !ok {
				t.Errorf("%d, %v: nothing is found", n, psi)
				continue
			}
			share := max(psi, d)
			if p := pairedPower((share+d)/2, (share-d)/2, n, .95); math.Abs(p-.8) > 1e-6 {
				t.Errorf("%d, %v: %v has power %v", n, psi, d, p)
			}
			// Connor's normal formula, Biometrics 43 (1987) 207-211, is the limit.
			z, zb := Z(.95), normalQuantile(.8)
			connor := z*math.Sqrt(share) + zb*math.Sqrt(max(0, share-d*d))
			if want := connor / math.Sqrt(float64(n)); n >= 688 && psi >= .2 && math.Abs(d/want-1) > .04 {
				t.Errorf("%d, %v: %v, by the normal formula %v", n, psi, d, want)
			}
		}
	}
}

// TestDetectableSimulated: of runs that differ by what is called detectable, Paired finds four in five, and of runs
// that differ by half of it not even half. The band is of four times the Monte Carlo error, which is .009 of the 2,000
// draws of HALLMARK_LONG=1: a share that is .036 off is refused, and with the fewer draws one that is .08 off.
func TestDetectableSimulated(t *testing.T) {
	draws := archtest.Draws(100, 2000, 2000)
	band := 4 * math.Sqrt(.8*.2/float64(draws))
	for _, c := range []struct {
		n   int
		psi float64
	}{{50, .3}, {100, .1}, {300, .2}, {300, .02}} {
		d, ok := DetectableAt(c.n, c.psi, .95, .8)
		if !ok {
			t.Fatalf("%+v: nothing is found", c)
		}
		found := func(d float64) float64 {
			r := seed.Stream(1, "detectable", string(rune(c.n)), string(rune(int(1000*c.psi))))
			psi, hits := max(c.psi, d), 0
			for range draws {
				base, other := make([]float64, c.n), make([]float64, c.n)
				for i := range base {
					switch u := r.Float64(); {
					case u < (psi+d)/2:
						base[i] = 1
					case u < psi:
						other[i] = 1
					case u < psi+(1-psi)/3:
						base[i], other[i] = 1, 1
					}
				}
				if e := Paired(base, other, nil, .95); e.Hi < 0 {
					hits++
				}
			}
			return float64(hits) / float64(draws)
		}
		if got := found(d); math.Abs(got-.8) > band {
			t.Errorf("%+v: %.3f of the runs that differ by %.4f are found, want .8", c, got, d)
		}
		if got := found(d / 2); got > .5 {
			t.Errorf("%+v: %.3f of the runs that differ by half of %.4f are found", c, got, d)
		}
	}
}

// TestSizeThreshold: by hand, none of n is below .05 by Wilson's interval where n >= z²(1-t)/t = 72.99 (3.8415 · 19).
// With the size the interval excludes the threshold as often as it says, and below it less often.
func TestSizeThreshold(t *testing.T) {
	if s, ok := SizeThreshold(0, .05, .95, .8); !ok || s.N != 73 || s.Power != 1 {
		t.Errorf("none of them, .05: %+v, %v, want 73", s, ok)
	}
	for _, c := range [][2]float64{{.05, .05}, {.2, 0}, {.2, 1}, {0, 0}, {.3, .3001}} {
		if s, ok := SizeThreshold(c[0], c[1], .95, .8); ok {
			t.Errorf("%v: %+v, and nothing decides it", c, s)
		}
	}
	decided := func(rate, threshold float64, n int) (p float64) {
		for k := range n + 1 {
			w := Wilson(k, n, .95)
			if rate < threshold && w.Hi <= threshold || rate > threshold && w.Lo >= threshold {
				p += binomialPMF(k, n, rate)
			}
		}
		return p
	}
	for _, c := range [][2]float64{{.02, .05}, {.1, .05}, {.25, .3}, {.9, .95}, {1, .9}, {.5, .4}} {
		s, ok := SizeThreshold(c[0], c[1], .95, .8)
		if !ok {
			t.Fatalf("%v: nothing decides it", c)
		}
		if p := decided(c[0], c[1], s.N); math.Abs(p-s.Power) > 1e-9 || p < .8 {
			t.Errorf("%v: %+v, but Wilson's interval decides with %v", c, s, p)
		}
		least := 1. // power moves in a saw-tooth: a size decides where the next 20 do too
		for n := max(1, s.N-20); n < s.N; n++ {
			least = min(least, decided(c[0], c[1], n))
		}
		if least >= .8 {
			t.Errorf("%v: the 20 sizes below %d decide already", c, s.N)
		}
	}
}
