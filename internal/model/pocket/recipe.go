package pocket

import (
	"cmp"
	"context"
	"encoding/json"
	"io/fs"
	"runtime"
	"slices"

	"hallmark/internal/engine"
	"hallmark/internal/engine/token"
	"hallmark/internal/engine/train"
	"hallmark/internal/engine/weights"
	"hallmark/internal/model/pocket/incontext"
)

// A Recipe is all that determines a model: equal recipes give equal weights, to the bit, on any machine with any
// number of workers.
type Recipe struct {
	Seed       uint64 // of the corpus and the first weights
	Mix        Mix
	Vocabulary int // tokens, of which 256 are bytes and two special
	Shape      engine.Config
	Sequence   int // documents are packed into sequences of at most so many tokens
	Batch      int // sequences a step
	// The training opens with Opening steps of OpeningTokens tokens that only teach classification by examples, along
	// Stages; what finds an example like the input forms there, and seldom beside other work. Then a step has Batch
	// sequences of the corpus and Rules tokens of examples, from the last of Stages.
	Opening, OpeningTokens int
	Rules                  int
	Thin                   int // questions are learned in one document of so many, and more there; 0 in all
	Stages                 []incontext.Stage
	PeakLR                 float64
	FinalLR                float64 // part of PeakLR at the end; 0 is a twentieth
	Steps                  int     // at most; 0 means the whole corpus
}

// Shipped is the recipe of the embedded weights.
var Shipped = Recipe{
	Seed: 1,
	Mix: Mix{
		Exposures: 180, Style: 3, Own: .15, Words: .4, Cite: 3, Context: 1.4, Echo: .6, Judge: 1.25, Negate: .2,
		Dated: .25, Absent: .8,
		Premise: .35, Surname: .15, Chain: .05, Sum: .4, Foreign: .03, State: .05, Dialogue: .06, Polite: .6,
		System: .05,
	},
	Vocabulary: 3072,
	Shape: engine.Config{
		ModelType: "qwen3", Hidden: 128, Inner: 336, Layers: 4, Heads: 4, KVHeads: 4, HeadDim: 32,
		MaxContext: 512, Epsilon: 1e-6, Theta: 10000, Tied: true,
	},
	Sequence: 128, Batch: 16, Opening: 1600, OpeningTokens: 2000, Rules: 600, Thin: 5, Stages: incontext.Stages,
	PeakLR: 3e-3, FinalLR: .02,
}

// Text is all of the recipe, for a state that only the same recipe may go on from.
func (r Recipe) Text() (string, error) {
	b, err := json.Marshal(r)
	return string(b), err
}

// TrainFrom trains a model by the recipe. After each of n equal parts of the training save receives the part, from 0 to
// n-1, and the files of the Hugging Face folder as they are then, by name; its error ends the training with it. The
// weights are stored as bfloat16; what is measured is the model read from these files, not the one that was trained. It
// reports each step to progress, unless that is nil. With no workers it takes all cores; their number changes no bit.
//
// It goes on from a state, nil for the beginning, to the same bits, and gives the state before each step to keep,
// unless that is nil (train.RunFrom). Parts that had ended are not saved again.
func (r Recipe) TrainFrom(ctx context.Context, workers int, from *train.State, keep func(train.State) error, n int,
	save func(stage int, files map[string][]byte) error, progress func(p train.Progress, steps int)) error {
	tokens, err := r.tokenizer()
	if err != nil {
		return err
	}
	sequences, err := r.pack(tokens, World().write(r.Mix, r.Seed), -1)
	if err != nil {
		return err
	}
	shape := r.Shape
	shape.Vocab = r.Vocabulary
	m, err := engine.New(shape, r.Seed)
	if err != nil {
		return err
	}
	steps := r.Opening + len(sequences)/r.Batch
	if r.Steps > 0 {
		steps = min(steps, r.Steps)
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	rules := incontext.NewWriter(r.Stages, r.Seed)
	next := func(step int) []train.Sequence {
		var batch []train.Sequence
		examples, progress := r.OpeningTokens, float64(step)/float64(max(1, r.Opening))
		if step -= r.Opening; step >= 0 {
			batch = slices.Clone(sequences[step*r.Batch : (step+1)*r.Batch])
			examples, progress = r.Rules, 1
		}
		for n := 0; n < examples; {
			s, err := encodeRules(tokens, rules.Document(progress))
			if err != nil {
				stop(err)
				return nil
			}
			batch = append(batch, s)
			n += len(s.Tokens)
		}
		return batch
	}
	stage := 0
	if from != nil {
		for step := range min(from.Step, steps) { // the documents of examples follow from those before
			next(step)
		}
		for stage < n && from.Step >= steps*(stage+1)/n {
			stage++
		}
	}
	err = train.RunFrom(ctx, m, from, next, train.Recipe{
		Steps: steps, PeakLR: r.PeakLR, FinalLRFraction: cmp.Or(r.FinalLR, .05), Warmup: min(100, steps), Beta1: .9,
		Beta2: .98, WeightDecay: .02, Clip: 1, Workers: cmp.Or(workers, runtime.GOMAXPROCS(0)),
	}, keep, func(p train.Progress) {
		if progress != nil {
			progress(p, steps)
		}
		for ; stage < n && p.Step+1 >= steps*(stage+1)/n; stage++ {
			files, err := folder(m, tokens)
			if err == nil {
				err = save(stage, files)
			}
			if err != nil {
				stop(err)
			}
		}
	})
	return cmp.Or(context.Cause(ctx), err)
}

// tokenizerConfig tells Hugging Face's libraries, and package local, how to lay out a conversation. It is no matter of
// training: every model has that of the built-in one.
const tokenizerConfig = "tokenizer_config.json"

// folder returns the files of a model's Hugging Face folder.
func folder(m *engine.Model, tokens *token.Tokenizer) (map[string][]byte, error) {
	stop, _ := tokens.ID(end)
	f := weights.Folder{Model: m, Tokenizer: tokens, Stop: []int32{stop}}
	files, err := f.Files(weights.BF16)
	if err == nil {
		files[tokenizerConfig], err = fs.ReadFile(carried, tokenizerConfig)
	}
	return files, err
}
