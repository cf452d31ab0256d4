package assay

import (
	"math"
	"strings"
	"testing"

	"hallmark/internal/metric/consistency"
	"hallmark/internal/metric/detect"
	"hallmark/internal/stat"
)

func TestPublishedBeside(t *testing.T) {
	half := .5
	d := &Document{Models: []ModelResult{
		{Model: "http://localhost:8000/v1#org/model-7b", SuiteResult: &SuiteResult{Consistency: &consistency.Result{
			Ambiguity: &stat.Estimate{Value: .25, Lo: .2, Hi: .3},
			Accuracy:  &consistency.Accuracy{Average: stat.Average{Value: .4, Lo: .3, Hi: .45}, SD: .01}, PCBelowHalf: &half,
		}}},
		{Model: "phantom:p.yaml", SuiteResult: &SuiteResult{}},
	}}
	p := &Published{Source: "table 1", Figures: []PublishedFigure{
		{"org/model-70b", "consistency.accuracy.mean", .5, "p.yaml:1"},
		{"org/model-7b", "consistency.ambiguity.estimate", .2, "p.yaml:2"},
		{"org/model-7b", "consistency.accuracy.sd", .03, "p.yaml:3"},
		{"org/model-7b", "consistency.pc_below_0.5", .92, "p.yaml:4"},
		{"*", "consistency.accuracy.mean", .41, "p.yaml:5"},
	}}
	if err := p.Check(); err != nil {
		t.Fatal(err)
	}
	b := p.Beside(d)
	// Of the five: 70b was not asked, and phantom has no accuracy.
	if len(b.Figures) != 6 || b.NotMeasured != 2 || b.Figures[4].Measured != nil || b.Figures[5].Measured != nil {
		t.Fatalf("%+v", b)
	}
	a := b.Figures[0]
	if *a.Measured != .25 || *a.Lo != .2 || *a.Hi != .3 || a.Published != .2 || math.Abs(*a.Difference-.05) > 1e-12 {
		t.Errorf("ambiguity: %+v", a)
	}
	if sd := b.Figures[1]; sd.Lo != nil || *sd.Measured != .01 {
		t.Errorf("sd: %+v", sd)
	}
	if m := b.Figures[3]; *m.Measured != .4 || *m.Hi != .45 || m.Published != .41 {
		t.Errorf("for any model: %+v", m)
	}
	across := &Published{Figures: []PublishedFigure{{"across_models", "detection.detectors.entropy.consistency.p", .00003,
		"p.yaml:8"}}}
	if err := across.Check(); err != nil {
		t.Error(err)
	}
	p3 := .03
	d.Across = &Across{Detection: &detect.Result{Detectors: map[string]*detect.Technique{"entropy": {Consistency: &detect.Test{P: &p3}}}}}
	if b := across.Beside(d); len(b.Figures) != 1 || *b.Figures[0].Measured != .03 {
		t.Errorf("across models: %+v", b)
	}
	for path, ok := range map[string]bool{
		"suites.fever.consistency.ambiguity.estimate": true, "consistency.documents.by_category.randomness.estimate": true,
		"rubric.hallucination.rate": true, "consistency.ambiguty.estimate": false,
		"suites.fever.consistency": false, "consistency": false, "": false,
	} {
		err := (&Published{Figures: []PublishedFigure{{"m", path, 1, "p.yaml:7"}}}).Check()
		if (err == nil) != ok || err != nil && !strings.HasPrefix(err.Error(), "p.yaml:7: no figure has the path") {
			t.Errorf("%s: %v", path, err)
		}
	}
}
