// Package mutation checks the oracles of a suite before a model is asked: it grades the gold of each case as an
// answer, in the forms in which people write it, and mutants of the gold, which are wrong (docs/decisions/0043). An
// oracle that calls a mutant correct would call a model correct that is wrong. The idea is that of mutation analysis of
// programs' tests: DeMillo, Lipton and Sayward, Computer 11 (1978) 34-41.
package mutation

import (
	"cmp"
	"context"
	"maps"
	"runtime"
	"slices"

	"hallmark/internal/base/parallel"
	"hallmark/internal/base/seed"
	"hallmark/internal/grade"
	"hallmark/internal/grade/rubric"
	"hallmark/internal/metric/grading"
	"hallmark/internal/stat"
	"hallmark/internal/suite"
)

// A Kind says how a mutant differs from the gold.
type Kind string

// The kinds of mutants.
const (
	Another   Kind = "another"    // the gold of another case of the same kind
	OffByOne  Kind = "off_by_one" // a whole number, one away
	LastPlace Kind = "last_place" // a number, one unit of its last place away
	Beyond    Kind = "beyond"     // one unit of the last place past the tolerance or range
	Day       Kind = "day"        // a date, a day away
	Month     Kind = "month"      // a date, a month away
	Year      Kind = "year"       // a date, a year away
	Option    Kind = "option"     // another option
	Opposite  Kind = "opposite"   // no for yes
	LeftOut   Kind = "left_out"   // a part that is asked for is missing
	Negated   Kind = "negated"    // "It is not X."
	Retracted Kind = "retracted"  // "X. No, wait, that is wrong: it is Y."
)

// Kinds lists the kinds in the order of documents.
var Kinds = []Kind{Another, OffByOne, LastPlace, Beyond, Day, Month, Year, Option, Opposite, LeftOut, Negated,
	Retracted}

// A Share counts mutants of one kind of gold, or of one kind of mutant, and those that were killed: that the oracle
// calls correct in none of their wordings. Of one case there is one mutant of a kind at most, and every one that is
// near where few cases have such a gold (Enough).
type Share struct {
	Gold   string        `json:"gold,omitempty"`   // as grading.GoldOf; empty: all
	Mutant Kind          `json:"mutant,omitempty"` // empty: all
	N      int           `json:"n"`                // mutants
	Cases  int           `json:"cases"`            // of which they are made
	Killed stat.Estimate `json:"killed"`
}

// A Form counts right answers in one form, as "sentence", by what they are read as.
type Form struct {
	Gold     string        `json:"gold,omitempty"`
	Form     string        `json:"form,omitempty"`
	N        int           `json:"n"`
	Cases    int           `json:"cases"`
	Rejected stat.Estimate `json:"rejected"` // read as wrong, or as no attempt
	Unread   stat.Estimate `json:"unread"`   // ungradable
}

// A Misread is one answer that was not read as it is: a mutant that survived, or a right form that was not called
// correct.
type Misread struct {
	CaseID  string        `json:"case_id"`
	Place   string        `json:"place,omitempty"` // FILE:LINE
	Gold    string        `json:"gold"`            // its kind
	Mutant  Kind          `json:"mutant,omitempty"`
	Form    string        `json:"form,omitempty"`
	Answer  string        `json:"answer"`
	Outcome grade.Outcome `json:"outcome"`
	Rule    string        `json:"rule"`
}

// A Toothless is a case whose oracle kills none of its mutants.
type Toothless struct {
	CaseID  string `json:"case_id"`
	Place   string `json:"place,omitempty"`
	Gold    string `json:"gold"`
	Mutants int    `json:"mutants"`
}

// A Result is what the golds and mutants of a suite are read as.
type Result struct {
	Cases  int `json:"cases"`  // of the suite, whose right forms were all graded
	Drawn  int `json:"drawn"`  // of these, for mutants
	Tested int `json:"tested"` // of these, of which there are mutants
	// Left counts the drawn cases without a mutant by the reason.
	Left     map[string]int `json:"left"`
	Killed   Share          `json:"killed"`    // of all mutants
	ByGold   []Share        `json:"by_gold"`   // the mutants of each kind of gold
	ByMutant []Share        `json:"by_mutant"` // the mutants of each kind
	ByBoth   []Share        `json:"by_both"`
	// NotMade counts the mutants that would not be wrong for certain, by kind.
	NotMade   map[Kind]int `json:"not_made"`
	Survivors []Misread    `json:"survivors"`
	Toothless []Toothless  `json:"toothless"`

	Right  []Form    `json:"right_forms"`      // by kind of gold and form, after the row of all
	Missed []Misread `json:"right_not_passed"` // right forms that were not called correct
}

