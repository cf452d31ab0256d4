package rubric

import (
	"encoding/base64"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"hallmark/internal/archtest"
	"hallmark/internal/grade"
	"hallmark/internal/suite"
)

var hostile = map[string]string{
	"digits":        strings.Repeat("9", 1_000_000),
	"exponent":      "1e999999999",
	"power":         "= 9^9^9^9^9^9^9",
	"equals":        strings.Repeat("1+1=3 ", 300_000),
	"brackets":      strings.Repeat("(", 1_000_000) + "1=1",
	"quotes":        strings.Repeat(`"a b `, 400_000),
	"curly quotes":  strings.Repeat("“a b ", 300_000),
	"braces":        strings.Repeat(`\boxed{`, 200_000),
	"fractions":     strings.Repeat(`\frac{`, 200_000),
	"stars":         strings.Repeat("*", 2_000_000),
	"one word":      strings.Repeat("paris", 400_000),
	"accepted":      strings.Repeat("Paris ", 400_000),
	"or":            strings.Repeat("Paris or ", 300_000),
	"declines":      strings.Repeat("I do not know ", 200_000),
	"corrections":   strings.Repeat("no wait Paris ", 200_000),
	"citations":     strings.Repeat("[L9] ", 400_000),
	"context":       strings.Repeat("World IPv6 Launch Day took place on ", 50_000),
	"links":         strings.Repeat("https://a.b/c ", 200_000),
	"isbn":          strings.Repeat("978-0-465-02656-3 ", 100_000),
	"bullets":       strings.Repeat("- x\n", 500_000),
	"tags":          strings.Repeat("<answer>", 300_000),
	"newlines":      strings.Repeat("\n", 2_000_000),
	"questions":     strings.Repeat("?", 2_000_000),
	"invalid":       strings.Repeat("\xff\xfe", 500_000) + "Paris",
	"right to left": "\u202eParis\u202c \u200f\u2067Lyon\u2069",
	"combining":     "P" + strings.Repeat("\u0301", 500_000) + "aris",
	"nul":           "Par\x00is\x01declined",
	"entities":      strings.Repeat("&amp;", 400_000),
	"backslashes":   strings.Repeat(`\`, 1_000_000),
	"apostrophes":   strings.Repeat(" 'a", 500_000),
	"steps":         strings.Repeat("Step 1: 2 → 3\n", 100_000),
	"names":         strings.Repeat("of Brandt ", 200_000),
	"denials":       strings.Repeat("not of Brandt ", 150_000),
	"no kings":      strings.Repeat("no law never did not ", 100_000),
	"trap":          strings.Repeat("L3 says 2008 ", 150_000),
	"trap cited":    strings.Repeat("2012 [L1] L3 2008. That is wrong. ", 60_000),
	"yes":           strings.Repeat("yes ", 300_000),
	"hours":         strings.Repeat("3 hours and 5 minutes ", 100_000),
	"isbns":         strings.Repeat("ISBN 978-0-465-02656-3, ", 80_000),
	"digits of all": strings.Repeat("٣४３𝟛10²³ ", 60_000),
	"dollars":       strings.Repeat("$5 $", 300_000),
	"table":         strings.Repeat("| Paris | 5 |\n", 100_000),
	"say":           strings.Repeat("some say Paris, others Lyon, so Paris. ", 40_000),
	"lists":         strings.Repeat("Paris, Lyon, ", 100_000),
	"pattern":       strings.Repeat("ab", 300_000),
	"escapes":       strings.Repeat("\x1b[31mParis\x1b[0m\x1b]0;x\x07", 50_000),
	"dates":         strings.Repeat("May 2026 ", 200_000),
	"data":          strings.Repeat(`"a": "b c d", `, 100_000),
	"insertions":    strings.Repeat(`"[T]he day […] was [...] L1" `, 60_000),
	"buts":          "I do not know " + strings.Repeat("but the town paid yet ", 60_000),
	"which":         "Newton " + strings.Repeat("book, which Newton wrote with Einstein ", 40_000),
	"laws":          strings.Repeat("The law was written. ", 60_000) + "three laws",
	"labels":        strings.Repeat("L1: L2: L3: A: B: ", 80_000),
	"until":         strings.Repeat("until they had three laws but the law is known ", 40_000),
}

// representative cases: one of every oracle and of the rules that look at the whole text.
var representative = []string{"cap", "moon", "prime", "pop", "mcq", "ipv6", "doi", "georgia", "tribes", "newton"}

// newer are cases of the oracles that representative does not have.
func newer() *suite.Suite {
	s := &suite.Suite{Name: "newer", Cases: suite.ListOf([]suite.Case{
		{ID: "isbn", Class: "id-precision", Oracle: &suite.Oracle{Type: "identifier", Kind: "isbn",
			Accept: []string{"978-0-465-02656-2"}}},
		{ID: "url", Oracle: &suite.Oracle{Type: "identifier", Accept: []string{"https://a.gov/x"},
			Reject: []string{"https://a.b/c"}}},
		{ID: "head", Oracle: &suite.Oracle{Type: "temporal", At: "2020",
			Holders: []suite.Holder{{Value: "Paris", Through: "2019"}, {Value: "Brandt", From: "2020"}}}},
		{ID: "steps", Oracle: &suite.Oracle{Type: "proof", Ordered: true,
			Parts: [][]string{{"Paris"}, {"/(a|b|ab)*c/", "/(x+x+)+y/"}, {"2012", "1"}}}},
		{ID: "program", Oracle: &suite.Oracle{Type: "program",
			Expression: `numbers.exists(n, n == 7.0) || words.exists(w, w == "seven") || lines.exists(l, l.matches("(a*)*b"))`}},
		{ID: "road", Oracle: &suite.Oracle{Type: "numeric", Value: "205", Unit: "min"}},
	})}
	for i := range s.Cases.Len() {
		s.Cases.At(i).Prompt = "What is it?"
	}
	return s
}

// TestManyModules: the modules of a suite share their steps, so that many that never end are graded in minutes, each
// by the same bound whatever else runs.
func TestManyModules(t *testing.T) {
	section := func(id byte, body string) string { return string([]byte{id, byte(len(body))}) + body }
	endless := "\x00asm\x01\x00\x00\x00" + section(1, "\x01\x60\x00\x00") + section(3, "\x01\x00") + section(5,
		"\x01\x00\x01") +
		section(7, "\x02\x06_start\x00\x00\x06memory\x02\x00") + section(10, "\x01\x07\x00\x03\x40\x0c\x00\x0b\x0b")
	var cases []suite.Case
	for i := range 3000 {
		o := suite.Oracle{Type: "program", Code: base64.StdEncoding.EncodeToString([]byte(endless))}
		cases = append(cases, suite.Case{ID: strconv.Itoa(i), Prompt: "Which?", Oracle: &o})
	}
	many := &suite.Suite{Name: "many", Cases: suite.ListOf(cases)}
	few := &suite.Suite{Name: "few", Cases: many.Cases.First(200)}
	for s, steps := range map[*suite.Suite]string{many: "20000000", few: "300000000"} {
		r, err := Of(s, "")
		if err != nil {
			t.Fatal(err)
		}
		text := "This."
		g := r.Grade(s.Cases.At(7), grade.Answer{Text: &text})
		if want := "no verdict within " + steps + " steps"; g.Truth.Verdict != grade.Unscored ||
			!strings.Contains(g.Reason, want) {
			t.Errorf("%s: %+v, want %q", s.Name, g, want)
		}
	}
}

// TestHostile grades texts made to cost time or memory. They have a megabyte or two, so that a rule that took time
// quadratic in one would run into the limit of go test: there is no other clock. One pair of text and case in 97 is
// graded, with HALLMARK_LONG=1 one in 9, in which every text meets one case or two, and with HALLMARK_LONG=full every
// pair.
func TestHostile(t *testing.T) {
	archtest.OneGoroutine(t)
	s := labelledCases(t)
	r, err := New(s, "2026-11-01")
	if err != nil {
		t.Fatal(err)
	}
	more := newer()
	r2, err := New(more, "2026-11-01")
	if err != nil {
		t.Fatal(err)
	}
	step, pair := archtest.Draws(197, 9, 1), 0
	for _, name := range slices.Sorted(maps.Keys(hostile)) {
		text := hostile[name]
		t.Run(name, func(t *testing.T) {
			meet := func(r *Rubric, c *suite.Case) {
				if pair++; pair%step == 0 {
					check(t, r.Grade(c, grade.Answer{Text: &text}))
				}
			}
			for i := range more.Cases.Len() {
				meet(r2, more.Cases.At(i))
			}
			for _, id := range representative {
				meet(r, s.Cases.At(slices.IndexFunc(s.Cases.Loose(), func(c suite.Case) bool { return c.ID == id })))
			}
		})
	}
}

// check holds what is true of every grade.
func check(t *testing.T, g grade.Grade) {
	t.Helper()
	for _, j := range []grade.Judgment{g.Truth, g.Decidability, g.Reciprocity, g.Format} {
		if j.Rule == "" || len(j.Evidence) > 4000 || !utf8.ValidString(j.Evidence) {
			t.Fatalf("a judgment without a rule, with long evidence or invalid text: %+v", j)
		}
	}
	h, _ := g.Hallucinated(false)
	if (g.Kind != grade.None) != h {
		t.Fatalf("kind %q where H is %v: %+v", g.Kind, h, g)
	}
	if !g.Normal.IsZero() != (g.Outcome() != grade.NoOutcome) {
		t.Fatalf("compared as %q, outcome %q: %+v", g.Normal, g.Outcome(), g)
	}
	if g.Truth.Verdict == grade.Ungradable && g.Decidability.Verdict == grade.Pass {
		t.Fatalf("ungradable and decidable: %+v", g)
	}
}

func FuzzGrade(f *testing.F) {
	s := labelledCases(f)
	r, err := New(s, "2026-11-01")
	if err != nil {
		f.Fatal(err)
	}
	for i, l := range append(opinions(f, s, "testdata/heldout.txt"), opinions(f, s, "testdata/development.txt")...) {
		if i%archtest.Draws(5, 1, 1) == 0 { // TestLabelledSet grades each by its own case
			f.Add(l.answer, "stop")
		}
	}
	more := newer()
	r2, err := New(more, "2026-11-01")
	if err != nil {
		f.Fatal(err)
	}
	f.Add("ISBN 978-O-465-02656-2 3 hours and 25 minutes, so RFC 1 $5$ ٣", "stop")
	f.Add("1e999999999", "length")
	f.Add("\\frac{1}{0} = 0/0 = 3", "")
	f.Fuzz(func(t *testing.T, text, finish string) {
		for i := range s.Cases.Len() {
			check(t, r.Grade(s.Cases.At(i), grade.Answer{Text: &text, Finish: finish}))
		}
		for i := range more.Cases.Len() {
			check(t, r2.Grade(more.Cases.At(i), grade.Answer{Text: &text, Finish: finish}))
		}
	})
}

// An answer that is too long to be read whole is not wrong for what was not read of it, by rules or by what a suite
// runs, nor is it asked of judges.
func TestTooLong(t *testing.T) {
	archtest.OneGoroutine(t)
	s, err := suite.Parse("long.yaml", []byte(`suite: {name: long, version: "1"}
cases:
  - {id: gold, prompt: "Capital of Peru?", gold: Lima}
  - {id: all, prompt: "What is proved?", oracle: {type: proof, steps: ["so it is shown that it holds"]}}
  - {id: cel, prompt: "Say Lima.", oracle: {type: program, expression: "answer.contains('Lima')"}, gold: Lima}
  - {id: bullets, prompt: "Name it in two bullets.", format: {bullets: 2}, gold: Lima}
`))
	if err != nil {
		t.Fatal(err)
	}
	r, err := New(s, "")
	if err != nil {
		t.Fatal(err)
	}
	r.Judges, r.All = 1, true
	filler := strings.Repeat("The river is wide and slow. ", 2500)
	for i := range s.Cases.Len() {
		c := s.Cases.At(i)
		text := filler + "\n- It is Lima.\n- So it is shown that it holds.\n" + filler
		a := grade.Answer{Text: &text, Finish: "stop"}
		if g := r.Grade(c, a); g.Outcome() != grade.CannotGrade || g.Truth.Rule != "the answer is too long to be read whole" {
			t.Errorf("%s: %+v", c.ID, g)
		}
		if g := r.Grade(c, a); g.Format.Verdict == grade.Fail {
			t.Errorf("%s: format %+v", c.ID, g.Format)
		}
		if q := r.Questions(c, a); len(q) > 0 {
			t.Errorf("%s: %d questions to judges", c.ID, len(q))
		}
	}
}
