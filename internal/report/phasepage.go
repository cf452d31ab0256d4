package report

import (
	"fmt"
	"html/template"
	"slices"

	"hallmark/internal/metric/sweep"
	"hallmark/internal/stat/figure"
)

// block sets out a sweep: its findings, and each probe by itself.
func (v *phaseView) block() block {
	over := "stability by " + orDash(v.Axis) + ", each probe by itself"
	all := table{In: inTerminal, Brief: 100, Columns: heads("model", textOf("probe"), "SS", "PC < .5", "PC ≥ .8")}
	var probes []block
	for _, p := range v.Probes {
		for _, r := range p.Rows {
			all.add(r.Stage, p.Probe, r.SS, r.Below, r.AtLeast)
		}
		probes = append(probes, p.chapter())
	}
	corpus := []block{sentence(v.CorpusNote()), warnings{List: v.CorpusWarnings}}
	return chapter{
		ID: "sweep", Name: "Sweep", Title: "Sweep by " + v.Axis, Over: over, At: "sweep", Run: true,
		Lede: say("The models in the order of " + v.Axis + ", asked the same questions in several wordings. " +
			"Stability is how far the answers to one question agree (1: every wording gets the same); it does not " +
			"say that they are right, so read accuracy beside it. Differences are from the first model, question by " +
			"question; intervals are of 95 % each."),
		Body: slices.Concat([]block{all, findings{v.Findings}}, probes,
			[]block{chapter{Title: "Corpus", Over: "of the perplexity", Inner: true, Body: corpus}}),
	}
}

// chapter sets out a probe: the diagram, the stages, what became of the error, every figure, what collapsed and whether
// the condition foretold it.
func (p phaseProbe) chapter() block {
	removed := ""
	if p.has(func(r phaseRow) fig { return r.OfAll }) {
		removed = ", in brackets that of all parameters"
	}
	body := []block{
		sentence(strong(p.Peak)).only(onPage),
		sentence("Dots are semantic stability with its interval, hollow ones accuracy over the prompt variants, " +
			"which stability says nothing of. Below: sparsity in percent" + removed + ".").only(onPage),
		drawing{SVG: []template.HTML{p.Diagram(), p.Legend()}, Letters: p.letters},
		aside("across: sparsity. V variance-dominated, O optimal, B bias-dominated, + both better, − both worse, ? " +
			"undecided, ● no regime").only(inTerminal),
		sentence(p.Peak).only(inText),
	}
	whole, short := p.stages(false), p.stages(true)
	if len(short.Columns) < len(whole.Columns) {
		whole.In, short.In = inText, onPage
		body = append(body, whole, short, sentence(phaseWords).only(onPage))
		whole.In = onPage
		body = append(body, chapter{Title: "All figures of each stage", Inner: true, Fold: true, In: onPage, Lede: say(
			"The table with perplexity (how surprising texts are to the model), the share of resamples in which a " +
				"stage is the peak, and the regime before stages that are not told from the peak are called optimal."),
			Body: []block{whole}})
	} else {
		body = append(body, whole, sentence(phaseWords).only(onPage))
	}
	body = append(body, p.parts(), chapter{Title: "Every figure and its difference from " + p.Dense, Inner: true,
		Fold: true, In: inFull, Lede: only(onPage, "All that was measured of each stage, with its interval."),
		Body: []block{p.every()}})
	body = append(body, p.collapses()...)
	if p.at.Has("condition") {
		body = append(body, p.condition(p.at.branch("condition")))
	}
	return chapter{Title: p.Title + ": stability by sparsity", Inner: true, Lede: say(p.Cases, " questions."),
		Over: fmt.Sprintf("%s; Δ against %s", count(int(p.Cases.Value), "question"), p.Dense),
		Body: append(body, warnings{List: p.Warnings})}
}

// phaseWords say what phases are.
const phaseWords = "Phases, against the first model: bias is what answers get wrong in every wording, variance what " +
	"moves with the wording. Variance-dominated: the error fell, as what was won in one of them outweighs what was " +
	"lost in the other. Bias-dominated: it did not fall. Optimal: not told from the stage of highest stability. " +
	"Undecided: so few questions do not say."

// inBrief is a figure with its interval beneath it, of which a terminal shows the value.
func inBrief(f fig) cell { return cellOf(f).under(only(inFull, within(f))) }

