package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"hallmark/internal/assay"
)

// A matrixView sets the answers to all variants of a case side by side: a row for each reading, a column for each
// variant.
type matrixView struct {
	Letters bool // the marks are the letters under which the options stood
	Columns []string
	Rows    []matrixRow
	More    string // what the bound on columns left out
}

// A matrixRow is one reading: where it was given there is a mark, the letter of the option that was chosen or ●;
// elsewhere ·, and × where the answer is unscored.
type matrixRow struct {
	Reading, Verdict, Count string
	Cells                   []string
}

// newMatrix sets a row's answers side by side, over at most so many variants; nil where fewer than two were asked.
func newMatrix(r *assay.CaseRow, columns int) *matrixView {
	if len(r.Answers) < 2 {
		return nil
	}
	m := &matrixView{}
	m.Letters = slices.ContainsFunc(r.Answers, func(a assay.AnswerRow) bool { return a.Order != nil })
	answers := r.Answers
	if n := len(answers); n > columns {
		answers = answers[:columns]
		m.More = fmt.Sprintf("the first %d of %s", columns, count(n, "variant"))
	}
	m.Columns = each(answers, func(a assay.AnswerRow) string { return fmt.Sprint(a.Variant) })
	unscored := func(a assay.AnswerRow) bool { return a.Verdict == "unscored" }
	scored := slices.DeleteFunc(slices.Clone(answers), unscored)
	for _, g := range byCount(scored, func(a assay.AnswerRow) string { return a.Read }) {
		of := g[0]
		cells := each(answers, func(a assay.AnswerRow) string {
			switch {
			case unscored(a):
				return "×"
			case a.Read == of.Read:
				return mark(r, a, m.Letters)
			}
			return "·"
		})
		m.Rows = append(m.Rows,
			matrixRow{cmp.Or(clip(oneLine(of.Read), 300), "(empty)"), of.Verdict, fmt.Sprint(len(g)), cells})
	}
	return m
}

// mark is the letter under which the chosen option stood in its variant, or ● where that is not known.
func mark(r *assay.CaseRow, a assay.AnswerRow, letters bool) string {
	if letters {
		for position := range r.Options {
			option := position
			if a.Order != nil {
				if position >= len(a.Order) {
					break
				}
				option = a.Order[position]
			}
			if option < 0 || option >= len(r.Options) {
				break
			}
			if text := strings.TrimSpace(r.Options[option]); position < 26 &&
				(a.Text == r.Options[option] || strings.EqualFold(text, a.Read)) {
				return string(rune('A' + position))
			}
		}
	}
	return "●"
}

// Note says what the marks mean.
func (m *matrixView) Note() string {
	note := "a mark where a variant got the answer"
	if m.Letters {
		note = "the letter under which the option stood in the variant that chose it"
	}
	if m.More != "" {
		note += "; " + m.More
	}
	return note
}

// table sets the answers out: a column for each variant.
func (m *matrixView) table() table {
	t := table{Stacked: true, Brief: max(1, len(m.Rows)), Columns: []column{{Head: "variant", Kind: ofRaw, Least: 20}}}
	for _, c := range m.Columns {
		t.Columns = append(t.Columns, column{Head: c, Kind: ofCounts})
	}
	t.Columns = append(t.Columns, column{Head: "times", Kind: ofCounts}, column{Head: "verdict"})
	for _, r := range m.Rows {
		x := rowOf(r.Reading)
		for _, c := range append(r.Cells, r.Count) {
			x.Cells = append(x.Cells, cellOf(c))
		}
		verdict := cellOf(r.Verdict)
		verdict.Tone = called("tones of verdicts", r.Verdict)
		x.Cells = append(x.Cells, verdict)
		t.Rows = append(t.Rows, x)
	}
	return t
}
