package report

import (
	"fmt"

	"hallmark/internal/assay"
)

// partialShown is how many models and suites are named that lack answers.
const partialShown = 4

// partial says what is not there of a model on a suite.
func partial(x *assay.Incomplete, alone bool) string {
	of := oneLine(x.Model) + " on " + oneLine(x.Suite) + ": "
	if alone {
		of = ""
	}
	s := fmt.Sprintf("%s%s of %s without an answer to the default prompt, %s missing in all", of,
		grouped(x.Unanswered), count(x.Cases, "question"), count(x.Missing, "planned answer"))
	if x.Unasked > 0 {
		return "Incomplete: " + s + fmt.Sprintf(" (%s never made, for the budget, --offline or an interruption; the "+
			"same command goes on). What follows is of the rest.", plural(x.Unasked, "call was", "calls were"))
	}
	return "Incomplete: " + s + ". What follows is of the rest. The first is missing as: " +
		clip(oneLine(x.Reason), 300)
}

// eachPartial says of each pair of a model and a suite what is not there.
func eachPartial(list []assay.Incomplete) []string {
	return each(list, func(x assay.Incomplete) string { return partial(&x, len(list) == 1) })
}

// partials are banners of what is not there, which stand before all else; none where a run is whole.
func partials(list []assay.Incomplete) []block {
	out := banners(eachPartial(list[:min(partialShown, len(list))]))
	if n := len(list) - partialShown; n > 0 {
		out = append(out, noteOf(noteBanner, "Incomplete: so "+plural(n, "is one other pair", "are other pairs")+
			" of a model and a suite."))
	}
	return out
}

// limits are banners of why a comparison says less than it seems to, such as that a run is incomplete.
func limits(t tree) []block { return banners(t.texts("limits")) }

// banners are texts that warn of the whole.
func banners(texts []string) []block {
	return each(texts, func(s string) block { return noteOf(noteBanner, strong(s)) })
}
