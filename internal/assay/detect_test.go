package assay

import (
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"hallmark/internal/archtest"
	"hallmark/internal/metric/detect"
	"hallmark/internal/model"
	"hallmark/internal/model/modeltest"
	"hallmark/internal/model/simulated"
	"hallmark/internal/run"
	"hallmark/internal/run/store/inmemory"
	"hallmark/internal/stat"
	"hallmark/internal/suite"
)

// An open model answers by table, with log-probabilities, scores options and knows its hidden states. Its second
// thoughts are set by the answer: yes and A have the probability in doubt.
type open struct {
	modeltest.Table
	doubt map[string]float64
	fail  string // a part of the prompts that fail
}

func (m open) Generate(ctx context.Context, req model.Request) (model.Response, error) {
	ln := func(p float64) *float64 { x := math.Log(p); return &x }
	if m.fail != "" && strings.Contains(req.Prompt, m.fail) {
		return model.Response{}, errors.New("simulated")
	}
	yes := .5
	for part, p := range m.doubt {
		if strings.Contains(req.Prompt, part) {
			yes = p
		}
	}
	var out model.Response
	switch {
	case req.Hidden:
		out.Cosines = []float64{1 - float64(len(req.Options[0]))/100}
		return out, nil
	case len(req.Options) == 6 || len(req.Options) == 4: // of yes, of no; half of it in another spelling
		half := len(req.Options) / 2
		for i := range req.Options {
			p := yes / 4
			if i >= half {
				p = (1 - yes) / 4
			}
			if i%half > 1 {
				p = 1e-12
			}
			out.Options = append(out.Options, model.OptionScore{LogProbs: []float64{math.Log(p)}})
		}
		return out, nil
	case len(req.Options) > 0:
		for i := range req.Options {
			out.Options = append(out.Options,
				model.OptionScore{LogProbs: []float64{math.Log(1 / float64(int(2)<<i))}}) // perplexities 2, 4, 8
		}
		return out, nil
	}
	out, err := m.Table.Generate(ctx, req)
	if err == nil && req.LogProbs {
		out.Tokens = []model.Token{{Text: *out.Text, LogProb: ln(.25),
			Top: []model.TopToken{{Text: *out.Text, LogProb: math.Log(.5)}, {Text: "x", LogProb: math.Log(.5)}}}}
	}
	return out, err
}

var able = &model.Capabilities{Temperature0: true, Sampling: true, LogProbs: true, TopLogProbs: 5, OptionScores: true,
	HiddenStates: true}

// both executes both waves of a plan.
func both(t testing.TB, p *Plan, m model.Model, store run.Store) (first, second run.Counts) {
	t.Helper()
	first = execute(t, p, m, store)
	var calls []run.Call
	for w, err := range (&inquiry{Plan: p, store: store}).detecting(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		calls = slices.Collect(w.Calls)
	}
	second, err := run.Execute(t.Context(), store, map[string]model.Model{m.Identity(): m}, slices.Values(calls),
		run.Options{Concurrency: 3})
	if err != nil {
		t.Fatal(err)
	}
	return first, second
}

const detected = `suite: {name: tiny, version: "1"}
cases:
  - {id: right, prompt: p0, phrasings: [p1, p2], gold: Paris}
  - {id: wrong, prompt: q0, phrasings: [q1, q2], gold: Rome}
  - {id: mixed, prompt: r0, phrasings: [r1, r2], gold: Oslo}
  - {id: gone, prompt: t0, phrasings: [t1, t2], gold: Bern}
  - {id: choice, prompt: Which?, options: [red, green, blue], gold: {option: 1}}
`

func detectionPlan(t testing.TB) *Plan {
	p := plan(read(t, "tiny.yaml", detected))
	p.Methods, p.Models[0].Can, p.Repeats, p.Sampled = []string{Rubric, Consistency, Detection}, able, 1, 2
	return p
}

