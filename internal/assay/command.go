package assay

import (
	"fmt"
	"strconv"
	"strings"

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
	args := []string{"hallmark", "run"}
	if p.Sweep != nil {
		args = append(args, p.Sweep.args()...)
	}
	for _, m := range p.Models {
		if p.Sweep != nil {
			break
		}
		ref := m.Ref
		if strings.HasPrefix(ref, "replay:") {
			ref, _, _ = strings.Cut(ref, " ") // the run, without the model's own reference
		}
		args = append(args, "--model", ref)
	}
	for _, s := range p.Suites {
		args = append(args, "--suite", s.Name)
	}
	for _, m := range p.Models {
		if m.Guard != nil { // one guard for all
			args = append(args, m.Guard...)
			break
		}
	}
	d := Defaults()
	flag := func(name, value, normal string) {
		if value != normal {
			args = append(args, "--"+name, value)
		}
	}
	var variants []string
	for _, v := range p.Variants {
		variants = append(variants, fmt.Sprintf("%s=%d", v.Kind, v.N))
	}
	flag("method", strings.Join(p.Methods, ","), strings.Join(d.Methods, ","))
	flag("variants", strings.Join(variants, ","), "")
	if x := p.Paraphrasing; x != nil {
		switch x.By {
		case ByModel:
			flag("paraphraser", x.Model.Ref, "")
			flag("paraphrase-prompt", x.Ask, paraphrase.Ask)
			flag("paraphrase-draws", strconv.Itoa(x.Draws), "1")
		case ByFile:
			flag("paraphraser", "file:"+x.From, "")
		}
		if x.Filter == NoFilter {
			flag("paraphrase-filter", NoFilter, "")
		}
		if x.Judge != nil {
			flag("paraphrase-judge", x.Judge.Ref, "")
		}
	}
	if x := p.Posterior; x != nil {
		d := DefaultPosterior()
		flag("eps", strconv.FormatFloat(x.Eps, 'g', -1, 64), strconv.FormatFloat(d.Eps, 'g', -1, 64))
		flag("extend", strconv.Itoa(x.Extend), strconv.Itoa(d.Extend))
		flag("m", strconv.Itoa(x.M), strconv.Itoa(d.M))
		for _, e := range x.AlsoEps {
			args = append(args, "--also-eps", strconv.FormatFloat(e, 'g', -1, 64))
		}
		if x.Estimator != "" {
			args = append(args, "--estimator", x.Estimator)
			flag("k", strconv.Itoa(x.K), strconv.Itoa(d.K))
			flag("answer-tokens", strconv.Itoa(x.AnswerTokens), strconv.Itoa(d.AnswerTokens))
			if x.Total {
				args = append(args, "--answer-total")
			}
		}
		flag("top-p", strconv.FormatFloat(x.TopP, 'g', -1, 64), strconv.FormatFloat(d.TopP, 'g', -1, 64))
		flag("at", joined(x.At), "")
		flag("abstain", strconv.FormatFloat(x.Abstain, 'g', -1, 64), "0")
	}
	if p.Templates != nil {
		flag("templates", p.Templates.From, "")
	}
	flag("tau", strconv.FormatFloat(p.Tau, 'g', -1, 64), strconv.FormatFloat(d.Tau, 'g', -1, 64))
	flag("equal", p.Equal, d.Equal)
	if m := p.Meaning; m != nil {
		args = append(args, "--entailment", m.Model.Ref, "--equal-most", strconv.Itoa(m.Most))
		if m.Score {
			args = append(args, "--entailment-reply", ReplyScored)
		}
	}
	flag("sc", p.SC, d.SC)
	if p.ExcludeDefault {
		args = append(args, "--exclude-default")
	}
	flag("common-r", strconv.Itoa(p.CommonR), strconv.Itoa(d.CommonR))
	args = append(args, "--sampled", strconv.Itoa(p.Sampled))
	flag("repeats", strconv.Itoa(p.Repeats), strconv.Itoa(d.Repeats))
	flag("limit", strconv.Itoa(p.Limit), strconv.Itoa(d.Limit))
	flag("choices", p.Choices, d.Choices)
	flag("option-score", string(p.OptionScore), string(d.OptionScore))
	flag("form", string(p.Form), string(d.Form))
	if r := p.Retrieval; r != nil {
		for _, f := range r.Files {
			args = append(args, "--retrieve", f)
		}
		flag("retrieve-k", strconv.Itoa(r.K), strconv.Itoa(DefaultRetrieveK))
		flag("retrieve-form", string(r.Form), string(prompt.RALM))
		for _, f := range r.Forbidden {
			args = append(args, "--retrieve-forbid", f)
		}
	}
	flag("max-tokens", strconv.Itoa(p.MaxTokens), strconv.Itoa(d.MaxTokens))
	flag("as-of", p.AsOf, d.AsOf)
	return append(args, "--seed", strconv.FormatUint(p.Seed, 10))
}
