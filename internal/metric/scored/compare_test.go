package scored

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"hallmark/internal/archtest"
	"hallmark/internal/base/seed"
	"hallmark/internal/metric/method"
	"hallmark/internal/stat"
	"hallmark/internal/suite"
)

// at is a case of a cluster with its answer to the default prompt and the score that came along.
func at(id int, cluster int32, score float64) method.Case {
	return method.Case{Case: &suite.Case{ID: fmt.Sprint("c", id)}, Cluster: cluster,
		Answers: []method.Answer{of(said(true, fmt.Sprintf(`{"s":%v}`, score)), "", 0, 0)}}
}

// compared is the change of the score from one run to another.
func compared(t *testing.T, base, other []method.Case, without map[string]bool) *method.Change {
	t.Helper()
	out := method.Compare(Method{}, estimate(t, base...), estimate(t, other...), without, .95)
	c, ok := out["by_name"].(method.Figures)["s"].(method.Figures)["mean"].(*method.Change)
	if !ok {
		t.Fatalf("no change of the mean in %v", out)
	}
	return c
}

// Means are compared over the cases of both runs alone, whatever their order; by hand.
func TestScoresPaired(t *testing.T) {
	base := []method.Case{at(1, 0, .2), at(2, 0, .4), at(3, 0, 1), at(4, 0, 0)}
	other := []method.Case{at(9, 0, 1), at(3, 0, .5), at(2, 0, .7), at(1, 0, .3)}
	c := compared(t, base, other, nil)
	was, is := []float64{.2, .4, 1}, []float64{.3, .7, .5} // 1, 2 and 3: .1 + .3 - .5 = -.1
	want := stat.Paired(was, is, nil, .95)
	if c.N != 3 || !c.Paired || c.Difference.Value != want.Value || c.Difference.Lo != want.Lo || *c.P != want.P ||
		c.Test != want.Test || c.Base.Value != stat.Mean(was, .95).Value || c.Other.Hi != stat.Mean(is, .95).Hi {
		t.Errorf("%+v, difference %+v; want %+v", c, c.Difference, want)
	}
	if c := compared(t, base, other, map[string]bool{"c3": true}); c.N != 2 || c.Difference.Value < .1999 {
		t.Errorf("without a case that changed: %+v, difference %+v", c, c.Difference)
	}
	if c := compared(t, base, other[:1], nil); c.Paired || c.Difference != nil || c.P != nil || c.Base.Value != .4 ||
		c.Other.Value != 1 {
		t.Errorf("no case in common: %+v", c)
	}
	if c := compared(t, base, []method.Case{at(1, 0, 7), at(2, 0, .4)}, nil); c.Paired || c.Other != nil {
		t.Errorf("a score beyond [0, 1] in one of the runs: %+v", c)
	}
}

// The interval of the difference holds the true change of a score as often as it says, by cluster where cases go
// together, though the intervals of the two runs overlap.
func TestScoresPairedSimulated(t *testing.T) {
	draws := archtest.Draws(40, 400, 2000)
	const change = .05 // of every tenth of a score, by one case in two
	for _, size := range []int{1, 4} {
		r := seed.Stream(1, "scores paired", fmt.Sprint(size))
		held, found, apart := 0, 0, 0
		for range draws {
			base, other := drawn(r, 240/size, size)
			c := compared(t, base, other, nil)
			held += int(stat.Bit(c.Difference.Lo <= change && change <= c.Difference.Hi))
			found += int(stat.Bit(*c.P < .05))
			apart += int(stat.Bit(c.Other.Lo > c.Base.Hi))
		}
		if share := float64(held) / float64(draws); share < archtest.Least(.95, draws) {
			t.Errorf("clusters of %d: %.3f of the intervals hold the change", size, share)
		}
		if found <= apart+draws/2 {
			t.Errorf("clusters of %d: paired %d of %d are found, by intervals beside each other %d", size, found, draws,
				apart)
		}
	}
}

// drawn are two runs over clusters of so many cases, of which half gain a tenth in the second, whole clusters at a time;
// the second has them in another order.
func drawn(r *rand.Rand, clusters, size int) (base, other []method.Case) {
	for i := range clusters {
		score, gain, cluster := float64(r.IntN(10))/10, float64(r.IntN(2))/10, int32(0)
		if size > 1 {
			cluster = int32(i + 1)
		}
		for k := range size {
			base = append(base, at(i*size+k, cluster, score))
			other = append(other, at(i*size+k, cluster, score+gain))
		}
	}
	slices.Reverse(other)
	return base, other
}
