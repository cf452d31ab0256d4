package consistency

import "hallmark/internal/stat/figure"

// Figures is the catalogue of what Result has.
var Figures = func() []figure.Entry {
	out := []figure.Entry{
		figure.At("questions", "questions", figure.Count, ""),
		figure.At("semantic_stability", "semantic stability", figure.Mean, "ink").Ranging("range/semantic_stability"),
		figure.At("accuracy", "accuracy over variants", figure.Mean, "ok").Ranging("range/accuracy"),
		figure.At("accuracy/default", "accuracy of the default prompt", figure.Mean, ""),
		figure.At("self_consistency", "self-consistency", figure.Mean, "ink").Ranging("range/self_consistency").
			Says("chance that two prompt variants of a question agree"),
		figure.At("ambiguity", "ambiguity", figure.Share, "ink").Ranging("range/ambiguity").
			Says("questions with at least two different answers; grows with the number of prompt variants"),
		figure.At("ambiguity_at_r", "ambiguity at so many variants", figure.Share, "ink").
			Says("expected of so many of the variants, to compare with other runs"),
		figure.At("pc_below_0.5", "consistency below 0.5", figure.Share, "ink").Within("pc_intervals/below_0.5").
			Says("questions with no answer given by half of the prompt variants"),
		figure.At("pc_at_least_0.8", "consistency at least 0.8", figure.Share,
			"ink").Within("pc_intervals/at_least_0.8").
			Says("questions with one answer given by four fifths of the prompt variants"),
		figure.At("pc_floor", "the least that stability can be", figure.Mean,
			"ink").Says("mean over questions of 1/k, k the variants scored"),
		figure.At("overstatement", "overstatement", figure.Share, "ink").
			Says("accuracy of the default prompt above what is right in a prompt-agnostic way"),
		figure.At("declined/of_prompt_agnostic_error", "declined, of the stable errors", figure.Share, "err").
			Says("declined to answer, prompt-agnostic"),
		figure.At("prompt_sensitive", "prompt-sensitive", figure.Share, "rnd"),
		figure.At("unscored", "unscored answers", figure.Count, "ink").Says("left out"),
		figure.At("predictive_entropy", "predictive entropy", figure.Nats, ""),
		figure.At("unseen_by_greedy/share", "greedy agrees, samples split", figure.Share, "rnd").
			Says("questions whose answers agree over the prompt variants when decoded greedily, and not over the " +
				"samples"),
		figure.At("semantic_entropy/discrete", "semantic entropy", figure.Nats, ""),
		figure.At("semantic_entropy/weighted", "semantic entropy, by likelihood", figure.Nats, ""),
		figure.At("semantic_entropy/forms", "entropy of the forms alone", figure.Nats, ""),

		figure.At("old_terms/questions", "questions", figure.Count, ""),
		figure.At("old_terms/factual", "factual", figure.Share, "ok"),
		figure.At("old_terms/hallucination", "hallucination", figure.Share, "err"),
		figure.At("old_terms/*/*", "questions", figure.Count, ""),
		figure.At("old_terms/default_in_minority", "default prompt in the minority", figure.Count, ""),
		figure.At("sweep/*/tau", "threshold", figure.Mean, ""),
		figure.At("sweep/*/*", "share of questions", figure.Share, ""),

		figure.At("documents/ambiguity", "ambiguity of retrieved documents", figure.Share, "ink").
			Says("questions whose best document depends on the prompt variant"),
		figure.At("documents/by_category/"+PromptAgnosticFactual, "where right, prompt-agnostic", figure.Share,
			"ink"),
		figure.At("documents/by_category/"+PromptAgnosticError, "where wrong, prompt-agnostic", figure.Share,
			"ink"),
		figure.At("documents/by_category/"+Randomness, "where prompt-sensitive", figure.Share, "ink"),
		figure.At("documents/ambiguity_at_k", "ambiguity of all documents found", figure.Share, "ink"),
	}
	for _, c := range []struct{ name, label, tone, note string }{
		{PromptAgnosticFactual, "right, prompt-agnostic", "ok", "prompt-agnostic factual"},
		{PromptAgnosticError, "wrong, prompt-agnostic", "err", "prompt-agnostic error"},
		{Randomness, "prompt-sensitive", "rnd", "randomness, right or wrong"},
	} {
		out = append(out, figure.At("taxonomy/"+c.name, c.label, figure.Share, c.tone).Says(c.note).
			Within("taxonomy_intervals/"+c.name).Ranging("range/taxonomy/"+c.name).Picks("category="+c.name))
	}
	for _, q := range []struct{ name, label, tone, note string }{
		{"stable_correct", "stable, right", "ok", "known"},
		{"stable_wrong", "stable, wrong", "err", "wrong knowledge"},
		{"unstable_correct", "unstable, mostly right", "rnd", "chance, with the right answer in the lead"},
		{"unstable_wrong", "unstable, mostly wrong", "rnd", "chance"},
	} {
		out = append(out, figure.At("quadrants/"+q.name, q.label, figure.Share,
			q.tone).Says(q.note).Within("quadrant_intervals/"+q.name))
	}
	const unbiased = "unbiased: runs of different numbers of variants can be compared"
	for _, d := range []struct {
		name, label string
		unit        figure.Unit
		note        string
	}{
		{"mode_error", "mode error", figure.Share, "questions whose most common answer is wrong"},
		{"error", "error, over variants", figure.Mean, "bias² + variance"},
		{"bias_squared", "bias²", figure.Mean, unbiased},
		{"variance", "variance", figure.Mean, unbiased},
	} {
		out = append(out, figure.At("decomposition/"+d.name, d.label, d.unit,
			"ink").Says(d.note).Within("decomposition_intervals/"+d.name))
	}
	return out
}()
