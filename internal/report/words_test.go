package report

import (
	"testing"

	"hallmark/internal/ask/prompt"
	"hallmark/internal/assay/annotate"
	"hallmark/internal/metric/consistency"
	"hallmark/internal/metric/detect"
	"hallmark/internal/metric/rate"
	"hallmark/internal/metric/sweep"
	"hallmark/internal/text/paraphrase"
)

// Each name that results have has a word, so that none is added without one.
func TestWords(t *testing.T) {
	wants[string](t, "detectors", detect.Names)
	wants[string](t, "curves", rate.Curves)
	wants(t, "rejected", paraphrase.Reasons)
	wants(t, "strata", annotate.Strata)
	phases := []string{consistency.VarianceDominated, sweep.Optimal, consistency.BiasDominated, consistency.BothBetter,
		consistency.BothWorse, consistency.Undecided}
	wants(t, "phases", phases)
	for _, p := range phases {
		wants(t, "letters of phases", []string{called("phases", p)})
	}
	for _, k := range prompt.Kinds {
		if k != prompt.Default && k != prompt.Imported {
			wants(t, "changes", []prompt.Kind{k})
		}
	}
}

func wants[Name ~string](t *testing.T, kind string, names []Name) {
	t.Helper()
	for _, name := range names {
		if called(kind, name) == "" {
			t.Errorf("%s: no word for %q", kind, name)
		}
	}
}
