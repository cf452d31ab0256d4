package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"hallmark/internal/assay"
)

// A matrix sets the answers to all variants of a case side by side: a row for each reading, a column for each variant.
// Where a reading was given there is a mark, the letter of the option that was chosen or ●; elsewhere ·, and × where
// the answer is unscored.
type matrix struct {
	table
	note string // what the marks mean
}

// newMatrix sets a row's answers side by side, over at most so many variants; nil where fewer than two were asked.
func newMatrix(r *assay.CaseRow, variants int) *matrix {
	if len(r.Answers) < 2 {
		return nil
	}
	m := &matrix{note: "a mark where a variant got the answer"}
	letters := slices.ContainsFunc(r.Answers, func(a assay.AnswerRow) bool { return a.Order != nil })
	if letters {
		m.note = "the letter under which the option stood in the variant that chose it"
	}
	answers := r.Answers
	if n := len(answers); n > variants {
		answers = answers[:variants]
		m.note += fmt.Sprintf("; the first %d of %s", variants, count(n, "variant"))
	}
	unscored := func(a assay.AnswerRow) bool { return a.Verdict == "unscored" }
	readings := byCount(slices.DeleteFunc(slices.Clone(answers), unscored),
		func(a assay.AnswerRow) string { return a.Read })
	m.table = table{Stacked: true, Brief: max(1, len(readings)), Columns: slices.Concat(
		[]column{{Head: "variant", Kind: ofRaw, Least: 20}}, each(answers, func(a assay.AnswerRow) column {
			return countsOf(fmt.Sprint(a.Variant))
		}), []column{countsOf("times"), textOf("verdict")})}
	for _, g := range readings {
		of := g[0]
		verdict := cellOf(of.Verdict).toned(called("tones of verdicts", of.Verdict))
		m.add(cmp.Or(clip(oneLine(of.Read), 300), "(empty)"), each(answers, func(a assay.AnswerRow) cell {
			switch {
			case unscored(a):
				return cellOf("×")
			case a.Read == of.Read:
				return cellOf(mark(r, a, letters))
			}
			return cellOf("·")
		}), fmt.Sprint(len(g)), verdict)
	}
	return m
}

// mark is the letter under which the chosen option stood in its variant, or ● where that is not known.
func mark(r *assay.CaseRow, a assay.AnswerRow, letters bool) string {
	order := a.Order
	for i := range r.Options {
		if a.Order == nil {
			order = append(order, i)
		}
	}
	for position, option := range order[:min(len(order), len(r.Options), 26)] {
		if !letters || option < 0 || option >= len(r.Options) {
			break
		}
		if o := r.Options[option]; a.Text == o || strings.EqualFold(strings.TrimSpace(o), a.Read) {
			return string(rune('A' + position))
		}
	}
	return "●"
}
