package mutation

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"hallmark/internal/archtest"
	"hallmark/internal/base/seed"
	"hallmark/internal/grade/rubric"
	"hallmark/internal/suite"
	"hallmark/internal/suite/benchmark"
	"hallmark/internal/suite/generate"
)

// suiteOf reads a suite of which every case is a line of YAML in flow form.
func suiteOf(t *testing.T, cases ...string) (*suite.Suite, *rubric.Rubric) {
	t.Helper()
	s, err := suite.Parse("s.yaml", []byte("suite: {name: s}\ncases:\n  - "+strings.Join(cases, "\n  - ")+"\n"))
	if err != nil {
		t.Fatal(err)
	}
	r, err := rubric.New(s, s.AsOf)
	if err != nil {
		t.Fatal(err)
	}
	return s, r
}

// described are the mutants of a case as texts: kind and wordings, and the kinds that were not made.
func described(t *testing.T, others []string, c string) (made []string, not []Kind) {
	t.Helper()
	s, r := suiteOf(t, append([]string{c}, others...)...)
	g := goldOf(r, s.Cases.At(0))
	if g.left != "" {
		return []string{g.left}, nil
	}
	ms, not := g.mutants(newPool(s, r), seed.Stream(1))
	for _, m := range ms {
		var ws []string
		for _, w := range m.wordings {
			ws = append(ws, w.shown(g.c))
		}
		made = append(made, string(m.kind)+": "+strings.Join(ws, " | "))
	}
	return made, not
}

// lyon is another case, whose gold is another's.
var lyon = []string{`{id: other, prompt: Where?, gold: Lyon}`}

