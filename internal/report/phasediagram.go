package report

import (
	"cmp"
	"fmt"
	"html/template"
	"io"
	"math"
	"slices"
	"strings"

	"hallmark/internal/assay"
	"hallmark/internal/report/svg"
	"hallmark/internal/stat/figure"
)

// A stageDiagram is a diagram of the stages of a sweep in the making: in shares of its width, with a name at each
// stage.
type stageDiagram struct {
	svg.Drawing
	across, up svg.Scale
	taken      []label // where names stand
	said       []string
}

// The measures of such a diagram. Names are kept apart as in one of a common width, with letters of a common width.
const (
	diagramHeight, diagramFoot = 300., 34.
	diagramWidth, diagramGlyph = 720., 6.5
)

// newStageDiagram lays the axes from bounds.
func newStageDiagram(across, up svg.Bounds, top float64) *stageDiagram {
	return &stageDiagram{
		across: svg.Scale{Bounds: across, From: .06, To: .98},
		up:     svg.Scale{Bounds: up, From: diagramHeight - diagramFoot, To: top},
	}
}

func (d *stageDiagram) x(v float64) svg.Place { return svg.Part(d.across.At(v)) }
func (d *stageDiagram) y(v float64) float64   { return d.up.At(v) }
func (d *stageDiagram) at(x, y float64) svg.Point {
	return svg.Point{X: d.x(x), Y: d.y(y)}
}

// rules draws the lines of the axis upwards with its numbers.
func (d *stageDiagram) rules(ticks []svg.Tick) {
	for _, t := range ticks {
		d.Across("g", d.x(d.across.Lo), "98%", d.y(t.At))
		d.Text("", svg.Point{X: "0", Y: d.y(t.At) + 4}, svg.Start, t.Text)
	}
}

// on returns a diagram for a page, with what it shows in words; empty where there is none.
func (d *stageDiagram) on(what string) template.HTML {
	if d == nil {
		return ""
	}
	return d.On(svg.Frame{Height: diagramHeight, Label: what + ": " + strings.Join(d.said, "; ")})
}

// A label is a name in the diagram, in pixels of a diagram of common width.
type label struct{ left, right, y float64 }

func (s label) meets(o label) bool {
	return s.left < o.right && o.left < s.right && math.Abs(s.y-o.y) < 12
}

// free takes the first of the spots where a name meets no other, or the first of all.
func (d *stageDiagram) free(spots []label) label {
	free := spots[0]
	for _, s := range spots {
		if !slices.ContainsFunc(d.taken, s.meets) {
			free = s
			break
		}
	}
	d.taken = append(d.taken, free)
	return free
}

// regimeColours are the colours of a diagram: of stages in neither regime that which is named, and the optimal ones
// where they are marked.
func regimeColours(neither string, optimal bool) []part {
	parts := []part{{1, "ok", "variance-dominated"}}
	if optimal {
		parts = append(parts, part{1, "best", "optimal: not below the peak beyond chance"})
	}
	return append(parts, part{1, "err", "bias-dominated"}, part{1, neither, "both better, both worse or undecided"})
}

// phaseDiagram draws stability over sparsity with its intervals, in bands of the stages' phases; below it, hollow,
// the accuracy. Stages of one sparsity stand side by side, and names that would meet above each other.
func (p phaseProbe) phaseDiagram() *stageDiagram {
	const top = 18.
	places := p.places()
	groups := clusters(places)
	d := newStageDiagram(svg.Bounds{Hi: 1}, svg.Bounds{Hi: 1}, top)
	for i, r := range p.Rows {
		if !r.ss().OK {
			continue
		}
		says := fmt.Sprintf("%s %s at %s sparsity, %s", r.Stage, r.ss().Text(), r.of["sparsity"].Text(),
			orDash(r.Phase))
		d.said = append(d.said, says)
		from, to := -.02, 1. // the band of a phase reaches half-way to the neighbours
		if i > 0 {
			from = (places[i-1] + places[i]) / 2
		}
		if i+1 < len(p.Rows) {
			to = (places[i+1] + places[i]) / 2
		}
		if r.Tone != "ink" {
			d.Rect("f-"+r.Tone+" phase", svg.Point{X: d.x(from), Y: top}, svg.Part(.92*(to-from)), d.up.From-top)
		}
	}
	d.rules(d.up.Parts(4))
	d.curve("dash", places, p.Rows, "accuracy")
	d.curve("curve", places, p.Rows, "stability")
	for _, c := range groups {
		at, anchor := d.x((places[c.from]+places[c.to-1])/2), svg.Middle
		if c.from == 0 {
			at, anchor = d.x(places[0]), svg.Start
		}
		removed := p.span(c, "sparsity")
		d.Text("", svg.Point{X: at, Y: d.up.From + 15}, anchor, removed)
		if all := p.span(c, "of all"); all != "" {
			d.Text("", svg.Point{X: at, Y: d.up.From + 29}, anchor, "("+all+")")
		}
	}
	for i, r := range p.Rows {
		d.stage(places[i], r)
		if r.ss().OK {
			d.stageName(i, places[i], r, groups[slices.IndexFunc(groups, func(c cluster) bool { return i < c.to })])
		}
	}
	return d
}

