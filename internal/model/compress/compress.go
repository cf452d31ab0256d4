// Package compress makes a checkpoint smaller in stages: each takes out the structure that matters least and lets
// what is left learn from the dense model again (the procedure that "Hallucinations Live in Variance" calls
// SparseKD and leaves to arXiv:2601.03195; what it does not say is chosen here and in docs/sparsity.md). What comes
// out are ordinary Hugging Face folders with smaller tensors.
package compress

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"hallmark/internal/base/seed"
	"hallmark/internal/engine"
	"hallmark/internal/engine/prune"
	"hallmark/internal/engine/train"
	"hallmark/internal/engine/weights"
	"hallmark/internal/model/tune"
	"hallmark/internal/stat/figure"
)

// Schedule is the default: the sparsities of the source's stages R1 to R8.
var Schedule = []float64{.149, .206, .264, .321, .389, .457, .538, .618}

// Tolerance is how far a stage's sparsity may lie from the schedule's.
const Tolerance = .005

// How units are ranked.
const (
	FirstOrder = "first-order" // by what the loss loses to first order
	Magnitude  = "magnitude"   // by the weights' squares
	Random     = "random"      // by a draw
)

// What a stage learns from after removal.
const (
	Soft = "soft" // the teacher's probabilities
	Hard = "hard" // the tokens of the text
	None = "none" // nothing
)

// Options say how to compress. Equal options on equal files give equal bytes, for any number of workers.
type Options struct {
	// sparsity after each stage: the share of the dense model's body that is gone; increasing
	Schedule    []float64 `json:"schedule"`
	Rank        string    `json:"rank"`               // FirstOrder, Magnitude or Random
	Layers      bool      `json:"layers,omitempty"`   // whole layers may go too
	OneShot     bool      `json:"one_shot,omitempty"` // each stage starts from the dense model, not from the one before
	Learn       string    `json:"learn"`              // Soft, Hard or None
	Temperature float64   `json:"temperature"`        // of both models' logits in Soft
	Steps       int       `json:"steps"`              // of learning, a stage
	Batch       int       `json:"batch"`              // sequences a step
	// highest of AdamW, reached after a tenth of the steps and falling to a tenth along a cosine
	LR          float64 `json:"learning_rate"`
	Calibration int     `json:"calibration"` // documents that FirstOrder reads
	Seed        uint64  `json:"seed"`        // of the order of the sequences, and of Random
	Workers     int     `json:"-"`           // cores
}

// Default is for models of a few million parameters.
var Default = Options{Schedule: Schedule, Rank: FirstOrder, Learn: Soft, Temperature: 2, Steps: 400, Batch: 20,
	LR: 1e-3, Calibration: 256, Seed: 1}

// ErrUnusable is wrapped where the options, the data or a folder are at fault, and not the machine.
var ErrUnusable = errors.New("cannot compress")

// A fault wraps ErrUnusable without beginning with it, so that what is said of a file begins with its place.
type fault struct{ error }

func (f fault) Unwrap() []error { return []error{ErrUnusable, f.error} }

func unusable(format string, args ...any) error { return fault{fmt.Errorf(format, args...)} }

func (o Options) validate() error {
	if len(o.Schedule) == 0 || len(o.Schedule) > 100 {
		return unusable("a schedule of %d stages; want 1 to 100 sparsities, as 14.9,32.1", len(o.Schedule))
	}
	last := 0.
	for i, s := range o.Schedule {
		if !(s > last && s < 1) {
			return unusable(
				"stage %d of the schedule is %s %%; want more than the %s %% before it, and less than 100", i+1,
				figure.Digits(100*s, 4), figure.Digits(100*last, 4))
		}
		last = s
	}
	switch {
	case !slices.Contains([]string{FirstOrder, Magnitude, Random}, o.Rank):
		return unusable("rank by %q; want %s, %s or %s", o.Rank, FirstOrder, Magnitude, Random)
	case !slices.Contains([]string{Soft, Hard, None}, o.Learn):
		return unusable("learn from %q; want %s, %s or %s", o.Learn, Soft, Hard, None)
	case !(o.Temperature > 0 && o.Temperature <= 100):
		return unusable("a temperature of %g; want more than 0 and at most 100", o.Temperature)
	case o.Learn != None && (o.Steps < 1 || o.Steps > 1_000_000):
		return unusable("%d steps a stage; want 1 to 1,000,000, or to learn from %s", o.Steps, None)
	case o.Batch < 1 || o.Batch > 4096:
		return unusable("a batch of %d sequences; want 1 to 4,096", o.Batch)
	case !(o.LR > 0 && o.LR < 1):
		return unusable("a learning rate of %g; want more than 0 and less than 1", o.LR)
	case o.Calibration < 1 || o.Calibration > 1_000_000:
		return unusable("%d documents of calibration; want 1 to 1,000,000", o.Calibration)
	case o.Rank == FirstOrder && o.Calibration < o.Batch:
		return unusable(
			"%d documents of calibration are less than a batch of %d; want at least as many, or a smaller batch",
			o.Calibration, o.Batch)
	}
	return nil
}

