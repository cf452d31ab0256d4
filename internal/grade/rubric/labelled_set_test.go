package rubric

import (
	"bufio"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"hallmark/internal/grade"
	"hallmark/internal/stat"
	"hallmark/internal/suite"
)

// labelledSet holds the cases and the two halves of the labelled set; docs/oracles.md says how it was made.
const labelledSet = "testdata/labelled"

// An opinion is an answer with the verdicts that a reader gave it: a letter each for truth, decidability, reciprocity and, where the
// case asks for one, format.
type opinion struct {
	line   int
	c      *suite.Case
	want   string
	act    grade.Act
	answer string
}

// opinions reads one half of the labelled set.
func opinions(t testing.TB, s *suite.Suite, half string) []opinion {
	t.Helper()
	name := filepath.Join(labelledSet, half)
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	cases := map[string]*suite.Case{}
	for i := range s.Cases {
		cases[s.Cases[i].ID] = &s.Cases[i]
	}
	acts := []grade.Act{grade.Answered, grade.Declined, grade.Asked, grade.Enumerated, grade.Repaired, grade.Hedged, grade.Unreadable}
	var all []opinion
	sc := bufio.NewScanner(f)
	for n := 1; sc.Scan(); n++ {
		if sc.Text() == "" || sc.Text()[0] == '#' {
			continue
		}
		parts := strings.SplitN(sc.Text(), " |", 4) // an empty answer leaves nothing behind the last bar
		if len(parts) != 4 {
			t.Fatalf("%s:%d: want four columns: case | verdicts | act | answer", name, n)
		}
		for i := range parts {
			parts[i] = strings.TrimSpace(parts[i])
		}
		o := opinion{line: n, c: cases[parts[0]], want: parts[1], act: grade.Act(parts[2]), answer: strings.ReplaceAll(parts[3], "⏎", "\n")}
		switch {
		case o.c == nil:
			t.Fatalf("%s:%d: no case %q", name, n, parts[0])
		case strings.Trim(o.want, "PFU-n") != "" || len(o.want) < 3 || len(o.want) > 4:
			t.Fatalf("%s:%d: verdicts %q; want three or four of P, F, U, - and n", name, n, o.want)
		case !slices.Contains(acts, o.act):
			t.Fatalf("%s:%d: unknown act %q", name, n, o.act)
		}
		all = append(all, o)
	}
	if err := sc.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}

// letters writes the four verdicts of a grade as the labelled set does.
func letters(g grade.Grade) string {
	return code(g) + code(grade.Grade{Truth: g.Format})[:1]
}

// A share counts how often two opinions agreed.
type share struct{ agree, n int }

func (s *share) add(agree bool) {
	s.n++
	if agree {
		s.agree++
	}
}

func (s share) value() float64 { return float64(s.agree) / float64(max(s.n, 1)) }

func (s share) String() string {
	e := stat.Wilson(s.agree, s.n, .95)
	return fmt.Sprintf("%3d of %3d  %.3f [%.3f, %.3f]", s.agree, s.n, e.Value, e.Lo, e.Hi)
}

// labelledParts are the parts of the labelled set.
var labelledParts = []struct {
	name, cases string
	list        bool    // whether disagreements may be seen
	least       float64 // agreement on truth, decidability and reciprocity together
}{
	{"dev.txt", "cases.jsonl", true, .98}, {"more.txt", "more.jsonl", true, .98}, {"again.txt", "cases.jsonl", true, .98}, {"third.txt", "cases.jsonl", true, .98},
	{"other.txt", "other.jsonl", true, .98}, {"other2.txt", "other.jsonl", true, .98}, {"fourth.txt", "cases.jsonl", true, .98}, {"fifth.txt", "cases.jsonl", true, .98},
	{"sixth.txt", "cases.jsonl", true, .98}, {"seventh.txt", "cases.jsonl", true, .98}, {"eighth.txt", "cases.jsonl", true, .95}, // typographic hyphens in identifiers, which a reader takes for hyphens
	{"ninth.txt", "further.jsonl", true, .98}, {"tenth.txt", "cases.jsonl", true, .98}, {"eleventh.txt", "more.jsonl", true, .98},
	{"twelfth.txt", "cases.jsonl", true, .98}, {"thirteenth.txt", "cases.jsonl", true, .98}, {"fourteenth.txt", "other.jsonl", true, .98},
	{"fifteenth.txt", "cases.jsonl", true, .98}, {"sixteenth.txt", "cases.jsonl", true, .98}, {"seventeenth.txt", "cases.jsonl", true, .98},
	{"kept.txt", "cases.jsonl", false, .98},
}