// curve joins the stages that have a figure.
func (d *stageDiagram) curve(class string, places []float64, rows []phaseRow, name string) {
	var last *svg.Point
	for i, r := range rows {
		if f := r.of[name]; f.OK {
			at := d.at(places[i], f.Value)
			if last != nil {
				d.Line(class, *last, at)
			}
			last = &at
		}
	}
}

// stage draws the stability of a stage with its interval, and its accuracy.
func (d *stageDiagram) stage(place float64, r phaseRow) {
	if r.of["accuracy"].OK {
		d.Circle("hollow", d.at(place, r.of["accuracy"].Value), 3.5)
	}
	if !r.ss().OK {
		return
	}
	d.Group(r.Tone, "", func() {
		if r.ss().Bounded {
			d.Up("w", d.x(place), d.y(r.ss().Lo), d.y(r.ss().Hi))
		}
		d.Circle("", d.at(place, r.ss().Value), large(r.Peak))
	})
}

// large is the radius of a dot.
func large(yes bool) float64 { return map[bool]float64{true: 6.5, false: 4.5}[yes] }

// stageName writes a stage's name above its interval or below, where there is room. Names of stages that stand side
// by side part to the sides.
func (d *stageDiagram) stageName(i int, place float64, r phaseRow, group cluster) {
	name := clip(r.Stage, 12)
	if r.Peak {
		name += " ▲ peak"
	}
	wide := diagramGlyph * float64(TextWidth(name))
	middle := diagramWidth * d.across.At(place)
	left, anchor := middle-wide/2, svg.Middle
	switch {
	case i == 0 || i > group.from && i == group.to-1:
		left, anchor = middle, svg.Start
	case i == group.from && i < group.to-1 && left > wide/2:
		left, anchor = middle-wide, svg.End
	}
	if left+wide > diagramWidth {
		left, anchor = middle-wide, svg.End
	}
	var spots []label // above the interval, then below it
	for h := math.Max(11, d.y(math.Max(r.ss().Hi, r.ss().Value))-6); h >= 11; h -= 12 {
		spots = append(spots, label{left, left + wide, h})
	}
	for h := d.y(math.Min(r.ss().Lo, r.ss().Value)) + 18; h < d.up.From; h += 12 {
		spots = append(spots, label{left, left + wide, h})
	}
	d.Text("on", svg.Point{X: d.x(place), Y: d.free(spots).y}, anchor, name)
}

// extent returns bounds that hold the figures with their intervals and a margin.
func extent(rows []phaseRow, name string) svg.Bounds {
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, r := range rows {
		f := r.of[name]
		if !f.Bounded {
			f.Lo, f.Hi = f.Value, f.Value
		}
		lo, hi = math.Min(lo, f.Lo), math.Max(hi, f.Hi)
	}
	margin := math.Max(.08*(hi-lo), .005)
	return svg.Bounds{Lo: math.Max(0, lo-margin), Hi: hi + margin}
}