// Every score of a run by hand.
func TestDetectionByHand(t *testing.T) {
	p, store := detectionPlan(t), inmemory.New()
	m := open{answers, map[string]float64{"p0": .9, "q0": .2}, ""}
	if _, second := both(t, p, m, store); second.Asked != 4*3 { // gone has no answer to ask about
		t.Errorf("%+v in the second wave", second)
	}
	a := evaluate(t, p, store)
	d := a.Document.Models[0].Detection
	if d.N != 4 || d.Unscored != 1 || d.NotAvailable != nil || len(d.Detectors) != len(detect.Names) {
		t.Errorf("%+v", d)
	}
	rows := map[string]map[string]float64{}
	for _, r := range a.Cases.All() {
		rows[r.ID] = r.Detection.Scores
	}
	h := func(ps ...float64) (nats float64) {
		for _, p := range ps {
			nats -= p * math.Log(p)
		}
		return nats
	}
	for id, want := range map[string]map[string]float64{
		"right": {detect.Perplexity: 4, detect.TokenEntropy: math.Log(2), detect.Surprisal: .05, detect.SelfCheck: .1,
			detect.SelfCheckPublished: 1 - .9/4,
			detect.PTrue:              .1, detect.SemanticEntropy: 0, detect.SampleDisagreement: 0},
		"wrong": {detect.Perplexity: 4, detect.TokenEntropy: math.Log(2), detect.Surprisal: .05, detect.SelfCheck: .8,
			detect.SelfCheckPublished: .95,
			detect.PTrue:              .8, detect.SemanticEntropy: 0, detect.SampleDisagreement: 0},
		"choice": {detect.Perplexity: 2, detect.Entropy: h(4./7, 2./7, 1./7), detect.EntropyAsPublished: h(1./7, 2./7, 4./7),
			detect.Surprisal: .03,
			detect.SelfCheck: .5, detect.SelfCheckPublished: .875, detect.PTrue: .5},
		"gone": nil,
	} {
		if len(rows[id]) != len(want) {
			t.Errorf("%s has scores %v, want %v", id, rows[id], want)
		}
		for name, x := range want {
			if math.Abs(rows[id][name]-x) > 1e-9 {
				t.Errorf("%s, %s: %v, want %v", id, name, rows[id][name], x)
			}
		}
	}
	// Correct: right, mixed; wrong: wrong, choice. Consistent: right, wrong; not: mixed. (The choice is asked once.)
	s := d.Detectors[detect.SelfCheck]
	if c := s.Correctness; c.Failing != 2 || c.Passing != 2 || c.AUROC.Value != .875 { // .8, .5 against .1, .5
		t.Errorf("correctness %+v %+v", c.Classes, c.AUROC)
	}
	if c := s.Consistency; c.Failing != 1 || c.Passing != 2 || c.AUROC.Value != .5 { // .5 against .1, .8
		t.Errorf("consistency %+v %+v", c.Classes, c.AUROC)
	}
	if s.N != 4 || s.Unscored != 1 || s.Gain == nil || len(s.Warnings) == 0 {
		t.Errorf("%+v", s)
	}
	if w := d.Detectors[detect.Perplexity].Warnings; !slices.Contains(w, mixedPerplexity(1, 3)) ||
		slices.Contains(s.Warnings, mixedPerplexity(1, 3)) {
		t.Errorf("warnings of perplexity %q", w)
	}
}

// A finished run gives the same bytes without its model, from its stored plan, and in another order of calls; a killed
// one resumes.
func TestDetectionIsRecords(t *testing.T) {
	p, store := detectionPlan(t), inmemory.New()
	m := open{answers, map[string]float64{"p0": .9, "q0": .2}, ""}
	both(t, p, m, store)
	want := bytesOf(t, evaluate(t, p, store))
	if first, second := both(t, p, broken{t}, store); first.Asked+second.Asked != 0 {
		t.Errorf("%d and %d calls of a finished run", first.Asked, second.Asked)
	}
	if got := bytesOf(t, evaluate(t, p, store)); got != want {
		t.Errorf("%s\nthen %s", want, got)
	}
	late := inmemory.New()
	execute(t, p, m, late) // killed after the first wave
	if got := evaluate(t, p, late); len(got.Document.Models[0].Unscored) != 3+4*3 {
		t.Errorf("unscored %+v", got.Document.Models[0].Unscored)
	}
	both(t, p, m, late)
	if got := bytesOf(t, evaluate(t, p, late)); got != want {
		t.Errorf("resumed %s\nwant %s", got, want)
	}
}

