//go:build unix

package main

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"time"

	"hallmark/internal/engine"
	"hallmark/internal/engine/train"
)

// shape is the 0.94 million parameters that training is held to.
var shape = engine.Config{
	ModelType: "llama", Vocab: 512, Hidden: 128, Inner: 352, Layers: 4, Heads: 4, KVHeads: 4, HeadDim: 32,
	MaxContext: 128, Epsilon: 1e-5, Theta: 10000,
}

const (
	trainSteps = 16
	trainBatch = 16 // sequences of 128 tokens a step
)

// training prints tokens a second: by the clock, and by processor time, which is what the cores would give undisturbed.
func training(w io.Writer) error {
	fmt.Fprintf(w, "%d steps of %d sequences of 128 tokens   tokens/s by the clock  per CPU-second   best step: "+
		"by the clock  per CPU-second\n", trainSteps, trainBatch)
	for _, documents := range []int{1, 5} {
		for _, c := range []struct{ workers, lanes int }{{1, 8}, {1, 4}, {2, 8}, {2, 4}, {2, 2}} {
			m, err := engine.New(shape, 1)
			if err != nil {
				return err
			}
			batch := sequences(documents)
			r := train.Recipe{Steps: trainSteps, Batch: trainBatch, PeakLR: 1e-3, Beta1: 0.9, Beta2: 0.98,
				WeightDecay: 0.1, Clip: 1, Workers: c.workers, Lanes: c.lanes}
			var clock, processor []float64
			at, used := time.Now(), cpuSeconds()
			err = train.Run(context.Background(), m, func(int) []train.Sequence {
				return batch
			}, r, func(p train.Progress) {
				now, u := time.Now(), cpuSeconds()
				if p.Step > 0 { // the first pays for the buffers
					clock, processor = append(clock, now.Sub(at).Seconds()), append(processor, u-used)
				}
				at, used = now, u
			})
			if err != nil {
				return err
			}
			speed := func(seconds float64) float64 { return trainBatch * 128 / seconds }
			fmt.Fprintf(w, "%d parameters, %d documents, %d workers, %d lanes: %8.0f %8.0f   %8.0f %8.0f\n",
				m.NumParams(), documents, c.workers, c.lanes,
				speed(median(clock)), speed(median(processor)), speed(slices.Min(clock)), speed(slices.Min(processor)))
		}
	}
	return nil
}

// sequences returns a batch of random tokens, each sequence split evenly into documents, every token with a loss.
func sequences(documents int) []train.Sequence {
	batch := make([]train.Sequence, trainBatch)
	r := rand.New(rand.NewPCG(1, 1))
	for i := range batch {
		for j := range 128 {
			batch[i].Tokens = append(batch[i].Tokens, r.Int32N(int32(shape.Vocab)))
			batch[i].Weights = append(batch[i].Weights, 1)
			batch[i].Doc = append(batch[i].Doc, int32(j*documents/128))
		}
	}
	return batch
}
