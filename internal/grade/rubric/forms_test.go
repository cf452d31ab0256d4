package rubric

import (
	"encoding/csv"
	"encoding/json"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"hallmark/internal/archtest"
	"hallmark/internal/grade"
	"hallmark/internal/suite"
)

// digitsOf writes a text's digits in the script whose zero is given.
func digitsOf(s string, zero rune) string {
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return zero + r - '0'
		}
		return r
	}, s)
}

// grouped parts the digits of a whole number into threes from the right.
func grouped(s, between string) string {
	sign, digits := "", s
	if strings.HasPrefix(s, "-") {
		sign, digits = "-", s[1:]
	}
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + between + digits[i:]
	}
	return sign + digits
}

// scientific writes a whole number with one digit before the point and the power of ten after mark.
func scientific(s, mark, end string) string {
	sign, digits := "", s
	if strings.HasPrefix(s, "-") {
		sign, digits = "-", s[1:]
	}
	out := sign + digits[:1]
	if rest := strings.TrimRight(digits[1:], "0"); rest != "" {
		out += "." + rest
	}
	return out + mark + strconv.Itoa(len(digits)-1) + end
}

// TestGSM8KForms grades the reference solutions of GSM8K and what mechanical changes make of them: the same number in
// other forms, which stays right, and other numbers, which are wrong. Origin: openai/grade-school-math test.jsonl, 1319
// questions; the changes are this project's. Answers of models to these questions and their published verdicts, and
// HaluEval's right and hallucinated answers, are in package oracle.
func TestGSM8KForms(t *testing.T) {
	archtest.OneGoroutine(t)
	raw, err := os.ReadFile(archtest.Published(t, "gsm8k/test.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	var cases []suite.Case
	var solutions, golds []string
	for line := range strings.Lines(string(raw)) {
		var row struct{ Question, Answer string }
		if err := json.Unmarshal([]byte(line), &row); err != nil {
			t.Fatal(err)
		}
		reasoning, gold, ok := strings.Cut(row.Answer, "#### ")
		if !ok {
			t.Fatalf("no gold in %q", row.Answer)
		}
		gold = strings.ReplaceAll(strings.TrimSpace(gold), ",", "")
		solutions, golds = append(solutions, reasoning), append(golds, gold)
		cases = append(cases, suite.Case{ID: strconv.Itoa(len(golds)), Prompt: row.Question, AnswerType: suite.Numeric,
			Gold: suite.Gold{Texts: []string{gold}}})
	}
	s := &suite.Suite{Name: "gsm8k", Cases: suite.ListOf(cases)}
	r, err := New(s, "")
	if err != nil {
		t.Fatal(err)
	}
	// A form makes an answer of the reasoning, the gold n and another number w; it needs n to have so many digits.
	forms := []struct {
		name   string
		right  bool
		digits int
		text   func(reasoning, n, w string) string
	}{
		{"the solution", true, 1, func(reasoning, n, w string) string { return reasoning + "#### " + n }},
		{"the solution, boxed", true, 1, func(reasoning, n, w string) string {
			return reasoning + "Therefore the answer is $\\boxed{" + n + "}$."
		}},
		{"The answer is N.", true, 1, func(_, n, w string) string { return "The answer is " + n + "." }},
		{"bold", true, 1, func(_, n, w string) string { return "**Answer:** **" + n + "**" }},
		{"N.00", true, 1, func(_, n, w string) string { return "The total comes to " + n + ".00" }},
		{"commas", true, 4, func(_, n, w string) string { return "It is " + grouped(n, ",") + "." }},
		{"blanks", true, 4, func(_, n, w string) string { return "It is " + grouped(n, " ") + "." }},
		{"thin no-break blanks", true, 4, func(_, n, w string) string { return "It is " + grouped(n, "\u202f") + "." }},
		{"LaTeX commas", true, 4, func(_, n, w string) string { return "It is $" + grouped(n, "{,}") + "$." }},
		{"apostrophes", true, 4, func(_, n, w string) string { return "It is " + grouped(n, "'") + "." }},
		{"points", true, 7, func(_, n, w string) string { return "It is " + grouped(n, ".") + "." }},
		{"fullwidth digits", true, 1, func(_, n, w string) string { return "It is " + digitsOf(n, '０') + "." }},
		{"Arabic-Indic digits", true, 1, func(_, n, w string) string { return "It is " + digitsOf(n, '٠') + "." }},
		{"Devanagari digits", true, 1, func(_, n, w string) string { return "It is " + digitsOf(n, '०') + "." }},
		{"× 10^", true, 3, func(_, n, w string) string { return "It is " + scientific(n, " × 10^", "") + "." }},
		{"\\times 10^{}", true, 3, func(_, n, w string) string {
			return "It is $" + scientific(n, " \\times 10^{", "}") + "$."
		}},
		{"e notation", true, 3, func(_, n, w string) string { return "It is " + scientific(n, "e", "") + "." }},
		{"JSON", true, 1, func(_, n, w string) string { return `{"answer": ` + n + `}` }},
		{"N, not W", true, 1, func(_, n, w string) string { return "The answer is " + n + ", not " + w + "." }},
		{"W. Wait, N", true, 1, func(_, n, w string) string {
			return "I get " + w + ". Wait, that is wrong. The answer is " + n + "."
		}},
		{"the solution, then W", false, 1, func(reasoning, n, w string) string { return reasoning + "#### " + w }},
		{"the solution, then W boxed", false, 1, func(reasoning, n, w string) string {
			return reasoning + "Therefore the answer is $\\boxed{" + w + "}$."
		}},
		{"The answer is W.", false, 1, func(_, n, w string) string { return "The answer is " + w + "." }},
		{"W with commas", false, 4, func(_, n, w string) string { return "It is " + grouped(w, ",") + "." }},
		{"W in Arabic-Indic digits", false, 1, func(_, n, w string) string { return "It is " + digitsOf(w, '٠') + "." }},
		{"not N but W", false, 1, func(_, n, w string) string { return "The answer is not " + n + " but " + w + "." }},
		{"N. Wait, W", false, 1, func(_, n, w string) string {
			return "I get " + n + ". Wait, that is wrong. The answer is " + w + "."
		}},
		{"a decline", false, 1, func(_, n, w string) string { return "I'm sorry, but I can't work this out." }},
	}
	part := archtest.Draws(96, 4, 2) // two of so many questions are taken, and all with long golds
	for _, form := range forms {
		var total share
		for i, n := range golds {
			if i%part > 1 && len(n) < 7 || len(strings.TrimPrefix(n, "-")) < form.digits {
				continue
			}
			w := n + "0" // ten times as much, or one more, by turns
			if v, err := strconv.Atoi(n); err == nil && (i%2 == 0 || v == 0) {
				w = strconv.Itoa(v + 1)
			}
			text := form.text(solutions[i], n, w)
			g := r.Grade(s.Cases.At(i), grade.Answer{Text: &text})
			agree := (g.Truth.Verdict == grade.Pass) == form.right
			if total.add(agree); !agree && total.n-total.agree <= 2 {
				t.Logf("%s: %q: gold %s: %v: %s %s", form.name, text, n, g.Truth.Verdict, g.Truth.Rule, g.Truth.Evidence)
			}
		}
		t.Logf("%-28s %v", form.name, total)
		if total.value() < .99 {
			t.Errorf("%s: agreement %.3f is below .99", form.name, total.value())
		}
	}
}

// TestDateForms writes the golds of SimpleQA that are days in other forms, which stay right, and changes the day, month
// or year, which is wrong. Origin of questions and golds: OpenAI simple-evals simple_qa_test_set.csv; the forms are
// this project's.
func TestDateForms(t *testing.T) {
	archtest.OneGoroutine(t)
	f, err := os.Open(archtest.Published(t, "simpleqa/simple_qa_test_set.csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var cases []suite.Case
	var days []time.Time
	for i, row := range rows {
		for _, layout := range []string{"January 2, 2006", "2 January 2006"} {
			if day, err := time.Parse(layout, strings.TrimSpace(row[2])); err == nil {
				days = append(days, day)
				cases = append(cases, suite.Case{ID: strconv.Itoa(i), Prompt: row[1], AnswerType: suite.Short,
					Gold: suite.Gold{Texts: []string{strings.TrimSpace(row[2])}}})
			}
		}
	}
	s := &suite.Suite{Name: "dates", Cases: suite.ListOf(cases)}
	r, err := New(s, "")
	if err != nil {
		t.Fatal(err)
	}
	ordinal := func(n int) string {
		switch {
		case n/10 != 1 && n%10 == 1:
			return strconv.Itoa(n) + "st"
		case n/10 != 1 && n%10 == 2:
			return strconv.Itoa(n) + "nd"
		case n/10 != 1 && n%10 == 3:
			return strconv.Itoa(n) + "rd"
		}
		return strconv.Itoa(n) + "th"
	}
	forms := []struct {
		name string
		text func(time.Time) string // empty where the form could be read as another day
	}{
		{"month name first", func(d time.Time) string { return "It happened on " + d.Format("January 2, 2006") + "." }},
		{"day first", func(d time.Time) string { return "It was on " + d.Format("2 January 2006") + " that it happened." }},
		{"ISO", func(d time.Time) string { return d.Format("2006-01-02") }},
		{"slashes, year first", func(d time.Time) string { return d.Format("2006/01/02") }},
		{"points", func(d time.Time) string { return d.Format("02.01.2006") }},
		{"US slashes", func(d time.Time) string {
			if d.Day() <= 12 {
				return ""
			}
			return d.Format("1/2/2006")
		}},
		{"European slashes", func(d time.Time) string {
			if d.Day() <= 12 {
				return ""
			}
			return d.Format("02/01/2006")
		}},
		{"abbreviated", func(d time.Time) string { return d.Format("Jan 2, 2006") }},
		{"abbreviated with a point", func(d time.Time) string { return d.Format("2 Jan. 2006") }},
		{"ordinal", func(d time.Time) string { return "On " + d.Format("January ") + ordinal(d.Day()) + d.Format(", 2006") }},
		{"the ordinal of", func(d time.Time) string { return "On the " + ordinal(d.Day()) + d.Format(" of January 2006.") }},
		{"with the weekday", func(d time.Time) string { return "**" + d.Format("Monday, January 2, 2006") + "**" }},
		{"capitals", func(d time.Time) string { return strings.ToUpper(d.Format("January 2, 2006")) }},
	}
	part := archtest.Draws(32, 1, 1) // one of so many golds is taken
	for _, form := range forms {
		for _, change := range []struct {
			name string
			of   func(time.Time) time.Time
		}{
			{"", func(d time.Time) time.Time { return d }},
			{", another day", func(d time.Time) time.Time { return d.AddDate(0, 0, 1) }},
			{", another month", func(d time.Time) time.Time { return d.AddDate(0, 2, 0) }},
			{", another year", func(d time.Time) time.Time { return d.AddDate(-1, 0, 0) }},
		} {
			var total share
			for i, day := range days {
				if i%part > 0 {
					continue
				}
				changed := change.of(day)
				text := form.text(changed)
				if text == "" {
					continue
				}
				g := r.Grade(s.Cases.At(i), grade.Answer{Text: &text})
				agree := (g.Truth.Verdict == grade.Pass) == changed.Equal(day)
				if total.add(agree); !agree && total.n-total.agree <= 2 {
					t.Logf("%s%s: %q: gold %q: %v: %s %s", form.name, change.name, text, s.Cases.At(i).Gold.Texts[0], g.Truth.Verdict,
						g.Truth.Rule, g.Truth.Evidence)
				}
			}
			t.Logf("%-45s %v", form.name+change.name, total)
			if total.value() < .99 {
				t.Errorf("%s%s: agreement %.3f is below .99", form.name, change.name, total.value())
			}
		}
	}
}
