package assay

import (
	"bytes"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"hallmark/internal/archtest"
	"hallmark/internal/ask/prompt"
	"hallmark/internal/metric/equivalence"
	"hallmark/internal/metric/grading"
	"hallmark/internal/metric/posterior"
	"hallmark/internal/metric/scored"
	"hallmark/internal/model"
	"hallmark/internal/suite"
	"hallmark/internal/text/paraphrase"
	"hallmark/internal/text/retrieve"
)

// changes are plans: each changes something of the plan of all defaults.
var changes = map[string]func(*Plan){
	"as it is":         func(*Plan) {},
	"ref of the model": func(p *Plan) { p.Models[0].Ref = "another name" },
	"replayed":         func(p *Plan) { p.Models[0].Ref = "replay:0123 pocket" },
	"abilities": func(p *Plan) {
		p.Models[0] = UnderTest{Ref: "m", Identity: "table", Sampling: true, Can: &model.Capabilities{}, LogProbs: true}
	},
	"two models": func(p *Plan) { p.Models = append(p.Models, UnderTest{Ref: "b", Identity: "b"}) },
	"guarded":    func(p *Plan) { p.Models[0].Guard = []string{"--guard", "--guard-index", "i.yaml"} },
	"suite file": func(p *Plan) { p.SuiteFiles = []string{"dir/tiny.yaml"} },
	"methods":    func(p *Plan) { p.Methods = []string{Rubric, Detection} },
	"variants": func(p *Plan) {
		p.Variants = []prompt.Spec{{Kind: prompt.Phrasings}, {Kind: prompt.Options, N: 3}}
	},
	"templates":  func(p *Plan) { p.Templates = &TemplateFile{"f.yaml", []prompt.Template{{Name: "n"}}} },
	"their file": func(p *Plan) { p.Templates = &TemplateFile{"g.yaml", []prompt.Template{{Name: "n"}}} },
	"by rules": func(p *Plan) {
		p.Paraphrasing = &Paraphrasing{By: paraphrase.Version, Filter: paraphrase.Version}
	},
	"without filter":  func(p *Plan) { p.Paraphrasing = &Paraphrasing{By: paraphrase.Version, Filter: NoFilter} },
	"by a file":       func(p *Plan) { p.Paraphrasing = paraphrasesOf("f.jsonl") },
	"by another file": func(p *Plan) { p.Paraphrasing = paraphrasesOf("g.jsonl") },
	"by a model": func(p *Plan) {
		p.Paraphrasing = &Paraphrasing{By: ByModel, Model: &UnderTest{Ref: "r", Identity: "i", Sampling: true},
			Ask: paraphrase.Ask, Draws: 1, Filter: paraphrase.Version}
	},
	"by a model, at length": func(p *Plan) {
		p.Paraphrasing = &Paraphrasing{By: ByModel, Model: &UnderTest{Ref: "r", Identity: "i"},
			Ask: "{n} of {text}", Draws: 3, Filter: NoFilter,
			Judge: &UnderTest{Ref: "j", Identity: "k", LogProbs: true}}
	},
	"tau":             func(p *Plan) { p.Tau = .5 },
	"equal":           func(p *Plan) { p.Equal = "exact" },
	"sc":              func(p *Plan) { p.SC = WithReplacement },
	"exclude default": func(p *Plan) { p.ExcludeDefault = true },
	"common r":        func(p *Plan) { p.CommonR = 2 },
	"sampled":         func(p *Plan) { p.Sampled = 4 },
	"repeats":         func(p *Plan) { p.Repeats = 1 },
	"retest cases":    func(p *Plan) { p.RetestCases = 3 },
	"limit":           func(p *Plan) { p.Limit = 2 },
	"choices":         func(p *Plan) { p.Choices = ChoicesGenerate },
	"option score":    func(p *Plan) { p.OptionScore = prompt.Sum },
	"form":            func(p *Plan) { p.Form = suite.QA },
	"max tokens":      func(p *Plan) { p.MaxTokens = 7 },
	"as of":           func(p *Plan) { p.AsOf = "2026-11-20" },
	"seed":            func(p *Plan) { p.Seed = 2 },
	"passages":        func(p *Plan) { p.Retrieval = searched("p.jsonl", 16, prompt.RALM) },
	"their place":     func(p *Plan) { p.Retrieval = searched("q.jsonl", 16, prompt.RALM) },
	"found": func(p *Plan) {
		p.Retrieval = searched("p.jsonl", 16, prompt.RALM)
		p.Retrieval.Found = map[string][]string{"q": {"1"}}
		p.Retrieval.Shown = map[string]retrieve.TitledPassage{"1": {}}
	},
	"passages, otherwise": func(p *Plan) { p.Retrieval = searched("p.jsonl", 3, prompt.Cited, "A", "B") },
	"posterior":           func(p *Plan) { posteriorOf(p, func(*PosteriorOptions) {}) },
	"posterior, otherwise": func(p *Plan) {
		posteriorOf(p, func(o *PosteriorOptions) {
			o.Eps, o.AlsoEps, o.Extend, o.M, o.TopP, o.At, o.Abstain = .2, []float64{.1, .3}, 7, 9, 1, []int{2, 3}, .4
		})
	},
	"posterior, published": func(p *Plan) {
		posteriorOf(p, func(o *PosteriorOptions) { o.Estimator = posterior.Published })
	},
	"posterior, sampled": func(p *Plan) {
		posteriorOf(p, func(o *PosteriorOptions) {
			o.Estimator, o.K, o.AnswerTokens, o.Total = posterior.Published, 9, 3, true
		})
	},
	"judge": func(p *Plan) { p.Judge = &UnderTest{Ref: "j", Identity: "j"} },
	"panel": func(p *Plan) {
		p.Judge, p.JudgeAll = &UnderTest{Ref: "j", Identity: "j"}, true
		p.Panel = []*UnderTest{{Ref: "k", Identity: "k", Sampling: true}, {Ref: "l", Identity: "l"}}
	},
	"contract":         func(p *Plan) { p.AnswerContract = true },
	"grader check":     func(p *Plan) { p.GraderCheck = &GraderCheck{"c.json", &grading.Check{GradingVersion: "x"}} },
	"its file":         func(p *Plan) { p.GraderCheck = &GraderCheck{"d.json", &grading.Check{GradingVersion: "x"}} },
	"meaning":          func(p *Plan) { p.Equal, p.Equivalence = EqualSemantic, compared("e", false, 10) },
	"meaning, scored":  func(p *Plan) { p.Equivalence = compared("e", true, 5) },
	"meaning, by name": func(p *Plan) { p.Equivalence = compared("another", true, 5) },
	"meaning, checked": func(p *Plan) {
		p.Equivalence = compared("e", false, 10)
		p.Equivalence.Check = []KnownPair{{"Q?", "a", "b", false}}
	},
	"sweep": func(p *Plan) { p.Sweep = &Sweep{Stages: []SweepStage{{Name: "dense"}, {Name: "R1", Sparsity: .5}}} },
	"sweep, named": func(p *Plan) {
		p.Sweep = &Sweep{Stages: []SweepStage{{Name: "dense"}, {Name: "R1", Sparsity: .5}}, From: "dir",
			Dense: "pocket"}
	},
	"sweep, measured": func(p *Plan) {
		p.Sweep = &Sweep{Stages: []SweepStage{{Name: "dense"}, {Name: "R1", Sparsity: .5}}, From: "f.yaml",
			Probes: []SweepProbe{{Name: "a", Tags: []string{"x", "y*"}}, {Name: "b", Suite: "s", Tags: []string{"z"}}},
			Corpus: &SweepCorpus{From: "c.jsonl", Texts: []string{"one"}}}
	},
	"sweep, another corpus": func(p *Plan) {
		p.Sweep = &Sweep{Stages: []SweepStage{{Name: "dense"}, {Name: "R1", Sparsity: .5}},
			Corpus: &SweepCorpus{From: "d.jsonl", Texts: []string{"one"}}}
	},
	"imported": func(p *Plan) { importedPlan(p, false) },
	"imported, with questions": func(p *Plan) {
		importedPlan(p, true)
		p.Imported.Map, p.Imported.Scores = []string{"id=n", "answer=a"}, []string{"f1"}
		p.Methods, p.Tau, p.Equal, p.SC = []string{Rubric, scored.Name}, .6, "exact", WithReplacement
		p.CommonR, p.ExcludeDefault, p.Limit, p.AsOf = 2, true, 1, "2026-01-02"
		p.Judge, p.Equivalence = &UnderTest{Ref: "j", Identity: "j"}, compared("e", true, 4)
	},
}

