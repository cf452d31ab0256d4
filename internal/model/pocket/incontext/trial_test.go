package incontext

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"testing"
	"time"

	"hallmark/internal/engine"
	"hallmark/internal/engine/token"
	"hallmark/internal/engine/train"
)

// A trial is a training on documents of this package alone.
type trial struct {
	Seed       uint64
	Shape      engine.Config
	Marks      []string // added tokens of the layout
	Tokens     int      // of the whole training
	StepTokens int      // of a step, at least
	Recipe     train.Recipe
	Stages     []Stage // of the package if there are none
	Every      int     // tokens between two measures
	Sequences  int     // of a measure; of the last one ten times as many
}

// TestTrial trains by a recipe of one's own and measures as it goes: HALLMARK_INCONTEXT_TRIAL names a JSON file with
// the fields of trial that differ from the defaults.
func TestTrial(t *testing.T) {
	path := os.Getenv("HALLMARK_INCONTEXT_TRIAL")
	if path == "" {
		t.Skip("HALLMARK_INCONTEXT_TRIAL names no file")
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	c := trial{
		Seed: 1, Marks: slices.Clone(Marks), Tokens: 4e6, StepTokens: 2048, Every: 400_000, Sequences: 100,
		Shape: engine.Config{
			ModelType: "qwen3", Hidden: 128, Inner: 336, Layers: 4, Heads: 4, KVHeads: 4, HeadDim: 32,
			MaxContext: 512, Epsilon: 1e-6, Theta: 10000, Tied: true,
		},
		Recipe: train.Recipe{PeakLR: 3e-3, FinalLRFraction: .05, Warmup: 100, Beta1: .9, Beta2: .98, WeightDecay: .02,
			Clip: 1, Workers: 1},
	}
	if err := json.Unmarshal(b, &c); err != nil {
		t.Fatal(err)
	}
	if c.Stages == nil {
		c.Stages = Stages
	}
	tok := vocabulary(t, c.Marks)
	c.Shape.Vocab = tok.Size()
	m, err := engine.New(c.Shape, c.Seed)
	if err != nil {
		t.Fatal(err)
	}
	steps := c.steps(t, tok)
	c.Recipe.Steps = len(steps)
	fmt.Printf("%d steps, vocabulary %d, parameters %d\n", len(steps), tok.Size(), m.NumParams())
	start := time.Now()
	var measured int64
	err = train.Run(context.Background(), m, func(i int) []train.Sequence {
		return steps[i]
	}, c.Recipe, func(p train.Progress) {
		last := p.Step == len(steps)-1
		if p.Tokens-measured < int64(c.Every) && !last {
			return
		}
		measured = p.Tokens
		n := c.Sequences
		if last {
			n *= 10
		}
		fmt.Printf("%.0f s, %.2fM tokens, loss %.3f\n", time.Since(start).Seconds(), float64(p.Tokens)/1e6, p.Loss)
		for _, task := range []Task{Topic8x2, Topic4, Topic2, Parity} {
			rows, err := Measure(task, []int{2, 4, 8, 16, 32}, n, 99, Engine(m, tok, begin))
			if err != nil {
				t.Fatal(err)
			}
			fmt.Printf("  %-8s", task)
			for _, r := range rows {
				fmt.Printf("  %d: %.4f-%.4f %+.4f ±%.4f", r.N, r.Error, r.Bayes, r.Difference, r.High-r.Difference)
			}
			fmt.Println()
		}
	})
	if err != nil {
		t.Fatal(err)
	}
}

const begin = "<|begin|>" // opens a document

// vocabulary has a token for each word and each of the marks.
func vocabulary(t *testing.T, marks []string) *token.Tokenizer {
	added := token.Specials(begin)
	for _, m := range marks {
		added = append(added, token.Added{Content: m})
	}
	var texts []token.Text
	for _, w := range append(Words(), "Input", "Label") {
		texts = append(texts, token.Text{Text: w, Count: 1000})
	}
	tok, err := token.TrainBPE(texts, token.Llama3Pattern, 1024, added)
	if err != nil {
		t.Fatal(err)
	}
	return tok
}

// steps writes the documents of each step.
func (c trial) steps(t *testing.T, tok *token.Tokenizer) (steps [][]train.Sequence) {
	w := NewWriter(c.Stages, c.Seed)
	var step []train.Sequence
	for total, inStep := 0, 0; total < c.Tokens; {
		var s train.Sequence
		for _, p := range append([]Part{{Text: begin}}, w.Document(float64(total)/float64(c.Tokens))...) {
			ids, err := tok.Encode(p.Text)
			if err != nil {
				t.Fatal(err)
			}
			for _, id := range ids {
				s.Tokens, s.Weights = append(s.Tokens, id), append(s.Weights, p.Loss)
			}
		}
		step = append(step, s)
		total += len(s.Tokens)
		if inStep += len(s.Tokens); inStep >= c.StepTokens {
			steps, step, inStep = append(steps, step), nil, 0
		}
	}
	return steps
}
