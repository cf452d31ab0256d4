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
		r.atK = r.atK || !sameSet(docs, first)
	}
	r.docs = known > 1
}

func best(docs []string) string {
	if len(docs) == 0 {
		return ""
	}
	return docs[0]
}

func sameSet(a, b []string) bool {
	if slices.Equal(a, b) {
		return true
	}
	return slices.Equal(sortedSet(a), sortedSet(b))
}

func sortedSet(s []string) []string {
	s = slices.Clone(s)
	slices.Sort(s)
	return slices.Compact(s)
}

// retrieval fills in Documents if any case has them.
func (a *analysis) retrieval() {
	var all, top, atK int
	in, topIn := make(map[string]int), make(map[string]int)
	for _, r := range a.rows {
		if !r.docs {
			continue
		}
		all++
		in[r.category()]++
		if r.top {
			top++
			topIn[r.category()]++
		}
		if r.atK {
			atK++
		}
	}
	if all == 0 {
		return
	}
	d := &Documents{Questions: all, K: a.documentsK, Ambiguity: stat.Wilson(top, all, a.opt.Level).Interval(), AmbiguityAtK: stat.Wilson(atK, all, a.opt.Level).Interval()}
	for _, category := range []string{PromptAgnosticFactual, PromptAgnosticError, Randomness} {
		if in[category] > 0 {
			if d.ByCategory == nil {
				d.ByCategory = make(map[string]*stat.Interval)
			}
			d.ByCategory[category] = stat.Wilson(topIn[category], in[category], a.opt.Level).Interval()
		}
	}
	a.res.Documents = d
}