// decomposition draws what became of the dense model's error, the source's first figure with what was measured:
// across the bias² of the answers, upwards their variance. A stage that lost variance alone stands under the dense
// model, one whose answers moved beside it, and what errs less below the dashed line. It is nil where no stage has
// both parts.
func (p phaseProbe) decomposition() *stageDiagram {
	const top = 10.
	rows := slices.DeleteFunc(slices.Clone(p.Rows), func(r phaseRow) bool {
		return !r.bias().OK || !r.variance().OK
	})
	if len(rows) == 0 {
		return nil
	}
	bias := extent(rows, "bias²")
	d := newStageDiagram(bias, extent(rows, "variance"), top)
	d.rules(d.up.Ticks())
	for _, t := range d.across.Ticks() {
		d.Up("g", d.x(t.At), top, d.up.From)
		d.Text("", svg.Point{X: d.x(t.At), Y: d.up.From + 15}, svg.Middle, t.Text)
	}
	d.Text("", svg.Point{X: "98%", Y: d.up.From + 29}, svg.End, "bias²")
	d.Text("", svg.Point{X: "6.5%", Y: top + 11}, svg.Start, "variance")
	if rows[0].Stage == p.Dense {
		d.sameError(rows)
	}
	for _, r := range rows { // names keep clear of the dots
		says := fmt.Sprintf("%s %s and %s, %s", r.Stage, r.bias().Text(), r.variance().Text(), orDash(r.Regime))
		d.said = append(d.said, says)
		at := diagramWidth * d.across.At(r.bias().Value)
		d.taken = append(d.taken, label{at - 6, at + 6, d.y(r.variance().Value) + 4})
	}
	for _, r := range rows {
		at := d.at(r.bias().Value, r.variance().Value)
		d.Group(r.RegimeTone, "", func() {
			if r.bias().Bounded {
				d.Across("w thin", d.x(r.bias().Lo), d.x(r.bias().Hi), at.Y)
			}
			if r.variance().Bounded {
				d.Up("w thin", at.X, d.y(r.variance().Lo), d.y(r.variance().Hi))
			}
			d.Circle("", at, large(r.Stage == p.Dense))
		})
	}
	for _, r := range rows {
		d.partsName(r)
	}
	return d
}

// sameError draws the line on which the error is that of the first stage, and lines from that to each other.
func (d *stageDiagram) sameError(rows []phaseRow) {
	dense := d.at(rows[0].bias().Value, rows[0].variance().Value)
	sum := rows[0].bias().Value + rows[0].variance().Value
	if lo, hi := math.Max(d.across.Lo, sum-d.up.Hi), math.Min(d.across.Hi, sum-d.up.Lo); lo < hi {
		d.Line("dash", d.at(lo, sum-lo), d.at(hi, sum-hi))
	}
	for _, r := range rows[1:] {
		d.Line("g", dense, d.at(r.bias().Value, r.variance().Value))
	}
}

// partsName writes a stage's name beside its dot, as near to it as there is room.
func (d *stageDiagram) partsName(r phaseRow) {
	name := clip(r.Stage, 14)
	wide := diagramGlyph * float64(TextWidth(name))
	at, middle := diagramWidth*d.across.At(r.bias().Value), d.y(r.variance().Value)
	right, left := label{at + 8, at + 8 + wide, 0}, label{at - 8 - wide, at - 8, 0}
	var spots []label
	for off := 0.; off < 96; off += 12 {
		for _, h := range []float64{middle - 6 - off, middle + 14 + off} {
			for _, s := range []label{right, left} {
				if h > d.up.To+8 && h < d.up.From && s.right <= diagramWidth && s.left > diagramWidth*d.across.From {
					spots = append(spots, label{s.left, s.right, h})
				}
			}
		}
	}
	spot := d.free(append(spots, label{right.left, right.right, middle}))
	anchor, dx := svg.Start, "8"
	if spot.left < at {
		anchor, dx = svg.End, "-8"
	}
	d.Text("on", svg.Point{X: d.x(r.bias().Value), Y: spot.y}, anchor, name, "dx", dx)
}

