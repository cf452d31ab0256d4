package stat

import (
	"fmt"
	"math"
	"testing"

	"hallmark/internal/archtest"
	"hallmark/internal/base/seed"
)

// twiceLabelled draws n cases with two labels and a score: a case fails the first with chance p and the second with
// chance q, which depends on the first by rho; the score is a times the first plus b times the second plus standard
// normal noise.
func twiceLabelled(n int, p, q, rho, a, b float64, name string) (scores []float64, first, second []bool) {
	r := seed.Stream(1, "auroc difference", name)
	for range n {
		one := r.Float64() < p
		chance := q * (1 - rho)
		if one {
			chance += rho
		}
		two := r.Float64() < chance
		s := r.NormFloat64()
		if one {
			s += a
		}
		if two {
			s += b
		}
		scores, first, second = append(scores, s), append(first, one), append(second, two)
	}
	return scores, first, second
}

// By hand: scores 1 2 3 4; the first label is true of 3 and 4 (A = 1), the second of 1 and 4 (A = 2/4). The influences
// of the first are 0; those of the second are, for the positives 1 and 4, (0 - .5)/2 and (1 - .5)/2, for the negatives
// 2 and 3, which one of two positives beats, (.5 - .5)/2.
func TestAUROCDifference(t *testing.T) {
	area, psi, least := influence([]float64{1, 2, 3, 4}, []bool{true, false, false, true})
	if area != .5 || least != 2 || fmt.Sprint(psi) != "[-0.25 0 0 0.25]" {
		t.Errorf("area %v, influence %v, smaller class %d", area, psi, least)
	}
	e := AUROCDifference([]float64{1, 2, 3, 4}, []bool{false, false, true, true}, []bool{true, false, false, true}, nil,
		.95)
	if e.Value != .5 || e.Lo != -1 || e.Hi != 1 || len(e.Warnings) != 1 {
		t.Errorf("%+v", e)
	}
	if none := AUROCDifference([]float64{1, 2}, []bool{true, true}, []bool{true, false}, nil, .95); none.OK() ||
		len(none.Warnings) == 0 {
		t.Errorf("one class only: %+v", none)
	}
	scores, first, second := twiceLabelled(300, .3, .3, .4, .5, 1, "value")
	split := func(labels []bool) (yes, no []float64) {
		for i, s := range scores {
			if labels[i] {
				yes = append(yes, s)
			} else {
				no = append(no, s)
			}
		}
		return yes, no
	}
	x1, y1 := split(first)
	x2, y2 := split(second)
	e = AUROCDifference(scores, first, second, nil, .95)
	if want := AUROC(x1, y1, .95).Value - AUROC(x2, y2, .95).Value; math.Abs(e.Value-want) > 1e-12 ||
		!(e.Lo < e.Value && e.Value < e.Hi) {
		t.Errorf("%+v, want %v", e, want)
	}
	if other := AUROCDifference(scores, second, first, nil, .95); math.Abs(other.Value+e.Value) > 1e-15 ||
		math.Abs(other.Lo+e.Hi) > 1e-12 {
		t.Errorf("the other way round %+v and %+v", e, other)
	}
	if same := AUROCDifference(scores, first, first, nil, .95); same.Value != 0 || same.Lo != -1 ||
		len(same.Warnings) == 0 {
		t.Errorf("equal labels: %+v", same)
	}
}

