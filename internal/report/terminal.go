package report

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"hallmark/internal/assay"
)

// Terminal writes the summary of a run: for each model and suite the headline, the findings, the outcomes, both axes
// with their intervals, the classes and every warning, in about 80 lines for one model on one suite, and one for each
// class, and each group of a suite whose truth was designed. Nothing in it steers the terminal but the colours that
// the style allows. More than 16 classes, groups, findings or warnings are cut, and it says so. Of a sweep it shows
// the stages beside each other in place of each by itself.
func Terminal(w io.Writer, a *assay.Assay, style Style) error {
	v := newView(a)
	p := newPrinter(w, style)
	p.runLine(v)
	p.blocks(partials(v.Doc.Incomplete)...)
	p.blocks(v.blocks(func(*section) block { return nil })...)
	if style.Report != "" {
		p.line()
		p.line("report: ", Visible(style.Report)) // never cut: it is there to be copied
	}
	return cmp.Or(p.w.Flush(), a.Err())
}

// runLine names the run.
func (p *printer) runLine(v *view) {
	p.line(p.bold("hallmark"), p.dim(clip(fmt.Sprintf("  run %s · seed %d · version %s", calledRun(&v.Doc.Run),
		v.Doc.Run.Seed, oneLine(v.Doc.Run.Version)), p.width-8)))
}

// calledRun is a run by its id, and by its name where it has one.
func calledRun(r *assay.RunInfo) string {
	if r.Name == "" {
		return oneLine(r.ID)
	}
	return oneLine(r.Name) + " (" + oneLine(r.ID) + ")"
}

// most is how many rows, findings or warnings a summary shows.
const most = 16

// blocks writes the blocks that stand in a terminal.
func (p *printer) blocks(blocks ...block) {
	for _, b := range standing(inTerminal, blocks...) {
		switch b := b.(type) {
		case chapter:
			p.chapter(b)
		case article:
			p.line()
			p.painted("", narrow(b.Headline.text(inTerminal)), p.bold)
			p.blocks(b.Body...)
		case figures:
			for _, f := range b.shown(inTerminal) {
				p.fig(f.named(oneLine(f.Label)), b.Scale)
			}
		case table:
			p.table(b)
		case note:
			p.note(b)
		case list:
			for _, item := range b.Items {
				p.para("  · ", narrow(item.text(inTerminal)))
			}
		case warnings:
			p.warnings(b.List)
		case findings:
			p.findings(b.List)
		case drawing:
			p.drawing(b)
		case fields:
			p.fields(b)
		case bothSides:
			p.bothSides(b)
		}
	}
}

// chapter writes what the figures are of beside the heading, or else the lede beneath it. Parts of a chapter have no
// heading but for what they are of.
func (p *printer) chapter(b chapter) {
	switch {
	case !b.Inner:
		p.head(strings.ToUpper(oneLine(cmp.Or(b.Name, b.Title))), oneLine(b.Over))
		if b.Over == "" {
			p.para("", narrow(b.Lede.text(inTerminal)))
		}
	case b.Raw:
		p.head(clip(oneLine(b.Title), p.width-TextWidth(b.Over)-2), oneLine(b.Over))
	case b.Over != "":
		p.head(strings.ToUpper(oneLine(b.Title)), oneLine(b.Over))
	}
	p.blocks(b.Body...)
}

func (p *printer) note(b note) {
	s := narrow(b.Text.text(inTerminal))
	switch b.Kind {
	case noteBanner:
		p.painted("! ", s, func(s string) string { return p.tone("rnd", s) })
	case noteAside, noteModel:
		p.painted("  ", s, p.dim)
	default:
		p.para("", s)
	}
}

func (p *printer) drawing(b drawing) {
	for _, line := range b.Letters(p.width) {
		p.line(each(line, func(x ink) string { return p.tone(x.Tone, narrow(Visible(x.Text))) })...)
	}
}

// most is how many rows, findings or warnings are shown.
func (p *printer) most() int {
	if p.style.Whole {
		return math.MaxInt
	}
	return most
}

func (p *printer) findings(list []findingView) {
	for i, f := range list[:min(p.most(), len(list))] {
		p.para(fmt.Sprintf("%d. ", i+1), f.Sentence)
		if f.Advice != "" {
			p.painted("   → ", f.Advice, p.dim)
		}
		p.warnings(f.Warnings)
	}
	p.more(len(list)-p.most(), "finding", "findings")
}

func (p *printer) warnings(list []string) {
	for _, w := range list[:min(p.most(), len(list))] {
		p.painted("  ! ", w, func(s string) string { return p.tone("rnd", s) })
	}
	p.more(len(list)-p.most(), "warning", "warnings")
}

// more says how many are left out.
func (p *printer) more(left int, one, many string) {
	if left > 0 {
		noun := map[bool]string{true: one, false: many}[left == 1]
		p.line(p.dim(clip("  and "+grouped(left)+" more "+oneLine(noun), p.width)))
	}
}

// The least cells that the head of a row and a column of texts keep, and what parts columns.
const (
	leastHead = 10
	leastText = 12
	columnGap = 2
)

// A layout is a table as a terminal sets it out: the columns that it has room for, and how wide they are.
type layout struct {
	t     table
	rows  []row
	width []int // of each column of the table
}

