package detect

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"hallmark/internal/archtest"
)

// scored makes a table of models in which a detector tells the axes apart as given: AUROC 1 where it tells one, .5
// where it does not.
func scored(t *testing.T, models int, of map[string][2]bool) Result {
	t.Helper()
	var table Table
	yes, no := true, false
	for m := range models {
		for name, tells := range of {
			for i := range 40 {
				right, stays := i%2 == 0, i%4 < 2
				x := float64(i/4) / 1000 // the same in each of the four kinds: alone it tells neither axis
				if tells[0] && !right {
					x++
				}
				if tells[1] && !stays {
					x++
				}
				s := Score{Model: fmt.Sprint("m", m), ID: fmt.Sprint(i), Detector: name, Value: &x, Correct: &no, Consistent: &no}
				if right {
					s.Correct = &yes
				}
				if stays {
					s.Consistent = &yes
				}
				if err := table.Add(s, Place{}); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	return table.Analyze(.95)
}

// Sixteen models of one sign give p = 2/2^16 = .00003; two detectors, twice that by Holm. What tells both axes alike
// has no gain.
func TestGainOverModels(t *testing.T) {
	for _, c := range []struct {
		name   string
		models int
		of     map[string][2]bool
		says   []string
	}{
		{"as the source found", 16, map[string][2]bool{"entropy": {false, true}, "selfcheck": {true, true}},
			[]string{"Over 16 models, by the mean scores (p by Holm below 0.05): 2 (entropy, selfcheck) of 2 detectors " +
				"predict inconsistency, and 1 (selfcheck) predict error.",
				"inconsistency better than error, as the source found: by their AUROC, 1 of 2 detectors do so over the models (entropy)"}},
		{"the other way", 16, map[string][2]bool{"entropy": {true, false}},
			[]string{"none of 1 detectors predict inconsistency, and 1 (entropy) predict error",
				"against what the source found"}},
		{"both ways", 16, map[string][2]bool{"entropy": {true, false}, "perplexity": {false, true}},
			[]string{"Detectors differ: by their AUROC over the models, perplexity predict inconsistency better than " +
				"error, and entropy predict error better."}},
		{"neither", 16, map[string][2]bool{"entropy": {false, false}},
			[]string{"No detector predicts inconsistency better than error, or worse (1 compared"}},
		{"too few", 4, map[string][2]bool{"entropy": {false, true}},
			[]string{"none of 1 detectors predict inconsistency",
				"No detector predicts inconsistency better than error, or worse (1 compared over 4 models"}},
		{"one model", 1, map[string][2]bool{"entropy": {false, true}}, nil},
	} {
		r := scored(t, c.models, c.of)
		if len(c.says) == 0 {
			if r.Findings != nil {
				t.Errorf("%s: %q", c.name, r.Findings)
			}
			continue
		}
		for _, s := range c.says {
			if !strings.Contains(strings.Join(r.Findings, "\n"), s) {
				t.Errorf("%s: %q lacks %q", c.name, r.Findings, s)
			}
		}
	}
	g := scored(t, 16, map[string][2]bool{"entropy": {false, true}, "selfcheck": {true, true}}).Detectors
	e := g["entropy"].Gain
	if !archtest.Near(*e.P, math.Ldexp(2, -16), 1e-12) || !archtest.Near(*e.PHolm, math.Ldexp(4, -16), 1e-12) ||
		e.Models != 16 || e.Higher != 16 ||
		!archtest.Near(*e.Mean, .5, 1e-12) {
		t.Errorf("entropy %+v: p %v, by Holm %v, mean %v", e, *e.P, *e.PHolm, *e.Mean)
	}
	if s := g["selfcheck"].Gain; *s.P != 1 || s.Zeros != 16 || *s.Mean != 0 {
		t.Errorf("selfcheck %+v", s)
	}
}
