package report

import (
	"testing"

	"hallmark/internal/ask/prompt"
	"hallmark/internal/assay/annotate"
	"hallmark/internal/metric/detect"
	"hallmark/internal/metric/rate"
	"hallmark/internal/text/paraphrase"
)

// Each name that results have has a word, so that none is added without one.
func TestWords(t *testing.T) {
	wants[string](t, "detectors", detect.Names)
	wants[string](t, "curves", rate.Curves)
	wants(t, "rejected", paraphrase.Reasons)
	wants(t, "strata", annotate.Strata)
	for _, p := range phases {
		wants(t, "letters of phases", []string{p.word})
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
