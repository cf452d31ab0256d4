package docs

import (
	"regexp"
	"strings"
	"testing"

	"hallmark/internal/assay"
	"hallmark/internal/assay/gate"
	"hallmark/internal/grade"
	"hallmark/internal/metric/consistency"
	"hallmark/internal/metric/crosstab"
	"hallmark/internal/metric/rate"
	"hallmark/internal/text/answer"
)

var pathInPage = regexp.MustCompile("`((?:rubric|consistency|consistency_sampled|repeat_agreement|joint)\\.[a-z0-9_.]+)`")

// TestPaths holds every path that the page names against the shape of a model's result, as a gate would.
func TestPaths(t *testing.T) {
	docs := &consistency.Case{ID: "q", Gold: []answer.Form{answer.Value("paris")}}
	for v := range 3 {
		if err := docs.Add(v, consistency.Answer{Form: answer.Value("paris"), Retrieved: []string{"d1"}}); err != nil {
			t.Fatal(err)
		}
	}
	myth := &consistency.Case{ID: "r", Gold: []answer.Form{answer.Value("rome")}}
	for v := range 3 {
		if err := myth.Add(v, consistency.Answer{Form: answer.Declined}); err != nil {
			t.Fatal(err)
		}
	}
	c := analyze(table{T: t}, docs, myth)
	over := []rate.Row{{CaseID: "q", Grade: &grade.Grade{}}}
	ru := rate.Analyze(over, rate.Options{Variants: over})
	j := crosstab.Analyze(nil, .95)
	shape := assay.SuiteResult{Rubric: &ru, Consistency: &c, ConsistencySampled: &assay.Sampled{Result: &c,
		UnseenByGreedy: &assay.Unseen{}}, RepeatAgreement: &assay.RepeatAgreement{}, CrossTab: &j}
	named := 0
	for i, line := range strings.Split(read(t), "\n") {
		for _, m := range pathInPage.FindAllStringSubmatch(line, -1) {
			path := m[1]
			named++
			switch path {
			case "rubric.by_class", "consistency.robustness_level",
				"consistency.sweep": // an object, a word and a list, no numbers
				continue
			}
			g, err := gate.Parse(path + " > 0")
			if err == nil {
				err = g.Check(shape)
			}
			if err != nil {
				t.Errorf("methods.md:%d: %v", i+1, err)
			}
		}
	}
	if named < 60 {
		t.Errorf("found only %d paths", named)
	}
}
