package report

import "fmt"

// A posteriorView is what the posterior rate of a section is compared by with those of others.
type posteriorView struct {
	All   levelRow
	Study *studyView
}

// posterior sets out the posterior hallucination rate; nil where it was not measured.
func (s *section) posterior() block {
	if !s.t.Has("posterior") {
		return nil
	}
	t := s.t.sub("posterior")
	at := s.t.under("posterior")
	over := plural(t.Whole("n"), "query", "queries") + ", extended by " + plural(t.Whole("extend"), "pair", "pairs") +
		" that the model makes up, " +
		plural(t.Whole("m"), "time", "times")
	checks := []fig{at("exchangeability"), at("martingale_gap"), at("other_mass")}
	if t.Whole("redrawn") > 0 {
		checks = append(checks, at("redrawn"))
	}
	var limits list
	for _, l := range t.texts("limits") {
		limits.Items = append(limits.Items, say(l))
	}
	c := chapter{
		ID: s.id("posterior"), Name: "Posterior", Title: "Posterior hallucination rate", Over: over, Lede: say(over, "."),
		Body: []block{
			figures{Scale: 1, Bare: true, Figs: known(at("phr").lead(), at("phr_corrected").child(), at("mhr"), at("error_rate"),
				at("mutual_information"))},
			warnings{List: t.texts("warnings")},
			chapter{Title: "What the method supposes", Inner: true, Body: []block{figures{Figs: known(checks...)},
				note{Text: say(able(s.t)), Kind: noteAside}}},
			note{Text: say(advice(t)), Kind: noteAside},
			chapter{Title: "What the rate does not say", Inner: true, Fold: true, Body: []block{limits}},
		},
	}
	if rows := levelsOf(s.t); len(rows) > 1 {
		c.Body = append(c.Body, drawing{SVG: levelCharts(rows), Row: true},
			chapter{Title: "Posterior by pairs", Over: "in the context", Inner: true, Body: []block{levelTable(rows)}})
	}
	return c
}

// advice says how many queries are better not answered.
func advice(t tree) string {
	n := t.Whole("n")
	if n == 0 {
		return ""
	}
	from, _ := t.Number("abstain_from")
	return fmt.Sprintf("%s of %s with a rate of %s or more: give more examples, or abstain.", grouped(t.Whole("abstain")),
		plural(n, "query", "queries"), short(from))
}

// able says whether the model can do the task.
func able(t tree) string {
	guess := t.of("posterior", "error_random")
	switch able, ok := t.Bool("posterior", "in_capability"); {
	case !ok || !guess.OK:
		return ""
	case able:
		return "The error lies below that of a guess, " + guess.Text() +
			", with its whole interval: the model can do the task."
	}
	return "The error does not lie below that of a guess, " + guess.Text() +
		", with its whole interval: beyond what the model can do, or too few queries to tell, the rate says nothing."
}

