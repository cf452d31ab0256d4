package report

import (
	"bufio"
	"cmp"
	"io"
	"strings"

	"hallmark/internal/assay"
	"hallmark/internal/assay/gate"
	"hallmark/internal/metric/rate"
)

// commented is how many failed cases of a kind a comment shows.
const commented = 5

// commentShares are the shares of a comment, in order.
var commentShares = []string{"incorrect", "not_attempted", "ungradable", "correct"}

// Comment writes of a run what a comment on a change has room for: the verdict, the outcomes in one table, and the
// first failed answers of each model and suite. Texts are escaped as in Markdown.
func Comment(w io.Writer, a *assay.Assay) error {
	v := newView(a)
	m := &md{bufio.NewWriter(w)}
	m.blocks(partials(v.Doc.Incomplete)...)
	m.blocks(acceptedBlock(v.Doc.Accept))
	for _, s := range v.Sections {
		m.line("### %s\n", escape(s.headline().text(inMarkdown)))
		t := table{Columns: heads("share of the answers", "value", ci)}
		for _, key := range commentShares {
			if f := s.t.of("rubric", "outcomes", key); f.OK {
				t.add(f.Label, bounded(f))
			}
		}
		m.blocks(t)
		first, n := s.failing()
		if n > 0 {
			m.line("**%s**\n", escape(count(n, "failed answer")))
		}
		for _, r := range first {
			m.line("- %s: %s", escape(clip(oneLine(r.ID), 60)), escape(middle(r.Prompt)))
			m.line("  - gold: %s", escape(middle(r.Gold)))
			m.line("  - answer: %s", escape(middle(answerOf(r))))
		}
		m.more(n - len(first))
		m.line("")
	}
	m.warnings(v.t.texts("run", "warnings"))
	m.line("run `%s` · hallmark %s", strings.ReplaceAll(oneLine(v.Doc.Run.ID), "`", ""),
		escape(oneLine(v.Doc.Run.Version)))
	return cmp.Or(m.w.Flush(), a.Err())
}

// CompareComment writes of a comparison what a comment on a change has room for: the verdict, the outcomes before and
// after in one table, and the first answers that regressed and that were fixed. Texts are escaped as in Markdown.
func CompareComment(w io.Writer, r *rate.Reduction, base, other string, accept ...gate.Acceptance) error {
	c := newComparison(r)
	m := &md{bufio.NewWriter(w)}
	m.blocks(c.first(accept)...)
	t := table{Columns: heads("share of the answers", "before", "after", "change in points", ci)}
	for _, key := range commentShares {
		at := func(side string) fig { return c.t.of("outcomes", side, key) }
		if d := at("difference"); d.OK {
			t.add(d.Label, at("base"), at("other"), inPoints(d), d.Unit.Change(d.Lo)+" to "+d.Unit.Change(d.Hi))
		}
	}
	m.blocks(t)
	m.changed("regressed", c.t.Whole("only_other_failed"), c.answersOf("other"))
	m.changed("fixed", c.t.Whole("only_base_failed"), c.answersOf("base"))
	m.warnings(c.t.texts("warnings"))
	m.line("before: %s<br>after: %s", escape(oneLine(base)), escape(oneLine(other)))
	return m.w.Flush()
}

// changed writes the first of so many cases that regressed or were fixed, with both answers.
func (m *md) changed(how string, n int, b bothSides) {
	m.line("**%s**\n", escape(count(n, "case")+" "+how))
	if b.List = b.List[:min(commented, len(b.List))]; len(b.List) > 0 {
		m.bothSides(b)
	}
	m.more(n - len(b.List))
}

// more says how many cases are left out.
func (m *md) more(n int) {
	if n > 0 {
		m.line("\nand %s more\n", grouped(n))
	}
}
