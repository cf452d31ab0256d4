// Package train fits the weights of a transformer with AdamW.
//
// The trained weights are the same bits for any number of workers and on every machine: a step's sequences are dealt
// to a fixed number of lanes, each lane adds up its gradient in order, and the lanes are summed in order.
package train

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"

	"hallmark/internal/base/parallel"
	"hallmark/internal/engine"
	"hallmark/internal/engine/kernel"
)

// A Sequence is one or more documents packed together.
type Sequence struct {
	Tokens []int32
	// Weights[i] is the weight of the loss of predicting Tokens[i] from what precedes it in its document; 0 is no
	// loss. The first token of a document has nothing before it, and its weight counts for nothing.
	Weights []float32
	// Doc[i] is the document of Tokens[i]; a document is a run of equal numbers. Attention does not cross documents and
	// positions start again in each, so a packed document is computed exactly as one alone. Nil means one document.
	Doc []int32

	// Series takes the place of all the above for a model that reads vectors; its losses all count as much.
	Series *engine.Series
}

// A Recipe says how to train.
type Recipe struct {
	Steps           int
	Batch           int     // sequences a step; 0 means as many as come
	PeakLR          float64 // learning rate at the end of the warm-up
	FinalLRFraction float64 // of PeakLR, reached at the last step along a cosine
	Warmup          int     // steps of linear rise
	Beta1, Beta2    float64 // of AdamW
	WeightDecay     float64 // of matrices and embeddings; norms and biases have none
	Clip            float64 // largest norm of the gradient; 0 means no limit
	Workers         int     // goroutines; at most Lanes are of use. 0 means 1
	// Lanes is the number of parts a step's gradient is summed in, and so the most workers that help; 0 means 8.
	// Fewer are less to add up. The trained bits depend on it, and not on the workers.
	Lanes int
	// Teacher, if not nil, is a model to learn from instead of the tokens: the loss is Temperature² KL(teacher ‖
	// model) of the next token, with logits divided by Temperature, summed by the tokens' weights.
	Teacher     *engine.Model
	Temperature float64
}

const (
	defaultLanes = 8
	chunkTokens  = 256     // tokens run at once: enough for the products to be efficient, few enough for the cache
	blockLen     = 1 << 14 // parameters updated at once
	epsilon      = 1e-8    // of AdamW
)

// Progress tells of one step.
type Progress struct {
	Step         int     // from 0
	Loss         float64 // nats: weighted mean over the step's tokens, before its update
	GradientNorm float64 // before clipping
	LR           float64
	Tokens       int64 // seen so far
}

// Rate returns the learning rate of a step.
func (r Recipe) Rate(step int) float64 {
	if step < r.Warmup {
		return r.PeakLR * float64(step+1) / float64(r.Warmup)
	}
	done := float64(step-r.Warmup) / float64(max(1, r.Steps-1-r.Warmup))
	_, c := kernel.SinCos(float64(math.Pi * min(done, 1)))
	return r.PeakLR * (r.FinalLRFraction + float64((1-r.FinalLRFraction)*float64(0.5*(1+c))))
}

func (r Recipe) validate() error {
	switch {
	case r.Steps < 1:
		return fmt.Errorf("train: %d steps, want at least 1", r.Steps)
	case !(r.PeakLR > 0) || !(r.FinalLRFraction >= 0 && r.FinalLRFraction <= 1) || r.Warmup < 0:
		return fmt.Errorf("train: learning rate %g, final fraction %g, warm-up %d", r.PeakLR, r.FinalLRFraction,
			r.Warmup)
	case !(min(r.Beta1, r.Beta2) >= 0 && max(r.Beta1, r.Beta2) < 1):
		return fmt.Errorf("train: betas %g and %g, want 0 ≤ β < 1", r.Beta1, r.Beta2)
	case r.Teacher != nil && !(r.Temperature > 0 && r.Temperature <= 100):
		return fmt.Errorf("train: temperature %g of the teacher, want more than 0 and at most 100", r.Temperature)
	case r.Lanes < 0 || r.Lanes > 1024:
		return fmt.Errorf("train: %d lanes, want 1 to 1024, or 0 for %d", r.Lanes, defaultLanes)
	case !(min(r.WeightDecay, r.Clip) >= 0):
		return fmt.Errorf("train: weight decay %g and clip %g, want ≥ 0", r.WeightDecay, r.Clip)
	}
	return nil
}

