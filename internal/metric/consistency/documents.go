package consistency

import (
	"slices"

	"hallmark/internal/stat"
)

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
