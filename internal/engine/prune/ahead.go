package prune

import (
	"fmt"
	"math"
	"slices"

	"hallmark/internal/engine"
)

// Feasible reports whether a model of shape c can be taken through stages at which wants[i] parameters, counted
// from c and increasing, are gone, each stage starting from the one before. A group of heads of every layer may be
// larger than the step between two stages, so that it depends on what goes when; Feasible is true if any way leads
// through, whatever the importance of the units says.
func Feasible(c engine.Config, wants []int, layers bool) bool {
	type state struct {
		ok      bool
		neurons int
	}
	least := c.Layers
	if layers {
		least = 1
	}
	total := c.Layers * size(c, Layer)
	var next [][]state // of the stage after, by layers and groups that are left
	for i := len(wants) - 1; i >= 0; i-- {
		now := make([][]state, c.Layers+1)
		for l := least; l <= c.Layers; l++ {
			now[l] = make([]state, c.KVHeads+1)
			for g := 1; g <= c.KVHeads; g++ {
				n, ok := stay(c, total-wants[i], l, g)
				if !ok {
					continue
				}
				s := state{next == nil, n}
				for m := least; m <= l && !s.ok; m++ {
					for h := 1; h <= g && !s.ok; h++ {
						s.ok = next[m][h].ok && next[m][h].neurons <= n
					}
				}
				now[l][g] = s
			}
		}
		next = now
	}
	return next == nil || slices.ContainsFunc(next, func(by []state) bool {
		return slices.ContainsFunc(by, func(s state) bool { return s.ok })
	})
}

// stay returns how many neurons of each of so many layers, with so many groups, come nearest to what is to be left
// in parameters. It is false where that is more than half a neuron of each layer too little, or a whole one too
// much, as where the last neuron stays.
func stay(c engine.Config, left, layers, groups int) (neurons int, ok bool) {
	bare := c
	bare.KVHeads, bare.Heads, bare.Inner = groups, groups*(c.Heads/c.KVHeads), 0
	room, grain := left-layers*size(bare, Layer), layers*size(c, Neuron)
	neurons = min(c.Inner, max(1, int(math.Round(float64(room)/float64(grain)))))
	over := neurons*grain - room
	return neurons, over <= grain && -2*over <= grain
}

// PlanAhead is Plan for the first of several stages, at which wants parameters, counted from c, are gone. Where
// what Plan picks would leave no way through the rest, it keeps neurons in reserve, and takes of the numbers of
// layers and groups that do leave one those that cost least.
func PlanAhead(c engine.Config, s Scores, wants []int, layers bool) ([]Removal, error) {
	later := func(out []Removal) []int {
		rest := slices.Clone(wants[1:])
		for i := range rest {
			for _, u := range out {
				rest[i] -= u.Params
			}
		}
		return rest
	}
	picked, failed := Plan(c, s, wants[0], layers)
	if failed == nil && Feasible(after(c, picked), later(picked), layers) {
		return picked, nil
	}
	var best []Removal
	least := math.Inf(1)
	lost := 0
	if layers {
		lost = c.Layers - 1
	}
	for l := 0; l <= lost; l++ {
		for g := range c.KVHeads {
			out, ok := exactly(c, s, wants[0], l, g)
			if !ok || !Feasible(after(c, out), later(out), layers) {
				continue
			}
			cost := 0.
			for _, u := range out {
				cost += u.Score
			}
			if best == nil || cost < least {
				best, least = out, cost
			}
		}
	}
	switch {
	case best != nil:
		return best, nil
	case failed != nil:
		return nil, failed
	}
	return nil, fmt.Errorf("%w: no way leads through the stages that follow", ErrNothingLeft)
}

// after is the shape that is left.
func after(c engine.Config, out []Removal) engine.Config {
	gone := map[int]bool{}
	for _, u := range out {
		if u.Kind == Layer {
			gone[u.Layer] = true
		}
	}
	share, layers := c.Heads/c.KVHeads, c.Layers-len(gone)
	groups, neurons := 0, 0
	for _, u := range out {
		switch {
		case gone[u.Layer]:
		case u.Kind == Group:
			groups++
		case u.Kind == Neuron:
			neurons++
		}
	}
	c.Layers, c.KVHeads, c.Inner = layers, c.KVHeads-groups/layers, c.Inner-neurons/layers
	c.Heads = c.KVHeads * share
	return c
}

// exactly takes out whole layers, then groups of every other layer, the least important of each, and then as many
// neurons as come nearest to want. It is false where that is further off than Plan may be.
func exactly(c engine.Config, s Scores, want, layers, groups int) ([]Removal, bool) {
	p := newPlanner(c, s, false)
	for _, l := range byScore(s.Layers)[:layers] {
		p.take([]Removal{{Unit{Layer, l, 0}, s.Layers[l], size(c, Layer)}})
	}
	for range groups {
		p.take(p.row(Group, 1))
	}
	n, ok := stay(c, c.Layers*size(c, Layer)-want, len(p.kept), c.KVHeads-groups)
	for range c.Inner - n {
		p.take(p.row(Neuron, 1))
	}
	return p.out, ok
}
