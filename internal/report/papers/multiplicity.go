package papers

import (
	"cmp"
	"fmt"
	"slices"

	"hallmark/internal/assay"
	"hallmark/internal/metric/consistency"
	"hallmark/internal/metric/detect"
	"hallmark/internal/report"
	"hallmark/internal/stat"
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

// estimated is an estimate as a value.
func estimated(e *stat.Estimate) Value {
	if e == nil {
		return Value{}
	}
	return Value{X: e.Value, Lo: e.Lo, Hi: e.Hi, Has: true, Bounded: true}
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

// cellHeads are the texts of a record that is of a model on a benchmark. A benchmark is a suite with its technique.
func cellHeads(across bool) []Head {
	return []Head{{Key: "model", Label: "model"}, {Key: "benchmark", Label: "benchmark", Across: across},
		{Key: "suite", Label: "suite", Hidden: true}, {Key: "variation", Label: "prompt variation", Hidden: true},
		{Key: "retrieval", Label: "retrieval", Hidden: true}, {Key: "run", Label: "run", Hidden: true}}
}

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
func accuracyAndAmbiguity(r *runs) (*Table, error) {
	t := &Table{Title: "Accuracy and ambiguity under prompt variation", Heads: cellHeads(true), Figures: []Figure{
		{Key: "accuracy", Label: "Accuracy (%)", Write: Percent, SD: true, Bounds: true},
		{Key: "ambiguity", Label: "Ambiguity (%)", Write: Percent, Bounds: true},
		{Key: "ambiguity_at_r", Label: "at common r", Write: Percent, Bounds: true, Hidden: true},
		{Key: "common_r", Label: "common r", Write: Whole, Hidden: true},
		{Key: "questions", Label: "questions", Write: Whole, Hidden: true},
		{Key: "variants_min", Label: "fewest variants", Write: Whole, Hidden: true},
		{Key: "variants_max", Label: "most variants", Write: Whole, Hidden: true},
	}}
	g := r.beside.Grid
	fewest, most := 0, 0
	for i := range g.Cells {
		c := &g.Cells[i]
		accuracy, at, common := Value{}, Value{}, Value{}
		if a := c.Accuracy; a != nil {
			accuracy = Value{X: a.Value, SD: a.SD, Lo: a.Lo, Hi: a.Hi, Has: true, Bounded: true, Spread: true}
		}
		if c.AmbiguityAtR != nil {
			at, common = estimated(&c.AmbiguityAtR.Estimate), value(float64(g.CommonR))
		}
		if fewest == 0 || c.Variants.Min < fewest {
			fewest = c.Variants.Min
		}
		most = max(most, c.Variants.Max)
		t.Records = append(t.Records, Record{r.cellTexts(c), []Value{accuracy, estimated(c.Ambiguity), at, common,
			value(float64(c.Questions)), value(float64(c.Variants.Min)), value(float64(c.Variants.Max))}})
	}
	if fewest != most {
		t.Notes = append(t.Notes, fmt.Sprintf("Ambiguity grows with the number of variants, and questions had %d to "+
			"%d. Across benchmarks compare ambiguity_at_r, which CSV and JSON have: at %d variants of every question.",
			fewest, most, g.CommonR))
	}
	return t, nil
}

// terms is the paper's figure 3, and 6 for other benchmarks.
func terms(r *runs) (*Table, error) {
	const old, framework = "existing evaluation", "our framework"
	t := &Table{Title: "Existing evaluation against prompt multiplicity", Heads: cellHeads(false), Figures: []Figure{
		{Key: "factual", Label: "Factual", Group: old, Write: Percent, Bounds: true},
		{Key: "hallucination", Label: "Hallucination", Group: old, Write: Percent, Bounds: true},
		{Key: "prompt_agnostic_factuality", Label: "PAF", Group: framework, Write: Percent, Bounds: true},
		{Key: "prompt_agnostic_errors", Label: "PAE", Group: framework, Write: Percent, Bounds: true},
		{Key: "randomness", Label: "Rand.", Group: framework, Write: Percent, Bounds: true},
	}, Notes: []string{"In percent. Factual and hallucination are by the default prompt alone. PAF: prompt-agnostic " +
		"factuality; PAE: prompt-agnostic errors; Rand.: randomness."}}
	for _, column := range r.beside.Columns { // by benchmark, as the paper has them
		for i := range r.beside.Grid.Cells {
			c := &r.beside.Grid.Cells[i]
			if c.Column != column.Name || c.OldTerms == nil || c.TaxonomyIntervals == nil {
				continue
			}
			o, x := c.OldTerms, c.TaxonomyIntervals
			t.Records = append(t.Records, Record{r.cellTexts(c), []Value{estimated(&o.Factual.Estimate),
				estimated(&o.Hallucination.Estimate), estimated(x.Factual), estimated(x.Error),
				estimated(x.Randomness)}})
		}
	}
	return t, nil
}

// retrieved is the paper's table 3.
func retrieved(r *runs) (*Table, error) {
	share := func(key, label string) Figure {
		return Figure{Key: key, Label: label, Write: Share, Bounds: true}
	}
	t := &Table{Title: "Ambiguity over retrieved documents", Heads: cellHeads(true), Figures: []Figure{
		share("prompt_agnostic_factuality", "PAF"), share("prompt_agnostic_errors", "PAE"),
		share("randomness", "Rand."), share("all", "all"), share("all_found", "all found"),
		{Key: "questions", Label: "questions", Write: Whole, Hidden: true},
		{Key: "k", Label: "documents", Write: Whole, Hidden: true},
	}, Notes: []string{"The share of questions for which another document is the best one for some variant. All " +
		"found: for which the set of all documents that were found is another one."}}
	for i := range r.beside.Grid.Cells {
		c := &r.beside.Grid.Cells[i]
		d := c.Documents
		if d == nil || d.Ambiguity == nil {
			continue
		}
		of := func(category string) Value { return estimated(d.ByCategory[category]) }
		t.Records = append(t.Records, Record{r.cellTexts(c), []Value{of(consistency.PromptAgnosticFactual),
			of(consistency.PromptAgnosticError), of(consistency.Randomness), estimated(d.Ambiguity),
			estimated(d.AmbiguityAtK), value(float64(d.Questions)), value(float64(d.K))}})
	}
	return t, nil
}

// detection is the paper's figure 4: p by benchmark. No two benchmarks are pooled in one.
func detection(r *runs) (*Table, error) {
	t := &Table{Title: "Detecting correctness and detecting consistency (p)", Heads: []Head{
		{Key: "benchmark", Label: "benchmark"}, {Key: "detecting", Label: "detecting", Across: true}}}
	across := r.beside.Across
	if across == nil {
		return t, nil
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
			t.Figures = append(t.Figures, Figure{Key: name, Label: detectorNames[name], Write: P},
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
				d := x.Detectors[name]
				if d == nil {
					values = append(values, Value{}, Value{}, Value{})
					continue
				}
				test := d.Correctness
				if axis == "consistency" {
					test = d.Consistency
				}
				p := Value{}
				if test.P != nil {
					p = value(*test.P)
					if most = max(most, test.Models); least == 0 || test.Models < least {
						least = test.Models
					}
				}
				values = append(values, p, value(float64(test.Higher)), value(float64(test.Models)))
			}
			t.Records = append(t.Records, Record{[]string{short(c.Name), "Detecting " + axis}, values})
		}
	}
	t.Notes = append(t.Notes, "Wilcoxon signed-rank p, two-sided, over the models: that the mean score of the answers "+
		"that are wrong (whose question is prompt-sensitive) is that of the others. Each benchmark has its own; none "+
		"is pooled. They are not adjusted for the number of detectors: report --format json has p_holm.")
	switch {
	case most == 0:
	case most < 6:
		t.Notes = append(t.Notes, fmt.Sprintf("%d models can give no p below %s: the test needs 6 for .05.", most,
			P(2/float64(int(1)<<most))))
	case least < 6:
		t.Notes = append(t.Notes, fmt.Sprintf("The fewest models of a p: %d, as the others have answers of one kind "+
			"only. Fewer than 6 can give none below .05; CSV and JSON have the models of each.", least))
	}
	return t, nil
}

// detectorNames are the detectors as the paper calls them, and those that it has not.
var detectorNames = map[string]string{
	detect.Perplexity: "Perplexity", detect.Entropy: "Entropy", detect.EntropyAsPublished: "Entropy (published)",
	detect.TokenEntropy: "Token entropy", detect.Surprisal: "Surprisal", detect.SelfCheck: "SelfCheck",
	detect.SelfCheckPublished: "SelfCheck (published)", detect.PTrue: "P(True)",
	detect.SemanticEntropy: "Semantic entropy", detect.SampleDisagreement: "Disagreement",
}

// The categories as the paper abbreviates them, and the one that it has not.
var categories = map[string]string{
	consistency.PromptAgnosticFactual: "PAF", consistency.PromptAgnosticError: "PAE",
	consistency.Randomness: "Rand.", consistency.DeclinedAgnostic: "declines",
}

// flows is the paper's figure 5, left, for each model: a record a category without retrieval.
func flows(r *runs) (*Table, error) {
	t := &Table{Title: "Change of category with retrieval", Heads: []Head{{Key: "model", Label: "model"},
		{Key: "benchmark", Label: "benchmark"}, {Key: "without_retrieval", Label: "without retrieval"}},
		Notes: []string{"In percent of the questions; read from without retrieval (rows) to with it (columns). PAF: " +
			"prompt-agnostic factuality; PAE: prompt-agnostic errors; Rand.: randomness."}}
	var used []string
	for _, c := range consistency.FlowCategories {
		if slices.ContainsFunc(r.beside.Flows, func(f assay.ModelFlow) bool {
			return f.Flow.Base[c]+f.Flow.Other[c] > 0
		}) {
			used = append(used, c)
			t.Figures = append(t.Figures, Figure{Key: c, Label: categories[c], Group: "with retrieval", Write: Percent})
		}
	}
	t.Figures = append(t.Figures, Figure{Key: "before", Label: "before", Group: "in all", Write: Percent},
		Figure{Key: "after", Label: "after", Group: "in all", Write: Percent},
		Figure{Key: "change", Label: "change", Group: "in all", Write: Points, Bounds: true},
		Figure{Key: "questions", Label: "questions", Write: Whole, Hidden: true})
	for _, f := range r.beside.Flows {
		n := float64(f.Flow.N)
		for _, from := range used {
			x := Record{Heads: []string{r.called(f.Model), short(f.Column), categories[from]}}
			for _, to := range used {
				x.Values = append(x.Values, value(float64(f.Flow.Transitions[from][to])/n))
			}
			x.Values = append(x.Values, value(float64(f.Flow.Base[from])/n), value(float64(f.Flow.Other[from])/n),
				estimated(f.Flow.Difference[from]), value(n))
			t.Records = append(t.Records, x)
		}
	}
	return t, nil
}
