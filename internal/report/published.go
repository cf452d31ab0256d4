package report

import (
	"io"
	"strings"

	"hallmark/internal/assay"
	"hallmark/internal/stat/figure"
)

// Published writes the figures that others published beside those that a run measured, a table for each model, with
// the interval of the latter and the difference. Figures that the run has no value for are counted and not listed.
func Published(w io.Writer, b *assay.Beside, style Style) error {
	c := chapter{Title: "Published", Over: oneLine(b.Source), Body: []block{aside(oneLine(b.Note))}}
	for i := 0; i < len(b.Figures); {
		model := b.Figures[i].Model
		t := table{Brief: len(b.Figures), Columns: []column{namesOf(oneLine(model)), countsOf("published"),
			countsOf("measured"), countsOf("difference"), ci}}
		for ; i < len(b.Figures) && b.Figures[i].Model == model; i++ {
			f := b.Figures[i]
			if f.Measured == nil {
				continue
			}
			between := ""
			if f.Lo != nil && f.Hi != nil {
				between = number(*f.Lo) + "–" + number(*f.Hi)
			}
			t.add(oneLine(figureName(f.Figure)), number(f.Published), number(*f.Measured), signed(*f.Difference),
				between)
		}
		c.Body = append(c.Body, t)
	}
	if b.NotMeasured > 0 {
		c.Body = append(c.Body, aside(plural(b.NotMeasured, "published figure",
			"published figures")+" not measured in this run"))
	}
	p := newPrinter(w, style)
	p.blocks(c)
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
