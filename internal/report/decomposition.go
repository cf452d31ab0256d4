package report

import (
	"fmt"
	"html/template"
	"io"
	"math"
	"slices"
	"strings"

	"hallmark/internal/assay"
	"hallmark/internal/report/plot"
)

// DecompositionSVG writes for each probe of a sweep whose answers have golds how the stages moved the parts of the
// error, as one SVG that needs nothing
// beside it. The error is ErrNoSweep for a run that is none, and ErrNoGold where no probe has golds.
func DecompositionSVG(w io.Writer, a *assay.Assay) error {
	return probesSVG(w, a, "variance over bias² of the answers with 95 % intervals; on the dashed line the error is "+
		"that of the dense model, below it less",
		phaseProbe.Decomposition, ErrNoGold, part{1, "ok", "variance-dominated"}, part{1, "err", "bias-dominated"}, part{1,
			"ink", "both better, both worse or undecided"})
}

// ErrNoGold says that no answer of a sweep can be right or wrong.
var ErrNoGold error = Absent("the cases of the sweep have no gold answers, so that the error has no parts; ask some " +
	"that have")

// An extent is the axis of a part of the error: the values from lo to hi, drawn from 0 to 1.
type extent struct{ lo, hi float64 }

func (e extent) at(v float64) float64 { return (v - e.lo) / (e.hi - e.lo) }

// extentOf returns an extent that holds the figures with their intervals and a margin.
func extentOf(rows []phaseRow, of func(phaseRow) fig) extent {
	e := extent{math.Inf(1), math.Inf(-1)}
	for _, r := range rows {
		f := of(r)
		lo, hi := f.Value, f.Value
		if f.Bounded {
			lo, hi = f.Lo, f.Hi
		}
		e.lo, e.hi = math.Min(e.lo, lo), math.Max(e.hi, hi)
	}
	margin := math.Max(.08*(e.hi-e.lo), .005)
	return extent{math.Max(0, e.lo-margin), e.hi + margin}
}

// A decomposed is the drawing of what became of the dense model's error.
type decomposed struct {
	strings.Builder
	rows       []phaseRow
	dense      string
	across, up extent
}

// The measures of the drawing.
const (
	decomposedHeight, decomposedTop, decomposedFoot = 300., 10., 34.
	decomposedWidth                                 = 720. // as in Diagram
)

func (d *decomposed) place(v float64) float64 { return .06 + .92*d.across.at(v) }
func (d *decomposed) x(v float64) string      { return pc(d.place(v)) }
func (d *decomposed) y(v float64) float64 {
	return decomposedTop + (1-d.up.at(v))*(decomposedHeight-decomposedTop-decomposedFoot)
}

// Decomposition draws what became of the dense model's error, the source's first figure with what was measured: across
// the bias² of the answers, upwards their variance. A stage that lost variance alone stands under the dense model, one
// whose answers moved beside it, and what errs less below the dashed line. Empty where no stage has both parts.
func (p phaseProbe) Decomposition() template.HTML {
	rows := slices.DeleteFunc(slices.Clone(p.Rows), func(r phaseRow) bool { return !r.Bias.OK || !r.Variance.OK })
	if len(rows) == 0 {
		return ""
	}
	d := &decomposed{rows: rows, dense: p.Dense}
	d.across, d.up = extentOf(rows, func(r phaseRow) fig { return r.Bias }),
		extentOf(rows, func(r phaseRow) fig { return r.Variance })
	var said []string
	for _, r := range rows {
		said = append(said, fmt.Sprintf("%s %s and %s, %s", r.Stage, r.Bias.Text(), r.Variance.Text(), orDash(r.Regime)))
	}
	fmt.Fprintf(d, `<svg width="100%%" height="%g" role="img" aria-label="%s">`, decomposedHeight,
		template.HTMLEscapeString("bias² and variance: "+strings.Join(said, "; ")))
	d.axes()
	d.fromDense()
	d.points()
	d.names()
	d.WriteString(`</svg>`)
	return template.HTML(d.String())
}

