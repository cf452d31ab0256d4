package papers

import (
	"cmp"
	"fmt"
	"slices"

	"hallmark/internal/assay"
	"hallmark/internal/metric/consistency"
	"hallmark/internal/report"
)

// mostPrompts is how many variants of a question an example shows.
const mostPrompts = 5

// An asked question is one of a benchmark, with what each model made of it.
type asked struct {
	id string
	of []*assay.CaseRow // by the cells of the benchmark; nil where a model was not asked
}

// examples is the paper's figure 1: of each benchmark a question that one model answers wrongly whatever the prompt,
// and another now so, now so; where there is none for two models, one of each kind.
func examples(r *runs, t *Table) {
	widest := 0
	var rows []*assay.CaseRow // of the records
	for _, column := range r.beside.Columns {
		models, questions := r.questions(column.Name)
		for _, q := range harms(questions) {
			asks := ""
			for i, row := range q.of {
				if row == nil {
					continue
				}
				widest = max(widest, min(mostPrompts, len(row.Answers)))
				rows = append(rows, row)
				t.add([]string{short(column.Name), short(q.id), models[i]})
				asks = cmp.Or(asks, fmt.Sprintf("%s asks: %s Its gold is %s.", short(q.id), cutTo(row.Prompt, 300),
					cutTo(row.Gold, 80)))
			}
			t.Notes = append(t.Notes, asks)
		}
	}
	var prompts []Figure
	for i := range widest {
		prompts = append(prompts, Figure{Key: fmt.Sprintf("answer_%d", i+1), Label: fmt.Sprintf("prompt %d", i+1)})
	}
	t.Figures = slices.Concat(prompts, t.Figures)
	for k, row := range rows {
		values := slices.Repeat([]Value{{Text: "–"}}, widest)
		for i := range min(widest, len(row.Answers)) {
			values[i].Text = cmp.Or(cutTo(row.Answers[i].Text, 24), "(empty)")
		}
		t.Records[k].Values = append(values, Value{Text: cmp.Or(tables.Labels[row.Category], "–")}, value(row.SC))
	}
}

// cutTo is a text in one line of so many letters at most.
func cutTo(s string, n int) string {
	s = report.OneLine(s)
	if runes := []rune(s); len(runes) > n {
		return string(runes[:n-1]) + "…"
	}
	return s
}

// questions are those of a benchmark, in the order of the first run that has them, and the models that answered.
func (r *runs) questions(column string) (models []string, out []*asked) {
	at := map[string]*asked{}
	var cells []int // of the benchmark, by their places
	for i := range r.beside.Grid.Cells {
		if c := &r.beside.Grid.Cells[i]; c.Column == column {
			cells, models = append(cells, i), append(models, r.called(c.Model))
		}
	}
	for place, i := range cells {
		c := &r.beside.Grid.Cells[i]
		d, on := r.beside.Source(i)
		run := slices.IndexFunc(r.all, func(a *assay.Assay) bool { return &a.Document == d })
		model := slices.IndexFunc(d.Models, func(m assay.ModelResult) bool { return m.On(c.Suite) == on })
		for _, row := range r.all[run].Cases.All() {
			if row.Suite != c.Suite || row.Model != d.Models[model].Model || row.R < 2 {
				continue
			}
			q := at[row.ID]
			if q == nil {
				q = &asked{id: row.ID, of: make([]*assay.CaseRow, len(models))}
				at[row.ID], out = q, append(out, q)
			}
			q.of[place] = row
		}
	}
	return models, out
}

// harms picks a question in which one model errs by chance and another steadily, or else one of each kind.
func harms(questions []*asked) []*asked {
	has := func(q *asked, category string) bool {
		return slices.ContainsFunc(q.of, func(r *assay.CaseRow) bool { return r != nil && r.Category == category })
	}
	first := func(of func(*asked) bool) *asked {
		if i := slices.IndexFunc(questions, of); i >= 0 {
			return questions[i]
		}
		return nil
	}
	moves := func(q *asked) bool { return has(q, consistency.Randomness) }
	stays := func(q *asked) bool { return has(q, consistency.PromptAgnosticError) }
	if both := first(func(q *asked) bool { return moves(q) && stays(q) }); both != nil {
		return []*asked{both}
	}
	return slices.DeleteFunc([]*asked{first(moves), first(stays)}, func(q *asked) bool { return q == nil })
}
