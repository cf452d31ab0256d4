package train

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strconv"

	"hallmark/internal/base/seed"
	"hallmark/internal/engine"
	"hallmark/internal/engine/weights"
)

// A State is a training under way: what the steps to come depend on, beside the recipe and the sequences.
type State struct {
	Step          int       // steps that are done
	Weights       []float32 // as Model.Weights
	First, Second []float32 // AdamW's moments, as many
	Tokens        int64     // seen
}

// StateFile is the name under which a training that is under way is kept.
const StateFile = "training.safetensors"

// Encode writes the state of a training as a safetensors file. The text says how it is trained; only a training by
// the same text may go on from it.
func (s State) Encode(recipe string) ([]byte, error) {
	// whole numbers below 2²⁴ are exact
	progress := []float32{float32(s.Step), float32(s.Tokens >> 20), float32(s.Tokens & (1<<20 - 1))}
	named := []engine.Tensor{{Name: "progress", Shape: []int{3}, Data: progress},
		{Name: stateKey(recipe), Shape: []int{1}, Data: []float32{1}}}
	for name, data := range map[string][]float32{"weights": s.Weights, "first": s.First, "second": s.Second} {
		named = append(named, engine.Tensor{Name: name, Shape: []int{len(data)}, Data: data})
	}
	var b bytes.Buffer
	err := weights.WriteSafetensors(&b, named, weights.F32) // by name
	return b.Bytes(), err
}

// stateKey is the name of the tensor that tells recipes apart.
func stateKey(recipe string) string {
	return "recipe-" + strconv.FormatUint(seed.Derive(0, recipe), 16)
}

// ErrOtherRecipe is the error of a state that another recipe left.
var ErrOtherRecipe = errors.New("the training under way is by another recipe; name a new folder")

// DecodeState reads what Encode wrote for the same recipe. That the state fits a model is for RunFrom to see.
func DecodeState(data []byte, recipe string) (*State, error) {
	tensors, err := weights.ParseSafetensors(data)
	if err != nil {
		return nil, err
	}
	byName := map[string][]float32{}
	for _, t := range tensors {
		x := make([]float32, t.Len())
		if err := t.Decode(x); err != nil {
			return nil, err
		}
		byName[t.Name] = x
	}
	n := byName["progress"]
	if len(n) != 3 || byName[stateKey(recipe)] == nil {
		return nil, ErrOtherRecipe
	}
	return &State{
		Step: int(n[0]), Tokens: int64(n[1])<<20 + int64(n[2]), Weights: byName["weights"], First: byName["first"],
		Second: byName["second"],
	}, nil
}

// RunFrom is Run that goes on from a state, nil for the beginning: it ends with the bits of a training that was
// never interrupted, where next depends on nothing but the step. Before each step keep, if not nil, is given the
// state, whose slices are valid during the call and not to be changed; its error ends the training.
func RunFrom(
	ctx context.Context, m *engine.Model, from *State, next func(step int) []Sequence, r Recipe,
	keep func(State) error, progress func(Progress),
) error {
	if err := r.validate(); err != nil {
		return err
	}
	t := newTrainer(m, r)
	first := 0
	if from != nil {
		n := m.NumParams()
		if len(from.Weights) != n || len(from.First) != n || len(from.Second) != n || from.Step < 0 ||
			from.Step > r.Steps {
			return fmt.Errorf("train: a state of %d parameters after step %d, want %d and at most step %d",
				len(from.Weights), from.Step, n, r.Steps)
		}
		copy(m.Weights(), from.Weights)
		copy(t.m, from.First)
		copy(t.v, from.Second)
		m.Changed(t.workers)
		t.tokens, first = from.Tokens, from.Step
		for range first { // as the steps themselves would have, to the bit
			t.power1, t.power2 = t.power1*r.Beta1, t.power2*r.Beta2
		}
	}
	for step := first; step < r.Steps; step++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		if keep != nil {
			if err := keep(State{step, m.Weights(), t.m, t.v, t.tokens}); err != nil {
				return err
			}
		}
		p, err := t.step(step, next(step))
		if err != nil {
			return fmt.Errorf("train: step %d: %w", step, err)
		}
		if progress != nil {
			progress(p)
		}
	}
	return nil
}
