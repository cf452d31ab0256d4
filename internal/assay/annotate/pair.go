package annotate

import "hallmark/internal/run"

// The strata of pairs of answers that a relation compared. Pairs are no answers: they are on sheets of their own,
// and in no audit of a grader.
const (
	PairJoined Stratum = "pair-joined" // they ended in one class
	PairApart  Stratum = "pair-apart"  // they ended in two
)

// PairTask is what a rater is told of a pair, where an answer has its system prompt.
const PairTask = "Two answers to one question: does the answer say the same as the reference, as an answer to the " +
	"question? truth: pass if it does, fail if not. Leave the other columns."

// PairSample is how many pairs of each stratum are drawn by default.
const PairSample = 50

// SamplePairs draws at most n pairs (0: PairSample) of each stratum of each model on each suite: a simple random
// sample without replacement from the stream that Sample uses, so that a larger one holds a smaller one. It does
// not change items.
func SamplePairs(items []Item, n int, seedValue uint64) (out []Item) {
	if n <= 0 {
		n = PairSample
	}
	parts, in := ordered(items, seedValue, true)
	for _, p := range parts {
		for _, u := range in[p][:min(n, len(in[p]))] {
			out = append(out, *u)
		}
	}
	return out
}

// Said returns, for each of the items that people judged on truth, the share that fails it: that of the
// adjudicator, else the mean over raters, so that an even split is one half.
func Said(items []Item, annotations []run.Annotation) (map[string]float64, error) {
	return saidOf(items, annotations, func(u *rated) (float64, bool) {
		v, ok, _ := u.people("truth")
		return v, ok
	})
}
