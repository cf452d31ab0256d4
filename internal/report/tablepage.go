package report

import (
	"bufio"
	"io"
)

// A PlainTable is a table of texts that are made already: heads, rows, and what is to be known beside them.
type PlainTable struct {
	Title, Source string
	Left          int // heads of columns that hold no figures, from the first
	Heads         []string
	Rows          [][]string
	Notes         []string
}

// block sets the table out.
func (t *PlainTable) block() block {
	x := table{Columns: each(t.Heads, countsOf)}
	for i := range t.Left {
		x.Columns[i].Kind = ofText
	}
	for _, r := range t.Rows {
		x.add(each(r, func(text string) cell { return cellOf(text) }))
	}
	return chapter{Title: t.Source, Body: []block{x, warnings{List: t.Notes}}}
}

// Page writes the table as a page by itself.
func (t *PlainTable) Page(w io.Writer) error {
	return page{Title: t.Title + " – Hallmark", Kind: "table", Heading: t.Title, Blocks: []block{t.block()}}.write(w)
}

// Markdown writes the table for a comment or a document.
func (t *PlainTable) Markdown(w io.Writer) error {
	m := &md{bufio.NewWriter(w)}
	m.line("### %s\n", escape(t.Title))
	m.blocks(t.block())
	return m.w.Flush()
}
