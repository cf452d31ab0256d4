package report

import (
	"fmt"
	"html/template"
	"io"
	"slices"
	"strconv"

	"hallmark/internal/assay"
	"hallmark/internal/metric/consistency"
)

// grid sets the models and suites of a run side by side.
func grid(t tree, models []assay.ModelResult, suites []assay.SuiteInfo, in where) block {
	if !t.Has("grid") {
		return nil
	}
	t = t.sub("grid")
	measured := map[[2]string]figsOf{}
	for i, c := range t.items("cells") {
		measured[[2]string{c.Text("model"), c.Text("suite")}] = t.under("cells", strconv.Itoa(i))
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
		r := rowOf(oneLine(m.Called()))
		for _, s := range suites {
			r.Cells = append(r.Cells, gridCell(measured[[2]string{m.Model, s.Name}]))
		}
		cells.Rows = append(cells.Rows, r)
	}
	terms := chapter{Title: "Old terms against new",
		Over: "the default prompt alone, and the same questions over all wordings", Inner: true,
		Lede: say(
			"The old terms are what the default prompt alone says: factual or hallucination. The new ones are of " +
				"the same questions over all wordings.")}
	colours := legend(part{1, "ok", "right: factual"}, part{1, "err", "wrong: hallucination"}, part{1, "rnd", "random"})
	terms.Body = []block{drawing{SVG: []template.HTML{colours}}, note{Text: say("█ right ▓ wrong ░ random"),
		Kind: noteAside, In: inTerminal}}
	for _, s := range suites {
		if t := termTable(s.Name, models, measured); len(t.Rows) > 0 {
			terms.Body = append(terms.Body, t)
		}
	}
	if len(terms.Body) == 2 {
		terms.Body = nil
	}
	return chapter{
		ID: "grid", Name: "Grid", Title: "Models and suites", At: "grid", In: in, Run: true,
		Over: "accuracy ± deviation over variants | ambiguity, in percent",
		Lede: say("Accuracy ± its standard deviation over variants | ambiguity, in percent", only(onPage, below), "."),
		Body: []block{cells, terms, findings{newFindings(t, "trends")}, warnings{List: t.texts("warnings")}},
	}
}

// gridCell is what the grid has of a model on a suite: 39.34 ± 0.75 | 17.14, in percent.
func gridCell(at figsOf) cell {
	if at == nil || !at("questions").OK {
		return cellOf("–")
	}
	accuracy, ambiguity := at("accuracy"), at("ambiguity")
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
func termTable(suite string, models []assay.ModelResult, measured map[[2]string]figsOf) table {
	t := table{Caption: oneLine(suite), Stacked: true, Columns: []column{{Head: "model", Kind: ofNames},
		{Head: "terms"}, {Kind: ofBars}, columnOf("right"), columnOf("wrong"), columnOf("random")}}
	for _, m := range models {
		at := measured[[2]string{m.Model, suite}]
		if at == nil {
			continue
		}
		factual, hallucination := at("old_terms", "factual"), at("old_terms", "hallucination")
		right, wrong, random := at("taxonomy", consistency.PromptAgnosticFactual),
			at("taxonomy", consistency.PromptAgnosticError), at("taxonomy", consistency.Randomness)
		if !factual.OK || !right.OK {
			continue
		}
		old := cellOfBar(fmt.Sprintf("by the default prompt alone %s factual, %s hallucination", factual.Text(),
			hallucination.Text()), factual, hallucination)
		over := cellOfBar(fmt.Sprintf("over the variants %s right and stable, %s wrong and stable, %s random",
			right.Text(),
			wrong.Text(), random.Text()), right, wrong, random)
		t.Rows = append(t.Rows, rowOf(oneLine(m.Called()), "old", old, factual, hallucination, cell{}),
			rowOf("", "new", over, right, wrong, random))
	}
	return t
}

// GridColumns are the columns of GridCSV, in order. Later releases add columns at the end and change none. A share
// and its interval are NAME, NAME_lo and NAME_hi; what was not measured is empty. Of the answers to the default
// prompt, incorrect_least and incorrect_most are what was read, and incorrect_lo and incorrect_hi its bounds;
// implied_incorrect is what the check of the graders implies, of implied_check_n labelled answers, with the p of its
// test of fit; only these two are there where the check does not carry over.
var GridColumns = slices.Concat(
	[]string{"run", "model", "suite", "questions", "variants_min", "variants_max"},
	wide("semantic_stability", "accuracy"),
	[]string{"accuracy_sd", "accuracy_default"}, wide("ambiguity"), []string{"common_r"},
	wide("ambiguity_at_r", "old_factual", "old_hallucination", "prompt_agnostic_factual", "prompt_agnostic_error",
		"randomness"),
	[]string{"answers", "incorrect_least", "incorrect_most", "incorrect_lo", "incorrect_hi"},
	wide("implied_incorrect"), []string{"implied_fit_p", "implied_check_n"},
)

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
			c := gridCellOf(d, m.Model, s.Name, r)
			outcomes := outcomeRecord(r)
			if c.Whole("questions") == 0 && outcomes[0] == "" {
				continue
			}
			row := slices.Concat([]string{d.Run.ID, m.Model, s.Name},
				members(c, "questions", "variants/min", "variants/max"), estimates(c, "semantic_stability", "accuracy"),
				members(c, "accuracy/sd", "accuracy/default"), estimates(c, "ambiguity"),
				members(c, "ambiguity_at_r/r"),
				estimates(c, "ambiguity_at_r", "old_terms/factual", "old_terms/hallucination",
					"taxonomy_intervals/prompt_agnostic_factual",
					"taxonomy_intervals/prompt_agnostic_error", "taxonomy_intervals/randomness"), outcomes)
			rows = append(rows, each(row, guard))
		}
	}
	return writeRows(w, GridColumns, slices.Values(rows))
}

// gridCellOf returns what the grid has of a model on a suite, or a run of one model on one suite, which has none,
// by the same names; without figures where consistency was not measured.
func gridCellOf(d *assay.Document, model, suite string, r *assay.SuiteResult) tree {
	if d.Grid != nil {
		for i := range d.Grid.Cells {
			if c := &d.Grid.Cells[i]; c.Model == model && c.Suite == suite {
				return treeOf(c)
			}
		}
	}
	if d.Grid == nil && r != nil && r.Consistency != nil && r.Consistency.Questions > 0 {
		return treeOf(r.Consistency)
	}
	return treeOf(assay.GridCell{})
}

// outcomeRecord are the cells of the wrong answers, as read and as the check of the graders implies.
func outcomeRecord(r *assay.SuiteResult) []string {
	if r == nil || r.Rubric == nil || r.Rubric.Outcomes.Incorrect == nil {
		return make([]string, 10)
	}
	o := &r.Rubric.Outcomes
	least, most := o.Incorrect.Ends()
	implied := treeOf(o.Grading.Implied)
	return slices.Concat([]string{strconv.Itoa(o.N), exact(least), exact(most), exact(o.Incorrect.Lo),
		exact(o.Incorrect.Hi)},
		estimates(implied, "incorrect"), members(implied, "fit_p", "check_n"))
}
