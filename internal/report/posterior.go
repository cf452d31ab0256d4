package report

import "fmt"

// posterior sets out the posterior hallucination rate.
func (s *section) posterior(t tree, at figsOf) block {
	over := fmt.Sprintf("%s, extended by %s that the model makes up, %s", plural(t.Whole("n"), "query", "queries"),
		count(t.Whole("extend"), "pair"), count(t.Whole("m"), "time"))
	unit := t.Text("unit")
	if unit != "" {
		unit = "The unit of the intervals is the " + unit + "."
	}
	checks := append([]fig{at("exchangeability"), at("martingale_gap"), at("other_mass")}, some(at("redrawn"))...)
	c := s.chapter("posterior",
		figures{Scale: 1, Bare: true, Figs: known(at("phr").lead(), at("phr_corrected").child(), at("mhr"),
			at("error_rate"), at("mutual_information"))},
		aside(unit),
		warnings{List: t.texts("warnings")},
		inner("What the method supposes", figures{Figs: known(checks...)}, aside(able(s.t))),
		aside(advice(t)),
		closed("What the rate does not say", listOf(t.texts("limits"))),
	).over(over).lede(over, ".")
	if rows := levelsOf(s.t); len(rows) > 1 {
		c.Body = append(c.Body, drawing{SVG: levelCharts(rows), Row: true},
			inner("Posterior by pairs", levelTable(rows)).over("in the context"))
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
	return fmt.Sprintf("%s of %s with a rate of %s or more: give more examples, or abstain.",
		grouped(t.Whole("abstain")), plural(n, "query", "queries"), short(from))
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
