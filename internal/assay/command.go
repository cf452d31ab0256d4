package assay

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"hallmark/internal/ask/prompt"
	"hallmark/internal/metric/scored"
	"hallmark/internal/text/paraphrase"
)

// joined writes numbers with commas.
func joined(n []int) string { return strings.Trim(strings.ReplaceAll(fmt.Sprint(n), " ", ","), "[]") }

// command returns the arguments that name this plan again on the command line. Suites stand by their names; one that
// was read from a file is given there by its file.
func (p *Plan) command() []string {
	args := arguments{"hallmark", "run"}
	asked := p.Imported == nil
	if !asked {
		args = append(arguments{"hallmark", "import"}, p.Imported.Files...)
		args.each("map", p.Imported.Map)
	}
	args.subjects(p)
	d := Defaults()
	var variants []string
	for _, v := range p.Variants {
		variants = append(variants, fmt.Sprintf("%s=%d", v.Kind, v.N))
	}
	methods := slices.DeleteFunc(slices.Clone(p.Methods), func(m string) bool { return m == scored.Name })
	args.flag("method", strings.Join(methods, ","), strings.Join(d.Methods, ","))
	if asked {
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
	args.flag("tau", p.Tau, d.Tau)
	args.flag("equal", p.Equal, d.Equal)
	if m := p.Equivalence; m != nil {
		args = append(args, "--entailment", m.Model.Ref, "--equal-most", strconv.Itoa(m.Most))
		if m.Score {
			args = append(args, "--entailment-reply", ReplyScored)
		}
	}
	for _, by := range p.judges() {
		args.flag("judge", by.Ref, "")
	}
	if p.GraderCheck != nil {
		args.flag("grader-check", p.GraderCheck.From, "")
	}
	args.set("judge-all", p.JudgeAll)
	args.set("answer-contract", p.AnswerContract)
	args.flag("sc", p.SC, d.SC)
	args.set("exclude-default", p.ExcludeDefault)
	args.flag("common-r", p.CommonR, d.CommonR)
	if asked {
		args = append(args, "--sampled", strconv.Itoa(p.Sampled))
		args.flag("repeats", p.Repeats, d.Repeats)
	}
	args.flag("limit", p.Limit, d.Limit)
	if asked {
		args.flag("choices", p.Choices, d.Choices)
	}
	args.flag("option-score", p.OptionScore, d.OptionScore)
	args.flag("form", p.Form, d.Form)
	if r := p.Retrieval; r != nil {
		args.each("retrieve", r.Files)
		args.flag("retrieve-k", r.K, DefaultRetrieveK)
		args.flag("retrieve-form", r.Form, prompt.RALM)
		args.each("retrieve-forbid", r.Forbidden)
	}
	args.flag("max-tokens", p.MaxTokens, d.MaxTokens)
	args.flag("as-of", p.AsOf, d.AsOf)
	return append(args, "--seed", strconv.FormatUint(p.Seed, 10))
}

// arguments are those of a command.
type arguments []string

// flag adds a flag with its value, a text or a number, unless that is the normal one.
func (c *arguments) flag(name string, value, normal any) {
	if value != normal {
		*c = append(*c, "--"+name, fmt.Sprint(value))
	}
}

// set adds a flag that stands by itself where it holds, and each one for every value.
func (c *arguments) set(name string, holds bool) {
	if holds {
		*c = append(*c, "--"+name)
	}
}

func (c *arguments) each(name string, values []string) {
	for _, v := range values {
		*c = append(*c, "--"+name, v)
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
		if !p.from().Asked {
			*c = append(*c, "--suite", s.Name)
		}
	}
	// one guard for all
	if at := slices.IndexFunc(p.Models, func(m UnderTest) bool { return m.Guard != nil }); at >= 0 {
		*c = append(*c, p.Models[at].Guard...)
	}
}

func (c *arguments) paraphrasing(x *Paraphrasing) {
	switch x.By {
	case ByModel:
		c.flag("paraphraser", x.Model.Ref, "")
		c.flag("paraphrase-prompt", x.Ask, paraphrase.Ask)
		c.flag("paraphrase-draws", x.Draws, 1)
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
	c.flag("eps", x.Eps, d.Eps)
	c.flag("extend", x.Extend, d.Extend)
	c.flag("m", x.M, d.M)
	for _, e := range x.AlsoEps {
		c.flag("also-eps", e, nil)
	}
	if x.Estimator != "" {
		c.flag("estimator", x.Estimator, "")
		c.flag("k", x.K, d.K)
		c.flag("answer-tokens", x.AnswerTokens, d.AnswerTokens)
		c.set("answer-total", x.Total)
	}
	c.flag("top-p", x.TopP, d.TopP)
	c.flag("at", joined(x.At), "")
	c.flag("abstain", x.Abstain, 0.)
}
