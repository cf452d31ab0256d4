package report

import "fmt"

// newJudge reads what a judge decided from a document that has it, nil else.
func newJudge(t tree) *plainView {
	if !t.Has("judged") {
		return nil
	}
	at := func(label string, key string) fig { return t.fig(label, tally, "", "judged", key) }
	v := &plainView{ID: "judge", Name: "Judge", Title: "Judged by a model", Over: "default prompt", Figs: []fig{
		t.fig("cases that a judge decides", share, "", "judged", "share").note(count(t.Whole("judged", "cases"), "case")),
		at("accepted", "accepted"), at("rejected", "rejected"), at("no verdict", "no_verdict").note("the judge’s call failed, or its reply was none"),
		at("waiting for a judge", "pending"),
		t.fig("prompt tokens of the judge", tally, "", "judged", "tokens", "prompt"), t.fig("completion tokens of the judge", tally, "", "judged", "tokens", "completion"),
	}}
	if judge := oneLine(t.Text("judged", "judge")); judge != "" {
		v.Lede = fmt.Sprintf("%s decided what no oracle can. Its verdicts are those of a model: they do not count as graded automatically.", clip(judge, 200))
		if !t.Has("audit") {
			v.Warnings = []string{"no person has looked at what the judge decided: `hallmark annotate` draws a sample, by which its rates are corrected"}
		}
	} else {
		v.Lede = "These cases wait for a judge, and none was named: --judge names one."
	}
	return v
}