// What a model cannot be asked for is named, and planned for nobody; what fails is listed.
func TestDetectionNotAvailable(t *testing.T) {
	for _, c := range []struct {
		name  string
		can   *model.Capabilities
		calls int // of the second wave
		lacks []string
	}{
		{"nothing", &model.Capabilities{Sampling: true}, 0, []string{detect.PTrue, detect.SelfCheck,
			detect.SelfCheckPublished, detect.Surprisal, detect.TokenEntropy}},
		{"unknown", nil, 0, []string{detect.PTrue, detect.SelfCheck, detect.SelfCheckPublished, detect.Surprisal,
			detect.TokenEntropy}},
		{"closed", &model.Capabilities{LogProbs: true, TopLogProbs: 5, OptionScores: true, Closed: true}, 0,
			[]string{detect.PTrue, detect.SelfCheck, detect.SelfCheckPublished, detect.Surprisal}},
		{"lists", &model.Capabilities{LogProbs: true, TopLogProbs: 5}, 4 * 2, []string{detect.Surprisal}},
		{"states", &model.Capabilities{LogProbs: true, TopLogProbs: 5, HiddenStates: true}, 4 * 3, nil},
	} {
		p, store := detectionPlan(t), inmemory.New()
		p.Models[0].Can = c.can
		m := open{answers, nil, ""}
		_, second := both(t, p, m, store)
		if second.Planned != c.calls {
			t.Errorf("%s: %d calls in the second wave, want %d", c.name, second.Planned, c.calls)
		}
		d := evaluate(t, p, store).Document.Models[0].Detection
		var lacks []string
		for _, name := range detect.Names {
			if d.NotAvailable[name] != "" {
				lacks = append(lacks, name)
			}
		}
		if len(lacks) != len(c.lacks) || len(d.Detectors) != len(detect.Names) {
			t.Errorf("%s: not available %v, want %v", c.name, d.NotAvailable, c.lacks)
		}
		for _, name := range c.lacks {
			if d.NotAvailable[name] == "" || d.Detectors[name].N != 0 {
				t.Errorf("%s: %s %+v", c.name, name, d.Detectors[name])
			}
		}
	}
	p, store := detectionPlan(t), inmemory.New()
	both(t, p, open{answers, nil, "correct?"}, store)
	m := evaluate(t, p, store).Document.Models[0]
	failed := 0
	for _, u := range m.Unscored {
		if u.Axis == detect.SelfCheck && u.Reason == "simulated" {
			failed++
		}
	}
	if s := m.Detection.Detectors[detect.SelfCheck]; failed != 4 || s.N != 0 || s.Unscored != 5 ||
		s.Correctness.AUROC != nil {
		t.Errorf("%d listed, %+v", failed, s)
	}
}

