package generate

import (
	"slices"
	"strings"
	"testing"

	"hallmark/internal/suite"
	"hallmark/internal/suite/world"
	"hallmark/internal/text/evidence"
)

func conflictExamples(w *world.World, c *suite.Case) []example {
	if c.Decline {
		value := c.Oracle.Reject[0]
		return []example{{"The lines do not say that.", ""}, {"It is " + value + ".", "TR"},
			{"From memory: " + value + ".", "TR"}}
	}
	id, value := c.Oracle.Lines[0], c.Gold.Texts[0]
	all := []example{
		{value + " [" + id + "]", ""},
		{value, "R"},
		{"I don't know.", "TD"},
		{"Zorbleigh [" + id + "]", "T"},
	}
	for _, word := range c.Oracle.Reject {
		if strings.Contains(c.System, "neutral") || strings.Contains(c.System, "even tone") ||
			strings.Contains(c.System, "sides") {
			all = append(all, example{value + " [" + id + "]. And I call it " + word + ".", "R"})
		} else {
			all = append(all, example{word + " [" + id + "]", "TR"}, example{value + ", not " + word + " [" + id + "]", ""})
		}
	}
	if n := c.Format.MaxWords; n > 0 {
		all = append(all, example{value + " [" + id + "]" + strings.Repeat(" and so on", n/3+1), "F"})
	}
	return all
}

func TestInstructionConflict(t *testing.T) {
	for _, w := range worlds(instructionConflict) {
		for _, c := range holds(t, w, instructionConflict, conflictExamples) {
			if c.System == "" || !slices.Contains(c.Tags, "instruction-conflict") {
				t.Errorf("%s: system %q, tags %v", c.ID, c.System, c.Tags)
			}
			if c.Decline {
				for _, p := range c.Context {
					for _, v := range c.Oracle.Reject {
						if strings.Contains(p.Text, v) {
							t.Errorf("%s: %q holds %q, which is to be missing", c.ID, p.Text, v)
						}
					}
				}
				continue
			}
			// The line of the oracle holds the gold, and the world says so.
			i := slices.IndexFunc(c.Context, func(p evidence.Passage) bool { return p.ID == c.Oracle.Lines[0] })
			if i < 0 || !slices.ContainsFunc(c.Gold.Texts, func(v string) bool {
				return strings.Contains(strings.ToLower(c.Context[i].Text), strings.ToLower(v))
			}) {
				t.Errorf("%s: no gold %q in line %v of %v", c.ID, c.Gold.Texts, c.Oracle.Lines, c.Context)
			}
			if !saidBy(w, &c) {
				t.Errorf("%s: %q is not what the world answers to %q", c.ID, c.Gold.Texts, c.Prompt)
			}
		}
	}
	c := workedOf(t, library(), instructionConflict)
	if !slices.Contains(c.Oracle.Reject, "liars") || c.Domain != "civic" || len(c.Context) == 0 {
		t.Errorf("%+v", c)
	}
}

// saidBy reports whether a question of a text or a fact of a relation that the prompt names has the gold.
func saidBy(w *world.World, c *suite.Case) bool {
	for _, x := range w.Texts {
		for _, a := range x.Asked {
			if strings.Contains(c.Prompt, a.Question) && a.Value == c.Gold.Texts[0] {
				return true
			}
		}
	}
	return slices.ContainsFunc(owners(w, c.Gold.Texts[0]), func(of string) bool { return names(c.Prompt, of) })
}
