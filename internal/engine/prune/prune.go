// Package prune makes a transformer smaller by taking structure out of it: groups of attention heads with their
// keys and values, neurons of the feed-forward layers, and whole layers. What is left is a model of the same family
// with smaller tensors, not a masked one. Every layer keeps as many heads and neurons as the others, which is all
// that the configurations of Llama, Qwen2 and Qwen3 can say.
package prune

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"hallmark/internal/engine"
)

// A Kind is what a unit is.
type Kind string

// The kinds of units. A group is the query heads that share a key and a value, and these.
const (
	Group  Kind = "group"
	Neuron Kind = "neuron"
	Layer  Kind = "layer"
)

// A Unit is a piece that can be taken out.
type Unit struct {
	Kind  Kind `json:"kind"`
	Layer int  `json:"layer"` // from 0
	Index int  `json:"index"` // within the layer, from 0; 0 for a layer
}

// A Removal is a unit that is taken out, and why it and no other.
type Removal struct {
	Unit
	Score  float64 `json:"score"`      // its importance among its kind
	Params int     `json:"parameters"` // that go with it
}

// Scores are the importance of every unit of a model; the least are taken first.
type Scores struct {
	Groups, Neurons [][]float64 // by layer and index
	Layers          []float64
}

// Body is the number of parameters that are neither embedding nor head: what sparsity counts.
func Body(m *engine.Model) int {
	c := m.Config()
	n := m.NumParams() - c.Vocab*c.Hidden
	if !c.Tied {
		n -= c.Vocab * c.Hidden
	}
	return n
}

// size is the number of parameters of a unit.
func size(c engine.Config, k Kind) int {
	switch k {
	case Group:
		share := c.Heads / c.KVHeads
		n := (2*share + 2) * c.HeadDim * c.Hidden
		if c.QKVBias() {
			n += (share + 2) * c.HeadDim
		}
		return n
	case Neuron:
		return 3 * c.Hidden
	}
	n := c.KVHeads*size(c, Group) + c.Inner*size(c, Neuron) + 2*c.Hidden
	if c.QKNorm() {
		n += 2 * c.HeadDim
	}
	return n
}

// Most is how many parameters Plan can take out of a model of shape c.
func Most(c engine.Config, layers bool) int {
	n := c.Layers * ((c.KVHeads-1)*size(c, Group) + (c.Inner-1)*size(c, Neuron))
	if layers {
		n += (c.Layers - 1) * (size(c, Layer) - (c.KVHeads-1)*size(c, Group) - (c.Inner-1)*size(c, Neuron))
	}
	return n
}

// Grain is the least number of parameters that Plan takes out at once: a neuron of every layer.
func Grain(c engine.Config) int { return c.Layers * size(c, Neuron) }

// Row is the number of parameters of a group of heads of every layer, which go together.
func Row(c engine.Config) int { return c.Layers * size(c, Group) }

// ErrNothingLeft is wrapped where a model has no structure left that could go.
var ErrNothingLeft = errors.New("nothing is left to remove")

// Plan picks what to take out of a model of shape c so that as nearly as can be want parameters go, the least
// important for their size first. A group or a neuron goes from every layer at once, each layer giving its least
// important one; with layers, whole layers go too. At least one group, one neuron and one layer stay. The removals
// are in the order they were picked.
func Plan(c engine.Config, s Scores, want int, layers bool) ([]Removal, error) {
	p := newPlanner(c, s, layers)
	for p.removed < want {
		best := p.best(want - p.removed)
		if best == nil && !p.exchange(want) {
			break
		}
		p.take(best)
	}
	if short := want - p.removed; short > Grain(c) {
		return nil, fmt.Errorf(
			"%w: %d of %d parameters can go, and one group of heads, one neuron and one layer stay", ErrNothingLeft,
			p.removed, want)
	}
	return p.out, nil
}

// byScore returns the indices from the least important on; among equals the first comes first.
func byScore(scores []float64) []int {
	order := make([]int, len(scores))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(scores[a], scores[b]) })
	return order
}

