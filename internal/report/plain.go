package report

import "strings"

// A plainView is a part of a report that is a sentence and a list of figures.
type plainView struct {
	ID, Name    string // of the part, and as the contents name it
	Title, Over string // its heading, and of what its figures are
	Lede        string
	Figs        []fig
	Examples    []exampleView
	Warnings    []string
}

// An exampleView is one text with what is said of it.
type exampleView struct {
	Case, Says string
	Text       string // hostile: escape it
}

// parts returns the parts that are there.
func parts(views ...*plainView) (out []*plainView) {
	for _, v := range views {
		if v != nil {
			out = append(out, v)
		}
	}
	return out
}

// plain writes such a part on a terminal.
func (p *printer) plain(v *plainView) {
	p.head(strings.ToUpper(v.Title), v.Over)
	p.para("", v.Lede)
	for _, f := range v.Figs {
		if f.OK {
			p.fig(f, 0)
		}
	}
	p.warnings(v.Warnings)
}

// plain writes such a part as Markdown.
func (m *md) plain(v *plainView) {
	m.line("%s\n\n| %s | |\n|---|--:|", escape(v.Lede), escape(v.Title))
	for _, f := range v.Figs {
		if f.OK {
			m.line("| %s | %s |", escape(f.Label), f.Text())
		}
	}
	m.line("")
	for _, e := range v.Examples {
		m.line("- %s: %s: %s", escape(e.Case), escape(e.Says), escape(e.Text))
	}
	if len(v.Examples) > 0 {
		m.line("")
	}
	for _, w := range v.Warnings {
		m.line("> ⚠ %s\n", escape(w))
	}
}
