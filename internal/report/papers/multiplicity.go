package papers

import (
	"cmp"
	"fmt"
	"slices"

	"hallmark/internal/assay"
	"hallmark/internal/base/lists"
	"hallmark/internal/metric/consistency"
	"hallmark/internal/metric/detect"
	"hallmark/internal/report"
	"hallmark/internal/stat/figure"
)

// longestName is how many cells the name of a model or a benchmark has at most.
const longestName = 48

func short(s string) string {
	s = report.OneLine(s)
	if report.TextWidth(s) <= longestName {
		return s
	}
	runes := []rune(s)
	for report.TextWidth(string(runes)) > longestName-1 {
		runes = runes[1:]
	}
	return "…" + string(runes) // names of models differ at their ends
}

// called is a model of several runs as people call it: where one of the runs has a name for it, by that.
func (r *runs) called(model string) string {
	for _, a := range r.all {
		for i := range a.Document.Models {
			if m := &a.Document.Models[i]; m.Model == model && m.Name != "" {
				return short(m.Name)
			}
		}
	}
	return short(model)
}

// cellTexts are the texts of a record that is of a model on a benchmark. A benchmark is a suite with its technique.
func (r *runs) cellTexts(c *assay.GridCell) []string {
	i := slices.IndexFunc(r.beside.Columns, func(x assay.SeveralColumn) bool { return x.Name == c.Column })
	col, retrieval := &r.beside.Columns[i], "no"
	if col.Retrieval != nil {
		retrieval = "yes"
	}
	return []string{r.called(c.Model), short(c.Column), short(c.Suite), short(cmp.Or(col.Technique, "none")), retrieval,
		c.Run}
}

// accuracyAndAmbiguity is the paper's table 1, and 2 and 4 for more models and benchmarks.
func accuracyAndAmbiguity(r *runs, t *Table) {
	g := r.beside.Grid
	fewest, most := 0, 0
	for i := range g.Cells {
		c := &g.Cells[i]
		if fewest == 0 || c.Variants.Min < fewest {
			fewest = c.Variants.Min
		}
		most = max(most, c.Variants.Max)
		t.read(r.cellTexts(c), c)
	}
	if fewest != most {
		t.Notes = append(t.Notes, fmt.Sprintf("Ambiguity grows with the number of variants, and questions had %d to "+
			"%d. Across benchmarks compare ambiguity_at_r, which CSV and JSON have: at %d variants of every question.",
			fewest, most, g.CommonR))
	}
}

// terms is the paper's figure 3, and 6 for other benchmarks.
func terms(r *runs, t *Table) {
	for _, column := range r.beside.Columns { // by benchmark, as the paper has them
		for i := range r.beside.Grid.Cells {
			c := &r.beside.Grid.Cells[i]
			if c.Column == column.Name && c.OldTerms != nil && c.TaxonomyIntervals != nil {
				t.read(r.cellTexts(c), c)
			}
		}
	}
}

// retrieved is the paper's table 3.
func retrieved(r *runs, t *Table) {
	for i := range r.beside.Grid.Cells {
		if c := &r.beside.Grid.Cells[i]; c.Documents != nil && c.Documents.Ambiguity != nil {
			t.read(r.cellTexts(c), c)
		}
	}
}

// detection is the paper's figure 4: p by benchmark. No two benchmarks are pooled in one.
func detection(r *runs, t *Table) {
	across := r.beside.Across
	if across == nil {
		return
	}
	of := func(column string) *detect.Result {
		if across.Suites == nil && len(r.beside.Columns) == 1 {
			return across.Detection
		}
		return across.Suites[column].Detection
	}
	var names []string
	for _, name := range detect.Names {
		if slices.ContainsFunc(r.beside.Columns, func(c assay.SeveralColumn) bool {
			x := of(c.Name)
			return x != nil && x.Detectors[name] != nil
		}) {
			names = append(names, name)
			t.Figures = append(t.Figures, Figure{Key: name, Label: tables.Labels[name], Write: P},
				Figure{Key: name + "_higher", Label: "higher", Write: Whole, Hidden: true},
				Figure{Key: name + "_models", Label: "models", Write: Whole, Hidden: true})
		}
	}
	least, most := 0, 0 // models with answers of both kinds, of a p
	for _, c := range r.beside.Columns {
		x := of(c.Name)
		if x == nil {
			continue
		}
		for _, axis := range []string{"correctness", "consistency"} {
			var values []Value
			for _, name := range names {
				test := figure.Of(x).Sub("detectors", name, axis)
				if models := test.Whole("models"); test.Has("p") {
					if most = max(most, models); least == 0 || models < least {
						least = models
					}
				}
				for _, key := range []string{"p", "higher", "models"} {
					values = append(values, valueAt(test.Sub(key)))
				}
			}
			t.add([]string{short(c.Name), "Detecting " + axis}, values...)
		}
	}
	switch {
	case most == 0:
	case most < 6:
		t.Notes = append(t.Notes, fmt.Sprintf("%d models can give no p below %s: the test needs 6 for .05.", most,
			P(2/float64(int(1)<<most))))
	case least < 6:
		t.Notes = append(t.Notes, fmt.Sprintf("The fewest models of a p: %d, as the others have answers of one kind "+
			"only. Fewer than 6 can give none below .05; CSV and JSON have the models of each.", least))
	}
}

// flows is the paper's figure 5, left, for each model: a record a category without retrieval.
func flows(r *runs, t *Table) {
	var used []string
	var to []Figure
	for _, c := range consistency.FlowCategories {
		if slices.ContainsFunc(r.beside.Flows, func(f assay.ModelFlow) bool {
			return f.Flow.Base[c]+f.Flow.Other[c] > 0
		}) {
			used = append(used, c)
			to = append(to, Figure{Key: c, Label: tables.Labels[c], Group: "with retrieval", Write: Percent})
		}
	}
	t.Figures = slices.Concat(to, t.Figures)
	for _, f := range r.beside.Flows {
		n := float64(f.Flow.N)
		for _, from := range used {
			values := lists.Map(used, func(to string) Value { return value(float64(f.Flow.Transitions[from][to]) / n) })
			t.add([]string{r.called(f.Model), short(f.Column), tables.Labels[from]}, append(values,
				value(float64(f.Flow.Base[from])/n), value(float64(f.Flow.Other[from])/n),
				value(f.Flow.Difference[from]), value(n))...)
		}
	}
}