// The interval covers the difference of a large sample.
func TestAUROCDifferenceCoverage(t *testing.T) {
	draws := archtest.Draws(50, 1000, 1000)
	for _, c := range []struct {
		n               int
		p, q, rho, a, b float64
	}{
		{100, .3, .3, 0, .5, 1}, {100, .2, .4, .5, 1, 0}, {300, .3, .2, .3, .5, 1.5}, {600, .1, .35, .2, .2, .6},
		{100, .5, .5, 0, 0, 0},
	} {
		name := fmt.Sprint(c)
		s, f1, f2 := twiceLabelled(archtest.Draws(30_000, 400_000, 400_000), c.p, c.q, c.rho, c.a, c.b, name+"truth")
		truth := AUROCDifference(s, f1, f2, nil, .95).Value
		covered := 0
		for i := range draws {
			s, f1, f2 := twiceLabelled(c.n, c.p, c.q, c.rho, c.a, c.b, fmt.Sprint(name, i))
			if e := AUROCDifference(s, f1, f2, nil, .95); e.Lo <= truth && truth <= e.Hi {
				covered++
			}
		}
		share := float64(covered) / float64(draws)
		t.Logf("%+v: covered %.3f, truth %.4f", c, share, truth)
		// The large sample adds about .002 to the truth, a smaller one .006, of intervals that are .2 wide or more.
		// More than .98 of 1,000 would be 4.4 standard errors too many.
		if share < archtest.Least(.95, draws) || archtest.Long() && share > .98 {
			t.Errorf("%+v: %.3f of the intervals hold %.4f", c, share, truth)
		}
	}
}

// twoScores draws n cases of which a share p is positive, and two scores with correlation rho that shift by a and b
// where it is.
func twoScores(n int, p, rho, a, b float64, name string) (first, second []float64, positive []bool) {
	r := seed.Stream(1, "auroc ahead", name)
	for range n {
		yes := r.Float64() < p
		x := r.NormFloat64()
		y := rho*x + math.Sqrt(1-rho*rho)*r.NormFloat64()
		if yes {
			x, y = x+a, y+b
		}
		first, second, positive = append(first, x), append(second, y), append(positive, yes)
	}
	return first, second, positive
}

// By hand: of the positives 3 and 4 both beat both negatives by the first score (A = 1), and one of four pairs is lost
// by the second (A = .75).
func TestAUROCAhead(t *testing.T) {
	positive := []bool{false, false, true, true}
	if e := AUROCAhead([]float64{1, 2, 3, 4}, []float64{1, 3, 2, 4}, positive, nil, .95); e.Value != .25 || e.Lo != -1 ||
		e.Hi != 1 || len(e.Warnings) != 1 {
		t.Errorf("%+v", e)
	}
	first, second, positive := twoScores(300, .3, .5, 1.5, .5, "value")
	e := AUROCAhead(first, second, positive, nil, .95)
	x, y := classes(first, positive)
	u, v := classes(second, positive)
	if want := AUROC(x, y, .95).Value - AUROC(u, v, .95).Value; math.Abs(e.Value-want) > 1e-12 || e.Lo <= 0 {
		t.Errorf("%+v, want %v", e, want)
	}
	if same := AUROCAhead(first, first, positive, nil, .95); same.Value != 0 || same.Lo != -1 || len(same.Warnings) == 0 {
		t.Errorf("one score twice: %+v", same)
	}
}

// The interval covers the difference of two normal scores, Phi(a/√2) - Phi(b/√2).
func TestAUROCAheadCoverage(t *testing.T) {
	draws := archtest.Draws(70, 1000, 1000)
	area := func(shift float64) float64 { return .5 * math.Erfc(-shift/2) } // Phi(shift/√2)
	for _, c := range []struct {
		n            int
		p, rho, a, b float64
	}{{100, .3, .5, 1, 1}, {100, .25, 0, 1.5, .5}, {300, .1, .9, 1, .8}, {600, .2, .3, .2, 1.2}} {
		covered := 0
		for i := range draws {
			first, second, positive := twoScores(c.n, c.p, c.rho, c.a, c.b, fmt.Sprint(c, i))
			if e := AUROCAhead(first, second, positive, nil, .95); e.Lo <= area(c.a)-area(c.b) && area(c.a)-area(c.b) <= e.Hi {
				covered++
			}
		}
		share := float64(covered) / float64(draws)
		t.Logf("%+v: covered %.3f", c, share)
		if share < archtest.Least(.95, draws) || archtest.Long() && share > .98 {
			t.Errorf("%+v: %.3f of the intervals hold the difference", c, share)
		}
	}
}
