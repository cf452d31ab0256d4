package report

import (
	"fmt"
	"html/template"
	"io"
	"slices"
	"strconv"
	"strings"

	"hallmark/internal/assay"
)

// A gridView sets the models and suites of a run side by side.
type gridView struct {
	CommonR  int
	Suites   []string
	Rows     []gridRow // a model each
	Groups   []barGroup
	Trends   []findingView
	Warnings []string
}

type gridRow struct {
	Model string
	Cells []gridCell // a suite each; not OK where it was not measured
}

type gridCell struct {
	OK                            bool
	Accuracy, SD, Ambiguity, AtR  fig
	OldFactual, OldHallucination  fig
	Factual, Error, Random, Asked fig
}

// A barGroup holds the bars of one suite.
type barGroup struct {
	Suite string
	Rows  []barRow
}

type barRow struct {
	Model string
	gridCell
}

// Old draws the terms of one prompt, New those over the variants.
func (r barRow) Old() template.HTML { return oldBar(11, r.OldFactual, r.OldHallucination) }

// New draws the taxonomy.
func (r barRow) New() template.HTML {
	return bar(11, fmt.Sprintf("over the variants %s right and stable, %s wrong and stable, %s random", r.Factual.Text(), r.Error.Text(), r.Random.Text()),
		part{r.Factual.Value, "ok", ""}, part{r.Error.Value, "err", ""}, part{r.Random.Value, "rnd", ""})
}

// Legend names the colours of the bars.
func (v *gridView) Legend() template.HTML {
	return legend(part{1, "ok", "factual; right, stable"}, part{1, "err", "hallucination; wrong, stable"}, part{1, "rnd", "random"})
}

func newGrid(t tree, models []assay.ModelResult, suites []assay.SuiteInfo) *gridView {
	if !t.Has("grid") {
		return nil
	}
	t = t.sub("grid")
	v := &gridView{CommonR: t.Whole("common_r"), Warnings: t.texts("warnings")}
	cells := map[[2]string]gridCell{}
	for _, c := range t.branches("cells") {
		at := func(u unit, keys ...string) fig { return c.fig("", u, "", keys...) }
		cells[[2]string{c.Text("model"), c.Text("suite")}] = gridCell{
			OK: true, Accuracy: at(hundredths, "accuracy"), SD: at(hundredths, "accuracy", "sd"),
			Ambiguity: at(hundredths, "ambiguity"), AtR: at(hundredths, "ambiguity_at_r"),
			OldFactual: at(share, "old_terms", "factual"), OldHallucination: at(share, "old_terms", "hallucination"),
			Factual: at(share, "taxonomy", "prompt_agnostic_factual"), Error: at(share, "taxonomy", "prompt_agnostic_error"),
			Random: at(share, "taxonomy", "randomness"), Asked: at(tally, "questions"),
		}
	}
	for _, s := range suites {
		v.Suites = append(v.Suites, oneLine(s.Name))
		g := barGroup{Suite: oneLine(s.Name)}
		for _, m := range models {
			if c := cells[[2]string{m.Model, s.Name}]; c.Factual.OK && c.OldFactual.OK {
				g.Rows = append(g.Rows, barRow{oneLine(m.Model), c})
			}
		}
		if len(g.Rows) > 0 {
			v.Groups = append(v.Groups, g)
		}
	}
	for _, m := range models {
		row := gridRow{Model: oneLine(m.Model)}
		for _, s := range suites {
			row.Cells = append(row.Cells, cells[[2]string{m.Model, s.Name}])
		}
		v.Rows = append(v.Rows, row)
	}
	v.Trends = newFindings(t, "trends")
	return v
}

// Text is a cell of the grid in words: 39.34 ± 0.75 | 17.14, in percent.
func (c gridCell) Text() string {
	if !c.OK {
		return "–"
	}
	accuracy := "–"
	if c.Accuracy.OK {
		accuracy = c.Accuracy.Text() + " ± " + c.SD.Text()
	}
	return accuracy + " | " + c.Ambiguity.Text()
}

// grid writes the grid and the bars for a terminal; suites that do not fit beside each other stand below.
func (p *printer) grid(v *gridView) {
	const cell = 24
	p.head("GRID", "accuracy ± deviation over variants | ambiguity, in percent")
	name := min(30, p.width/3)
	per := max(1, (p.width-name)/cell)
	for from := 0; from < len(v.Suites); from += per {
		to := min(len(v.Suites), from+per)
		p.line(p.dim(fit("", name) + atRight(cell, each(v.Suites[from:to], func(s string) string { return clip(s, cell-2) })...)))
		for _, r := range v.Rows {
			p.line(fitName(r.Model, name-1), " ", atRight(cell, each(r.Cells[from:to], gridCell.Text)...))
		}
	}
	if len(v.Groups) > 0 {
		p.head("OLD TERMS AGAINST NEW", "the default prompt alone, and the same questions over all wordings")
		p.painted("  ", "old: █ factual ▓ hallucination; new: █ right, stable ▓ wrong, stable ░ random", p.dim)
		bar := p.width - name - 4 - 28
		for _, g := range v.Groups {
			p.line(p.dim(clip(g.Suite, p.width)))
			for _, r := range g.Rows {
				p.barred(fitName(r.Model, name-1)+" old ", bar, r.OldFactual, r.OldHallucination)
				p.barred(fit("", name-1)+" new ", bar, r.Factual, r.Error, r.Random)
			}
		}
	}
	for _, f := range v.Trends {
		p.painted("  ", f.Sentence, func(s string) string { return s })
	}
	p.warnings(v.Warnings)
}

