package report

import (
	"fmt"
	"io"

	"hallmark/internal/assay"
	"hallmark/internal/report/svg"
)

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
