package spec

import (
	_ "embed"
	"fmt"
	"strings"
	"sync"
	"time"

	"hallmark/internal/ask/guard"
	"hallmark/internal/ask/prompt"
	"hallmark/internal/assay"
	"hallmark/internal/metric/posterior"
	"hallmark/internal/stat/figure"
	"hallmark/internal/suite"
)

// A Group is what a field is about.
type Group string

// The groups, in the order in which a user meets them.
const (
	Measured    Group = "what is measured"
	Variants    Group = "variants and consistency"
	Prompts     Group = "prompts"
	Judging     Group = "judges"
	Comparing   Group = "answers compared for semantic equivalence"
	Posterior   Group = "posterior rate"
	Searching   Group = "passages that are searched"
	Sweeping    Group = "models along an axis"
	Guarding    Group = "guard"
	Reaching    Group = "how models are reached"
	Limits      Group = "limits"
	Output      Group = "result"
	guardPrefix       = "guard-"
)

// A Field is one thing that a run is told: a flag, a key of a plan file.
type Field struct {
	Name, Short string
	Group       Group
	Often       bool // most runs say it
	// Keyed says that it decides what is asked, or what an answer counts as: with another value it is another run.
	// What is not keyed may change from one invocation of a run to the next.
	Keyed  bool
	Commas bool // a list may stand in one value, with commas
	Help   string
	// Value is where the run has it: a pointer, whose type says how a value is written.
	Value any
	// Fault is what is wrong with the value, where no file and no model has to be read to say so, and the plan does
	// not.
	Fault error
	// OfPlan is the plan's parameter that it sets, which has its range and, where it is set as it is said, its value;
	// nil where it is of no plan.
	OfPlan *assay.Parameter
}

// maxConcurrency bounds the calls in flight: a program runs once for each, and a plan may say how many these are.
const maxConcurrency = 512

// number checks a whole number; most 0 is no bound.
func number(name string, n, least, most int) error {
	switch {
	case n < least:
		return fmt.Errorf("--%s %d: want a number of 0 or more", name, n)
	case most > 0 && n > most:
		return fmt.Errorf("--%s %d: want a number of at most %d", name, n, most)
	}
	return nil
}

// A part is the fields of one group.
type part struct {
	group  Group
	fields []Field
}

// Fields lists them all, with where a run has their values. Those that say how models are reached, limits and output
// are not keyed: neither answers nor figures depend on them.
func (r *Run) Fields() (all []Field) {
	help := helps()
	deciding, parameters := r.deciding(), map[string]*assay.Parameter{}
	for _, x := range r.told().Parameters() {
		parameters[x.Flag] = &x
	}
	for i, part := range append(deciding, r.beside()...) {
		for _, f := range part.fields {
			f.Group, f.Help, f.OfPlan = part.group, help[f.Name], parameters[f.Name]
			if f.Value == nil {
				f.Value = f.OfPlan.Value
			}
			f.Keyed = i < len(deciding) && f.Name != "config" || f.Name == "api"
			all = append(all, f)
		}
	}
	return all
}

// deciding are the fields that decide the result, by group, as fields.txt has what help says of them.
func (r *Run) deciding() []part {
	return []part{
		{Measured, []Field{
			{Name: "config", Short: "c", Value: &r.Config},
			{Name: "suite", Often: true, Value: &r.Suites},
			{Name: "model", Often: true, Value: &r.Models},
			{Name: "method", Commas: true, Value: &r.Methods},
			{Name: "limit", Often: true},
			{Name: "grader-check", Value: &r.GraderCheck},
		}},
		{Prompts, []Field{{Name: "choices"}, {Name: "option-score"}, {Name: "form"}, {Name: "max-tokens"},
			{Name: "as-of"}}},
		{Variants, []Field{
			{Name: "variants", Often: true, Value: &r.Variants},
			{Name: "templates", Value: &r.Templates},
			{Name: "paraphraser", Value: &r.Paraphrase.By},
			{Name: "paraphrase-prompt", Value: &r.Paraphrase.Ask},
			{Name: "paraphrase-samples"},
			{Name: "paraphrase-filter", Value: &r.Paraphrase.Filter},
			{Name: "paraphrase-judge", Value: &r.Paraphrase.Judge},
			{Name: "tau"}, {Name: "equal"}, {Name: "sampled"}, {Name: "sc"}, {Name: "exclude-default"},
			{Name: "common-r"}, {Name: "repeats"},
		}},
		{Comparing, []Field{
			{Name: "entailment", Value: &r.Equivalence.Entailment},
			{Name: "entailment-reply", Value: &r.Equivalence.Reply},
			{Name: "equal-most"},
			{Name: "equal-check", Value: &r.Equivalence.Check},
		}},
		{Judging, []Field{
			{Name: "judge", Often: true, Value: &r.Judges}, {Name: "judge-all"}, {Name: "answer-contract"},
		}},
		{Searching, []Field{{Name: "retrieve", Commas: true}, {Name: "retrieve-k"}, {Name: "retrieve-form"},
			{Name: "retrieve-forbid"}}},
		{Posterior, []Field{{Name: "eps"}, {Name: "also-eps"}, {Name: "extend"}, {Name: "m"}, {Name: "estimator"},
			{Name: "k"}, {Name: "answer-tokens"}, {Name: "answer-total"}, {Name: "top-p"}, {Name: "abstain"},
			{Name: "at"}}},
		{Guarding, []Field{
			{Name: "guard", Value: &r.Guard.On},
			{Name: "guard-index", Value: &r.Guard.Index},
			{Name: "guard-memory", Value: &r.Guard.Memory},
			{Name: "guard-coverage", Value: &r.Guard.Coverage},
			{Name: "guard-off", Commas: true, Value: &r.Guard.Off},
			{Name: "guard-candidates", Value: &r.Guard.Candidates},
			{Name: "guard-phrasings", Value: &r.Guard.Phrasings},
			{Name: "guard-agreement", Value: &r.Guard.Agreement},
			{Name: "guard-repairs", Value: &r.Guard.Repairs},
		}},
		{Sweeping, []Field{
			{Name: "sweep", Value: &r.Sweep.From},
			{Name: "probe", Value: &r.Sweep.Probes},
			{Name: "corpus", Value: &r.Sweep.Corpus},
		}},
	}
}

