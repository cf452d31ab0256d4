package rubric

import (
	"regexp"
	"strings"
	"testing"

	"hallmark/internal/archtest"
	"hallmark/internal/grade"
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

// TestFrames puts frames around labelled answers, which must have the outcome that they had: few may turn from or to
// ungradable, fewer to another.
func TestFrames(t *testing.T) {
	archtest.OneGoroutine(t)
	for k, f := range frames {
		dressed(t, f.name, k, len(frames)*archtest.Draws(12, 1, 1), func(o opinion) string {
			if o.c.ID == "echo" || o.c.ID == "sum3" || o.c.ID == "primes20" || strings.HasPrefix(f.behind, "\n") &&
				strings.Contains(o.answer, "```") {
				return o.answer // programs count words and numbers
			}
			return f.before + o.answer + f.behind
		})
	}
}

// dressed grades every so many-th labelled answer as it is and in another dress.
func dressed(t *testing.T, name string, first, step int, dress func(opinion) string) {
	t.Helper()
	var alike, told share
	n := 0
	for _, set := range labelledSets(t) {
		if set.name == "kept" {
			continue
		}
		for _, o := range set.all {
			text := dress(o)
			if text == o.answer {
				continue
			}
			if n++; n%step != first {
				continue
			}
			before, after := set.r.Grade(o.c, grade.Answer{Text: &o.answer}), set.r.Grade(o.c, grade.Answer{Text: &text})
			was, is := before.Outcome(), after.Outcome()
			told.add((was == grade.CannotGrade) == (is == grade.CannotGrade))
			if was == grade.CannotGrade || is == grade.CannotGrade {
				continue
			}
			if alike.add(was == is); was != is && alike.n-alike.agree <= 12 {
				t.Logf("%s: %s: %q: %s, then %s\n  T %s: %s\n  D %s: %s", name, o.c.ID, text, was, is, after.Truth.Rule,
					after.Truth.Evidence, after.Decidability.Rule, after.Decidability.Evidence)
			}
		}
	}
	t.Logf("%-18s outcome the same %v; decided as before %v", name, alike, told)
	if alike.n == 0 || alike.value() < .98 || told.value() < .95 {
		t.Errorf("%s: of %d answers decided before and after %.3f have the same outcome, %.3f are decided as before", name,
			alike.n, alike.value(), told.value())
	}
}

// dresses are ways of writing the same text.
var dresses = []struct {
	name string
	of   func(string) string
}{
	{"curly quotes", func(s string) string {
		if strings.HasPrefix(s, "{") { // in JSON nobody does
			return s
		}
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

// TestDresses writes labelled answers in other ways, in which they must have the outcome that they had.
func TestDresses(t *testing.T) {
	archtest.OneGoroutine(t)
	for _, d := range dresses {
		dressed(t, d.name, 0, 3, func(o opinion) string { return d.of(o.answer) })
	}
}
