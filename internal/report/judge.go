package report

import "fmt"

// A judgeView is what a judge had a part in deciding, set out for a reader.
type judgeView struct {
	Lede     string
	Figs     []fig
	Warnings []string
}

// newJudge reads what a judge decided from a document that has it, nil else.
func newJudge(t tree) *judgeView {
	if !t.has("judged") {
		return nil
	}
	at := func(label string, key string) fig { return t.fig(label, tally, "", "judged", key) }
	v := &judgeView{Figs: []fig{
		t.fig("cases that a judge decides", share, "", "judged", "share").note(count(t.whole("judged", "cases"), "case")),
		at("accepted", "accepted"), at("rejected", "rejected"), at("no verdict", "no_verdict").note("the judge’s call failed, or its reply was none"),
		at("waiting for a judge", "pending"),
		t.fig("prompt tokens of the judge", tally, "", "judged", "tokens", "prompt"), t.fig("completion tokens of the judge", tally, "", "judged", "tokens", "completion"),
	}}
	if judge := oneLine(t.text("judged", "judge")); judge != "" {
		v.Lede = fmt.Sprintf("%s decided what no oracle can. Its verdicts are those of a model: they do not count as graded automatically.", clip(judge, 200))
		if !t.has("audit") {
			v.Warnings = []string{"no person has looked at what the judge decided: `hallmark annotate` draws a sample, by which its rates are corrected"}
		}
	} else {
		v.Lede = "These cases wait for a judge, and none was named: --judge names one."
	}
	return v
}

// judge writes what a judge decided, on a terminal.
func (p *printer) judge(v *judgeView) {
	p.head("JUDGED BY A MODEL", "default prompt")
	p.para("", v.Lede)
	for _, f := range v.Figs {
		if f.OK {
			p.fig(f, 0)
		}
	}
	p.warnings(v.Warnings)
}
