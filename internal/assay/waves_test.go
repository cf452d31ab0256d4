package assay

import (
	"bytes"
	"crypto/sha256"
	"flag"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"testing"

	"hallmark/internal/archtest"
	"hallmark/internal/ask/prompt"
	"hallmark/internal/metric/equivalence"
	"hallmark/internal/metric/method"
	"hallmark/internal/metric/posterior"
	"hallmark/internal/model"
	"hallmark/internal/run"
	"hallmark/internal/run/store/inmemory"
	"hallmark/internal/text/paraphrase"
)

var updateWaves = flag.Bool("update-waves", false, "write testdata/waves.golden anew")

const judgedCases = `suite: {name: judged, version: "1"}
cases:
  - {id: poem, prompt: Write of tides., phrasings: [u1, u2], oracle: {type: judge, criteria: It names the moon.}}
  - {id: both, prompt: Write of ice., phrasings: [i1, i2], oracle: {type: all, of: [{type: judge, criteria: Cold.}, {type: judge, criteria: Short.}]}}
  - {id: sky, prompt: Why is the sky blue?, phrasings: [w1, w2], answer_type: prose, gold: [Waves are scattered., Blue light is scattered.]}
  - {id: town, prompt: Where is the tower?, phrasings: [v1, v2], gold: Paris}
`

const chosenCases = `suite: {name: chosen, version: "1"}
cases:
  - {id: pick, prompt: Which?, phrasings: [x1], options: [red, green, blue], gold: {option: 1}}
  - {id: town, prompt: Where is the tower?, phrasings: [v1, v2], gold: Paris}
  - {id: again, prompt: Where is the tower?, phrasings: [v1], gold: Paris}
`

const urnCases = `suite: {name: urns%d, version: "1"}
cases:
  - {id: q1, form: input-label, prompt: x1, demonstrations: [{input: a, label: red}, {input: b, label: blue}], gold: red, options: [red, blue], phrasings: [y1]}
  - {id: q2, form: input-label, prompt: x%d, demonstrations: [{input: a, label: red}, {input: b, label: blue}, {input: c, label: red}], gold: red, options: [red, blue]}
`

// A surer asks twice about each answer: whether it is sure, and what else it may be.
type surer struct{ method.Method }

func (surer) Name() string { return "surer" }
func (surer) Most() int    { return 2 }

func (surer) Next(t *method.Table) iter.Seq[run.Call] {
	return func(yield func(run.Call) bool) {
		for c := range t.Cases {
			for _, a := range c.Answers {
				if a.Missing != "" {
					continue
				}
				first := t.Asked(c.Prompt+" "+a.Text+" Sure?", 9)
				if !yield(first) {
					return
				}
				if r := t.Record(first); r != nil && r.Response != nil && r.Response.Text != nil &&
					strings.Contains(*r.Response.Text, "a") && !yield(t.Asked(c.Prompt+" Else?", 7)) {
					return
				}
			}
		}
	}
}

