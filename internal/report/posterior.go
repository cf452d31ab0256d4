package report

import "fmt"

// posteriorView is the posterior hallucination rate of a section.
type posteriorView struct {
	Figs     []fig
	Note     string // what it was measured on
	Advice   string // how many queries are better not answered
	Study    *studyView
	Warnings []string
}

// newPosterior returns nil where the rate was not measured.
func newPosterior(t tree) *posteriorView {
	if !t.has("posterior") {
		return nil
	}
	v := &posteriorView{Warnings: t.texts("posterior", "warnings")}
	v.Note = plural(t.whole("posterior", "n"), "query", "queries") + ", extended by " + plural(t.whole("posterior", "extend"), "pair", "pairs") + " that the model makes up, " +
		plural(t.whole("posterior", "m"), "time", "times")
	add := func(f fig) {
		if f.OK {
			v.Figs = append(v.Figs, f)
		}
	}
	add(t.fig("posterior hallucination rate", share, "err", "posterior", "phr").note("before any gold answer: what the extended model finds unlikely").lead())
	add(t.fig("model hallucination rate", share, "", "posterior", "mhr").note("the same with true pairs"))
	add(t.fig("error of a drawn answer", share, "err", "posterior", "error_rate").note("by the gold answers"))
	add(t.fig("mutual information", mean, "", "posterior", "mutual_information").note("nats; what the context leaves open about the task"))
	if n := t.whole("posterior", "n"); n > 0 {
		from, _ := t.number("posterior", "abstain_from")
		v.Advice = fmt.Sprintf("%s of %s with a rate of %s or more: give more examples, or abstain.", grouped(t.whole("posterior", "abstain")), plural(n, "query", "queries"), short(from))
	}
	v.Study = newStudy(t)
	return v
}
