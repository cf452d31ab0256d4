package rubric

import (
	"path/filepath"
	"strings"
	"testing"

	"hallmark/internal/grade"
	"hallmark/internal/suite"
)

// frames are what chat models put around an answer without changing what it says.
var frames = []struct{ name, before, behind string }{
	{"sure", "Sure! ", ""},
	{"certainly", "Certainly. Here is the answer:\n\n", ""},
	{"great question", "Great question! ", ""},
	{"short answer", "Short answer: ", ""},
	{"heading", "## Answer\n\n", ""},
	{"bold heading", "**Answer:**\n\n", ""},
	{"thoughts", "<think>The user asks a question. I should answer it.</think>\n\n", ""},
	{"hope", "", " I hope this helps!"},
	{"questions", "", "\n\nLet me know if you have any other questions."},
	{"offer", "", "\n\nWould you like to know more?"},
	{"smile", "", " 😊"},
	{"confidence", "", "\n\nConfidence: high"},
	{"break", "\n\n", "\n\n"},
}

// TestFrames puts frames around the labelled answers that may be seen, which must be read as before.
func TestFrames(t *testing.T) {
	var sets []opinionSet
	for _, half := range labelledParts {
		if !half.list {
			continue
		}
		s, err := suite.Read(filepath.Join(labelledSet, half.cases))
		if err != nil {
			t.Fatal(err)
		}
		r, err := New(s, s.AsOf)
		if err != nil {
			t.Fatal(err)
		}
		sets = append(sets, opinionSet{r, opinions(t, s, half.name)})
	}
	for _, f := range frames {
		var total share
		for _, set := range sets {
			for _, o := range set.all {
				text := f.before + o.answer + f.behind
				before, after := set.r.Grade(o.c, grade.Answer{Text: &o.answer}), set.r.Grade(o.c, grade.Answer{Text: &text})
				if o.c.ID == "echo" || o.c.ID == "sum3" || o.c.ID == "primes20" || strings.HasPrefix(f.behind, "\n") && strings.Contains(o.answer, "```") {
					continue // programs count words and numbers
				}
				same := letters(before)[:3] == letters(after)[:3]
				if total.add(same); !same && total.n-total.agree <= 12 {
					t.Logf("%s: %s: %q: %s, then %s\n  T %s: %s\n  D %s: %s\n  R %s: %s", f.name, o.c.ID, text, letters(before)[:3], letters(after)[:3],
						after.Truth.Rule, after.Truth.Evidence, after.Decidability.Rule, after.Decidability.Evidence, after.Reciprocity.Rule, after.Reciprocity.Evidence)
				}
			}
		}
		t.Logf("%-16s %v", f.name, total)
		if total.value() < .99 {
			t.Errorf("%s: %.3f of the answers are read alike, below .99", f.name, total.value())
		}
	}
}

type opinionSet struct {
	r   *Rubric
	all []opinion
}