// mutantCases are golds of every kind with their mutants.
var mutantCases = []struct {
	name, c string
	others  []string
	want    []string // all of them
	not     []Kind
}{
	{"a name", `{id: a, prompt: Which?, gold: Paris}`, lyon, []string{
		"another: Lyon | The answer is Lyon.",
		"negated: It is not Paris. | The answer is not Paris.",
		"retracted: Paris. No, wait, that is wrong: it is Lyon. | " +
			"The answer is Paris. No, wait, that is wrong: it is Lyon.",
	}, nil},
	{"an alias is not another thing", `{id: a, prompt: Which?, gold: Paris, aliases: [Lyon]}`, lyon,
		[]string{"negated: It is not Paris. | The answer is not Paris."}, []Kind{Another, Retracted}},
	{"another name of the same", `{id: a, prompt: Which?, gold: carbon dioxide}`,
		[]string{`{id: other, prompt: Which is it?, gold: CO2}`},
		[]string{"negated: It is not carbon dioxide. | The answer is not carbon dioxide."},
		[]Kind{Another, Retracted}},
	{"a name that shares a word", `{id: a, prompt: Which?, gold: Lyon Cathedral}`, lyon,
		[]string{"negated: It is not Lyon Cathedral. | The answer is not Lyon Cathedral."},
		[]Kind{Another, Retracted}},
	{"a gold that says no", `{id: a, prompt: Which?, gold: Nobody}`, lyon, []string{
		"another: Lyon | The answer is Lyon.",
		"retracted: Nobody. No, wait, that is wrong: it is Lyon. | " +
			"The answer is Nobody. No, wait, that is wrong: it is Lyon.",
	}, []Kind{Negated}},
	{"a number, off by one", `{id: a, prompt: How many?, gold: 42}`, nil, []string{
		"off_by_one: 43 | The answer is 43.", "negated: It is not 42. | The answer is not 42.",
		"retracted: 42. No, wait, that is wrong: it is 43. | The answer is 42. No, wait, that is wrong: it is 43.",
	}, []Kind{Another}},
	{"a number whose neighbour may be it, rounded", `{id: a, prompt: How many?, gold: "1,399 km"}`, nil, []string{
		"off_by_one: 1,398 km | The answer is 1,398 km.",
		"negated: It is not 1,399 km. | The answer is not 1,399 km.",
		"retracted: 1,399 km. No, wait, that is wrong: it is 1,398 km. | " +
			"The answer is 1,399 km. No, wait, that is wrong: it is 1,398 km.",
	}, []Kind{Another}},
	{"a number that may be rounded", `{id: a, prompt: How far?, gold: 1400}`, nil, []string{
		"last_place: 1500 | The answer is 1500.", "negated: It is not 1400. | The answer is not 1400.",
		"retracted: 1400. No, wait, that is wrong: it is 1500. | " +
			"The answer is 1400. No, wait, that is wrong: it is 1500.",
	}, []Kind{Another}},
	{"a tolerance allows the neighbour", `{id: a, prompt: How far?, gold: {value: 42.5, tolerance: 0.5}}`, nil,
		[]string{
			"beyond: 43.1 | The answer is 43.1.", "negated: It is not 42.5. | The answer is not 42.5.",
			"retracted: 42.5. No, wait, that is wrong: it is 43.1. | " +
				"The answer is 42.5. No, wait, that is wrong: it is 43.1.",
		}, []Kind{Another, LastPlace}},
	{"a date", `{id: a, prompt: When?, gold: 31 December 1999}`, nil, []string{
		"day: 30 December 1999 | The answer is 30 December 1999.",
		"year: 31 December 2000 | The answer is 31 December 2000.",
		"negated: It is not 31 December 1999. | The answer is not 31 December 1999.",
		"retracted: 31 December 1999. No, wait, that is wrong: it is 30 December 1999. | " +
			"The answer is 31 December 1999. No, wait, that is wrong: it is 30 December 1999.",
	}, []Kind{Another, Month}}, // November has no 31st, and January is of another year
	{"yes", `{id: a, prompt: Is it so?, gold: "Yes"}`, lyon, []string{
		"opposite: No | The answer is No.", "retracted: Yes. Wait, that is wrong: the answer is No.",
	}, nil},
	{"an option", `{id: a, prompt: Which?, options: [Paris, Lyon], show_options: true, gold: Paris}`, nil, []string{
		"option: B | B) Lyon | Lyon | The answer is B) Lyon.",
		"negated: It is not A) Paris. | The answer is not A) Paris.",
		"retracted: A) Paris. No, wait, that is wrong: it is B) Lyon. | " +
			"The answer is A) Paris. No, wait, that is wrong: it is B) Lyon.",
	}, nil},
	{"an option that scores prefer", `{id: a, prompt: Which is not it?, options: [Paris, Lyon], gold: Paris}`, nil,
		[]string{
			"option: option: Lyon | Lyon",
			"retracted: Paris. No, wait, that is wrong: it is Lyon. | " +
				"The answer is Paris. No, wait, that is wrong: it is Lyon.",
		}, []Kind{Negated}},
	{"each of several", `{id: a, prompt: Who?, gold: {all: [Simon, Garfunkel]}}`, lyon, []string{
		"another: Simon and Lyon | The answer is Simon and Lyon.",
		"negated: It is not Simon and Garfunkel. | The answer is not Simon and Garfunkel.",
		"retracted: Simon and Garfunkel. No, wait, that is wrong: it is Simon and Lyon. | " +
			"The answer is Simon and Garfunkel. No, wait, that is wrong: it is Simon and Lyon.",
	}, nil},
	{"where declining is right", `{id: a, prompt: Who?, decline: true}`, lyon,
		[]string{"another: Lyon | The answer is Lyon."}, nil},
	{"parts", `{id: a, prompt: Show it., oracle: {type: proof, steps: ["600", "540"]}}`, nil,
		[]string{"left_out: 540"}, nil},
	{"one part", `{id: a, prompt: Show it., oracle: {type: proof, steps: [Rome]}}`, nil, []string{
		"negated: It is not Rome. | The answer is not Rome.",
	}, []Kind{Another, Retracted}},
	{"patterns", `{id: a, prompt: Show it., oracle: {type: proof, parts: [["/x.y/"]]}}`, nil,
		[]string{leftPatterns}, nil},
	{"a judge", `{id: a, prompt: Show it., oracle: {type: judge, criteria: fair}}`, nil, []string{leftJudge}, nil},
	{"a program with a right answer",
		`{id: a, prompt: Show it., oracle: {type: program, expression: "true", accept: [Rome]}}`, lyon,
		[]string{"negated: It is not Rome. | The answer is not Rome."}, []Kind{Another, Retracted}},
	{"a program", `{id: a, prompt: Show it., oracle: {type: program, expression: "true"}}`, nil,
		[]string{leftProgram}, nil},
	{"nothing", `{id: a, prompt: Show it.}`, nil, []string{leftNothing}, nil},
}

