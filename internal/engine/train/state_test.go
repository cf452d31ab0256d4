package train

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"hallmark/internal/engine"
)

var errStop = errors.New("stop here")

func same(t *testing.T, what string, got, want []float32) {
	t.Helper()
	for i := range want {
		if math.Float32bits(got[i]) != math.Float32bits(want[i]) {
			t.Fatalf("%s: weight %d is %g, want %g", what, i, got[i], want[i])
		}
	}
}

// A training that was stopped and goes on from its state has the bits of one that was not.
func TestRunFrom(t *testing.T) {
	whole, err := engine.New(small, 1)
	if err != nil {
		t.Fatal(err)
	}
	if err := Run(context.Background(), whole, random, recipe, nil); err != nil {
		t.Fatal(err)
	}
	for _, stop := range []int{0, 5, 11} {
		var kept State
		first, _ := engine.New(small, 1)
		err := RunFrom(context.Background(), first, nil, random, recipe, func(s State) error {
			if s.Step < stop {
				return nil
			}
			kept = State{s.Step, slices.Clone(s.Weights), slices.Clone(s.First), slices.Clone(s.Second), s.Tokens}
			return errStop
		}, nil)
		if err != errStop || kept.Step != stop {
			t.Fatalf("stopped at step %d with %v, want %d", kept.Step, err, stop)
		}
		second, _ := engine.New(small, 99)
		var tokens int64
		if err := RunFrom(context.Background(), second, &kept, random, recipe, nil, func(p Progress) {
			tokens = p.Tokens
		}); err != nil {
			t.Fatal(err)
		}
		same(t, "stopped and resumed", second.Weights(), whole.Weights())
		if tokens <= kept.Tokens {
			t.Errorf("%d tokens after %d at the stop", tokens, kept.Tokens)
		}
	}
	m, _ := engine.New(small, 1)
	if RunFrom(context.Background(), m, &State{Weights: make([]float32, 3)}, random, recipe, nil, nil) == nil {
		t.Error("a state of another model: no error")
	}
}

// Vectors are learned from, to the same bits for any number of workers.
func TestSeries(t *testing.T) {
	c := engine.Config{
		ModelType: "llama", Vocab: 1, Hidden: 16, Inner: 24, Layers: 2, Heads: 2, KVHeads: 2, HeadDim: 8, MaxContext: 40,
		Epsilon: 1e-5, Theta: 10000,
		Inputs: 2, Unordered: true,
	}
	next := func(step int) []Sequence { // the running mean of numbers
		r := rand.New(rand.NewPCG(5, uint64(step)))
		out := make([]Sequence, 9)
		for i := range out {
			s := &engine.Series{}
			var means []float32
			var sum float32
			for k := range 3 + r.IntN(30) {
				x := float32(r.NormFloat64())
				sum += x
				s.Inputs, means = append(s.Inputs, 1, x), append(means, sum/float32(k+1))
			}
			s.Loss = func(i int, out []float32, scale float32) float64 {
				d := out[0] - means[i]
				out[0] = scale * d
				return float64(d) * float64(d) / 2
			}
			out[i].Series = s
		}
		return out
	}
	var want []float32
	for _, workers := range []int{1, 3} {
		m, err := engine.New(c, 1)
		if err != nil {
			t.Fatal(err)
		}
		var losses []float64
		r := Recipe{Steps: 120, PeakLR: 1e-2, FinalLRFraction: .1, Warmup: 10, Beta1: .9, Beta2: .999, WeightDecay: 1e-6,
			Clip: 1, Workers: workers}
		if err := Run(context.Background(), m, next, r, func(p Progress) { losses = append(losses, p.Loss) }); err != nil {
			t.Fatal(err)
		}
		if want == nil {
			want = m.Weights()
		}
		same(t, "other workers", m.Weights(), want)
		if first, last := losses[0], losses[len(losses)-1]; last > first/3 {
			t.Errorf("the loss went from %g to %g; a mean should be learned", first, last)
		}
	}
	m, _ := engine.New(c, 1)
	if Run(context.Background(), m, random, recipe, nil) == nil {
		t.Error("tokens for a model of vectors: no error")
	}
}