// A Stage says what was done: it is the file compression.json of a stage's folder.
type Stage struct {
	Plan    string  `json:"plan"` // hash of the options, the dense model, the teacher and the data
	Name    string  `json:"stage"`
	Options Options `json:"options"`
	Target  float64 `json:"target"` // of the schedule
	// share of the dense model's parameters beside embedding and head that is gone
	Sparsity float64 `json:"sparsity"`
	OfAll    float64 `json:"sparsity_of_all"` // share of all parameters that is gone
	Params   int     `json:"parameters"`      // that are left, of all
	Dense    int     `json:"dense_parameters"`
	// mean over the last tenth of the steps, in nats a weighted token; of Soft T² KL
	Loss *float64 `json:"loss,omitempty"`
	Kept Kept     `json:"kept"`
	// in the order they went; layer and index are those of the dense model
	Removed []prune.Removal `json:"removed,omitempty"`

	// The stages of older versions hash no files.
	Files map[string]string `json:"files,omitempty"` // SHA-256 of the folder's other files by name
	// the same of the dense model's files that can change an answer
	DenseFiles map[string]string `json:"dense_files,omitempty"`
}

// Kept lists what is left, by place in the dense model.
type Kept struct {
	Layers  []int   `json:"layers"`
	Groups  [][]int `json:"groups"`  // of heads, by layer that is left
	Neurons [][]int `json:"neurons"` // the same
}

// all keeps everything of a model.
func all(c engine.Config) Kept {
	var k Kept
	k.Layers, k.Groups, k.Neurons = prune.Left(c, nil)
	return k
}

// dense names removals by their place in the dense model.
func (k Kept) dense(out []prune.Removal) []prune.Removal {
	named := slices.Clone(out)
	for i, r := range out {
		named[i].Layer = k.Layers[r.Layer]
		switch r.Kind {
		case prune.Group:
			named[i].Index = k.Groups[r.Layer][r.Index]
		case prune.Neuron:
			named[i].Index = k.Neurons[r.Layer][r.Index]
		}
	}
	return named
}

// without is what is left after removals from a model of shape c.
func (k Kept) without(c engine.Config, out []prune.Removal) Kept {
	pick := func(list, places []int) (picked []int) {
		for _, i := range places {
			picked = append(picked, list[i])
		}
		return picked
	}
	layers, groups, neurons := prune.Left(c, out)
	left := Kept{Layers: pick(k.Layers, layers)}
	for i, l := range layers {
		left.Groups = append(left.Groups, pick(k.Groups[l], groups[i]))
		left.Neurons = append(left.Neurons, pick(k.Neurons[l], neurons[i]))
	}
	return left
}

// sameTokens reports how a teacher's vocabulary differs from the model's.
func sameTokens(m, teacher *weights.Folder) error {
	a, b := m.Model.Config(), teacher.Model.Config()
	if a.Vocab != b.Vocab {
		return unusable("the teacher has %d tokens and the model %d; a teacher speaks of the same tokens", b.Vocab,
			a.Vocab)
	}
	if b.MaxContext < a.MaxContext {
		return unusable("the teacher's context is %d tokens and the model's %d; want one that is no shorter",
			b.MaxContext, a.MaxContext)
	}
	if m.Tokenizer == nil || teacher.Tokenizer == nil {
		return nil
	}
	own, other := m.Tokenizer.Vocabulary(), teacher.Tokenizer.Vocabulary()
	for id := range int32(a.Vocab) {
		if own[id] != other[id] {
			return unusable("token %d is %q to the teacher and %q to the model; a teacher speaks of the same tokens",
				id, other[id], own[id])
		}
	}
	return nil
}

// Stages is the number of stages.
func (j *Job) Stages() int { return len(j.o.Schedule) }

// Name is the name of a stage, from 0: R1, R2, …
func Name(stage int) string { return fmt.Sprintf("R%d", stage+1) }

// File is the name of the file of a stage's folder that says what was done.
const File = weights.StageFile

// MaxLog bounds that file in bytes: it lists every unit that was removed.
const MaxLog = 256 << 20

// ErrOther is wrapped where a folder holds a stage of another compression.
var ErrOther = errors.New("a stage of another compression")

