package report

import (
	"fmt"
	"io"
	"strings"

	"hallmark/internal/assay"
)

// Case writes everything that is known of one case: what was asked, the verdicts with rule and evidence, and each answer under
// the way it was read. Texts are shown whole, up to 20,000 characters each, with what could steer the terminal made visible.
func Case(w io.Writer, row *assay.CaseRow, style Style) error {
	const limit = 20000
	p := newPrinter(w, style)
	c := newCase(row, limit, true)
	p.line(p.bold(clip(c.ID, p.width)), p.dim(clip(gap(fmt.Sprintf("%s on %s", oneLine(row.Model), oneLine(row.Suite))), max(0, p.width-columns(c.ID)))))
	if c.Meta != "" {
		p.painted("", c.Meta, p.dim)
	}
	p.line()
	if c.System != nil {
		p.field("system", *c.System)
	}
	for _, x := range c.Context {
		p.field("context "+x.ID, x.Text)
	}
	p.field("question", c.Prompt)
	for i, o := range c.Options {
		p.field(fmt.Sprintf("option %d", i+1), text{Shown: o})
	}
	p.field("gold", text{Shown: c.Gold})
	if c.Stability != "" {
		p.field("stability", text{Shown: c.Stability})
	}
	if c.Scores != "" {
		p.field("detectors", text{Shown: c.Scores})
	}
	if c.Advice != "" {
		p.field("posterior", text{Shown: c.Advice})
	}
	p.verdicts(&c)
	if m := newMatrix(row, 1000); m != nil {
		p.head("SIDE BY SIDE", m.Note())
		p.matrix(m)
	}
	for _, g := range c.Groups {
		p.head(clip(g.Reading, p.width-30), strings.TrimSuffix(g.Count+" · "+g.Verdict, " · "))
		for _, a := range g.Answers {
			p.field("  "+a.Name, a.Prompt)
			if a.Failure != "" {
				p.field("", text{Shown: "→ " + a.Failure})
			} else {
				p.field("", text{"→ " + a.Text.Shown, a.Text.Left})
			}
			if a.Retrieved != "" {
				p.field("", text{Shown: "retrieved " + a.Retrieved})
			}
		}
	}
	if len(c.Draws) > 0 {
		p.head("DRAWN AT TEMPERATURE 1", "")
		for _, d := range c.Draws {
			p.line("  ", fit(d.Count, 10), clip(d.Reading, p.width-25), p.dim(gap(d.Verdict)))
		}
	}
	return p.w.Flush()
}

const fieldCells = 18

// verdicts writes how a case came out, and the verdicts with rule and evidence.
func (p *printer) verdicts(c *caseView) {
	if c.VerdictWord != "" || c.CategoryWord != "" {
		words := p.tone(c.VerdictTone, c.VerdictWord)
		if c.CategoryWord != "" {
			if words != "" {
				words += "; "
			}
			words += p.tone(c.CategoryTone, c.CategoryWord)
		}
		p.line(fit("outcome", fieldCells), words)
	}
	if len(c.Axes) > 0 {
		p.head("VERDICTS", strings.TrimSuffix("on the default prompt; the model "+c.Act, "; the model "))
	}
	for _, a := range c.Axes {
		tone := map[string]string{"v-fail": "err", "v-pass": "ok", "v-ungradable": "rnd", "v-unscored": "rnd"}[a.Tone]
		lead := fit(a.Name, 14) + p.tone(tone, fit(a.Verdict, 11))
		for i, l := range wrap(strings.TrimSpace(a.Rule+" "+a.Evidence), p.width-25) {
			if i > 0 {
				lead = strings.Repeat(" ", 25)
			}
			p.line(lead, l)
			lead = ""
		}
		if lead != "" {
			p.line(lead)
		}
	}
}

// field writes a named text, line by line.
func (p *printer) field(name string, t text) {
	lead := fit(name, fieldCells-1) + " "
	if t.Left > 0 {
		t.Shown += fmt.Sprintf(" … %d more characters", t.Left)
	}
	for _, paragraph := range strings.Split(t.Shown, "\n") {
		lines := wrap(paragraph, p.width-fieldCells)
		if len(lines) == 0 {
			lines = []string{""}
		}
		for _, l := range lines {
			p.line(p.dim(lead), l)
			lead = strings.Repeat(" ", fieldCells)
		}
	}
}