// stages are the figures of each stage that a summary needs, or in short those that a newcomer does; the peak stands
// out.
func (p phaseProbe) stages(short bool) table {
	t := table{Caption: "Stages of " + p.Title + "; ▲ the peak, ≈ not told from it: optimal", Brief: 100,
		Stacked: true, Columns: []column{{Head: "stage"}, columnOf("sparsity")}}
	var more []func(phaseRow) cell
	add := func(c column, of func(phaseRow) fig, set func(fig) cell) {
		if p.has(of) && !(short && slices.Contains(furtherOfStages, c.Head)) {
			t.Columns, more = append(t.Columns, c), append(more, func(r phaseRow) cell { return set(of(r)) })
		}
	}
	plain := func(f fig) cell { return cellOf(f) }
	add(columnOf("of all"), func(r phaseRow) fig { return r.OfAll }, plain)
	add(columnOf("stability"), stabilityOf, inBrief)
	add(ci.only(inTerminal), stabilityOf, func(f fig) cell { return cellOf(within(f)) })
	add(columnOf("Δ"), func(r phaseRow) fig { return r.DSS }, func(f fig) cell {
		return inBrief(f).briefly(f.Signed())
	})
	add(columnOf("accuracy"), accuracyOf, inBrief)
	perplexity := func(f fig) cell { return inBrief(f).briefly(f.put(figure.Perplexity)) }
	add(columnOf("PPL, own answers"), func(r phaseRow) fig { return r.PPL }, perplexity)
	add(columnOf("PPL, corpus"), func(r phaseRow) fig { return r.Corpus }, perplexity)
	add(columnOf("PHR"), func(r phaseRow) fig { return r.PHR }, inBrief)
	add(columnOf("peak in").only(inFull), func(r phaseRow) fig { return r.PeakShare }, plain)
	t.Columns = append(t.Columns, column{Head: "phase"})
	if !short {
		t.Columns = append(t.Columns, column{Head: "regime", In: inFull})
	}
	for _, r := range p.Rows {
		stage := say(r.Stage)
		switch {
		case r.Peak:
			stage = strong(r.Stage, " ▲")
		case r.Tone == "best":
			stage = say(r.Stage, " ≈")
		}
		phase := cellOf(orDash(r.Phase))
		phase.Tone = r.Tone
		cells := rowOf(cellOf(stage).noted(r.Model), r.Sparsity, each(more,
			func(of func(phaseRow) cell) cell { return of(r) }), phase)
		if !short {
			cells.Cells = append(cells.Cells, cellOf(orDash(r.Regime)))
		}
		t.Rows = append(t.Rows, cells)
	}
	return t
}

// furtherOfStages are the columns that the first layer of a page leaves to the second.
var furtherOfStages = []string{"of all", "PPL, own answers", "PPL, corpus", "PHR", "peak in"}

// parts are the parts of the error: drawn on a page, as a table in a terminal.
func (p phaseProbe) parts() block {
	if !p.has(accuracyOf) {
		return nil
	}
	t := table{In: inTerminal, Brief: 100, Columns: heads("stage", "bias²", "variance", "Δ bias²", "Δ variance",
		textOf("regime"))}
	for _, r := range p.Rows {
		regime := cellOf(orDash(r.Regime))
		regime.Tone = r.RegimeTone
		t.add(r.Stage, cellOf(r.Bias).briefly(r.Bias.put(rough)), cellOf(r.Variance).briefly(r.Variance.put(rough)),
			cellOf(r.DBias).briefly(roughly(r.DBias)), cellOf(r.DVariance).briefly(roughly(r.DVariance)), regime)
	}
	c := chapter{Title: "What became of the error", Inner: true, Fold: true, Over: "Δ against " + p.Dense,
		Lede: say("Across bias² of the answers, upwards their variance, each with its interval. What lost variance " +
			"alone stands below " + p.Dense + ", what moved to other answers beside it; below the dashed line is less " +
			"error than " + p.Dense + "’s."), Body: []block{t}}
	if d := p.Decomposition(); d != "" {
		c.Body = append(c.Body, picture(d))
	}
	return c
}

// every has each figure that was measured, over the stages, with its difference from the dense model.
func (p phaseProbe) every() table {
	t := table{Columns: heads("figure", textOf("stage"), "value", ci, columnOf("against "+p.Dense), ci)}
	for _, f := range phaseFigures {
		if !p.has(func(r phaseRow) fig { of, _ := f.in(&r); return *of }) {
			continue
		}
		for _, r := range p.Rows {
			of, off := f.in(&r)
			t.add(f.Label, r.Stage, bounded(*of), bounded(*off))
		}
	}
	return t
}