// TestLabelledSet measures how well the grades agree with those of a reader, per class and per axis. Of the development halves it lists the
// answers on which they do not, with -v. Of the kept half it prints counts only, so that nothing is tuned to it.
func TestLabelledSet(t *testing.T) {
	for _, half := range labelledParts {
		t.Run(half.name, func(t *testing.T) {
			s, err := suite.Read(filepath.Join(labelledSet, half.cases))
			if err != nil {
				t.Fatal(err)
			}
			r, err := New(s, s.AsOf)
			if err != nil {
				t.Fatal(err)
			}
			all := opinions(t, s, half.name)
			var verdicts, h, act share
			byAxis, byClass, byOracle := map[string]*share{}, map[string]*share{}, map[string]*share{}
			count := func(m map[string]*share, key string, agree bool) {
				if m[key] == nil {
					m[key] = &share{}
				}
				m[key].add(agree)
			}
			for _, o := range all {
				g := r.Grade(o.c, grade.Answer{Text: &o.answer})
				got := letters(g)
				same := got[:3] == o.want[:3]
				verdicts.add(same)
				for i, axis := range []string{"truth", "decidability", "reciprocity", "format"}[:len(o.want)] {
					count(byAxis, axis, got[i] == o.want[i])
				}
				class := o.c.Class
				if class == "" {
					class = "(none)"
				}
				count(byClass, class, same)
				oracle := "(gold)"
				if o.c.Oracle != nil {
					oracle = o.c.Oracle.Type
				}
				count(byOracle, oracle, same)
				hallucinated, _ := g.Hallucinated(false)
				h.add(hallucinated == strings.Contains(o.want[:3], "F"))
				act.add(g.Act == o.act)
				if half.list && got[:len(o.want)] != o.want {
					t.Logf("line %d: %s: got %s %s, labelled %s %s: %q\n  T %s: %s\n  D %s: %s\n  R %s: %s\n  F %s: %s", o.line, o.c.ID, got, g.Act, o.want, o.act, o.answer,
						g.Truth.Rule, g.Truth.Evidence, g.Decidability.Rule, g.Decidability.Evidence, g.Reciprocity.Rule, g.Reciprocity.Evidence, g.Format.Rule, g.Format.Evidence)
				}
			}
			var b strings.Builder
			for _, part := range []struct {
				what string
				of   map[string]*share
			}{{"by class, on truth, decidability and reciprocity together", byClass}, {"by oracle, likewise", byOracle}, {"by axis", byAxis}} {
				fmt.Fprintf(&b, "\n%s\n", part.what)
				var names []string
				for name := range part.of {
					names = append(names, name)
				}
				slices.Sort(names)
				for _, name := range names {
					fmt.Fprintf(&b, "  %-22s %v\n", name, *part.of[name])
				}
			}
			t.Logf("%d answers\nverdicts %v\nH        %v\nact      %v\n%s", len(all), verdicts, h, act, &b)
			if verdicts.value() < half.least {
				t.Errorf("agreement on the three verdicts is %.3f, below %.3f", verdicts.value(), half.least)
			}
		})
	}
}