// Without detection the calls are what they were: their keys are those of stored records.
func TestDetectionChangesNoOtherCall(t *testing.T) {
	p := detectionPlan(t)
	p.Methods = []string{Rubric, Consistency}
	p.Models[0].Can = nil
	plainSeq, _, err := p.Calls()
	if err != nil {
		t.Fatal(err)
	}
	plain := slices.Collect(plainSeq)
	q := detectionPlan(t)
	withSeq, _, err := q.Calls()
	if err != nil {
		t.Fatal(err)
	}
	with := slices.Collect(withSeq)
	if err != nil || len(with) != len(plain) {
		t.Fatal(len(with), len(plain), err)
	}
	changed := 0
	for i := range plain {
		if plain[i].Request.LogProbs || plain[i].Request.TopLogProbs > 0 {
			t.Errorf("%+v", plain[i].Request)
		}
		if !reflect.DeepEqual(plain[i], with[i]) {
			changed++
		}
	}
	if changed != 4 { // the default prompts that are answered in words
		t.Errorf("%d calls differ", changed)
	}
	// Its answers can be replayed by a plan without it.
	p.Models[0].Can = able
	replayedSeq, _, err := p.Calls()
	if err != nil {
		t.Fatal(err)
	}
	replayed := slices.Collect(replayedSeq)
	if err != nil || !reflect.DeepEqual(replayed, with) {
		t.Errorf("%v, or the calls of a replay differ", err)
	}
}

// Two models side by side: one that doubts its wrong answer only, one that doubts its right one.
func TestDetectionAcross(t *testing.T) {
	p, store := detectionPlan(t), inmemory.New()
	p.Models = []UnderTest{{Ref: "a", Identity: "table", Can: able}, {Ref: "a", Identity: "other", Can: able}}
	for _, s := range []struct {
		m model.Model
	}{{open{answers, map[string]float64{"p0": .9, "q0": .2}, ""}},
		{named{open{answers, map[string]float64{"p0": .2, "q0": .9}, ""}}}} {
		one := *p
		for _, tested := range p.Models {
			if tested.Identity == s.m.Identity() {
				one.Models = []UnderTest{tested}
			}
		}
		both(t, &one, s.m, store)
	}
	r := evaluate(t, p, store).Document.Across.Detection
	c := r.Detectors[detect.SelfCheck].Correctness
	if r.Models != 2 || c.Models != 2 || c.Higher != 1 || *c.P != 1 || c.AUROC["a"].Value != .875 ||
		c.AUROC["a (2)"].Value != .125 {
		t.Errorf("%+v, %+v, %+v", r, c, c.AUROC)
	}
	if !slices.Contains(r.Warnings, mixedPerplexity(1, 3)) {
		t.Errorf("warnings %q", r.Warnings)
	}
}

type named struct{ open }

func (named) Identity() string { return "other" }

// Two cases that ask the same share one record, and its tokens tell both the same.
func TestDetectionOfEqualCalls(t *testing.T) {
	p, store := detectionPlan(t), inmemory.New()
	p.Suites[0] = read(t, "twins.yaml", "cases:\n  - {id: a, prompt: p0, gold: Paris}\n"+
		"  - {id: b, prompt: p0, gold: Rome}\n")
	if first, second := both(t, p, open{answers, nil, ""}, store); first.Planned-first.Reused < 1 || second.Planned != 3 {
		t.Errorf("%+v, %+v", first, second)
	}
	a := evaluate(t, p, store)
	if one, two := a.Cases.At(0).Detection, a.Cases.At(1).Detection; len(one.Scores) != 8 ||
		!reflect.DeepEqual(one.Scores, two.Scores) || !*one.Correct || *two.Correct {
		t.Errorf("%+v and %+v", one, two)
	}
}

