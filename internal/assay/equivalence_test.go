package assay

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"hallmark/internal/archtest"
	"hallmark/internal/assay/annotate"
	"hallmark/internal/metric/equivalence"
	"hallmark/internal/model"
	"hallmark/internal/model/modeltest"
	"hallmark/internal/run"
	"hallmark/internal/run/store/inmemory"
)

// sides returns the two answers that a question about a pair shows, the first one first.
func sides(prompt string) (first, second string) {
	part := func(name string) string {
		_, rest, _ := strings.Cut(prompt, "\n<"+name+"-")
		_, rest, _ = strings.Cut(rest, ">\n")
		text, _, _ := strings.Cut(rest, "\n</"+name+"-")
		return text
	}
	return part("first"), part("second")
}

// A comparer says yes where implies does; it counts what it is asked.
type comparer struct {
	implies func(first, second string) string
	asked   *atomic.Int64
}

func (comparer) Identity() string { return "comparer" }

func (m comparer) Generate(_ context.Context, req model.Request) (model.Response, error) {
	if m.asked != nil {
		m.asked.Add(1)
	}
	reply := m.implies(sides(req.Prompt))
	if reply == "" {
		return model.Response{}, errors.New("no reply")
	}
	return model.Response{Text: &reply, Usage: model.Usage{PromptTokens: 5, CompletionTokens: 1}}, nil
}

// byWord compares answers by one word that both hold: their topic.
func byWord(first, second string) string {
	topic := func(s string) string {
		for _, w := range []string{"scatter", "sea", "paint", "Paris"} {
			if strings.Contains(s, w) {
				return w
			}
		}
		return s
	}
	if topic(first) == topic(second) {
		return "Yes."
	}
	return "no"
}

const skies = `suite: {name: skies, version: "1"}
cases:
  - {id: sky, prompt: Why is the sky blue?, phrasings: [w1, w2, w3], answer_type: prose, gold: Because short waves are scattered more than long ones.}
  - {id: town, prompt: Where is the tower?, phrasings: [v1, v2, v3], gold: Paris}
`

var skyAnswers = modeltest.Table{
	"Why is the sky blue?": "The short waves of the light of the sun are scattered much more by the air.",
	"w1":                   "It comes from the scattering of blue light in all that lies above us, they say.",
	"w2":                   "It mirrors the deep blue colour of the sea that lies far below it, of course.",
	"w3":                   "As the light crosses the air its blue part is scattered to all sides at once.",
	"Where is the tower?":  "It is Paris.", "v1": "Paris", "v2": "Lyon", "v3": "paris",
}