func (d *decomposed) axes() {
	const top, foot = decomposedTop, decomposedHeight - decomposedFoot
	for _, v := range plot.Ticks(plot.Bounds{Lo: d.up.lo, Hi: d.up.hi}) {
		fmt.Fprintf(d, `<line class="g" x1="%s" x2="98%%" y1="%.1f" y2="%.1f"/><text x="0" y="%.1f">%s</text>`,
			d.x(d.across.lo), d.y(v), d.y(v), d.y(v)+4, short(v))
	}
	for _, v := range plot.Ticks(plot.Bounds{Lo: d.across.lo, Hi: d.across.hi}) {
		fmt.Fprintf(d, `<line class="g" x1="%s" x2="%s" y1="%g" y2="%g"/><text x="%s" y="%g" text-anchor="middle">%s</text>`,
			d.x(v), d.x(v), top, foot, d.x(v), foot+15, short(v))
	}
	fmt.Fprintf(d, `<text x="98%%" y="%g" text-anchor="end">bias²</text><text x="6.5%%" y="%g">variance</text>`, foot+29,
		top+11)
}

// fromDense draws the line of the dense model's error, and how each stage came from it.
func (d *decomposed) fromDense() {
	dense := d.rows[0]
	if dense.Stage != d.dense {
		return
	}
	sum := dense.Bias.Value + dense.Variance.Value
	if lo, hi := math.Max(d.across.lo, sum-d.up.hi), math.Min(d.across.hi, sum-d.up.lo); lo < hi {
		fmt.Fprintf(d, `<line class="dash" x1="%s" x2="%s" y1="%.1f" y2="%.1f"/>`, d.x(lo), d.x(hi), d.y(sum-lo), d.y(sum-hi))
	}
	for _, r := range d.rows[1:] {
		fmt.Fprintf(d, `<line class="g" x1="%s" x2="%s" y1="%.1f" y2="%.1f"/>`, d.x(dense.Bias.Value), d.x(r.Bias.Value),
			d.y(dense.Variance.Value), d.y(r.Variance.Value))
	}
}

func (d *decomposed) points() {
	for _, r := range d.rows {
		cx, cy := d.x(r.Bias.Value), d.y(r.Variance.Value)
		radius := 4.5
		if r.Stage == d.dense {
			radius = 6.5
		}
		fmt.Fprintf(d, `<g class="%s">`, r.RegimeTone)
		if r.Bias.Bounded {
			fmt.Fprintf(d, `<line class="w thin" x1="%s" x2="%s" y1="%.1f" y2="%.1f"/>`, d.x(r.Bias.Lo), d.x(r.Bias.Hi), cy, cy)
		}
		if r.Variance.Bounded {
			fmt.Fprintf(d, `<line class="w thin" x1="%s" x2="%s" y1="%.1f" y2="%.1f"/>`, cx, cx, d.y(r.Variance.Lo),
				d.y(r.Variance.Hi))
		}
		fmt.Fprintf(d, `<circle cx="%s" cy="%.1f" r="%g"/></g>`, cx, cy, radius)
	}
}

// names writes the stages, each beside its dot and clear of the dots and of the others.
func (d *decomposed) names() {
	var taken []label
	for _, r := range d.rows {
		at := decomposedWidth * d.place(r.Bias.Value)
		taken = append(taken, label{at - 6, at + 6, d.y(r.Variance.Value) + 4})
	}
	for _, r := range d.rows {
		name := clip(r.Stage, 14)
		at, wide, middle := decomposedWidth*d.place(r.Bias.Value), 6.5*float64(columns(name)), d.y(r.Variance.Value)
		spot := free(taken, spotsBeside(at, wide, middle))
		taken = append(taken, spot)
		anchor, dx := "start", 8
		if spot.left < at {
			anchor, dx = "end", -8
		}
		fmt.Fprintf(d, `<text class="on" x="%s" dx="%d" y="%.1f" text-anchor="%s">%s</text>`, d.x(r.Bias.Value), dx, spot.y,
			anchor, template.HTMLEscapeString(name))
	}
}

// spotsBeside are where a name as wide may stand beside a dot, the nearest first; the last is there where there is no
// room.
func spotsBeside(at, wide, middle float64) (spots []label) {
	right, left := label{at + 8, at + 8 + wide, 0}, label{at - 8 - wide, at - 8, 0}
	for d := 0.; d < 96; d += 12 {
		for _, h := range []float64{middle - 6 - d, middle + 14 + d} {
			for _, s := range []label{right, left} {
				if h > decomposedTop+8 && h < decomposedHeight-decomposedFoot && s.right <= decomposedWidth &&
					s.left > decomposedWidth*.06 {
					spots = append(spots, label{s.left, s.right, h})
				}
			}
		}
	}
	return append(spots, label{right.left, right.right, middle})
}