func paraphrasesOf(file string) *Paraphrasing {
	return &Paraphrasing{By: ByFile, From: file, Filter: paraphrase.Version,
		Texts: []paraphrase.Entry{{ID: "right", Paraphrases: []string{"p9"}}}}
}

func searched(file string, k int, form prompt.RetrievedForm, forbidden ...string) *Retrieval {
	return &Retrieval{Searched: Searched{Files: []string{file, "more.jsonl"}, Passages: 2, Hash: "sha256:0",
		Method: retrieve.Method, K: k, Words: prompt.QueryWords, Form: form, Forbidden: forbidden}}
}

func posteriorOf(p *Plan, change func(*PosteriorOptions)) {
	p.Posterior = &PosteriorOptions{}
	p.SetDefaults()
	change(p.Posterior)
	p.Methods, p.Posterior = []string{Rubric, Posterior}, new(p.Posterior.Resolved())
}

func compared(ref string, score bool, most int) *Equivalence {
	return &Equivalence{Model: UnderTest{Ref: ref, Identity: "comparer"}, Question: equivalence.Version, Score: score,
		Most: most}
}

func importedPlan(p *Plan, asked bool) {
	p.Imported = &Imported{Files: []string{"a.jsonl", "b.jsonl"}, Asked: asked}
	p.Sampled, p.Repeats, p.Choices = 2, 1, ChoicesGenerate
	p.Variants = []prompt.Spec{{Kind: prompt.Imported, N: 4}}
	p.Models = []UnderTest{{Ref: "import:m", Identity: "import:m@h"}}
}