type planner struct {
	c               engine.Config
	s               Scores
	layers          bool
	kept            []int   // layers
	groups, neurons [][]int // that are left, by layer, the least important first
	removed         int     // parameters
	out             []Removal
}

func newPlanner(c engine.Config, s Scores, layers bool) *planner {
	p := &planner{c: c, s: s, layers: layers}
	for i := range c.Layers {
		p.kept = append(p.kept, i)
		p.groups, p.neurons = append(p.groups, byScore(s.Groups[i])), append(p.neurons, byScore(s.Neurons[i]))
	}
	return p
}

// row is the least important group, or neuron, of every layer that is kept and has so many left at least.
func (p *planner) row(k Kind, least int) (units []Removal) {
	left, score := p.groups, p.s.Groups
	if k == Neuron {
		left, score = p.neurons, p.s.Neurons
	}
	for _, l := range p.kept {
		if len(left[l]) >= least {
			units = append(units, Removal{Unit{k, l, left[l][0]}, score[l][left[l][0]], size(p.c, k)})
		}
	}
	return units
}

// best returns the units to take next: those that cost least for a parameter, and go no further beyond what is
// wanted than half a unit.
func (p *planner) best(want int) []Removal {
	var best []Removal
	least := math.Inf(1)
	offer := func(units []Removal) {
		var score float64
		n := 0
		for _, u := range units {
			score, n = score+u.Score, n+u.Params
		}
		if n-want > len(p.kept)*size(p.c, Neuron)/2 {
			return
		}
		if per := score / float64(n); best == nil || per < least {
			best, least = units, per
		}
	}
	for _, kind := range []Kind{Neuron, Group} {
		if units := p.row(kind, 2); len(units) > 0 {
			offer(units)
		}
	}
	if p.layers && len(p.kept) > 1 {
		least := slices.MinFunc(p.kept, func(a, b int) int { return cmp.Compare(p.s.Layers[a], p.s.Layers[b]) })
		c := p.c
		c.KVHeads = len(p.groups[least])
		c.Heads = c.KVHeads * (p.c.Heads / p.c.KVHeads)
		c.Inner = len(p.neurons[least])
		offer([]Removal{{Unit{Layer, least, 0}, p.s.Layers[least], size(c, Layer)}})
	}
	return best
}

// exchange makes room where the neurons are spent and a group of every layer is too large: it takes that and gives
// back as many neurons, the most important first. It is false where there is no group to take, or too little room.
func (p *planner) exchange(want int) bool {
	grain := len(p.kept) * size(p.c, Neuron)
	if len(p.neurons[p.kept[0]]) > 1 || len(p.groups[p.kept[0]]) < 2 || want-p.removed <= grain/2 {
		return false
	}
	if over := p.removed + len(p.kept)*size(p.c, Group) - want; over-grain/2 > (p.c.Inner-1)*grain {
		return false
	}
	p.take(p.row(Group, 1))
	for p.removed-want > grain/2 {
		for _, layer := range p.kept {
			at := len(p.out) - 1
			for p.out[at].Kind != Neuron || p.out[at].Layer != layer {
				at--
			}
			p.neurons[layer] = slices.Insert(p.neurons[layer], 0, p.out[at].Index)
			p.removed -= p.out[at].Params
			p.out = slices.Delete(p.out, at, at+1)
		}
	}
	return true
}

func (p *planner) take(units []Removal) {
	for _, u := range units {
		switch u.Kind {
		case Group:
			p.groups[u.Layer] = p.groups[u.Layer][1:]
		case Neuron:
			p.neurons[u.Layer] = p.neurons[u.Layer][1:]
		case Layer:
			p.kept = slices.DeleteFunc(p.kept, func(l int) bool { return l == u.Layer })
		}
		p.removed += u.Params
	}
	p.out = append(p.out, units...)
}

