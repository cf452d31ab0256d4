package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"

	"hallmark/internal/assay"
	"hallmark/internal/metric/consistency"
	"hallmark/internal/metric/rate"
)

// grid sets models and columns side by side: of a run its suites, of several runs suites with their techniques.
// called holds what its user calls a model.
func grid(t tree, models, names []string, called map[string]string, in where) block {
	if !t.Has("grid") {
		return nil
	}
	t = t.sub("grid")
	g := laidOut{models, names, called, map[[2]string]figsOf{}}
	for i, c := range t.items("cells") {
		g.at[[2]string{c.Text("model"), cmp.Or(c.Text("column"), c.Text("suite"))}] = t.under("cells", strconv.Itoa(i))
	}
	cells := table{Stacked: true, Columns: append([]column{namesOf("model")}, each(each(names, oneLine), columnOf)...)}
	below := ""
	if r := t.Whole("common_r"); r > 0 {
		below = fmt.Sprintf("; below it ambiguity at %d variants, which can be compared across columns", r)
	}
	for _, m := range models {
		cells.add(g.name(m), each(names, func(name string) cell { return gridCell(g.at[[2]string{m, name}]) }))
	}
	c := chapterOf("grid", cells, g.terms(), g.found(), findings{newFindings(t, "trends")},
		warnings{List: t.texts("warnings")}).only(in)
	c.At = "grid"
	return c.lede("Accuracy ± its standard deviation over variants | ambiguity, in percent", only(onPage, below), ".")
}

// A laidOut is the grid as it is set: models by columns, with the figures of each cell that there is.
type laidOut struct {
	models, columns []string
	called          map[string]string // what its user calls a model
	at              map[[2]string]figsOf
}

func (g *laidOut) name(model string) string { return oneLine(cmp.Or(g.called[model], model)) }

// terms sets the taxonomy beside the terms of one prompt, a table a column.
func (g *laidOut) terms() block {
	terms := chapterOf("terms")
	colours := legend(part{1, "ok", "right: factual"}, part{1, "err", "wrong: hallucination"}, part{1, "rnd", "random"})
	terms.Body = []block{picture(colours), aside("█ right ▓ wrong ░ random").only(inTerminal)}
	for _, name := range g.columns {
		if t := g.termTable(name); len(t.Rows) > 0 {
			terms.Body = append(terms.Body, t)
		}
	}
	if len(terms.Body) == 2 {
		return nil
	}
	return terms
}

// found sets out how often what was found depends on the prompt variant, a table a column, as table 3 of
// arXiv:2602.00723 does.
func (g *laidOut) found() block {
	found := chapterOf("found")
	for _, name := range g.columns {
		t := table{Caption: oneLine(name), Stacked: true, Columns: heads(namesOf("model"), "all",
			"right", "wrong", "random", columnOf("all found").wide())}
		for _, m := range g.models {
			at := g.at[[2]string{m, name}]
			if at == nil || !at("documents", "ambiguity").OK {
				continue
			}
			of := func(keys ...string) cell {
				return inBrief(at(append([]string{"documents"}, keys...)...))
			}
			t.add(g.name(m), of("ambiguity"), of("by_category", consistency.PromptAgnosticFactual),
				of("by_category", consistency.PromptAgnosticError), of("by_category", consistency.Randomness),
				of("ambiguity_at_k"))
		}
		found.Body = append(found.Body, t)
	}
	return found
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
func (g *laidOut) termTable(suite string) table {
	t := table{Caption: oneLine(suite), Stacked: true, Columns: heads(namesOf("model"),
		textOf("terms"), column{Kind: ofBars}, "right", "wrong", "random")}
	for _, m := range g.models {
		at := g.at[[2]string{m, suite}]
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
			right.Text(), wrong.Text(), random.Text()), right, wrong, random)
		t.Rows = append(t.Rows, rowOf(g.name(m), "old", old, factual, hallucination, cell{}),
			rowOf("", "new", over, right, wrong, random))
	}
	return t
}

// GridColumns are the columns of GridCSV, in order. Later releases add columns at the end and change none. A share
// and its interval are NAME, NAME_lo and NAME_hi; what was not measured is empty. Of the answers to the default
// prompt, incorrect_least and incorrect_most are what was read, and incorrect_lo and incorrect_hi its bounds;
// implied_incorrect is what the check of the graders implies, of implied_check_n labelled answers, with the p of its
// test of fit; only these two are there where the check does not carry over. The technique is the kinds of its
// variants, and passages the hash of those that were searched.
var GridColumns = csvColumns("grid")

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
			if treeOf(c).Whole("questions") > 0 || gradedOutcomes(r) != nil {
				rows = append(rows, gridRow(d, m.Model, s.Name, c, r))
			}
		}
	}
	return writeRows(w, GridColumns, slices.Values(rows))
}

// gridRow is a row of the grid: what the cell has of a model on a suite of a run, and what r has.
func gridRow(d *assay.Document, model, suite string, cell any, r *assay.SuiteResult) []string {
	of := map[string]tree{"run": treeOf(d.Run.ID), "model": treeOf(model), "suite": treeOf(suite), "cell": treeOf(cell),
		"technique": treeOf(r.Technique()), "seed": treeOf(d.Run.Seed)}
	for _, s := range d.Run.Suites {
		if s.Name == suite {
			of["suite_hash"] = treeOf(s.Hash)
		}
	}
	if d.Run.Retrieval != nil {
		of["passages"] = treeOf(d.Run.Retrieval.Hash)
	}
	if o := gradedOutcomes(r); o != nil {
		least, most := o.Incorrect.Ends()
		of["outcomes"], of["incorrect_least"], of["incorrect_most"] = treeOf(o), treeOf(least), treeOf(most)
	}
	return each(csvRow("grid", of), guard)
}

// gridCellOf returns what the grid has of a model on a suite, or a run of one model on one suite, which has none,
// by the same names; without figures where consistency was not measured.
func gridCellOf(d *assay.Document, model, suite string, r *assay.SuiteResult) any {
	if d.Grid != nil {
		for i := range d.Grid.Cells {
			if c := &d.Grid.Cells[i]; c.Model == model && c.Suite == suite {
				return c
			}
		}
	} else if r != nil && r.Consistency != nil && r.Consistency.Questions > 0 {
		return r.Consistency
	}
	return assay.GridCell{}
}

// gradedOutcomes are those of the answers to the default prompt; nil where none were graded.
func gradedOutcomes(r *assay.SuiteResult) *rate.Outcomes {
	if r == nil || r.Rubric == nil || r.Rubric.Outcomes.Incorrect == nil {
		return nil
	}
	return &r.Rubric.Outcomes
}
