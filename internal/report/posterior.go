package report

import (
	"fmt"
	"html/template"
)

// posteriorView is the posterior hallucination rate of a section.
type posteriorView struct {
	Figs     []fig
	Note     string     // what it was measured on
	Advice   string     // how many queries are better not answered
	Gate     string     // whether the model can do the task
	Checks   []fig      // of what the method supposes
	Levels   []levelRow // by the number of pairs, where there are several; the last is of all
	All      levelRow
	Charts   []template.HTML
	Study    *studyView
	Warnings []string
	Limits   []string
}

// newPosterior returns nil where the rate was not measured.
func newPosterior(t tree) *posteriorView {
	if !t.Has("posterior") {
		return nil
	}
	v := &posteriorView{Warnings: t.texts("posterior", "warnings"), Limits: t.texts("posterior", "limits")}
	rows := levelsOf(t)
	if v.All = rows[len(rows)-1]; len(rows) > 1 {
		v.Levels, v.Charts = rows, levelCharts(rows)
	}
	v.Note = plural(t.Whole("posterior", "n"), "query", "queries") + ", extended by " + plural(t.Whole("posterior", "extend"), "pair", "pairs") + " that the model makes up, " +
		plural(t.Whole("posterior", "m"), "time", "times")
	add := func(to *[]fig, f fig) {
		if f.OK {
			*to = append(*to, f)
		}
	}
	add(&v.Figs, t.fig("posterior hallucination rate", share, "err", "posterior", "phr").note("before any gold answer: what the extended model finds unlikely").lead())
	add(&v.Figs, t.fig("without the bias of K draws", share, "err", "posterior", "phr_corrected").note("the same, corrected").child())
	add(&v.Figs, t.fig("model hallucination rate", share, "", "posterior", "mhr").note("the same with true pairs"))
	add(&v.Figs, t.fig("error of a drawn answer", share, "err", "posterior", "error_rate").note("by the gold answers"))
	add(&v.Figs, t.fig("mutual information", mean, "", "posterior", "mutual_information").note("nats; what the context leaves open about the task"))
	add(&v.Checks, t.fig("moved by the order of the pairs", mean, "", "posterior", "exchangeability").note("total variation between the answers after the context and after it in another order; the method supposes 0"))
	add(&v.Checks, t.fig("moved by made-up pairs", mean, "", "posterior", "martingale_gap").note("total variation between the answers now and their mean over the extensions; the method supposes 0, and chance adds some"))
	add(&v.Checks, t.fig("mass on no label", mean, "", "posterior", "other_mass").note("counts as one more answer"))
	if n := t.Whole("posterior", "redrawn"); n > 0 {
		add(&v.Checks, t.fig("made-up pairs drawn again", tally, "", "posterior", "redrawn").note("they did not parse"))
	}
	if n := t.Whole("posterior", "n"); n > 0 {
		from, _ := t.Number("posterior", "abstain_from")
		v.Advice = fmt.Sprintf("%s of %s with a rate of %s or more: give more examples, or abstain.", grouped(t.Whole("posterior", "abstain")), plural(n, "query", "queries"), short(from))
	}
	guess := t.fig("", share, "", "posterior", "error_random")
	if able, ok := t.Bool("posterior", "in_capability"); ok && guess.OK {
		v.Gate = "The error lies below that of a guess, " + guess.Text() + ", with its whole interval: the model can do the task."
		if !able {
			v.Gate = "The error does not lie below that of a guess, " + guess.Text() + ", with its whole interval: beyond what the model can do, or too few queries to tell, the rate says nothing."
		}
	}
	v.Study = newStudy(t)
	return v
}

// posterior writes it on a terminal.
func (p *printer) posterior(v *posteriorView) {
	p.head("POSTERIOR", v.Note)
	for _, f := range v.Figs {
		p.fig(f, 1)
	}
	for _, f := range v.Checks {
		p.fig(f, 0)
	}
	if v.Gate != "" {
		p.para("", v.Gate)
	}
	if v.Advice != "" {
		p.para("", v.Advice)
	}
	p.warnings(v.Warnings)
	for _, l := range v.Limits {
		p.painted("  · ", l, p.dim)
	}
	if len(v.Levels) > 0 {
		p.head("POSTERIOR BY PAIRS", "in the context")
		p.levels(v.Levels)
	}
	if v.Study != nil {
		p.study(v.Study)
	}
}

// posterior writes it as Markdown, behind the table of figures.
func (m *md) posterior(v *posteriorView) {
	m.line("**Posterior hallucination rate**: %s. %s\n", escape(v.Note), escape(v.Advice))
	if v.Gate != "" {
		m.line("%s\n", escape(v.Gate))
	}
	for _, w := range v.Warnings {
		m.line("> ⚠ %s\n", escape(w))
	}
	m.levels(v.Levels)
	if v.Study != nil {
		for _, r := range v.Study.Main() {
			m.line("- R² of %s: %s; mean absolute difference %s", escape(r.Name), roughly(r.R2), roughly(r.MAE))
		}
		for _, c := range v.Study.Checks {
			m.line("- %s: %s: %s", escape(c.Verdict), escape(c.Claim), escape(c.Says))
		}
		m.line("")
		for _, w := range v.Study.Warnings {
			m.line("> ⚠ %s\n", escape(w))
		}
	}
	if len(v.Limits) > 0 {
		m.line("<details><summary>What the posterior rate does not say</summary>\n")
		for _, l := range v.Limits {
			m.line("- %s", escape(l))
		}
		m.line("\n</details>\n")
	}
}
