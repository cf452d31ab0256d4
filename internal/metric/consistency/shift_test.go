package consistency

import (
	"fmt"
	"testing"

	"hallmark/internal/archtest"
	"hallmark/internal/base/seed"
	"hallmark/internal/stat"
)

func standingsOf(t *testing.T, cases ...*Case) []Standing {
	opt := DefaultOptions()
	opt.PerQuestion = true
	res, err := Analyze(cases, opt)
	if err != nil {
		t.Fatal(err)
	}
	return StandingsOf(res)
}

// By hand: q1 goes from an even split of four (error ½ = 1/6 + 1/3) to right, q2 from wrong (1 = 1 + 0) to a split,
// q3 has no gold.
func TestShift(t *testing.T) {
	base := standingsOf(t, caseOf(t, "q1", "a b a b", "a"), caseOf(t, "q2", "b b b b", "a"), caseOf(t, "q3", "a a", ""),
		caseOf(t, "gone", "a a", "a"))
	other := standingsOf(t, caseOf(t, "q1", "a a a a", "a"), caseOf(t, "q2", "b a b a", "a"), caseOf(t, "q3", "a b", ""))
	s := Compare(base, other, .95).Decomposition
	if s.N != 2 {
		t.Fatalf("%+v", s)
	}
	for name, x := range map[string]struct {
		p           *Moved
		base, other float64
	}{"bias²": {s.BiasSquared, (1./6 + 1) / 2, 1. / 12}, "variance": {s.Variance, 1. / 6, 1. / 6}} {
		d := x.p.Difference
		if !archtest.Near(x.p.Base, x.base, 1e-12) || !archtest.Near(x.p.Other, x.other, 1e-12) ||
			!archtest.Near(d.Value, x.other-x.base, 1e-12) ||
			!(d.Lo < d.Value && d.Value < d.Hi) {
			t.Errorf("%s: %+v in %+v", name, x.p, d)
		}
	}
	if !archtest.Near(s.OtherBeatsBase.Difference.Value, -.5, 1e-12) || s.OtherBeatsBase.Holds != Undecided ||
		!archtest.Near(s.AsPublished.Difference.Value, .25-1./6, 1e-12) || s.Regime != Undecided {
		t.Errorf("%+v, %+v, %s", s.OtherBeatsBase, s.AsPublished, s.Regime)
	}
	free := Compare([]Standing{{ID: "a", R: 2, PC: 1, Right: -1}}, []Standing{{ID: "a", R: 2, PC: .5, Right: 1}}, .95)
	if free.Decomposition != nil {
		t.Errorf("without gold: %+v", free.Decomposition)
	}
}

func TestRegime(t *testing.T) {
	at := func(x float64) *stat.Estimate { return &stat.Estimate{Value: x, Lo: x - .05, Hi: x + .05} }
	for _, tt := range []struct {
		bias, variance float64
		want           string
	}{
		{.01, -.3, Undecided}, {-.3, .05, Undecided}, {-.2, -.1, BothBetter}, {.2, .1, BothWorse},
		{.1, -.2, VarianceDominated}, {-.3, .2, VarianceDominated},
		{.2, -.1, BiasDominated}, {-.1, .2, BiasDominated},
	} {
		if got := regime(at(tt.bias), at(tt.variance)); got != tt.want {
			t.Errorf("%v, %v: %s, want %s", tt.bias, tt.variance, got, tt.want)
		}
	}
}

// A student that answers every case as its teacher's mode beats it, where the teacher is mostly right; one that is
// mostly wrong does not.
func TestStudentBeatsTeacher(t *testing.T) {
	for _, tt := range []struct{ teacher, student, general, published, regime string }{
		{"a a a b a a c a a b", "a a a a a a a a a a", "yes", "yes", BothBetter},
		{"a b c b a b c b a b", "b b b b b b b b b b", "no", "no", BiasDominated},
		// The teacher has a bias: the general test sees that the student is better, the published one compares with
		// variance alone.
		{"b b b b b b b b a a", "b b b b b b a a a a", "yes", "no", VarianceDominated},
	} {
		var teacher, student []*Case
		for i := range 200 {
			teacher, student = append(teacher, caseOf(t, fmt.Sprint(i), tt.teacher, "a")),
				append(student, caseOf(t, fmt.Sprint(i), tt.student, "a"))
		}
		s := Compare(standingsOf(t, teacher...), standingsOf(t, student...), .95).Decomposition
		if s.OtherBeatsBase.Holds != tt.general || s.AsPublished.Holds != tt.published || s.Regime != tt.regime {
			t.Errorf("%s to %s: %s, %s, %s; bias² %+v, variance %+v", tt.teacher, tt.student, s.OtherBeatsBase.Holds,
				s.AsPublished.Holds, s.Regime, s.BiasSquared.Difference, s.Variance.Difference)
		}
	}
}

// Over simulated runs the intervals of the differences hold the truth in at least 95 % less three standard errors:
// cases answer right with chance p in base and q in other, so that Δvariance is q(1-q) - p(1-p) and the error falls by
// q - p.
func TestShiftCoverage(t *testing.T) {
	const n, r, p, q = 40, 10, .6, .85
	draws := archtest.Draws(50, 1000, 4000)
	stream := seed.Stream(1, "shift")
	held := [2]int{}
	for range draws {
		var base, other []Standing
		for i := range n {
			for k, side := range []*[]Standing{&base, &other} {
				right := 0
				for range r {
					if stream.Float64() < [2]float64{p, q}[k] {
						right++
					}
				}
				f := Standing{ID: fmt.Sprint(i), R: r, PC: 1, Right: right}
				_, f.Parts, _, _ = Decompose([]int{right, r - right}, []bool{true, false})
				*side = append(*side, f)
			}
		}
		s := Compare(base, other, .95).Decomposition
		for i, x := range []struct {
			d     *stat.Estimate
			truth float64
		}{{s.Variance.Difference, q*(1-q) - p*(1-p)}, {s.OtherBeatsBase.Difference, p - q}} {
			if x.d.Lo <= x.truth && x.truth <= x.d.Hi {
				held[i]++
			}
		}
	}
	for i, k := range held {
		t.Logf("%d: %.3f", i, float64(k)/float64(draws))
		if float64(k)/float64(draws) < archtest.Least(.95, draws) {
			t.Errorf("difference %d: %d of %d", i, k, draws)
		}
	}
}
