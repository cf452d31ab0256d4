package crosstab

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"hallmark/internal/base/seed"
	"hallmark/internal/stat"
)

// By hand: six cases, one of them without a scored rubric and one with a single variant.
func TestAnalyzeByHand(t *testing.T) {
	cases := []Case{
		{ID: "known", RubricScored: true, Variants: 10, Stable: true, HasGold: true, Right: true},
		{ID: "myth", RubricScored: true, Variants: 10, Hallucinated: true, Failed: [3]bool{true, false, false}, Stable: true,
			HasGold: true},
		{ID: "rare", RubricScored: true, Variants: 10, Hallucinated: true, Failed: [3]bool{true, true, false}, HasGold: true,
			Variance: .4},
		{ID: "open", RubricScored: true, Variants: 2},
		{ID: "broken", Variants: 10, Stable: true},
		{ID: "single", RubricScored: true, Variants: 1, Stable: true},
	}
	r := Analyze(cases, .95)
	if r.N != 4 || r.WithGold != 3 {
		t.Fatalf("n = %d, with gold %d; want 4 and 3", r.N, r.WithGold)
	}
	check := func(name string, got *float64, want float64) {
		t.Helper()
		if got == nil || math.Abs(*got-want) > 1e-15 {
			t.Errorf("%s = %v, want %v", name, got, want)
		}
	}
	check("truth, agnostic", r.ByAxis["truth"].PromptAgnostic, .5)
	check("truth, random", r.ByAxis["truth"].Random, .5)
	check("decidability, random", r.ByAxis["decidability"].Random, 1)
	if s := r.ByAxis["reciprocity"]; s.PromptAgnostic != nil || s.Random != nil {
		t.Errorf("an axis without failures has shares: %+v", s)
	}
	check("rubric", r.Definition.Rubric, .5)
	check("error", r.Definition.PromptAgnosticError, 1./3)
	check("randomness", r.Definition.Randomness, 1./3)
	check("either", r.Definition.Either, 2./3)
	check("variance", r.Definition.VarianceOnly, .4/3)
	// Two of four and one of two by the formula of METHODS 2 in Python 3 with z = 1.959963984540054.
	for name, i := range map[string]struct {
		got    *stat.Estimate
		lo, hi float64
	}{
		"rubric": {r.Intervals.Rubric, .1500389, .8499611},
		"split":  {r.ByAxis["truth"].PromptAgnosticInterval, .0945312, .9054688},
	} {
		if math.Abs(i.got.Lo-i.lo) > 1e-6 || math.Abs(i.got.Hi-i.hi) > 1e-6 {
			t.Errorf("%s: %+v, want [%v, %v]", name, i.got, i.lo, i.hi)
		}
	}
	if v := r.Intervals.VarianceOnly; v.Value != *r.Definition.VarianceOnly || !(v.Lo < v.Value && v.Value < v.Hi &&
		v.Hi <= .5) {
		t.Errorf("variance in %+v", v)
	}
}

func TestAnalyzeOfNothing(t *testing.T) {
	r := Analyze(nil, .95)
	if r.N != 0 || r.Definition.Rubric != nil || r.Definition.VarianceOnly != nil || len(r.Warnings) != 1 {
		t.Errorf("no cases gave %+v", r)
	}
}

// The shares of an axis sum to 1, and "either" is the sum of its two parts, whatever the cases.
func TestSharesSum(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cases := rapid.SliceOf(rapid.Custom(func(t *rapid.T) Case {
			return Case{
				RubricScored: rapid.Bool().Draw(t, "scored"), Variants: rapid.IntRange(0, 3).Draw(t, "variants"),
				Hallucinated: rapid.Bool().Draw(t, "h"), Stable: rapid.Bool().Draw(t, "stable"),
				Failed:  [3]bool{rapid.Bool().Draw(t, "t"), rapid.Bool().Draw(t, "d"), rapid.Bool().Draw(t, "r")},
				HasGold: rapid.Bool().Draw(t, "gold"), Right: rapid.Bool().Draw(t, "right"),
			}
		})).Draw(t, "cases")
		r := Analyze(cases, .95)
		for name, s := range r.ByAxis {
			if s.Failures > 0 && math.Abs(*s.PromptAgnostic+*s.Random-1) > 1e-12 {
				t.Fatalf("%s: shares sum to %v", name, *s.PromptAgnostic+*s.Random)
			}
		}
		d := r.Definition
		if r.WithGold > 0 && math.Abs(*d.Either-*d.PromptAgnosticError-*d.Randomness) > 1e-12 {
			t.Fatalf("either %v is not %v + %v", *d.Either, *d.PromptAgnosticError, *d.Randomness)
		}
	})
}

// 60 questions are asked 1 to 30 times each and fare the same each time: intervals by cluster hold the truth as often
// as they say, those by case far less often, and their values are the same.
func TestByClusterCovers(t *testing.T) {
	r := seed.Stream(6, "clusters of the joint table")
	const runs = 200
	figures := []struct {
		name  string
		of    func(Result) *stat.Estimate
		truth float64
	}{
		{"rubric", func(r Result) *stat.Estimate { return r.Intervals.Rubric }, .4},
		{"randomness", func(r Result) *stat.Estimate { return r.Intervals.Randomness }, .3},
		{"variance", func(r Result) *stat.Estimate { return r.Intervals.VarianceOnly }, .12},
		{"stay, of truth", func(r Result) *stat.Estimate { return r.ByAxis["truth"].PromptAgnosticInterval }, .7},
	}
	held, byCase := make([]int, len(figures)), make([]int, len(figures))
	for range runs {
		var cases []Case
		for q := range 60 {
			wrong, stable := r.Float64() < .4, r.Float64() < .7
			c := Case{Cluster: int32(q + 1), RubricScored: true, Variants: 5, HasGold: true, Hallucinated: wrong,
				Failed: [3]bool{wrong}, Stable: stable, Right: !wrong}
			if !stable {
				c.Variance = .4
			}
			for range 1 + r.IntN(2)*r.IntN(30) {
				cases = append(cases, c)
			}
		}
		by := Analyze(cases, .95)
		for i := range cases {
			cases[i].Cluster = 0
		}
		bare := Analyze(cases, .95)
		if by.Clusters != 60 || bare.Clusters != 0 || len(by.Warnings) != 1 || len(bare.Warnings) != 0 {
			t.Fatalf("%d and %d clusters: %q, %q", by.Clusters, bare.Clusters, by.Warnings, bare.Warnings)
		}
		for i, f := range figures {
			e, b := f.of(by), f.of(bare)
			if math.Abs(e.Value-b.Value) > 1e-12 {
				t.Fatalf("%s: %v by cluster, %v by case", f.name, e.Value, b.Value)
			}
			if e.Lo <= f.truth && f.truth <= e.Hi {
				held[i]++
			}
			if b.Lo <= f.truth && f.truth <= b.Hi {
				byCase[i]++
			}
		}
	}
	for i, f := range figures {
		share, bare := float64(held[i])/runs, float64(byCase[i])/runs
		t.Logf("%s: %.3f by cluster, %.3f by case", f.name, share, bare)
		if share < .93 || bare > .75 {
			t.Errorf("%s: %.3f by cluster, %.3f by case", f.name, share, bare)
		}
	}
}
