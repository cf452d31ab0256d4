package papers

import (
	"bufio"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"hallmark/internal/base/sheet"
	"hallmark/internal/report"
	"hallmark/internal/report/svg"
	"hallmark/internal/stat/figure"
)

// lineWidth is how many cells a line of Text has at most, where the columns of one group have room in it.
const lineWidth = 120

// Text writes the table for a terminal: in several parts beneath each other where all groups have no room side by side.
func (t *Table) Text(to io.Writer) error {
	w := bufio.NewWriter(to)
	l := t.lay()
	fmt.Fprintf(w, "%s\n%s\n", t.Title, t.Source)
	left, widths := l.widths()
	for from := 0; from < len(l.groups); {
		end, wide := from, left
		for ; end < len(l.groups); end++ {
			if wide += 2 + widths[end].all; end > from && wide > lineWidth {
				break
			}
		}
		fmt.Fprintln(w)
		l.write(w, from, end, widths)
		from = end
	}
	for _, n := range t.Notes {
		fmt.Fprintln(w)
		for _, line := range report.Wrap(n, lineWidth) {
			fmt.Fprintln(w, line)
		}
	}
	return w.Flush()
}

func padRight(s string, n int) string { return s + strings.Repeat(" ", max(0, n-report.TextWidth(s))) }
func padLeft(s string, n int) string  { return strings.Repeat(" ", max(0, n-report.TextWidth(s))) + s }

// A wide is how wide a group is: its columns, and all with the gaps between them.
type wide struct {
	columns []int
	all     int
}

// widths are those of the heads at the left together, and of the groups.
func (l *layout) widths() (left int, groups []wide) {
	for i := range l.left {
		left += l.leftWidth(i) + 2
	}
	for g, x := range l.groups {
		of := wide{columns: make([]int, len(x.heads)), all: -2}
		for i, h := range x.heads {
			of.columns[i] = report.TextWidth(h)
			for r := range l.rows {
				of.columns[i] = max(of.columns[i], report.TextWidth(l.at(r, g)[i]))
			}
			of.all += of.columns[i] + 2
		}
		if more := report.TextWidth(x.label) - of.all; more > 0 {
			of.columns[len(of.columns)-1] += more
			of.all += more
		}
		groups = append(groups, of)
	}
	return left, groups
}

func (l *layout) leftWidth(i int) int {
	n := report.TextWidth(l.left[i])
	for _, r := range l.rows {
		n = max(n, report.TextWidth(r[i]))
	}
	return n
}

// write writes some of the groups beside the heads.
func (l *layout) write(w io.Writer, from, end int, widths []wide) {
	line := func(left func(i int) string, cells func(g, i int) string) {
		var b strings.Builder
		for i := range l.left {
			b.WriteString(padRight(left(i), l.leftWidth(i)) + "  ")
		}
		for g := from; g < end; g++ {
			for i, n := range widths[g].columns {
				b.WriteString(padLeft(cells(g, i), n) + "  ")
			}
		}
		fmt.Fprintln(w, strings.TrimRight(b.String(), " "))
	}
	if l.grouped() {
		var b strings.Builder
		for i := range l.left {
			b.WriteString(strings.Repeat(" ", l.leftWidth(i)+2))
		}
		for g := from; g < end; g++ {
			b.WriteString(padRight(l.groups[g].label, widths[g].all) + "  ")
		}
		fmt.Fprintln(w, strings.TrimRight(b.String(), " "))
	}
	line(func(i int) string { return l.left[i] }, func(g, i int) string { return l.groups[g].heads[i] })
	for r := range l.rows {
		line(func(i int) string { return l.rows[r][i] }, func(g, i int) string { return l.at(r, g)[i] })
	}
}

// columns are the heads of CSV, and cells what stands under them in a record.
func (t *Table) columns() (out []string) {
	for _, h := range t.Heads {
		out = append(out, h.Key)
	}
	for _, f := range t.Figures {
		out = append(out, f.Key)
		if f.SD {
			out = append(out, f.Key+"_sd")
		}
		if f.Bounds {
			out = append(out, f.Key+"_lo", f.Key+"_hi")
		}
	}
	return out
}

// CSV writes a row a record by RFC 4180, numbers in full. No text runs as a formula in a spreadsheet.
func (t *Table) CSV(to io.Writer) error {
	w := csv.NewWriter(to)
	w.UseCRLF = true
	if err := w.Write(t.columns()); err != nil {
		return err
	}
	known := func(has bool, x float64) string {
		if !has {
			return ""
		}
		return figure.Exact(x)
	}
	for _, r := range t.Records {
		var row []string
		for _, h := range r.Heads {
			row = append(row, sheet.Guard(h))
		}
		for i, f := range t.Figures {
			v := r.Values[i]
			if v.Text != "" {
				row = append(row, sheet.Guard(v.Text))
			} else {
				row = append(row, known(v.Has, v.X))
			}
			if f.SD {
				row = append(row, known(v.Spread, v.SD))
			}
			if f.Bounds {
				row = append(row, known(v.Bounded, v.Lo), known(v.Bounded, v.Hi))
			}
		}
		if err := w.Write(row); err != nil {
			return err
		}
	}
	w.Flush()
	return w.Error()
}

