package generate

import (
	"slices"
	"strings"
	"testing"

	"hallmark/internal/suite"
	"hallmark/internal/suite/world"
)

// definitionIn returns the definition that a prompt asks for.
func definitionIn(w *world.World, prompt string) *world.Definition {
	for i := range w.Definitions {
		if f := &w.Definitions[i]; strings.Contains(prompt, `"`+f.Term+`"`) {
			return f
		}
	}
	return nil
}

func oodExamples(w *world.World, c *suite.Case) []example {
	f := definitionIn(w, c.Prompt)
	right := f.Text + " " + f.Apart
	if c.Format.MaxWords > 0 {
		right = f.Short
		if len(c.Oracle.Parts) > len(f.Parts) {
			right += " " + f.Apart
		}
	}
	return []example{
		{right, ""},
		{"I don't know that one.", "TD"},
		{"It is a kind of furniture with four legs.", "T"},
	}
}

func TestOOD(t *testing.T) {
	for _, w := range worlds(ood) {
		for _, c := range holds(t, w, ood, oodExamples) {
			f := definitionIn(w, c.Prompt)
			want := proofParts(f.Parts, f.Text)
			if strings.Contains(c.Prompt, f.Beside) && f.Beside != "" {
				want = append(want, proofParts(f.Distinct, f.Apart)...)
			}
			if len(c.Oracle.Parts) != len(want) {
				t.Errorf("%s: %d parts, want %d", c.ID, len(c.Oracle.Parts), len(want))
			}
		}
	}
	if c := workedOf(t, library(), ood); !strings.Contains(c.Prompt, "matroid") || len(c.Oracle.Parts) != 4 {
		t.Errorf("%+v", c)
	}
}

// TestDefinitionsHold holds that what the world writes as definitions has all their parts, for every definition: where
// that is read.
func TestDefinitionsHold(t *testing.T) {
	w := world.Earth()
	n, open, misread := 0, 0, 0
	for i := range w.Definitions {
		f := &w.Definitions[i]
		for _, x := range []struct {
			text  string
			parts [][]string
		}{{f.Text, proofParts(f.Parts, f.Text)}, {f.Short, proofParts(f.Parts, f.Short)},
			{f.Apart, proofParts(f.Distinct, f.Apart)}} {
			if len(x.parts) == 0 {
				continue
			}
			for k := range x.parts { // by its patterns, not by being the text itself
				x.parts[k] = slices.DeleteFunc(x.parts[k], func(p string) bool { return p == x.text })
			}
			c := suite.Case{Class: "ood", Prompt: "What is it?", AnswerType: suite.Prose, Oracle: &suite.Oracle{Type: "proof",
				Parts: x.parts}}
			n++
			if got := gradeOf(t, w, c, x.text); got == "?" {
				open++
			} else if got != "" {
				misread++
				t.Logf("%q: %q fails %s of %q", f.Term, x.text, got, x.parts)
			}
		}
	}
	if misread > n/100 {
		t.Errorf("%d of %d definitions are misread", misread, n)
	}
	if t.Logf("%d of %d are not read", open, n); float64(open) > .1*float64(n) {
		t.Errorf("%d of %d definitions are not read", open, n)
	}
	// A part that the text denies is shown in a denial, and has to be there.
	parts := proofParts([][]string{{"matter"}, {"again"}}, "A matter that cannot be litigated again.")
	c := suite.Case{Class: "ood", Prompt: "What is it?", AnswerType: suite.Prose, Oracle: &suite.Oracle{Type: "proof",
		Parts: parts}}
	for text, want := range map[string]string{"It says that no matter may be brought to court again.": "",
		"It says that a matter is brought to court.": "T"} {
		if got := gradeOf(t, w, c, text); got != want && got != "?" {
			t.Errorf("%q fails %q, want %q", text, got, want)
		}
	}
}
