package pocket

import (
	"cmp"
	"context"
	"encoding/json"
	"runtime"

	"hallmark/internal/transformer"
	"hallmark/internal/transformer/train"
	"hallmark/internal/transformer/weights"
)

// A Recipe is all that determines a model: equal recipes give equal weights, to the bit, on any machine with any
// number of workers.
type Recipe struct {
	Seed       uint64 // of the corpus and the first weights
	Mix        Mix
	Vocabulary int // tokens, of which 256 are bytes and two special
	Shape      transformer.Config
	Sequence   int // documents are packed into sequences of at most so many tokens
	Batch      int // sequences a step
	PeakLR     float64
	Steps      int // at most; 0 means the whole corpus
}

// Shipped is the recipe of the embedded weights.
var Shipped = Recipe{
	Seed: 2,
	Mix: Mix{
		Exposures: 165, Context: .9, Echo: .5, Verify: .15, Negate: .06, Absent: .25, Premise: .08, Surname: .1, Chain: .03, Sum: .1,
		Foreign: .02, State: .05, Dialogue: .06, Polite: .4, System: .05,
	},
	Vocabulary: 1024,
	Shape: transformer.Config{
		ModelType: "llama", Hidden: 128, Inner: 336, Layers: 4, Heads: 4, KVHeads: 4, HeadDim: 32,
		MaxContext: 256, Epsilon: 1e-6, Theta: 10000, Tied: true,
	},
	Sequence: 128, Batch: 16, PeakLR: 2e-3,
}

// Train trains a model by the recipe and returns the files of its Hugging Face folder, by name. The weights are
// stored as bfloat16; what is measured is the model read from these files, not the one that was trained. It reports
// each step to progress, unless that is nil. With no workers it takes all cores; their number changes no bit.
func (r Recipe) Train(ctx context.Context, workers int, progress func(p train.Progress, steps int)) (map[string][]byte, error) {
	tokens, err := r.tokenizer()
	if err != nil {
		return nil, err
	}
	sequences, err := r.pack(tokens, World().write(r.Mix, r.Seed))
	if err != nil {
		return nil, err
	}
	shape := r.Shape
	shape.Vocab = r.Vocabulary
	m, err := transformer.New(shape, r.Seed)
	if err != nil {
		return nil, err
	}
	steps := len(sequences) / r.Batch
	if r.Steps > 0 {
		steps = min(steps, r.Steps)
	}
	next := func(step int) []train.Sequence { return sequences[step*r.Batch : (step+1)*r.Batch] }
	err = train.Run(ctx, m, next, train.Recipe{
		Steps: steps, Batch: r.Batch, PeakLR: r.PeakLR, FinalLRFraction: .05, Warmup: min(100, steps), Beta1: .9, Beta2: .98,
		WeightDecay: .02, Clip: 1, Workers: cmp.Or(workers, runtime.GOMAXPROCS(0)),
	}, func(p train.Progress) {
		if progress != nil {
			progress(p, steps)
		}
	})
	if err != nil {
		return nil, err
	}
	stop, _ := tokens.ID(end)
	folder := weights.Folder{Model: m, Tokenizer: tokens, Stop: []int32{stop}}
	files, err := folder.Files(weights.BF16)
	if err != nil {
		return nil, err
	}
	files["tokenizer_config.json"] = tokenizerConfig
	return files, nil
}

// tokenizerConfig tells Hugging Face's libraries, and package local, how to lay out a conversation.
var tokenizerConfig = func() []byte {
	b, err := json.MarshalIndent(map[string]any{
		"tokenizer_class": "PreTrainedTokenizerFast", "bos_token": begin, "eos_token": end, "add_bos_token": true,
		"clean_up_tokenization_spaces": false, "model_max_length": Shipped.Shape.MaxContext, "chat_template": chatTemplate,
	}, "", "  ")
	if err != nil {
		panic(err) // strings and bools always encode
	}
	return append(b, '\n')
}()

// Train trains the built-in model again from its seed: the files are those of Weights, to the bit.
func Train(ctx context.Context, workers int, progress func(p train.Progress, steps int)) (map[string][]byte, error) {
	return Shipped.Train(ctx, workers, progress)
}
