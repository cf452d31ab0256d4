package language

import (
	"slices"

	"hallmark/internal/metric/posterior"
	"hallmark/internal/metric/posterior/exact"
)

// ProblemOf makes a problem of learning in context from rows: labels are those given, else those of the pairs, in
// the order in which they first stand there.
func ProblemOf(p posterior.Problem, truth *posterior.Truth, labels []string) Problem {
	q := Problem{Name: "1", Pairs: p.Context, Labels: labels}
	if len(labels) == 0 {
		add := func(pairs []exact.Pair) {
			for _, pair := range pairs {
				if !slices.Contains(q.Labels, pair.Label) {
					q.Labels = append(q.Labels, pair.Label)
				}
			}
		}
		add(p.Context)
		if truth != nil {
			add(truth.Pairs)
		}
	}
	for _, input := range p.Queries {
		query := Query{Input: input}
		if truth != nil {
			query.Gold = truth.Gold[input]
		}
		q.Queries = append(q.Queries, query)
	}
	if truth != nil {
		q.True = truth.Pairs
	}
	return q
}
