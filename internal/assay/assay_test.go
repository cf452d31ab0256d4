package assay

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"hallmark/internal/archtest"
	"hallmark/internal/ask/prompt"
	"hallmark/internal/metric/grading"
	"hallmark/internal/model"
	"hallmark/internal/model/modeltest"
	"hallmark/internal/run"
	"hallmark/internal/run/store/inmemory"
	"hallmark/internal/suite"
)

// broken fails whatever it is asked.
type broken struct{ t *testing.T }

func (broken) Identity() string { return "table" }

func (b broken) Generate(context.Context, model.Request) (model.Response, error) {
	b.t.Error("the model of a finished run is asked")
	return model.Response{}, errors.New("broken")
}

const tiny = `suite: {name: tiny, version: "1"}
cases:
  - {id: right, prompt: p0, phrasings: [p1, p2], gold: Paris}
  - {id: wrong, class: multi-hop, prompt: q0, phrasings: [q1, q2], gold: Rome}
  - {id: mixed, class: multi-hop, prompt: r0, phrasings: [r1, r2], gold: Oslo}
  - {id: declined, prompt: s0, phrasings: [s1, s2], gold: Lima}
  - {id: gone, prompt: t0, phrasings: [t1, t2], gold: Bern}
`

// answers leaves out t0, so that the default prompt of the case gone has no answer.
var answers = modeltest.Table{
	"p0": "Paris", "p1": "It is Paris.", "p2": "paris",
	"q0": "Milan", "q1": "Milan", "q2": "Milan",
	"r0": "Oslo", "r1": "Bergen", "r2": "Bergen",
	"s0": "I don't know.", "s1": "I don't know.", "s2": "I do not know.",
	"t1": "Bern", "t2": "Bern",
}

