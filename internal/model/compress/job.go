package compress

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash"
	"io/fs"
	"math"
	"slices"

	"hallmark/internal/engine"
	"hallmark/internal/engine/prune"
	"hallmark/internal/engine/train"
	"hallmark/internal/engine/weights"
	"hallmark/internal/model/local"
	"hallmark/internal/stat/figure"
)

// A Job is a checkpoint made ready to be compressed: all that can be at fault was checked.
type Job struct {
	o          Options
	folder     fs.FS
	dense      *weights.Folder
	teacher    *engine.Model
	sequences  []train.Sequence
	plan       string
	denseFiles map[string]string // of Stage
}

// Prepare reads the folder and checks that the schedule can be kept. The sequences are what is learned from and
// what FirstOrder is computed on. The teacher is another folder with the same tokens, or nil for the dense model
// itself. The error wraps ErrUnusable.
func Prepare(folder, teacher fs.FS, sequences []train.Sequence, o Options) (*Job, error) {
	if err := o.validate(); err != nil {
		return nil, err
	}
	dense, err := weights.Load(folder)
	if err != nil {
		return nil, unusable("%w", err)
	}
	j := &Job{o: o, folder: folder, dense: dense, teacher: dense.Model, sequences: sequences}
	if j.denseFiles, err = local.Hashes(folder); err != nil {
		return nil, unusable("%w", err)
	}
	hash := sha256.New()
	if err := json.NewEncoder(hash).Encode(o); err != nil {
		return nil, err
	}
	digest(hash, dense.Model)
	if teacher != nil {
		t, err := weights.Load(teacher)
		if err != nil {
			return nil, unusable("the teacher: %w", err)
		}
		if err := sameTokens(dense, t); err != nil {
			return nil, err
		}
		j.teacher = t.Model
		digest(hash, t.Model)
	}
	if err := o.canKeep(dense.Model); err != nil {
		return nil, err
	}
	if len(sequences) < o.Batch || len(sequences) == 0 {
		return nil, unusable(
			"%d sequences to learn from are less than a batch of %d; give more text, or a smaller batch",
			len(sequences), o.Batch)
	}
	for i, s := range sequences {
		if err := readable(s, dense.Model.Config()); err != nil {
			return nil, unusable("sequence %d%w", i+1, err)
		}
		fmt.Fprintln(hash, s.Tokens, s.Weights, s.Doc)
	}
	j.plan = fmt.Sprintf("%x", hash.Sum(nil))
	return j, nil
}

// readable says why a model cannot read a sequence, as what follows its number.
func readable(s train.Sequence, c engine.Config) error {
	docs, err := s.Documents()
	if err != nil {
		return fmt.Errorf(": %w", err)
	}
	for _, d := range docs {
		if len(d.Tokens) > c.MaxContext {
			return fmt.Errorf(" has a document of %d tokens; the model takes %d", len(d.Tokens), c.MaxContext)
		}
		for _, t := range d.Tokens {
			if t < 0 || int(t) >= c.Vocab {
				return fmt.Errorf(" holds token %d; the model has %d", t, c.Vocab)
			}
		}
	}
	return nil
}

// canKeep says why no way leads through the schedule, nil where one does.
func (o Options) canKeep(m *engine.Model) error {
	body, c := prune.Body(m), m.Config()
	last := o.Schedule[len(o.Schedule)-1]
	if most := prune.Most(c, o.Layers); float64(most)/float64(body) < last-Tolerance {
		return unusable("at most %s of this model's body can go, as one group of heads, one neuron and "+
			"one layer stay; the schedule ends at %s",
			figure.InPercent(float64(most)/float64(body), 1), figure.InPercent(last, 1))
	}
	grain := float64(prune.Grain(c)) / float64(body)
	if grain > 2*Tolerance {
		return unusable("a neuron of every layer is %s of this model's body, so stages cannot be held "+
			"to %s points; it is too small", figure.InPercent(grain, 1), figure.Fixed(100*Tolerance, 1))
	}
	before := 0.
	for i, s := range o.Schedule {
		if s-before < grain {
			return unusable("stage %d of the schedule is %s %%, after %s %%; a neuron of every layer is "+
				"%s %% of this model's body, and stages must lie that far apart at least", i+1,
				figure.Digits(100*s, 4), figure.Digits(100*before, 4), figure.Digits(100*grain, 2))
		}
		before = s
	}
	if wants := o.wants(body); o.OneShot {
		for i, w := range wants {
			if !prune.Feasible(c, []int{w}, o.Layers) {
				return unusable("%s %% cannot be reached to %s points: a group of heads of every layer "+
					"is %s of this model's body and all neurons are less; want another sparsity",
					figure.Digits(100*o.Schedule[i], 4), figure.Fixed(100*Tolerance, 1), rowOfGroups(c, body))
			}
		}
	} else if !prune.Feasible(c, wants, o.Layers) {
		return unusable("no way leads through this schedule: a group of heads of every layer is %s of "+
			"this model's body, which has to fit between two stages before all neurons are gone; want a larger "+
			"step somewhere, or one-shot", rowOfGroups(c, body))
	}
	return nil
}

// wants are the parameters that are gone after each stage, of a body of so many.
func (o Options) wants(body int) []int {
	var all []int
	for _, s := range o.Schedule {
		all = append(all, int(math.Round(s*float64(body))))
	}
	return all
}

// rowOfGroups says how much of the body a group of heads of every layer is.
func rowOfGroups(c engine.Config, body int) string {
	return figure.InPercent(float64(prune.Row(c))/float64(body), 1)
}

// digest adds a model's weights to a hash.
func digest(sum hash.Hash, m *engine.Model) {
	for part := range slices.Chunk(m.Weights(), 1<<14) { // so that no second copy of a large model is made
		_ = binary.Write(sum, binary.LittleEndian, part) // a hash takes any bytes
	}
}
