package report

import (
	"cmp"
	"fmt"
	"html/template"
	"math"
	"slices"

	"hallmark/internal/metric/consistency"
	"hallmark/internal/report/svg"
	"hallmark/internal/stat/figure"
)

// stability sets out the figures of consistency in both runs.
func (c comparison) stability() block {
	t := table{Columns: append(columnsOfBoth("figure"), columnOf("change"), ci, columnOf("p"))}
	for _, key := range []string{"semantic_stability", "ambiguity", "accuracy"} {
		at := func(side string) fig { return c.t.of("stability", key, side) }
		if base := at("base"); base.OK {
			t.add(base.Label, bounded(base), bounded(at("other")), changed(at("difference")), at("p"))
		}
	}
	if len(t.Rows) == 0 {
		return nil
	}
	n, up, down := c.t.of("stability", "n"), c.t.Whole("stability", "steadier"), c.t.Whole("stability", "shakier")
	moved := ""
	if n := int(n.Value); n > 0 {
		moved = fmt.Sprintf("Of %s asked in several prompt variants in both runs %s became more stable, %s less "+
			"stable, %s stayed.", count(n, "question"), grouped(up), grouped(down), grouped(n-up-down))
	}
	out := chapterOf("compare/stability", t, sentence(moved), warnings{List: c.t.texts("stability", "warnings")})
	return out.lede("Over the ", n, " questions that both runs asked in several prompt variants, each paired with "+
		"itself; p by the sign-flip test. Read it beside the rates: a run may be steadily wrong.")
}

// shift sets out how bias and variance moved; nil where the runs have no gold in common.
func (c comparison) shift() block {
	at := c.t.under("stability", "decomposition")
	n := at("n")
	if !n.OK {
		return nil
	}
	t := table{Columns: heads("figure", "base", "other", "change", ci)}
	for _, key := range []string{"bias_squared", "variance"} {
		if d := at(key, "difference"); d.OK {
			t.add(d.Label, at(key, "base"), at(key, "other"), bounded(d))
		}
	}
	says := called("regimes", c.t.Text("stability", "decomposition", "regime"))
	if says != "" {
		d := at("other_beats_base", "difference")
		word := map[string]string{"yes": "is less", "no": "is more"}[c.t.Text("stability", "decomposition",
			"other_beats_base", "holds")]
		if word == "" {
			word = "may be less or more"
		}
		says += fmt.Sprintf(" Bias² + variance of other %s than of base; they differ by %s (95 %% interval %s).", word,
			d.Text(), d.Range())
	}
	out := chapterOf("compare/shift", t, aside(says)).lede("Over the ", n, " questions with a gold answer that both "+
		"runs asked in several prompt variants. The difference is other less base.")
	return out.over(count(int(n.Value), "question") + " with a gold answer, asked in several prompt variants in " +
		"both runs")
}

// flowTone is the colour of a category.
func flowTone(category string) string { return cmp.Or(called("tones of categories", category), "ink") }

// flowShort are the categories in a word each, in order.
var flowShort = [4]string{"right", "wrong", "declines", "random"}

// flow sets out how cases moved between the categories of the taxonomy; nil where the runs have none.
func (c comparison) flow() block {
	if !c.t.under("categories")("n").OK {
		return nil
	}
	return chapterOf("compare/flow", c.moved()...)
}

// moved draws the flow and sets it out.
func (c comparison) moved() []block {
	at := c.t.under("categories")
	n, moved := at("n"), at("changed")
	t := table{Columns: slices.Concat(heads("base"), each(flowShort[:], columnOf), heads(
		fullOf("in base"), fullOf("in other"), columnOf("points more").wide()))}
	for i, from := range consistency.FlowCategories {
		d := at("difference", from)
		more := cellWithin(d).briefly(fmt.Sprintf("%s (%s, %s)", figure.WholeChange(d.Value),
			figure.WholeChange(d.Lo), figure.WholeChange(d.Hi)))
		if d.Lo > 0 || d.Hi < 0 { // more of what is right is good, more of the rest is not
			more.Tone = map[bool]string{true: "ok", false: "err"}[(d.Lo > 0) == (i == 0)]
		}
		to := each(consistency.FlowCategories, func(to string) cell { return cellOf(at("transitions", from, to)) })
		t.add(cellOf(called("flows", from)).briefly(flowShort[i]), to, at("base", from), at("other", from), more)
	}
	left := ""
	if n := c.t.Whole("categories", "left_out"); n > 0 {
		left = fmt.Sprintf("%s with a category in only one of the runs are left out.", count(n, "question"))
	}
	return []block{
		picture(drawFlow(c.t.sub("categories"))), t,
		sentence(called("texts", "flows")).only(inText),
		sentence(moved, " of ", count(int(n.Value), "question"), " are in another category than in base (95 % "+
			"interval ", within(moved), ")."),
		sentence(left),
	}
}

// The measures of the drawing, in its own units.
const (
	flowWidth, flowHeight = 720., 300.
	flowBar, flowGap      = 14., 12.
	flowTop               = 22.
)

// drawFlow draws the flow: the categories in base at the left, in other at the right, and between them bands as wide
// as the cases that went from one to the other.
func drawFlow(t tree) template.HTML {
	scale := (flowHeight - flowTop - 3*flowGap) / float64(t.Whole("n"))
	var d svg.Drawing
	d.Text("", svg.Point{X: "0", Y: 12}, svg.Start, "base")
	d.Text("", svg.Point{X: svg.Px(flowWidth), Y: 12}, svg.End, "other")
	left, right := stackFlow(t, "base", scale), stackFlow(t, "other", scale)
	from, to := left, right // where the next band begins
	for i, c := range consistency.FlowCategories {
		for j, next := range consistency.FlowCategories {
			cases := t.Whole("transitions", c, next)
			if cases == 0 {
				continue
			}
			title := fmt.Sprintf("%s: %s to %s", count(cases, "question"), called("flows", c), called("flows", next))
			d.Group("", title, func() {
				d.Stream("f-"+flowTone(c), svg.Bounds{Lo: flowBar, Hi: flowWidth - flowBar}, from[i], to[j],
					float64(cases)*scale)
			})
			from[i] += float64(cases) * scale
			to[j] += float64(cases) * scale
		}
	}
	bar := func(side, category, anchor string, top, x, at float64) {
		if cases := t.Whole(side, category); cases > 0 {
			h := float64(cases) * scale
			d.Rect("f-"+flowTone(category), svg.Point{X: svg.Px(x), Y: top}, svg.Px(flowBar), math.Max(h, .5))
			d.Text("on", svg.Point{X: svg.Px(at), Y: top + h/2 + 4}, anchor,
				called("flows", category)+" · "+grouped(cases))
		}
	}
	for i, c := range consistency.FlowCategories {
		bar("base", c, svg.Start, left[i], 0, flowBar+6)
		bar("other", c, svg.End, right[i], flowWidth-flowBar, flowWidth-flowBar-6)
	}
	return d.On(svg.Frame{Class: "flow", Width: flowWidth, Height: flowHeight,
		Label: "questions by category in base, at the left, and in other, at the right; the table below has the " +
			"same figures"})
}

// stackFlow returns where each category's bar begins at one side.
func stackFlow(t tree, side string, scale float64) (tops [4]float64) {
	y := flowTop
	for i, c := range consistency.FlowCategories {
		tops[i] = y
		if n := t.Whole(side, c); n > 0 {
			y += float64(n)*scale + flowGap
		}
	}
	return tops
}
