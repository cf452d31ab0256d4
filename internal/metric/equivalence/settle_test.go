package equivalence

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// table reads verdicts on pairs: "=" equal, "?" unknown, anything else different.
func table(pairs map[Pair]Outcome) func(i, j int) Outcome {
	return func(i, j int) Outcome {
		if o, ok := pairs[Pair{min(i, j), max(i, j)}]; ok {
			return o
		}
		return Different
	}
}

func TestSettle(t *testing.T) {
	smiths := map[Pair]Outcome{{0, 1}: Equal, {0, 2}: Equal} // Smith is J. Smith and A. Smith, who differ
	for _, c := range []struct {
		name   string
		counts []int
		pairs  map[Pair]Outcome
		want   Classes
	}{
		{"nothing", nil, nil, Classes{}},
		{"all apart", []int{3, 1, 1}, nil, Classes{0, 1, 2}},
		{"one clique", []int{1, 5, 1}, map[Pair]Outcome{{0, 1}: Equal, {0, 2}: Equal, {1, 2}: Equal}, Classes{0, 0, 0}},
		{"the middle, as rare", []int{1, 1, 1}, smiths, Classes{LeftOut, 1, 2}},
		{"the middle, rarest", []int{1, 4, 4}, smiths, Classes{LeftOut, 1, 2}},
		{"the ends, equally rare", []int{8, 1, 1}, smiths, Classes{0, LeftOut, LeftOut}},
		{"the rarer end", []int{8, 2, 1}, smiths, Classes{0, 0, LeftOut}},
		{"a rare end beside a common one", []int{5, 8, 1}, smiths, Classes{0, 0, LeftOut}},
		{"unknown, the rarer", []int{7, 3}, map[Pair]Outcome{{0, 1}: Unknown}, Classes{0, LeftOut}},
		{"unknown, as rare", []int{5, 5}, map[Pair]Outcome{{0, 1}: Unknown}, Classes{LeftOut, LeftOut}},
		{"left out is no obstacle", []int{9, 3, 1}, map[Pair]Outcome{{0, 1}: Unknown, {1, 2}: Unknown},
			Classes{0, LeftOut, 2}},
		{"unknown to one of a class", []int{5, 4, 1}, map[Pair]Outcome{{0, 1}: Equal, {0, 2}: Equal, {1, 2}: Unknown},
			Classes{0, 0, LeftOut}},
		{"a chain", []int{1, 5, 5, 1}, map[Pair]Outcome{{0, 1}: Equal, {1, 2}: Equal, {2, 3}: Equal},
			Classes{LeftOut, 1, 1, LeftOut}},
	} {
		if got := Settle(c.counts, table(c.pairs)); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// What Settle returns are cliques that are apart, whatever the verdicts; the order of the nodes decides nothing; and
// the commonest node that all others know about is kept.
func TestSettleHolds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 9).Draw(t, "n")
		counts := rapid.SliceOfN(rapid.IntRange(1, 4), n, n).Draw(t, "counts")
		pairs := map[Pair]Outcome{}
		for j := range n {
			for i := range j {
				pairs[Pair{i, j}] = Outcome(rapid.IntRange(0, 2).Draw(t, "verdict"))
			}
		}
		verdict := table(pairs)
		of := Settle(counts, verdict)
		for j := range n {
			for i := range j {
				switch {
				case of[i] == LeftOut || of[j] == LeftOut:
				case of[i] == of[j] && verdict(i, j) != Equal, of[i] != of[j] && verdict(i, j) != Different:
					t.Fatalf("%v of %v: nodes %d and %d are held %d", of, counts, i, j, verdict(i, j))
				}
			}
		}
		if n > 1 && counts[0] > slices.Max(counts[1:]) && of[0] == LeftOut {
			t.Fatalf("%v of %v: the commonest node is left out", of, counts)
		}
		order := rapid.Permutation([]int{0, 1, 2, 3, 4, 5, 6, 7, 8}[:n]).Draw(t, "order")
		moved := make([]int, n)
		for to, from := range order {
			moved[to] = counts[from]
		}
		again := Settle(moved, func(i, j int) Outcome { return verdict(order[i], order[j]) })
		for i := range n {
			if (again[i] == LeftOut) != (of[order[i]] == LeftOut) {
				t.Fatalf("node %d is left out by its place", order[i])
			}
			for j := range i {
				if of[order[i]] != LeftOut && of[order[j]] != LeftOut && (again[i] == again[j]) != (of[order[i]] == of[order[j]]) {
					t.Fatalf("nodes %d and %d are joined by their places", order[i], order[j])
				}
			}
		}
	})
}