// Enough is the least number of cases of one kind of gold at which the lower bound of 95 % of the share that is killed
// is .98 when all are: .025^(1/183) = .9800. Of kinds with fewer cases each near number and date and each wrong option
// is made, so that a hole is found or ruled out, though the interval, which is by case, remains wide. Golds of others
// are not made more of: they are the easy mutants, and would hide what the others show.
const Enough = 183

// Options of Test.
type Options struct {
	Seed  uint64
	Most  int     // cases of which mutants are made, drawn where there are more; negative: all
	Level float64 // of the intervals
}

// tested is what became of one case.
type tested struct {
	unit      int32 // the same of cases that are one observation
	drawn     bool
	kind      string
	left      string // why it has no mutants
	notMade   []Kind
	made      []Kind
	killed    []bool
	forms     []string
	outcomes  []grade.Outcome
	survivors []Misread
	missed    []Misread
}

// Test grades golds and mutants of the cases of a suite by its rubric, of which it keeps the memory of a few cases. The
// same suite, seed and options give the same result.
//
// A share is k killed of n mutants. Its interval is Wilson's where each case has one mutant and no two cases go
// together (suite.Clusters), else that by cluster (stat.ShareByCluster), as one oracle reads all mutants of a case. It
// is of cases like these; of these cases themselves, where all were drawn and each near mutant made, the share is
// known.
//
// The error is of the context.
func Test(ctx context.Context, s *suite.Suite, r *rubric.Rubric, o Options) (*Result, error) {
	cases := s.Cases
	of, drawn := suite.Clusters(cases, s.Cluster), draw(cases.Len(), o)
	p := newPool(s, r)
	all := make([]tested, cases.Len())
	parallel.Do(runtime.GOMAXPROCS(0), len(all), func(i int) {
		if ctx.Err() != nil {
			return
		}
		all[i] = test(p, r, cases.At(i), drawn[i], o.Seed)
		if all[i].unit = int32(i) + 1; of != nil && of[i] > 0 {
			all[i].unit = int32(len(all)) + of[i]
		}
	})
	return result(all, o.Level), ctx.Err()
}

// draw says of n cases which are those of the mutants.
func draw(n int, o Options) []bool {
	drawn := make([]bool, n)
	for i, at := range seed.Stream(o.Seed, "mutation", "cases").Perm(n) {
		drawn[at] = o.Most < 0 || i < o.Most
	}
	return drawn
}

func test(p *pool, r *rubric.Rubric, c *suite.Case, drawn bool, from uint64) (t tested) {
	g := goldOf(r, c)
	if t.kind, t.left, t.drawn = g.kind, g.left, drawn; t.left != "" {
		return t
	}
	finding := func(a answerForm, out grade.Outcome, rule string) Misread {
		return Misread{CaseID: c.ID, Place: c.Place, Gold: g.kind, Answer: a.shown(c), Outcome: out, Rule: rule}
	}
	for _, f := range g.rightForms() {
		out, rule := read(r, c, f.answerForm)
		if t.forms, t.outcomes = append(t.forms, f.name), append(t.outcomes, out); out != grade.Correct {
			m := finding(f.answerForm, out, rule)
			m.Form = f.name
			t.missed = append(t.missed, m)
		}
	}
	if !drawn {
		return t
	}
	g.every = p.cases[g.kind] < Enough
	made, not := g.mutants(p, seed.Stream(from, "mutation", c.ID))
	for _, m := range made {
		killed := true
		for _, w := range m.wordings {
			if out, rule := read(r, c, w); out == grade.Correct && killed {
				f := finding(w, out, rule)
				f.Mutant, killed = m.kind, false
				t.survivors = append(t.survivors, f)
			}
		}
		t.made, t.killed = append(t.made, m.kind), append(t.killed, killed)
	}
	if t.notMade = not; len(made) == 0 {
		t.left = "no mutant is wrong for certain"
	}
	return t
}

// read returns what an answer to a case is read as, and the rule that decided.
func read(r *rubric.Rubric, c *suite.Case, w answerForm) (grade.Outcome, string) {
	g := r.Grade(c, grade.Answer{Text: w.text, Option: w.option})
	out := g.Outcome()
	if out != grade.Correct && g.Truth.Verdict == grade.Pass {
		return out, g.Decidability.Rule
	}
	return out, g.Truth.Rule
}