// TestMutants makes mutants of golds of every kind. Each is wrong, and none is made where it may be right.
func TestMutants(t *testing.T) {
	for _, tt := range mutantCases {
		made, not := described(t, tt.others, tt.c)
		if !slices.Equal(made, tt.want) || !slices.Equal(not, tt.not) {
			t.Errorf("%s:\n%s\nnot made %v, want\n%s\nnot made %v", tt.name, strings.Join(made, "\n"), not,
				strings.Join(tt.want, "\n"), tt.not)
		}
	}
}

// TestDates moves a date within its month and year.
func TestDates(t *testing.T) {
	for date, want := range map[string]string{
		"2020-02-28": "day 2020-02-29, month 2020-03-28, year 2021-02-28",
		"2020-12":    "month 2020-11, year 2021-12",
		"May 3":      "day May 4, month June 3",
		"March 1990": "month April 1990, year March 1991",
		"31 May":     "day 30 May, month ",
	} {
		g := &gold{c: &suite.Case{}, kind: "date", text: date, accepts: []string{date}}
		var got []string
		for _, n := range g.near() {
			got = append(got, string(n.kind)+" "+strings.Join(n.texts, " or "))
		}
		if strings.Join(got, ", ") != want {
			t.Errorf("%s: %q, want %s", date, got, want)
		}
	}
}

