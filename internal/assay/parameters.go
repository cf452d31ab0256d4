package assay

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"hallmark/internal/ask/prompt"
	"hallmark/internal/base/lists"
	"hallmark/internal/metric/posterior"
	"hallmark/internal/suite"
	"hallmark/internal/text/paraphrase"
	"hallmark/internal/text/retrieve"
)

// A Parameter is one member of a plan, with the flag that sets it. From the list of them, Plan.Parameters, come the
// flags with their defaults (spec.Fields), what is refused in plans of users and in stored ones, the command that names
// a plan again, and what a run's id leaves out.
type Parameter struct {
	Flag   string // which is a key of plan files too; empty: none sets it
	Member string // of the plan's JSON, behind the member that it is in: posterior.eps
	Value  any    // where the plan has it: a pointer
	Normal any    // its default; nil: it has none
	Amiss  string // what is wanted, where the value is outside its range; else empty
	marks  mark
	says   []string // what a command says, where that is not the flag and a value that is not normal; nil: that
}

// A mark says what a parameter is for. One without marks decides results, of imported answers too.
type mark int

const (
	// loose: it decides no result, so that the id leaves it out. Models are in the id by their identity.
	loose mark = 1 << iota
	// asks: it is about asking a model under test, and imported answers have no use for it.
	asks
	// unused: the plan lacks the part that it is in, or has no use for it, so that it is neither checked nor said.
	unused
)

// Asked reports whether it is about asking a model under test, of which a plan of imported answers has no use.
func (x *Parameter) Asked() bool { return x.marks&asks != 0 }

