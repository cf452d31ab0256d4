package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"hallmark/internal/assay"
)

// A matrixView sets the answers to all variants of a case side by side: a row for each reading, a column for each variant.
type matrixView struct {
	Letters bool // the marks are the letters under which the options stood
	Columns []string
	Rows    []matrixRow
	More    string // what the bound on columns left out
}

// A matrixRow is one reading: where it was given there is a mark, the letter of the option that was chosen or ●; elsewhere ·, and × where the
// answer is unscored.
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
	for _, a := range r.Answers {
		m.Letters = m.Letters || a.Order != nil
	}
	answers := r.Answers
	if n := len(answers); n > columns {
		answers = answers[:columns]
		m.More = fmt.Sprintf("the first %d of %s", columns, count(n, "variant"))
	}
	index := map[string]int{}
	counts := []int{}
	for column, a := range answers {
		m.Columns = append(m.Columns, fmt.Sprint(a.Variant))
		for i := range m.Rows {
			m.Rows[i].Cells = append(m.Rows[i].Cells, "·")
		}
		if a.Verdict == "unscored" {
			for i := range m.Rows {
				m.Rows[i].Cells[column] = "×"
			}
			continue
		}
		i, seen := index[a.Read]
		if !seen {
			i = len(m.Rows)
			index[a.Read] = i
			label := clip(oneLine(a.Read), 300)
			if label == "" {
				label = "(empty)"
			}
			row := matrixRow{Reading: label, Verdict: a.Verdict}
			for _, b := range answers[:column+1] {
				row.Cells = append(row.Cells, map[bool]string{true: "×", false: "·"}[b.Verdict == "unscored"])
			}
			m.Rows = append(m.Rows, row)
			counts = append(counts, 0)
		}
		m.Rows[i].Cells[column] = mark(r, a, m.Letters)
		counts[i]++
	}
	order := make([]int, len(m.Rows))
	for i := range order {
		order[i] = i
		m.Rows[i].Count = fmt.Sprint(counts[i])
	}
	slices.SortStableFunc(order, func(a, b int) int { return counts[b] - counts[a] })
	rows := make([]matrixRow, len(order))
	for i, j := range order {
		rows[i] = m.Rows[j]
	}
	m.Rows = rows
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
			if text := strings.TrimSpace(r.Options[option]); position < 26 && (a.Text == r.Options[option] || strings.EqualFold(text, a.Read)) {
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

// matrix writes the answers side by side, in blocks of as many variants as the width holds.
func (p *printer) matrix(m *matrixView) {
	const tail = 16 // verdict and count
	cell := 3
	for _, c := range m.Columns {
		cell = max(cell, len(c)+1)
	}
	label := min(28, p.width/3)
	per := max(1, (p.width-label-tail)/cell)
	for from := 0; from < len(m.Columns); from += per {
		to := min(len(m.Columns), from+per)
		head := fit("  variant", label)
		for _, c := range m.Columns[from:to] {
			head += fitLeft(c, cell)
		}
		p.line(p.dim(head))
		for _, r := range m.Rows {
			line := fit("  "+r.Reading, label)
			for _, c := range r.Cells[from:to] {
				line += fitLeft(c, cell)
			}
			if to == len(m.Columns) {
				line += "  " + fitLeft(r.Count, 4) + " " + r.Verdict
			}
			p.line(clip(line, p.width))
		}
	}
}

// Cases writes the same case of several models: first their answers side by side, then each as Case does.
func Cases(w io.Writer, rows []*assay.CaseRow, style Style) error {
	if len(rows) > 1 {
		p := newPrinter(w, style)
		p.head("SIDE BY SIDE", "the answers of each model, by variant")
		for _, r := range rows {
			m := newMatrix(r, 1000)
			if m == nil {
				continue
			}
			word := ""
			if name, ok := categories[r.Category]; ok {
				word = "  " + name
			}
			p.line(p.bold(clip(fmt.Sprintf("%s on %s", oneLine(r.Model), oneLine(r.Suite)), p.width-columns(word))), p.tone(categoryTone(r.Category), word))
			p.matrix(m)
		}
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
