package oracle

import (
	"testing"

	"hallmark/internal/grade"
	"hallmark/internal/suite"
	"hallmark/internal/text/evidence"
)

// TestForms: answers by another name of an option, or in a word for yes and no, and what only looks like one.
func TestForms(t *testing.T) {
	yes, planets := suite.Gold{Texts: []string{"yes"}}, []string{"Mercury", "Venus", "Mars", "Jupiter"}
	for _, c := range []struct {
		c    suite.Case
		text string
		want grade.Verdict
	}{
		{suite.Case{Prompt: "Which planet is hottest?", Options: planets, Gold: suite.Gold{Texts: []string{"Venus"}}},
			"The second one.", grade.Pass},
		{suite.Case{Prompt: "Which planet is hottest?", Options: planets, Gold: suite.Gold{Texts: []string{"Venus"}}},
			"The first one.", grade.Fail},
		{suite.Case{Prompt: "Which planet is hottest?", Options: planets, Gold: suite.Gold{Texts: []string{"Venus"}}},
			"Not Mercury, but Venus.", grade.Pass},
		{suite.Case{Prompt: "Which planet is hottest?", Options: planets, Gold: suite.Gold{Texts: []string{"Venus"}}},
			"Not Venus, but Mercury.", grade.Fail},
		{suite.Case{Prompt: "Is the sea salty?", Gold: yes}, "Certainly.", grade.Pass},
		{suite.Case{Prompt: "Is the sea salty?", Gold: yes}, "Certainly not.", grade.Fail},
	} {
		c.c.ID = "x"
		o, err := newOracle(&c.c)
		if err != nil {
			t.Fatal(err)
		}
		if f := Judge(o, Reading{Text: evidence.Read(c.text)}); f.Truth.Verdict != c.want {
			t.Errorf("%q: %+v, want %s", c.text, f.Truth, c.want)
		}
	}
}
