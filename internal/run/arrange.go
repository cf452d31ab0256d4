package run

import (
	"cmp"
	"iter"
	"slices"

	"hallmark/internal/model"
)

// Arrange sorts the calls of each model so that requests which begin alike follow each other; models stay in the
// order in which they come, and so do calls with the same request. A model in process computes what such neighbours
// share once. It is for runs without a budget, which runs out in the order of the calls. Where the requests take
// more than 64 MB of memory, calls stay in their order.
func Arrange(calls iter.Seq[Call]) iter.Seq[Call] {
	const most = 64 << 20
	var all []Call
	bytes := 0
	for c := range calls {
		if bytes += held(c.Request); bytes > most {
			return calls
		}
		all = append(all, c)
	}
	arrange(all)
	return slices.Values(all)
}

func arrange(calls []Call) {
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
		cmp.Compare(a.System, b.System), slices.CompareFunc(a.Messages, b.Messages, turn),
		cmp.Compare(a.Prompt, b.Prompt),
		slices.Compare(a.Options, b.Options),
	)
}