func killedOf(t *testing.T, s *suite.Suite, r *rubric.Rubric, o Options) *Result {
	t.Helper()
	got, err := Test(t.Context(), s, r, o)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// TestKilled has oracles of which it is known what they let through: one that takes everything, one that takes what
// holds a word, and one that reads.
func TestKilled(t *testing.T) {
	s, r := suiteOf(t,
		`{id: all, prompt: Which?, oracle: {type: program, expression: "true", accept: [Rome]}}`,
		`{id: word, prompt: Which one?, oracle: {type: program, expression: "answer.contains('Rom')", accept: [Rom]}}`,
		`{id: read, prompt: Which of them?, gold: Lyon}`,
		`{id: too, prompt: Which other?, gold: 42}`,
		`{id: none, prompt: And?}`)
	got := killedOf(t, s, r, Options{Seed: 1, Most: -1, Level: .95})
	if got.Cases != 5 || got.Drawn != 5 || got.Tested != 4 || got.Left[leftNothing] != 1 {
		t.Errorf("cases: %+v", got)
	}
	killed := map[Kind][2]int{}
	for _, m := range got.ByMutant {
		killed[m.Mutant] = [2]int{int(m.Killed.Value*float64(m.N) + .5), m.N}
		if m.Mutant == Negated && (m.N != m.Cases || m.Killed.Method != "wilson") {
			t.Errorf("%+v", m)
		}
	}
	// the programs let what denies their answer through; of so few cases 41 and 43 are both mutants of 42
	if want := map[Kind][2]int{OffByOne: {2, 2}, Negated: {2, 4}, Retracted: {1, 1}}; !maps.Equal(killed, want) {
		t.Errorf("killed %v, want %v", killed, want)
	}
	if len(got.Toothless) != 2 || got.Toothless[0] != (Toothless{"all", "s.yaml:3", "program", 1}) {
		t.Errorf("toothless: %+v", got.Toothless)
	}
	if len(got.Survivors) != 2 || len(got.Missed) != 0 {
		t.Errorf("survivors %+v, missed %+v", got.Survivors, got.Missed)
	}
	if got.Killed.N != 7 || got.Killed.Cases != 4 || got.Killed.Killed.Method == "wilson" {
		t.Errorf("all: %+v", got.Killed)
	}
	// 2 of 4: Wilson, JASA 22 (1927), by hand: centre 1/2, half-width z/(1 + z²/4) sqrt(1/16 + z²/64)
	if e := got.ByMutant[1].Killed; math.Abs(e.Lo-.1500390) > 1e-6 || math.Abs(e.Hi-.8499610) > 1e-6 {
		t.Errorf("interval %+v", e)
	}
	if again := killedOf(t, s, r, Options{Seed: 1, Most: -1, Level: .95}); !reflect.DeepEqual(got, again) {
		t.Error("the same seed gives another result")
	}
	few := killedOf(t, s, r, Options{Seed: 1, Most: 1, Level: .95})
	if few.Drawn != 1 || few.Right[0].N != got.Right[0].N {
		t.Errorf("one case drawn: %+v", few)
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if _, err := Test(ctx, s, r, Options{Seed: 1, Level: .95}); !errors.Is(err, context.Canceled) {
		t.Errorf("called off: %v", err)
	}
	if none := killedOf(t, s, r, Options{Seed: 1, Level: .95}); none.Killed.N != 0 || none.Killed.Killed.OK() {
		t.Errorf("no case drawn: %+v", none.Killed)
	}
}

// TestMissed names the right forms that an oracle does not call correct: one of them denies its own gold.
func TestMissed(t *testing.T) {
	s, r := suiteOf(t, `{id: never, prompt: Which?, oracle: {type: program, expression: "false", accept: [Rome]}}`,
		`{id: many, prompt: How many?, gold: 1234567}`)
	got := killedOf(t, s, r, Options{Seed: 1, Level: .95})
	if len(got.Missed) != 3 || got.Missed[0].CaseID != "never" || got.Missed[0].Form != "bare" ||
		got.Missed[0].Outcome != "incorrect" {
		t.Errorf("missed: %+v", got.Missed)
	}
	i := slices.IndexFunc(got.Right, func(f Form) bool { return f.Form == "rewritten" })
	if i < 0 || got.Right[i].Gold != "number" || got.Right[i].Rejected.Value != 0 {
		t.Errorf("right forms: %+v", got.Right)
	}
}

// TestBuiltInAndPublished measures what oracles kill in core and in published benchmarks: at least .98 of the mutants
// of numbers, dates and options. HALLMARK_LONG=1 takes all cases; docs/grading.md has its figures.
func TestBuiltInAndPublished(t *testing.T) {
	core, err := generate.Core()
	if err != nil {
		t.Fatal(err)
	}
	t.Run("core", func(t *testing.T) {
		var some []suite.Case
		for i := 0; i < core.Cases.Len(); i += archtest.Draws(4, 1, 1) {
			some = append(some, *core.Cases.At(i))
		}
		measured(t, core.With(suite.ListOf(some)))
	})
	for _, file := range []string{"gsm8k/test.jsonl", "simpleqa/simple_qa_test_set.csv",
		"commonsenseqa/dev_rand_split.jsonl", "medqa/test.jsonl"} {
		t.Run(file, func(t *testing.T) {
			s, err := benchmark.Load(archtest.Published(t, file), false)
			if err != nil {
				t.Fatal(err)
			}
			if !archtest.Long() {
				s = s.With(s.Cases.First(60))
			}
			measured(t, s)
		})
	}
}

func measured(t *testing.T, s *suite.Suite) {
	r, err := rubric.New(s, s.AsOf)
	if err != nil {
		t.Fatal(err)
	}
	got := killedOf(t, s, r, Options{Seed: 1, Most: -1, Level: .95})
	line := func(of string, m Share) string {
		return fmt.Sprintf("%s: %.4f [%.4f, %.4f] of %d mutants of %d cases", of, m.Killed.Value, m.Killed.Lo,
			m.Killed.Hi, m.N, m.Cases)
	}
	t.Log(line("all", got.Killed))
	exact := 0
	for _, m := range got.ByGold {
		t.Log(line(m.Gold, m))
		if m.Gold == "number" || m.Gold == "date" || m.Gold == "choice" {
			exact += m.N
			if m.Killed.Value < .98 {
				t.Error(line(m.Gold, m), "survivors: ", got.Survivors)
			}
		}
	}
	for _, m := range got.ByMutant {
		t.Log(line(string(m.Mutant), m))
	}
	for _, f := range got.Right[:1] {
		t.Logf("right forms: %d of %d cases, %.4f rejected, %.4f unread", f.N, f.Cases, f.Rejected.Value,
			f.Unread.Value)
	}
	t.Logf("none of whose mutants is killed: %v", got.Toothless)
	if exact < 100 {
		t.Errorf("only %d mutants of numbers, dates and options", exact)
	}
	if archtest.Long() {
		for _, f := range slices.Concat(got.Survivors, got.Missed) {
			t.Logf("%s %s%s %s %q: %s", f.CaseID, f.Mutant, f.Form, f.Outcome, f.Answer, f.Rule)
		}
	}
}

// TestStrangeGolds makes mutants of golds that are hard to take apart: none is the gold itself.
func TestStrangeGolds(t *testing.T) {
	golds := []string{"-5", "−5", "0", "007", "½", "1e309", "3/4", "$1,234.50", "10–20", "42 %", "12th", "seven",
		strings.Repeat("9", 400), "1" + strings.Repeat("0", 400), "2020-02-29", "February 29", "29 February",
		"1 January 2000", "Yes.", "NO", "A", "B)", "é", "+", "C#", "東京", "\u202eabc", "a.", "…x", "'", "the",
		"It is what it is.", "%s %d", "Paris\tLyon"}
	for _, g := range golds {
		s := &suite.Suite{Name: "s", Cases: suite.ListOf([]suite.Case{
			{ID: "a", Prompt: "Which?", Gold: suite.Gold{Texts: []string{g}}},
			{ID: "b", Prompt: "And?", Gold: suite.Gold{Texts: []string{"Lyon"}}}})}
		r, err := rubric.New(s, "")
		if err != nil { // a sign is no gold
			continue
		}
		killedOf(t, s, r, Options{Seed: 1, Most: -1, Level: .95})
		ms, _ := goldOf(r, s.Cases.At(0)).mutants(newPool(s, r), seed.Stream(1))
		for _, m := range ms {
			for _, w := range m.wordings {
				if strings.TrimSpace(*w.text) == strings.TrimSpace(g) {
					t.Errorf("%q is a mutant of itself (%s)", g, m.kind)
				}
			}
		}
	}
}

// TestEvery makes each near mutant of golds that few cases have, and one of a kind of those that many have: by hand, of
// a date ±1 day, ±1 month and ±1 year, of one of four options the three others, of 7 the numbers 6 and 8. The date and
// the number are retracted for one other, the option for three.
func TestEvery(t *testing.T) {
	cases := []string{`{id: d, prompt: "When?", gold: "14 May 1990"}`,
		`{id: o, prompt: "Which of these?", options: [Rome, Bonn, Lyon, Oslo], gold: Rome}`}
	for i := range Enough {
		cases = append(cases, fmt.Sprintf(`{id: n%d, prompt: "How many are there in %d?", gold: 7}`, i, i))
	}
	s, r := suiteOf(t, cases[:3]...)
	few, want := map[Kind]int{}, map[Kind]int{Day: 2, Month: 2, Year: 2, Option: 3, OffByOne: 2, Negated: 3, Retracted: 5}
	for _, m := range killedOf(t, s, r, Options{Seed: 1, Most: -1, Level: .95}).ByMutant {
		few[m.Mutant] = m.N
	}
	if !maps.Equal(few, want) {
		t.Errorf("of few cases %v, want %v", few, want)
	}
	s, r = suiteOf(t, cases...)
	for _, m := range killedOf(t, s, r, Options{Seed: 1, Most: -1, Level: .95}).ByBoth {
		if m.Gold == "number" && m.N != m.Cases {
			t.Errorf("of many cases %d mutants of %d: %s", m.N, m.Cases, m.Mutant)
		}
	}
	// Clopper and Pearson (1934): of n that all are killed the lower bound is .025^(1/n)
	if math.Pow(.025, 1./Enough) < .98 || math.Pow(.025, 1./(Enough-1)) >= .98 {
		t.Errorf("%d cases are not the fewest", Enough)
	}
}