// TestPlans: the ids of plans and the commands that name them again stay what they were, for every parameter.
func TestPlans(t *testing.T) {
	s := read(t, "tiny.yaml", tiny)
	var b bytes.Buffer
	for _, name := range slices.Sorted(maps.Keys(changes)) {
		p := plan(s)
		changes[name](p)
		before := bytesOf(t, p)
		fmt.Fprintf(&b, "%s: %s\n\t%q\n", name, p.ID(), p.command())
		if after := bytesOf(t, p); after != before {
			t.Errorf("%s: the id changed the plan to %s, was %s", name, after, before)
		}
	}
	archtest.Golden(t, "testdata/plans.golden", b.Bytes(), *update)
}

// whole is a plan with all parts, of defaults.
func whole(t *testing.T) *Plan {
	p := &Plan{Paraphrasing: &Paraphrasing{By: ByModel}, Retrieval: &Retrieval{}, Posterior: &PosteriorOptions{},
		Templates: &TemplateFile{}, Equivalence: &Equivalence{Question: equivalence.Version},
		GraderCheck: &GraderCheck{}, Sweep: &Sweep{Corpus: &SweepCorpus{}}, Models: []UnderTest{{Ref: "m"}},
		Suites: []*suite.Suite{read(t, "tiny.yaml", tiny)}}
	p.SetDefaults()
	return p
}

