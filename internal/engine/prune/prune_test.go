package prune

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"hallmark/internal/engine"
)

// shapes are small models of every family, with shared and plain heads.
var shapes = map[string]engine.Config{
	"llama": {ModelType: "llama", Vocab: 19, Hidden: 12, Inner: 20, Layers: 3, Heads: 4, KVHeads: 2, HeadDim: 6,
		MaxContext: 40, Epsilon: 1e-5, Theta: 100},
	"qwen2": {ModelType: "qwen2", Vocab: 19, Hidden: 12, Inner: 20, Layers: 3, Heads: 4, KVHeads: 4, HeadDim: 6,
		MaxContext: 40, Epsilon: 1e-5, Theta: 100, Tied: true},
	"qwen3": {ModelType: "qwen3", Vocab: 19, Hidden: 12, Inner: 20, Layers: 3, Heads: 6, KVHeads: 3, HeadDim: 4,
		MaxContext: 40, Epsilon: 1e-5, Theta: 100, Tied: true},
}

func build(t testing.TB, c engine.Config) *engine.Model {
	t.Helper()
	m, err := engine.New(c, 5)
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(2, 2))
	for i := range m.Weights() {
		m.Weights()[i] += .2 * float32(r.NormFloat64())
	}
	m.Changed(1)
	return m
}

func documents(n int) []engine.Document {
	r := rand.New(rand.NewPCG(3, 3))
	var docs []engine.Document
	for range n {
		var d engine.Document
		for range 3 + r.IntN(20) {
			d.Tokens, d.Weights = append(d.Tokens, r.Int32N(19)), append(d.Weights, 1)
		}
		docs = append(docs, d)
	}
	return docs
}

// gate multiplies what a unit writes to the residual stream.
func gate(m *engine.Model, u Unit, f float32) {
	c := m.Config()
	for _, t := range m.Params() {
		l, part := parse(t.Name)
		width := 1
		switch {
		case l != u.Layer:
			continue
		case part == "self_attn.o_proj.weight" && u.Kind != Neuron:
			width = c.Heads / c.KVHeads * c.HeadDim
		case part == "mlp.down_proj.weight" && u.Kind != Group:
		default:
			continue
		}
		for i := range t.Data {
			if u.Kind == Layer || i%t.Shape[1]/width == u.Index {
				t.Data[i] *= f
			}
		}
	}
	m.Changed(1)
}

// A smaller model says what the whole one says with the units switched off.
func TestApplyIsSwitchingOff(t *testing.T) {
	for name, c := range shapes {
		m := build(t, c)
		out := []Removal{{Unit: Unit{Layer, 1, 0}}}
		for _, l := range []int{0, 2} {
			out = append(out, Removal{Unit: Unit{Group, l, 1}}, Removal{Unit: Unit{Neuron, l, 3}},
				Removal{Unit: Unit{Neuron, l, 7 + l}})
		}
		small, err := Apply(m, out)
		if err != nil {
			t.Fatal(err)
		}
		if s := small.Config(); s.Layers != 2 || s.KVHeads != c.KVHeads-1 || s.Heads/s.KVHeads != c.Heads/c.KVHeads ||
			s.Inner != c.Inner-2 {
			t.Errorf("%s: the smaller model is %+v", name, s)
		}
		for _, u := range out {
			gate(m, u.Unit, 0)
		}
		tokens := documents(1)[0].Tokens
		want, err := m.Logits(tokens)
		if err != nil {
			t.Fatal(err)
		}
		got, err := small.Logits(tokens)
		if err != nil {
			t.Fatal(err)
		}
		for i := range want {
			for j := range want[i] {
				if math.Abs(float64(want[i][j]-got[i][j])) > 1e-4 {
					t.Fatalf("%s: logit %d of token %d is %g, want %g", name, j, i, got[i][j], want[i][j])
				}
			}
		}
	}
}

// A first-order score is the mean absolute derivative of the loss by the unit's gate, as differences give it.
func TestFirstOrder(t *testing.T) {
	for name, c := range shapes {
		docs := documents(5)
		m := build(t, c)
		got, err := FirstOrder(m, docs, 1)
		if err != nil {
			t.Fatal(err)
		}
		again, err := FirstOrder(m, docs, 3)
		if err != nil {
			t.Fatal(err)
		}
		loss := func(d engine.Document) float64 {
			l, err := engine.NewTape(m).Gradient(make([]float32, m.NumParams()), false, []engine.Document{d}, 1)
			if err != nil {
				t.Fatal(err)
			}
			return l
		}
		for _, u := range []Unit{{Group, 0, 0}, {Group, 2, 1}, {Neuron, 1, 4}, {Neuron, 2, 19}, {Layer, 1, 0}} {
			old := slices.Clone(m.Weights())
			var want float64
			for _, d := range docs {
				const h = .02
				gate(m, u, 1+h)
				up := loss(d)
				copy(m.Weights(), old)
				gate(m, u, 1-h)
				want += math.Abs(up-loss(d)) / (2 * h) / float64(len(docs))
				copy(m.Weights(), old)
			}
			m.Changed(1)
			if x := *got.at(u.Kind, u.Layer, u.Index); math.Abs(x-want) > .02*want+.003 {
				t.Errorf("%s, %+v: score %g, by differences %g", name, u, x, want)
			}
			if *again.at(u.Kind, u.Layer, u.Index) != *got.at(u.Kind, u.Layer, u.Index) {
				t.Errorf("%s, %+v: the score depends on the number of workers", name, u)
			}
		}
	}
}

