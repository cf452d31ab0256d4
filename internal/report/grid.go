package report

import (
	"fmt"
	"html/template"
	"io"
	"slices"
	"strconv"

	"hallmark/internal/assay"
	"hallmark/internal/metric/consistency"
	"hallmark/internal/stat"
)

// grid sets the models and suites of a run side by side.
func grid(t tree, models []assay.ModelResult, suites []assay.SuiteInfo, in where) block {
	if !t.Has("grid") {
		return nil
	}
	t = t.sub("grid")
	places := map[[2]string]int{}
	for i, c := range t.items("cells") {
		places[[2]string{c.Text("model"), c.Text("suite")}] = i
	}
	at := func(model, suite string, keys ...string) fig {
		i, ok := places[[2]string{model, suite}]
		if !ok {
			return fig{}
		}
		return t.of(slices.Concat([]string{"cells", strconv.Itoa(i)}, keys)...)
	}
	cells := table{Stacked: true, Columns: []column{{Head: "model", Kind: ofNames}}}
	below := ""
	if r := t.Whole("common_r"); r > 0 {
		below = fmt.Sprintf("; below it ambiguity at %d variants, which can be compared across columns", r)
	}
	for _, s := range suites {
		cells.Columns = append(cells.Columns, columnOf(oneLine(s.Name)))
	}
	for _, m := range models {
		r := rowOf(oneLine(m.Model))
		for _, s := range suites {
			r.Cells = append(r.Cells, gridCell(func(keys ...string) fig { return at(m.Model, s.Name, keys...) }))
		}
		cells.Rows = append(cells.Rows, r)
	}
	terms := chapter{Title: "Old terms against new",
		Over: "the default prompt alone, and the same questions over all wordings", Inner: true,
		Lede: say("The old terms are what the default prompt alone says: factual or hallucination. The new ones are of " +
			"the same questions over all wordings.")}
	colours := legend(part{1, "ok", "right: factual"}, part{1, "err", "wrong: hallucination"}, part{1, "rnd", "random"})
	terms.Body = []block{drawing{SVG: []template.HTML{colours}}, note{Text: say("█ right ▓ wrong ░ random"),
		Kind: noteAside, In: inTerminal}}
	for _, s := range suites {
		if t := termTable(oneLine(s.Name), models, func(model string, keys ...string) fig {
			return at(model, s.Name,
				keys...)
		}); len(t.Rows) > 0 {
			terms.Body = append(terms.Body, t)
		}
	}
	if len(terms.Body) == 2 {
		terms.Body = nil
	}
	return chapter{
		ID: "grid", Name: "Grid", Title: "Models and suites", At: "grid", In: in, Run: true, Over: "accuracy ± deviation over " +
			"variants | ambiguity, in percent",
		Lede: say("Accuracy ± its standard deviation over variants | ambiguity, in percent", only(onPage, below), "."),
		Body: []block{cells, terms, findings{newFindings(t, "trends")}, warnings{List: t.texts("warnings")}},
	}
}

// gridCell is what the grid has of a model on a suite: 39.34 ± 0.75 | 17.14, in percent.
func gridCell(at func(keys ...string) fig) cell {
	accuracy, ambiguity := at("accuracy"), at("ambiguity")
	if !at("questions").OK {
		return cellOf("–")
	}
	c := cellOf("–", " | ", ambiguity)
	if accuracy.OK {
		c = cellOf(accuracy, " ± ", at("accuracy", "sd"), " | ", ambiguity)
	}
	if r := at("ambiguity_at_r"); r.OK {
		c.Sub = only(onPage, r)
	}
	return c
}

// termTable sets the taxonomy of the models on a suite beside the terms of one prompt.
func termTable(suite string, models []assay.ModelResult, at func(model string, keys ...string) fig) table {
	t := table{Caption: suite, Stacked: true, Columns: []column{{Head: "model", Kind: ofNames}, {Head: "terms"},
		{Kind: ofBars},
		columnOf("right"), columnOf("wrong"), columnOf("random")}}
	for _, m := range models {
		factual, hallucination := at(m.Model, "old_terms", "factual"), at(m.Model, "old_terms", "hallucination")
		right, wrong, random := at(m.Model, "taxonomy", consistency.PromptAgnosticFactual),
			at(m.Model, "taxonomy", consistency.PromptAgnosticError),
			at(m.Model, "taxonomy", consistency.Randomness)
		if !factual.OK || !right.OK {
			continue
		}
		old := cellOfBar(fmt.Sprintf("by the default prompt alone %s factual, %s hallucination", factual.Text(),
			hallucination.Text()), factual, hallucination)
		over := cellOfBar(fmt.Sprintf("over the variants %s right and stable, %s wrong and stable, %s random", right.Text(),
			wrong.Text(), random.Text()), right, wrong, random)
		t.Rows = append(t.Rows, rowOf(oneLine(m.Model), cellOf("old"), old, cellOf(factual), cellOf(hallucination), cell{}),
			rowOf("", cellOf("new"), over, cellOf(right), cellOf(wrong), cellOf(random)))
	}
	return t
}

