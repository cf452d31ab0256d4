// Package tune goes on training a checkpoint on conversations: on answers that were adjudicated, say, so that a model
// learns to give them by itself.
package tune

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"slices"
	"strconv"

	"hallmark/internal/base/jsonl"
	"hallmark/internal/base/seed"
	"hallmark/internal/engine/train"
	"hallmark/internal/engine/weights"
	"hallmark/internal/model"
	"hallmark/internal/model/local"
)

// A Conversation is a list of messages to learn from, in the format that chat models are tuned on: the assistant's
// turns are learned, the others are read.
type Conversation struct {
	Messages []model.Message
	Place    string // FILE:LINE, for messages
}

// maxLine bounds one line, in bytes.
const maxLine = 4 << 20

// Parse reads conversations, one JSON object a line: {"messages": [{"role": "user", "content": "…"}, {"role":
// "assistant", "content": "…"}]}. Other keys of a line are ignored, as tools put names and weights there. The error
// names file and line.
func Parse(file string, data []byte) ([]Conversation, error) {
	var all []Conversation
	err := EachLine(file, data, "conversation", func(line []byte, place string) error {
		messages, err := parse(line)
		all = append(all, Conversation{messages, place})
		return err
	})
	if err != nil {
		return nil, err
	}
	if len(all) == 0 {
		return nil, fmt.Errorf(`%s: no conversation; want a line {"messages": [{"role": "user", "content": "…"}, `+
			`{"role": "assistant", "content": "…"}]} for each`, file)
	}
	return all, nil
}

// EachLine calls f for the lines of a file that hold something, with their FILE:LINE, by which its error is preceded.
// What names what a line is.
func EachLine(file string, data []byte, what string, f func(line []byte, place string) error) error {
	n := 0
	for line := range bytes.Lines(data) {
		n++
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		place := fmt.Sprintf("%s:%d", file, n)
		if len(line) > maxLine {
			return fmt.Errorf("%s: %d bytes; a %s has at most %d", place, len(line), what, maxLine)
		}
		if err := f(line, place); err != nil {
			return fmt.Errorf("%s: %w", place, err)
		}
	}
	return nil
}

func parse(line []byte) ([]model.Message, error) {
	var row struct {
		Messages []struct {
			Role    string  `json:"role"`
			Content *string `json:"content"`
		} `json:"messages"`
	}
	if err := json.Unmarshal(line, &row); err != nil {
		return nil, fmt.Errorf(`%w; want {"messages": [{"role": …, "content": "…"}, …]}`, jsonl.Plain(err))
	}
	if len(row.Messages) == 0 {
		return nil, errors.New(`no "messages"; want {"messages": [{"role": "user", "content": "…"}, {"role": ` +
			`"assistant", "content": "…"}]}`)
	}
	messages := make([]model.Message, len(row.Messages))
	before := ""
	for i, m := range row.Messages {
		switch {
		case m.Content == nil:
			return nil, fmt.Errorf("message %d has no content; want text", i+1)
		case m.Role == "system" && i > 0:
			return nil, fmt.Errorf("message %d is of the system; it must come first", i+1)
		case m.Role != "system" && m.Role != "user" && m.Role != "assistant":
			return nil, fmt.Errorf("message %d has the role %q; want system, user or assistant", i+1, m.Role)
		case m.Role == "assistant" && before != "user", m.Role == "user" && before == "user":
			return nil, fmt.Errorf(
				"message %d is of the %s and follows %s; turns of user and assistant alternate, the user's first",
				i+1, m.Role, whose(before))
		}
		messages[i], before = model.Message{Role: m.Role, Text: *m.Content}, m.Role
	}
	return messages, nil
}

func whose(role string) string {
	if role == "" {
		return "nothing"
	}
	return "one of the " + role
}

// A Recipe says how to tune. Equal recipes on equal files give equal weights, to the bit, for any number of workers.
type Recipe struct {
	Epochs int // passes over the conversations, each in another order
	Batch  int // answers a step
	// highest learning rate of AdamW, reached after a tenth of the steps and falling to a tenth along a cosine
	LR      float64
	Seed    uint64 // of the order
	Workers int    // cores
}

// Default is a recipe for models of a few million parameters. Larger ones take a smaller rate.
var Default = Recipe{Epochs: 3, Batch: 16, LR: 3e-4, Seed: 1}