// Parameters lists all members of the plan, in the order in which a command says them. Those of parts that the plan
// lacks are there too, and their values are nowhere else.
func (p *Plan) Parameters() []Parameter {
	from, sweep, x, o, templates := part(p.Imported), part(p.Sweep), part(p.Paraphrasing), part(p.Posterior),
		part(p.Templates)
	m, check, r := part(p.Equivalence), part(p.GraderCheck), part(p.Retrieval)
	ofModel, ofSamples := asks, asks
	if x.By != ByModel {
		ofModel |= unused
	}
	if o.Estimator != posterior.Published {
		ofSamples |= unused
	}
	none := []string{} // said by another
	d := posterior.DefaultOptions()
	all := []Parameter{
		{"map", "imported", &p.Imported, nil, "", loose, each("map", from.Map)},
		{"model", "models", &p.Models, nil, "", asks, p.saysModels()},
		{"sweep", "sweep.stages", &sweep.Stages, nil, "", asks, sweep.args()},
		{"", "sweep.from", &sweep.From, nil, "", loose, nil}, {"", "sweep.dense", &sweep.Dense, nil, "", loose, nil},
		{"probe", "sweep.probes", &sweep.Probes, nil, "", asks, none},
		{"corpus", "sweep.corpus", &sweep.Corpus, nil, "", asks, none},
		{"", "sweep.corpus.from", &part(sweep.Corpus).From, nil, "", loose, nil},
		{"suite", "suites", &p.Suites, nil, "", 0, p.saysSuites()},
		{"", "suite_files", &p.SuiteFiles, nil, "", loose, nil},
		{"guard", "models.guard", nil, nil, "", asks, p.saysGuard()},
		{"method", "methods", &p.Methods, defaultMethods(), "", 0, p.saysMethods()},
		{"variants", "variants", &p.Variants, nil, "", asks, p.saysVariants()},

		{"paraphraser", "paraphrasing.by", &x.By, nil, "", asks, x.says()},
		{"", "paraphrasing.model", &x.Model, nil, "", 0, nil},
		{"paraphrase-prompt", "paraphrasing.ask", &x.Ask, paraphrase.Ask, "", ofModel, nil},
		{"paraphrase-samples", "paraphrasing.draws", &x.Draws, 1,
			within(x.Draws, 1, 1000, "want a number from %v to %v"), ofModel, nil},
		{"paraphrase-filter", "paraphrasing.filter", &x.Filter, nil, "", asks,
			says("paraphrase-filter", NoFilter, x.Filter == NoFilter)},
		{"paraphrase-judge", "paraphrasing.judge", &x.Judge, nil, "", asks,
			says("paraphrase-judge", part(x.Judge).Ref, x.Judge != nil)},
		{"", "paraphrasing.from", &x.From, nil, "", loose, nil},

		{"eps", "posterior.eps", &o.Eps, d.Eps,
			wanted(isEps(o.Eps), "want a probability between 0 and 1, such as 0.05"), asks, nil},
		{"extend", "posterior.extend", &o.Extend, d.Extend,
			within(o.Extend, 1, 1000, "want %v to %v pairs"), asks, nil},
		{"m", "posterior.m", &o.M, d.M, within(o.M, 2, 100_000, "want %v to %v extensions"), asks, nil},
		{"also-eps", "posterior.also_eps", &o.AlsoEps, []float64(nil), o.othersAmiss(), asks, nil},
		{"estimator", "posterior.estimator", &o.Estimator, "", oneOf("use", o.Estimator, "", posterior.Sum,
			posterior.Published), asks, nil},
		{"k", "posterior.k", &o.K, d.K, within(o.K, 2, 100_000, "want %v to %v samples"), ofSamples, nil},
		{"answer-tokens", "posterior.answer_tokens", &o.AnswerTokens, 1, within(o.AnswerTokens, 1, 4096,
			"want %v to %v"), ofSamples, nil},
		{"answer-total", "posterior.total", &o.Total, false, "", ofSamples, nil},
		{"top-p", "posterior.top_p", &o.TopP, .9,
			wanted(o.TopP > 0 && o.TopP <= 1, "want a share above 0 and at most 1"), asks, nil},
		{"at", "posterior.at", &o.At, []int(nil), o.lengthsAmiss(), asks, nil},
		{"abstain", "posterior.abstain", &o.Abstain, 0.,
			within(o.Abstain, 0, 1, "want a rate between %v and %v, such as 0.2"), asks, nil},

		{"templates", "templates.from", &templates.From, "", "", loose | asks, nil},
		{"tau", "tau", &p.Tau, .8, within(p.Tau, 0, 1, "a threshold of self-consistency lies in [%v, %v]"), 0, nil},
		{"equal", "equal", &p.Equal, "", p.equalAmiss(), 0, nil},

		{"entailment", "meaning.model", &m.Model, nil, "", 0, says("entailment", m.Model.Ref, true)},
		{"equal-most", "meaning.most", &m.Most, 10, within(m.Most, 1, MostCompared, "want %v to %v answers"), 0,
			says("equal-most", strconv.Itoa(m.Most), true)},
		{"entailment-reply", "meaning.score", &m.Score, nil, "", 0, says("entailment-reply", ReplyScored, m.Score)},
		{"equal-check", "meaning.check", &m.Check, nil, "", 0, none},

		{"judge", "judge", &p.Judge, nil, "", 0, each("judge", refs(p.judges()))},
		{"grader-check", "grader_check.from", &check.From, "", "", loose, nil},
		{"judge-all", "judge_all", &p.JudgeAll, false, "", 0, nil},
		{"answer-contract", "answer_contract", &p.AnswerContract, false, "", 0, nil},
		{"sc", "sc", &p.SC, WithoutReplacement, oneOf("use", p.SC, WithoutReplacement, WithReplacement), 0, nil},
		{"exclude-default", "exclude_default", &p.ExcludeDefault, false, "", 0, nil},
		{"common-r", "common_r", &p.CommonR, 0,
			wanted(p.CommonR >= 0, "a number of variants, 0 for the fewest of any question"), 0, nil},
		{"sampled", "sampled", &p.Sampled, 0, cmp.Or(
			wanted(p.Sampled == 0 || p.Sampled >= 2, "agreement needs at least 2 samples; 0 for none"),
			within(p.Sampled, 0, MaxRepeats, "want a number from %v to %v")), asks,
			says("sampled", strconv.Itoa(p.Sampled), true)},
		{"repeats", "repeats", &p.Repeats, 3,
			within(p.Repeats, 0, MaxRepeats, "want a number from %v to %v"), asks, nil},
		{"", "floor_cases", &p.RetestCases, 20, wanted(p.RetestCases >= 0, "want 0 or more"), 0, nil},
		{"limit", "limit", &p.Limit, 0, wanted(p.Limit >= 0, "want a number of 0 or more; 0 for all cases"), 0, nil},
		{"choices", "choices", &p.Choices, ChoicesScore, oneOf("use", p.Choices, ChoicesScore, ChoicesGenerate),
			asks, nil},
		{"option-score", "option_score", (*string)(&p.OptionScore), string(prompt.Perplexity),
			oneOf("want", p.OptionScore, prompt.Scorings...), asks, nil},
		{"form", "form", (*string)(&p.Form), "", wanted(p.Form == "" || slices.Contains(suite.Forms, p.Form),
			"use one of "+prompt.Joined(suite.Forms)), asks, nil},

		{"retrieve", "retrieval.files", &r.Files, []string(nil), "", loose | asks, nil},
		{"retrieve-k", "retrieval.k", &r.K, 16, // as many as the source's code finds
			within(r.K, 1, retrieve.MaxHits, "want a number from %v to %v"), asks, nil},
		{"retrieve-form", "retrieval.form", (*string)(&r.Form), string(prompt.RALM),
			oneOf("unknown layout of passages "+strconv.Quote(string(r.Form))+"; want", r.Form, prompt.RALM,
				prompt.Cited), asks, nil},
		{"retrieve-forbid", "retrieval.forbidden", &r.Forbidden, []string(nil), "", asks, nil},
		{"", "retrieval.passages", &r.Passages, nil, "", loose, nil},
		{"", "retrieval.found", &r.Found, nil, "", loose, nil}, {"", "retrieval.shown", &r.Shown, nil, "", loose, nil},

		{"max-tokens", "max_tokens", &p.MaxTokens, 512, wanted(p.MaxTokens >= 1, "at least 1"), asks, nil},
		{"as-of", "as_of", &p.AsOf, "", // the id has the day of each suite
			wanted(p.AsOf == "" || isDate(p.AsOf), "write a date as 2026-11-20"), loose, nil},
		{"seed", "seed", &p.Seed, uint64(1), "", 0, says("seed", strconv.FormatUint(p.Seed, 10), true)},
	}
	// What comes with the others: it decides results, and no flag sets it alone.
	for _, member := range []string{"panel", "paraphrasing.texts", "templates.templates", "meaning.question",
		"grader_check.check", "retrieval.hash", "retrieval.method", "retrieval.words"} {
		all = append(all, Parameter{Member: member})
	}
	lacks := map[string]bool{"sweep": p.Sweep == nil, "paraphrasing": p.Paraphrasing == nil,
		"posterior": p.Posterior == nil, "templates": p.Templates == nil, "meaning": p.Equivalence == nil,
		"grader_check": p.GraderCheck == nil, "retrieval": p.Retrieval == nil}
	for i := range all {
		if in, _, _ := strings.Cut(all[i].Member, "."); lacks[in] {
			all[i].marks |= unused
		}
	}
	return all
}

