package assay

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"hallmark/internal/assay/annotate"
	"hallmark/internal/base/seed"
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
	p.Equivalence = &Equivalence{Model: UnderTest{Ref: "the comparer", Identity: "comparer"}, Question: equivalence.Version, Most: 10}
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
		t.Errorf("level %q: a model that reads prose compared it; warnings %q", r.Consistency.RobustnessLevel, r.Consistency.Warnings)
	}
	// Four answers and the gold: six pairs among the answers and four with the gold. Equal: three and three.
	want := EquivalenceResult{
		Relation: "meaning", Model: "the comparer", Question: equivalence.Version, Cases: 1, Answers: 4, Classes: 2, Pairs: 10, Equal: 6,
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
	if row := a.Cases.At(0); row.Equality != EqualSemantic || row.Mode != "because short waves are scattered more than long ones" || row.Category != "randomness" {
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
	for kill := range 30 {
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
			if strings.Contains(a, "scattering") && strings.Contains(b, "scattered to all") || strings.Contains(b, "scattering") && strings.Contains(a, "scattered to all") {
				return ""
			}
			return byWord(a, b)
		}, 1, 0, 2},
		{"all fail", func(string, string) string { return "" }, 10, 1, 1},
	} {
		p, store := equivalencePlan(t, "", skies), inmemory.New()
		complete(t, p, store, skyAnswers, comparer{c.implies, nil})
		m := evaluate(t, p, store).Document.Models[0]
		if len(m.Unscored) != c.unscored || m.Equivalence.Unscored != c.unscored || m.Equivalence.Unsettled != c.unsettled || m.Consistency.Questions != c.questions {
			t.Errorf("%s: %d listed, %+v, %d questions", c.name, len(m.Unscored), *m.Equivalence, m.Consistency.Questions)
		}
		for _, u := range m.Unscored {
			if u.Axis != "equality" || u.CaseID != "sky" || !strings.Contains(u.Reason, "no reply") && !strings.Contains(u.Reason, "neither begins") {
				t.Errorf("%s: %+v", c.name, u)
			}
		}
	}
	// Offline, before anything was compared, nothing is: the answers stand unscored, and are not taken for different.
	p, store := equivalencePlan(t, "", skies), inmemory.New()
	execute(t, p, skyAnswers, store)
	if m := evaluate(t, p, store).Document.Models[0]; m.Equivalence.Unsettled != 1 || !strings.Contains(m.Unscored[0].Reason, "not asked") {
		t.Errorf("%+v", m.Equivalence)
	}
}