// study sets out what many contexts say of the posterior rate together; nil where there is none.
func (s *section) study() []block {
	if s.Posterior == nil || s.Posterior.Study == nil {
		return nil
	}
	v := s.Posterior.Study
	checks := table{Caption: "What the source found, held against this", Columns: []column{{Head: "finding"},
		{Head: "here"}, {Head: "figures"}}}
	for _, c := range v.Checks {
		checks.Rows = append(checks.Rows, rowOf(c.Claim, cellOf(c.Verdict), cellOf(c.Says)))
	}
	scores := table{Caption: "Telling wrong answers from right ones: " + v.Wrong,
		Columns: []column{{Head: "score"}, columnOf("AUROC"), column95(), columnOf("less PHR .75"), column95()}}
	for _, d := range v.Detectors {
		scores.Rows = append(scores.Rows, row{Cells: []cell{cellOf(d.Name).noted(d.Note), cellOf(d.AUROC),
			cellOf(within(d.AUROC)), cellOf(d.Difference), cellOf(within(d.Difference))}})
	}
	risks := table{Caption: "Abstaining by a score: area under the curve of the error over the share that is answered; " +
		"lower is better",
		Columns: []column{{Head: "score"}, columnOf("area"), column95(), columnOf("less than by chance"), column95(),
			columnOf("by chance"), columnOf("at best")}}
	for _, r := range v.Risks {
		risks.Rows = append(risks.Rows, rowOf(r.Name, cellOf(r.Area), cellOf(within(r.Area)), cellOf(r.Gain),
			cellOf(within(r.Gain)), cellOf(r.Random), cellOf(r.Best)))
	}
	together := table{Columns: []column{{Head: "of"}, {Head: "contexts"}, columnOf("queries"), columnOf("R²"), column95(),
		columnOf("r"), columnOf("slope"), columnOf("p"),
		columnOf("mean absolute difference")}}
	for _, r := range v.Relations {
		together.Rows = append(together.Rows, rowOf(r.Name, cellOf(r.Over), cellOf(r.Points), cellOf(r.R2),
			cellOf(within(r.R2)), cellOf(r.R), cellOf(r.Slope), cellOf(r.P), cellWithin(r.MAE)))
	}
	fewer := table{Columns: []column{{Head: "estimate"}, {Head: "against"}, columnOf("calls a query"),
		columnOf("mean PHR"), columnOf("R²"), column95(), columnOf("slope"),
		columnOf("mean absolute difference")}}
	for _, a := range v.Ablation {
		fewer.Rows = append(fewer.Rows, rowOf(a.Design, cellOf(a.Against), cellOf(a.Calls), cellOf(a.PHR), cellOf(a.R2),
			cellOf(within(a.R2)), cellOf(a.Slope), cellWithin(a.MAE)))
	}
	calls := table{Columns: []column{{Head: "published with"}, {Head: "contexts"}, columnOf("mean squared error"),
		columnOf("its calls"), columnOf("calls of sum"),
		columnOf("times fewer calls"), columnOf("tokens"), columnOf("generated tokens")}}
	for _, c := range v.Costs {
		calls.Rows = append(calls.Rows, rowOf(c.Design, cellOf(c.Over), cellOf(c.MSE), cellOf(c.Calls), cellOf(c.SumCalls),
			cellWithin(c.Fewer), cellWithin(c.FewerTokens), cellWithin(c.FewerMade)))
	}
	fold := func(title string, in where, t table) block {
		return chapter{Title: title, Inner: true, Fold: true, In: in, Body: []block{t}}
	}
	return []block{
		own{Terminal: func(p *printer) { p.study(v) }},
		chapter{
			ID: s.id("study"), Name: "Over contexts", Title: "Posterior rate over many contexts", In: inFull,
			Lede: say(v.Title + ". Intervals take the context as the unit."),
			Body: []block{
				drawing{SVG: v.Charts, Row: true}, checks, scores, risks,
				fold("How the figures go together", 0, together), fold("With fewer pairs, extensions and draws", onPage, fewer),
				fold("Calls of both estimators at one mean squared error", onPage, calls), warnings{List: v.Warnings},
			},
		},
	}
}

// studies sets the suites of a run that have a study side by side.
func studies(sections []*section) []block {
	rows := studiesOf(sections)
	if len(rows) < 2 {
		return nil
	}
	t := table{Columns: []column{{Head: "suite"}, {Head: "model"}, columnOf("queries"), columnOf("error"),
		columnOf("of a guess"), columnOf("PHR .75"),
		columnOf("R² with the error"), columnOf("PHR .05"), columnOf("MHR .05"), columnOf("R² with MHR")}}
	for _, s := range sections {
		for _, r := range studiesOf([]*section{s}) {
			x := rowOf(r.Suite, cellOf(r.Model), cellOf(r.Points), cellWithin(r.Error), cellOf(r.Random), cellWithin(r.Large),
				cellWithin(r.OnError),
				cellWithin(r.Small), cellWithin(r.MHR), cellWithin(r.OnMHR))
			x.At = s.At
			t.Rows = append(t.Rows, x)
		}
	}
	return []block{own{Terminal: func(p *printer) { p.studies(rows) }}, chapter{Title: "The posterior rate by suite",
		In: inFull, Body: []block{t}}}
}
