package rate

import (
	"slices"

	"hallmark/internal/stat/figure"
)

// Figures is the catalogue of what Result has of the answers to the default prompt, with those of its groups under Any.
var Figures = func() []figure.Entry {
	own := []figure.Entry{
		figure.At("outcomes/n", "answers", figure.Count, ""),
		figure.At("outcomes/incorrect", "wrong answers", figure.Share,
			"err").Says("something was asserted, and it is wrong"),
		figure.At("outcomes/correct", "correct", figure.Share,
			"ok").Says("the right answer, or the right act where no answer is right"),
		figure.At("outcomes/not_attempted", "not attempted", figure.Share,
			"rnd").Says("declined, asked back, named no answer, or said nothing"),
		figure.At("outcomes/ungradable", "could not be graded", figure.Share, "ink").Says("no grader could tell"),
		figure.At("outcomes/incorrect_given_attempted", "wrong, of the attempts", figure.Share,
			"err").Says("of the answers that are correct or wrong"),
		figure.At("outcomes/unsupported", "correct but unsupported", figure.Share, "err").
			Says("of the correct answers: evidence is missing, or a detail is made up"),
		figure.At("outcomes/grading/as_read", "wrong answers, as read", figure.Share, "err"),
		figure.At("outcomes/grading/implied/incorrect", "wrong answers, by the check of the grader", figure.Share,
			"err"),
		figure.At("outcomes/grading/implied/check_n", "labelled answers", figure.Count, ""),
		figure.At("outcomes/grading/implied/fit_p", "test of fit", figure.PValue, ""),

		figure.At("hallucination", "rubric failure rate (H)", figure.Share, "err").
			Says("fails on truth, decidability or reciprocity").Picks("verdict=hallucinated"),
		figure.At("truth_error", "truth error", figure.Share,
			"err").Says("wrong fact or number, fabricated evidence").Picks("verdict=truth"),
		figure.At("decidability_error", "decidability error", figure.Share, "err").
			Says("a guess where the question cannot be decided").Picks("verdict=decidability"),
		figure.At("reciprocity_error", "reciprocity error", figure.Share,
			"err").Says("claims beyond what was shown or cited").Picks("verdict=reciprocity"),
		figure.At("commission", "as commission", figure.Share,
			"err").Says("asserted something that fails").Picks("kind=commission"),
		figure.At("over_refusal", "as over-refusal", figure.Share,
			"err").Says("declined though the inputs sufficed").Picks("kind=over-refusal"),
		figure.At("undecided", "as undecided", figure.Share, "err").Says("hedged or empty").Picks("kind=undecided"),
		figure.At("format_error", "format error", figure.Share, "err"),

		figure.At("over_variants/outcomes/incorrect", "wrong answers over all variants", figure.Share, "err").
			Says("share of the answers to every variant of the prompt; the interval takes the question as the unit"),
		figure.At("over_variants/hallucination", "rubric failure rate (H) over all variants", figure.Share, "err").
			Says("likewise, over those that could be graded"),
		figure.At("over_refusal_of_answerable", "over-refusal of answerable questions", figure.Share, "err").
			Says("share of the questions that have an answer"),
		figure.At("weighted_quality", "weighted quality", figure.Mean, "ink").
			Says(".60 truth + .25 decidability + .15 reciprocity, unless the suite says otherwise"),
		figure.At("errors_per_case", "errors per question", figure.Mean,
			"ink").Says("sum of the three axes; may exceed 1"),
		figure.At("format_compliance", "format kept", figure.Share,
			"ink").Says("of the questions that ask for a format"),
		figure.At("unread", "answers that could not be graded", figure.Count, "ink").
			Says("in no rate of the rubric; the outcomes are ranges because of them"),
		figure.At("unscored", "unscored questions", figure.Count,
			"ink").Says("missing answers or verdicts, left out of the rates"),

		figure.At("confusion/*/*/*", "failures", figure.Share, "err"),
		figure.At("confusion/*/*/*/n", "judged", figure.Count, ""),
		figure.At("confusion/*/*/*/failed", "failed", figure.Count, ""),
	}
	out := slices.Clone(own)
	for _, of := range []string{"slices/by/*/of/*", "slices/by/*/other"} {
		out = append(out,
			figure.At(of+"/n", "answers", figure.Count, ""),
			figure.At(of+"/wrong", "wrong answers", figure.Count, ""),
			figure.At(of+"/incorrect", "wrong answers", figure.Share, "err"),
			figure.At(of+"/not_attempted", "not attempted", figure.Share, "rnd"),
			figure.At(of+"/rest/incorrect", "wrong answers, of the rest", figure.Share, "err"),
			figure.At(of+"/rest/n", "answers of the rest", figure.Count, ""),
			figure.At(of+"/difference", "wrong answers, less those of the rest", figure.Share, "err"),
			figure.At(of+"/difference/p", "p", figure.PValue, ""),
			figure.At(of+"/difference/p_holm", "p, Holm", figure.PValue, ""))
	}
	for _, by := range []string{"by_class", "by_domain", "by_tag"} {
		out = append(out, figure.Under(by+"/"+figure.Any, own)...)
	}
	return out
}()

