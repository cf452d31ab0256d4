package report

import (
	"fmt"
	"html/template"
	"math"
	"strings"

	"hallmark/internal/report/svg"
)

// dimensions are the columns of a confusion map, in order, as the document names them.
var dimensions = [4]string{"truth", "decidability", "reciprocity", "format"}

// A confusionMap is one map of failures: classes or tags down, dimensions across.
type confusionMap struct {
	Head string // class or tag
	Open bool
	Rows []confusionRow
}

type confusionRow struct {
	Name  string
	Cells [4]confusionCell
}

// A confusionCell is the share of the cases of one class that fail on one dimension.
type confusionCell struct {
	Fig       fig
	N, Failed fig
}

// confusionMaps reads the maps by class and by tag from the document.
func confusionMaps(t tree) []confusionMap {
	var out []confusionMap
	for _, by := range []struct{ key, head string }{{"by_class", "class"}, {"by_tag", "tag"}} {
		m := confusionMap{Head: by.head, Open: len(out) == 0}
		for _, name := range t.Names("rubric", "confusion", by.key) {
			row := confusionRow{Name: oneLine(name)}
			if row.Name == "" {
				row.Name = "(none)"
			}
			for i, d := range dimensions {
				at := []string{"rubric", "confusion", by.key, name, d}
				row.Cells[i] = confusionCell{t.fig(d, share, "err", at...), t.fig("", tally, "", append(at, "n")...), t.fig("", tally, "", append(at, "failed")...)}
			}
			m.Rows = append(m.Rows, row)
		}
		if len(m.Rows) > 0 {
			out = append(out, m)
		}
	}
	return out
}

// says is a cell in words.
func (r *confusionRow) says(i int) string {
	c := r.Cells[i]
	if !c.Fig.OK {
		return fmt.Sprintf("%s, %s: judged on no question", r.Name, dimensions[i])
	}
	return fmt.Sprintf("%s, %s: %s of %s fail, %s (95 %% interval %s)", r.Name, dimensions[i], c.Failed.Text(), c.N.Text(), c.Fig.Text(), c.Fig.Range())
}

// Picture draws the map: a cell is the darker the larger the share is, and says it in figures, so that no reading rests on colour; its title
// has the counts and the interval.
func (m *confusionMap) Picture() template.HTML {
	return heat(m.Head, len(m.Rows), func(i int) string { return m.Rows[i].Name }, func(i, j int) heatCell {
		c := m.Rows[i].Cells[j]
		return heatCell{c.Fig.OK, c.Fig.Value, "err", strings.ReplaceAll(c.Fig.Text(), "\u202f%", ""), m.Rows[i].says(j)}
	}, "share of failures in percent")
}

// A heatCell is one cell of a drawn map.
type heatCell struct {
	OK          bool
	Weight      float64 // in [0, 1]: how dark
	Fill        string  // err or ok
	Text, Title string
}

// heat draws rows of four cells. Names are a suite's.
func heat(head string, rows int, name func(int) string, cell func(i, j int) heatCell, what string) template.HTML {
	const height, top, label = 26., 20., .34
	var d svg.Drawing
	step := (1 - label) / 4
	for j, name := range dimensions {
		d.Text("", svg.Point{X: svg.Part(label + step*(float64(j)+.5)), Y: 13}, svg.Middle, name)
	}
	for i := range rows {
		y := top + float64(i)*height
		d.Text("on", svg.Point{X: "0", Y: y + 17}, svg.Start, clip(oneLine(name(i)), 34))
		for j := range dimensions {
			c := cell(i, j)
			x := label + step*float64(j)
			corner, width := svg.Point{X: svg.Part(x + .002), Y: y + 1}, svg.Part(step-.004)
			d.Group("", Visible(c.Title), func() {
				d.Rect("g", corner, width, height-2, "fill", "none")
				if c.OK && c.Weight > 0 { // never darker than that the figure stays readable on it
					d.Rect("f-"+c.Fill, corner, width, height-2, "fill-opacity", fmt.Sprintf("%.2f", .06+.39*math.Min(1, c.Weight)))
				}
				text := "·"
				if c.OK {
					text = Visible(c.Text)
				}
				d.Text("on", svg.Point{X: svg.Part(x + step/2), Y: y + 17}, svg.Middle, text)
			})
		}
	}
	return d.On(svg.Frame{Class: "heat", Height: top + float64(rows)*height, Label: fmt.Sprintf("%s by %s and dimension; the table below has the same figures", what, head)})
}

// confusionMap writes a map for a terminal: in each cell the share and its interval, in whole percent.
func (p *printer) confusionMap(m confusionMap) {
	p.head("BY "+strings.ToUpper(m.Head)+" AND DIMENSION", "percent that fails, with its 95 % interval")
	const cellWidth = 13
	label := min(28, p.width-4*cellWidth)
	line := fit("", label)
	for _, d := range dimensions {
		line += fitLeft(d, cellWidth)
	}
	p.line(p.dim(line))
	for _, r := range m.Rows[:min(most, len(m.Rows))] {
		parts := []string{fit(r.Name, label-1) + " "}
		for _, c := range r.Cells {
			text := "·"
			if c.Fig.OK {
				text = fmt.Sprintf("%.0f", 100*c.Fig.Value)
				if c.Fig.Bounded {
					text += fmt.Sprintf(" (%.0f–%.0f)", 100*c.Fig.Lo, 100*c.Fig.Hi)
				}
			}
			parts = append(parts, fitLeft(text, cellWidth))
		}
		p.line(parts...)
	}
	p.more(len(m.Rows), m.Head, m.Head+map[bool]string{true: "es", false: "s"}[m.Head == "class"])
}