// Left lists what stays of a model of shape c: the layers, and of each its groups and its neurons.
func Left(c engine.Config, out []Removal) (layers []int, groups, neurons [][]int) {
	gone := map[Unit]bool{}
	for _, r := range out {
		gone[r.Unit] = true
	}
	stay := func(k Kind, layer, n int) (list []int) {
		for i := range n {
			if !gone[Unit{k, layer, i}] {
				list = append(list, i)
			}
		}
		return list
	}
	for l := range c.Layers {
		if !gone[Unit{Layer, l, 0}] {
			layers, groups = append(layers, l), append(groups, stay(Group, l, c.KVHeads))
			neurons = append(neurons, stay(Neuron, l, c.Inner))
		}
	}
	return layers, groups, neurons
}

// Apply returns the model without the units. Layers that stay must lose equally many groups, and neurons.
func Apply(m *engine.Model, out []Removal) (*engine.Model, error) {
	c := m.Config()
	seen := map[Unit]bool{}
	for _, r := range out {
		if seen[r.Unit] {
			return nil, fmt.Errorf("prune: %s %d of layer %d is to go twice", r.Kind, r.Index, r.Layer)
		}
		seen[r.Unit] = true
	}
	layers, groups, neurons := Left(c, out)
	for i, l := range layers {
		if len(groups[i]) != len(groups[0]) || len(neurons[i]) != len(neurons[0]) {
			return nil, fmt.Errorf("prune: layer %d would keep %d groups of heads and %d neurons, layer %d %d and "+
				"%d; all must keep as many", l, len(groups[i]), len(neurons[i]), layers[0], len(groups[0]),
				len(neurons[0]))
		}
	}
	if len(layers) == 0 || len(groups[0]) == 0 || len(neurons[0]) == 0 {
		return nil, ErrNothingLeft
	}
	shape, share := c, c.Heads/c.KVHeads
	shape.Layers, shape.KVHeads, shape.Heads, shape.Inner = len(layers), len(groups[0]), len(groups[0])*share,
		len(neurons[0])
	small, err := engine.Empty(shape)
	if err != nil {
		return nil, err
	}
	from := map[string]engine.Tensor{}
	for _, t := range m.Params() {
		from[t.Name] = t
	}
	for _, t := range small.Params() {
		i, part := parse(t.Name)
		name := t.Name
		if i >= 0 {
			name = fmt.Sprintf("model.layers.%d.%s", layers[i], part)
		}
		src := from[name]
		kind, width, cols := parts(c, part, src)
		if kind == Layer {
			copy(t.Data, src.Data)
			continue
		}
		blocks := map[Kind][][]int{Group: groups, Neuron: neurons}[kind][i]
		for r := range len(src.Data) / cols {
			for j, b := range blocks {
				copy(t.Data[(r*len(blocks)+j)*width:][:width], src.Data[r*cols+b*width:])
			}
		}
	}
	small.Changed(1)
	return small, nil
}

// parse splits the name of a layer's parameter; the layer is -1 for all others.
func parse(name string) (layer int, part string) {
	if n, _ := fmt.Sscanf(name, "model.layers.%d.%s", &layer, &part); n != 2 {
		return -1, ""
	}
	return layer, part
}

// parts says how the units of a layer share one of its parameters: each has the width elements of its own in every
// stretch of cols, its rows or its columns. Of a Layer are those that are not shared.
func parts(c engine.Config, part string, t engine.Tensor) (kind Kind, width, cols int) {
	group := c.Heads / c.KVHeads * c.HeadDim
	rows := func(k Kind, n int) (Kind, int, int) { return k, n * len(t.Data) / t.Shape[0], len(t.Data) }
	switch part {
	case "self_attn.q_proj.weight", "self_attn.q_proj.bias":
		return rows(Group, group)
	case "self_attn.k_proj.weight", "self_attn.k_proj.bias", "self_attn.v_proj.weight", "self_attn.v_proj.bias":
		return rows(Group, c.HeadDim)
	case "self_attn.o_proj.weight":
		return Group, group, t.Shape[1]
	case "mlp.gate_proj.weight", "mlp.up_proj.weight":
		return rows(Neuron, 1)
	case "mlp.down_proj.weight":
		return Neuron, 1, t.Shape[1]
	}
	return Layer, 0, 0
}