// All that decides the comparison is in the run's id; where nothing is compared the id is what it was.
func TestEquivalenceIsInTheID(t *testing.T) {
	ids := map[string]string{}
	for name, change := range map[string]func(*Plan){
		"as it is": func(*Plan) {}, "none": func(p *Plan) { p.Equivalence = nil }, "model": func(p *Plan) { p.Equivalence.Model.Identity = "x" },
		"question": func(p *Plan) { p.Equivalence.Question = "x" }, "score": func(p *Plan) { p.Equivalence.Score = true }, "most": func(p *Plan) { p.Equivalence.Most = 3 },
		"check": func(p *Plan) { p.Equivalence.Check = []KnownPair{{"q", "a", "b", true}} }, "other check": func(p *Plan) { p.Equivalence.Check = []KnownPair{{"q", "a", "b", false}} },
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

type scorer struct{}

func (scorer) Identity() string { return "comparer" }

func (scorer) Generate(_ context.Context, req model.Request) (model.Response, error) {
	yes := -2.
	if byWord(sides(req.Prompt)) == "Yes." {
		yes = -.1
	}
	if !reflect.DeepEqual(req.Options, equivalence.Replies) || req.MaxTokens != 0 {
		return model.Response{}, errors.New("not asked for scores")
	}
	return model.Response{Options: []model.OptionScore{{LogProbs: []float64{yes}}, {LogProbs: []float64{-.5, -.5}}}}, nil
}

// By hand: of four samples three say the same. The discrete entropy is .5623; by wording all four differ, ln 4. With
// likelihoods of .4 and .2 a token for the texts of the first class, drawn once, and twice, and .2 for the other: P =
// 3/4 and 1/4, too.
func TestSemanticEntropy(t *testing.T) {
	p := equivalencePlan(t, "", strings.Split(skies, "  - {id: town")[0])
	p.Sampled, p.Models[0].LogProbs = 4, true
	store := inmemory.New()
	complete(t, p, store, drawing{}, comparer{byWord, nil})
	a := evaluate(t, p, store)
	e := a.Document.Models[0].ConsistencySampled.SemanticEntropy
	if e == nil || e.Cases != 1 || e.WeightedCases != 1 {
		t.Fatalf("%+v", e)
	}
	const want = .5623351446188083
	if math.Abs(e.Discrete.Value-want) > 1e-9 || math.Abs(e.Weighted.Value-want) > 1e-9 || math.Abs(e.Forms.Value-math.Log(4)) > 1e-9 || *e.Bias != .125 {
		t.Errorf("%s", bytesOf(t, e))
	}
	if row := a.Cases.At(0); math.Abs(*row.SemanticEntropy-want) > 1e-12 || math.Abs(*row.SemanticEntropyWeighted-want) > 1e-12 {
		t.Errorf("%v, %v", *row.SemanticEntropy, *row.SemanticEntropyWeighted)
	}
	// Without log-probabilities the weighted form is absent, and nothing else changes.
	p.Models[0].LogProbs = false
	complete(t, p, store, drawing{}, comparer{byWord, nil})
	if e := evaluate(t, p, store).Document.Models[0].ConsistencySampled.SemanticEntropy; e.Weighted != nil || e.WeightedCases != 0 || math.Abs(e.Discrete.Value-want) > 1e-9 {
		t.Errorf("%s", bytesOf(t, e))
	}
}

// drawing answers each draw in other words, with log-probabilities where they are asked for.
type drawing struct{}

func (drawing) Identity() string { return "table" }

var drawn = []struct {
	text string
	p    float64
}{{"It is the scattering of short waves.", .4}, {"Light is scattered.", .1}, {"scattered light, by the air", .1}, {"It is the sea.", .2}}

func (drawing) Generate(_ context.Context, req model.Request) (model.Response, error) {
	if req.Seed == nil {
		text := "It is the sea."
		return model.Response{Text: &text}, nil
	}
	i := int(*req.Seed % 4)
	for n := range 4 { // each text once: the samples' seeds are of the plan
		if seeds[n] == *req.Seed {
			i = n
		}
	}
	d := drawn[i]
	out := model.Response{Text: &d.text}
	if req.LogProbs {
		lp := math.Log(d.p)
		out.Tokens = []model.Token{{Text: "x", LogProb: &lp}, {Text: "y", LogProb: &lp}}
	}
	return out, nil
}

// seeds are those of the four samples of the case sky.
var seeds = func() (s [4]int64) {
	p := Defaults()
	for i := range s {
		s[i] = int64(seed.Stream(p.Seed, "sample", "sky", fmt.Sprint(i)).Uint64() >> 12)
	}
	return s
}()

// The error on known pairs: of four that are equal one is held apart, of five that differ one is joined; one that is
// equal in normal form is not asked about, and one without a verdict counts nowhere. A case's classes say how far
// stability could move.
func TestKnownPairsGiveTheError(t *testing.T) {
	p, store := equivalencePlan(t, "", skies), inmemory.New()
	pair := func(a, b string, equal bool) {
		p.Equivalence.Check = append(p.Equivalence.Check, KnownPair{"Where is the tower?", a, b, equal})
	}
	pair("Paris", "paris!", true)
	pair("Paris", "In Paris", true)
	pair("sea", "the deep sea", true)
	pair("ocean", "the seaside", true)
	for i, other := range []string{"paint", "scatter", "x", "Paris"} {
		pair("sea", other+fmt.Sprint(i), false)
	}
	pair("by the sea", "over the sea", false)
	pair("shrug", "sea", false)
	complete(t, p, store, skyAnswers, comparer{func(a, b string) string {
		if strings.Contains(a+b, "shrug") {
			return "I cannot say."
		}
		return byWord(a, b)
	}, nil})
	q := evaluate(t, p, store).Document.Models[0].Equivalence
	c := q.Check
	if c.Pairs != 9 || c.Unscored != 1 || c.FalseSplit.Value != .25 || c.FalseMerge.Value != .2 {
		t.Errorf("%s", bytesOf(t, c))
	}
	if s := q.Stability; s.By != "check" || *s.Measured != .75 || !(*s.Lo <= *s.Corrected && *s.Corrected <= *s.Hi) || *s.Hi-*s.Lo < .05 {
		t.Errorf("%s", bytesOf(t, s))
	}
	if len(q.Warnings) != 3 {
		t.Errorf("%q", q.Warnings)
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
		list = append(list, run.Annotation{Run: p.ID(), Unit: u.ID, Rater: "ann", Label: []byte(`{"truth":"` + verdict + `","stratum":"` + string(u.Stratum) + `","seed":1}`)})
	}
	if err := store.Annotate(context.Background(), list); err != nil {
		t.Fatal(err)
	}
	r := evaluate(t, p, store).Document.Models[0].SuiteResult
	q := r.Equivalence.People
	if q == nil || q.Pairs != 10 || q.Joined.Pairs != 6 || q.Joined.Judged != 6 || q.Apart.Pairs != 4 || math.Abs(q.Joined.Wrong.Value-1./6) > 1e-12 || q.FalseSplit.Value != 0 || math.Abs(q.FalseMerge.Value-.2) > 1e-12 {
		t.Errorf("%s", bytesOf(t, q))
	}
	if r.Equivalence.Stability.By != "people" || r.Audit != nil {
		t.Errorf("%s", bytesOf(t, r.Equivalence.Stability))
	}
}

// An equality that cannot read a suite is refused before any call.
func TestEquivalenceCannotReadTheSuite(t *testing.T) {
	for _, c := range []struct{ equal, suite, want string }{
		{"numeric", skies, `its gold "Because short waves are scattered more than long ones." cannot be read under --equal numeric`},
		{EqualSemantic, "suite: {name: n, version: \"1\"}\ncases:\n  - {id: a, prompt: p, phrasings: [q], options: [x, y], gold: x}\n  - {id: b, prompt: p2, phrasings: [q2], answer_type: numeric, gold: \"3\"}\n", "no case of suite n is answered in words"},
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

// With no --equal the type of the answer decides: options by content, numbers by value, short answers by their words,
// prose by what a model holds of it.
func TestEquivalenceByAnswerType(t *testing.T) {
	p := equivalencePlan(t, "", `suite: {name: types, version: "1"}
cases:
  - {id: choice, prompt: a0, phrasings: [a1], options: [red, blue], show_options: true, answer_type: choice, gold: red}
  - {id: number, prompt: b0, phrasings: [b1], answer_type: numeric, gold: "1200"}
  - {id: short, prompt: c0, phrasings: [c1], answer_type: short, gold: Paris}
  - {id: prose, prompt: d0, phrasings: [d1], answer_type: prose, gold: It is scattered by the air.}
`)
	p.Choices = ChoicesGenerate
	store := inmemory.New()
	var asked atomic.Int64
	given := byPrompt{"a0": "(A)", "a1": "A. red", "b0": "1,200", "b1": "It is 1200.0", "c0": "It is Paris.", "c1": "the city of Paris in France", "d0": "They scatter, so it is.", "d1": "scattered light, that is why"}
	complete(t, p, store, given, comparer{byWord, &asked})
	a := evaluate(t, p, store)
	for _, row := range a.Cases.All() {
		if row.PC != 1 || row.Category != "prompt_agnostic_factual" || (row.Equality == EqualSemantic) != (row.ID == "prose") {
			t.Errorf("%s: PC %v, %s, equality %q, mode %q", row.ID, row.PC, row.Category, row.Equality, row.Mode)
		}
	}
	if asked.Load() != 6 { // two answers and the gold, both ways: of the prose alone
		t.Errorf("%d directions were asked", asked.Load())
	}
}

// byPrompt answers by the letters that a prompt begins with.
type byPrompt map[string]string

func (byPrompt) Identity() string { return "table" }

func (m byPrompt) Generate(_ context.Context, req model.Request) (model.Response, error) {
	text := m[req.Prompt[:2]]
	return model.Response{Text: &text}, nil
}

// A whole run with a comparer of known error on answers whose meaning is known: six answers to each of 40 questions,
// all in other words, four of one meaning and two of another, so that the true stability is 2/3. The measured one is
// off by the comparer's false merges; the interval holds the truth.
func TestStabilityUnderAKnownError(t *testing.T) {
	var text strings.Builder
	text.WriteString("suite: {name: known, version: \"1\"}\ncases:\n")
	for i := range 40 {
		fmt.Fprintf(&text, "  - {id: q%d, prompt: q%d v0, phrasings: [q%d v1, q%d v2, q%d v3, q%d v4, q%d v5], answer_type: prose}\n", i, i, i, i, i, i, i)
	}
	p := equivalencePlan(t, "", text.String())
	for i := range 200 { // pairs like those of the run: of one meaning, and of two
		for j, equal := range []bool{true, false} {
			p.Equivalence.Check = append(p.Equivalence.Check, KnownPair{"known", fmt.Sprintf("check %d %d says m0", i, j), fmt.Sprintf("check %d %d also says m%d", i, j, j), equal})
		}
	}
	store := inmemory.New()
	complete(t, p, store, phrased{}, comparer{func(a, b string) string {
		u := seed.Stream(3, "error", min(a, b), max(a, b)).Float64() // of the pair, whichever way it is asked
		same := a[len(a)-2:] == b[len(b)-2:]
		if same && u >= .2 || !same && u < .05 {
			return "yes"
		}
		return "no"
	}, nil})
	m := evaluate(t, p, store).Document.Models[0]
	s := m.Equivalence.Stability
	const truth = 4. / 6
	if *s.Measured < truth+.05 {
		t.Errorf("measured %.3f: the errors were to move it", *s.Measured)
	}
	if !(*s.Lo <= truth && truth <= *s.Hi) || math.Abs(*s.Corrected-truth) > .02 {
		t.Errorf("corrected %.3f in [%.3f, %.3f], the truth is %.3f", *s.Corrected, *s.Lo, *s.Hi, truth)
	}
	if c := m.Equivalence.Check; !(c.FalseSplit.Lo <= .2 && .2 <= c.FalseSplit.Hi && c.FalseMerge.Lo <= .05 && .05 <= c.FalseMerge.Hi) {
		t.Errorf("%s", bytesOf(t, c))
	}
}

// phrased answers each prompt in words of its own; the last ones are its meaning.
type phrased struct{}

func (phrased) Identity() string { return "table" }

func (phrased) Generate(_ context.Context, req model.Request) (model.Response, error) {
	meaning := "m0"
	if v := req.Prompt[len(req.Prompt)-1]; v >= '4' {
		meaning = "m1"
	}
	text := "answer to " + req.Prompt + " says " + meaning
	return model.Response{Text: &text}, nil
}

// A reading of many answers ends where it is interrupted, and is no result.
func TestInterruptedReading(t *testing.T) {
	p, store := equivalencePlan(t, "", skies), inmemory.New()
	complete(t, p, store, skyAnswers, comparer{byWord, nil})
	ctx, stop := context.WithCancel(t.Context())
	left := len(skyAnswers)
	late := run.Watch(store, func(run.Key, *run.Record) {
		if left--; left == 0 {
			stop()
		}
	})
	p.Equivalence = nil
	if _, err := Evaluate(ctx, late, p, "v"); left > 0 || !errors.Is(err, context.Canceled) {
		t.Errorf("%v with %d records left to look up, want %v", err, left, context.Canceled)
	}
}
