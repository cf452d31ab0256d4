package prune

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"hallmark/internal/engine"
)

// Stages whose steps are smaller than a group of every layer, which importance alone would end at the last neuron with
// groups left: each is reached to half a grain all the same, whatever the scores, wherever there is a way.
func TestPlanAheadReachesEveryStage(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	reached, impossible := 0, 0
	for range 600 {
		kv, layers := []int{1, 2, 4, 8}[r.IntN(4)], r.IntN(3) == 0
		c := engine.Config{Layers: 1 + r.IntN(6), KVHeads: kv, Heads: kv * (1 + r.IntN(3)), HeadDim: 32, Hidden: 64,
			Inner: 100 + r.IntN(300)}
		body := c.Layers * size(c, Layer)
		var wants []int
		for at := .03 + .1*r.Float64(); at < float64(Most(c, layers))/float64(body); at += .03 + .1*r.Float64() {
			wants = append(wants, int(math.Round(at*float64(body))))
		}
		if len(wants) == 0 {
			continue
		}
		if !Feasible(c, wants, layers) {
			impossible++
			continue
		}
		now, gone := c, 0
		for i := range wants {
			s := Random(now, r)
			s.each(func(k Kind, _, _ int, x *float64) {
				if k == Group {
					*x *= 100 // so that neurons go first
				}
			})
			var rest []int
			for _, w := range wants[i:] {
				rest = append(rest, w-gone)
			}
			out, err := PlanAhead(now, s, rest, layers)
			if err != nil {
				t.Fatalf("%+v, stage %d of %v: %v", c, i, wants, err)
			}
			for _, u := range out {
				gone += u.Params
			}
			now = after(now, out)
			if left := now.Layers * size(now, Layer); body-left != gone || wants[i]-gone > Grain(c) ||
				2*(gone-wants[i]) > Grain(c) {
				t.Fatalf("%+v, stage %d of %v: %d gone, %d counted", c, i, wants, body-left, gone)
			}
		}
		reached++
	}
	t.Logf("%d schedules were kept, %d cannot be", reached, impossible)
	if reached < 100 || impossible == 0 {
		t.Errorf("%d schedules were kept, %d cannot be: too few of one to say much", reached, impossible)
	}
}

// One layer of 100 neurons and two groups that are worth 40 of these. By importance alone neurons go until they are
// spent, and the fourth stage has no room for a group; ahead of that one goes in the first.
func TestPlanAheadTakesAGroupInTime(t *testing.T) {
	c := engine.Config{Layers: 1, KVHeads: 2, Heads: 2, HeadDim: 30, Hidden: 8, Inner: 100}
	n := size(c, Neuron)
	run := func(plan func(engine.Config, Scores, []int) ([]Removal, error)) (groups []int, err error) {
		now, gone := c, 0
		wants := []int{45 * n, 75 * n, 105 * n, 135 * n}
		for i := range wants {
			s := zero(now)
			s.each(func(k Kind, _, j int, x *float64) {
				if *x = float64(1 + j); k == Group {
					*x *= 1e6
				}
			})
			var rest []int
			for _, w := range wants[i:] {
				rest = append(rest, w-gone)
			}
			out, err := plan(now, s, rest)
			if err != nil {
				return groups, err
			}
			for _, u := range out {
				gone += u.Params
			}
			now = after(now, out)
			groups = append(groups, now.KVHeads)
		}
		return groups, nil
	}
	if groups, err := run(func(c engine.Config, s Scores, wants []int) ([]Removal, error) {
		return Plan(c, s, wants[0], false)
	}); !errors.Is(err, ErrNothingLeft) {
		t.Errorf("one stage at a time: groups %v, %v", groups, err)
	}
	groups, err := run(func(c engine.Config, s Scores, wants []int) ([]Removal, error) {
		return PlanAhead(c, s, wants, false)
	})
	if err != nil || !slices.Equal(groups, []int{1, 1, 1, 1}) {
		t.Errorf("ahead: groups %v, %v", groups, err)
	}
}

// The same layer: steps of less than a group can be kept to where the neurons end, and further if a group fits in one
// of them.
func TestFeasible(t *testing.T) {
	c := engine.Config{Layers: 1, KVHeads: 2, Heads: 2, HeadDim: 30, Hidden: 8, Inner: 100}
	group, neuron := size(c, Group), size(c, Neuron)
	if group != 40*neuron {
		t.Fatalf("a group is %d neurons", group/neuron)
	}
	for _, tt := range []struct {
		wants []int
		want  bool
	}{
		{[]int{30, 60, 90}, true},
		{[]int{30, 60, 90, 120}, false}, // a group of 40 fits between no two of them
		{[]int{45, 75, 105, 135}, true}, // but in the first
		{[]int{139}, true}, {[]int{142}, false},
	} {
		var wants []int
		for _, w := range tt.wants {
			wants = append(wants, w*neuron)
		}
		if got := Feasible(c, wants, false); got != tt.want {
			t.Errorf("%v neurons: %v", tt.wants, got)
		}
	}
}