// complete makes all calls of a plan: answers, a judge's, and those that compare answers.
func complete(t testing.TB, p *Plan, store run.Store, models ...model.Model) (asked int) {
	t.Helper()
	by := map[string]model.Model{}
	for _, m := range models {
		by[m.Identity()] = m
	}
	err := p.Ask(t.Context(), store, false, func(w Wave) error {
		counts, err := run.Execute(t.Context(), store, by, w.Calls, run.Options{Concurrency: 4})
		asked += counts.Asked
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return asked
}

func equivalencePlan(t testing.TB, equal, text string) *Plan {
	p := plan(read(t, "skies.yaml", text))
	p.Repeats, p.Equal = 0, equal
	p.Equivalence = &Equivalence{Model: UnderTest{Ref: "the comparer", Identity: "comparer"},
		Question: equivalence.Version, Most: 10}
	return p
}

// By hand: of the four answers about the sky three are of the gold's class, in words that differ; so PC = 3/4, and with
// the town 3/4 too.
func TestProseIsComparedForEquivalence(t *testing.T) {
	p, store := equivalencePlan(t, "", skies), inmemory.New()
	var asked atomic.Int64
	complete(t, p, store, skyAnswers, comparer{byWord, &asked})
	a := evaluate(t, p, store)
	r := a.Document.Models[0].SuiteResult
	if ss := r.Consistency.SemanticStability.Value; ss != .75 {
		t.Errorf("SS = %v", ss)
	}
	if acc := r.Consistency.Accuracy.Value; acc != .75 {
		t.Errorf("accuracy = %v", acc)
	}
	if r.Consistency.RobustnessLevel != "substantial" {
		t.Errorf("level %q: a model that reads prose compared it; warnings %q", r.Consistency.RobustnessLevel,
			r.Consistency.Warnings)
	}
	// Four answers and the gold: six pairs among the answers and four with the gold. Equal: three and three.
	want := EquivalenceResult{
		Relation: "meaning", Model: "the comparer", Question: equivalence.Version, Cases: 1, Answers: 4, Classes: 2,
		Pairs: 10, Equal: 6,
		Tokens: Tokens{80, 16}, Warnings: []string{}, // of the 16 calls below
	}
	if !reflect.DeepEqual(*r.Equivalence, want) {
		t.Errorf("%+v", *r.Equivalence)
	}
	if asked.Load() != 16 { // each pair once, and those that hold once more
		t.Errorf("%d directions were asked", asked.Load())
	}
	if total := a.Document.Models[0].Tokens; total != (Tokens{80 + 8*3, 16 + 8*2}) { // with those of the eight answers
		t.Errorf("tokens %+v", total)
	}
	if row := a.Cases.At(0); row.Equality != EqualSemantic || row.Mode != "because short waves are scattered more than "+
		"long ones" || row.Category != "randomness" {
		t.Errorf("%+v", row)
	}
	if a.Cases.At(1).Equality != "" {
		t.Error("a short answer is compared by meaning, though nobody asked for it")
	}

	// Without the model the words decide, and a warning says so; no level is given where answers are long and unlike.
	plain := equivalencePlan(t, "", strings.Split(skies, "  - {id: town")[0])
	plain.Equivalence = nil
	a = evaluate(t, plain, store)
	c := a.Document.Models[0].Consistency
	if c.RobustnessLevel != "" || !strings.Contains(strings.Join(a.Document.Run.Warnings, "\n"), "answered in prose") {
		t.Errorf("level %q, warnings %q and %q", c.RobustnessLevel, a.Document.Run.Warnings, c.Warnings)
	}
}

// Under --equal meaning short answers are compared too, with the gold: "It is Paris." passes the oracle and asks
// nothing.
func TestEqualSemanticComparesAllWords(t *testing.T) {
	p, store := equivalencePlan(t, EqualSemantic, skies), inmemory.New()
	complete(t, p, store, skyAnswers, comparer{byWord, nil})
	r := evaluate(t, p, store).Document.Models[0].SuiteResult
	if r.Equivalence.Cases != 2 || r.Equivalence.Pairs != 11 || r.Consistency.Accuracy.Value != .75 {
		t.Errorf("%+v, accuracy %v", r.Equivalence, r.Consistency.Accuracy.Value)
	}
}

// A run that was killed anywhere between its calls ends in the same bytes, and a finished one asks nothing.
func TestEquivalenceRunsResume(t *testing.T) {
	p, store := equivalencePlan(t, EqualSemantic, skies), inmemory.New()
	complete(t, p, store, skyAnswers, comparer{byWord, nil})
	want := bytesOf(t, evaluate(t, p, store))
	if n := complete(t, p, store, broken{t}, brokenComparer{broken{t}}); n != 0 {
		t.Errorf("%d calls are asked again", n)
	}
	b, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	var stored Plan
	if err := json.Unmarshal(b, &stored); err != nil {
		t.Fatal(err)
	}
	if stored.ID() != p.ID() || bytesOf(t, evaluate(t, &stored, store)) != want {
		t.Error("the stored plan gives another run")
	}
	for kill := 0; kill < 30; kill += archtest.Draws(3, 1, 1) {
		p, store := equivalencePlan(t, EqualSemantic, skies), inmemory.New()
		left, models := kill, map[string]model.Model{"table": skyAnswers, "comparer": comparer{byWord, nil}}
		killed := errors.New("killed")
		err := p.Ask(t.Context(), store, false, func(w Wave) error {
			calls := slices.Collect(w.Calls)
			n := min(left, len(calls))
			if _, err := run.Execute(t.Context(), store, models, slices.Values(calls[:n]), run.Options{}); err != nil {
				return err
			}
			if left -= n; left == 0 {
				return killed
			}
			return nil
		})
		if err != nil && err != killed {
			t.Fatal(err)
		}
		complete(t, p, store, skyAnswers, comparer{byWord, nil})
		if got := bytesOf(t, evaluate(t, p, store)); got != want {
			t.Fatalf("killed after %d calls: %s", kill, got)
		}
	}
}

type brokenComparer struct{ broken }

func (brokenComparer) Identity() string { return "comparer" }

// A pair without a verdict is listed, and leaves out its case only where the classes depend on it.
func TestPairsWithoutVerdict(t *testing.T) {
	for _, c := range []struct {
		name      string
		implies   func(a, b string) string
		unscored  int
		unsettled int
		questions int
	}{
		{"one of two classes fails", func(a, b string) string {
			if strings.Contains(a+b, "sea") && strings.Contains(a+b, "scattering") {
				return "well"
			}
			return byWord(a, b)
		}, 1, 1, 1},
		{"one within a class fails", func(a, b string) string {
			if strings.Contains(a, "scattering") && strings.Contains(b, "scattered to all") ||
				strings.Contains(b, "scattering") && strings.Contains(a, "scattered to all") {
				return ""
			}
			return byWord(a, b)
		}, 1, 0, 2},
		{"all fail", func(string, string) string { return "" }, 10, 1, 1},
	} {
		p, store := equivalencePlan(t, "", skies), inmemory.New()
		complete(t, p, store, skyAnswers, comparer{c.implies, nil})
		m := evaluate(t, p, store).Document.Models[0]
		if len(m.Unscored) != c.unscored || m.Equivalence.Unscored != c.unscored || m.Equivalence.Unsettled != c.unsettled ||
			m.Consistency.Questions != c.questions {
			t.Errorf("%s: %d listed, %+v, %d questions", c.name, len(m.Unscored), *m.Equivalence, m.Consistency.Questions)
		}
		for _, u := range m.Unscored {
			if u.Axis != "equality" || u.CaseID != "sky" || !strings.Contains(u.Reason, "no reply") &&
				!strings.Contains(u.Reason, "neither begins") {
				t.Errorf("%s: %+v", c.name, u)
			}
		}
	}
	// Offline, before anything was compared, nothing is: the answers stand unscored, and are not taken for different.
	p, store := equivalencePlan(t, "", skies), inmemory.New()
	execute(t, p, skyAnswers, store)
	if m := evaluate(t, p, store).Document.Models[0]; m.Equivalence.Unsettled != 1 ||
		!strings.Contains(m.Unscored[0].Reason, "not asked") {
		t.Errorf("%+v", m.Equivalence)
	}
}

// All that decides the comparison is in the run's id; where nothing is compared the id is what it was.
func TestEquivalenceIsInTheID(t *testing.T) {
	ids := map[string]string{}
	for name, change := range map[string]func(*Plan){
		"as it is": func(*Plan) {}, "none": func(p *Plan) { p.Equivalence = nil }, "model": func(p *Plan) {
			p.Equivalence.Model.Identity = "x"
		},
		"question": func(p *Plan) { p.Equivalence.Question = "x" }, "score": func(p *Plan) {
			p.Equivalence.Score = true
		}, "most": func(p *Plan) {
			p.Equivalence.Most = 3
		},
		"check": func(p *Plan) { p.Equivalence.Check = []KnownPair{{"q", "a", "b", true}} }, "other check": func(p *Plan) {
			p.Equivalence.Check = []KnownPair{{"q", "a", "b", false}}
		},
	} {
		p := equivalencePlan(t, EqualSemantic, skies)
		change(p)
		if other, same := ids[p.ID()]; same {
			t.Errorf("%s and %s have one id", name, other)
		}
		ids[p.ID()] = name
	}
	p := equivalencePlan(t, EqualSemantic, skies)
	id := p.ID()
	p.Equivalence.Model.Ref, p.Equivalence.Model.Sampling, p.Models[0].LogProbs = "another name", true, true
	if p.ID() != id {
		t.Error("a name decides no result")
	}
}

// The scores of yes and no may stand for a reply.
func TestScoredReplies(t *testing.T) {
	p, store := equivalencePlan(t, "", skies), inmemory.New()
	p.Equivalence.Score = true
	complete(t, p, store, skyAnswers, scorer{})
	r := evaluate(t, p, store).Document.Models[0].SuiteResult
	if r.Consistency.SemanticStability.Value != .75 || r.Equivalence.Equal != 6 {
		t.Errorf("%+v", r.Equivalence)
	}
}

// People judge pairs: their sheet is that of answers, the second held against the first. By hand: all ten pairs judged;
// people differ from the relation on one of the six that were joined.
func TestPeopleJudgePairs(t *testing.T) {
	p, store := equivalencePlan(t, "", skies), inmemory.New()
	complete(t, p, store, skyAnswers, comparer{byWord, nil})
	a := evaluate(t, p, store)
	if len(a.Pairs) != 10 || len(annotate.SamplePairs(a.Pairs, 3, 1)) != 6 {
		t.Fatalf("%d pairs, %d drawn", len(a.Pairs), len(annotate.SamplePairs(a.Pairs, 3, 1)))
	}
	var list []run.Annotation
	wrong := 0
	for _, u := range a.Pairs {
		verdict := "fail"
		if u.Stratum == annotate.PairJoined {
			verdict = "pass"
			if wrong == 0 {
				wrong, verdict = 1, "fail"
			}
		}
		list = append(list, run.Annotation{Run: p.ID(), Unit: u.ID, Rater: "ann",
			Label: []byte(`{"truth":"` + verdict + `","stratum":"` + string(u.Stratum) + `","seed":1}`)})
	}
	if err := store.Annotate(context.Background(), list); err != nil {
		t.Fatal(err)
	}
	r := evaluate(t, p, store).Document.Models[0].SuiteResult
	q := r.Equivalence.People
	if q == nil || q.Pairs != 10 || q.Joined.Pairs != 6 || q.Joined.Judged != 6 || q.Apart.Pairs != 4 ||
		math.Abs(q.Joined.Wrong.Value-1./6) > 1e-12 || q.FalseSplit.Value != 0 || math.Abs(q.FalseMerge.Value-.2) > 1e-12 {
		t.Errorf("%s", bytesOf(t, q))
	}
	if r.Equivalence.Stability.By != "people" || r.Audit != nil {
		t.Errorf("%s", bytesOf(t, r.Equivalence.Stability))
	}
}

// An equality that cannot read a suite is refused before any call.
func TestEquivalenceCannotReadTheSuite(t *testing.T) {
	for _, c := range []struct{ equal, suite, want string }{
		{"numeric", skies,
			`its gold "Because short waves are scattered more than long ones." cannot be read under --equal numeric`},
		{EqualSemantic, "suite: {name: n, version: \"1\"}\ncases:\n" +
			"  - {id: a, prompt: p, phrasings: [q], options: [x, y], gold: x}\n" +
			"  - {id: b, prompt: p2, phrasings: [q2], answer_type: numeric, gold: \"3\"}\n",
			"no case of suite n is answered in words"},
	} {
		p := equivalencePlan(t, c.equal, c.suite)
		if _, err := p.Validate(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("--equal %s: %v", c.equal, err)
		}
	}
	p := equivalencePlan(t, EqualSemantic, skies)
	p.Equivalence = nil
	if _, err := p.Validate(); err == nil || !strings.Contains(err.Error(), "no model compares") {
		t.Errorf("%v", err)
	}
}