func refs(of []*UnderTest) []string { return lists.Map(of, func(m *UnderTest) string { return m.Ref }) }

func defaultMethods() []string { return []string{Rubric, Consistency} }

// part returns a part of a plan, of one that the plan lacks an empty one in its place.
func part[T any](of *T) *T {
	if of == nil {
		return new(T)
	}
	return of
}

// wanted is what is said of a value, nothing where it is right.
func wanted(right bool, want string) string {
	if right {
		return ""
	}
	return want
}

// within says of a value that lies outside two bounds what is wanted, by a format for these.
func within[T int | float64](v, least, most T, format string) string {
	return wanted(v >= least && v <= most, fmt.Sprintf(format, least, most))
}

// oneOf says, behind the verb, what a value may be, beside nothing where that is among it.
func oneOf[T ~string](verb string, v T, names ...T) string {
	said := strings.Trim(prompt.Joined(names), ", ")
	last := strings.LastIndex(said, ", ")
	return wanted(slices.Contains(names, v), verb+" "+said[:last]+" or "+said[last+2:])
}

func isDate(s string) bool {
	_, err := time.Parse(time.DateOnly, s)
	return err == nil
}

// value is the value itself.
func (x *Parameter) value() any { return reflect.ValueOf(x.Value).Elem().Interface() }

// text is the value as people write it.
func (x *Parameter) text() string {
	switch v := x.value().(type) {
	case string:
		return strconv.Quote(v)
	case []int:
		return joined(v)
	default:
		return fmt.Sprint(v)
	}
}

// outside returns the first parameter that is outside its range, by its flag where so said, else by its member.
func outside(all []Parameter, byFlag bool) error {
	for i := range all {
		switch x := &all[i]; {
		case x.Amiss == "" || x.marks&unused != 0:
		case byFlag && x.Flag != "":
			return fmt.Errorf("--%s %s: %s", x.Flag, x.text(), x.Amiss)
		default:
			return fmt.Errorf("%s is %s; %s", x.Member, x.text(), x.Amiss)
		}
	}
	return nil
}

// Fault is what is wrong with the first parameter that is outside its range, under the name of its flag.
func (p *Plan) Fault() error { return outside(p.Parameters(), true) }

// SetDefaults sets all parameters that have a default to it, those of the parts that the plan has too.
func (p *Plan) SetDefaults() {
	for _, x := range p.Parameters() {
		if x.Normal != nil {
			reflect.ValueOf(x.Value).Elem().Set(reflect.ValueOf(x.Normal))
		}
	}
}

// Defaults returns the parameters of a plan that asks for nothing special, without models and suites.
func Defaults() Plan {
	var p Plan
	p.SetDefaults()
	return p
}

// keyed is the plan without what decides no result, as its id has it.
func (p *Plan) keyed() *Plan {
	q := *p
	own(&q.Templates)
	own(&q.Paraphrasing)
	own(&q.Retrieval)
	own(&q.GraderCheck)
	if own(&q.Sweep); q.Sweep != nil {
		own(&q.Sweep.Corpus)
	}
	for _, x := range q.Parameters() {
		if m, is := x.Value.(**UnderTest); is && *m != nil {
			*m = &UnderTest{Identity: (*m).Identity}
		}
		if x.marks&loose != 0 {
			reflect.ValueOf(x.Value).Elem().SetZero()
		}
	}
	return &q
}

// own has a pointer point to a copy, which may be changed.
func own[T any](of **T) {
	if *of != nil {
		*of = new(**of)
	}
}