// askingPlans are plans of every kind that asks.
func askingPlans(t *testing.T) map[string]*Plan {
	judged, chosen := read(t, "judged.yaml", judgedCases), read(t, "chosen.yaml", chosenCases)
	urns := func(n, x int) string { return fmt.Sprintf(urnCases, n, x) }
	other := UnderTest{Ref: "another", Identity: "another"}
	helper := func(name string) *UnderTest { return &UnderTest{Ref: "the " + name, Identity: name} }
	all := map[string]*Plan{}
	add := func(name string, p *Plan, change func(p *Plan)) {
		p.MaxTokens = 50
		change(p)
		all[name] = p
	}
	add("plain", plan(judged, chosen), func(p *Plan) {
		p.Sampled, p.RetestCases = 2, 2
		p.Models = append(p.Models, other)
	})
	add("limit", plan(chosen, judged), func(p *Plan) { p.Limit, p.Choices = 2, ChoicesGenerate })
	add("judge", plan(judged, chosen), func(p *Plan) { p.Judge = helper("judge") })
	add("panel", plan(judged, chosen), func(p *Plan) {
		p.Judge, p.Panel = helper("judge"), []*UnderTest{helper("second"), {Ref: "the model itself", Identity: "table"}}
		p.Models, p.Sampled, p.Panel[0].Sampling = append(p.Models, other), 1, true
	})
	add("judge all", plan(judged), func(p *Plan) {
		p.Judge, p.Panel, p.JudgeAll = helper("judge"), []*UnderTest{helper("second")}, true
	})
	reworded := func(p *Plan, x Paraphrasing) {
		p.Variants, p.Repeats = []prompt.Spec{{Kind: prompt.Paraphrases, N: 2}, {Kind: prompt.Phrasings, N: 1}}, 1
		p.Paraphrasing = &x
	}
	file := []paraphrase.Entry{{ID: "town", Paraphrases: []string{"Where does the tower stand?", "Which town has it?"}}}
	add("paraphrases by rules", plan(chosen), func(p *Plan) {
		reworded(p, Paraphrasing{By: paraphrase.Version, Filter: NoFilter})
	})
	add("paraphrases by rules, judged", plan(chosen), func(p *Plan) {
		reworded(p, Paraphrasing{By: paraphrase.Version, Filter: NoFilter, Judge: helper("critic")})
	})
	add("paraphrases by file, judged", plan(chosen), func(p *Plan) {
		reworded(p, Paraphrasing{By: ByFile, Texts: file, From: "f", Filter: NoFilter, Judge: helper("critic")})
	})
	add("paraphrases by model", plan(chosen, judged), func(p *Plan) {
		reworded(p, Paraphrasing{By: ByModel, Model: helper("writer"), Ask: paraphrase.Ask, Draws: 2, Filter: NoFilter})
	})
	add("paraphrases by model, judged", plan(chosen, judged), func(p *Plan) {
		reworded(p, Paraphrasing{By: ByModel, Model: helper("writer"), Ask: paraphrase.Ask, Draws: 1, Filter: NoFilter,
			Judge: helper("critic")})
		p.Models, p.Judge = append(p.Models, other, UnderTest{Ref: "replayed", Identity: "replayed", Replayed: true}),
			helper("judge")
	})
	detects := func(p *Plan) {
		p.Methods, p.Sampled = []string{Rubric, Consistency, Detection}, 2
		p.Models[0].Can = able
	}
	add("detection", plan(judged, chosen), func(p *Plan) {
		detects(p)
		second := other
		second.Can, second.Sampling = &model.Capabilities{Temperature0: true, LogProbs: true, TopLogProbs: 5}, true
		p.Models = append(p.Models, second, UnderTest{Ref: "unknown", Identity: "unknown"})
	})
	add("detection, replayed", plan(judged, chosen), func(p *Plan) {
		detects(p)
		p.Models = append(p.Models, UnderTest{Ref: "replayed", Identity: "replayed", Replayed: true, Can: able})
	})
	rates := func(p *Plan, estimator string) {
		normal := Plan{Posterior: &PosteriorOptions{}}
		normal.SetDefaults()
		x := *normal.Posterior
		x.M, x.Extend, x.K, x.Estimator = 2, 2, 3, estimator
		x = x.Resolved()
		p.Posterior, p.Methods = &x, []string{Posterior}
	}
	add("posterior by sums", plan(read(t, "u.yaml", urns(1, 2)), chosen, read(t, "v.yaml", urns(2, 3))), func(p *Plan) {
		rates(p, posterior.Sum)
		p.Methods = []string{Rubric, Consistency, Posterior}
		p.Models = append(p.Models, other, UnderTest{Ref: "r", Identity: "r", Replayed: true},
			UnderTest{Ref: "g", Identity: "g", Guard: []string{"--guard"}})
	})
	add("posterior by draws", plan(read(t, "u.yaml", urns(1, 2))), func(p *Plan) {
		rates(p, posterior.Published)
		p.Models = append(p.Models, other)
	})
	compares := func(p *Plan, equal string) {
		p.Equal = equal
		p.Equivalence = &Equivalence{Model: *helper("comparer"), Question: equivalence.Version, Most: 10}
	}
	check := []KnownPair{{"q", "scatter it", "it scatters", true}, {"q", "the sea", "paint", false},
		{"Where is the tower?", "Paris", "In a lake", false}, {"q", "The same.", "the same", true}}
	add("entailment", plan(judged, chosen), func(p *Plan) {
		compares(p, EqualSemantic)
		p.Models, p.Sampled = append(p.Models, other), 1
	})
	add("entailment, checked and judged", plan(judged), func(p *Plan) {
		compares(p, "")
		p.Equivalence.Check, p.Judge, p.Equivalence.Score = check, helper("judge"), true
	})
	add("entailment, checked", plan(judged, chosen), func(p *Plan) {
		compares(p, EqualSemantic)
		p.Equivalence.Check, p.Equivalence.Most = check, 2
	})
	add("check without a case", plan(chosen), func(p *Plan) {
		compares(p, "")
		p.Equivalence.Check = check
	})
	add("check without consistency", plan(chosen), func(p *Plan) {
		compares(p, "")
		p.Equivalence.Check, p.Methods = check, []string{Rubric}
	})
	add("sweep", plan(judged, chosen), func(p *Plan) {
		p.Models, p.Judge = append(p.Models, other), helper("judge")
		p.Sweep = &Sweep{Stages: []SweepStage{{Name: "dense"}, {Name: "half", Sparsity: .5}},
			Corpus: &SweepCorpus{Texts: []string{"The sea is wide.", "Two words", "The sea is wide."}}}
	})
	add("added", plan(chosen, judged), func(p *Plan) {
		p.Methods, p.Models = append(p.Methods, "surer"), append(p.Models, other)
	})
	add("everything", plan(judged, read(t, "u.yaml", urns(1, 2))), func(p *Plan) {
		rates(p, posterior.Sum)
		detects(p)
		compares(p, EqualSemantic)
		reworded(p, Paraphrasing{By: ByModel, Model: helper("writer"), Ask: paraphrase.Ask, Draws: 1, Filter: NoFilter,
			Judge: helper("critic")})
		p.Methods = append(p.Methods, Posterior, "surer")
		p.Equivalence.Check, p.Judge, p.JudgeAll = check, helper("judge"), true
		p.Repeats = 2
	})
	return all
}

