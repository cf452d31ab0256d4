package crosstab

import "hallmark/internal/stat/figure"

// Figures is the catalogue of what Result has.
var Figures = func() []figure.Entry {
	out := []figure.Entry{
		figure.At("by_axis/*/failures", "failures", figure.Count, ""),
		figure.At("by_axis/*/prompt_agnostic", "stay", figure.Share,
			"err").Within("by_axis/*/prompt_agnostic_interval"),
		figure.At("by_axis/*/random", "move", figure.Share, "rnd"),
	}
	for _, d := range []struct{ name, label, note string }{
		{"rubric", "rubric", "hallucination testing: the default prompt fails an axis"},
		{"prompt_agnostic_error", "prompt-agnostic error", "prompt multiplicity: wrong, and stays wrong"},
		{"randomness", "randomness", "prompt multiplicity: prompt-sensitive"},
		{"either", "either", "prompt multiplicity: not reliably right"},
		{"variance_only", "variance only", "semantic stability: the variance of the error"},
	} {
		out = append(out, figure.At("hallucination_by_definition/"+d.name, d.label, figure.Share, "ink").Says(d.note).
			Within("hallucination_by_definition_intervals/"+d.name))
	}
	return out
}()