// table writes the first rows of a table. Columns that there is no room for stand beneath the others, or are left out.
func (p *printer) table(t table) {
	brief := cmp.Or(t.Brief, p.most())
	l := layout{t: t, rows: t.Rows[:min(brief, len(t.Rows))], width: make([]int, len(t.Columns))}
	columns := t.columnsIn(inTerminal)
	for _, i := range columns {
		l.width[i] = l.need(i)
	}
	if t.Caption != "" {
		p.line(p.dim(clip(oneLine(t.Caption), p.width)))
	}
	for len(columns) > 0 {
		fit, left := l.fit(columns, p.width)
		p.rows(l, fit)
		if !t.Stacked || len(left) == 0 {
			break
		}
		columns = append([]int{columns[0]}, left...)
	}
	p.more(len(t.Rows)-brief+t.Left, t.One, t.Many)
}

// need returns how wide a column is where there is room.
func (l *layout) need(i int) int {
	c := l.t.Columns[i]
	switch c.Kind {
	case ofPlots:
		return 20
	case ofBars:
		return 30
	}
	n := TextWidth(oneLine(c.Head))
	for _, r := range l.rows {
		n = max(n, TextWidth(r.Cells[i].brief()))
	}
	return n
}

// fit returns the columns that a width holds, and those left for beneath: what is wide goes first, then texts are cut,
// then columns go from the end. The head of a row and one column beside it always stay.
func (l *layout) fit(columns []int, width int) (fit, left []int) {
	fit = slices.Clone(columns)
	for l.over(fit, width) > 0 {
		last := len(fit) - 1
		for last > 0 && !l.t.Columns[fit[last]].Wide {
			last--
		}
		if last == 0 && l.shrink(fit, width) {
			continue
		}
		if len(fit) <= 2 {
			break
		}
		if last == 0 {
			last = len(fit) - 1
			left = append([]int{fit[last]}, left...)
		}
		fit = slices.Delete(fit, last, last+1)
	}
	for _, i := range slices.Backward(fit) {
		l.width[i] -= min(l.width[i]-1, max(0, l.over(fit, width)))
	}
	return fit, left
}

// over returns how many cells columns have beyond a width, the head of a row taken as narrow as it may be.
func (l *layout) over(columns []int, width int) int {
	n := -width
	for _, i := range columns {
		n += l.width[i] + columnGap
	}
	return n - columnGap
}

// shrink cuts the widest column of texts, and reports whether there was one to cut.
func (l *layout) shrink(columns []int, width int) bool {
	widest, room := -1, 0
	for at, i := range columns {
		c, least := l.t.Columns[i], leastText
		switch {
		case c.Kind == ofBars || c.Kind <= ofRaw && at == 0:
			least = leastHead
		case c.Kind > ofRaw: // no text
			continue
		}
		if spare := l.width[i] - cmp.Or(c.Least, least); spare > room {
			widest, room = i, spare
		}
	}
	if widest < 0 {
		return false
	}
	l.width[widest] -= min(room, max(1, l.over(columns, width)))
	return true
}

// rows writes the heads and rows of some columns.
func (p *printer) rows(l layout, at []int) {
	gap := strings.Repeat(" ", columnGap)
	var heads []string
	for _, i := range at {
		heads = append(heads, l.t.Columns[i].set(oneLine(l.t.Columns[i].Head), l.width[i]))
	}
	if strings.TrimSpace(strings.Join(heads, "")) != "" {
		p.line(p.dim(strings.Join(heads, gap)))
	}
	for _, r := range l.rows {
		var parts []string
		for _, i := range at {
			parts = append(parts, p.cell(l.t.Columns[i], r.Cells[i], l.width[i]))
		}
		p.line(strings.Join(parts, gap))
	}
}

// set puts text into the cells of a column: figures end where the column does.
func (c column) set(s string, n int) string {
	switch c.Kind {
	case ofNames:
		return fitName(s, n)
	case ofText, ofCode, ofRaw, ofPlots, ofBars:
		return fit(s, n)
	}
	return fitLeft(s, n)
}

func (p *printer) cell(c column, x cell, n int) string {
	switch c.Kind {
	case ofPlots:
		if !x.Plot.OK {
			return strings.Repeat(" ", n)
		}
		return p.tone(x.Plot.Tone, whisker(x.Plot, c.Scale, n))
	case ofBars:
		return fit(stacked(n, x.Bar), n)
	case ofBounds:
		return p.dim(c.set(x.brief(), n))
	}
	return p.tone(x.Tone, c.set(x.brief(), n))
}

// brief is a cell as a terminal shows it.
func (x cell) brief() string {
	return narrow(oneLine(cmp.Or(x.Brief, x.text(inTerminal))))
}

// text is a cell without markup, with what stands beneath it in brackets.
func (x cell) text(form where) string {
	s := x.Main.text(form)
	if sub := x.Sub.text(form); sub != "" {
		s += " (" + sub + ")"
	}
	return s
}

func each[T, U any](xs []T, f func(T) U) []U {
	out := make([]U, len(xs))
	for i, x := range xs {
		out[i] = f(x)
	}
	return out
}
