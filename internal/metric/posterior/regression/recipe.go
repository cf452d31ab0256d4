package regression

import (
	"context"
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"strconv"
	"sync"

	"hallmark/internal/base/lists"
	"hallmark/internal/base/seed"
	"hallmark/internal/engine"
	"hallmark/internal/engine/kernel"
	"hallmark/internal/engine/train"
	"hallmark/internal/engine/weights"
)

// A Recipe is all that determines a model: equal recipes give equal weights, to the bit, on any machine with any
// number of workers.
type Recipe struct {
	Seed        uint64  `json:"seed"`      // of the functions, the pairs, their order and the first weights
	Functions   int     `json:"functions"` // of training
	Pairs       int     `json:"pairs"`     // of each function
	Shape       Shape   `json:"shape"`
	Stages      []Stage `json:"stages"`
	PeakLR      float64 `json:"peak_lr"`
	FinalLR     float64 `json:"final_lr"` // part of PeakLR at the end of the cosine
	Warmup      int     `json:"warmup"`   // steps
	Beta1       float64 `json:"beta1"`
	Beta2       float64 `json:"beta2"`
	WeightDecay float64 `json:"weight_decay"`
	Clip        float64 `json:"clip"`         // largest norm of the gradient
	QueryWeight float64 `json:"query_weight"` // of the loss of the next query; that of the response is 1
}

// A Stage is a part of the training: steps of so many sequences, each a random subset of a function's pairs in
// random order.
type Stage struct {
	Steps  int `json:"steps"`
	Batch  int `json:"batch"`
	Length int `json:"length"` // pairs
}

// Shipped is the recipe of `hallmark model train regression`. Of the source's it keeps AdamW with betas .9 and .999
// and weight decay 1e-6, the warm-up and the cosine to 10 %, and 2,000 pairs a function; the rate, the number of
// functions and the sizes are this project's, for a model that trains in minutes on two cores.
var Shipped = Recipe{
	Seed: 1, Functions: 100_000, Pairs: 2000,
	Shape: Shape{Format: Format, Hidden: 64, Inner: 192, Layers: 4, Heads: 4, Window: 320, Bins: 320, Support: 5,
		Queries: 32},
	Stages: []Stage{{4000, 16, 64}, {4000, 8, 160}, {2500, 4, 320}},
	PeakLR: 2e-3, FinalLR: .1, Warmup: 300, Beta1: .9, Beta2: .999, WeightDecay: 1e-6, Clip: 1, QueryWeight: .1,
}

// Steps is the number of steps of all stages.
func (r Recipe) Steps() (n int) {
	for _, s := range r.Stages {
		n += s.Steps
	}
	return n
}

// Validate reports the first field that makes no training.
func (r Recipe) Validate() error {
	if err := r.Shape.validate(); err != nil {
		return err
	}
	for i, s := range r.Stages {
		if s.Steps < 0 || s.Batch < 1 || s.Length < 1 || s.Length > r.Shape.Window || s.Length > r.Pairs {
			return fmt.Errorf("stage %d has %d steps of %d sequences of %d pairs; want at least 1 and sequences "+
				"of at most %d pairs", i+1, s.Steps, s.Batch, s.Length, min(r.Shape.Window, r.Pairs))
		}
	}
	if r.Functions < 1 || r.Steps() < 1 {
		return fmt.Errorf("%d functions and %d steps; want at least 1", r.Functions, r.Steps())
	}
	return nil
}

// stage is that of a step.
func (r Recipe) stage(step int) Stage {
	for _, s := range r.Stages[:len(r.Stages)-1] {
		if step < s.Steps {
			return s
		}
		step -= s.Steps
	}
	return r.Stages[len(r.Stages)-1]
}

// batch draws the sequences of a step. They depend on nothing but the recipe and the step.
func (r Recipe) batch(step int) []train.Sequence {
	s := r.stage(step)
	draw := seed.Stream(r.Seed, "regression", "batch", strconv.Itoa(step))
	batch := make([]train.Sequence, s.Batch)
	for i := range batch {
		series := Draw(r.Seed, Training, draw.IntN(r.Functions))
		pairs := lists.Map(subset(r.Pairs, s.Length, draw), series.Pair)
		batch[i].Series = r.lesson(pairs)
	}
	return batch
}

