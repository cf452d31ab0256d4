package consistency

import (
	"maps"
	"math"
	"slices"

	"hallmark/internal/base/lists"
	"hallmark/internal/stat"
)

// correctness fills in what needs gold.
func (a *analysis) correctness(rows []row) {
	res := &a.res
	category := func(c string) *stat.Estimate {
		return a.share(rows, func(r *row) bool { return r.category() == c })
	}
	quadrant := func(q string) *stat.Estimate {
		return a.share(rows, func(r *row) bool { return r.quadrant() == q })
	}
	res.TaxonomyIntervals = &Taxonomy[*stat.Estimate]{
		category(PromptAgnosticFactual), category(PromptAgnosticError), category(Randomness),
	}
	res.Taxonomy = &Taxonomy[float64]{res.TaxonomyIntervals.Factual.Value, res.TaxonomyIntervals.Error.Value,
		res.TaxonomyIntervals.Randomness.Value}
	q := &Quadrants[*stat.Estimate]{
		quadrant(StableCorrect), quadrant(StableWrong), quadrant(UnstableCorrect), quadrant(UnstableWrong),
	}
	res.QuadrantIntervals = q
	res.Quadrants = &Quadrants[float64]{q.StableCorrect.Value, q.StableWrong.Value, q.UnstableCorrect.Value,
		q.UnstableWrong.Value}

	a.decompose(rows)
	res.DecompositionIntervals.ModeError = a.share(rows, func(r *row) bool { return !r.modeRight })
	res.Decomposition.ModeError = res.DecompositionIntervals.ModeError.Value

	accuracy := a.mean(rows, func(r *row) float64 { return r.accuracy })
	res.Accuracy = &Accuracy{Average: stat.Average(accuracy), SD: a.deviation(), Questions: len(rows)}
	a.onDefault(rows)
}

// decompose fills in the means of error, bias² and variance, with bias² + variance = error but for rounding. A
// case's variance is at most ½, so its interval is that of twice the variance, halved.
func (a *analysis) decompose(rows []row) {
	mean := func(most float64, of func(*row) float64) (float64, *stat.Estimate) {
		var total sum
		e := a.mean(rows, func(r *row) float64 {
			x := of(r)
			total.add(x)
			return min(1, x/most)
		})
		m := total.value() / float64(len(rows))
		e.Value, e.Lo, e.Hi = m, min(most*e.Lo, m), max(most*e.Hi, m)
		return m, &e
	}
	d, in := &Decomposition[float64]{}, &Decomposition[*stat.Estimate]{}
	d.Error, in.Error = mean(1, func(r *row) float64 { return r.error })
	d.BiasSquared, in.BiasSquared = mean(1, func(r *row) float64 { return r.unbiased.BiasSquared })
	d.Variance, in.Variance = mean(.5, func(r *row) float64 { return r.unbiased.Variance })
	d.PlugIn.BiasSquared, in.PlugIn.BiasSquared = mean(1, func(r *row) float64 { return r.plugIn.BiasSquared })
	d.PlugIn.Variance, in.PlugIn.Variance = mean(.5, func(r *row) float64 { return r.plugIn.Variance })
	a.res.Decomposition, a.res.DecompositionIntervals = d, in
}

// onDefault sets what a benchmark that asks once would say beside what holds over the variants.
func (a *analysis) onDefault(rows []row) {
	rows = kept(rows, func(r *row) bool { return r.hasDefault })
	old := OldTerms{Questions: len(rows)}
	for i := range rows {
		r := &rows[i]
		term := &old.Hallucination
		if r.defaultRight {
			term = &old.Factual
		}
		switch r.category() {
		case PromptAgnosticFactual:
			term.Factual++
		case PromptAgnosticError:
			term.Error++
		default:
			term.Randomness++
		}
		if r.stable && r.defaultRight != r.modeRight {
			old.DefaultInMinority++
		}
	}
	if old.Questions == 0 {
		a.warn("no question with a gold answer has a scored variant 0, so there is no accuracy on the default prompt")
		return
	}
	old.Factual.Estimate = *a.share(rows, func(r *row) bool { return r.defaultRight })
	old.Hallucination.Estimate = *a.share(rows, func(r *row) bool { return !r.defaultRight })
	a.res.OldTerms = &old
	a.res.Accuracy.Default = &old.Factual.Value
	factual := column(rows, func(r *row) float64 { return stat.Bit(r.category() == PromptAgnosticFactual) })
	atDefault := column(rows, func(r *row) float64 { return stat.Bit(r.defaultRight) })
	over := stat.Paired(factual, atDefault, clustersOf(rows), a.opt.Level)
	a.res.Overstatement, a.res.OverstatementP = over.Known(), &over.P
}

// deviation is the sample standard deviation over variants of each variant's accuracy over the cases that have it.
func (a *analysis) deviation() float64 {
	shares := lists.Map(slices.Sorted(maps.Keys(a.perVariant)),
		func(v int32) float64 { return a.perVariant[v].share() })
	if slices.Min(shares) == slices.Max(shares) {
		return 0 // and no residue of rounding
	}
	mean, sq := stat.Sum(shares)/float64(len(shares)), 0.
	for _, x := range shares {
		d := x - mean
		sq += float64(d * d)
	}
	return math.Sqrt(sq / float64(len(shares)-1)) // a used case has two variants
}

// documents compares what was retrieved for the variants of a case.
func (a *analysis) documents(r *row, t tally) {
	var first []string
	known := 0
	for _, docs := range t.docs {
		if docs == nil {
			continue
		}
		a.documentsK = max(a.documentsK, len(docs))
		if known++; known == 1 {
			first = docs
			continue
		}
		r.top = r.top || best(docs) != best(first)
		r.atK = r.atK || !slices.Equal(docs, first) && !slices.Equal(sortedSet(docs), sortedSet(first))
	}
	r.docs = known > 1
}

func best(docs []string) string {
	if len(docs) == 0 {
		return ""
	}
	return docs[0]
}

func sortedSet(s []string) []string {
	s = slices.Clone(s)
	slices.Sort(s)
	return slices.Compact(s)
}

// retrieval fills in Documents if any case has them.
func (a *analysis) retrieval() {
	rows := kept(a.rows, func(r *row) bool { return r.docs })
	if len(rows) == 0 {
		return
	}
	top, atK := func(r *row) bool { return r.top }, func(r *row) bool { return r.atK }
	d := &Documents{Questions: len(rows), K: a.documentsK, Ambiguity: a.share(rows, top),
		AmbiguityAtK: a.share(rows, atK), ByCategory: map[string]*stat.Estimate{},
		ByCategoryAtK: map[string]*stat.Estimate{}, QuestionsByCategory: map[string]int{}}
	for _, category := range []string{PromptAgnosticFactual, PromptAgnosticError, Randomness} {
		in := kept(rows, func(r *row) bool { return r.category() == category })
		if len(in) > 0 {
			d.ByCategory[category], d.ByCategoryAtK[category] = a.share(in, top), a.share(in, atK)
			d.QuestionsByCategory[category] = len(in)
		}
	}
	a.res.Documents = d
}