// collapses list the questions that became steadier and wrong; a terminal has the first of the stage with the most.
func (p phaseProbe) collapses() (out []block) {
	var most phaseRow
	for _, r := range p.Rows {
		if len(r.Listed) == 0 {
			continue
		}
		if len(most.Listed) == 0 || r.Collapsed.Value > most.Collapsed.Value {
			most = r
		}
		t := table{Caption: "Answers of " + p.Dense + " and of " + r.Stage + " over the prompt variants; those that " +
			"were lost first", Columns: heads(column{Head: "question", Kind: ofRaw}, column{Head: "gold", Kind: ofRaw},
			"PC", column{Head: p.Dense, Kind: ofRaw}, "PC", column{Head: r.Stage, Kind: ofRaw})}
		for _, c := range r.Listed {
			right := ""
			if c.Dense.Right {
				right = "mode right"
			}
			t.add(cellOf(c.Prompt).noted(c.ID), c.Gold, c.Dense.PC, cellOf(c.Dense.Answers).noted(right), c.Stage.PC,
				c.Stage.Answers)
		}
		out = append(out, chapter{Title: "Steadier and wrong at " + r.Stage, Inner: true, Fold: true, In: inFull,
			Lede: say(r.collapsed(p.Dense), "."), Body: []block{t}})
	}
	if len(most.Listed) == 0 {
		return nil
	}
	l := list{In: inTerminal}
	for _, c := range most.Listed[:min(3, len(most.Listed))] {
		l.Items = append(l.Items, say(clip(c.Prompt, 60)+" (gold: "+clip(c.Gold, 30)+"). "+clip(p.Dense, 20)+" PC ",
			c.Dense.PC, ": "+
				clip(c.Dense.Answers, 60)+". "+clip(most.Stage, 20)+" PC ", c.Stage.PC, ": "+clip(c.Stage.Answers, 60)))
	}
	return append(out,
		sentence("Steadier and wrong at "+most.Stage+": ", most.collapsed(p.Dense), ".").only(inTerminal), l)
}

// collapsed says how many questions became steadier and wrong, how many of them the dense model has right, and how many
// are declined.
func (r phaseRow) collapsed(dense string) prose {
	s := say(count(int(r.Collapsed.Value), "question"), ", ", r.Share, " of all; ", r.Lost, " of them right at "+dense)
	if r.Declined.OK && r.Declined.Value > 0 {
		s = say(s, ", ", r.Declined, " declined")
	}
	return s
}

// condition sets out whether bias² and variance of probabilities foretell who errs less.
func (p phaseProbe) condition(c tree) block {
	at := c.fig
	t := table{In: inFull, Columns: heads("stage", "bias²", "variance", columnOf("sum less "+p.Dense+"’s, estimated"),
		textOf("foretold"), "on the other half", textOf("right"), "errors of answers", "cases right")}
	for _, s := range c.items("stages") {
		of := func(u unit, keys ...string) cell { return cellWithin(s.fig(u, keys...)) }
		predicted := map[string]string{sweep.Beats: "errs less", sweep.DoesNot: "does not"}[s.Text("predicted")]
		right := ""
		if yes, ok := s.Bool("right"); ok {
			right = map[bool]string{true: "yes", false: "no"}[yes]
			if !s.is("decided") {
				right += ", not decided"
			}
		}
		t.add(oneLine(s.Text("stage")), of(mean, "bias_squared"), of(mean, "variance"), of(mean, "estimated"),
			orDash(predicted), of(mean, "tested"), orDash(right), of(share, "answers"),
			of(share, "cases_right", "share"))
	}
	var hits list
	for _, x := range []struct{ key, label string }{
		{"right", "stages were foretold right, by the error of the probabilities"},
		{"right_decided", "of those whose change on the other half is told from 0"},
		{"right_answers", "by the error of the answers"},
		{"right_as_published", "by the source’s inequality, against the variance of the dense model alone"},
	} {
		says := say(at(tally, x.key, "right"), " of ", at(tally, x.key, "n"), " "+x.label)
		if f := at(share, x.key, "share"); f.OK {
			says = say(says, ": ", f, " (95 % interval ", within(f), ")")
		}
		hits.Items = append(hits.Items, says)
	}
	return closed("Does bias² + variance foretell?", sentence("Bias² + variance over the probabilities of the "+
		"options, estimated on ", at(tally, "estimated"), " questions: does it say who errs less on the other ",
		at(tally, "tested"), "?"), t, hits, warnings{List: c.texts("warnings")})
}