// beside are those that do not: how models are reached, what is spent, and where the result goes.
func (r *Run) beside() []part {
	return []part{
		{Reaching, []Field{
			{Name: "key-env", Value: &r.KeyEnv},
			{Name: "key-cmd", Value: &r.KeyCmd},
			{Name: "api", Value: &r.API},
			{Name: "pass-env", Commas: true, Value: &r.PassEnv},
			{Name: "price", Value: &r.Price},
		}},
		{Limits, []Field{
			{Name: "concurrency", Short: "j", Value: &r.Concurrency,
				Fault: number("concurrency", r.Concurrency, 0, maxConcurrency)},
			{Name: "budget", Value: &r.Budget},
			{Name: "rpm", Value: &r.RPM, Fault: number("rpm", r.RPM, 0, 0)},
			{Name: "tpm", Value: &r.TPM, Fault: number("tpm", r.TPM, 0, 0)},
			{Name: "in-flight", Value: &r.InFlight, Fault: number("in-flight", r.InFlight, 0, 0)},
			{Name: "max-retries", Value: &r.MaxRetries, Fault: number("max-retries", r.MaxRetries, 0, 0)},
			{Name: "timeout", Value: &r.Timeout, Fault: CheckTimeout(r.Timeout)},
			{Name: "retry-errors", Value: &r.RetryErrors},
			{Name: "offline", Value: &r.Offline},
			{Name: "detach", Value: &r.Detach},
		}},
		{Output, []Field{
			{Name: "allow-unscored", Value: &r.AllowUnscored, Fault: number("allow-unscored", r.AllowUnscored, 0, 0)},
			{Name: "fail-on", Often: true, Value: &r.FailOn},
			{Name: "accept", Value: &r.Accept},
			{Name: "name", Value: &r.Name, Fault: checkName(r.Name)},
			{Name: "no-report", Value: &r.NoReport},
			{Name: "output", Short: "o", Value: &r.Output},
			{Name: "verbose", Short: "v", Value: &r.Verbose},
		}},
	}
}

//go:embed fields.txt
var helpText string

// helps is what help says of the fields, by their names.
var helps = sync.OnceValue(func() map[string]string {
	fill := strings.NewReplacer("\n  ", " ", "{methods}", strings.Join(assay.Methods(), ", "), "{default}",
		strings.Join(assay.Defaults().Methods, ","), "{forms}", prompt.Joined(suite.Forms), "{kinds}",
		prompt.Joined(prompt.Kinds), "{switches}", strings.Join(guard.Switches, ", "), "{abstain}",
		figure.Exact(posterior.DefaultAbstain))
	_, text, _ := strings.Cut(fill.Replace(helpText), "\n\n")
	all := map[string]string{}
	for line := range strings.Lines(text) {
		name, help, _ := strings.Cut(strings.TrimSpace(line), ": ")
		all[name] = help
	}
	return all
})

// CheckTimeout says what is wrong with the longest wait for an answer.
func CheckTimeout(d time.Duration) error {
	if d < 0 {
		return fmt.Errorf("--timeout %v: want a time of 0 (no limit) or more, such as 90s", d)
	}
	return nil
}
