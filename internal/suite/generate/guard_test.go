package generate

import (
	"context"
	"slices"
	"testing"

	"hallmark/internal/archtest"
	"hallmark/internal/ask/guard"
	"hallmark/internal/ask/inventory"
	"hallmark/internal/ask/prompt"
	"hallmark/internal/grade"
	"hallmark/internal/grade/rubric"
	"hallmark/internal/model/modeltest"
	"hallmark/internal/stat"
	"hallmark/internal/suite"
	"hallmark/internal/suite/world"
)

// TestGuardElsewhere measures the guard in a world that its rules were not written for: a right and a wrong answer to
// every case of earth, given by a model that gives it in all wordings, with an index of what exists there. What is
// right must come through; what is wrong is withheld where there is something to hold it to. The rules were mended on
// CoreSeed, which HALLMARK_LONG=1 adds; the other is the measurement. `-v` prints the tables of docs/guard.md.
func TestGuardElsewhere(t *testing.T) {
	if archtest.Race {
		t.Skip("on one goroutine")
	}
	w := world.Earth()
	config := guard.Defaults()
	config.Inventory = inventory.Of(w, false)
	for _, seed := range []uint64{2, CoreSeed}[:archtest.Draws(1, 2, 2)] {
		s, _, err := Suite(w, Options{N: 900, Seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		rub, err := rubric.New(s, "")
		if err != nil {
			t.Fatal(err)
		}
		type counts struct{ n, broken, commission, guarded int }
		by, all := map[string]*counts{}, &counts{}
		for i := 0; i < s.Cases.Len(); i += archtest.Draws(6, 1, 1) {
			c := s.Cases.At(i)
			right, wrong, _ := golden(c)
			req := prompt.Render(c, prompt.Variant{Prompt: c.Prompt}, prompt.RenderOptions{Generate: true})
			req.Options = nil // letters are shown, and read from the text
			if by[c.Class] == nil {
				by[c.Class] = &counts{}
			}
			both := []*counts{by[c.Class], all}
			bare := func(text string) grade.Grade { return rub.Grade(c, grade.Answer{Text: &text}) }
			behind := func(text string) grade.Grade {
				m, err := guard.New(modeltest.Says("steadfast@1", text), config)
				if err != nil {
					t.Fatal(err)
				}
				resp, err := m.Generate(context.Background(), req)
				if err != nil {
					t.Fatal(err)
				}
				return rub.Grade(c, grade.Answer{Text: resp.Text})
			}
			// What can no longer be graded counts against the guard: as spoilt, and as still asserted.
			spoilt := bare(right).Outcome() == grade.Correct && behind(right).Outcome() != grade.Correct
			failed := bare(wrong)
			then := behind(wrong)
			for _, k := range both {
				k.n++
				if spoilt {
					k.broken++
				}
				if failed.Kind == grade.Commission {
					k.commission++
					if then.Kind == grade.Commission || then.Outcome() == grade.CannotGrade {
						k.guarded++
					}
				}
			}
			if spoilt {
				t.Logf("seed %d %s: a right answer is spoilt: %q", seed, c.ID, right)
			}
		}
		t.Logf("| class, seed %d | right answers spoilt | wrong assertions | of these still asserted |", seed)
		for _, class := range append(slices.Clone(suite.Classes), "all") {
			k := by[class]
			if class == "all" {
				k = all
			}
			e := stat.Wilson(k.broken, k.n, .95)
			t.Logf("| %s | %d of %d (%.1f to %.1f %%) | %d | %d |", class, k.broken, k.n, 100*e.Lo, 100*e.Hi, k.commission,
				k.guarded)
		}
		if 50*all.broken > all.n {
			t.Errorf("seed %d: the guard spoils %d of %d right answers", seed, all.broken, all.n)
		}
		for _, class := range []string{"nonexistent-citation", "url-fabrication"} { // where all that is wrong is made up
			if k := by[class]; 2*k.guarded > k.commission {
				t.Errorf("seed %d: %d of %d inventions of %s come through", seed, k.guarded, k.commission, class)
			}
		}
	}
}
