package report

import (
	"cmp"
	"html/template"
)

// BothSides are the cases that only one of two runs failed, with both answers beside each other and the words marked in
// which these differ.
type bothSides struct {
	List  []changedCase
	Shown int // in a terminal; those on a page stand closed but for the first of them
}

// A changedCase is one of them.
type changedCase struct {
	ID, Question, Gold string
	Base, Other        []piece
}

// opened is how many changed cases of each kind stand open on a page, the others being folded together, and briefBoth
// how many a terminal shows.
const (
	opened    = 3
	briefBoth = 3
)

func (b bothSides) stands(where) bool { return len(b.List) > 0 }

// answersOf sets out the cases that one run alone failed, where what they ask and what was answered is known.
func (c comparison) answersOf(failed string) bothSides {
	var out bothSides
	for _, x := range c.t.items("discordant", "cases") {
		if x.Text("failed") != failed || !x.Has("answers", "question") || len(out.List) == maxDiscordant {
			continue
		}
		at := func(key string) string { return x.Text("answers", key) }
		one := changedCase{ID: clip(oneLine(x.Text("case_id")), 60), Question: middle(at("question")),
			Gold: cmp.Or(middle(at("gold")), "none")}
		one.Base, one.Other = wordDiff(cmp.Or(at("base"), "(empty)"), cmp.Or(at("other"), "(empty)"))
		out.List = append(out.List, one)
	}
	out.Shown = min(briefBoth, len(out.List))
	if c.whole {
		out.Shown = len(out.List)
	}
	return out
}

// bothAnswers sets out the answers of the cases that only one run failed: those that regressed first.
func (c comparison) bothAnswers() block {
	part := func(title, failed string) block {
		x := c.answersOf(failed)
		return inner(title, x).over(count(len(x.List), "question"))
	}
	return chapterOf("compare/answers", part("Regressed in other", "other"), part("Fixed in other", "base"))
}

// First stand open on a page, and Rest are folded together.
func (b bothSides) First() []changedCase { return b.List[:min(opened, len(b.List))] }
func (b bothSides) Rest() []changedCase  { return b.List[len(b.First()):] }

// Title is as much of the question as a page lists the case by.
func (x changedCase) Title() string { return clip(x.Question, 120) }

// Marked are the pieces of an answer on a page.
func (changedCase) Marked(answer []piece) template.HTML {
	return template.HTML(marked(answer, "<mark>", "</mark>", func(s string) string { return string(escaped(s)) }))
}

// bothSides writes them in a terminal.
func (p *printer) bothSides(b bothSides) {
	for _, x := range b.List[:b.Shown] {
		p.line()
		p.line(p.bold(x.ID))
		var f fields
		f.add("question", text{Shown: x.Question})
		f.add("gold", text{Shown: x.Gold})
		f.add("base", text{Shown: marked(x.Base, "[-", "-]", oneLine)})
		f.add("other", text{Shown: marked(x.Other, "{+", "+}", oneLine)})
		p.fields(f)
	}
	p.more(len(b.List)-b.Shown, "such question; -v shows all", "such questions; -v shows all")
}

// bothSides writes them in Markdown, the first of them.
func (m *md) bothSides(b bothSides) {
	for _, x := range b.List[:min(maxListed, len(b.List))] {
		m.line("- %s: %s", escape(x.ID), escape(x.Question))
		m.line("  - gold: %s", escape(x.Gold))
		m.line("  - base: %s", marked(x.Base, "**", "**", escape))
		m.line("  - other: %s", marked(x.Other, "**", "**", escape))
	}
	if n := len(b.List) - maxListed; n > 0 {
		m.line("\nand %s more", grouped(n))
	}
	m.line("")
}
