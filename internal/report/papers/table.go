package papers

import (
	"cmp"
	"slices"
	"strings"

	"hallmark/internal/report"
	"hallmark/internal/stat"
	"hallmark/internal/stat/figure"
)

// A Table is a table of a paper, of one's own models.
type Table struct {
	Name    string // by which it is asked for
	Title   string
	Source  string   // the paper, and its tables and figures
	Heads   []Head   // the texts at the beginning of each record
	Figures []Figure // what each record measures
	Records []Record
	Notes   []string // what is to be known beside it
}

// A Head is a text of each record.
type Head struct {
	Key, Label string
	// Across says that its values stand over groups of columns, as benchmarks do. At most one does.
	Across bool
	Hidden bool // only programs read it
}

// A Figure is a column.
type Figure struct {
	Key, Label string
	Group      string // over it and its neighbours of the same group; where no head is across
	Form       string // of tables.json: the name of Write; none for a text
	// At is where read finds it in a result, names of members with slashes: the first of several parted by a stroke
	// that is there; "": under its key.
	At     string
	Write  Form `json:"-"`
	SD     bool // the values may have a standard deviation
	Bounds bool // the values may have an interval
	Hidden bool // only programs read it
}

// A Form writes a value as papers do.
type Form func(float64) string

// The forms of figures that are made here.
var (
	Percent Form = func(x float64) string { return figure.Fixed(100*x, 2) } // 39.34
	Tenths  Form = func(x float64) string { return figure.Fixed(100*x, 1) + "%" }
	Whole   Form = func(x float64) string { return figure.Grouped(int(x)) }
	P       Form = func(x float64) string { // .00003
		if x < .000005 {
			return "<.00001"
		}
		return strings.TrimPrefix(figure.Fixed(x, 5), "0")
	}
)

// forms are the forms by their names in tables.json: 39.34, 39.3%, .27, 0.270, 0.27, 1,000, +28.0 and .00003.
var forms = map[string]Form{"percent": Percent, "tenths": Tenths, "share": figure.Rough, "decimal": figure.Decimal,
	"hundreds": func(x float64) string { return figure.Fixed(x, 2) }, "whole": Whole, "points": figure.Share.Change,
	"p": P}

// A Record is a row as programs read it.
type Record struct {
	Heads  []string
	Values []Value
}

// A Value is what stands under a figure; the zero Value is nothing.
type Value struct {
	stat.Estimate             // the value alone of a number
	Has, Bounded, Spread bool // there is a value, an interval, and SD
	SD                   float64
	Text                 string
}

// value is an estimate, or a number alone, as a value; a nil pointer is nothing.
func value(x any) Value { return valueAt(figure.Of(x)) }

// add adds a record.
func (t *Table) add(heads []string, values ...Value) {
	t.Records = append(t.Records, Record{heads, values})
}

// read adds a record of what a result has at the paths of the figures.
func (t *Table) read(heads []string, result any) { t.add(heads, t.values(result)...) }

// values are what a result has at the paths of the figures, those that have one.
func (t *Table) values(result any) (out []Value) {
	all := figure.Of(result)
	for _, f := range t.Figures {
		v := Value{}
		for _, path := range strings.Split(cmp.Or(f.At, f.Key), "|") {
			if !v.Has {
				v = valueAt(all.Sub(strings.Split(path, "/")...))
			}
		}
		if f.SD && v.Has {
			v.SD, v.Spread = all.Number(f.Key, "sd")
		}
		if f.Form == "" {
			v.Text = cmp.Or(all.Text(f.Key), "–")
		}
		out = append(out, v)
	}
	return out
}

// valueAt is the value of a part of a result.
func valueAt(t figure.Tree) Value {
	e, _, bounded := t.Estimate()
	if !bounded {
		x, ok := t.Number()
		return Value{Estimate: stat.Estimate{Value: x}, Has: ok}
	}
	return Value{Estimate: e, Has: true, Bounded: true}
}

