package assay

import (
	"hallmark/internal/figure"
	"hallmark/internal/metric/consistency"
	"hallmark/internal/metric/crosstab"
	"hallmark/internal/metric/detect"
	"hallmark/internal/metric/posterior"
	"hallmark/internal/metric/rate"
)

// Catalogue lists the figures of a model on a suite, by their paths from there: label, unit and meaning of each
// stand in it once, for whatever shows a figure. Each added method has a catalogue of its own, of what is at
// measured.NAME.
func Catalogue() *figure.Catalogue {
	return figure.NewCatalogue(
		figure.Under("rubric", rate.Figures), figure.Under("consistency", consistency.Figures),
		figure.Under("consistency_sampled", consistency.Figures),
		figure.Under("detection", detect.Figures), figure.Under("detection", detect.Across),
		figure.Under("joint", crosstab.Figures),
		figure.Under("posterior", posterior.Figures), figure.Under("cells/*", gridFigures), ownFigures,
	)
}

// ownFigures are those of the parts that belong to no package of metrics.
var ownFigures = []figure.Entry{
	figure.At("repeat_agreement/agreement", "the same prompt again agrees", figure.Share, "ink"),

	figure.At("families/ranking/*/questions", "questions", figure.Count, "rnd"),
	figure.At("families/ranking/*/disagreement", "two variants disagree", figure.Share, "rnd"),
	figure.At("families/ranking/*/changed", "answer other than the default’s", figure.Share, "rnd"),
	figure.At("families/ranking/*/ambiguity_at_r", "ambiguity", figure.Share, "rnd"),
	figure.At("families/differences/*/questions", "questions", figure.Count, ""),
	figure.At("families/differences/*/difference", "difference", figure.Share, ""),

	figure.At("contrast/pass_at_k/*", "pass@k", figure.Share, ""),
	figure.At("contrast/perplexity/per_token", "perplexity of the answers", figure.Mean,
		"").Within("contrast/perplexity/per_token_interval"),
	figure.At("contrast/perplexity/median", "perplexity of the middle question", figure.Mean, ""),
	figure.At("contrast/raw_strings/semantic_stability", "semantic stability, letter by letter", figure.Mean,
		"").Says("the raw texts, before any reading"),

	figure.At("equality/equal", "pairs that say the same", figure.Count, "").Says("both directions hold"),
	figure.At("equality/violations", "pairs joined against their verdict", figure.Count,
		"").Says("where the comparison is not transitive"),
	figure.At("equality/unscored", "pairs without a verdict", figure.Count, ""),
	figure.At("equality/*/false_split", "equal answers held apart", figure.Share, "err"),
	figure.At("equality/*/false_merge", "different answers joined", figure.Share, "err"),
	figure.At("equality/stability/corrected", "stability without these errors", figure.Mean, "ink").
		Says("what a comparison without error would give, as far as these rates tell"),

	figure.At("judged/share", "cases that a judge decides", figure.Share, ""),
	figure.At("judged/accepted", "accepted", figure.Count, ""),
	figure.At("judged/rejected", "rejected", figure.Count, ""),
	figure.At("judged/correct", "decided as correct", figure.Count, ""),
	figure.At("judged/incorrect", "decided as incorrect", figure.Count, ""),
	figure.At("judged/not_attempted", "decided as not attempted", figure.Count, ""),
	figure.At("judged/split", "no majority of the panel", figure.Count, ""),
	figure.At("judged/self_agreement", "agrees with itself", figure.Share, "").
		Says("asked a second time about the same answers, with the references in the opposite order"),
	figure.At("judged/anchors/*/right", "right on the anchors", figure.Count,
		"").Says("answers of which it is plain what they did"),
	figure.At("judged/asked_again", "asked again", figure.Count, "").Says("replies that could not be read"),
	figure.At("judged/usd", "US dollars for the judge", figure.Mean, ""),
	figure.At("judged/no_verdict", "no verdict", figure.Count,
		"").Says("the judge’s call failed, or its reply was none"),
	figure.At("judged/pending", "waiting for a judge", figure.Count, ""),
	figure.At("judged/tokens/prompt", "prompt tokens of the judge", figure.Count, ""),
	figure.At("judged/tokens/completion", "completion tokens of the judge", figure.Count, ""),

	figure.At("paraphrases/acceptance", "admitted, mean over cases", figure.Share, ""),
	figure.At("paraphrases/candidates", "candidates", figure.Count, ""),
	figure.At("paraphrases/admitted", "admitted", figure.Count, ""),
	figure.At("paraphrases/used", "used as variants", figure.Count, ""),
	figure.At("paraphrases/full", "cases with as many as asked for", figure.Count, ""),
	figure.At("paraphrases/none", "cases with none", figure.Count, ""),
	figure.At("paraphrases/failed", "cases without a reply that was needed", figure.Count, ""),
	figure.At("paraphrases/tokens/prompt", "prompt tokens that they took", figure.Count, ""),
	figure.At("paraphrases/tokens/completion", "completion tokens that they took", figure.Count, ""),
	figure.At("paraphrases/rejected/*", "rejected", figure.Count, ""),

	figure.At("audit/outcomes/n", "answers", figure.Count, ""),
	figure.At("audit/outcomes/labelled", "labelled", figure.Count, ""),
	figure.At("audit/outcomes/correct", "correct", figure.Share, "ok"),
	figure.At("audit/outcomes/incorrect", "wrong answers", figure.Share, "err"),
	figure.At("audit/outcomes/not_attempted", "not attempted", figure.Share, "rnd"),
	figure.At("audit/outcomes/incorrect_given_attempted", "wrong, of the attempts", figure.Share, "err"),
	figure.At("audit/outcomes/missing", "labels that are missing", figure.Count, ""),
	figure.At("audit/outcomes/more", "more labels for ±5 points", figure.Count, ""),
	figure.At("audit/outcomes/strata/*/cases", "answers", figure.Count, ""),
	figure.At("audit/outcomes/strata/*/correct", "correct", figure.Count, ""),
	figure.At("audit/outcomes/strata/*/incorrect", "wrong", figure.Count, ""),
	figure.At("audit/outcomes/strata/*/not_attempted", "not attempted", figure.Count, ""),
	figure.At("audit/over_variants/n", "answers", figure.Count, ""),
	figure.At("audit/over_variants/labelled", "labelled", figure.Count, ""),
	figure.At("audit/over_variants/correct", "correct", figure.Share, "ok"),
	figure.At("audit/over_variants/incorrect", "wrong answers", figure.Share, "err"),
	figure.At("audit/over_variants/not_attempted", "not attempted", figure.Share, "rnd"),
	figure.At("audit/over_variants/incorrect_given_attempted", "wrong, of the attempts", figure.Share, "err"),
	figure.At("audit/over_variants/missing", "labels that are missing", figure.Count, ""),
	figure.At("audit/over_variants/more", "more labels for ±5 points", figure.Count, ""),
	figure.At("audit/over_variants/strata/*/cases", "answers", figure.Count, ""),
	figure.At("audit/over_variants/strata/*/correct", "correct", figure.Count, ""),
	figure.At("audit/over_variants/strata/*/incorrect", "wrong", figure.Count, ""),
	figure.At("audit/over_variants/strata/*/not_attempted", "not attempted", figure.Count, ""),

	figure.At("audit/corrected/*/uncorrected", "by the grader", figure.Share, ""),
	figure.At("audit/corrected/*/corrected", "corrected by people", figure.Share, ""),
	figure.At("audit/corrected/*/labelled", "labelled", figure.Count, ""),
	figure.At("audit/corrected/*/n", "of", figure.Count, ""),
	figure.At("audit/corrected/*/only_grader_fail", "only the grader fails", figure.Count, ""),
	figure.At("audit/corrected/*/only_people_fail", "only people fail", figure.Count, ""),
	figure.At("audit/agreement/*/alpha", "alpha", figure.Mean, ""),
	figure.At("audit/agreement/*/n", "answers", figure.Count, ""),
	figure.At("audit/strata/*/cases", "of", figure.Count, ""),
	figure.At("audit/strata/*/labelled", "judged", figure.Count, ""),

	figure.At("designed/*/n", "cases", figure.Count, "ink"),
	figure.At("designed/*/prompt_agnostic_factual", "right", figure.Count, "ok"),
	figure.At("designed/*/prompt_agnostic_error", "stable error", figure.Count, "err"),
	figure.At("designed/*/randomness", "random", figure.Count, "rnd"),
	figure.At("designed/*/declined", "declined", figure.Count, "ink"),
	figure.At("designed/*/sampled_ambiguous", "sampled split", figure.Share, "ink"),
	figure.At("designed/*/unseen_by_greedy", "unseen by greedy", figure.Share, "ink"),
	figure.At("designed/*/as_designed", "as designed", figure.Share, "ink"),
}

// gridFigures are those of a cell of the grid.
var gridFigures = []figure.Entry{
	figure.At("questions", "questions", figure.Count, ""),
	figure.At("accuracy", "accuracy", figure.Points, ""),
	figure.At("accuracy/sd", "deviation over variants", figure.Points, ""),
	figure.At("ambiguity", "ambiguity", figure.Points, ""),
	figure.At("ambiguity_at_r", "ambiguity at so many variants", figure.Points, ""),
	figure.At("old_terms/factual", "factual", figure.Share, "ok"),
	figure.At("old_terms/hallucination", "hallucination", figure.Share, "err"),
	figure.At("taxonomy/"+consistency.PromptAgnosticFactual, "right, stable", figure.Share, "ok"),
	figure.At("taxonomy/"+consistency.PromptAgnosticError, "wrong, stable", figure.Share, "err"),
	figure.At("taxonomy/"+consistency.Randomness, "random", figure.Share, "rnd"),
}
