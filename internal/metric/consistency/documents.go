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
	type tally struct {
		all int
		in  map[string]int
	}
	of, top, atK := tally{in: map[string]int{}}, tally{in: map[string]int{}}, tally{in: map[string]int{}}
	count := func(t *tally, r row) { t.all++; t.in[r.category()]++ }
	for _, r := range a.rows {
		if !r.docs {
			continue
		}
		count(&of, r)
		if r.top {
			count(&top, r)
		}
		if r.atK {
			count(&atK, r)
		}
	}
	if of.all == 0 {
		return
	}
	level := a.opt.Level
	d := &Documents{Questions: of.all, K: a.documentsK, Ambiguity: stat.Wilson(top.all, of.all, level).Known(), AmbiguityAtK: stat.Wilson(atK.all, of.all, level).Known()}
	for _, category := range []string{PromptAgnosticFactual, PromptAgnosticError, Randomness} {
		n := of.in[category]
		if n == 0 {
			continue
		}
		if d.ByCategory == nil {
			d.ByCategory, d.ByCategoryAtK, d.QuestionsByCategory = map[string]*stat.Estimate{}, map[string]*stat.Estimate{}, map[string]int{}
		}
		d.ByCategory[category] = stat.Wilson(top.in[category], n, level).Known()
		d.ByCategoryAtK[category] = stat.Wilson(atK.in[category], n, level).Known()
		d.QuestionsByCategory[category] = n
	}
	a.res.Documents = d
}
