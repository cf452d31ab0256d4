package correct

import (
	"reflect"
	"slices"
	"testing"

	"hallmark/internal/archtest"
	"hallmark/internal/base/seed"
)

// Three cases by hand. Of the first, two answers say x and one is labelled: the drawn one has no label of its own and
// takes that of its copy; the second that was drawn in stratum 0 does not count, and the one in stratum 1 does. What is
// labelled and not drawn counts for nothing.
func TestOf(t *testing.T) {
	cases := [][]Answer{
		{{0, "x", NoLabel, 3}, {0, "x", 1, 0}, {0, "y", 0, 3}, {1, "z", 0, 1}},
		{{0, "x", 0, 1}, {1, "", 1, 0}},
		{},
		{{2, "", NoLabel, 1}}, // drawn, and not labelled yet
	}
	s := Of(cases, 4, 2)
	// Each case weighs 7/3, so the answers of the first 7/12 each and those of the second 7/6. Weights 3·7/12 and 7/6:
	// 25/13 answers, of which 3/5 are of kind 1.
	want := []Stratum{
		{4, 35. / 12, 2, 2, []float64{10. / 13, 15. / 13}}, {2, 7. / 4, 2, 1, []float64{1, 0}},
		{1, 7. / 3, 1, 0, []float64{0, 0}}, {Labels: []float64{0, 0}},
	}
	for i, x := range s.Strata {
		if !archtest.Near(x.Mass, want[i].Mass, 1e-12) || x.Answers != want[i].Answers || x.Cases != want[i].Cases ||
			x.Drawn != want[i].Drawn || !archtest.Near(x.Labels[0], want[i].Labels[0], 1e-12) ||
			!archtest.Near(x.Labels[1], want[i].Labels[1], 1e-12) {
			t.Errorf("stratum %d: %+v, want %+v", i, x, want[i])
		}
	}
	if s.Cases != 3 || s.Answers != 7 {
		t.Errorf("%d cases, %d answers", s.Cases, s.Answers)
	}
	if got := s.Lack(); !slices.Equal(got.Strata, []int{0, 1, 1, 0}) || got.All != 27 {
		t.Errorf("%+v", got)
	}
	slices.Reverse(cases)
	if other := Of(cases, 4, 2); !reflect.DeepEqual(s, other) {
		t.Errorf("in another order %+v, not %+v", other, s)
	}
}

// A rate over answers is the mean over cases: of 60 cases with one wrong answer and 40 with five right ones 60 % are
// wrong, and not 60 of 260.
func TestCasesWeighTheSame(t *testing.T) {
	var cases [][]Answer
	for i := range 100 {
		c := make([]Answer, 1)
		if i >= 60 {
			c = make([]Answer, 5)
		}
		for j := range c {
			c[j] = Answer{Stratum: i % 2, Value: "v", Kind: min(1, i/60), Weight: float64(len(c))}
		}
		cases = append(cases, c)
	}
	wrong := Of(cases, 2, 2).Rates(.95, 1)[0]
	if !archtest.Near(wrong.Value, .6, 1e-12) || wrong.Lo > .6 || wrong.Hi < .6 || wrong.Lo < .45 || wrong.Hi > .75 {
		t.Errorf("%+v", wrong)
	}
}

// With one answer a case, cases and counts are the same sample.
func TestCounted(t *testing.T) {
	var cases [][]Answer
	strata := []Counts{{N: 60, Labels: []int{2, 18}}, {N: 40, Labels: []int{15, 5}}}
	for i, x := range strata {
		for k := range x.N {
			a := Answer{Stratum: i, Kind: NoLabel}
			if k < x.Labels[0]+x.Labels[1] {
				a.Weight, a.Kind = 1, 0
				if k >= x.Labels[0] {
					a.Kind = 1
				}
			}
			cases = append(cases, []Answer{a})
		}
	}
	if a, b := Of(cases, 2, 2), Counted(strata); !reflect.DeepEqual(a, b) {
		t.Errorf("%+v, %+v", a, b)
	}
}

