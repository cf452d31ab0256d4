package report

import (
	"cmp"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strconv"
	"strings"

	"hallmark/internal/metric/rate"
	"hallmark/internal/report/svg"
	"hallmark/internal/stat/figure"
)

type curveView struct {
	ID, Label string
	Counted   string // what the counts of a share are of
	Test      string // "" where no point has one
	Points    []pointView
	Limits    controlView
	tone      string
	scale     scale
}

type pointView struct {
	Label                       string
	N, Failed, Rate, Difference fig
	P                           fig
	Control                     controlView
}

// curves reads the curves of a series that have a point.
func curves(t tree, runs int) []curveView {
	var out []curveView
	for _, key := range rate.Curves {
		c := curveView{
			ID: "curve-" + strings.ReplaceAll(key, "_", "-"), Label: called("curves", key), Counted: "failed",
			tone: cmp.Or(called("tones of curves", key), "err"),
		}
		kind, test, by := share, "mcnemar_p_holm", "McNemar"
		switch key {
		case "semantic_stability", "accuracy":
			kind, test, by = mean, "sign_flip_p_holm", "the sign-flip test"
		case "incorrect", "not_attempted", "correct", "ungradable":
			c.Counted = "answers"
		}
		var figs []fig
		some := false
		for i := range runs {
			b := t.branch("curves", key, strconv.Itoa(i))
			at := func(u unit, keys ...string) fig { return b.fig(u, keys...).toned(c.tone) }
			p := pointView{Label: runLabel(t, i), N: at(tally, "n"), Failed: at(tally, "failed"), Rate: at(kind),
				Difference: at(kind, "difference"), P: b.fig(figure.PValue, test), Control: controlOf(b, kind)}
			if i == 0 {
				c.Limits = p.Control
			}
			if b.Has(test) {
				c.Test = by
			}
			some = some || p.Rate.OK
			figs = append(figs, p.Rate)
			c.Points = append(c.Points, p)
		}
		c.scale = scaleFor(append(figs, c.Limits.Hi)...)
		if some {
			out = append(out, c)
		}
	}
	return out
}

func runLabel(t tree, i int) string {
	r := t.sub("runs", strconv.Itoa(i))
	return fmt.Sprintf("%d. %s", i+1, clip(oneLine(cmp.Or(r.Text("name"), r.Text("run"))), 16))
}

// Picture draws a curve: a point a run with its interval, joined in order.
func (c *curveView) Picture() template.HTML {
	const height, top, foot = 190., 20., 22.
	up := svg.Scale{Bounds: svg.Bounds{Hi: float64(c.scale)}, From: height - foot, To: top}
	var d svg.Drawing
	for _, part := range []float64{0, .5, 1} {
		y := up.At(part * up.Hi)
		d.Across("g", "0", "100%", y)
		d.Text("", svg.Point{X: "0", Y: y - 3}, svg.Start, figure.Plain(100*part*up.Hi)+" %")
	}
	c.Limits.draw(&d, up)
	var last *svg.Point
	for i, p := range c.Points {
		x := svg.Part((float64(i) + .5) / float64(len(c.Points)))
		d.Text("", svg.Point{X: x, Y: height - 6}, svg.Middle, strconv.Itoa(i+1))
		if !p.Rate.OK {
			continue
		}
		at := svg.Point{X: x, Y: up.Within(p.Rate.middle())}
		if last != nil {
			d.Line("dash", *last, at)
		}
		last = &at
		p.draw(&d, at, up)
	}
	return d.On(svg.Frame{Class: c.tone, Height: height,
		Label: c.Label + " over the runs; the table below has the same figures"})
}

// draw draws the band between the control limits with its centre.
func (c *controlView) draw(d *svg.Drawing, up svg.Scale) {
	if !c.Lo.OK {
		return
	}
	lo, hi := up.Within(c.Lo.Value), up.Within(c.Hi.Value)
	d.Group("", "control limits "+c.limits(), func() {
		d.Rect("limits", svg.Point{X: "0", Y: hi}, "100%", lo-hi)
		for _, y := range []float64{lo, up.Within(c.Centre.Value), hi} {
			d.Across("limit", "0", "100%", y)
		}
	})
}

// draw draws a point with its interval, and a ring around one that is beyond the control limits.
func (p *pointView) draw(d *svg.Drawing, at svg.Point, up svg.Scale) {
	f := p.Rate
	d.Group("", fmt.Sprintf("%s: %s (95 %% interval %s)", p.Label, f.Text(), f.Range()), func() {
		d.Up("w", at.X, up.Within(f.Lo), up.Within(f.Hi))
		d.Circle("", svg.Point{X: at.X, Y: up.Within(f.Value)}, 4)
		if f.Ranged {
			d.Circle("", svg.Point{X: at.X, Y: up.Within(f.Most)}, 4)
		}
	})
	mark := ""
	if p.Control.Beyond {
		mark = " ▲"
		if p.Control.Lo.OK && f.Value < p.Control.Lo.Value {
			mark = " ▼"
		}
		d.Circle("alarm", at, 8)
	}
	d.Text("on", svg.Point{X: at.X, Y: at.Y + 4}, svg.Start, narrow(f.Text())+mark, "dx", "11")
}

