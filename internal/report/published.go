package report

import (
	"fmt"
	"io"
	"strings"

	"hallmark/internal/assay"
	"hallmark/internal/figure"
)

// Published writes the figures that others published beside those that a run measured, model by model, with the interval of the latter and the
// difference. Figures that the run has no value for are counted and not listed.
func Published(w io.Writer, b *assay.Beside, style Style) error {
	p := newPrinter(w, style)
	p.head("PUBLISHED", oneLine(b.Source))
	if b.Note != "" {
		p.painted("  ", oneLine(b.Note), p.dim)
	}
	const cells = 10
	labels := max(24, p.width-3*cells-18)
	model := ""
	for _, f := range b.Figures {
		if f.Measured == nil {
			continue
		}
		if f.Model != model {
			model = f.Model
			p.line(p.bold(fit(oneLine(model), labels)), p.dim(fitLeft("published", cells)+fitLeft("measured", cells)+fitLeft("difference", cells+2)))
		}
		between := ""
		if f.Lo != nil && f.Hi != nil {
			between = "  " + number(*f.Lo) + "–" + number(*f.Hi)
		}
		p.line(fit("  "+oneLine(figureName(f.Figure)), labels), fitLeft(number(f.Published), cells), fitLeft(number(*f.Measured), cells),
			fitLeft(signed(*f.Difference), cells+2), p.dim(between))
	}
	if b.NotMeasured > 0 {
		p.line(p.dim(fmt.Sprintf("  %s not measured in this run", plural(b.NotMeasured, "published figure", "published figures"))))
	}
	return p.w.Flush()
}

// figureName drops from a path what every figure of its kind has.
func figureName(path string) string {
	path = strings.TrimPrefix(path, "consistency.")
	for _, end := range []string{".estimate", ".mean", ".rate"} {
		path = strings.TrimSuffix(path, end)
	}
	return strings.ReplaceAll(path, "_", " ")
}

func number(v float64) string { return figure.Fixed(v, 4) }

func signed(v float64) string {
	if v < 0 {
		return number(v)
	}
	return "+" + number(v)
}
