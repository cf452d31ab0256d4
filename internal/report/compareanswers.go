package report

import (
	"cmp"
	"html/template"
	"strings"
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

// HTML sets both answers side by side: the first stand open, and the others are folded.
func (b bothSides) HTML() template.HTML {
	var out strings.Builder
	text := func(s string) string { return template.HTMLEscapeString(Visible(s)) }
	left := len(b.List) - opened
	for i, x := range b.List {
		open := ""
		if i < opened {
			open = ` open=""`
		}
		if i == opened {
			out.WriteString(`<details class="more"><summary>` + count(left, "more question") + `</summary>`)
		}
		side := func(name string, list []piece) string {
			return `<dd><span class="side">` + name + `</span><div class="raw" dir="auto">` +
				marked(list, "<mark>", "</mark>", text) + "</div></dd>"
		}
		named := func(name, s string) string {
			return "<dt>" + name + `</dt><dd><div class="raw" dir="auto">` + text(s) + "</div></dd>"
		}
		title, question := clip(x.Question, 120), ""
		if title != x.Question {
			question = named("question", x.Question)
		}
		out.WriteString(`<details class="more"` + open + "><summary>" + text(x.ID) + " · " + text(title) +
			`</summary><div class="in"><dl>` + question + named("right answer", x.Gold) +
			`</dl><dl class="beside"><dt>both answers</dt>` + side("base", x.Base) + side("other", x.Other) +
			"</dl></div></details>")
	}
	if left > 0 {
		out.WriteString("</details>")
	}
	return template.HTML(out.String())
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
