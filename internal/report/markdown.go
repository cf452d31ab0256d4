package report

import (
	"bufio"
	"cmp"
	"fmt"
	"html"
	"io"
	"strings"

	"hallmark/internal/assay"
)

// maxListed is how many failed cases, and how many that are unscored, a Markdown summary lists for a section.
const maxListed = 20

// Markdown writes a summary for a comment on a change: for each model and suite the headline, what was measured in
// tables, the findings and warnings, and the first failed cases with the reason. Every text from a model or a suite
// is escaped, so that no link, image, mention, table or HTML of it comes alive.
func Markdown(w io.Writer, a *assay.Assay) error {
	v := newView(a)
	m := &md{bufio.NewWriter(w)}
	m.blocks(partials(v.Doc.Incomplete)...)
	m.blocks(v.blocks((*section).failures)...)
	if v.Doc.Run.Name != "" {
		m.line("run %s  ", escape(v.Doc.Run.Name))
	}
	m.line("run `%s` · seed %d · hallmark %s", strings.ReplaceAll(oneLine(v.Doc.Run.ID), "`", ""), v.Doc.Run.Seed,
		escape(oneLine(v.Doc.Run.Version)))
	return cmp.Or(m.w.Flush(), a.Err())
}

type md struct{ w *bufio.Writer }

func (m *md) line(format string, args ...any) { fmt.Fprintf(m.w, format+"\n", args...) }

// blocks writes the blocks that stand in Markdown.
func (m *md) blocks(blocks ...block) {
	for _, b := range standing(inMarkdown, blocks...) {
		switch b := b.(type) {
		case chapter:
			m.chapter(b)
		case article:
			m.line("### %s\n", escape(b.Headline.text(inMarkdown)))
			m.blocks(b.Body...)
		case figures:
			m.figures(b)
		case table:
			m.table(b)
		case note:
			m.note(b)
		case list:
			for _, item := range b.Items {
				m.line("- %s", escape(item.text(inMarkdown)))
			}
			m.line("")
		case fields:
			for _, f := range b.List {
				line := strings.TrimSpace(f.Name + ": " + f.Lead)
				for _, t := range f.Texts {
					line += " " + t.Shown
				}
				m.line("- %s", escape(line))
			}
			m.line("")
		case bothSides:
			m.bothSides(b)
		case warnings:
			m.warnings(b.List)
		case findings:
			m.findings(b.List)
			m.line("")
		}
	}
}

// chapter writes what a terminal leaves out closed, so that a comment is a summary too.
func (m *md) chapter(b chapter) {
	fold := b.Title != "" && (b.Fold || !b.stands(inTerminal))
	switch {
	case fold:
		m.line("<details><summary>%s</summary>\n", escape(b.Title))
	case b.Inner && b.Title == "": // more of what stands before it
	case b.Inner:
		m.line("**%s**\n", escape(b.Title))
	default:
		m.line("#### %s\n", escape(b.Title))
	}
	if lede := b.Lede.text(inMarkdown); lede != "" {
		m.line("%s\n", escape(lede))
	}
	m.blocks(b.Body...)
	if fold {
		m.line("</details>\n")
	}
}

func (m *md) note(b note) {
	switch s := escape(b.Text.text(inMarkdown)); b.Kind {
	case noteBanner:
		m.line("> ⚠ %s\n", s)
	case noteModel:
		m.line("*%s*\n", s)
	default:
		m.line("%s\n", s)
	}
}

func (m *md) figures(b figures) {
	m.line("| %s | value | 95 %% interval |\n|---|--:|:-:|", escape(cmp.Or(b.Head, "figure")))
	for _, f := range b.shown(inMarkdown) {
		indent := ""
		if f.Child {
			indent = "– "
		}
		m.line("| %s%s | %s | %s |", indent, escape(f.Label), f.Text(), f.Range())
	}
	m.line("")
}

func (m *md) table(t table) {
	at := t.columnsIn(inMarkdown)
	var heads, rules strings.Builder
	for _, i := range at {
		heads.WriteString(" " + escape(t.Columns[i].Head) + " |")
		switch t.Columns[i].Kind {
		case ofFigures, ofCounts:
			rules.WriteString("--:|")
		case ofBounds:
			rules.WriteString(":-:|")
		default:
			rules.WriteString("---|")
		}
	}
	if t.Caption != "" {
		m.line("%s:\n", escape(t.Caption))
	}
	m.line("|%s\n|%s", heads.String(), rules.String())
	rows := t.Rows
	if t.Listed > 0 {
		rows = rows[:min(t.Listed, len(rows))]
	}
	for _, r := range rows {
		line := "|"
		for _, i := range at {
			line += " " + m.cell(r.Cells[i]) + " |"
		}
		m.line("%s", line)
	}
	if n := len(t.Rows) - len(rows) + t.Left; n > 0 {
		m.line("\nand %s more", grouped(n))
	}
	m.line("")
}

// cell is a cell with what stands beneath it in brackets.
func (m *md) cell(x cell) string {
	s := escape(x.Main.text(inMarkdown))
	if sub := x.Sub.text(inMarkdown); sub != "" {
		s += " (" + escape(sub) + ")"
	}
	return s
}

func (m *md) warnings(list []string) {
	for _, w := range list {
		m.line("> ⚠ %s\n", escape(w))
	}
}

// findings writes sentences with what to do about them and what to doubt in them.
func (m *md) findings(list []findingView) {
	for _, f := range list {
		m.line("- %s", escape(f.Sentence))
		if f.Advice != "" {
			m.line("  *%s*", escape(f.Advice))
		}
		for _, w := range f.Warnings {
			m.line("  ⚠ %s", escape(w))
		}
	}
}

// escape returns one line of visible text with every character that Markdown or HTML gives a meaning made plain.
func escape(s string) string {
	var b strings.Builder
	s = oneLine(s)
	for i, r := range s {
		switch {
		// a mention, or a bare address that a renderer would link; "www." alone is one too
		case r == '@', r == ':', r == '.' && i >= 3 && strings.EqualFold(s[i-3:i], "www"):
			fmt.Fprintf(&b, "&#%d;", r)
		case strings.ContainsRune("<>&", r):
			b.WriteString(html.EscapeString(string(r)))
		case strings.ContainsRune("\\`*_{}[]()#!|~$", r):
			b.WriteString(`\` + string(r))
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}
