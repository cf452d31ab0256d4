package report

import (
	"html/template"
	"slices"
)

// What a report says is set out once, as blocks; the terminal, Markdown and HTML are three writers of blocks, which
// know nothing of what was measured. Text in blocks is shown as text, whatever it is: each writer makes it visible
// and escapes it.

// A where says in which forms something stands; 0 is all.
type where uint8

const (
	inTerminal where = 1 << iota
	inMarkdown
	onPage
	inText = inTerminal | inMarkdown // and not on the page
	inFull = inMarkdown | onPage     // and not in the terminal, which shows a summary
)

func (w where) in(form where) bool { return w == 0 || w&form != 0 }

// A block is one thing that a report says.
type block interface{ stands(form where) bool }

// A chapter is blocks under a heading.
type chapter struct {
	ID    string // for links to it; "" where there are none
	Name  string // as the contents list it; "" where they do not
	Title string // its heading, by which it is called in full
	Over  string // what its figures are of: what a terminal shows beside the heading
	Lede  prose  // what it answers
	Body  []block
	In    where
	At    string // what the paths of its figures start from, where that is not the model's part
	Inner bool   // part of a chapter
	Fold  bool   // closed until it is asked for
	Axis  bool   // one of two beside each other
	Run   bool   // of the run as a whole
	Depth bool   // of the second layer: a page folds it under its title and its lede
	Raw   bool   // its title is a text as it came
	Tone  string // of a part: what it says of the model
}

// Figures are figures beneath each other, plotted on one scale, or not plotted where that is 0.
type figures struct {
	Head, Value string // heads of the columns
	Scale       scale
	Figs        []fig
	Bare        bool // not plotted on a page
	Dots        bool // with the tones that a drawing beside them has
	In          where
}

// A table is rows of cells.
type table struct {
	Caption   string
	Columns   []column
	Rows      []row
	Stacked   bool   // columns that a terminal has no room for stand beneath the others
	One, Many string // what a row is, for those that are left out
	Brief     int    // how many rows a terminal shows; 0: 16
	Listed    int    // how many Markdown shows; 0: all
	Left      int    // how many are in the JSON document alone
	In        where
}

// A column is the head of one column of a table, and how its cells are written.
type column struct {
	Head  string
	Kind  kind
	Scale scale         // of what is plotted in it
	Axis  template.HTML // over what is plotted
	In    where
	Wide  bool // left out by a terminal that has no room
	Least int  // how many cells its texts keep there; 0: the usual
}

// A kind is how the cells of a column are written.
type kind int8

const (
	ofText    kind = iota
	ofNames        // of models, which differ at their ends
	ofCode         // identifiers
	ofRaw          // texts as they came
	ofFigures      // each with its place in the result
	ofBounds       // figures beside the main ones
	ofCounts       // numbers that are no figures of the result
	ofPlots        // figures drawn on a scale
	ofBars         // parts of a whole
)

// A row is one line of a table.
type row struct {
	Cells []cell // the first is the row's head
	At    string // what the paths of its figures start from, where that is not the table's
}

// A cell is what stands at one place of a table.
type cell struct {
	Main  prose
	Sub   prose  // beneath it, or in brackets behind it
	Note  string // beneath it, on the page alone
	Brief string // what a terminal shows in its place
	Plot  fig
	Bar   []part // drawn beside each other
	Says  string // what the bar shows, in words
	Tone  string // of its text in a terminal
}

// A note is a sentence or more.
type note struct {
	Text prose
	Kind noteKind
	In   where
}

// A noteKind is how much a note asks to be read.
type noteKind int8

const (
	noteText      noteKind = iota
	noteAside              // in small type
	noteSecond             // what goes with the headline
	noteBanner             // a warning of the whole
	noteModel              // what the model is
	noteMet                // a declared threshold is met
	noteNotMet             // it is not
	noteUndecided          // it cannot be said
	noteAsked              // what was asked of whom
	noteSign               // a line to be signed on paper
)

// Warnings are reasons to doubt what stands before them.
type warnings struct {
	List []string
	In   where
}

// A list is sentences beneath each other.
type list struct {
	Items []prose
	In    where
}

// listOf is a list of texts.
func listOf(texts []string) list {
	return list{Items: each(texts, func(s string) prose { return say(s) })}
}

