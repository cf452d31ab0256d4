package stat

import (
	"fmt"
	"math"
	"testing"

	"hallmark/internal/archtest"
	"hallmark/internal/base/seed"
)

// TestApart has Newcombe's interval of statsmodels 0.15.0, confint_proportions_2indep(…, method="newcomb"), and
// Fisher's p of scipy 1.17.1, fisher_exact; both run for this test. Bounds next to 0 are as those only where the two
// agree.
func TestApart(t *testing.T) {
	for _, tt := range []struct {
		ka, na, kb, nb int
		lo, hi, p      float64
	}{
		{12, 40, 30, 260, 0.05731235412423419, 0.342479581708775, 0.00520538820914916},
		{1, 5, 10, 500, 0.015403022472758876, 0.6045629227688778, 0.10466574539853031},
		{0, 30, 22, 170, -0.18816425472662132, -0.00824709828586101, 0.05072016667733329},
		{7, 10, 7, 10, -0.35900931567630795, 0.35900931567630795, 1.0},
		{200, 1000, 900, 9000, 0.07553340804549452, 0.12661077521435993, 1.1924963437744657e-18},
		{9, 12, 60, 400, 0.315106625385617, 0.7641396524366795, 9.37827392183513e-06},
	} {
		a, b := Tally{tt.ka, tt.na, float64(tt.na)}, Tally{tt.kb, tt.nb, float64(tt.nb)}
		d, back := Apart(a, b, .95), Apart(b, a, .95)
		name := fmt.Sprintf("%d of %d beside %d of %d", tt.ka, tt.na, tt.kb, tt.nb)
		if math.Abs(d.P-tt.p) > 1e-9*max(1e-9, tt.p)+1e-12*tt.p && math.Abs(d.P/tt.p-1) > 1e-7 {
			t.Errorf("%s: p = %.17g, want %.17g", name, d.P, tt.p)
		}
		lo, hi := tt.lo, tt.hi
		if tt.p >= .05 { // the interval holds 0 where the test does not reject
			lo, hi = min(lo, 0), max(hi, 0)
		}
		if away := d.Hi; d.Value > 0 && math.Abs(away-hi) > 1e-9 || d.Value <= 0 && math.Abs(d.Lo-lo) > 1e-9 {
			t.Errorf("%s: [%.12f, %.12f], want [%.12f, %.12f] away from 0", name, d.Lo, d.Hi, lo, hi)
		}
		if (d.P < .05) == (d.Lo <= 0 && d.Hi >= 0) {
			t.Errorf("%s: p = %.4f beside [%.4f, %.4f]", name, d.P, d.Lo, d.Hi)
		}
		if math.Abs(back.Lo+d.Hi) > 1e-12 || math.Abs(back.Hi+d.Lo) > 1e-12 || math.Abs(back.P-d.P) > 1e-12 {
			t.Errorf("%s: the other way round it is %v, not the mirror of %v", name, back, d)
		}
	}
	if d := Apart(Tally{}, Tally{1, 2, 2}, .95); d.OK() || d.P != 1 {
		t.Errorf("of no cases: %v", d)
	}
}

// TestTallyByCluster: cases of one cluster are worth one observation, by hand: (2+2+1)²/(4+4+1) = 25/9 of five.
func TestTallyByCluster(t *testing.T) {
	got := TallyOf([]float64{1, 1, 0, 0, 1}, []int32{1, 1, 2, 2, 0})
	if got.K != 3 || got.N != 5 || math.Abs(got.Worth-25./9) > 1e-12 {
		t.Errorf("%v", got)
	}
	// every case twice is half as many observations: the interval and the test of those
	once, twice := Tally{12, 40, 40}, Tally{24, 80, 40}
	rest, rest2 := Tally{30, 260, 260}, Tally{60, 520, 260}
	if a, b := Apart(once, rest, .95), Apart(twice, rest2, .95); a.P != b.P || a.Lo != b.Lo || a.Hi != b.Hi {
		t.Errorf("%v, twice %v", a, b)
	}
}

// TestApartKeepsItsLevel draws two groups with one rate, of several sizes, by case and in clusters of cases that are
// alike: the test rejects in no more than .05 of draws (and three standard errors), the interval holds the true
// difference, .1, in .93 and more, but for five cases, where Wilson's own jumps. Newcombe's interval alone would miss 0
// far oftener with 5 beside 500 at .02.
func TestApartKeepsItsLevel(t *testing.T) {
	draws := archtest.Draws(1000, 2000, 2000)
	slack := 3 * math.Sqrt(.05*.95/float64(draws))
	for _, tt := range []struct {
		na, nb int
		rate   float64
		most   int // cases of a cluster
	}{{5, 500, .02, 1}, {10, 90, .1, 1}, {30, 170, .2, 1}, {100, 100, .5, 1}, {12, 60, .2, 6}, {40, 200, .1, 4}} {
		rejects, holds, bare := 0, 0, 0
		for d := range draws {
			rng := seed.Stream(7, "apart", fmt.Sprint(tt), fmt.Sprint(d))
			tally := func(units int, rate float64) Tally {
				var values []float64
				var cluster []int32
				for c := range units {
					v := 0.
					if rng.Float64() < rate {
						v = 1
					}
					for range 1 + rng.IntN(tt.most) {
						values, cluster = append(values, v), append(cluster, int32(c+1))
					}
				}
				return TallyOf(values, cluster)
			}
			a, b := tally(tt.na, tt.rate), tally(tt.nb, tt.rate)
			e := Apart(a, b, .95)
			if e.P < .05 {
				rejects++
			}
			la, ua := score(a.share(), a.Worth, .95)
			lb, ub := score(b.share(), b.Worth, .95)
			if d := e.Value; d-math.Hypot(a.share()-la, ub-b.share()) > 0 || d+math.Hypot(ua-a.share(), b.share()-lb) < 0 {
				bare++
			}
			if e = Apart(tally(tt.na, tt.rate+.1), b, .95); e.Lo <= .1 && e.Hi >= .1 {
				holds++
			}
		}
		t.Logf("%v: rejects %.3f (Newcombe's alone %.3f), holds %.3f", tt, float64(rejects)/float64(draws),
			float64(bare)/float64(draws),
			float64(holds)/float64(draws))
		if share := float64(rejects) / float64(draws); share > .05+slack {
			t.Errorf("%v: the test rejects what is true in %.3f of draws", tt, share)
		}
		if share := float64(holds) / float64(draws); share < .93 && tt.na > 5 || share < .9 {
			t.Errorf("%v: the interval holds the difference in %.3f of draws", tt, share)
		}
	}
}