func TestLack(t *testing.T) {
	for _, tt := range []struct {
		strata []Counts
		all    int
		each   []int
	}{
		{[]Counts{{N: 60, Labels: []int{2, 18}}, {N: 40, Labels: []int{5, 5}}}, 0, []int{0, 0}},
		{[]Counts{{N: 60, Labels: []int{2, 18}}, {N: 40, Labels: []int{4, 5}}}, 1, []int{0, 0}},
		{[]Counts{{N: 60, Labels: []int{2, 38}}, {N: 40, Labels: []int{1, 0}}, {N: 2, Labels: []int{1, 0}},
			{Labels: []int{0, 0}}}, 3, []int{0, 2, 1, 0}},
	} {
		if got := Counted(tt.strata).Lack(); got.All != tt.all || !slices.Equal(got.Strata, tt.each) {
			t.Errorf("%v: %+v", tt.strata, got)
		}
	}
}

// Three copies in each of 100 cases tell as much as 100 answers: the design effect is 3, but for C/(C-1). Answers of a
// case of their own have none.
func TestDesignEffect(t *testing.T) {
	var copies, own [][]Answer
	for i := range 100 {
		a := Answer{Stratum: i % 5 / 4, Kind: NoLabel}
		copies, own = append(copies, []Answer{a, a, a}), append(own, []Answer{a})
	}
	if got := Of(copies, 2, 2).designEffect(); !archtest.Near(got, 3*100./99, 1e-12) {
		t.Errorf("copies: %v", got)
	}
	if got := Of(own, 2, 2).designEffect(); got != 1 {
		t.Errorf("one answer a case: %v", got)
	}
}

// The shares of strata by the Bayesian bootstrap over 40 cases with 3 and 1 answers in two strata, 30 with 0 and 4 and
// 10 with 2 and 0, a prior of 1/2: quantiles at .025, .5 and .975 from numpy 2.4.6, two million draws of the formula
// (default_rng(1)), in which each case weighs the same.
func TestBootstrapOfShares(t *testing.T) {
	s := Of(pairsOfStrata(false), 2, 2)
	r, w := seed.Stream(1, "test"), make([]float64, 2)
	var shares []float64
	for range 40_000 {
		s.draw(w, []int{0, 1}, .5, r)
		shares = append(shares, w[0])
	}
	lo, hi := bounds(shares, .95)
	middle, _ := bounds(shares, 1e-9)
	if !archtest.Near(lo, .41260, .0015) || !archtest.Near(middle, .50063, .0015) || !archtest.Near(hi, .58388, .0015) {
		t.Errorf("%.5f %.5f %.5f", lo, middle, hi)
	}
}

// pairsOfStrata makes the cases of TestBootstrapOfShares, with labels or without: in stratum 0, 20 of weight 3, two of
// kind 0; in stratum 1, ten of weight 4, eight of kind 0, and five of weight 1, one of kind 0.
func pairsOfStrata(labels bool) (cases [][]Answer) {
	add := func(times int, strata ...int) {
		for range times {
			var answers []Answer
			for _, s := range strata {
				answers = append(answers, Answer{Stratum: s, Kind: NoLabel})
			}
			cases = append(cases, answers)
		}
	}
	add(40, 0, 0, 0, 1)
	add(30, 1, 1, 1, 1)
	add(10, 0, 0)
	label := func(i, answer, kind int, weight float64) {
		if labels {
			cases[i][answer].Kind, cases[i][answer].Weight = kind, weight
		}
	}
	kind := func(yes bool) int {
		if yes {
			return 0
		}
		return 1
	}
	for i := range 20 {
		label(i, 0, kind(i < 2), 3)
	}
	for i := range 10 {
		label(40+i, 0, kind(i < 8), 4)
	}
	for i := range 5 {
		label(i, 3, kind(i < 1), 1)
	}
	return cases
}