// Fields are named texts, as they came.
type fields struct {
	List   []field
	Beside bool // two texts each, which a page sets side by side
	In     where
}

// A field is texts under a name, the first behind a word in a tone.
type field struct {
	Name       string
	Lead, Tone string
	Texts      []text
}

// add adds a field and returns it.
func (b *fields) add(name string, texts ...text) *field {
	b.List = append(b.List, field{Name: name, Texts: texts})
	return &b.List[len(b.List)-1]
}

func (f *field) lead(word, tone string) { f.Lead, f.Tone = word, tone }

// A drawing is a picture of figures that stand beside it too. It has a text in place of it for whoever cannot see it.
type drawing struct {
	SVG []template.HTML
	Row bool // several beside each other

	Letters func(width int) [][]ink // the picture in lines of a terminal; nil: none
}

// An ink is letters of a picture in a tone.
type ink struct{ Text, Tone string }

// A pair is blocks that a page sets side by side.
type pair struct {
	Left, Right []block
	Axes        bool
}

// Findings are sentences that estimates support, with what to do and what to doubt.
type findings struct{ List []findingView }

// Keys are the readings at the top: what a board looks at first.
type keys struct{ Figs []fig }

// A contents is the links to the chapters.
type contents struct{ Links []link }

type link struct{ ID, Label string }

// Filed cases are those behind the figures, with what they are filtered by.
type filed struct {
	ID      string
	Selects []selectView
	Cases   []caseView
}

// An article is what is said of one model on one suite.
type article struct {
	Index    int
	At       string // its place in the document
	Name     string // of the model and suite; "" where there is one article
	Fold     bool   // a page folds it under its name and its headline
	Headline prose
	Body     []block
	In       where
}

func (b chapter) stands(form where) bool  { return b.In.in(form) && len(standing(form, b.Body...)) > 0 }
func (b figures) stands(form where) bool  { return b.In.in(form) && len(b.shown(form)) > 0 }
func (b table) stands(form where) bool    { return b.In.in(form) && len(b.Rows) > 0 }
func (b note) stands(form where) bool     { return b.In.in(form) && len(b.Text) > 0 }
func (b warnings) stands(form where) bool { return b.In.in(form) && len(b.List) > 0 }
func (b list) stands(form where) bool     { return b.In.in(form) && len(b.Items) > 0 }
func (b drawing) stands(form where) bool {
	return form == onPage && len(b.SVG) > 0 || form == inTerminal && b.Letters != nil
}
func (b fields) stands(form where) bool   { return b.In.in(form) && len(b.List) > 0 }
func (b findings) stands(where) bool      { return len(b.List) > 0 }
func (b keys) stands(form where) bool     { return form == onPage }
func (b contents) stands(form where) bool { return form == onPage }
func (b filed) stands(form where) bool    { return form == onPage }
func (b article) stands(form where) bool  { return b.In.in(form) }

func (b pair) stands(form where) bool {
	return len(standing(form, b.Left...))+len(standing(form, b.Right...)) > 0
}

// standing returns the blocks that stand in a form; only a page has pairs. What was not measured is nil.
func standing(form where, blocks ...block) (out []block) {
	for _, b := range blocks {
		if p, ok := b.(pair); ok && form != onPage {
			out = append(out, standing(form, slices.Concat(p.Left, p.Right)...)...)
		} else if b != nil && b.stands(form) {
			out = append(out, b)
		}
	}
	return out
}

// shown are the figures that stand in a form; a terminal leaves out those without a value.
func (b figures) shown(form where) (out []fig) {
	for _, f := range b.Figs {
		if f.in.in(form) && (f.OK || form == onPage) {
			out = append(out, f)
		}
	}
	return out
}

// columnsIn returns the places of the columns that stand in a form.
func (b table) columnsIn(form where) (out []int) {
	for i, c := range b.Columns {
		if c.In.in(form) && (form != inMarkdown || c.Kind != ofPlots && c.Kind != ofBars) {
			out = append(out, i)
		}
	}
	return out
}

// known returns the figures that have a value.
func known(figs ...fig) (out []fig) {
	for _, f := range figs {
		if f.OK {
			out = append(out, f)
		}
	}
	return out
}

// fold adds blocks to a chapter: they are its body, or under a title of their own behind what is there already.
func (b *chapter) fold(title string, body ...block) {
	if len(b.Body) > 0 {
		body = []block{chapter{Title: title, Inner: true, Fold: true, In: onPage, Body: body}}
	}
	b.Body = append(b.Body, body...)
}

