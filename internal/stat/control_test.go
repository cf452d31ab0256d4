package stat

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"hallmark/internal/seed"
)

// The false alarms of the chart for shares, exactly: the chance that the count of a further run falls outside the limits that a baseline of as
// many cases gives, summed over both binomials.
func TestControlShareFalseAlarms(t *testing.T) {
	worst, sum, points := 0., 0., 0.
	for _, n := range []int{30, 100, 200} {
		limits := make([]Control, n+1)
		for k := range limits {
			limits[k], _ = ControlShare(k, n, n, ControlAlpha)
		}
		for _, p := range []float64{.005, .01, .02, .03, .05, .08, .1, .15, .2, .3, .4, .5} {
			chance := make([]float64, n+1)
			for k := range chance {
				chance[k] = distuv.Binomial{N: float64(n), P: p}.Prob(float64(k))
			}
			rate := 0.
			for k, base := range chance {
				for j, further := range chance {
					if limits[k].Beyond(float64(j) / float64(n)) {
						rate += base * further
					}
				}
			}
			t.Logf("n %d, share %.3f: %.5f", n, p, rate)
			worst, sum, points = math.Max(worst, rate), sum+rate, points+1
		}
	}
	if worst > ControlAlpha || sum/points < ControlAlpha/3 {
		t.Errorf("false alarms at %.5f at worst and %.5f on average, of %.5f wanted", worst, sum/points, ControlAlpha)
	}
}

// The false alarms of the chart for means, by simulation.
func TestControlMeanFalseAlarms(t *testing.T) {
	majority := func(p float64) func(u func() float64) float64 { // PC of ten variants with two answers
		return func(u func() float64) float64 {
			k := 0.
			for range 10 {
				if u() < p {
					k++
				}
			}
			return math.Max(k, 10-k) / 10
		}
	}
	rare := func(p, x, rest float64) func(u func() float64) float64 {
		return func(u func() float64) float64 {
			if u() < p {
				return x
			}
			return rest
		}
	}
	const n, draws = 100, 1500
	for _, c := range []struct {
		name string
		x    func(u func() float64) float64
		most float64
	}{
		{"PC of ten even coins", majority(.5), ControlAlpha}, {"PC of ten coins of .95", majority(.95), ControlAlpha}, {"3 % at .5, else 1", rare(.03, .5, 1), ControlAlpha},
		{"2 % at .1, else 1", rare(.02, .1, 1), .009}, {"half .2, half 1", rare(.5, .2, 1), ControlAlpha}, {"uniform", func(u func() float64) float64 { return u() }, ControlAlpha},
	} {
		stream := seed.Stream(1, "control", c.name)
		outside := 0
		base := make([]float64, n)
		for range draws {
			mean := 0.
			for i := range base {
				base[i] = c.x(stream.Float64)
				mean += c.x(stream.Float64) / n
			}
			limits, _ := ControlMean(base, n, ControlAlpha)
			if limits.Beyond(mean) {
				outside++
			}
		}
		rate := float64(outside) / draws
		t.Logf("%-24s %.4f", c.name, rate)
		if rate > c.most+3*math.Sqrt(c.most/draws) {
			t.Errorf("%s: false alarms at %.4f", c.name, rate)
		}
	}
}

// A fall that matters is found: twenty points of a share at 100 cases, and .15 of a stability.
func TestControlFinds(t *testing.T) {
	if limits, ok := ControlShare(20, 100, 100, ControlAlpha); !ok || !limits.Beyond(.45) || limits.Beyond(.3) {
		t.Errorf("20 of 100: %+v", limits)
	}
	if limits, ok := ControlShare(0, 100, 100, ControlAlpha); !ok || limits.Lo != 0 || limits.Hi != .07 {
		t.Errorf("0 of 100: %+v", limits)
	}
	if limits, ok := ControlShare(100, 100, 50, ControlAlpha); !ok || limits.Hi != 1 || limits.Lo > .95 || limits.Lo < .8 {
		t.Errorf("100 of 100: %+v", limits)
	}
	ones := make([]float64, 100)
	for i := range ones {
		ones[i] = 1
	}
	if limits, ok := ControlMean(ones, 100, ControlAlpha); !ok || limits.Hi != 1 || !limits.Beyond(.85) || limits.Beyond(.99) {
		t.Errorf("ones: %+v", limits)
	}
	if _, ok := ControlMean(nil, 10, ControlAlpha); ok {
		t.Error("limits of nothing")
	}
	if _, ok := ControlShare(0, 0, 10, ControlAlpha); ok {
		t.Error("limits of nothing")
	}
}
