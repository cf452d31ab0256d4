package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"hallmark/internal/assay"
	"hallmark/internal/metric/consistency"
	"hallmark/internal/metric/rate"
)

// The least questions and variants of each that the protocol recommends: its own steps 1 and 2.
const (
	protocolLeastN = 100
	protocolLeastK = 10
)

// advise gives a row the recommendation of its level, or a warning that says why it has none: accuracy was not
// measured, the questions (where they are of clusters, these) or the variants are fewer than the protocol asks for, or
// nothing checked the grader that accuracy rests on.
func (p *Protocol) advise(row *ProtocolRow, c *consistency.Result, r *assay.SuiteResult) {
	i := slices.IndexFunc(p.Levels, func(l RobustnessLevel) bool { return l.Name == row.Robustness })
	if i < 0 {
		return
	}
	var why []string
	if n := cmp.Or(c.Clusters, c.Questions); n < protocolLeastN {
		of := map[bool]string{true: "cluster", false: "question"}[c.Clusters > 0]
		why = append(why, fmt.Sprintf("it rests on %s, below the protocol’s minimum of %d", count(n, of),
			protocolLeastN))
	}
	if c.Variants.Min < protocolLeastK {
		why = append(why, fmt.Sprintf("some questions have %s, below the protocol’s minimum of %d",
			count(c.Variants.Min, "variant"), protocolLeastK))
	}
	switch {
	case row.Accuracy == nil:
		why = append(why, "accuracy was not measured")
	case r.Rubric == nil || r.Rubric.Outcomes.Grading.State == rate.AsRead:
		why = append(why, "the grading that accuracy rests on was not checked (by people’s labels, hallmark "+
			"annotate, or by --grader-check)")
	}
	if len(why) > 0 {
		row.Warnings = append(row.Warnings, whyNone+strings.Join(why, "; "))
		return
	}
	row.Recommendation = p.Levels[i].Recommendation
}