// some is a figure that says something only where it is above 0.
func some(f fig) []fig {
	if f.Value <= 0 {
		return nil
	}
	return []fig{f}
}

// ci is the column of the intervals of the figures before it.
var ci = column{Head: "95 % interval", Kind: ofBounds}

// A column by its head: columnOf is one of figures, fullOf one of figures that a terminal leaves out, and columnOfPlots
// one of figures drawn on a scale; the others are of texts, texts as they came, identifiers, names and counts.
func columnOf(head string) column { return column{Head: head, Kind: ofFigures} }
func fullOf(head string) column   { return columnOf(head).only(inFull) }
func textOf(head string) column   { return column{Head: head} }
func rawOf(head string) column    { return column{Head: head, Kind: ofRaw} }
func codeOf(head string) column   { return column{Head: head, Kind: ofCode} }
func namesOf(head string) column  { return column{Head: head, Kind: ofNames} }
func countsOf(head string) column { return column{Head: head, Kind: ofCounts} }

func columnOfPlots(head string, s scale) column {
	return column{Head: head, Kind: ofPlots, Scale: s, Axis: s.Axis(), In: onPage | inTerminal}
}

// heads are the columns of a table: the first, of the heads of the rows, is of texts where it is named alone, and each
// other of figures.
func heads(parts ...any) (out []column) {
	for i, x := range parts {
		switch x := x.(type) {
		case string:
			c := columnOf(x)
			if i == 0 {
				c = textOf(x)
			}
			out = append(out, c)
		case column:
			out = append(out, x)
		}
	}
	return out
}

// add adds a row of what rowOf takes, and addAt one that stands for a part of the document.
func (b *table) add(parts ...any) { b.addAt("", parts...) }
func (b *table) addAt(at string, parts ...any) {
	r := rowOf(parts...)
	r.At = at
	b.Rows = append(b.Rows, r)
}

// sentence, aside and noteOf are notes of what say takes.
func sentence(parts ...any) note              { return noteOf(noteText, parts...) }
func aside(parts ...any) note                 { return noteOf(noteAside, parts...) }
func noteOf(kind noteKind, parts ...any) note { return note{Kind: kind, Text: say(parts...)} }

// inner is a part of a chapter, and closed one that is closed until it is asked for.
func inner(title string, body ...block) chapter {
	return chapter{Title: title, Inner: true, Body: body}
}
func closed(title string, body ...block) chapter {
	return chapter{Title: title, Inner: true, Fold: true, Body: body}
}

// picture is a drawing of what stands beneath each other.
func picture(svg ...template.HTML) drawing { return drawing{SVG: svg} }

func (b note) only(w where) note       { b.In = w; return b }
func (b chapter) only(w where) chapter { b.In = w; return b }
func (c column) wide() column          { c.Wide = true; return c }
func (c column) only(w where) column   { c.In = w; return c }
func (c cell) noted(s string) cell     { c.Note = s; return c }
func (c cell) briefly(s string) cell   { c.Brief = s; return c }
func (c cell) toned(s string) cell     { c.Tone = s; return c }
func (c cell) under(parts ...any) cell { c.Sub = say(parts...); return c }

// cellOf is a cell of what say takes.
func cellOf(parts ...any) cell { return cell{Main: say(parts...)} }

// cellWithin is a figure with its interval beneath it.
func cellWithin(f fig) cell { return cellOf(f).under(within(f)) }

// bounded is a figure, and its interval in a cell of its own.
func bounded(f fig) []cell { return []cell{cellOf(f), cellOf(within(f))} }

// rowOf is a row of cells, or lists of them, and of what say takes in a cell each; the first is the row's head.
func rowOf(parts ...any) (r row) {
	for _, x := range parts {
		switch x := x.(type) {
		case cell:
			r.Cells = append(r.Cells, x)
		case []cell:
			r.Cells = append(r.Cells, x...)
		default:
			r.Cells = append(r.Cells, cellOf(x))
		}
	}
	return r
}

// cellOfBar draws figures beside each other, each in its tone.
func cellOfBar(says string, figs ...fig) cell {
	c := cell{Says: says}
	for _, f := range figs {
		c.Bar = append(c.Bar, part{f.Value, f.Tone, ""})
	}
	return c
}