// subset draws k of the numbers 0 to n−1, in random order.
func subset(n, k int, r *rand.Rand) []int {
	moved := map[int]int{} // of a list of the numbers, what is no longer at its place
	at := func(i int) int {
		if v, ok := moved[i]; ok {
			return v
		}
		return i
	}
	out := make([]int, k)
	for i := range out {
		j := i + r.IntN(n-i)
		out[i], moved[j] = at(j), at(i)
	}
	return out
}

// lesson is a sequence of pairs to learn from: each response given the pairs before it and its query, and each query.
func (r Recipe) lesson(pairs []Pair) *engine.Series {
	s := &engine.Series{}
	var before *Pair
	for i := range pairs {
		s.Inputs = encode(s.Inputs, before, pairs[i].X)
		before = &pairs[i]
	}
	shape := r.Shape
	s.Loss = func(i int, out []float32, scale float32) float64 {
		loss := surprise(out[:shape.Bins], shape.bin(pairs[i].Y), 1, scale)
		if i+1 < len(pairs) {
			return loss + surprise(out[shape.Bins:], shape.queryBin(pairs[i+1].X), float32(r.QueryWeight), scale)
		}
		clear(out[shape.Bins:])
		return loss
	}
	return s
}

// surprise returns −weight ln p(bin) of logits, and turns them into scale times its gradient.
func surprise(logits []float32, bin int, weight, scale float32) float64 {
	top, at := kernel.Max(logits), logits[bin]
	sum := kernel.ExpSum(logits, logits, 1, top)
	f := weight * scale
	kernel.Scale(logits, f/sum)
	logits[bin] -= f
	return float64(float64(weight) * (kernel.Log(float64(sum)) + float64(top) - float64(at)))
}

// Train trains a model by the recipe and returns the files of its folder, by name. It goes on from a state, nil for
// the beginning, and gives the state before each step to keep, unless that is nil. What is measured is the model
// that Open reads from these files, whose weights are stored as bfloat16. It reports each step to progress, unless
// that is nil; the loss is in nats a response, with that of the query at its weight.
func (r Recipe) Train(ctx context.Context, workers int, from *train.State, keep func(train.State) error,
	progress func(p train.Progress, steps int)) (map[string][]byte, error) {
	if err := r.Validate(); err != nil {
		return nil, err
	}
	m, err := engine.New(r.Shape.engine(), r.Seed)
	if err != nil {
		return nil, err
	}
	err = train.RunFrom(ctx, m, from, r.batch, train.Recipe{
		Steps: r.Steps(), PeakLR: r.PeakLR, FinalLRFraction: r.FinalLR, Warmup: r.Warmup, Beta1: r.Beta1,
		Beta2:       r.Beta2,
		WeightDecay: r.WeightDecay, Clip: r.Clip, Workers: workers,
	}, keep, func(p train.Progress) {
		if progress != nil {
			progress(p, r.Steps())
		}
	})
	if err != nil {
		return nil, err
	}
	out, err := files(r.Shape, m)
	if err != nil {
		return nil, err
	}
	text, err := r.Text()
	out[recipeFile] = []byte(text)
	return out, err
}

// Text is the recipe as it stands in the model's folder.
func (r Recipe) Text() (string, error) {
	b, err := json.MarshalIndent(r, "", "  ")
	return string(b) + "\n", err
}

// WeightsHash is the SHA-256 of the embedded model.safetensors.
const WeightsHash = "6cb4b4b6b7390f3ede54c7c989f20089b07e12092600314e9e8edd316f33cfd6"

//go:embed weights
var embedded embed.FS

var carried = weights.Embedded(embedded, "weights")

// Weights returns the built-in model's folder: what Train makes of Shipped, to the bit.
func Weights() fs.FS { return carried }

// Files returns the files of the folder by name.
func Files() map[string][]byte { return weights.Contents(carried) }

// Built returns the built-in model. It is read once.
var Built = sync.OnceValues(func() (*Model, error) { return Open(Weights()) })
