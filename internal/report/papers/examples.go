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
func examples(r *runs) (*Table, error) {
	t := &Table{Title: "The same error by chance, and steadily", Heads: []Head{{Key: "benchmark", Label: "benchmark"},
		{Key: "case_id", Label: "case"}, {Key: "model", Label: "model"}}}
	widest := 0
	type example struct {
		heads []string
		row   *assay.CaseRow
	}
	var shown []example
	for _, column := range r.beside.Columns {
		models, questions := r.questions(column.Name)
		for _, q := range harms(questions) {
			for i, row := range q.of {
				if row == nil {
					continue
				}
				widest = max(widest, min(mostPrompts, len(row.Answers)))
				shown = append(shown, example{[]string{short(column.Name), short(q.id), models[i]}, row})
			}
			for _, row := range q.of {
				if row != nil {
					t.Notes = append(t.Notes, fmt.Sprintf("%s asks: %s Its gold is %s.", short(q.id),
						cutTo(row.Prompt, 300),
						cutTo(row.Gold, 80)))
					break
				}
			}
		}
	}
	for i := range widest {
		t.Figures = append(t.Figures, Figure{Key: fmt.Sprintf("answer_%d", i+1), Label: fmt.Sprintf("prompt %d", i+1)})
	}
	t.Figures = append(t.Figures, Figure{Key: "category", Label: "category"},
		Figure{Key: "self_consistency", Label: "SC", Write: Share})
	for _, x := range shown {
		var values []Value
		for i := range widest {
			v := Value{Text: "–"}
			if i < len(x.row.Answers) {
				v.Text = cmp.Or(trimmed(x.row.Answers[i].Text), "(empty)")
			}
			values = append(values, v)
		}
		values = append(values, Value{Text: cmp.Or(categories[x.row.Category], "–")}, value(x.row.SC))
		t.Records = append(t.Records, Record{x.heads, values})
	}
	return t, nil
}

// trimmed is an answer as it has room in a table.
func trimmed(s string) string { return cutTo(s, 24) }

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
	for i := range r.beside.Grid.Cells {
		if c := &r.beside.Grid.Cells[i]; c.Column == column {
			models = append(models, r.called(c.Model))
		}
	}
	place := 0
	for i := range r.beside.Grid.Cells {
		c := &r.beside.Grid.Cells[i]
		if c.Column != column {
			continue
		}
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
		place++
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
