package report

import (
	"bytes"
	"strings"
	"testing"

	"hallmark/internal/assay/gate"
	"hallmark/internal/metric/rate"
)

// A comment begins with what limits it, has the outcomes of both runs in one table, five cases of each kind with both
// answers, and says how many there are besides. Nothing in it comes alive.
func TestCompareComment(t *testing.T) {
	r := reduction()
	r.Limits = []string{"run x is incomplete: 2 of its answers"}
	for i := range r.Discordant.Cases {
		r.Discordant.Cases[i].Answers = &rate.BothAnswers{Question: "What is it? " + hostile, Gold: hostile,
			Base: "Lima", Other: "Paris"}
	}
	var out bytes.Buffer
	if err := CompareComment(&out, r, "monday "+hostile, "tuesday", gate.Acceptance{}); err != nil {
		t.Fatal(err)
	}
	text := out.String()
	last := -1
	for _, says := range []string{"> ⚠ run x is incomplete", "### Wrong answers fell by",
		"| share of the answers | before | after |", "| wrong answers | 33–37 % | 12–14 % | −25 to −19 |",
		"| could not be graded | 4.0 % | 2.0 % |", "**2 cases regressed**", "- d1: What is it?",
		"  - base: **Lima**", "and 1 more", "**22 cases fixed**", "- c4", "and 17 more",
		"> ⚠ 2 cases are in only one"} {
		at := strings.Index(text, says)
		if at <= last {
			t.Errorf("%q is at %d, after %d, in\n%s", says, at, last, text)
		}
		last = at
	}
	if strings.Contains(text, "- c5") {
		t.Error("it has a sixth case")
	}
	checkMarkdown(t, text)
}

func TestComment(t *testing.T) {
	a := one(t)
	var out bytes.Buffer
	if err := Comment(&out, a); err != nil {
		t.Fatal(err)
	}
	text := out.String()
	n := strings.Count(text, "  - answer: ")
	if !strings.HasPrefix(text, "### ") || !strings.Contains(text, "| wrong answers | ") || n == 0 || n > commented {
		t.Error(text)
	}
	checkMarkdown(t, text)
}

// checkMarkdown holds that no text of a model or a suite is alive in Markdown.
func checkMarkdown(t *testing.T, text string) {
	t.Helper()
	for _, alive := range []string{"<script", "](http", "\x1b", "<img"} {
		if strings.Contains(text, alive) {
			t.Errorf("%q is alive in\n%s", alive, text)
		}
	}
}
