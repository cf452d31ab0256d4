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

// DecompositionSVG writes for each probe of a sweep whose answers have golds how the stages moved the parts of the error, as one SVG that needs nothing
// beside it. The error is ErrNoSweep for a run that is none, and ErrNoGold where no probe has golds.
func DecompositionSVG(w io.Writer, a *assay.Assay) error {
	return probesSVG(w, a, "variance over bias² of the answers with 95 % intervals; on the dashed line the error is that of the dense model, below it less",
		phaseProbe.Decomposition, ErrNoGold, part{1, "ok", "variance-dominated"}, part{1, "err", "bias-dominated"}, part{1, "ink", "both better, both worse or undecided"})
}

// ErrNoGold says that no answer of a sweep can be right or wrong.
var ErrNoGold error = Absent("the cases of the sweep have no gold answers, so that the error has no parts; ask some that have")

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

// Decomposition draws what became of the dense model's error, the source's first figure with what was measured: across the bias² of the answers, upwards
// their variance. A stage that lost variance alone stands under the dense model, one whose answers moved beside it, and what errs less below
// the dashed line. Empty where no stage has both parts.
func (p phaseProbe) Decomposition() template.HTML {
	const height, top, foot, common = 300., 10., 34., 720. // as in Diagram
	rows := slices.DeleteFunc(slices.Clone(p.Rows), func(r phaseRow) bool { return !r.Bias.OK || !r.Variance.OK })
	if len(rows) == 0 {
		return ""
	}
	across, up := extentOf(rows, func(r phaseRow) fig { return r.Bias }), extentOf(rows, func(r phaseRow) fig { return r.Variance })
	place := func(v float64) float64 { return .06 + .92*across.at(v) }
	x := func(v float64) string { return pc(place(v)) }
	y := func(v float64) float64 { return top + (1-up.at(v))*(height-top-foot) }
	var b strings.Builder
	var said []string
	for _, r := range rows {
		said = append(said, fmt.Sprintf("%s %s and %s, %s", r.Stage, r.Bias.Text(), r.Variance.Text(), orDash(r.Regime)))
	}
	fmt.Fprintf(&b, `<svg width="100%%" height="%g" role="img" aria-label="%s">`, height, template.HTMLEscapeString("bias² and variance: "+strings.Join(said, "; ")))
	for _, v := range plot.Ticks(plot.Bounds{Lo: up.lo, Hi: up.hi}) {
		fmt.Fprintf(&b, `<line class="g" x1="%s" x2="98%%" y1="%.1f" y2="%.1f"/><text x="0" y="%.1f">%s</text>`, x(across.lo), y(v), y(v), y(v)+4, short(v))
	}
	for _, v := range plot.Ticks(plot.Bounds{Lo: across.lo, Hi: across.hi}) {
		fmt.Fprintf(&b, `<line class="g" x1="%s" x2="%s" y1="%g" y2="%g"/><text x="%s" y="%g" text-anchor="middle">%s</text>`, x(v), x(v), top, height-foot, x(v), height-foot+15, short(v))
	}
	fmt.Fprintf(&b, `<text x="98%%" y="%g" text-anchor="end">bias²</text><text x="6.5%%" y="%g">variance</text>`, height-foot+29, top+11)
	if rows[0].Stage == p.Dense {
		sum := rows[0].Bias.Value + rows[0].Variance.Value
		if lo, hi := math.Max(across.lo, sum-up.hi), math.Min(across.hi, sum-up.lo); lo < hi {
			fmt.Fprintf(&b, `<line class="dash" x1="%s" x2="%s" y1="%.1f" y2="%.1f"/>`, x(lo), x(hi), y(sum-lo), y(sum-hi))
		}
		for _, r := range rows[1:] {
			fmt.Fprintf(&b, `<line class="g" x1="%s" x2="%s" y1="%.1f" y2="%.1f"/>`, x(rows[0].Bias.Value), x(r.Bias.Value), y(rows[0].Variance.Value), y(r.Variance.Value))
		}
	}
	var taken []label
	for _, r := range rows { // names keep clear of the dots
		at := common * place(r.Bias.Value)
		taken = append(taken, label{at - 6, at + 6, y(r.Variance.Value) + 4})
	}
	for _, r := range rows {
		cx, cy := x(r.Bias.Value), y(r.Variance.Value)
		radius := 4.5
		if r.Stage == p.Dense {
			radius = 6.5
		}
		fmt.Fprintf(&b, `<g class="%s">`, r.RegimeTone)
		if r.Bias.Bounded {
			fmt.Fprintf(&b, `<line class="w thin" x1="%s" x2="%s" y1="%.1f" y2="%.1f"/>`, x(r.Bias.Lo), x(r.Bias.Hi), cy, cy)
		}
		if r.Variance.Bounded {
			fmt.Fprintf(&b, `<line class="w thin" x1="%s" x2="%s" y1="%.1f" y2="%.1f"/>`, cx, cx, y(r.Variance.Lo), y(r.Variance.Hi))
		}
		fmt.Fprintf(&b, `<circle cx="%s" cy="%.1f" r="%g"/></g>`, cx, cy, radius)
	}
	for _, r := range rows {
		name := clip(r.Stage, 14)
		at, wide, middle := common*place(r.Bias.Value), 6.5*float64(columns(name)), y(r.Variance.Value)
		right, left := label{at + 8, at + 8 + wide, 0}, label{at - 8 - wide, at - 8, 0}
		var spots []label // beside the dot, as near to it as there is room
		for d := 0.; d < 96; d += 12 {
			for _, h := range []float64{middle - 6 - d, middle + 14 + d} {
				for _, s := range []label{right, left} {
					if h > top+8 && h < height-foot && s.right <= common && s.left > common*.06 {
						spots = append(spots, label{s.left, s.right, h})
					}
				}
			}
		}
		spot := free(taken, append(spots, label{right.left, right.right, middle}))
		taken = append(taken, spot)
		anchor, dx := "start", 8
		if spot.left < at {
			anchor, dx = "end", -8
		}
		fmt.Fprintf(&b, `<text class="on" x="%s" dx="%d" y="%.1f" text-anchor="%s">%s</text>`, x(r.Bias.Value), dx, spot.y, anchor, template.HTMLEscapeString(name))
	}
	b.WriteString(`</svg>`)
	return template.HTML(b.String())
}
