package report

import (
	"fmt"
	"html/template"
	"math"

	"hallmark/internal/figure"
	"hallmark/internal/metric/consistency"
	"hallmark/internal/report/svg"
)

// flowNames are the words of the categories, for labels and for sentences; tones their colours.
var (
	flowNames = map[string]string{
		consistency.PromptAgnosticFactual: "right, whatever the wording", consistency.PromptAgnosticError: "wrong, whatever the wording",
		consistency.DeclinedAgnostic: "declines, whatever the wording", consistency.Randomness: "moves with the wording",
	}
	flowTones = map[string]string{
		consistency.PromptAgnosticFactual: "ok", consistency.PromptAgnosticError: "err", consistency.DeclinedAgnostic: "ink", consistency.Randomness: "rnd",
	}
)

// flowShort are the categories in a word each, in order.
var flowShort = [4]string{"right", "wrong", "declines", "moves"}

// A flowView is how cases moved between the categories of the taxonomy.
type flowView struct {
	N, Changed fig
	Left       string
	Heads      []string
	Rows       []flowRow
	t          tree
}

type flowRow struct {
	Label                   string
	To                      []fig
	Base, Other, Difference fig
}

// newFlow returns nil where the runs have no categories.
func newFlow(t tree) *flowView {
	f := &flowView{N: t.fig("", tally, "", "categories", "n"), Changed: t.fig("", share, "", "categories", "changed"), t: t.sub("categories")}
	if !f.N.OK {
		return nil
	}
	if n := t.Whole("categories", "left_out"); n > 0 {
		f.Left = fmt.Sprintf("%s with a category in only one of the runs are left out.", count(n, "question"))
	}
	for _, c := range consistency.FlowCategories {
		f.Heads = append(f.Heads, flowNames[c])
		row := flowRow{Label: flowNames[c], Base: t.fig("", tally, "", "categories", "base", c), Other: t.fig("", tally, "", "categories", "other", c), Difference: t.fig("", share, "", "categories", "difference", c)}
		for _, to := range consistency.FlowCategories {
			row.To = append(row.To, t.fig("", tally, "", "categories", "transitions", c, to))
		}
		f.Rows = append(f.Rows, row)
	}
	return f
}

// Says is the flow in a sentence.
func (f *flowView) Says() string {
	return fmt.Sprintf("%s of %s are in another category than in base (95 %% interval %s).", f.Changed.Text(), count(int(f.N.Value), "question"), f.Changed.Range())
}

// The measures of the drawing, in its own units.
const (
	flowWidth, flowHeight = 720., 300.
	flowBar, flowGap      = 14., 12.
	flowTop               = 22.
)

// Picture draws the flow: the categories in base at the left, in other at the right, and between them bands as wide as the cases that
// went from one to the other.
func (f *flowView) Picture() template.HTML {
	scale := (flowHeight - flowTop - 3*flowGap) / f.N.Value
	var d svg.Drawing
	d.Text("", svg.Point{X: "0", Y: 12}, svg.Start, "base")
	d.Text("", svg.Point{X: svg.Px(flowWidth), Y: 12}, svg.End, "other")
	left, right := f.stack("base", scale), f.stack("other", scale)
	from, to := left, right // where the next band begins
	for i, c := range consistency.FlowCategories {
		for j, next := range consistency.FlowCategories {
			cases := f.t.Whole("transitions", c, next)
			if cases == 0 {
				continue
			}
			title := fmt.Sprintf("%s: %s to %s", count(cases, "question"), flowNames[c], flowNames[next])
			d.Group("", title, func() {
				d.Stream("f-"+flowTones[c], svg.Bounds{Lo: flowBar, Hi: flowWidth - flowBar}, from[i], to[j], float64(cases)*scale)
			})
			from[i] += float64(cases) * scale
			to[j] += float64(cases) * scale
		}
	}
	for i, c := range consistency.FlowCategories {
		for _, side := range []struct {
			key, anchor string
			top         float64
			x, at       float64
		}{{"base", svg.Start, left[i], 0, flowBar + 6}, {"other", svg.End, right[i], flowWidth - flowBar, flowWidth - flowBar - 6}} {
			cases := f.t.Whole(side.key, c)
			if cases == 0 {
				continue
			}
			h := float64(cases) * scale
			d.Rect("f-"+flowTones[c], svg.Point{X: svg.Px(side.x), Y: side.top}, svg.Px(flowBar), math.Max(h, .5))
			d.Text("on", svg.Point{X: svg.Px(side.at), Y: side.top + h/2 + 4}, side.anchor, flowNames[c]+" · "+grouped(cases))
		}
	}
	return d.On(svg.Frame{Class: "flow", Width: flowWidth, Height: flowHeight,
		Label: "questions by category in base, at the left, and in other, at the right; the table below has the same figures"})
}

// stack returns where each category's bar begins at one side.
func (f *flowView) stack(side string, scale float64) (tops [4]float64) {
	y := flowTop
	for i, c := range consistency.FlowCategories {
		tops[i] = y
		if n := f.t.Whole(side, c); n > 0 {
			y += float64(n)*scale + flowGap
		}
	}
	return tops
}

// flow writes how cases moved between the categories for a terminal.
func (p *printer) flow(t tree) {
	f := newFlow(t)
	if f == nil {
		return
	}
	p.head("BY CATEGORY", "questions, from base (down) to other (across)")
	const label, cells, last = 12, 9, 22
	wide := p.width >= label+4*cells+last
	line := fit("", label)
	for _, name := range flowShort {
		line += fitLeft(name, cells)
	}
	if wide {
		line += fitLeft("points more", last)
	}
	p.line(p.dim(line))
	for i, row := range f.Rows {
		parts := []string{fit(flowShort[i], label)}
		for _, n := range row.To {
			parts = append(parts, fitLeft(narrow(n.Text()), cells))
		}
		if d := row.Difference; wide {
			text, tone := fmt.Sprintf("%s (%s, %s)", figure.WholeChange(d.Value), figure.WholeChange(d.Lo), figure.WholeChange(d.Hi)), ""
			switch more := i == 0; { // more of what is right is good, more of the rest is not
			case d.Lo > 0:
				tone = map[bool]string{true: "ok", false: "err"}[more]
			case d.Hi < 0:
				tone = map[bool]string{true: "err", false: "ok"}[more]
			}
			parts = append(parts, p.tone(tone, fitLeft(text, last)))
		}
		p.line(parts...)
	}
	p.para("", "Right, wrong and declines are so whatever the wording; the rest moves with it.")
	p.para("", narrow(f.Says()))
	if f.Left != "" {
		p.para("", f.Left)
	}
}