// TestMoreLabelledCovers checks what the second development set promises: its size, all classes, every case used, no answer twice.
func TestMoreLabelledCovers(t *testing.T) {
	s, err := suite.Read(filepath.Join(labelledSet, "more.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	all := opinions(t, s, "more.txt")
	classes, used, first := map[string]int{}, map[string]bool{}, map[string]int{}
	for _, o := range all {
		classes[o.c.Class]++
		used[o.c.ID] = true
		key := o.c.ID + "\x00" + o.answer
		if before := first[key]; before > 0 {
			t.Errorf("more.txt:%d: the answer of line %d again", o.line, before)
		}
		first[key] = o.line
	}
	if len(all) < 400 || len(used) != len(s.Cases) {
		t.Errorf("%d answers to %d of %d cases; want 400 or more, and all cases used", len(all), len(used), len(s.Cases))
	}
	for _, class := range suite.Classes {
		if classes[class] < 5 {
			t.Errorf("%d answers of class %s; want 5 or more", classes[class], class)
		}
	}
}

// TestLabelledSetCovers checks what the set promises: its size, all classes, oracles that a suite may name but the judge, and that no answer to a case
// stands twice in it, in one half or both.
func TestLabelledSetCovers(t *testing.T) {
	s, err := suite.Read(filepath.Join(labelledSet, "cases.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	classes, types, used := map[string]int{}, map[string]int{}, map[string]bool{}
	first := map[string]string{}
	answers := 0
	for _, half := range []string{"dev.txt", "kept.txt"} {
		all := opinions(t, s, half)
		if len(all) < 320 {
			t.Errorf("%s: %d answers; want 320 or more", half, len(all))
		}
		answers += len(all)
		for _, o := range all {
			classes[o.c.Class+" "+half]++
			used[o.c.ID] = true
			if o.c.Oracle != nil {
				types[o.c.Oracle.Type+" "+half]++
			}
			key, here := o.c.ID+"\x00"+o.answer, fmt.Sprintf("%s:%d", half, o.line)
			if before := first[key]; before != "" {
				t.Errorf("%s: the answer of %s again", here, before)
			}
			first[key] = here
		}
	}
	if answers < 640 || len(used) < 90 || len(used) != len(s.Cases) {
		t.Errorf("%d answers to %d of %d cases; want 640 or more to 90 or more, and all cases used", answers, len(used), len(s.Cases))
	}
	for _, half := range []string{"dev.txt", "kept.txt"} {
		for _, class := range suite.Classes {
			if classes[class+" "+half] < 10 {
				t.Errorf("%s: %d answers of class %s; want 10 or more", half, classes[class+" "+half], class)
			}
		}
		for _, oracle := range suite.OracleTypes {
			if oracle != "judge" && types[oracle+" "+half] < 3 {
				t.Errorf("%s: %d answers for the oracle %s; want 3 or more", half, types[oracle+" "+half], oracle)
			}
		}
	}
}

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

// TestGSM8KForms grades the reference solutions of GSM8K and what mechanical changes make of them: the same number in other forms, which stays
// right, and other numbers, which are wrong. Origin: openai/grade-school-math test.jsonl, 1319 questions; the changes are this project's.
// Answers of models to these questions and their published verdicts, and HaluEval's right and hallucinated answers, are in package oracle.
func TestGSM8KForms(t *testing.T) {
	raw, err := os.ReadFile("../../../../shared/data/gsm8k/test.jsonl")
	if err != nil {
		t.Skip("the published GSM8K questions are not here: ", err)
	}
	s := &suite.Suite{Name: "gsm8k"}
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
		s.Cases = append(s.Cases, suite.Case{ID: strconv.Itoa(len(golds)), Prompt: row.Question, AnswerType: suite.Numeric, Gold: suite.Gold{Texts: []string{gold}}})
	}
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
		{"\\times 10^{}", true, 3, func(_, n, w string) string { return "It is $" + scientific(n, " \\times 10^{", "}") + "$." }},
		{"e notation", true, 3, func(_, n, w string) string { return "It is " + scientific(n, "e", "") + "." }},
		{"JSON", true, 1, func(_, n, w string) string { return `{"answer": ` + n + `}` }},
		{"N, not W", true, 1, func(_, n, w string) string { return "The answer is " + n + ", not " + w + "." }},
		{"W. Wait, N", true, 1, func(_, n, w string) string { return "I get " + w + ". Wait, that is wrong. The answer is " + n + "." }},
		{"the solution, then W", false, 1, func(reasoning, n, w string) string { return reasoning + "#### " + w }},
		{"the solution, then W boxed", false, 1, func(reasoning, n, w string) string {
			return reasoning + "Therefore the answer is $\\boxed{" + w + "}$."
		}},
		{"The answer is W.", false, 1, func(_, n, w string) string { return "The answer is " + w + "." }},
		{"W with commas", false, 4, func(_, n, w string) string { return "It is " + grouped(w, ",") + "." }},
		{"W in Arabic-Indic digits", false, 1, func(_, n, w string) string { return "It is " + digitsOf(w, '٠') + "." }},
		{"not N but W", false, 1, func(_, n, w string) string { return "The answer is not " + n + " but " + w + "." }},
		{"N. Wait, W", false, 1, func(_, n, w string) string { return "I get " + n + ". Wait, that is wrong. The answer is " + w + "." }},
		{"a decline", false, 1, func(_, n, w string) string { return "I'm sorry, but I can't work this out." }},
	}
	for _, form := range forms {
		var total share
		for i, n := range golds {
			if len(strings.TrimPrefix(n, "-")) < form.digits {
				continue
			}
			w := n + "0" // ten times as much, or one more, by turns
			if v, err := strconv.Atoi(n); err == nil && (i%2 == 0 || v == 0) {
				w = strconv.Itoa(v + 1)
			}
			text := form.text(solutions[i], n, w)
			g := r.Grade(&s.Cases[i], grade.Answer{Text: &text})
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

// TestDateForms writes the golds of SimpleQA that are days in other forms, which stay right, and changes the day, month or year, which is wrong.
// Origin of questions and golds: OpenAI simple-evals simple_qa_test_set.csv; the forms are this project's.
func TestDateForms(t *testing.T) {
	f, err := os.Open("../../../../shared/data/simpleqa/simple_qa_test_set.csv")
	if err != nil {
		t.Skip("SimpleQA is not here: ", err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	s := &suite.Suite{Name: "dates"}
	var days []time.Time
	for i, row := range rows {
		for _, layout := range []string{"January 2, 2006", "2 January 2006"} {
			if day, err := time.Parse(layout, strings.TrimSpace(row[2])); err == nil {
				days = append(days, day)
				s.Cases = append(s.Cases, suite.Case{ID: strconv.Itoa(i), Prompt: row[1], AnswerType: suite.Short, Gold: suite.Gold{Texts: []string{strings.TrimSpace(row[2])}}})
			}
		}
	}
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
				changed := change.of(day)
				text := form.text(changed)
				if text == "" {
					continue
				}
				g := r.Grade(&s.Cases[i], grade.Answer{Text: &text})
				agree := (g.Truth.Verdict == grade.Pass) == changed.Equal(day)
				if total.add(agree); !agree && total.n-total.agree <= 2 {
					t.Logf("%s%s: %q: gold %q: %v: %s %s", form.name, change.name, text, s.Cases[i].Gold.Texts[0], g.Truth.Verdict, g.Truth.Rule, g.Truth.Evidence)
				}
			}
			t.Logf("%-45s %v", form.name+change.name, total)
			if total.value() < .99 {
				t.Errorf("%s%s: agreement %.3f is below .99", form.name, change.name, total.value())
			}
		}
	}
}
