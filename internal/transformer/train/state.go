package train

import (
	"context"
	"fmt"

	"hallmark/internal/transformer"
)

// A State is a training under way: what the steps to come depend on, beside the recipe and the sequences.
type State struct {
	Step          int       // steps that are done
	Weights       []float32 // as Model.Weights
	First, Second []float32 // AdamW's moments, as many
	Tokens        int64     // seen
}

// RunFrom is Run that goes on from a state, nil for the beginning: it ends with the bits of a training that was never interrupted, where
// next depends on nothing but the step. Before each step keep, if not nil, is given the state, whose slices are valid during the call and
// not to be changed; its error ends the training.
func RunFrom(
	ctx context.Context, m *transformer.Model, from *State, next func(step int) []Sequence, r Recipe, keep func(State) error, progress func(Progress),
) error {
	if err := r.validate(); err != nil {
		return err
	}
	t := newTrainer(m, r)
	first := 0
	if from != nil {
		n := m.NumParams()
		if len(from.Weights) != n || len(from.First) != n || len(from.Second) != n || from.Step < 0 || from.Step > r.Steps {
			return fmt.Errorf("train: a state of %d parameters after step %d, want %d and at most step %d", len(from.Weights), from.Step, n, r.Steps)
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
