package stat

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"hallmark/internal/archtest"
	"hallmark/internal/base/seed"
)

// The false alarms of the chart for shares, exactly: the chance that the count of a further run falls outside the
// limits that a baseline of as many cases gives, summed over both binomials.
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
	const n = 100
	draws := archtest.Draws(300, 1500, 1500)
	for _, c := range []struct {
		name string
		x    func(u func() float64) float64
		most float64
	}{
		{"PC of ten even coins", majority(.5), ControlAlpha}, {"PC of ten coins of .95", majority(.95), ControlAlpha},
		{"3 % at .5, else 1", rare(.03, .5, 1), ControlAlpha},
		{"2 % at .1, else 1", rare(.02, .1, 1), .009}, {"half .2, half 1", rare(.5, .2, 1), ControlAlpha},
		{"uniform", func(u func() float64) float64 {
			return u()
		}, ControlAlpha},
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
			limits, _ := ControlMeanByCluster(base, nil, ControlAlpha)
			if limits.Beyond(mean) {
				outside++
			}
		}
		rate := float64(outside) / float64(draws)
		t.Logf("%-24s %.4f", c.name, rate)
		if rate > c.most+3*math.Sqrt(c.most/float64(draws)) {
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
	if limits, ok := ControlMeanByCluster(ones, nil, ControlAlpha); !ok || limits.Hi != 1 || !limits.Beyond(.85) ||
		limits.Beyond(.99) {
		t.Errorf("ones: %+v", limits)
	}
	if _, ok := ControlMeanByCluster(nil, nil, ControlAlpha); ok {
		t.Error("limits of nothing")
	}
	if _, ok := ControlShare(0, 0, 10, ControlAlpha); ok {
		t.Error("limits of nothing")
	}
}

// Without clusters the limits are those by case, to the bit, and of clusters of five cases that fare the same those of
// the clusters.
func TestControlByClusterOfOne(t *testing.T) {
	var few, values []float64
	var alone, five []int32
	for i := range 100 {
		x := float64(min(1, i/80))
		few, alone = append(few, x), append(alone, int32(i%2*(i+1)))
		for range 5 {
			values, five = append(values, x), append(five, int32(i+1))
		}
	}
	share, _ := ControlShare(20, 100, 100, ControlAlpha)
	mean, _ := ControlMeanByCluster(few, nil, ControlAlpha)
	for _, x := range []struct {
		of     func([]float64, []int32, float64) (Control, bool)
		values []float64
		in     []int32
		want   Control
	}{{ControlShareByCluster, few, alone, share}, {ControlShareByCluster, values, five, share},
		{ControlMeanByCluster, few, alone, mean},
		{ControlMeanByCluster, few, nil, mean}} {
		if got, ok := x.of(x.values, x.in, ControlAlpha); !ok || got != x.want {
			t.Errorf("%+v, want %+v", got, x.want)
		}
	}
	if got, _ := ControlMeanByCluster(values, five, ControlAlpha); math.Abs(got.Lo-mean.Lo) > 1e-12 ||
		math.Abs(got.Hi-mean.Hi) > 1e-12 {
		t.Errorf("%+v, want %+v", got, mean)
	}
}

// False alarms where a further run asks other clusters: of five cases that fare the same, of 1 to 30, and of five that
// are alike by half. By case they are many times what was aimed at. Means are of cases that fare alike up to what is
// drawn of ten.
func TestControlByCluster(t *testing.T) {
	draws := archtest.Draws(150, 3000, 3000)
	for _, c := range []struct {
		name     string
		clusters int
		p, alike float64
		most     int // cases of a cluster, five or any number up to it
		least    float64
	}{
		{"fives", 100, .1, 1, 5, .05}, {"fives, rare", 100, .02, 1, 5, .05}, {"fives, half alike", 100, .1, .5, 5, .02},
		{"fives, half", 30, .5, .5, 5, .02}, {"1 to 30", 60, .1, 1, 30, .2},
	} {
		r := seed.Stream(3, "control by cluster", c.name)
		run := func() (values, means []float64, cluster []int32) {
			for i := range c.clusters {
				size, fate, mean := c.most, r.Float64(), 0.
				if c.most > 5 {
					size = 1 + r.IntN(c.most)
				}
				for range 10 {
					if r.Float64() < .5 {
						mean += .1
					}
				}
				for range size {
					u := fate
					if r.Float64() >= math.Sqrt(c.alike) {
						u = r.Float64()
					}
					x := 0.
					if u < c.p {
						x = 1
					}
					values, means, cluster = append(values, x), append(means, min(1, mean)), append(cluster, int32(i+1))
				}
			}
			return values, means, cluster
		}
		of := func(xs []float64) (mean float64) {
			for _, x := range xs {
				mean += x / float64(len(xs))
			}
			return mean
		}
		var by, bare [2]float64
		for range draws {
			values, means, cluster := run()
			furtherValues, furtherMeans, _ := run()
			beyond := func(to *float64, c Control, further []float64) {
				if c.Beyond(of(further)) {
					*to += 1 / float64(draws)
				}
			}
			limits, _ := ControlShareByCluster(values, cluster, ControlAlpha)
			beyond(&by[0], limits, furtherValues)
			limits, _ = ControlShareByCluster(values, nil, ControlAlpha)
			beyond(&bare[0], limits, furtherValues)
			limits, _ = ControlMeanByCluster(means, cluster, ControlAlpha)
			beyond(&by[1], limits, furtherMeans)
			limits, _ = ControlMeanByCluster(means, nil, ControlAlpha)
			beyond(&bare[1], limits, furtherMeans)
		}
		t.Logf("%s: shares %.4f, means %.4f by cluster, %.4f and %.4f by case", c.name, by[0], by[1], bare[0], bare[1])
		if most := ControlAlpha + 3*math.Sqrt(ControlAlpha/float64(draws)); max(by[0], by[1]) > most || bare[0] < c.least ||
			bare[1] < .02 {
			t.Errorf("%s: shares and means %.4f by cluster, %.4f by case", c.name, by, bare)
		}
	}
}
