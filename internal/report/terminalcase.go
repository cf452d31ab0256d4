package report

import (
	"fmt"
	"io"
	"strings"

	"hallmark/internal/assay"
)

// maxSideBySide is how many variants a terminal sets side by side.
const maxSideBySide = 1000

// Case writes everything that is known of one case: what was asked, the verdicts with rule and evidence, and each
// answer under the way it was read. Texts are shown whole, up to 20,000 characters each, with what could steer the
// terminal made visible.
func Case(w io.Writer, row *assay.CaseRow, style Style) error {
	const limit = 20000
	p := newPrinter(w, style)
	c := newCase(row, limit, maxSideBySide, true)
	p.line(p.bold(clip(c.ID, p.width)), p.dim(
		clip(gap(fmt.Sprintf("%s on %s", oneLine(row.Model), oneLine(row.Suite))), max(0, p.width-TextWidth(c.ID)))))
	p.line()
	p.blocks(c.Body...)
	return p.w.Flush()
}

// Cases writes the same case of several models: first their answers side by side, then each as Case does.
func Cases(w io.Writer, rows []*assay.CaseRow, style Style) error {
	if len(rows) > 1 {
		p := newPrinter(w, style)
		c := chapter{Title: "Side by side", Over: "the answers of each model, by variant"}
		for _, r := range rows {
			if m := newMatrix(r, maxSideBySide); m != nil {
				t := m.table
				t.Caption = strings.TrimSuffix(fmt.Sprintf("%s on %s  %s", oneLine(r.Model), oneLine(r.Suite),
					called("categories", r.Category)), "  ")
				c.Body = append(c.Body, t)
			}
		}
		p.blocks(c)
		p.line()
		if err := p.w.Flush(); err != nil {
			return err
		}
	}
	for _, r := range rows {
		if err := Case(w, r, style); err != nil {
			return err
		}
	}
	return nil
}

const fieldCells = 18

// fields write named texts, line by line.
func (p *printer) fields(b fields) {
	for _, f := range b.List {
		lead := fit(oneLine(f.Name), fieldCells-1) + " "
		for i, t := range f.Texts {
			said := ""
			if t.Left > 0 {
				t.Shown += fmt.Sprintf(" … %d more characters", t.Left)
			}
			if i == 0 && f.Lead != "" {
				said = oneLine(f.Lead)
				t.Shown = said + " " + t.Shown
			}
			for _, paragraph := range strings.Split(t.Shown, "\n") {
				lines := Wrap(paragraph, p.width-fieldCells)
				if len(lines) == 0 {
					lines = []string{""}
				}
				for _, l := range lines {
					if rest, ok := strings.CutPrefix(l, said); ok {
						l, said = p.tone(f.Tone, said)+rest, ""
					}
					p.line(p.dim(lead), l)
					lead = strings.Repeat(" ", fieldCells)
				}
			}
		}
	}
}