// Run makes the stages in order. Before any it asks stored for the folders of an earlier invocation, nil where
// there is none; those are used if they are of the same plan and as they were written. If one is not, or is no
// stage at all, nothing is made, and the error wraps ErrUnusable and, of another plan, ErrOther. A new stage's
// files go to save, which stores all of them or none, and whose error ends the run. Progress, if not nil, is told
// of every step.
func (j *Job) Run(ctx context.Context, stored func(name string) fs.FS, save func(Stage, map[string][]byte) error,
	progress func(stage string, p train.Progress, steps int)) ([]Stage, error) {
	for i := range j.o.Schedule {
		if _, err := j.log(i, stored(Name(i))); err != nil {
			return nil, fmt.Errorf("%s: %w", Name(i), err)
		}
	}
	var stages []Stage
	model, kept := j.dense.Model, all(j.dense.Model.Config())
	for i := range j.o.Schedule {
		name := Name(i)
		s, m, err := j.read(i, stored(name))
		if s == nil && err == nil {
			if j.o.OneShot {
				model, kept = j.dense.Model, all(j.dense.Model.Config())
			}
			if err = j.stage(ctx, i, model, kept, save, progress); err == nil {
				// What follows starts from what is stored, as it does after an interruption.
				s, m, err = j.read(i, stored(name))
			}
			if s == nil && err == nil {
				err = errors.New("what was saved is not there")
			}
		}
		if err != nil {
			return stages, fmt.Errorf("%s: %w", name, err)
		}
		stages, model, kept = append(stages, *s), m, s.Kept
	}
	return stages, nil
}

// stage makes one stage from the model before it.
func (j *Job) stage(ctx context.Context, i int, m *engine.Model, kept Kept,
	save func(Stage, map[string][]byte) error, progress func(string, train.Progress, int)) error {
	dense := j.dense.Model
	body := prune.Body(dense)
	wants := j.o.wants(body)[i:]
	if j.o.OneShot {
		wants = wants[:1]
	}
	for k := range wants {
		wants[k] -= body - prune.Body(m)
	}
	scores, err := j.scores(i, m)
	if err != nil {
		return err
	}
	out, err := prune.PlanAhead(m.Config(), scores, wants, j.o.Layers)
	if err != nil {
		return err
	}
	small, err := prune.Apply(m, out)
	if err != nil {
		return err
	}
	s := &Stage{Plan: j.plan, Name: Name(i), Options: j.o, Target: j.o.Schedule[i], Kept: kept.without(m.Config(), out),
		Removed: kept.dense(out), DenseFiles: j.denseFiles}
	if j.o.Learn != None {
		loss, err := j.learn(ctx, i, small, progress)
		if err != nil {
			return err
		}
		s.Loss = &loss
	}
	s.Params, s.Dense = small.NumParams(), dense.NumParams()
	s.Sparsity = 1 - float64(prune.Body(small))/float64(body)
	s.OfAll = 1 - float64(s.Params)/float64(s.Dense)
	files, err := j.files(s, small)
	if err != nil {
		return err
	}
	return save(*s, files)
}

func (j *Job) scores(stage int, m *engine.Model) (prune.Scores, error) {
	switch j.o.Rank {
	case Magnitude:
		return prune.Magnitude(m), nil
	case Random:
		return prune.Random(m.Config(), seed.Stream(j.o.Seed, "compress", "rank", Name(stage))), nil
	}
	var docs []engine.Document
	for _, s := range j.sequences {
		more, err := s.Documents()
		if err != nil {
			return prune.Scores{}, err
		}
		if docs = append(docs, more...); len(docs) >= j.o.Calibration {
			docs = docs[:j.o.Calibration]
			break
		}
	}
	return prune.FirstOrder(m, docs, max(1, j.o.Workers))
}

// learn trains the model of a stage and returns the mean loss of the last tenth of its steps.
func (j *Job) learn(ctx context.Context, stage int, m *engine.Model,
	progress func(string, train.Progress, int)) (float64, error) {
	r := tune.Learning(j.o.Steps, j.o.LR, j.o.Workers)
	if j.o.Learn == Soft {
		r.Teacher, r.Temperature = j.teacher, j.o.Temperature
	}
	next := tune.Batches(j.sequences, j.o.Batch, len(j.sequences)/j.o.Batch, func(pass string) *rand.Rand {
		return seed.Stream(j.o.Seed, "compress", "order", Name(stage), pass)
	})
	last := max(1, j.o.Steps/10)
	var loss float64
	err := train.Run(ctx, m, next, r, func(p train.Progress) {
		if p.Step >= j.o.Steps-last {
			loss += p.Loss / float64(last)
		}
		if progress != nil {
			progress(Name(stage), p, j.o.Steps)
		}
	})
	return loss, err
}

// ParseSchedule reads a schedule in percentages, with commas between them.
func ParseSchedule(text string) ([]float64, error) {
	var all []float64
	most := 0.
	for _, part := range strings.Split(text, ",") {
		x, err := strconv.ParseFloat(strings.TrimSpace(part), 64)
		if err != nil {
			return nil, fmt.Errorf("--schedule %s: %q is no number; write percentages, as 14.9,32.1,61.8", text, part)
		}
		all, most = append(all, x/100), max(most, x)
	}
	if most > 0 && most < 1 {
		return nil, fmt.Errorf(
			"--schedule %s: nothing of it reaches 1 %%; write percentages, as 14.9,32.1,61.8 and not shares", text)
	}
	return all, nil
}