// text is a value as people read it.
func (f Figure) text(v Value) string {
	switch {
	case v.Text != "":
		return v.Text
	case !v.Has:
		return "–"
	case v.Spread:
		return f.Write(v.Value) + " ± " + f.Write(v.SD)
	}
	return f.Write(v.Value)
}

// A layout is the table as people read it: texts at the left, and columns by groups behind them.
type layout struct {
	left   int        // columns of texts
	groups []group    // of the columns behind them
	rows   [][]string // the heads, and under them the records; dashes where nothing was measured
	widths []int      // of the columns, in cells
}

// A group is the columns from..to-1 under one text; "" for none.
type group struct {
	label    string
	from, to int
	all      int // how wide it is, with the gaps between its columns
}

// lay lays the table out: a record a row, and where a head is across those that differ in it alone beside each other.
func (t *Table) lay() *layout {
	across := slices.IndexFunc(t.Heads, func(h Head) bool { return h.Across })
	atLeft := func(text func(i int) string) (texts []string) {
		for i, h := range t.Heads {
			if i != across && !h.Hidden {
				texts = append(texts, text(i))
			}
		}
		return texts
	}
	heads := atLeft(func(i int) string { return t.Heads[i].Label })
	var rows, groups [][]string // the texts at the left, and the heads of each group
	var labels []string
	cells := map[[2]int][]string{} // by row and group
	for _, r := range t.Records {
		left := atLeft(func(i int) string { return r.Heads[i] })
		row := slices.IndexFunc(rows, func(x []string) bool { return across >= 0 && slices.Equal(x, left) })
		if row < 0 {
			row, rows = len(rows), append(rows, left)
		}
		for i, f := range t.Figures {
			if f.Hidden {
				continue
			}
			label := f.Group
			if across >= 0 {
				label = r.Heads[across]
			}
			g := slices.Index(labels, label)
			if g < 0 {
				g, labels, groups = len(labels), append(labels, label), append(groups, nil)
			}
			at := [2]int{row, g}
			if cells[at] = append(cells[at], f.text(r.Values[i])); len(cells[at]) > len(groups[g]) {
				groups[g] = append(groups[g], f.Label)
			}
		}
	}
	l := &layout{left: len(heads), rows: [][]string{slices.Concat(heads, slices.Concat(groups...))}}
	for row, line := range rows {
		for g, under := range groups {
			of := cells[[2]int{row, g}]
			if of == nil {
				of = slices.Repeat([]string{"–"}, len(under))
			}
			line = append(line, of...)
		}
		l.rows = append(l.rows, line)
	}
	l.measure(labels, groups)
	return l
}

// measure sets how wide the columns are, and places the groups.
func (l *layout) measure(labels []string, groups [][]string) {
	l.widths = make([]int, len(l.rows[0]))
	for _, row := range l.rows {
		for k, text := range row {
			l.widths[k] = max(l.widths[k], report.TextWidth(text))
		}
	}
	from := l.left
	for i, heads := range groups {
		g := group{label: labels[i], from: from, to: from + len(heads), all: -2}
		for _, n := range l.widths[g.from:g.to] {
			g.all += n + 2
		}
		if more := report.TextWidth(g.label) - g.all; more > 0 {
			l.widths[g.to-1] += more
			g.all += more
		}
		l.groups, from = append(l.groups, g), g.to
	}
}

// grouped says that a text stands over columns.
func (l *layout) grouped() bool {
	return slices.ContainsFunc(l.groups, func(g group) bool { return g.label != "" })
}

// plain is the table for writers that have no groups of columns.
func (t *Table) plain() *report.PlainTable {
	l := t.lay()
	p := &report.PlainTable{Title: t.Title, Source: t.Source, Notes: t.Notes, Left: l.left, Heads: l.rows[0],
		Rows: l.rows[1:]}
	for _, g := range l.groups {
		for k := g.from; k < g.to && g.label != ""; k++ {
			p.Heads[k] = g.label + ": " + p.Heads[k]
		}
	}
	return p
}