// Run trains m for r.Steps steps on the sequences next returns for each, and calls progress, if not nil, after each.
// It changes m's weights in place: nothing else may use m meanwhile. It stops between steps when ctx is done, with its
// error; an error leaves the weights of the last complete step.
func Run(ctx context.Context, m *engine.Model, next func(step int) []Sequence, r Recipe,
	progress func(Progress)) error {
	return RunFrom(ctx, m, nil, next, r, nil, progress)
}

type trainer struct {
	model   *engine.Model
	recipe  Recipe
	workers int
	tapes   chan *engine.Tape // one per worker
	lanes   [][]float32       // gradients
	m, v    []float32         // moments
	blocks  []block
	squares []float64 // by block
	power1  float64   // β₁ᵗ
	power2  float64
	tokens  int64
}

// A block is a part of one parameter.
type block struct {
	from, to int
	decay    bool
}

func newTrainer(m *engine.Model, r Recipe) *trainer {
	n := m.NumParams()
	r.Lanes = cmp.Or(r.Lanes, defaultLanes)
	t := &trainer{model: m, recipe: r, workers: max(1, min(r.Workers, r.Lanes)), m: make([]float32, n),
		v: make([]float32, n), power1: 1, power2: 1}
	t.tapes = make(chan *engine.Tape, t.workers)
	for range t.workers {
		t.tapes <- engine.NewTape(m)
	}
	for range r.Lanes {
		t.lanes = append(t.lanes, make([]float32, n))
	}
	for _, p := range m.Params() {
		end := p.Offset + len(p.Data)
		for from := p.Offset; from < end; from += blockLen {
			t.blocks = append(t.blocks, block{from, min(from+blockLen, end), len(p.Shape) > 1})
		}
	}
	t.squares = make([]float64, len(t.blocks))
	return t
}

// Documents splits a sequence. The error says what of it does not fit together.
func (s Sequence) Documents() ([]engine.Document, error) {
	n := len(s.Tokens)
	if len(s.Weights) != n || s.Doc != nil && len(s.Doc) != n {
		return nil, fmt.Errorf("%d tokens, %d weights and %d document numbers", n, len(s.Weights), len(s.Doc))
	}
	var docs []engine.Document
	for from := 0; from < n; {
		to := from + 1
		for to < n && (s.Doc == nil || s.Doc[to] == s.Doc[from]) {
			to++
		}
		docs = append(docs, engine.Document{Tokens: s.Tokens[from:to], Weights: s.Weights[from:to]})
		from = to
	}
	return docs, nil
}

// A batch is the sequences of one step.
type batch struct {
	sequences []Sequence
	docs      [][]engine.Document // of each, where it has tokens
	weight    float64             // of all losses
}

func (t *trainer) batch(sequences []Sequence) (*batch, error) {
	if n := t.recipe.Batch; n != 0 && len(sequences) != n {
		return nil, fmt.Errorf("%d sequences, want %d", len(sequences), n)
	}
	b := &batch{sequences: sequences, docs: make([][]engine.Document, len(sequences))}
	inputs := t.model.Config().Inputs
	for i, s := range sequences {
		var err error
		if (s.Series != nil) != (inputs > 0) {
			return nil, fmt.Errorf("sequence %d is not what the model reads: vectors or tokens", i)
		}
		if s.Series != nil {
			n := len(s.Series.Inputs) / inputs
			b.weight += float64(n)
			t.tokens += int64(n)
			continue
		}
		if b.docs[i], err = s.Documents(); err != nil {
			return nil, fmt.Errorf("sequence %d: %w", i, err)
		}
		for _, d := range b.docs[i] {
			for _, w := range d.Weights[1:] {
				b.weight += float64(w)
			}
		}
		t.tokens += int64(len(s.Tokens))
	}
	if !(b.weight > 0) {
		return nil, errors.New("the weights of the tokens add up to nothing")
	}
	return b, nil
}