// TestParameters: every member of a plan, and of its parts, is in the list once, and its entry has the value of that
// member. Whoever adds a member says in the list which flag sets it, its default and its range, whether it decides
// results, and how a command says it.
func TestParameters(t *testing.T) {
	p := whole(t)
	listed := map[string]any{}
	for _, x := range p.Parameters() {
		if _, twice := listed[x.Member]; twice {
			t.Errorf("%s is listed twice", x.Member)
		}
		listed[x.Member] = x.Value
		if x.Amiss != "" || x.marks&unused != 0 && x.Member[:4] != "post" {
			t.Errorf("%s: the default %v: unused %t, %s", x.Member, x.Normal, x.marks&unused != 0, x.Amiss)
		}
		if x.Flag != "" && x.says == nil && x.Normal == nil {
			t.Errorf("--%s: a command leaves it out at no value, and says nothing else of it", x.Flag)
		}
	}
	parts := []string{"sweep", "paraphrasing", "retrieval", "posterior", "templates", "meaning", "grader_check"}
	var members func(prefix string, of reflect.Value)
	members = func(prefix string, of reflect.Value) {
		for i := range of.NumField() {
			field := of.Type().Field(i)
			name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			switch member := prefix + name; {
			case !field.IsExported():
			case field.Anonymous:
				members(prefix, of.Field(i))
			case slices.Contains(parts, member):
				members(member+".", of.Field(i).Elem())
			default:
				if value, ok := listed[member]; !ok {
					t.Errorf("%s.%s is in no entry of Plan.Parameters: add one of the member %s", of.Type(), field.Name,
						member)
				} else if value != nil && reflect.ValueOf(value).Pointer() != of.Field(i).Addr().Pointer() {
					t.Errorf("the entry of %s has another value", member)
				}
			}
		}
	}
	members("", reflect.ValueOf(p).Elem())
}

// TestRanges: what is outside its range is refused of a user by the flag, and of a stored plan by the member.
func TestRanges(t *testing.T) {
	if err := whole(t).Check(); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		flag, member string
		values       []any
	}{
		{"eps", "posterior.eps", []any{0., 1., math.NaN()}}, {"extend", "posterior.extend", []any{0, 1001}},
		{"m", "posterior.m", []any{1, 100_001}},
		{"also-eps", "posterior.also_eps", []any{[]float64{1.5}, []float64{.05}}},
		{"estimator", "posterior.estimator", []any{"x"}}, {"top-p", "posterior.top_p", []any{0., 1.1}},
		{"k", "posterior.k", []any{1}}, {"answer-tokens", "posterior.answer_tokens", []any{0, 4097}},
		{"at", "posterior.at", []any{[]int{5}, []int{2, 2}}}, {"abstain", "posterior.abstain", []any{-.1, 2.}},
		{"tau", "tau", []any{-.1, 1.1, math.NaN()}}, {"equal", "equal", []any{"x", EqualReader}},
		{"sc", "sc", []any{"", "x"}},
		{"common-r", "common_r", []any{-1}}, {"sampled", "sampled", []any{-1, 1, MaxRepeats + 1}},
		{"repeats", "repeats", []any{-1, MaxRepeats + 1}}, {"", "floor_cases", []any{-1}},
		{"limit", "limit", []any{-1}},
		{"choices", "choices", []any{"", "x"}}, {"option-score", "option_score", []any{"", "x"}},
		{"form", "form", []any{"x"}},
		{"retrieve-k", "retrieval.k", []any{0, 1001}}, {"retrieve-form", "retrieval.form", []any{"", "x"}},
		{"max-tokens", "max_tokens", []any{0}}, {"as-of", "as_of", []any{"today"}},
		{"equal-most", "meaning.most", []any{0, MostCompared + 1}},
		{"paraphrase-samples", "paraphrasing.draws", []any{0, 1001}},
	} {
		for _, value := range c.values {
			p := whole(t)
			if strings.Contains("posterior.k posterior.answer_tokens", c.member) {
				p.Posterior.Estimator = posterior.Published
			}
			for _, x := range p.Parameters() {
				if x.Member == c.member {
					reflect.ValueOf(x.Value).Elem().Set(reflect.ValueOf(value))
				}
			}
			byFlag := "--" + c.flag + " "
			if c.flag == "" {
				byFlag = c.member + " is "
			}
			if err := p.Fault(); err == nil || !strings.HasPrefix(err.Error(), byFlag) {
				t.Errorf("%s is %v: %v", c.member, value, err)
			}
			if err := p.Check(); err == nil || !strings.HasPrefix(err.Error(), c.member+" is ") {
				t.Errorf("%s is %v: %v", c.member, value, err)
			}
		}
	}
}