func (r Recipe) validate() error {
	switch {
	case r.Epochs < 1 || r.Epochs > 10_000:
		return fmt.Errorf("--epochs %d: want 1 to 10,000", r.Epochs)
	case r.Batch < 1 || r.Batch > 4096:
		return fmt.Errorf("--batch %d: want 1 to 4,096", r.Batch)
	case !(r.LR > 0 && r.LR < 1):
		return fmt.Errorf("--lr %g: want more than 0 and less than 1; 3e-4 suits small models, 1e-5 large ones", r.LR)
	}
	return nil
}

// ErrUnusable is wrapped where the conversations, the recipe or the folder are at fault, and not the machine.
var ErrUnusable = errors.New("cannot tune")

// A Tuning is a checkpoint made ready to be trained on conversations: everything that can be at fault was checked.
type Tuning struct {
	recipe  Recipe
	fsys    fs.FS
	folder  *weights.Folder
	lessons []train.Sequence
	Tokens  int // of all lessons together
}

// Prepare reads the folder and lays out every conversation. The error wraps ErrUnusable and names the place.
func Prepare(folder fs.FS, conversations []Conversation, r Recipe) (*Tuning, error) {
	if err := r.validate(); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnusable, err)
	}
	m, err := local.Open(folder, "tuned")
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnusable, err)
	}
	t := &Tuning{recipe: r, fsys: folder}
	if t.lessons, err = Sequences(m, conversations); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnusable, err)
	}
	for _, s := range t.lessons {
		t.Tokens += len(s.Tokens)
	}
	if t.folder, err = weights.Load(folder); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnusable, err)
	}
	return t, nil
}

// Sequences lays out every conversation as a model reads it, a sequence for each answer, of which the answer is
// learned. The error names the place of what cannot be learned.
func Sequences(m *local.Model, conversations []Conversation) ([]train.Sequence, error) {
	var all []train.Sequence
	for _, c := range conversations {
		lessons, err := m.Lessons(c.Messages)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", c.Place, err)
		}
		for _, l := range lessons {
			all = append(all, sequence(l))
		}
	}
	if len(all) == 0 {
		return nil, errors.New("no answers to learn")
	}
	return all, nil
}

// sequence weighs the tokens of the answer 1 and what is read 0.
func sequence(l local.Lesson) train.Sequence {
	return train.Sequence{Tokens: slices.Concat(l.Prompt, l.Answer),
		Weights: slices.Concat(make([]float32, len(l.Prompt)), slices.Repeat([]float32{1}, len(l.Answer)))}
}

// Answers is the number of answers to learn, Steps that of the steps.
func (t *Tuning) Answers() int { return len(t.lessons) }

// Steps is the number of steps that Run takes.
func (t *Tuning) Steps() int {
	perEpoch := (len(t.lessons) + t.recipe.Batch - 1) / t.recipe.Batch
	return perEpoch * t.recipe.Epochs
}

// Learning is how a checkpoint goes on learning: by AdamW, with the highest rate after a tenth of the steps, from where
// it falls to a tenth along a cosine.
func Learning(steps int, lr float64, workers int) train.Recipe {
	return train.Recipe{Steps: steps, PeakLR: lr, FinalLRFraction: .1, Warmup: max(1, steps/10), Beta1: .9, Beta2: .98,
		Clip: 1, Workers: max(1, workers)}
}

// Batches returns the sequences that a step learns from, so many at most, in passes of so many steps. Each pass has
// them in an order drawn from its stream.
func Batches(all []train.Sequence, size, steps int, stream func(pass string) *rand.Rand) func(int) []train.Sequence {
	var order []int
	return func(step int) (batch []train.Sequence) {
		at := step % steps
		if at == 0 {
			order = stream(strconv.Itoa(step / steps)).Perm(len(all))
		}
		for _, i := range order[at*size : min((at+1)*size, len(all))] {
			batch = append(batch, all[i])
		}
		return batch
	}
}

// Run trains and returns the files of the tuned folder by name: the weights as bfloat16, all else as it was. It reports
// each step to progress, unless that is nil.
func (t *Tuning) Run(ctx context.Context, progress func(p train.Progress, steps int)) (map[string][]byte, error) {
	steps := t.Steps()
	next := Batches(t.lessons, t.recipe.Batch, steps/t.recipe.Epochs, func(pass string) *rand.Rand {
		return seed.Stream(t.recipe.Seed, "tune", pass)
	})
	r := Learning(steps, t.recipe.LR, t.recipe.Workers)
	r.WeightDecay = .01
	err := train.Run(ctx, t.folder.Model, next, r, func(p train.Progress) {
		if progress != nil {
			progress(p, steps)
		}
	})
	if err != nil {
		return nil, err
	}
	files, err := t.folder.Files(weights.BF16)
	if err != nil {
		return nil, err
	}
	return files, weights.Keep(t.fsys, files)
}
