package report

import (
	"fmt"
	"io"
	"strings"

	"hallmark/internal/annotate"
)

// An auditView is what people said of a run's answers, set out for a reader.
type auditView struct {
	Lede      string
	Rates     []auditRate
	Agreement []auditAlpha
	Strata    []auditStratum
	Disputes  string
	Warnings  []string
}

type auditRate struct {
	Label                                     string
	Grader, People                            fig
	Labelled, N, OnlyGrader, OnlyPeople, Both fig
}

type auditAlpha struct {
	Label        string
	Alpha, Units fig
}

type auditStratum struct {
	Label           string
	Cases, Labelled fig
}

// strataWords say why people were shown an answer.
var strataWords = map[annotate.Stratum]string{
	annotate.Audit: "set aside for people by the suite", annotate.Judged: "decided by a judge", annotate.Undecided: "not read by any grader",
	annotate.Reciprocity: "true, but beyond its evidence", annotate.Rest: "decided by an oracle",
}

// newAudit reads the audit from a document that has one, nil else.
func newAudit(t tree) *auditView {
	if !t.Has("audit") {
		return nil
	}
	raters := t.texts("audit", "raters")
	v := &auditView{
		Lede: fmt.Sprintf("%s judged %s, without seeing the grader’s verdict unless they asked for it. The corrected rate is what they would find on all answers.",
			plural(len(raters), "rater", "raters"), count(t.Whole("audit", "n"), "answer")),
		Warnings: t.texts("audit", "warnings"),
	}
	for _, m := range annotate.Measures {
		at := func(key string, u unit) fig { return t.fig("", u, "", "audit", "corrected", m, key) }
		r := auditRate{
			Label: strings.ReplaceAll(m, "_", " "), Grader: at("uncorrected", share), People: at("corrected", share),
			Labelled: at("labelled", tally), N: at("n", tally), OnlyGrader: at("only_grader_fail", tally), OnlyPeople: at("only_people_fail", tally),
		}
		if r.N.OK {
			v.Rates = append(v.Rates, r)
		}
	}
	for _, axis := range append([]string{"hallucination"}, annotate.Axes...) {
		if !t.Has("audit", "agreement", axis) {
			continue
		}
		a := auditAlpha{Label: axis, Alpha: t.fig("", mean, "", "audit", "agreement", axis, "alpha"), Units: t.fig("", tally, "", "audit", "agreement", axis, "n")}
		lo, okLo := t.Number("audit", "agreement", axis, "lo")
		hi, okHi := t.Number("audit", "agreement", axis, "hi")
		a.Alpha.Lo, a.Alpha.Hi, a.Alpha.Bounded = lo, hi, okLo && okHi
		v.Agreement = append(v.Agreement, a)
	}
	for _, s := range annotate.Strata {
		if t.Has("audit", "strata", string(s)) {
			v.Strata = append(v.Strata, auditStratum{strataWords[s], t.fig("", tally, "", "audit", "strata", string(s), "cases"), t.fig("", tally, "", "audit", "strata", string(s), "labelled")})
		}
	}
	var disputes []string
	list := t.Items("audit", "readjudicate")
	for i := range list[:min(len(list), 40)] {
		d := t.sub("audit", "readjudicate", fmt.Sprint(i))
		disputes = append(disputes, fmt.Sprintf("%s (%s)", clip(oneLine(d.Text("case_id")), 60), strings.Join(d.texts("axes"), ", ")))
	}
	if len(list) > len(disputes) {
		disputes = append(disputes, fmt.Sprintf("and %s more", grouped(len(list)-len(disputes))))
	}
	v.Disputes = strings.Join(disputes, "; ")
	return v
}

// audit writes an audit for a terminal.
func (p *printer) audit(v *auditView) {
	p.head("AUDIT", "what people say, beside the grader")
	p.para("", v.Lede)
	label := min(22, p.width-60)
	p.line(p.dim(fit("", label) + fitLeft("grader", 9) + fitLeft("interval", 14) + fitLeft("corrected", 11) + fitLeft("interval", 14) + fitLeft("labelled", 12)))
	for _, r := range v.Rates {
		p.line(fit(r.Label, label), fitLeft(narrow(r.Grader.Text()), 9), p.dim(fitLeft(narrow(r.Grader.Range()), 14)), p.bold(fitLeft(narrow(r.People.Text()), 11)),
			p.dim(fitLeft(narrow(r.People.Range()), 14)), fitLeft(r.Labelled.Text()+" of "+r.N.Text(), 12))
	}
	var alphas []string
	for _, a := range v.Agreement {
		s := a.Label + " " + a.Alpha.Text()
		if a.Alpha.Bounded {
			s += " [" + a.Alpha.Range() + "]"
		}
		alphas = append(alphas, s)
	}
	if len(alphas) > 0 {
		p.para("", "Agreement of the raters, alpha: "+strings.Join(alphas, "; ")+".")
	}
	if v.Disputes != "" {
		p.para("", "To adjudicate again: "+v.Disputes+".")
	}
	p.warnings(v.Warnings)
}

// Audit writes what people said of the answers of one model on one suite for a terminal.
func Audit(w io.Writer, r *annotate.Result, model, suite string, style Style) error {
	t := treeOf(map[string]any{"audit": r})
	p := newPrinter(w, style)
	p.line(p.bold("hallmark annotate"), clip(gap(oneLine(model+" on "+suite)), p.width-18))
	p.audit(newAudit(t))
	return p.w.Flush()
}
