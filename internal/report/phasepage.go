package report

import (
	"cmp"
	"fmt"
	"html/template"
	"slices"

	"hallmark/internal/metric/sweep"
	"hallmark/internal/stat/figure"
)

// block sets out a sweep: its findings, and each probe by itself.
func (v *phaseView) block() block {
	axis := v.Text("axis")
	all := table{In: inTerminal, Brief: 100, Columns: heads("model", textOf("probe"), "SS", "PC < .5", "PC ≥ .8")}
	var probes []block
	for _, p := range v.Probes {
		for _, r := range p.Rows {
			all.add(r.Stage, p.Probe, r.ss(), r.of["below"], r.of["at least"])
		}
		probes = append(probes, p.chapter())
	}
	corpus := inner("Corpus", sentence(v.corpusNote()), warnings{List: v.texts("corpus", "warnings")})
	c := chapterOf("sweep", slices.Concat([]block{all, findings{v.Findings}}, probes,
		[]block{corpus.over("of the perplexity")})...).asks(axis)
	c.At, c.Title, c.Over = "sweep", c.Title+axis, "stability by "+orDash(axis)+", each probe by itself"
	return c
}

// chapter sets out a probe: the diagram, the stages, what became of the error, every figure, what collapsed and whether
// the condition foretold it.
func (p phaseProbe) chapter() block {
	removed := ""
	if p.has("of all") {
		removed = ", in brackets that of all parameters"
	}
	whole := p.stages()
	first := whole
	first.Columns = each(whole.Columns, func(c column) column {
		if slices.Contains(furtherOfStages, c.Head) {
			c.In = cmp.Or(c.In, inText) &^ onPage
		}
		return c
	})
	return inner(p.Title+": stability by sparsity", slices.Concat([]block{
		sentence(strong(p.Peak)).only(onPage),
		sentence("Dots are semantic stability with its interval, hollow ones accuracy over the prompt variants, " +
			"which is another figure than stability. Below: sparsity in percent" + removed + ".").only(onPage),
		drawing{SVG: []template.HTML{p.phaseDiagram().on("semantic stability by sparsity"),
			legend(regimeColours("no", true)...)}, Letters: p.letters},
		aside(called("texts", "letters of phases")).only(inTerminal),
		sentence(p.Peak).only(inText), first, sentence(called("texts", "phases")).only(onPage),
		closed("All figures of each stage", whole).lede(called("texts", "stages")).only(onPage), p.parts(),
		closed("Every figure and its difference from "+p.Dense, p.every()).lede(only(onPage,
			"All that was measured of each stage, with its interval.")).only(inFull)},
		p.collapses(), []block{p.condition(), warnings{List: p.at.texts("warnings")}})...).over(
		fmt.Sprintf("%s; Δ against %s", count(int(p.Cases.Value), "question"), p.Dense)).lede(p.Cases, " questions.")
}

// inBrief is a figure with its interval beneath it, of which a terminal shows the value.
func inBrief(f fig) cell { return cellOf(f).under(only(inFull, within(f))) }

// stages are the figures of each stage that a summary needs; the peak stands out.
func (p phaseProbe) stages() table {
	t := table{Caption: "Stages of " + p.Title + "; ▲ the peak, ≈ optimal: not below it beyond chance", Brief: 100,
		Stacked: true, Columns: []column{textOf("stage"), columnOf("sparsity")}}
	var more []func(phaseRow) cell
	add := func(c column, name string, set func(fig) cell) {
		if p.has(name) {
			t.Columns, more = append(t.Columns, c), append(more, func(r phaseRow) cell { return set(r.of[name]) })
		}
	}
	plain := func(f fig) cell { return cellOf(f) }
	perplexity := func(f fig) cell { return inBrief(f).briefly(f.put(figure.Perplexity)) }
	add(columnOf("of all"), "of all", plain)
	add(columnOf("stability"), "stability", inBrief)
	add(ci.only(inTerminal), "stability", func(f fig) cell { return cellOf(within(f)) })
	if slices.ContainsFunc(p.Rows, func(r phaseRow) bool { return r.off["stability"].OK }) {
		t.Columns, more = append(t.Columns, columnOf("Δ")), append(more, func(r phaseRow) cell {
			d := r.off["stability"]
			return inBrief(d).briefly(map[bool]string{true: "+"}[d.OK && d.Value > 0] + d.Text())
		})
	}
	add(columnOf("accuracy"), "accuracy", inBrief)
	add(columnOf("PPL, own answers"), "perplexity", perplexity)
	add(columnOf("PPL, corpus"), "corpus", perplexity)
	add(columnOf("PHR"), "phr", inBrief)
	add(fullOf("peak in"), "peak in", plain)
	t.Columns = append(t.Columns, textOf("phase"), textOf("regime").only(inFull))
	for _, r := range p.Rows {
		stage := say(r.Stage)
		switch {
		case r.Peak:
			stage = strong(r.Stage, " ▲")
		case r.Tone == "best":
			stage = say(r.Stage, " ≈")
		}
		t.add(cellOf(stage).noted(r.Model), r.of["sparsity"],
			each(more, func(of func(phaseRow) cell) cell { return of(r) }), cellOf(orDash(r.Phase)).toned(r.Tone),
			orDash(r.Regime))
	}
	return t
}

