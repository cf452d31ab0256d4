package report

import (
	"strings"
	"testing"

	"hallmark/internal/assay"
	"hallmark/internal/metric/consistency"
	"hallmark/internal/metric/rate"
	"hallmark/internal/stat"
)

// The protocol recommends nothing below its own N and k, nor where accuracy is unknown or its grading unchecked; a
// warning says each reason.
func TestProtocolAdvice(t *testing.T) {
	for _, x := range []struct {
		name           string
		n, clusters, k int
		state          string // of the grading; "" without rubric
		accuracy       bool
		reasons        []string // nil: the recommendation stands
	}{
		{"all as asked", 100, 0, 10, rate.CorrectedByLabels, true, nil},
		{"checked by a check of the grader", 400, 100, 12, rate.CorrectedByCheck, true, nil},
		{"a question too few", 99, 0, 10, rate.CorrectedByLabels, true, []string{"99 questions", "minimum of 100"}},
		{"clusters too few", 400, 99, 10, rate.CorrectedByLabels, true, []string{"99 clusters", "minimum of 100"}},
		{"a variant too few", 100, 0, 9, rate.CorrectedByLabels, true, []string{"9 variants", "minimum of 10"}},
		{"unchecked", 100, 0, 10, rate.AsRead, true, []string{"grading", "not checked"}},
		{"no rubric", 100, 0, 10, "", true, []string{"grading", "not checked"}},
		{"no accuracy", 100, 0, 10, rate.CorrectedByLabels, false, []string{"accuracy was not measured"}},
		{"as in issue 24", 30, 0, 3, rate.AsRead, true, []string{"30 questions", "3 variants", "not checked"}},
	} {
		c := &consistency.Result{Questions: x.n, Clusters: x.clusters, RobustnessLevel: "substantial",
			Variants: consistency.Extremes{Min: x.k, Max: 20}, SemanticStability: &stat.Estimate{Value: .8, Lo: .7, Hi: .9}}
		if x.accuracy {
			c.Accuracy = &consistency.Accuracy{Average: stat.Average{Value: .8, Lo: .7, Hi: .9}}
		}
		r := &assay.SuiteResult{Consistency: c}
		if x.state != "" {
			r.Rubric = &rate.Result{}
			r.Rubric.Outcomes.Grading.State = x.state
		}
		a := &assay.Assay{Document: assay.Document{Run: assay.RunInfo{ID: "r", Suites: []assay.SuiteInfo{{Name: "s"}}},
			Models: []assay.ModelResult{{Model: "m", Greedy: true, SuiteResult: r}}}}
		p := NewProtocol(a)
		row, said := p.Rows[0], ""
		for _, w := range p.Rows[0].Warnings {
			if strings.HasPrefix(w, "no recommendation: ") {
				said = w
			}
		}
		if x.reasons == nil {
			if row.Recommendation != p.Levels[2].Recommendation || said != "" {
				t.Errorf("%s: %q, %q", x.name, row.Recommendation, said)
			}
			continue
		}
		if row.Recommendation != "" {
			t.Errorf("%s: %q, %q", x.name, row.Recommendation, said)
		}
		for _, reason := range x.reasons {
			if !strings.Contains(said, reason) {
				t.Errorf("%s: %q does not say %q", x.name, said, reason)
			}
		}
	}
}