func read(t testing.TB, name, text string) *suite.Suite {
	t.Helper()
	s, err := suite.Parse(name, []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func plan(suites ...*suite.Suite) *Plan {
	p := Defaults()
	p.Models, p.Suites = []UnderTest{{Ref: "the table", Identity: "table"}}, suites
	return &p
}

func execute(t testing.TB, p *Plan, m model.Model, store run.Store) run.Counts {
	t.Helper()
	callsSeq, _, err := p.Calls()
	if err != nil {
		t.Fatal(err)
	}
	calls := slices.Collect(callsSeq)
	counts, err := run.Execute(context.Background(), store, map[string]model.Model{m.Identity(): m}, slices.Values(calls),
		run.Options{Concurrency: 4})
	if err != nil {
		t.Fatal(err)
	}
	return counts
}

func evaluate(t testing.TB, p *Plan, store run.Store) *Assay {
	t.Helper()
	a, err := Evaluate(context.Background(), store, p, "test")
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// rowsOf lays out all rows of a run.
func rowsOf(a *Assay) (rows []*CaseRow) {
	for _, r := range a.Cases.All() {
		rows = append(rows, r)
	}
	return rows
}

func bytesOf(t testing.TB, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// A finished run gives the same bytes when it is executed again with a model that always fails: nothing calls it.
func TestFinishedRunNeedsNoModel(t *testing.T) {
	p, store := plan(read(t, "tiny.yaml", tiny)), inmemory.New()
	p.Sampled = 3
	execute(t, p, answers, store)
	first := evaluate(t, p, store)
	if counts := execute(t, p, broken{t}, store); counts.Asked != 0 {
		t.Errorf("%d calls are asked of a finished run", counts.Asked)
	}
	stored, err := json.Marshal(p) // as a store keeps it
	if err != nil {
		t.Fatal(err)
	}
	var again Plan
	if err := json.Unmarshal(stored, &again); err != nil {
		t.Fatal(err)
	}
	if p.ID() != again.ID() {
		t.Errorf("the plan has id %s, and %s once stored", p.ID(), again.ID())
	}
	second := evaluate(t, &again, store)
	if a, b := bytesOf(t, first), bytesOf(t, second); a != b {
		t.Errorf("first %s\nthen  %s", a, b)
	}
}

// Every figure of a run of five cases, counted by hand. Variant 0: right passes, wrong and mixed's default is right,
// declined is an over-refusal, gone has no answer.
func TestFiguresByHand(t *testing.T) {
	p, store := plan(read(t, "tiny.yaml", tiny)), inmemory.New()
	p.Repeats = 1
	execute(t, p, answers, store)
	a := evaluate(t, p, store)
	m := a.Document.Models[0]
	near := func(what string, got, want float64) {
		t.Helper()
		if math.Abs(got-want) > 1e-12 {
			t.Errorf("%s is %v, want %v", what, got, want)
		}
	}
	r := m.Rubric
	if r.N != 4 || r.Unscored != 1 || r.Ungradable != 0 {
		t.Errorf("n %d, unscored %d, unread %d; want 4, 1, 0", r.N, r.Unscored, r.Ungradable)
	}
	near("H", r.Hallucination.Value, 2./4) // wrong, declined
	near("commission", r.Commission.Value, 1./4)
	near("over-refusal", r.OverRefusal.Value, 1./4)
	near("undecided", r.Undecided.Value, 0)
	near("e_T", r.TruthError.Value, 2./4)
	near("e_D", r.DecidabilityError.Value, 1./4)
	near("e_R", r.ReciprocityError.Value, 0)
	near("errors per case", *r.ErrorsPerCase, 3./4)
	near("S", r.WeightedQuality.Value, (1+.4+1+.15)/4)
	near("H of multi-hop", r.ByClass["multi-hop"].Hallucination.Value, 1./2)

	// Consistency: SC 1, 1, 1/3 (Oslo, Bergen, Bergen), 1, and 1 over the two answers of gone.
	c := m.Consistency
	near("SS", c.SemanticStability.Value, (1+1+2./3+1+1)/5)
	near("SC", c.SelfConsistency.Value, (1+1+1./3+1+1)/5)
	near("factual", c.Taxonomy.Factual, 2./5)   // right, gone
	near("error", c.Taxonomy.Error, 2./5)       // wrong, declined
	near("random", c.Taxonomy.Randomness, 1./5) // mixed
	if c.Unscored != 1 || c.N != 14 {
		t.Errorf("%d answers compared, %d unscored; want 14, 1", c.N, c.Unscored)
	}

	// The two axes together: gone has no rubric, so four cases; both truth failures are stable.
	if m.CrossTab.N != 4 {
		t.Errorf("joint.n is %d, want 4", m.CrossTab.N)
	}
	if s := m.CrossTab.ByAxis["truth"]; *s.PromptAgnostic != 1 || *s.Random != 0 || s.Failures != 2 {
		t.Errorf("joint by truth is %s", bytesOf(t, s))
	}

	if m.Tokens != (Tokens{Prompt: 14 * 3, Completion: 14 * 2}) {
		t.Errorf("tokens are %+v", m.Tokens)
	}
	if len(m.Unscored) != 1 || m.Unscored[0].CaseID != "gone" || m.Unscored[0].Variant != 0 ||
		!strings.Contains(m.Unscored[0].Reason, "no such prompt") {
		t.Errorf("unscored are %+v", m.Unscored)
	}
	var categories []string
	for _, row := range a.Cases.All() {
		categories = append(categories, row.ID+" "+row.Category)
	}
	if want := []string{"right prompt_agnostic_factual", "wrong prompt_agnostic_error", "mixed randomness",
		"declined prompt_agnostic_error", "gone prompt_agnostic_factual"}; !slices.Equal(categories, want) {
		t.Errorf("categories are %q", categories)
	}
}

// Each field of a plan that decides a result is in its id, and a new one cannot be forgotten.
func TestEveryFieldIsInTheID(t *testing.T) {
	s := read(t, "tiny.yaml", tiny)
	change := map[string]func(*Plan){
		"Models": func(p *Plan) { p.Models = []UnderTest{{Ref: "the table", Identity: "other"}} },
		"Suites": func(p *Plan) {
			p.Suites = []*suite.Suite{read(t, "tiny.yaml", strings.Replace(tiny, "Paris", "Lyon", 1))}
		},
		"Methods":        func(p *Plan) { p.Methods = []string{Rubric} },
		"Variants":       func(p *Plan) { p.Variants = []prompt.Spec{{Kind: prompt.Kinds[0], N: 1}} },
		"Templates":      func(p *Plan) { p.Templates = &TemplateFile{From: "f", Templates: []prompt.Template{{Name: "n"}}} },
		"Paraphrasing":   func(p *Plan) { p.Paraphrasing = &Paraphrasing{By: ByFile, From: "f"} },
		"reworded":       nil,
		"Imported":       nil,
		"SuiteFiles":     nil, // the suite counts by its content, however it is called
		"Retrieval":      func(p *Plan) { p.Retrieval = &Retrieval{Searched: Searched{Hash: "sha256:0", K: 1}} },
		"Tau":            func(p *Plan) { p.Tau = .5 },
		"Equal":          func(p *Plan) { p.Equal = "exact" },
		"SC":             func(p *Plan) { p.SC = WithReplacement },
		"ExcludeDefault": func(p *Plan) { p.ExcludeDefault = true },
		"CommonR":        func(p *Plan) { p.CommonR = 2 },
		"Sampled":        func(p *Plan) { p.Sampled = 4 },
		"Repeats":        func(p *Plan) { p.Repeats = 5 },
		"RetestCases":    func(p *Plan) { p.RetestCases = 2 },
		"Limit":          func(p *Plan) { p.Limit = 2 },
		"Choices":        func(p *Plan) { p.Choices = ChoicesGenerate },
		"OptionScore":    func(p *Plan) { p.OptionScore = "sum" },
		"Form":           func(p *Plan) { p.Form = suite.QA },
		"MaxTokens":      func(p *Plan) { p.MaxTokens = 7 },
		"Judge":          func(p *Plan) { p.Judge = &UnderTest{Ref: "the judge", Identity: "judge"} },
		"Panel":          func(p *Plan) { p.Panel = []*UnderTest{{Ref: "another", Identity: "another judge"}} },
		"GraderCheck":    func(p *Plan) { p.GraderCheck = &GraderCheck{Check: &grading.Check{GradingVersion: "x"}} },
		"JudgeAll":       func(p *Plan) { p.JudgeAll = true },
		"AnswerContract": func(p *Plan) { p.AnswerContract = true },
		"Equivalence":    func(p *Plan) { p.Equivalence = &Equivalence{Model: UnderTest{Identity: "comparer"}, Most: 10} },
		"Sweep":          func(p *Plan) { p.Sweep = &Sweep{Stages: []SweepStage{{Name: "dense"}}} },
		"Posterior":      func(p *Plan) { p.Posterior = &PosteriorOptions{M: 3} },
		"Seed":           func(p *Plan) { p.Seed = 2 },
		"AsOf":           func(p *Plan) { p.AsOf = "2026-11-20" },
	}
	ids := map[string]string{plan(s).ID(): "the defaults"}
	typ := reflect.TypeFor[Plan]()
	for i := range typ.NumField() {
		name := typ.Field(i).Name
		alter, ok := change[name]
		if ok && alter == nil { // derived from the others and the store
			continue
		}
		if !ok {
			t.Errorf("Plan.%s is new: say here how it changes the id", name)
			continue
		}
		p := plan(s)
		alter(p)
		if other, taken := ids[p.ID()]; taken {
			t.Errorf("a plan with another %s has the id of %s", name, other)
		}
		ids[p.ID()] = name
	}
	// The words a model was named by, and the place of a suite, decide nothing.
	p := plan(read(t, "elsewhere.yaml", tiny))
	p.Models[0].Ref = "by another name"
	named := plan(s)
	named.Templates = &TemplateFile{From: "elsewhere", Templates: []prompt.Template{{Name: "n"}}}
	if ids[p.ID()] != "the defaults" || ids[named.ID()] != "Templates" {
		t.Error("the id depends on how a model or a file is named")
	}
}

// Calls come by model, suite and case; within a case variants, then samples, then repeats. No two are equal but on
// purpose.
func TestCallOrder(t *testing.T) {
	p := plan(read(t, "tiny.yaml", tiny))
	p.Sampled, p.Limit = 2, 1
	callsSeq, _, err := p.Calls()
	if err != nil {
		t.Fatal(err)
	}
	calls := slices.Collect(callsSeq)
	var got []string
	keys := map[run.Key]bool{}
	for _, c := range calls {
		kind := "greedy"
		if c.Request.Temperature > 0 {
			kind = "drawn"
		}
		got = append(got, c.Request.Prompt+" "+kind)
		keys[c.Key()] = true
	}
	want := []string{"p0 greedy", "p1 greedy", "p2 greedy", "p0 drawn", "p0 drawn", "p0 greedy", "p0 greedy"}
	if !slices.Equal(got, want) || len(keys) != len(want) {
		t.Errorf("calls are %q, %d of them distinct; want %q", got, len(keys), want)
	}
}

// The order of the cases changes no figure, but for the cases that are asked again, which is left out here.
func TestCaseOrderIsNoMatter(t *testing.T) {
	original := read(t, "tiny.yaml", tiny)
	p, store := plan(original), inmemory.New()
	p.Repeats = 1
	execute(t, p, answers, store)
	figures := func(p *Plan) string {
		m := evaluate(t, p, store).Document.Models[0]
		slices.SortFunc(m.Unscored, func(a, b Unscored) int { return strings.Compare(a.CaseID, b.CaseID) })
		return bytesOf(t, []any{m.Rubric.Hallucination, m.Rubric.ByClass, m.Rubric.Unscored, m.Consistency.Taxonomy,
			m.Consistency.Variants, m.Consistency.N, m.CrossTab, m.Tokens, m.Unscored})
	}
	want := figures(p)
	archtest.Checks(t, 15)
	rapid.Check(t, func(r *rapid.T) {
		q := plan(original.With(suite.ListOf(rapid.Permutation(original.Cases.Loose()).Draw(r, "cases"))))
		q.Repeats = 1
		if got := figures(q); got != want {
			r.Errorf("%s\nwant %s", got, want)
		}
	})
}

// Cases without gold are counted, and the first is named.
func TestGoldNotes(t *testing.T) {
	some := read(t, "some.yaml", "cases:\n  - {id: a, prompt: p0, gold: x}\n  - {id: b, prompt: p1}\n"+
		"  - {id: c, prompt: p2, decline: true}\n  - {id: d, prompt: p3}\n")
	none := read(t, "none.yaml", "cases:\n  - {id: a, prompt: p0}\n")
	p := plan(some, none)
	want := []string{`suite some: 2 of 4 cases have no gold answer and nothing else to be graded by, the first is "b"; they are in no figure of correctness`}
	if got := p.goldNotes(); !reflect.DeepEqual(got, want) {
		t.Errorf("%q", got)
	}
	p.Methods = []string{Detection} // then no figure says that accuracy was not measured
	if got := p.goldNotes(); len(got) != 2 || !strings.HasPrefix(got[1], "suite none: 1 of 1 cases have no gold answer") {
		t.Errorf("%q", got)
	}
	if got := p.GradesNothing(); got != nil {
		t.Errorf("%q, though correctness was not asked for", got)
	}
	p.Methods = []string{Rubric}
	if notes, err := p.Validate(); err != nil || len(notes) != 2 ||
		!strings.HasPrefix(notes[0], "suite none: no case has a gold answer or an oracle, so nothing is graded") {
		t.Errorf("%q, %v", notes, err)
	}
}

// A case without gold is compared and not graded; a suite of such cases has no rubric.
func TestWithoutGold(t *testing.T) {
	p, store := plan(read(t, "free.yaml", "cases:\n  - {id: a, prompt: p0, phrasings: [p2, q0]}\n")), inmemory.New()
	execute(t, p, answers, store)
	a := evaluate(t, p, store)
	m := a.Document.Models[0]
	if m.Rubric != nil || m.CrossTab != nil || len(m.Unscored) != 0 || m.Consistency == nil ||
		m.Consistency.Accuracy != nil {
		t.Errorf("rubric %v, joint %v, unscored %v", m.Rubric, m.CrossTab, m.Unscored)
	}
	if math.Abs(m.Consistency.SemanticStability.Value-2./3) > 1e-12 || a.Cases.At(0).Hallucinated != nil {
		t.Errorf("stability %v, want 2/3; hallucinated %v, want none", m.Consistency.SemanticStability.Value,
			a.Cases.At(0).Hallucinated)
	}
}
