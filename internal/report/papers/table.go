package papers

import (
	"slices"
	"strings"

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
	Write      Form
	SD         bool // the values may have a standard deviation
	Bounds     bool // the values may have an interval
	Hidden     bool // only programs read it
}

// A Form writes a value as papers do.
type Form func(float64) string

// The forms of figures.
var (
	Percent  Form = func(x float64) string { return figure.Fixed(100*x, 2) } // 39.34
	Tenths   Form = func(x float64) string { return figure.Fixed(100*x, 1) + "%" }
	Share    Form = figure.Rough // .27
	Decimal  Form = figure.Decimal
	Hundreds Form = func(x float64) string { return figure.Fixed(x, 2) }
	Whole    Form = func(x float64) string { return figure.Grouped(int(x)) }
	Points   Form = func(x float64) string { return figure.Share.Change(x) } // +28.0
	P        Form = func(x float64) string {                                 // .00003
		if x < .000005 {
			return "<.00001"
		}
		return strings.TrimPrefix(figure.Fixed(x, 5), "0")
	}
)

// A Record is a row as programs read it.
type Record struct {
	Heads  []string
	Values []Value
}

// A Value is what stands under a figure; the zero Value is nothing.
type Value struct {
	X, SD, Lo, Hi float64
	Has           bool
	Bounded       bool // by Lo and Hi
	Spread        bool // SD is there
	Text          string
}

// value is a number without bounds.
func value(x float64) Value { return Value{X: x, Has: true} }

// text is a value as people read it.
func (f Figure) text(v Value) string {
	switch {
	case v.Text != "":
		return v.Text
	case !v.Has:
		return "–"
	case v.Spread:
		return f.Write(v.X) + " ± " + f.Write(v.SD)
	}
	return f.Write(v.X)
}

// A layout is the table as people read it: the rows of the heads that stand at the left, by groups of columns.
type layout struct {
	left   []string // labels of the heads at the left
	groups []group
	rows   [][]string // the texts at the left
	cells  map[[2]int][]string
}

// A group is columns under one text; "" for none.
type group struct {
	label string
	heads []string
}

// shown are the figures that people read.
func (t *Table) shown() (out []int) {
	for i, f := range t.Figures {
		if !f.Hidden {
			out = append(out, i)
		}
	}
	return out
}

// lay lays the table out.
func (t *Table) lay() *layout {
	l := &layout{cells: map[[2]int][]string{}}
	across := slices.IndexFunc(t.Heads, func(h Head) bool { return h.Across })
	var left []int
	for i, h := range t.Heads {
		if i != across && !h.Hidden {
			left = append(left, i)
			l.left = append(l.left, h.Label)
		}
	}
	shown := t.shown()
	if across < 0 {
		for _, i := range shown {
			f := t.Figures[i]
			if n := len(l.groups); n == 0 || l.groups[n-1].label != f.Group {
				l.groups = append(l.groups, group{label: f.Group})
			}
			g := &l.groups[len(l.groups)-1]
			g.heads = append(g.heads, f.Label)
		}
	}
	for _, r := range t.Records {
		var at []string
		for _, i := range left {
			at = append(at, r.Heads[i])
		}
		row := len(l.rows)
		if across >= 0 {
			if i := slices.IndexFunc(l.rows, func(x []string) bool { return slices.Equal(x, at) }); i >= 0 {
				row = i
			}
		}
		if row == len(l.rows) {
			l.rows = append(l.rows, at)
		}
		if across >= 0 {
			g := l.group(r.Heads[across], t, shown)
			for _, i := range shown {
				l.cells[[2]int{row, g}] = append(l.cells[[2]int{row, g}], t.Figures[i].text(r.Values[i]))
			}
			continue
		}
		at = nil
		for _, i := range shown {
			at = append(at, t.Figures[i].text(r.Values[i]))
		}
		for g, from := 0, 0; g < len(l.groups); g++ {
			to := from + len(l.groups[g].heads)
			l.cells[[2]int{row, g}] = at[from:to]
			from = to
		}
	}
	return l
}

// group is the place of the group of a text, which is added where it is new.
func (l *layout) group(label string, t *Table, shown []int) int {
	i := slices.IndexFunc(l.groups, func(g group) bool { return g.label == label })
	if i >= 0 {
		return i
	}
	g := group{label: label}
	for _, i := range shown {
		g.heads = append(g.heads, t.Figures[i].Label)
	}
	l.groups = append(l.groups, g)
	return len(l.groups) - 1
}

// at is what stands in a row under a group, dashes where nothing was measured.
func (l *layout) at(row, g int) []string {
	if c := l.cells[[2]int{row, g}]; c != nil {
		return c
	}
	return slices.Repeat([]string{"–"}, len(l.groups[g].heads))
}

// grouped says that a text stands over columns.
func (l *layout) grouped() bool {
	return slices.ContainsFunc(l.groups, func(g group) bool { return g.label != "" })
}
