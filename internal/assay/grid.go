package assay

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"hallmark/internal/metric/consistency"
	"hallmark/internal/stat"
)

// A Grid sets the models and suites of one run, or of Several, side by side: accuracy and ambiguity of each pair, and
// the old terms beside the taxonomy.
type Grid struct {
	// CommonR is the number of variants at which ambiguity is comparable over all cells: the plan's, or the fewest
	// of any question in any cell; 0 where the plan's is more than that.
	CommonR int `json:"common_r"`
	// by model, then suite, in the order of the plan; those whose consistency was measured
	Cells []GridCell `json:"cells"`
	// Trends say for each suite which kind of error its models share.
	Trends   []Finding `json:"trends"`
	Warnings []string  `json:"warnings"`
}

// A GridCell is one model on one suite.
type GridCell struct {
	Model             string                `json:"model"`
	Suite             string                `json:"suite"`
	Run               string                `json:"run,omitempty"`    // of Several, as the next
	Column            string                `json:"column,omitempty"` // the suite with its technique, by its name
	Questions         int                   `json:"questions"`
	Clusters          int                   `json:"clusters,omitempty"` // as of its consistency
	Variants          consistency.Extremes  `json:"variants"`
	SemanticStability *stat.Estimate        `json:"semantic_stability"`
	Accuracy          *consistency.Accuracy `json:"accuracy,omitempty"`
	Ambiguity         *stat.Estimate        `json:"ambiguity"`
	// at the grid's common number
	AmbiguityAtR      *consistency.AmbiguityAtR             `json:"ambiguity_at_r,omitempty"`
	OldTerms          *consistency.OldTerms                 `json:"old_terms,omitempty"`
	Taxonomy          *consistency.Taxonomy[float64]        `json:"taxonomy,omitempty"`
	TaxonomyIntervals *consistency.Taxonomy[*stat.Estimate] `json:"taxonomy_intervals,omitempty"`
	// there where passages were found for two variants of a question
	Documents *consistency.Documents `json:"documents,omitempty"`

	counts  [][]int // of the classes of each question
	cluster []int32
}

// gridCell takes from a result with its questions what the grid needs.
func gridCell(model, suite string, res *consistency.Result) *GridCell {
	c := &GridCell{
		Model: model, Suite: suite, Questions: res.Questions, Clusters: res.Clusters,
		Variants: res.Variants, SemanticStability: res.SemanticStability,
		Accuracy: res.Accuracy, Ambiguity: res.Ambiguity, OldTerms: res.OldTerms, Taxonomy: res.Taxonomy,
		TaxonomyIntervals: res.TaxonomyIntervals, Documents: res.Documents,
	}
	for i := range res.PerQuestion {
		c.count(&res.PerQuestion[i])
	}
	return c
}

// count adds a question to those whose ambiguity is taken at another number of variants.
func (c *GridCell) count(q *consistency.Question) {
	c.counts, c.cluster = append(c.counts, countsOf(q)), append(c.cluster, q.Cluster)
}

// grid sets the cells of a run side by side, where two were measured at least.
func (e *evaluation) grid(_ context.Context, d *Document) error {
	var suites []string
	for _, s := range e.plan.Suites {
		suites = append(suites, s.Name)
	}
	if g := layGrid(e.plan.CommonR, suites, e.cells); len(g.Cells) > 1 {
		d.Grid = g
	}
	return nil
}

// layGrid sets cells side by side, at a common number of variants that was asked for, or 0.
func layGrid(commonR int, columns []string, cells []*GridCell) *Grid {
	g := &Grid{Cells: []GridCell{}, Trends: []Finding{}, Warnings: []string{}}
	fewest := 0
	for _, c := range cells {
		if c.Questions == 0 {
			continue
		}
		g.Cells = append(g.Cells, *c)
		if fewest == 0 || c.Variants.Min < fewest {
			fewest = c.Variants.Min
		}
	}
	g.CommonR = cmp.Or(commonR, fewest)
	if g.CommonR > fewest {
		note(&g.Warnings, "ambiguity at %d variants cannot be set side by side: some questions have only %d", g.CommonR,
			fewest)
		g.CommonR = 0
	}
	for i := range g.Cells {
		if c := &g.Cells[i]; g.CommonR > 0 {
			c.AmbiguityAtR = consistency.MeanAmbiguityAt(c.counts, c.cluster, g.CommonR, level)
		}
	}
	for _, name := range columns {
		if f, ok := g.trend(name); ok {
			g.Trends = append(g.Trends, f)
		}
	}
	return g
}

// trend says which kind of error a column's models share, as far as their intervals tell the two apart.
func (g *Grid) trend(suite string) (Finding, bool) {
	kinds := []struct {
		what, advice string // of all models alone
		models       []string
	}{
		{what: "stable errors outweigh randomness for %s", advice: "It shows wrong knowledge: check facts against a " +
			"source, filter the data that taught them, or add evidence."},
		{what: "randomness outweighs stable errors for %s",
			advice: "It shows chance: quantify uncertainty, sample and vote, or abstain."},
		{what: "the data do not show which of the two is larger for %s"},
	}
	all, first := 0, -1
	for i := range g.Cells {
		c := &g.Cells[i]
		if cmp.Or(c.Column, c.Suite) != suite || c.TaxonomyIntervals == nil {
			continue
		}
		if all++; first < 0 {
			first = i
		}
		k := &kinds[2]
		switch t := c.TaxonomyIntervals; {
		case t.Error.Lo > t.Randomness.Hi:
			k = &kinds[0]
		case t.Randomness.Lo > t.Error.Hi:
			k = &kinds[1]
		}
		k.models = append(k.models, c.Model)
	}
	f := Finding{Path: fmt.Sprintf("grid.cells.%d.taxonomy", first)}
	var parts []string
	for _, k := range kinds {
		switch {
		case len(k.models) == 0:
		case len(k.models) == all && k.advice != "":
			parts, f.Advice = append(parts, fmt.Sprintf(k.what, every(k.models))), k.advice
		default:
			parts = append(parts, fmt.Sprintf(k.what, some(k.models)))
		}
	}
	f.Sentence = fmt.Sprintf("On %s %s.", suite, strings.Join(parts, "; "))
	return f, all > 0
}

func every(models []string) string {
	if len(models) == 1 {
		return models[0]
	}
	return fmt.Sprintf("all %d models", len(models))
}

// some names up to four models.
func some(models []string) string {
	if len(models) > 4 {
		return fmt.Sprintf("%s and %d more", strings.Join(models[:4], ", "), len(models)-4)
	}
	return strings.Join(models, ", ")
}
