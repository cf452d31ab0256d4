package report

import (
	"fmt"
	"html/template"
	"math"
	"strings"
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

// heat draws rows of four cells. Texts are escaped here: names are a suite's.
func heat(head string, rows int, name func(int) string, cell func(i, j int) heatCell, what string) template.HTML {
	const height, top, label = 26, 20, .34
	esc := func(s string) string { return template.HTMLEscapeString(Visible(s)) }
	var b strings.Builder
	fmt.Fprintf(&b, `<svg class="heat" width="100%%" height="%d" role="img" aria-label="%s by %s and dimension; the table below has the same figures">`, top+rows*height, what, head)
	step := (1 - label) / 4
	for j, d := range dimensions {
		fmt.Fprintf(&b, `<text x="%s" y="13" text-anchor="middle">%s</text>`, pc(label+step*(float64(j)+.5)), d)
	}
	for i := range rows {
		y := top + i*height
		fmt.Fprintf(&b, `<text class="on" x="0" y="%d">%s</text>`, y+17, esc(clip(oneLine(name(i)), 34)))
		for j := range dimensions {
			c := cell(i, j)
			x := label + step*float64(j)
			fmt.Fprintf(&b, `<g><title>%s</title><rect class="g" fill="none" x="%s" width="%s" y="%d" height="%d"/>`, esc(c.Title), pc(x+.002), pc(step-.004), y+1, height-2)
			if c.OK && c.Weight > 0 {
				// Never darker than that the figure stays readable on it.
				fmt.Fprintf(&b, `<rect class="f-%s" fill-opacity="%.2f" x="%s" width="%s" y="%d" height="%d"/>`, c.Fill, .06+.39*math.Min(1, c.Weight), pc(x+.002), pc(step-.004), y+1, height-2)
			}
			text := c.Text
			if !c.OK {
				text = "·"
			}
			fmt.Fprintf(&b, `<text class="on" x="%s" y="%d" text-anchor="middle">%s</text></g>`, pc(x+step/2), y+17, esc(text))
		}
	}
	b.WriteString(`</svg>`)
	return template.HTML(b.String())
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