// scriptedReply answers a call by its key; what it says differs from call to call, and some of it cannot be read.
func scriptedReply(c run.Call) *model.Response {
	key := c.Key()
	n := int(key[0])
	text := []string{"Paris", "In a lake", "Tides follow the moon.", "It is scattered by the air."}[n%4]
	switch ask := c.Request.Prompt; {
	case len(c.Request.Options) > 0:
		out := &model.Response{}
		for i := range c.Request.Options {
			out.Options = append(out.Options, model.OptionScore{LogProbs: []float64{-1 - float64(key[1+i])/50}})
		}
		if c.Request.Hidden {
			out.Cosines = []float64{.5}
		}
		return out
	case c.Model == "writer":
		text = fmt.Sprintf("First way %d.\nAnother way.\nA third way.", n)
	case c.Model == "critic", c.Model == "comparer":
		text = []string{"yes", "Yes.", "no", "perhaps"}[n%4]
	case strings.Contains(ask, "NOT_ATTEMPTED"):
		text = []string{"CORRECT", "INCORRECT", "well", "hm"}[n%4]
	case strings.Contains(ask, "verdict"):
		text = []string{`{"verdict": "pass", "reason": "so"}`, `{"verdict": "fail", "reason": "so"}`, "hm"}[n%3]
	case ask == "Where is the tower?":
		text = []string{"Paris", "In a lake"}[n%2]
	case strings.HasSuffix(ask, "Label:"):
		text = []string{" red", " blue", ""}[n%3]
	case strings.Contains(ask, "Label:"):
		text = []string{" thing\nLabel: red", " thing\nLabel: blue", "nothing"}[n%3]
	}
	return &model.Response{Text: &text, Usage: model.Usage{PromptTokens: 7, CompletionTokens: 2}}
}

// foretold is a forecast, a line a part, each with its place: the calls, those that are stored, and the tokens of
// prompts and answers.
func foretold(t *testing.T, p *Plan, store run.Store) (lines []string) {
	t.Helper()
	for i, s := range forecastOf(t, p, store).Parts {
		lines = append(lines, fmt.Sprintf("  %d %s %s %d-%d %d %d-%d %d-%d\n", i+1, s.For, strings.ReplaceAll(s.Model,
			" ", "_"), s.Calls.Least, s.Calls.Most, s.Stored, s.PromptTokens.Least, s.PromptTokens.Most,
			s.CompletionTokens.Least, s.CompletionTokens.Most))
	}
	return lines
}

// What plans ask, wave after wave with the keys of their calls, and what is foretold before each wave and after the
// last, as far as it changed: with all calls answered, with some that are not asked and some that fail, and with those of
// one model not asked.
func TestWavesStay(t *testing.T) {
	Added = append(Added, surer{})
	t.Cleanup(func() { Added = Added[:len(Added)-1] })
	var out bytes.Buffer
	plans := askingPlans(t)
	for _, name := range slices.Sorted(maps.Keys(plans)) {
		for _, how := range []string{"all", "some", "not another", "not table"} {
			p, store, before := plans[name], inmemory.New(), []string(nil)
			tell := func() {
				now := foretold(t, p, store)
				for _, line := range now {
					if !slices.Contains(before, line) {
						out.WriteString(line)
					}
				}
				before = now
			}
			for retry := range 2 {
				fmt.Fprintf(&out, "%s, %s, again %d\n", name, how, retry)
				err := p.Ask(t.Context(), store, retry > 0, func(w Wave) error {
					tell()
					n, sum, records := 0, sha256.New(), []run.Record(nil)
					for c := range w.Calls {
						key := c.Key()
						sum.Write(key[:])
						n++
						r := run.Record{Call: c, Response: scriptedReply(c), Attempts: 1}
						switch at := int(key[len(key)-1]); {
						case how == "some" && at%5 == 0, strings.TrimPrefix(how, "not ") == c.Model:
							continue
						case how == "some" && at%5 == 1:
							r.Response, r.Failure = nil, "it broke"
						}
						records = append(records, r)
					}
					fmt.Fprintf(&out, " %s %v %d: %d %x\n", w.For, w.Back, w.Pairs, n, sum.Sum(nil)[:6])
					return store.Add(t.Context(), records)
				})
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				tell()
				if how != "some" {
					break
				}
			}
		}
	}
	archtest.Golden(t, "testdata/waves.golden", out.Bytes(), *updateWaves)
}
