package generate

import (
	"strings"
	"testing"

	"hallmark/internal/suite"
	"hallmark/internal/world"
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
	for _, w := range worlds(t) {
		for _, c := range holds(t, w, ood, 60, oodExamples) {
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
