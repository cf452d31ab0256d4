package correct

import (
	"reflect"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"hallmark/internal/archtest"
	"hallmark/internal/base/seed"
)

var four = []Counts{{N: 700, Labels: []int{28, 1, 1}}, {N: 150, Labels: []int{3, 20, 1}},
	{N: 50, Labels: []int{0, 1, 9}}, {N: 100, Labels: []int{6, 3, 1}}}

// Bounds from numpy 2.4.6, two million draws of the formula of Rates (default_rng(1)), Monte Carlo error below .0003.
func TestRates(t *testing.T) {
	for _, tt := range []struct {
		strata []Counts
		want   [][3]float64 // share by hand, bounds
	}{
		// (60/100)(2/20) + (40/100)(15/20) = .36
		{[]Counts{{N: 60, Labels: []int{2, 18}}, {N: 0, Labels: []int{0, 0}}, {N: 40, Labels: []int{15, 5}}},
			[][3]float64{{.36, .24483, .49750}, {.64, .50248, .75524}}},
		// .7·28/30 + .15·3/24 + 0 + .1·6/10, and so on
		{four, [][3]float64{{.65333 + .01875 + .06, .63567, .79600}, {.02333 + .125 + .005 + .03, .13336, .26908},
			{.02333 + .00625 + .045 + .01, .04875, .16743}}},
	} {
		all := 0.
		got := Counted(tt.strata).rates([]int{0, 1, 2}[:len(tt.want)], .95, 100_000, 1)
		for j, want := range tt.want {
			e := got[j]
			all += e.Value
			if !archtest.Near(e.Value, want[0], 1e-4) || !archtest.Near(e.Lo, want[1], .002) ||
				!archtest.Near(e.Hi, want[2], .002) || e.N == 0 ||
				e.Level != .95 {
				t.Errorf("kind %d: %+v, want %v", j, e, want)
			}
		}
		if !archtest.Near(all, 1, 1e-12) {
			t.Errorf("shares sum to %v", all)
		}
		// 4,000 samples give two digits.
		shown := Counted(tt.strata).Rates(.95, 1)
		for j, e := range shown {
			if !archtest.Near(e.Lo, got[j].Lo, .005) || !archtest.Near(e.Hi, got[j].Hi, .005) {
				t.Errorf("kind %d: %+v, of 100,000 samples %+v", j, e, got[j])
			}
		}
		if again := Counted(tt.strata).Rates(.95, 1); !reflect.DeepEqual(shown, again) {
			t.Error("the same seed gives other bounds")
		}
		if other := Counted(tt.strata).Rates(.95, 2); reflect.DeepEqual(shown, other) {
			t.Error("another seed gives the same bounds")
		}
	}
	// Among the answers that attempt one, .18333 of .91542; bounds from numpy as above, one million draws.
	if e := Counted(four).Among(1, []int{0, 1}, .95, 1); !archtest.Near(e.Value, .18333/.91542, 1e-4) ||
		!archtest.Near(e.Lo, .14498, .004) || !archtest.Near(e.Hi, .29250, .004) {
		t.Errorf("%+v", e)
	}
	// Cases with several answers: weights in stratum 1 tell as much as 12.27 labels of which 9 are of kind 0; numpy as
	// above.
	if e := Of(pairsOfStrata(true), 2, 2).rates([]int{0}, .95, 100_000, 1)[0]; !archtest.Near(e.Value, .41667, 1e-4) ||
		!archtest.Near(e.Lo, .26575, .002) || !archtest.Near(e.Hi, .56141, .002) {
		t.Errorf("%+v", e)
	}
}

// What a function that was written apart from this package made of the same labels, stat.DoubleSampled of c873961 with
// 4,000 samples: the same points, and bounds that differ by the draws.
func TestRatesBesideAnother(t *testing.T) {
	for i, x := range []struct {
		strata []Counts
		want   [][3]float64
	}{
		{four, [][3]float64{{.73208, .63627, .79518}, {.18333, .13341, .26744}, {.08458, .04902, .16926}}},
		{[]Counts{{N: 900, Labels: []int{0, 50}}}, [][3]float64{{0, 0, .03748}, {1, .96080, 1}}},
		{[]Counts{{N: 30, Labels: []int{3, 0}}, {N: 300, Labels: []int{1, 40}}}, [][3]float64{{.11308, .05866, .18286},
			{.88692, .81235, .94073}}},
	} {
		for j, e := range Counted(x.strata).Rates(.95, 1) {
			if w := x.want[j]; !archtest.Near(e.Value, w[0], 1e-5) || !archtest.Near(e.Lo, w[1], .006) ||
				!archtest.Near(e.Hi, w[2], .006) {
				t.Errorf("sample %d, kind %d: %+v, want %v", i, j, e, w)
			}
		}
	}
}

func TestRatesAtTheEdge(t *testing.T) {
	none := Counted([]Counts{{N: 900, Labels: []int{0, 50}}}).Rates(.95, 1)
	// One stratum without a failure: the .975 quantile of Beta(1/3, 50 + 1/2).
	if want := (distuv.Beta{Alpha: 1. / 3, Beta: 50.5}).Quantile(.975); none[0].Lo != 0 || none[0].Value != 0 ||
		!archtest.Near(none[0].Hi, want, .004) {
		t.Errorf("%+v, want an upper bound of %.4f", none[0], want)
	}
	if none[1].Hi != 1 || none[1].Value != 1 || !archtest.Near(none[1].Lo, 1-none[0].Hi, .008) {
		t.Errorf("%+v does not mirror %+v", none[1], none[0])
	}
	if e := Counted(nil).Rates(.95, 1); len(e) != 0 {
		t.Errorf("%+v of nothing", e)
	}
	if e := Counted([]Counts{{N: 60, Labels: []int{0, 0, 8}}}).Among(0, []int{0, 1}, .95, 1); e.OK() {
		t.Errorf("%+v of no attempt", e)
	}
	if e := Counted([]Counts{{N: 60, Labels: []int{8, 0, 8}}}).Among(0, []int{0, 1}, .95, 1); e.Value != 1 || e.Hi != 1 ||
		e.Lo > .9 || e.Lo < .5 {
		t.Errorf("%+v, all that attempt are of the kind", e)
	}
	defer func() {
		if recover() == nil {
			t.Error("a stratum without a label is let pass")
		}
	}()
	Counted([]Counts{{N: 5, Labels: []int{0, 0}}}).Rates(.95, 1)
}

// 2,000 cases, 9 strata, 3 kinds: with one answer a case, and with five that fall into many strata.
func BenchmarkRates(b *testing.B) {
	strata := make([]Counts, 9)
	for i := range strata {
		strata[i] = Counts{N: 222, Labels: []int{4, 10, 2}}
	}
	r := seed.Stream(1, "bench")
	var cases [][]Answer
	for i := range 2000 {
		var answers []Answer
		at := r.IntN(9)
		for range 5 {
			if r.IntN(4) == 0 {
				at = r.IntN(9)
			}
			answers = append(answers, Answer{Stratum: at, Kind: NoLabel})
		}
		if i < 200 {
			answers[0].Kind, answers[0].Weight = i%3, 1
		}
		cases = append(cases, answers)
	}
	for name, s := range map[string]*Sample{"one": Counted(strata), "five": Of(cases, 9, 3)} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				s.Rates(.95, 1)
			}
		})
	}
}