// GridColumns are the columns of GridCSV, in order. Later releases add columns at the end and change none. A share
// and its interval are NAME, NAME_lo and NAME_hi; what was not measured is empty. Of the answers to the default
// prompt, incorrect_least and incorrect_most are what was read, and incorrect_lo and incorrect_hi its bounds;
// implied_incorrect is what the check of the graders implies, of implied_check_n labelled answers, with the p of its
// test of fit; only these two are there where the check does not carry over.
var GridColumns = func() []string {
	out := []string{"run", "model", "suite", "questions", "variants_min", "variants_max"}
	for _, name := range []string{"semantic_stability", "accuracy"} {
		out = append(out, name, name+"_lo", name+"_hi")
	}
	out = append(out, "accuracy_sd", "accuracy_default", "ambiguity", "ambiguity_lo", "ambiguity_hi", "common_r",
		"ambiguity_at_r", "ambiguity_at_r_lo", "ambiguity_at_r_hi")
	for _, name := range []string{"old_factual", "old_hallucination", "prompt_agnostic_factual", "prompt_agnostic_error",
		"randomness"} {
		out = append(out, name, name+"_lo", name+"_hi")
	}
	return append(out, "answers", "incorrect_least", "incorrect_most", "incorrect_lo", "incorrect_hi",
		"implied_incorrect", "implied_incorrect_lo", "implied_incorrect_hi", "implied_fit_p", "implied_check_n")
}()

// GridCSV writes a row for each model and suite whose consistency was measured, or whose answers were graded:
// accuracy with its deviation, ambiguity, the old terms, the taxonomy, and the wrong answers to the default prompt. A
// run of one model on one suite has one row. Cells are guarded as those of CSV.
func GridCSV(w io.Writer, a *assay.Assay) error {
	var rows [][]string
	d := &a.Document
	for i := range d.Models {
		m := &d.Models[i]
		for _, s := range d.Run.Suites {
			r := m.On(s.Name)
			c := measuredCell(d, m.Model, s.Name, r)
			outcomes := outcomeRecord(r)
			if c.Questions > 0 || outcomes[0] != "" {
				rows = append(rows, append(gridRecord(d.Run.ID, c), outcomes...))
			}
		}
	}
	for _, row := range rows {
		for i := range row {
			row[i] = guard(row[i])
		}
	}
	return writeRows(w, GridColumns, slices.Values(rows))
}

// measuredCell returns what the grid has of a model on a suite, or of the only one of a run; without figures where
// consistency was not measured.
func measuredCell(d *assay.Document, model, suite string, r *assay.SuiteResult) *assay.GridCell {
	if d.Grid != nil {
		for i := range d.Grid.Cells {
			if c := &d.Grid.Cells[i]; c.Model == model && c.Suite == suite {
				return c
			}
		}
	}
	out := &assay.GridCell{Model: model, Suite: suite}
	if d.Grid == nil && r != nil && r.Consistency != nil && r.Consistency.Questions > 0 {
		c := r.Consistency
		out.Questions, out.Variants, out.SemanticStability = c.Questions, c.Variants, c.SemanticStability
		out.Accuracy, out.Ambiguity, out.AmbiguityAtR = c.Accuracy, c.Ambiguity, c.AmbiguityAtR
		out.OldTerms, out.TaxonomyIntervals = c.OldTerms, c.TaxonomyIntervals
	}
	return out
}

// outcomeRecord are the cells of the wrong answers, as read and as the check of the graders implies.
func outcomeRecord(r *assay.SuiteResult) []string {
	cells := make([]string, 10)
	if r == nil || r.Rubric == nil || r.Rubric.Outcomes.Incorrect == nil {
		return cells
	}
	o := &r.Rubric.Outcomes
	least, most := o.Incorrect.Ends()
	cells[0] = strconv.Itoa(o.N)
	cells[1], cells[2], cells[3], cells[4] = exact(least), exact(most), exact(o.Incorrect.Lo), exact(o.Incorrect.Hi)
	if v := o.Grading.Implied; v != nil {
		if i := v.Incorrect; i != nil {
			cells[5], cells[6], cells[7] = exact(i.Value), exact(i.Lo), exact(i.Hi)
		}
		cells[8], cells[9] = orEmpty(v.FitP), strconv.Itoa(v.CheckN)
	}
	return cells
}

func gridRecord(run string, c *assay.GridCell) []string {
	row := []string{run, c.Model, c.Suite, strconv.Itoa(c.Questions), strconv.Itoa(c.Variants.Min),
		strconv.Itoa(c.Variants.Max)}
	put := func(xs ...*float64) {
		for _, x := range xs {
			s := ""
			if x != nil {
				s = exact(*x)
			}
			row = append(row, s)
		}
	}
	interval := func(i *stat.Estimate) {
		if i == nil {
			put(nil, nil, nil)
			return
		}
		put(&i.Value, &i.Lo, &i.Hi)
	}
	interval(c.SemanticStability)
	if a := c.Accuracy; a != nil {
		put(&a.Value, &a.Lo, &a.Hi, &a.SD, a.Default)
	} else {
		put(nil, nil, nil, nil, nil)
	}
	interval(c.Ambiguity)
	if a := c.AmbiguityAtR; a != nil {
		row = append(row, strconv.Itoa(a.R))
		put(&a.Value, &a.Lo, &a.Hi)
	} else {
		row = append(row, "")
		put(nil, nil, nil)
	}
	if o := c.OldTerms; o != nil {
		interval(&o.Factual.Estimate)
		interval(&o.Hallucination.Estimate)
	} else {
		interval(nil)
		interval(nil)
	}
	t := c.TaxonomyIntervals
	if t == nil {
		t = &consistency.Taxonomy[*stat.Estimate]{}
	}
	interval(t.Factual)
	interval(t.Error)
	interval(t.Randomness)
	return row
}