// Compared is the catalogue of what Reduction has.
var Compared = func() []figure.Entry {
	out := []figure.Entry{
		figure.At("n", "questions", figure.Count, ""),
		figure.At("only_base_failed", "only base failed", figure.Count, ""),
		figure.At("only_other_failed", "only other failed", figure.Count, ""),
		figure.At("mcnemar_p", "McNemar’s exact test", figure.PValue, ""),
		figure.At("outcomes/grading/labelled", "labelled in both", figure.Count, ""),
		figure.At("outcomes/grading/drawn", "of a common sample", figure.Count, ""),
		figure.At("outcomes/grading/as_read", "wrong answers, as read", figure.Share, ""),
		figure.At("outcomes/grading/read/*", "as read", figure.Share, ""),
		figure.At("reduction/*", "cut by", figure.Share, ""),
		figure.At("commission_reduction", "commission cut by", figure.Share, ""),
		figure.At("quality_difference", "weighted quality", figure.Mean, ""),
		figure.At("over_refusal/*", "over-refusal", figure.Share, ""),
		figure.At("over_refusal/mcnemar_p", "over-refusal, McNemar’s exact test", figure.PValue, ""),
		figure.At("over_refusal/of_answerable/*", "over-refusal of answerable questions", figure.Share, ""),
		figure.At("by_class/*/*", "rubric failure rate (H)", figure.Share, ""),
		figure.At("by_class/*/n", "questions", figure.Count, ""),
		figure.At("by_class/*/mcnemar_p_holm", "p", figure.PValue, ""),
		figure.At("confusion/*/*/*/*", "failures", figure.Share, ""),
		figure.At("confusion/*/*/*/mcnemar_p_holm", "p", figure.PValue, ""),
		figure.At("transitions/*/*", "questions", figure.Count, ""),

		figure.At("stability/n", "questions", figure.Count, ""),
		figure.At("stability/semantic_stability/*", "semantic stability", figure.Mean, ""),
		figure.At("stability/ambiguity/*", "ambiguity", figure.Share, ""),
		figure.At("stability/accuracy/*", "accuracy over variants", figure.Mean, ""),
		figure.At("stability/*/p", "p", figure.PValue, ""),
		figure.At("stability/decomposition/n", "questions", figure.Count, ""),
		figure.At("stability/decomposition/bias_squared/*", "bias²", figure.Mean, ""),
		figure.At("stability/decomposition/variance/*", "variance", figure.Mean, ""),
		figure.At("stability/decomposition/other_beats_base/difference", "bias² + variance", figure.Mean, ""),

		figure.At("categories/n", "questions", figure.Count, ""),
		figure.At("categories/changed", "in another category", figure.Share, ""),
		figure.At("categories/base/*", "in base", figure.Count, ""),
		figure.At("categories/other/*", "in other", figure.Count, ""),
		figure.At("categories/difference/*", "share, other less base", figure.Share, ""),
		figure.At("categories/transitions/*/*", "questions", figure.Count, ""),
	}
	for _, e := range Figures {
		e.Tone, e.Note, e.Cases = "", "", ""
		for _, side := range []string{"base", "other", "difference"} {
			out = append(out, figure.Under(side, []figure.Entry{e})...)
		}
		if e.Path[0] == "outcomes" {
			e.Path = e.Path[1:]
			for _, side := range []string{"base", "other", "difference", "reduction"} {
				out = append(out, figure.Under("outcomes/"+side, []figure.Entry{e})...)
			}
		}
	}
	return out
}()
