package rubric

import (
	"path/filepath"
	"regexp"
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
	sets := seen(t)
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

// dresses are ways of writing the same text.
var dresses = []struct {
	name string
	of   func(string) string
}{
	{"curly quotes", func(s string) string {
		var b strings.Builder
		open := true
		for _, r := range s {
			if r == '"' {
				r = map[bool]rune{true: '“', false: '”'}[open]
				open = !open
			}
			b.WriteRune(r)
		}
		return b.String()
	}},
	{"curly apostrophes", func(s string) string { return apostrophe.ReplaceAllString(s, "$1’$2") }},
	{"carriage returns", func(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") }},
	{"no-break blanks", func(s string) string { return beforeUnit.ReplaceAllString(s, "$1\u00a0$2") }},
	{"narrow blanks", func(s string) string { return beforeUnit.ReplaceAllString(s, "$1\u202f$2") }},
	{"no full stop", func(s string) string { return strings.TrimSuffix(s, ".") }},
	{"bold numbers", func(s string) string {
		if strings.ContainsAny(s, "$*`^_{/:") { // inside formulas, dates and addresses nobody does
			return s
		}
		return boldable.ReplaceAllString(s, "$1**$2**$3")
	}},
	{"double blanks", func(s string) string { return strings.ReplaceAll(s, ". ", ".  ") }},
	{"minus signs", func(s string) string { return hyphen.ReplaceAllString(s, "$1−$2") }},
}

var (
	apostrophe = regexp.MustCompile(`([a-z])'([a-z])`)
	beforeUnit = regexp.MustCompile(`([0-9]) (%|°|€|km|m|kg|g|cm|mg|min|h|euros|metres|minutes|grams|crowns|days)\b`)
	boldable   = regexp.MustCompile(`( )([0-9][0-9,.]*[0-9])( |$|\.$)`)
	hyphen     = regexp.MustCompile(`(^|= |is )-([0-9])`)
)

// TestDresses writes the labelled answers that may be seen in other ways, in which they must be read as before.
func TestDresses(t *testing.T) {
	sets := seen(t)
	for _, d := range dresses {
		var total share
		for _, set := range sets {
			for _, o := range set.all {
				text := d.of(o.answer)
				if text == o.answer {
					continue
				}
				before, after := set.r.Grade(o.c, grade.Answer{Text: &o.answer}), set.r.Grade(o.c, grade.Answer{Text: &text})
				same := letters(before)[:3] == letters(after)[:3]
				if total.add(same); !same && total.n-total.agree <= 12 {
					t.Logf("%s: %s: %q: %s, then %s\n  T %s: %s\n  D %s: %s\n  R %s: %s", d.name, o.c.ID, text, letters(before)[:3], letters(after)[:3],
						after.Truth.Rule, after.Truth.Evidence, after.Decidability.Rule, after.Decidability.Evidence, after.Reciprocity.Rule, after.Reciprocity.Evidence)
				}
			}
		}
		t.Logf("%-18s %v", d.name, total)
		if total.n == 0 || total.value() < .98 {
			t.Errorf("%s: %.3f of %d answers are read alike, below .98", d.name, total.value(), total.n)
		}
	}
}

type opinionSet struct {
	r   *Rubric
	all []opinion
}

// seen reads the parts of the labelled set that may be seen, each with its rubric.
func seen(t *testing.T) []opinionSet {
	t.Helper()
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
	return sets
}
