package report

import (
	"fmt"
	"html/template"
	"io"
	"strings"

	"hallmark/internal/assay"
)

// phaseStyle holds the rules of style.css that a diagram by itself needs, in the colours of paper.
const phaseStyle = `text{font:11px system-ui,sans-serif;fill:#56595e}.on{fill:#1b1c1e}.title{font:600 14px system-ui,sans-serif;fill:#1b1c1e}` +
	`.g{stroke:#ebe8e1}.w{stroke-width:2}.thin{stroke-width:1;stroke-opacity:.4}.dash{stroke:#6c6f74;stroke-dasharray:3 3}.curve{stroke:#56595e;stroke-width:1.5}` +
	`.phase{fill-opacity:.16}.hollow{fill:#fcfbf8;stroke:#56595e;stroke-width:1.5}` +
	`.ink .w{stroke:#56595e}.ink circle,.f-ink{fill:#1b1c1e}.no .w{stroke:#56595e}.no circle{fill:#1b1c1e}.f-no{fill:#dcd9d1}` +
	`.ok .w{stroke:#1f6a9e}.ok circle,.f-ok{fill:#1f6a9e}.best .w{stroke:#2f7d46}.best circle,.f-best{fill:#2f7d46}.err .w{stroke:#b8412a}.err circle,.f-err{fill:#b8412a}`

// PhaseSVG writes the phase diagrams of a sweep, one under the other, as one SVG that needs nothing beside it. The error is ErrNoSweep for a run
// that is none.
func PhaseSVG(w io.Writer, a *assay.Assay) error {
	return probesSVG(w, a, "semantic stability with 95 % intervals, and hollow the accuracy, over the share of parameters removed in % (in brackets of all)",
		phaseProbe.Diagram, ErrNoSweep, part{1, "ok", "variance-dominated"}, part{1, "best", "optimal: not told from the peak"}, part{1, "err", "bias-dominated"}, part{1, "ink", "both better, both worse or undecided"})
}

// probesSVG writes a drawing of each probe that has one, 300 pixels high, under its title, then the colours and what is drawn. The error is none
// where there is no drawing.
func probesSVG(w io.Writer, a *assay.Assay, says string, draw func(phaseProbe) template.HTML, none error, colours ...part) error {
	v := newView(a)
	if v.Phase == nil {
		return ErrNoSweep
	}
	const width, block, foot = 760, 350, 60
	text := template.HTMLEscapeString
	var drawings strings.Builder
	height := 0
	for _, p := range v.Phase.Probes {
		if drawn := draw(p); drawn != "" {
			fmt.Fprintf(&drawings, `<g transform="translate(0 %d)"><text class="title" x="12" y="22">%s</text><svg x="12" y="34" width="%d" height="300">%s</svg></g>`+"\n",
				height, text(clip(p.Title+", "+count(int(p.Cases.Value), "question"), 100)), width-24, drawn)
			height += block
		}
	}
	if height == 0 {
		return none
	}
	height += foot
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d"><style>%s</style><rect width="100%%" height="100%%" fill="#fcfbf8"/>`+"\n%s", width, height, width, height, phaseStyle, drawings.String())
	x, y := 12, height-foot+16
	for _, k := range colours {
		fmt.Fprintf(&b, `<rect class="f-%s" x="%d" y="%d" width="10" height="10"/><text x="%d" y="%d">%s</text>`, k.Fill, x, y-9, x+15, y, k.Label)
		x += 30 + 6*len(k.Label)
	}
	fmt.Fprintf(&b, `<text x="12" y="%d">%s</text></svg>`+"\n", y+24, text(says))
	_, err := io.WriteString(w, b.String())
	return err
}