func TestDetectorsSaid(t *testing.T) {
	axis := func(lo float64) *detect.Axis {
		return &detect.Axis{AUROC: &stat.Estimate{Value: lo + .1, Lo: lo, Hi: lo + .2}}
	}
	ahead := map[string]*stat.Estimate{detect.Perplexity: {Value: .1, Lo: .02, Hi: .2},
		detect.SelfCheck: {Value: .3, Lo: .1, Hi: .5}}
	d := &detect.Summary{Best: &detect.Best{Detector: detect.PTrue, Ahead: ahead}, Detectors: map[string]*detect.Detector{
		detect.Perplexity: {N: 9, Correctness: axis(.6), GainTogether: &stat.Estimate{Value: .2, Lo: .1, Hi: .3}},
		detect.PTrue:      {N: 9, Correctness: axis(.7), GainTogether: &stat.Estimate{Value: -.2, Lo: -.3, Hi: -.1}},
		detect.SelfCheck:  {N: 9, Correctness: axis(.4), GainTogether: &stat.Estimate{Value: 0, Lo: -.3, Hi: .1}},
		detect.Surprisal:  {N: 0, Correctness: &detect.Axis{}},
	}}
	var said []string
	sayDetectors(func(path, advice, format string, args ...any) { said = append(said, path) }, d)
	want := []string{"detection.detectors.p_true.correctness.auroc.estimate",
		"detection.detectors.perplexity.gain.estimate", "detection.detectors.p_true.gain.estimate"}
	if !reflect.DeepEqual(said, want) {
		t.Errorf("%q", said)
	}
	sayDetectors(func(string, string, string, ...any) { t.Error("a sentence about nothing") }, nil)

	// Best for sure is what is ahead of all others alone.
	for lo, want := range map[float64]string{
		.02: "higher than that of every other", -.02: "these do not differ from it beyond chance: perplexity",
	} {
		ahead[detect.Perplexity].Lo, said = lo, nil
		sayDetectors(func(path, advice, format string, args ...any) { said = append(said, fmt.Sprintf(format, args...)) }, d)
		if !strings.Contains(said[0], want) || strings.Contains(said[0], "self") ||
			strings.Contains(said[0], "every other") != (lo > 0) {
			t.Errorf("lower bound %v: %q", lo, said[0])
		}
	}

	// Where no gain is sure, that is said.
	said, d.Best = nil, nil
	delete(d.Detectors, detect.Perplexity)
	delete(d.Detectors, detect.PTrue)
	sayDetectors(func(path, advice, format string, args ...any) { said = append(said, fmt.Sprintf(format, args...)) }, d)
	if len(said) != 1 || !strings.HasPrefix(said[0], "No detector predicts inconsistency better than "+
		"error, or worse (1 compared") {
		t.Errorf("%q", said)
	}
}

// A phantom's words have a confidence of .65 to .95 where they are right and of .45 to .75 where they are wrong, each
// uniform: the perplexity of a right word is the higher with a chance of 1/18. Over runs (100 with HALLMARK_LONG=1)
// of 120 questions the interval of its AUROC holds 17/18 about as often as it says.
func TestDetectionOfPhantoms(t *testing.T) {
	if archtest.Race {
		t.Skip("a simulation: the race detector sees the same code in other tests")
	}
	const truth = 17. / 18
	runs := archtest.Draws(20, 100, 100)
	s := questions(t, 1, stratum{"a", "", 120})
	held, sum := 0, 0.
	for n := range runs {
		seed := uint64(n)
		rates := profileOf(t, "prompt_agnostic_factual: .7\nprompt_agnostic_error: .3")
		rates.Seed = &seed
		m := simulated.New(rates, simulated.FromSuites([]*suite.Suite{s}))
		can, err := m.Probe(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		p := Defaults()
		p.Models, p.Suites, p.Methods = []UnderTest{{Ref: "phantom", Identity: m.Identity(), Can: &can}}, []*suite.Suite{s},
			[]string{Detection}
		store := inmemory.New()
		if _, second := both(t, &p, m, store); second.Planned != 0 {
			t.Fatalf("%d calls about the answers of a simulator", second.Planned)
		}
		a := evaluate(t, &p, store).Document.Models[0].Detection.Detectors[detect.Perplexity].Correctness.AUROC
		sum += a.Value
		if a.Lo <= truth && truth <= a.Hi {
			held++
		}
	}
	if mean := sum / float64(runs); math.Abs(mean-truth) > .06/math.Sqrt(float64(runs)) ||
		float64(held) < float64(runs)*archtest.Least(.95, runs) {
		t.Errorf("the mean AUROC is %.4f, its interval held %.4f in %d of %d runs", mean, truth, held, runs)
	} else {
		t.Logf("mean %.4f, held in %d", mean, held)
	}
}