// letters draw stability over sparsity for a terminal: the first letter of the phase's word, between the bounds of its
// interval.
func (p phaseProbe) letters(width int) (out [][]ink) {
	const rows, left = 11, 6
	lo, hi := 1., 0.
	for _, r := range p.Rows {
		if r.ss().OK {
			lo, hi = min(lo, r.ss().Lo, r.ss().Value), max(hi, r.ss().Hi, r.ss().Value)
		}
	}
	if hi <= lo {
		return nil
	}
	lo, hi = math.Floor(lo*10)/10, math.Ceil(hi*10-1e-9)/10
	if hi <= lo {
		hi = lo + .1
	}
	width = min(66, width-left-2)
	grid := make([][]ink, rows)
	for y := range grid {
		grid[y] = slices.Repeat([]ink{{" ", ""}}, width)
	}
	at := func(v float64) int {
		return max(0, min(rows-1, int(math.Round((hi-v)/(hi-lo)*(rows-1)))))
	}
	places := p.places()
	for i, r := range p.Rows {
		if !r.ss().OK {
			continue
		}
		x := max(0, min(width-1, int(math.Round(places[i]*float64(width-1)))))
		if r.ss().Bounded {
			for y := at(r.ss().Hi); y <= at(r.ss().Lo); y++ {
				grid[y][x] = ink{"│", r.Tone}
			}
		}
		grid[at(r.ss().Value)][x] = ink{cmp.Or(called("letters of phases", r.Phase), "●"), r.Tone}
	}
	for y, row := range grid {
		label := ""
		if y%5 == 0 {
			label = figure.Fixed(100*(hi-(hi-lo)*float64(y)/(rows-1)), 0) + " %"
		}
		out = append(out, append([]ink{{fitLeft(label, left-1) + " ", ""}}, row...))
	}
	return append(out, []ink{{fit("", left), ""}, {strings.Repeat("─", width), "dim"}},
		[]ink{{fit(fit("", left)+"0 %", left+width-14) + fitLeft(percent(p.reach()), 14), ""}})
}

// ErrNoGold says that no answer of a sweep can be right or wrong.
var ErrNoGold error = Absent("the cases of the sweep have no gold answers, so that the error has no parts; " +
	"ask some that have")

// PhaseSVG writes the phase diagrams of a sweep, one under the other, as one SVG that needs nothing beside it. The
// error is ErrNoSweep for a run that is none.
func PhaseSVG(w io.Writer, a *assay.Assay) error {
	return probesSVG(w, a, phaseProbe.phaseDiagram, ErrNoSweep, regimeColours("ink", true),
		"semantic stability with 95 % intervals, and hollow the accuracy, over the share of parameters removed in "+
			"% (in brackets of all)")
}

// DecompositionSVG writes for each probe of a sweep whose answers have golds how the stages moved the parts of the
// error, as one SVG that needs nothing beside it. The error is ErrNoSweep for a run that is none, and ErrNoGold where
// no probe has golds.
func DecompositionSVG(w io.Writer, a *assay.Assay) error {
	return probesSVG(w, a, phaseProbe.decomposition, ErrNoGold, regimeColours("ink", false),
		"variance over bias² of the answers with 95 % intervals; on the dashed line the error is that of the "+
			"dense model, below it less")
}

// probesSVG writes a diagram of each probe that has one under its title, then the colours and what is drawn. The
// error is none where there is no diagram.
func probesSVG(w io.Writer, a *assay.Assay, draw func(phaseProbe) *stageDiagram, none error, colours []part,
	says string) error {
	v := newView(a)
	if v.Phase == nil {
		return ErrNoSweep
	}
	const width, block, foot = 760., 350., 60.
	at := func(x, y float64) svg.Point { return svg.Point{X: svg.Px(x), Y: y} }
	var d svg.Drawing
	height := 0.
	for _, p := range v.Phase.Probes {
		if drawn := draw(p); drawn != nil {
			d.Text("title", at(12, height+22), svg.Start, clip(p.Title+", "+count(int(p.Cases.Value), "question"), 100))
			d.Put(&drawn.Drawing, at(12, height+34), svg.Px(width-24), diagramHeight)
			height += block
		}
	}
	if height == 0 {
		return none
	}
	x, y := 12., height+16
	for _, k := range colours {
		d.Rect("f-"+k.Fill, at(x, y-9), svg.Px(10), 10)
		d.Text("", at(x+15, y), svg.Start, k.Label)
		x += float64(30 + 6*len(k.Label))
	}
	d.Text("", at(12, y+24), svg.Start, says)
	if _, err := w.Write(d.File(width, height+foot, says)); err != nil {
		return fmt.Errorf("report: %w", err)
	}
	return nil
}