// Of the weights' squares every group has its own, and a layer has all.
func TestMagnitude(t *testing.T) {
	m := build(t, shapes["qwen2"])
	s := Magnitude(m)
	var all, layers float64
	for _, p := range m.Params() {
		if l, _ := parse(p.Name); l >= 0 {
			for _, w := range p.Data {
				all += float64(w) * float64(w)
			}
		}
	}
	before := s.Groups[1][2]
	for _, x := range s.Layers {
		layers += x
	}
	if math.Abs(all-layers) > 1e-6*all {
		t.Errorf("the layers have %g of %g", layers, all)
	}
	small, err := Apply(m, []Removal{{Unit: Unit{Group, 0, 0}}, {Unit: Unit{Group, 1, 0}}, {Unit: Unit{Group, 2, 0}}})
	if err != nil {
		t.Fatal(err)
	}
	if after := Magnitude(small); math.Abs(after.Groups[1][1]-before) > 1e-9*before {
		t.Errorf("the third group of layer 1 has %g and, as the second of three, %g", before, after.Groups[1][1])
	}
}

// A plan takes what is wanted to within half a neuron of each layer, never the same unit twice, the parameters add up,
// and what is left is a model.
func TestPlan(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := shapes[rapid.SampledFrom([]string{"llama", "qwen2", "qwen3"}).Draw(t, "shape")]
		m, err := engine.New(c, 1)
		if err != nil {
			t.Fatal(err)
		}
		s := Random(c, rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1)))
		layers := rapid.Bool().Draw(t, "layers")
		want := rapid.IntRange(1, Body(m)*6/10).Draw(t, "want")
		out, err := Plan(c, s, want, layers)
		if err != nil {
			t.Fatal(err)
		}
		sum := 0
		for _, r := range out {
			sum += r.Params
		}
		if near := c.Layers * size(c, Neuron); sum < want-near || sum > want+near/2 {
			t.Fatalf("%d parameters go, want %d ± %d", sum, want, near/2)
		}
		small, err := Apply(m, out)
		if err != nil {
			t.Fatal(err)
		}
		if m.NumParams()-small.NumParams() != sum {
			t.Fatalf("%d parameters went, the removals say %d", m.NumParams()-small.NumParams(), sum)
		}
	})
}

// The least important of a layer go first.
func TestPlanTakesTheLeast(t *testing.T) {
	c := shapes["llama"]
	s := zero(c)
	s.each(func(k Kind, l, i int, x *float64) { *x = 1e6 })
	for l := range c.Layers {
		s.Neurons[l][4+l], s.Neurons[l][9] = 1, 2
	}
	out, err := Plan(c, s, 2*c.Layers*size(c, Neuron), true)
	if err != nil {
		t.Fatal(err)
	}
	var got []Unit
	for _, r := range out {
		got = append(got, r.Unit)
	}
	want := []Unit{{Neuron, 0, 4}, {Neuron, 1, 5}, {Neuron, 2, 6}, {Neuron, 0, 9}, {Neuron, 1, 9}, {Neuron, 2, 9}}
	if !slices.Equal(got, want) {
		t.Errorf("%v go, want %v", got, want)
	}
}

func TestRefusals(t *testing.T) {
	c := shapes["qwen3"]
	m := build(t, c)
	for _, layers := range []bool{false, true} {
		s := Random(c, rand.New(rand.NewPCG(1, 1)))
		if _, err := Plan(c, s, Body(m), layers); !errors.Is(err, ErrNothingLeft) {
			t.Errorf("all of the model: %v", err)
		}
		out, err := Plan(c, s, Most(c, layers), layers)
		if err != nil {
			t.Errorf("all that can go: %v", err)
		}
		sum := 0
		for _, r := range out {
			sum += r.Params
		}
		if sum != Most(c, layers) {
			t.Errorf("%d parameters go, %d can", sum, Most(c, layers))
		}
	}
	for name, out := range map[string][]Removal{
		"uneven":    {{Unit: Unit{Neuron, 0, 1}}},
		"twice":     {{Unit: Unit{Layer, 0, 0}}, {Unit: Unit{Layer, 0, 0}}},
		"no layers": {{Unit: Unit{Layer, 0, 0}}, {Unit: Unit{Layer, 1, 0}}, {Unit: Unit{Layer, 2, 0}}},
	} {
		if _, err := Apply(m, out); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
