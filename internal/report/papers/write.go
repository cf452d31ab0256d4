package papers

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"hallmark/internal/base/lists"
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
	left := 2 * l.left
	for _, n := range l.widths[:l.left] {
		left += n
	}
	for from := 0; from < len(l.groups); {
		end, wide := from, left
		for ; end < len(l.groups); end++ {
			if wide += 2 + l.groups[end].all; end > from && wide > lineWidth {
				break
			}
		}
		fmt.Fprintln(w)
		l.write(w, left, l.groups[from:end])
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

// padding is what a text lacks to so many cells, with the gap to the next.
func padding(s string, n int) string { return strings.Repeat(" ", max(0, n-report.TextWidth(s))) }

// write writes some of the groups beside the texts at the left, which are so wide.
func (l *layout) write(w io.Writer, left int, groups []group) {
	put := func(line string) { fmt.Fprintln(w, strings.TrimRight(line, " ")) }
	if l.grouped() {
		line := strings.Repeat(" ", left)
		for _, g := range groups {
			line += g.label + padding(g.label, g.all) + "  "
		}
		put(line)
	}
	for _, row := range l.rows {
		line := ""
		for k, text := range row[:l.left] {
			line += text + padding(text, l.widths[k]) + "  "
		}
		for _, g := range groups {
			for k := g.from; k < g.to; k++ {
				line += padding(row[k], l.widths[k]) + row[k] + "  "
			}
		}
		put(line)
	}
}

// A Field is what programs read at a column of a record: a Text, a Number, or nil where nothing was measured.
type Field interface{ field() }

// The kinds of fields.
type (
	Text   string
	Number float64
)

func (Text) field()   {}
func (Number) field() {}

// fields visits the fields of a record by the names of their columns.
func (t *Table) fields(r Record, visit func(key string, is Field)) {
	number := func(key string, has bool, x float64) {
		if has {
			visit(key, Number(x))
		} else {
			visit(key, nil)
		}
	}
	for i, h := range t.Heads {
		visit(h.Key, Text(r.Heads[i]))
	}
	for i, f := range t.Figures {
		v := r.Values[i]
		if v.Text != "" {
			visit(f.Key, Text(v.Text))
		} else {
			number(f.Key, v.Has, v.Value)
		}
		if f.SD {
			number(f.Key+"_sd", v.Spread, v.SD)
		}
		if f.Bounds {
			number(f.Key+"_lo", v.Bounded, v.Lo)
			number(f.Key+"_hi", v.Bounded, v.Hi)
		}
	}
}

// CSV writes a row a record by RFC 4180, numbers in full. No text runs as a formula in a spreadsheet.
func (t *Table) CSV(to io.Writer) error {
	var columns []string
	t.fields(Record{make([]string, len(t.Heads)), make([]Value, len(t.Figures))}, func(key string, _ Field) {
		columns = append(columns, key)
	})
	row := func(r Record) (row []string) {
		t.fields(r, func(_ string, is Field) {
			switch x := is.(type) {
			case Text:
				row = append(row, sheet.Guard(string(x)))
			case Number:
				row = append(row, figure.Exact(float64(x)))
			default:
				row = append(row, "")
			}
		})
		return row
	}
	return sheet.Write(to, columns, slices.Values(lists.Map(t.Records, row)))
}

// A Document is what JSON writes.
type Document struct {
	Table  string             `json:"table"`
	Title  string             `json:"title"`
	Source string             `json:"source"`
	Rows   []map[string]Field `json:"rows"` // by the names of the columns of CSV
	Notes  []string           `json:"notes"`
}

// JSON writes a document with an object a record; what was not measured is null.
func (t *Table) JSON(to io.Writer) error {
	d := Document{Table: t.Name, Title: t.Title, Source: t.Source, Rows: []map[string]Field{},
		Notes: append([]string{}, t.Notes...)}
	for _, r := range t.Records {
		row := map[string]Field{}
		t.fields(r, func(key string, is Field) { row[key] = is })
		d.Rows = append(d.Rows, row)
	}
	enc := json.NewEncoder(to)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(d)
}

// The measures of a table as a drawing: pixels of a line, of a letter, between columns and around it.
const (
	lineHeight, glyph, gutter, margin = 20., 6.3, 18., 12.
)

// SVG draws the table as a paper sets it: with a rule over it, under its heads and under it.
func (t *Table) SVG() []byte {
	l := t.lay()
	var d svg.Drawing
	edges := []float64{margin} // where the columns begin, and the last ends with the gutter behind it
	for k, n := range l.widths {
		edges = append(edges, edges[k]+glyph*float64(n)+gutter)
	}
	total := max(edges[len(l.widths)]+margin-gutter, 2*margin+glyph*float64(report.TextWidth(t.Title))*1.25,
		2*margin+glyph*float64(report.TextWidth(t.Source)))
	text := func(class string, x, y float64, anchor, text string) {
		d.Text(class, svg.Point{X: svg.Px(x), Y: y}, anchor, text)
	}
	text("title", margin, 24, svg.Start, t.Title)
	text("", margin, 40, svg.Start, t.Source)
	y := 50.
	rule := func() { d.Across("frame", svg.Px(margin), svg.Px(total-margin), y) }
	rule()
	if l.grouped() {
		y += lineHeight
		for _, g := range l.groups {
			from, to := edges[g.from], edges[g.to]-gutter
			text("head", (from+to)/2, y-6, svg.Middle, g.label)
			d.Across("g", svg.Px(from), svg.Px(to), y-1)
		}
	}
	class := "head"
	for _, row := range l.rows {
		y += lineHeight
		for k, s := range row {
			if k < l.left {
				text(class, edges[k], y-6, svg.Start, s)
			} else {
				text(class, edges[k+1]-gutter, y-6, svg.End, s)
			}
		}
		if class == "head" {
			rule()
			class = "on"
		}
	}
	rule()
	return d.File(total, y+margin, t.Title+"; "+strconv.Itoa(len(t.Records))+" records")
}