// furtherOfStages are the columns that the first layer of a page leaves to the second.
var furtherOfStages = []string{"of all", "PPL, own answers", "PPL, corpus", "PHR", "peak in", "regime"}

// parts are the parts of the error: drawn on a page, as a table in a terminal.
func (p phaseProbe) parts() block {
	if !p.has("accuracy") {
		return nil
	}
	t := table{In: inTerminal, Brief: 100, Columns: heads("stage", "bias²", "variance", "Δ bias²", "Δ variance",
		textOf("regime"))}
	for _, r := range p.Rows {
		off := func(name string) cell { return cellOf(r.off[name]).briefly(roughly(r.off[name])) }
		t.add(r.Stage, cellOf(r.bias()).briefly(r.bias().put(rough)),
			cellOf(r.variance()).briefly(r.variance().put(rough)), off("bias²"), off("variance"),
			cellOf(orDash(r.Regime)).toned(r.RegimeTone))
	}
	c := closed("What became of the error", t).over("Δ against " + p.Dense).lede("Across bias² of the answers, " +
		"upwards their variance, each with its interval. What lost variance alone stands below " + p.Dense +
		", what moved to other answers beside it; below the dashed line is less error than " + p.Dense + "’s.")
	if d := p.decomposition().on("bias² and variance"); d != "" {
		c.Body = append(c.Body, picture(d))
	}
	return c
}

// every has each figure that was measured, over the stages, with its difference from the dense model.
func (p phaseProbe) every() table {
	t := table{Columns: heads("figure", textOf("stage"), "value", ci, columnOf("against "+p.Dense), ci)}
	for _, f := range phaseFigures {
		for _, r := range p.Rows {
			if f.label != "" && p.has(f.name) {
				t.add(f.label, r.Stage, bounded(r.of[f.name]), bounded(r.off[f.name]))
			}
		}
	}
	return t
}

// pc is how far the answers of a model to a question agree.
func pc(question tree, of string) fig { return question.fig(mean, of, "pc").toned("ink") }

// collapses list the questions that became steadier and wrong; a terminal has the first of the stage with the most.
func (p phaseProbe) collapses() (out []block) {
	var most phaseRow
	for _, r := range p.Rows {
		if len(r.listed) == 0 {
			continue
		}
		if len(most.listed) == 0 || r.of["collapsed"].Value > most.of["collapsed"].Value {
			most = r
		}
		t := table{Caption: "Answers of " + p.Dense + " and of " + r.Stage + " over the prompt variants; those that " +
			"were lost first", Columns: heads(rawOf("question"), rawOf("gold"),
			"PC", rawOf(p.Dense), "PC", rawOf(r.Stage))}
		for _, c := range r.listed {
			right := ""
			if c.is("dense", "mode_right") {
				right = "mode right"
			}
			t.add(cellOf(oneLine(c.Text("prompt"))).noted(oneLine(c.Text("id"))), oneLine(c.Text("gold")),
				pc(c, "dense"), cellOf(votes(c.branch("dense"))).noted(right), pc(c, "stage"), votes(c.branch("stage")))
		}
		out = append(out, closed("Steadier and wrong at "+r.Stage, t).lede(r.collapsed(p.Dense), ".").only(inFull))
	}
	if len(most.listed) == 0 {
		return nil
	}
	l := list{In: inTerminal}
	for _, c := range most.listed[:min(3, len(most.listed))] {
		l.Items = append(l.Items, say(clip(oneLine(c.Text("prompt")), 60)+" (gold: "+clip(oneLine(c.Text("gold")), 30)+
			"). "+clip(p.Dense, 20)+" PC ", pc(c, "dense"), ": "+clip(votes(c.branch("dense")), 60)+". "+
			clip(most.Stage, 20)+" PC ", pc(c, "stage"), ": "+clip(votes(c.branch("stage")), 60)))
	}
	return append(out,
		sentence("Steadier and wrong at "+most.Stage+": ", most.collapsed(p.Dense), ".").only(inTerminal), l)
}

// collapsed says how many questions became steadier and wrong, how many of them the dense model has right, and how many
// are declined.
func (r phaseRow) collapsed(dense string) prose {
	s := say(count(int(r.of["collapsed"].Value), "question"), ", ", r.of["collapsed share"], " of all; ", r.of["lost"],
		" of them right at "+dense)
	if r.of["declined"].OK && r.of["declined"].Value > 0 {
		s = say(s, ", ", r.of["declined"], " declined")
	}
	return s
}

// condition sets out whether bias² and variance of probabilities foretell who errs less.
func (p phaseProbe) condition() block {
	c := p.at.branch("condition")
	if !c.Has() {
		return nil
	}
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