// middle returns the value, or the middle of a range.
func (f fig) middle() float64 {
	if f.Ranged {
		return (f.Value + f.Most) / 2
	}
	return f.Value
}

// inSeries says what the sentence of a series compares: the outcomes of the last run with those of the first.
var inSeries = runsCompared{over: "every run", base: "the first run", other: "the last"}

// runsOf says how many runs there are, and on how many questions.
func runsOf(t tree, runs int) string {
	questions := max(t.Whole("n"), t.Whole("outcomes", "base", "n"))
	return fmt.Sprintf("%s on the same %s", count(runs, "run"), count(questions, "question"))
}

// SeriesPage writes the curves of several runs as one HTML file that needs nothing else.
func SeriesPage(w io.Writer, s *rate.Series) error {
	t := treeOf(s)
	says := compared(t, inSeries)
	return page{Title: "Series – Hallmark", Kind: "series: " + runsOf(t, len(s.Runs)), Heading: says.Verdict,
		First: limits(t), Blocks: append([]block{noteOf(noteSecond, says.Detail)},
			seriesBlocks(t, len(s.Runs))...), How: said.How["series"]}.write(w)
}

// Series writes the curves of several runs for a terminal.
func Series(w io.Writer, s *rate.Series, style Style) error {
	t := treeOf(s)
	p := newPrinter(w, style)
	p.line(p.bold("hallmark compare --series"), p.dim(clip("  "+runsOf(t, len(s.Runs)), p.width-26)))
	p.blocks(append(limits(t), compared(t, inSeries).block())...)
	p.blocks(seriesBlocks(t, len(s.Runs))...)
	return p.w.Flush()
}

// seriesBlocks sets out a series.
func seriesBlocks(t tree, runs int) []block {
	var named list
	for i, r := range t.items("runs") {
		named.Items = append(named.Items, say(oneLine(fmt.Sprintf("%d. %s: %s on %s", i+1,
			cmp.Or(r.Text("name"), r.Text("run")), cmp.Or(r.Text("model_name"), r.Text("model")), r.Text("suite")))))
	}
	out := []block{chapter{Title: "Runs", Body: []block{named, warnings{List: beyonds(t)}}}}
	return slices.Concat(out, each(curves(t, runs), curveView.chapter), measuredInEach(t, runs), []block{doubts(t)})
}

// chapter sets out a curve: a row a run, with its control chart and its difference from the first.
func (c curveView) chapter() block {
	unit := c.Points[0].Rate.Unit
	over := ends(c.scale, unit) + "; less the first run"
	if c.Test != "" {
		over += ", p by " + c.Test + " and Holm"
	}
	limits := c.Limits.limits()
	if limits != "" {
		limits = "control limits " + limits
		if c.Limits.Centre.OK {
			limits += ", centre " + c.Limits.Centre.Text()
		}
	}
	against := inFull // a terminal shows where the points are to the limits only where one is beyond them
	if slices.ContainsFunc(c.Points, func(p pointView) bool { return p.Control.Beyond }) {
		against = 0
	}
	t := table{Stacked: true, Brief: len(c.Points), Columns: heads("run", "rate", ci,
		columnOfPlots("", c.scale).only(inTerminal), "less the first", ci, "p", fullOf("control limits"),
		column{Head: "limits", In: against}, fullOf(c.Counted), fullOf("of"))}
	for _, x := range c.Points {
		control := cellOf(x.Control.Says).briefly(strings.TrimPrefix(x.Control.Says, "beyond the limits: "))
		if x.Control.Beyond {
			control.Tone = "err"
		}
		t.add(x.Label, bounded(x.Rate), cell{Plot: x.Rate}, changed(x.Difference), x.P,
			cellOf(x.Control.Lo, " to ", x.Control.Hi), control, x.Failed, x.N)
	}
	return chapter{ID: c.ID, Title: c.Label, Over: over, Body: []block{sentence(limits), picture(c.Picture()), t}}
}

// A controlView is the control chart of a curve.
type controlView struct {
	Centre, Lo, Hi fig
	Beyond         bool
	Says           string
}

func controlOf(b tree, u unit) controlView {
	at := func(key string) fig { return b.fig(u, "control", key) }
	c := controlView{Centre: at("centre"), Lo: at("lo"), Hi: at("hi"), Beyond: b.is("control", "beyond")}
	value := b.fig(u)
	switch {
	case !c.Lo.OK || !value.OK:
	case b.is("control", "baseline"):
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
	return each(t.items("beyond"), func(b tree) string {
		return fmt.Sprintf("%s of run %d (%s) is %s its control limits", called("curves", b.Text("curve")),
			b.Whole("at")+1, clip(oneLine(b.Text("run")), 24), b.Text("side"))
	})
}

// ends says from where to where the plots of a curve run.
func ends(s scale, u unit) string {
	if u == share {
		return s.ends()
	}
	return "plots run from 0 to " + figure.Exact(float64(s))
}