// A Document is what JSON writes.
type Document struct {
	Table  string           `json:"table"`
	Title  string           `json:"title"`
	Source string           `json:"source"`
	Rows   []map[string]any `json:"rows"` // by the names of the columns of CSV
	Notes  []string         `json:"notes"`
}

// JSON writes a document with an object a record; what was not measured is null.
func (t *Table) JSON(to io.Writer) error {
	d := Document{Table: t.Name, Title: t.Title, Source: t.Source, Rows: []map[string]any{},
		Notes: append([]string{}, t.Notes...)}
	for _, r := range t.Records {
		row := map[string]any{}
		put := func(key string, has bool, x float64) {
			row[key] = nil
			if has {
				row[key] = x
			}
		}
		for i, h := range t.Heads {
			row[h.Key] = r.Heads[i]
		}
		for i, f := range t.Figures {
			v := r.Values[i]
			put(f.Key, v.Has, v.X)
			if v.Text != "" {
				row[f.Key] = v.Text
			}
			if f.SD {
				put(f.Key+"_sd", v.Spread, v.SD)
			}
			if f.Bounds {
				put(f.Key+"_lo", v.Bounded, v.Lo)
				put(f.Key+"_hi", v.Bounded, v.Hi)
			}
		}
		d.Rows = append(d.Rows, row)
	}
	enc := json.NewEncoder(to)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(d)
}

// Grid is the table as rows of texts, for writers that have no groups of columns: the heads, and under them the rows.
func (t *Table) Grid() (heads []string, rows [][]string) {
	l := t.lay()
	heads = slices.Clone(l.left)
	for _, g := range l.groups {
		for _, h := range g.heads {
			if g.label != "" {
				h = g.label + ": " + h
			}
			heads = append(heads, h)
		}
	}
	for r, left := range l.rows {
		row := slices.Clone(left)
		for g := range l.groups {
			row = append(row, l.at(r, g)...)
		}
		rows = append(rows, row)
	}
	return heads, rows
}

// The measures of a table as a drawing: pixels of a line, of a letter, between columns and around it.
const (
	lineHeight, glyph, gutter, margin = 20., 6.3, 18., 12.
)

// SVG draws the table as a paper sets it: with a rule over it, under its heads and under it.
func (t *Table) SVG() []byte {
	l := t.lay()
	_, widths := l.widths()
	var d svg.Drawing
	wideOf := func(n int) float64 { return glyph*float64(n) + gutter }
	total := 2*margin - gutter
	for i := range l.left {
		total += wideOf(l.leftWidth(i))
	}
	for _, g := range widths {
		for _, n := range g.columns {
			total += wideOf(n)
		}
	}
	total = max(total, 2*margin+glyph*float64(report.TextWidth(t.Title))*1.25,
		2*margin+glyph*float64(report.TextWidth(t.Source)))
	y := 24.
	d.Text("title", svg.Point{X: svg.Px(margin), Y: y}, svg.Start, t.Title)
	y += 16
	d.Text("", svg.Point{X: svg.Px(margin), Y: y}, svg.Start, t.Source)
	y += 10
	rule := func() { d.Across("frame", svg.Px(margin), svg.Px(total-margin), y) }
	rule()
	line := func(class string, left func(i int) string, cells func(g, i int) string) {
		y += lineHeight
		x := margin
		for i := range l.left {
			d.Text(class, svg.Point{X: svg.Px(x), Y: y - 6}, svg.Start, left(i))
			x += wideOf(l.leftWidth(i))
		}
		for g := range l.groups {
			for i, n := range widths[g].columns {
				x += wideOf(n)
				d.Text(class, svg.Point{X: svg.Px(x - gutter), Y: y - 6}, svg.End, cells(g, i))
			}
		}
	}
	if l.grouped() {
		y += lineHeight
		x := margin
		for i := range l.left {
			x += wideOf(l.leftWidth(i))
		}
		for g, of := range widths {
			end := x
			for _, n := range of.columns {
				end += wideOf(n)
			}
			d.Text("head", svg.Point{X: svg.Px((x + end - gutter) / 2), Y: y - 6}, svg.Middle, l.groups[g].label)
			d.Across("g", svg.Px(x), svg.Px(end-gutter), y-1)
			x = end
		}
	}
	line("head", func(i int) string { return l.left[i] }, func(g, i int) string { return l.groups[g].heads[i] })
	rule()
	for r := range l.rows {
		line("on", func(i int) string { return l.rows[r][i] }, func(g, i int) string { return l.at(r, g)[i] })
	}
	rule()
	return d.File(total, y+margin, t.Title+"; "+strconv.Itoa(len(t.Records))+" records")
}
