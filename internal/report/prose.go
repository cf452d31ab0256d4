package report

import (
	"fmt"
	"html/template"
	"strings"
)

// Prose is a text with figures in it.
type prose []word

// A word is a piece of it: text, or a figure.
type word struct {
	Text   string // shown as text, whatever it is
	Fig    fig
	As     as
	To     string // the place on a page that it leads to
	Strong bool
	In     where
}

// An as is how the figure of a word is written.
type as int8

const (
	asText     as = iota // no figure
	asValue              // 24.4 %
	asInterval           // 18.4–31.6 %
	asLabel              // its name, as a link to its cases
)

// say makes prose of strings, figures, words and prose.
func say(parts ...any) (p prose) {
	for _, x := range parts {
		switch x := x.(type) {
		case string:
			if x != "" {
				p = append(p, word{Text: x})
			}
		case fig:
			p = append(p, word{Fig: x, As: asValue})
		case word:
			p = append(p, x)
		case prose:
			p = append(p, x...)
		default:
			panic(fmt.Sprintf("report: %T in prose", x))
		}
	}
	return p
}

// within is a figure's interval as a word.
func within(f fig) word { return word{Fig: f, As: asInterval} }

// labelOf is a figure's name, which on a page leads to the cases behind it.
func labelOf(f fig) word { return word{Fig: f, As: asLabel} }

// strong makes prose stand out.
func strong(parts ...any) prose {
	p := say(parts...)
	for i := range p {
		p[i].Strong = true
	}
	return p
}

// only is prose that stands in some forms.
func only(in where, parts ...any) prose {
	p := say(parts...)
	for i := range p {
		p[i].In = in
	}
	return p
}

// text is the prose as it stands in a form without markup.
func (p prose) text(form where) string {
	var b strings.Builder
	for _, w := range p {
		if !w.In.in(form) {
			continue
		}
		switch w.As {
		case asText:
			b.WriteString(Visible(w.Text))
		case asValue:
			b.WriteString(w.Fig.Text())
		case asInterval:
			b.WriteString(w.Fig.Range())
		case asLabel:
			b.WriteString(Visible(w.Fig.Label))
		}
	}
	return b.String()
}

// HTML is the prose on a page: what is text is escaped, and each figure has its value and place.
func (p prose) HTML() template.HTML {
	var b strings.Builder
	for _, w := range p {
		if !w.In.in(onPage) {
			continue
		}
		s := escaped(w.Text)
		switch w.As {
		case asValue:
			s = w.Fig.Data()
		case asInterval:
			s = w.Fig.Span()
		case asLabel:
			s = w.Fig.Link()
		}
		if w.To != "" {
			s = `<a href="#` + escaped(w.To) + `">` + s + "</a>"
		}
		if w.Strong {
			s = "<strong>" + s + "</strong>"
		}
		b.WriteString(string(s))
	}
	return template.HTML(b.String())
}
