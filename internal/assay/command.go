package assay

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"hallmark/internal/metric/scored"
	"hallmark/internal/paraphrase"
	"hallmark/internal/prompt"
)

// joined writes numbers with commas.
func joined(n []int) string {
	out := make([]string, len(n))
	for i := range n {
		out[i] = strconv.Itoa(n[i])
	}
	return strings.Join(out, ",")
}

// command returns the arguments that name this plan again on the command line. Suites stand by their names; one that
// was read from a file is given there by its file.
func (p *Plan) command() []string {
	args := arguments{"hallmark", "run"}
	if p.Imported != nil {
		args = append(arguments{"hallmark", "import"}, p.Imported.Files...)
		for _, m := range p.Imported.Map {
			args = append(args, "--map", m)
		}
	}
	args.subjects(p)
	d := Defaults()
	var variants []string
	for _, v := range p.Variants {
		variants = append(variants, fmt.Sprintf("%s=%d", v.Kind, v.N))
	}
	methods := slices.DeleteFunc(slices.Clone(p.Methods), func(m string) bool { return m == scored.Name })
	args.flag("method", strings.Join(methods, ","), strings.Join(d.Methods, ","))
	if p.Imported == nil {
		args.flag("variants", strings.Join(variants, ","), "")
	}
	if p.Paraphrasing != nil {
		args.paraphrasing(p.Paraphrasing)
	}
	if p.Posterior != nil {
		args.posterior(p.Posterior)
	}
	if p.Templates != nil {
		args.flag("templates", p.Templates.From, "")
	}
	args.flag("tau", strconv.FormatFloat(p.Tau, 'g', -1, 64), strconv.FormatFloat(d.Tau, 'g', -1, 64))
	args.flag("equal", p.Equal, d.Equal)
	args.meaning(p.Meaning)
	for _, by := range p.judges() {
		args.flag("judge", by.Ref, "")
	}
	if p.GraderCheck != nil {
		args.flag("grader-check", p.GraderCheck.From, "")
	}
	if p.JudgeAll {
		args = append(args, "--judge-all")
	}
	if p.AnswerContract {
		args = append(args, "--answer-contract")
	}
	args.flag("sc", p.SC, d.SC)
	if p.ExcludeDefault {
		args = append(args, "--exclude-default")
	}
	args.flag("common-r", strconv.Itoa(p.CommonR), strconv.Itoa(d.CommonR))
	if p.Imported == nil {
		args = append(args, "--sampled", strconv.Itoa(p.Sampled))
		args.flag("repeats", strconv.Itoa(p.Repeats), strconv.Itoa(d.Repeats))
	}
	args.flag("limit", strconv.Itoa(p.Limit), strconv.Itoa(d.Limit))
	if p.Imported == nil {
		args.flag("choices", p.Choices, d.Choices)
	}
	args.flag("option-score", string(p.OptionScore), string(d.OptionScore))
	args.flag("form", string(p.Form), string(d.Form))
	args.retrieval(p.Retrieval)
	args.flag("max-tokens", strconv.Itoa(p.MaxTokens), strconv.Itoa(d.MaxTokens))
	args.flag("as-of", p.AsOf, d.AsOf)
	return append(args, "--seed", strconv.FormatUint(p.Seed, 10))
}

// arguments are those of a command.
type arguments []string

// flag adds a flag, unless it has its normal value.
func (c *arguments) flag(name, value, normal string) {
	if value != normal {
		*c = append(*c, "--"+name, value)
	}
}

// subjects adds the models or the sweep of them, the suites, and the guard.
func (c *arguments) subjects(p *Plan) {
	switch {
	case p.Imported != nil:
	case p.Sweep != nil:
		*c = append(*c, p.Sweep.args()...)
	default:
		for _, m := range p.Models {
			ref := m.Ref
			if strings.HasPrefix(ref, "replay:") {
				ref, _, _ = strings.Cut(ref, " ") // the run, without the model's own reference
			}
			*c = append(*c, "--model", ref)
		}
	}
	for _, s := range p.Suites {
		if p.Imported == nil || !p.Imported.Asked {
			*c = append(*c, "--suite", s.Name)
		}
	}
	if at := slices.IndexFunc(p.Models, func(m Subject) bool { return m.Guard != nil }); at >= 0 { // one guard for all
		*c = append(*c, p.Models[at].Guard...)
	}
}

func (c *arguments) meaning(m *Meaning) {
	if m == nil {
		return
	}
	*c = append(*c, "--entailment", m.Model.Ref, "--equal-most", strconv.Itoa(m.Most))
	if m.Score {
		*c = append(*c, "--entailment-reply", ReplyScored)
	}
}

func (c *arguments) retrieval(r *Retrieval) {
	if r == nil {
		return
	}
	for _, f := range r.Files {
		*c = append(*c, "--retrieve", f)
	}
	c.flag("retrieve-k", strconv.Itoa(r.K), strconv.Itoa(DefaultRetrieveK))
	c.flag("retrieve-form", string(r.Form), string(prompt.RALM))
	for _, f := range r.Forbidden {
		*c = append(*c, "--retrieve-forbid", f)
	}
}

func (c *arguments) paraphrasing(x *Paraphrasing) {
	switch x.By {
	case ByModel:
		c.flag("paraphraser", x.Model.Ref, "")
		c.flag("paraphrase-prompt", x.Ask, paraphrase.Ask)
		c.flag("paraphrase-draws", strconv.Itoa(x.Draws), "1")
	case ByFile:
		c.flag("paraphraser", "file:"+x.From, "")
	}
	if x.Filter == NoFilter {
		c.flag("paraphrase-filter", NoFilter, "")
	}
	if x.Judge != nil {
		c.flag("paraphrase-judge", x.Judge.Ref, "")
	}
}

func (c *arguments) posterior(x *PosteriorOptions) {
	d := DefaultPosterior()
	c.flag("eps", strconv.FormatFloat(x.Eps, 'g', -1, 64), strconv.FormatFloat(d.Eps, 'g', -1, 64))
	c.flag("extend", strconv.Itoa(x.Extend), strconv.Itoa(d.Extend))
	c.flag("m", strconv.Itoa(x.M), strconv.Itoa(d.M))
	for _, e := range x.AlsoEps {
		*c = append(*c, "--also-eps", strconv.FormatFloat(e, 'g', -1, 64))
	}
	if x.Estimator != "" {
		*c = append(*c, "--estimator", x.Estimator)
		c.flag("k", strconv.Itoa(x.K), strconv.Itoa(d.K))
		c.flag("answer-tokens", strconv.Itoa(x.AnswerTokens), strconv.Itoa(d.AnswerTokens))
		if x.Total {
			*c = append(*c, "--answer-total")
		}
	}
	c.flag("top-p", strconv.FormatFloat(x.TopP, 'g', -1, 64), strconv.FormatFloat(d.TopP, 'g', -1, 64))
	c.flag("at", joined(x.At), "")
	c.flag("abstain", strconv.FormatFloat(x.Abstain, 'g', -1, 64), "0")
}
