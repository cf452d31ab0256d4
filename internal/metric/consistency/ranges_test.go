package consistency

import (
	"fmt"
	"strings"
	"testing"

	"hallmark/internal/archtest"
	"hallmark/internal/stat"

	"pgregory.net/rapid"
)

// TestRanges counts two cases by hand, gold a. "a a a ?": PC 3/4 to 1, SC 1/2 to 1, ambiguous or not, right 3/4 to 1,
// random or factual. "b b ? ?": PC 1/2 to 1, SC 1/6 to 1, ambiguous or not, right 0 to 1/2, random or a prompt-agnostic
// error: even both right they would not be stable.
func TestRanges(t *testing.T) {
	res, err := Analyze([]*Case{caseOf(t, "q1", "a a a ?", "a"), caseOf(t, "q2", "b b ? ?", "a")}, DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	r := res.Range
	if r == nil || res.Ungradable != 3 || res.Unread != 3 || res.N != 5 || res.Unscored != 0 || r.Questions != 2 {
		t.Fatalf("%+v", res)
	}
	for _, c := range []struct {
		name   string
		got    stat.Range
		lo, hi float64
	}{
		{"stability", r.SemanticStability, (.75 + .5) / 2, 1},
		{"self-consistency", r.SelfConsistency, (.5 + 1./6) / 2, 1}, {"ambiguity", r.Ambiguity, 0, 1},
		{"accuracy", *r.Accuracy, .375, .75}, {"factual", r.Taxonomy.Factual, 0, .5},
		{"error", r.Taxonomy.Error, 0, .5}, {"randomness", r.Taxonomy.Randomness, 0, 1},
	} {
		if !archtest.Near(c.got.Lo, c.lo, 1e-12) || !archtest.Near(c.got.Hi, c.hi, 1e-12) {
			t.Errorf("%s: %+v, want %v to %v", c.name, c.got, c.lo, c.hi)
		}
	}
	if res.RobustnessLevel != "" || !strings.Contains(strings.Join(res.Warnings, "\n"),
		"3 of 8 answers could not be graded") {
		t.Errorf("level %q, warnings %q", res.RobustnessLevel, res.Warnings)
	}
}

// TestFewUngradable has 1 of 40: left out and counted, and no range.
func TestFewUngradable(t *testing.T) {
	res, err := Analyze([]*Case{caseOf(t, "q", strings.Repeat("a ", 39)+"?", "a")}, DefaultOptions())
	if err != nil || res.Range != nil || res.Ungradable != 1 || res.N != 39 || res.RobustnessLevel != "high" {
		t.Errorf("%+v, %v", res, err)
	}
}

// TestRangesHold: whatever the ungradable answers are, every figure over the same cases lies in its range.
func TestRangesHold(t *testing.T) {
	archtest.Checks(t, 40)
	rapid.Check(t, func(t *rapid.T) {
		var open, graded []*Case
		for i := range rapid.IntRange(1, 4).Draw(t, "cases") {
			words := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c", "?", "?", "_"}), 2, 8).Draw(t, "answers")
			id := fmt.Sprint("q", i)
			open = append(open, caseOf(t, id, strings.Join(words, " "), "a"))
			for j, w := range words {
				if w == "?" {
					words[j] = rapid.SampledFrom([]string{"a", "b", "c", "d", "e", "f"}).Draw(t, "graded as")
				}
			}
			graded = append(graded, caseOf(t, id, strings.Join(words, " "), "a"))
		}
		opt := DefaultOptions()
		opt.Tau = rapid.SampledFrom([]float64{0, .3, .5, .8, 1}).Draw(t, "tau")
		got, err := Analyze(open, opt)
		if err != nil {
			t.Fatal(err)
		}
		as, _ := Analyze(graded, opt)
		r := got.Range
		if r == nil {
			return
		}
		if r.Questions != as.Questions {
			t.Fatalf("%d questions, graded %d", r.Questions, as.Questions)
		}
		for _, c := range []struct {
			name string
			of   stat.Range
			x    float64
		}{
			{"stability", r.SemanticStability, as.SemanticStability.Value},
			{"self-consistency", r.SelfConsistency, as.SelfConsistency.Value},
			{"ambiguity", r.Ambiguity, as.Ambiguity.Value},
			{"accuracy", *r.Accuracy, as.Accuracy.Value}, {"factual", r.Taxonomy.Factual, as.Taxonomy.Factual},
			{"error", r.Taxonomy.Error, as.Taxonomy.Error},
			{"randomness", r.Taxonomy.Randomness, as.Taxonomy.Randomness},
		} {
			if c.x < c.of.Lo-1e-9 || c.x > c.of.Hi+1e-9 {
				t.Fatalf("%s: %v is not in %+v", c.name, c.x, c.of)
			}
		}
	})
}