// counts are the mutants of one kind, or the right forms, each with its unit of observation.
type counts struct {
	yes, other []float64
	cluster    []int32
	cases      int
	last       *tested
}

func (k *counts) add(t *tested, yes, other bool) {
	if k.last != t {
		k.last, k.cases = t, k.cases+1
	}
	k.yes, k.other = append(k.yes, stat.Bit(yes)), append(k.other, stat.Bit(other))
	k.cluster = append(k.cluster, t.unit)
}

type cell struct{ gold, what string }

// tally holds counts by kind of gold and what else, with "" for all.
type tally map[cell]*counts

func (y tally) add(t *tested, what string, yes, other bool) {
	for _, c := range []cell{{"", ""}, {t.kind, ""}, {"", what}, {t.kind, what}} {
		if y[c] == nil {
			y[c] = &counts{}
		}
		y[c].add(t, yes, other)
	}
}

// result adds up what became of the cases.
func result(all []tested, level float64) *Result {
	r := &Result{Cases: len(all), Left: map[string]int{}, NotMade: map[Kind]int{}, ByGold: []Share{},
		ByMutant: []Share{}, ByBoth: []Share{}, Survivors: []Misread{}, Toothless: []Toothless{}, Right: []Form{},
		Missed: []Misread{}}
	mutants, forms := tally{}, tally{}
	for i := range all {
		t := &all[i]
		for j, kind := range t.made {
			mutants.add(t, string(kind), t.killed[j], false)
		}
		for j, out := range t.outcomes {
			forms.add(t, t.forms[j], out != grade.Correct && out != grade.CannotGrade, out == grade.CannotGrade)
		}
		for _, kind := range t.notMade {
			r.NotMade[kind]++
		}
		if r.Drawn += int(stat.Bit(t.drawn)); t.drawn && t.left != "" {
			r.Left[t.left]++
		}
		if len(t.made) > 0 {
			r.Tested++
			if f := t.survivors; len(f) == len(t.made) {
				r.Toothless = append(r.Toothless, Toothless{f[0].CaseID, f[0].Place, t.kind, len(f)})
			}
		}
		r.Survivors, r.Missed = append(r.Survivors, t.survivors...), append(r.Missed, t.missed...)
	}
	r.shares(mutants, level)
	for _, c := range forms.cells() {
		if k := forms[c]; (c.gold == "") == (c.what == "") { // all, or of one form of one kind
			r.Right = append(r.Right, Form{c.gold, c.what, len(k.yes), k.cases,
				stat.ShareByCluster(k.yes, k.cluster, level), stat.ShareByCluster(k.other, k.cluster, level)})
		}
	}
	return r
}

func (r *Result) shares(mutants tally, level float64) {
	for _, c := range mutants.cells() {
		k := mutants[c]
		s := Share{c.gold, Kind(c.what), len(k.yes), k.cases, stat.ShareByCluster(k.yes, k.cluster, level)}
		switch {
		case c == cell{}:
			r.Killed = s
		case c.what == "":
			r.ByGold = append(r.ByGold, s)
		case c.gold == "":
			r.ByMutant = append(r.ByMutant, s)
		default:
			r.ByBoth = append(r.ByBoth, s)
		}
	}
}

// cells lists what was counted in order.
func (y tally) cells() []cell {
	place := func(c cell) int { return slices.Index(Kinds, Kind(c.what)) }
	return slices.SortedFunc(maps.Keys(y), func(a, b cell) int {
		return cmp.Or(cmp.Compare(a.gold, b.gold), cmp.Compare(place(a), place(b)), cmp.Compare(a.what, b.what))
	})
}

// kindOf is grading.GoldOf, which goes by the case. What its oracle accepts says more where the gold stands in the
// parts of an oracle, or is read as yes or no ("No, nobody did").
func kindOf(c *suite.Case, accepts []string) string {
	kind := grading.GoldOf(c)
	if len(accepts) == 0 || kind != "name" && kind != "sentence" {
		return kind
	}
	of := grading.GoldOf(&suite.Case{Gold: suite.Gold{Texts: accepts[:1]}})
	composed := c.Oracle != nil && (c.Oracle.Type == "all" || c.Oracle.Type == "any")
	if of == "yes_no" || composed && c.Gold.IsZero() {
		return of
	}
	return kind
}
