package correct

import (
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"hallmark/internal/archtest"
	"hallmark/internal/base/seed"
)

// Of any cases: shares sum to 1 and lie within their bounds, the order of cases changes no bit, and drawing what Lack
// and Next ask for ends what is lacking.
func TestAnySample(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const strata, kinds = 4, 3
		answer := rapid.Custom(func(t *rapid.T) Answer {
			return Answer{rapid.IntRange(0, strata-1).Draw(t, "stratum"), rapid.SampledFrom([]string{"", "a", "b"}).Draw(t,
				"value"), NoLabel, 0}
		})
		cases := rapid.SliceOfN(rapid.SliceOfN(answer, 1, 4), LeastLabels, 60).Draw(t, "cases")
		seedValue := rapid.Uint64().Draw(t, "seed")
		s := Of(cases, strata, kinds)
		lack := s.Lack()
		for i, take := range s.Next(0, lack.All) {
			if take < lack.Strata[i] {
				t.Fatalf("stratum %d lacks %d and is given %d", i, lack.Strata[i], take)
			}
		}
		r := seed.Stream(seedValue, "kinds")
		for _, p := range Draw(cases, s.Next(0, lack.All), seedValue) {
			a := &cases[p.Case][p.Answer]
			a.Weight = p.Weight
			if a.Kind = kindOf(cases[p.Case], p.Answer); a.Kind == NoLabel {
				a.Kind = r.IntN(kinds)
			}
		}
		s = Of(cases, strata, kinds)
		if left := s.Lack(); left.All > 0 {
			t.Fatalf("%+v after %+v", left, lack)
		}
		e := s.rates([]int{0, 1, 2}, .9, 200, seedValue)
		all := 0.
		for _, x := range e {
			all += x.Value
			if !(0 <= x.Lo && x.Lo <= x.Value && x.Value <= x.Hi && x.Hi <= 1 && x.Lo < x.Hi) {
				t.Fatalf("%+v", x)
			}
		}
		if !archtest.Near(all, 1, 1e-9) {
			t.Fatalf("shares sum to %v", all)
		}
		slices.Reverse(cases)
		if again := Of(cases, strata, kinds).rates([]int{0, 1, 2}, .9, 200, seedValue); !reflect.DeepEqual(e, again) {
			t.Fatalf("%+v, in another order %+v", e, again)
		}
	})
}
