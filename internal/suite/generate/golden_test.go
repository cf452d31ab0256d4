package generate

import (
	"slices"
	"testing"

	"hallmark/internal/grade"
	"hallmark/internal/grade/rubric"
	"hallmark/internal/suite"
	"hallmark/internal/world"
)

// judge grades one answer and says whether it hallucinates.
func judge(t *testing.T, r *rubric.Rubric, c *suite.Case, answer string) (grade.Grade, bool) {
	t.Helper()
	g := r.Grade(c, grade.Answer{Text: &answer})
	h, scored := g.Hallucinated(false)
	if !scored {
		t.Errorf("%s: %q is unscored: %s", c.ID, answer, g.Reason)
	}
	return g, h
}

// TestGolden holds that the rubric passes an answer that is right and fails one that is wrong, for every case of core and of a larger suite.
func TestGolden(t *testing.T) {
	for _, seed := range []uint64{1, 7} {
		s, _, err := Suite(world.Earth(), Options{N: 900, Seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		golden(t, s)
	}
}

func golden(t *testing.T, s *suite.Suite) {
	t.Helper()
	r, err := rubric.New(s, s.AsOf)
	if err != nil {
		t.Fatal(err)
	}
	for i := range s.Cases {
		c := &s.Cases[i]
		right, wrong, ok := Golden(c)
		if !ok {
			t.Errorf("%s: no golden answers", c.ID)
			continue
		}
		if g, h := judge(t, r, c, right); h || g.Format.Verdict == grade.Fail {
			t.Errorf("%s: %v\nQ: %s\n%v\nright answer fails: %s\nT %v\nD %v\nR %v\nF %v", c.ID, c.Tags, c.Prompt, c.Context, right, g.Truth, g.Decidability, g.Reciprocity, g.Format)
		}
		if g, h := judge(t, r, c, wrong); !h {
			t.Errorf("%s: %v\nQ: %s\n%v\nwrong answer passes: %s\nT %v\nD %v\nR %v", c.ID, c.Tags, c.Prompt, c.Context, wrong, g.Truth, g.Decidability, g.Reciprocity)
		}
		if len(c.Phrasings) < 3 && !slices.Contains(c.Tags, "worked-case") {
			t.Errorf("%s: %d phrasings beside the prompt", c.ID, len(c.Phrasings))
		}
	}
}