func (t *trainer) step(step int, sequences []Sequence) (Progress, error) {
	b, err := t.batch(sequences)
	if err != nil {
		return Progress{}, err
	}
	p := Progress{Step: step, LR: t.recipe.Rate(step), Tokens: t.tokens}
	used := min(t.recipe.Lanes, len(sequences))
	if p.Loss, err = t.gradients(b, used); err != nil {
		return Progress{}, err
	}
	squares := t.sum(used)
	p.GradientNorm = math.Sqrt(squares)
	if math.IsNaN(p.Loss+squares) || math.IsInf(p.Loss+squares, 0) {
		return Progress{}, fmt.Errorf(
			"loss %g and gradient norm %g: training diverged; a lower learning rate would help", p.Loss, p.GradientNorm)
	}
	t.update(p)
	return p, nil
}

// gradients puts into each of the used lanes the gradient of its share of the sequences, and returns the mean loss.
func (t *trainer) gradients(b *batch, used int) (loss float64, err error) {
	losses, errs := make([]float64, used), make([]error, used)
	parallel.Do(t.workers, used, func(lane int) {
		tape := <-t.tapes
		defer func() { t.tapes <- tape }()
		from, to := lane*len(b.docs)/used, (lane+1)*len(b.docs)/used
		for add := false; from < to && errs[lane] == nil; add = true {
			var chunk []engine.Document
			var series []engine.Series
			for n := 0; n < chunkTokens && from < to; from++ {
				if s := b.sequences[from].Series; s != nil {
					n += len(s.Inputs) / t.model.Config().Inputs
					series = append(series, *s)
				}
				for _, d := range b.docs[from] {
					n += len(d.Tokens)
				}
				chunk = append(chunk, b.docs[from]...)
			}
			var loss float64
			switch r, scale := t.recipe, float32(1/b.weight); {
			case series != nil:
				loss, errs[lane] = tape.GradientOf(t.lanes[lane], add, series, scale)
			case r.Teacher != nil:
				loss, errs[lane] = tape.Distill(t.lanes[lane], add, chunk, r.Teacher, float32(r.Temperature), scale)
			default:
				loss, errs[lane] = tape.Gradient(t.lanes[lane], add, chunk, scale)
			}
			losses[lane] += loss
		}
	})
	for _, l := range losses {
		loss += l
	}
	return loss / b.weight, errors.Join(errs...)
}

// sum adds up the used lanes in the first, and returns the sum of the squares.
func (t *trainer) sum(used int) (squares float64) {
	parallel.Do(t.workers, len(t.blocks), func(i int) {
		b := t.blocks[i]
		sum := t.lanes[0][b.from:b.to]
		for _, lane := range t.lanes[1:used] {
			kernel.Add(sum, lane[b.from:b.to])
		}
		t.squares[i] = kernel.Squares(sum)
	})
	for _, s := range t.squares {
		squares += s
	}
	return squares
}

// update takes one step of AdamW along the gradient in the first lane.
func (t *trainer) update(p Progress) {
	r := t.recipe
	t.power1, t.power2 = t.power1*r.Beta1, t.power2*r.Beta2
	adam := kernel.Adam{
		Beta1: float32(r.Beta1), Beta2: float32(r.Beta2), Epsilon: epsilon,
		Scale: 1, Rate: float32(p.LR / (1 - t.power1)), Second: float32(1 / (1 - t.power2)),
	}
	if r.Clip > 0 && p.GradientNorm > r.Clip {
		adam.Scale = float32(r.Clip / p.GradientNorm)
	}
	parallel.Do(t.workers, len(t.blocks), func(i int) {
		b, a := t.blocks[i], adam
		a.Keep = 1
		if b.decay {
			a.Keep = float32(1 - float64(p.LR*r.WeightDecay))
		}
		a.Step(t.model.Weights()[b.from:b.to], t.lanes[0][b.from:b.to], t.m[b.from:b.to], t.v[b.from:b.to])
	})
	t.model.Changed(t.workers)
}