// barred writes shares beside each other as a bar and in figures.
func (p *printer) barred(lead string, width int, shares ...fig) {
	var values []float64
	text := ""
	for i, f := range shares {
		values = append(values, f.Value)
		if i > 0 {
			text += " "
		}
		text += atRight(8, f.Text())
	}
	p.line(lead, fit(stacked(width, values...), width), text)
}

// grid writes the grid and the taxonomy beside the old terms as tables.
func (m *md) grid(v *gridView) {
	m.line("Accuracy ± deviation over variants \\| ambiguity, in percent:\n")
	m.table(append([]string{"model"}, each(v.Suites, func(s string) string { return ">" + escape(s) })...)...)
	for _, r := range v.Rows {
		cells := each(r.Cells, func(c gridCell) string { return strings.ReplaceAll(c.Text(), "|", "\\|") })
		m.row(append([]string{escape(r.Model)}, cells...)...)
	}
	m.line("")
	if len(v.Groups) > 0 {
		m.table("suite", "model", ">old: factual", ">old: hallucination", ">right, stable", ">wrong, stable", ">random")
		for _, g := range v.Groups {
			for _, r := range g.Rows {
				m.row(escape(g.Suite), escape(r.Model), r.OldFactual.Text(), r.OldHallucination.Text(), r.Factual.Text(), r.Error.Text(), r.Random.Text())
			}
		}
		m.line("")
	}
	m.findings(v.Trends)
	m.warnings(v.Warnings)
	m.line("")
}

func each[T any](xs []T, f func(T) string) []string {
	out := make([]string, len(xs))
	for i, x := range xs {
		out[i] = f(x)
	}
	return out
}

// GridColumns are the columns of GridCSV, in order. Later releases add columns at the end and change none. A share
// and its interval are NAME, NAME_lo and NAME_hi; what was not measured is empty. Of the answers to the default
// prompt, incorrect_least and incorrect_most are what was read, and incorrect_lo and incorrect_hi its bounds;
// implied_incorrect is what the check of the graders implies, of implied_check_n labelled answers, with the p of its
// test of fit; only these two are there where the check does not carry over.
var GridColumns = slices.Concat(
	[]string{"run", "model", "suite", "questions", "variants_min", "variants_max"}, wide("semantic_stability", "accuracy"),
	[]string{"accuracy_sd", "accuracy_default"}, wide("ambiguity"), []string{"common_r"},
	wide("ambiguity_at_r", "old_factual", "old_hallucination", "prompt_agnostic_factual", "prompt_agnostic_error", "randomness"),
	[]string{"answers", "incorrect_least", "incorrect_most", "incorrect_lo", "incorrect_hi"}, wide("implied_incorrect"), []string{"implied_fit_p", "implied_check_n"},
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
			c := cellOf(d, m.Model, s.Name, r)
			outcomes := outcomeRecord(r)
			if c.Whole("questions") == 0 && outcomes[0] == "" {
				continue
			}
			row := slices.Concat([]string{d.Run.ID, m.Model, s.Name}, members(c, "questions", "variants/min", "variants/max"), estimates(c, "semantic_stability", "accuracy"),
				members(c, "accuracy/sd", "accuracy/default"), estimates(c, "ambiguity"), members(c, "ambiguity_at_r/r"),
				estimates(c, "ambiguity_at_r", "old_terms/factual", "old_terms/hallucination", "taxonomy_intervals/prompt_agnostic_factual",
					"taxonomy_intervals/prompt_agnostic_error", "taxonomy_intervals/randomness"), outcomes)
			for i := range row {
				row[i] = guard(row[i])
			}
			rows = append(rows, row)
		}
	}
	return writeRows(w, GridColumns, slices.Values(rows))
}

// cellOf returns what the grid has of a model on a suite, or a run of one model on one suite, which has none, by the
// same names; without figures where consistency was not measured.
func cellOf(d *assay.Document, model, suite string, r *assay.SuiteResult) tree {
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
	return slices.Concat([]string{strconv.Itoa(o.N), exact(least), exact(most), exact(o.Incorrect.Lo), exact(o.Incorrect.Hi)},
		estimates(implied, "incorrect"), members(implied, "fit_p", "check_n"))
}
