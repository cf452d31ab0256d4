package report

import (
	"fmt"
	"html/template"

	"hallmark/internal/figure"
)

// stabilityNames are the words of the figures of consistency, in order.
var stabilityNames = []struct{ key, label string }{
	{"semantic_stability", "semantic stability"}, {"ambiguity", "ambiguity"}, {"accuracy", "accuracy over variants"},
}

// A stabilityRow is one figure of consistency in two runs.
type stabilityRow struct {
	Label                   string
	Base, Other, Difference fig
	P                       template.HTML
	p                       string
}

func stabilityRows(t tree) []stabilityRow {
	var out []stabilityRow
	for _, x := range stabilityNames {
		u := mean
		if x.key == "ambiguity" {
			u = share
		}
		at := func(key string) fig { return t.fig("", u, "", "stability", x.key, key) }
		r := stabilityRow{Label: x.label, Base: at("base"), Other: at("other"), Difference: at("difference"), P: probability(t, "stability", x.key, "p"), p: pvalue(t, "stability", x.key, "p")}
		if r.Base.OK {
			out = append(out, r)
		}
	}
	return out
}

// movedTo says how many questions became steadier, and which did not.
func movedTo(t tree) string {
	n := t.Whole("stability", "n")
	if n == 0 {
		return ""
	}
	up, down := t.Whole("stability", "steadier"), t.Whole("stability", "shakier")
	return fmt.Sprintf("Of %s asked in several wordings in both runs %s became steadier, %s shakier, %s stayed.", count(n, "question"), grouped(up), grouped(down), grouped(n-up-down))
}

// stability writes the other axis of a comparison.
func (p *printer) stability(t tree) {
	rows := stabilityRows(t)
	if len(rows) == 0 {
		return
	}
	p.head("STABILITY", "paired by question; p by the sign-flip test")
	label := p.compareLabel()
	p.line(p.dim(fit("", label) + atRight(compareCells, "base", "other", "change") + fitLeft("95 % interval", 22) + fitLeft("p", 9)))
	for _, r := range rows {
		d := r.Difference
		text, interval := d.Unit.Change(d.Value), d.Unit.Change(d.Lo)+" to "+d.Unit.Change(d.Hi)
		p.line(fit(r.Label, label), atRight(compareCells, r.Base.Text(), r.Other.Text(), text),
			p.dim(fitLeft(interval, 22)), fitLeft(r.p, 9))
	}
	if s := movedTo(t); s != "" {
		p.para("", s)
	}
	if list := t.texts("stability", "warnings"); len(list) > 0 {
		p.warnings(list)
	}
}

// A controlView is the control chart of a curve.
type controlView struct {
	Centre, Lo, Hi   fig
	Baseline, Beyond bool
	Says             string
}

func controlOf(b branch, u unit) controlView {
	at := func(key string) fig { return b.fig("", u, "", "control", key) }
	c := controlView{Centre: at("centre"), Lo: at("lo"), Hi: at("hi"), Baseline: b.is("control", "baseline"), Beyond: b.is("control", "beyond")}
	value := b.fig("", u, "")
	switch {
	case !c.Lo.OK || !value.OK:
	case c.Baseline:
		c.Says = "baseline"
	case c.Beyond && value.Value < c.Lo.Value:
		c.Says = "beyond the limits: below"
	case c.Beyond:
		c.Says = "beyond the limits: above"
	default:
		c.Says = "within"
	}
	return c
}

// limits writes the control limits of a curve in words.
func (c *controlView) limits() string {
	if !c.Lo.OK {
		return ""
	}
	f := c.Lo
	f.Lo, f.Hi, f.Bounded = c.Lo.Value, c.Hi.Value, true
	return narrow(f.Range())
}

// beyonds says which points of a series lie beyond their limits, a sentence each.
func beyonds(t tree) []string {
	var out []string
	for _, b := range t.items("beyond") {
		out = append(out, fmt.Sprintf("%s of run %d (%s) is %s its control limits", curveNames[b.Text("curve")], b.Whole("at")+1, clip(oneLine(b.Text("run")), 24), b.Text("side")))
	}
	return out
}

// ends says from where to where the plots of a curve run.
func ends(s scale, u unit) string {
	if u == share {
		return "plots run from 0 to " + figure.Plain(float64(s)*100) + " %"
	}
	return "plots run from 0 to " + figure.Plain(float64(s))
}
