package run

import (
	"cmp"
	"slices"

	"hallmark/internal/model"
)

// Arrange sorts the calls of each model so that requests which begin alike follow each other; models stay in the order
// in which they come, and so do calls with the same request. A model in process computes what such neighbours share
// once. It is for runs without a budget, which runs out in the order of the calls.
func Arrange(calls []Call) {
	rank := map[string]int{}
	for _, c := range calls {
		if _, ok := rank[c.Model]; !ok {
			rank[c.Model] = len(rank)
		}
	}
	slices.SortStableFunc(calls, func(a, b Call) int {
		return cmp.Or(cmp.Compare(rank[a.Model], rank[b.Model]), compareText(&a.Request, &b.Request))
	})
}

// compareText compares what the requests say, first to last: system text, earlier turns, prompt, options.
func compareText(a, b *model.Request) int {
	turn := func(a, b model.Message) int { return cmp.Or(cmp.Compare(a.Role, b.Role), cmp.Compare(a.Text, b.Text)) }
	return cmp.Or(
		cmp.Compare(a.System, b.System), slices.CompareFunc(a.Messages, b.Messages, turn), cmp.Compare(a.Prompt, b.Prompt),
		slices.Compare(a.Options, b.Options),
	)
}
