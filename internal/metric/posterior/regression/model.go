package regression

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"

	"hallmark/internal/base/exit"
	"hallmark/internal/base/jsonl"
	"hallmark/internal/engine"
	"hallmark/internal/engine/kernel"
	"hallmark/internal/engine/weights"
	"hallmark/internal/metric/posterior/predictive"
	"hallmark/internal/model"
	"hallmark/internal/model/local"
	"hallmark/internal/stat/figure"
)

// A Shape gives a model's sizes and what its numbers stand for.
//
// The model is the trunk of the Llama family without rotary angles: what it read has no places, as the pairs of a
// context have none. There is one vector a query, (1, whether it is the first, the pair before it: x and y, the
// query itself), which enters by a matrix. What the head gives after it are the logits of the bins of its response
// and those of the bins of the next query. So the response to x_{n+1} depends on the n pairs before it and on
// x_{n+1}, and a context is extended by drawing the next query, reading it, and drawing its response.
type Shape struct {
	Format  string  `json:"format"` // Format
	Hidden  int     `json:"hidden_size"`
	Inner   int     `json:"intermediate_size"`
	Layers  int     `json:"num_hidden_layers"`
	Heads   int     `json:"num_attention_heads"`
	Window  int     `json:"window"` // queries of a sequence: one more than the pairs of the longest context
	Bins    int     `json:"bins"`   // of the response, of one width
	Support float64 `json:"support"`
	Queries int     `json:"query_bins"` // of the next query, over its range
}

// Format is the name of the folder's layout.
const Format = "hallmark-regression/1"

// vector is how many numbers enter with a query.
const vector = 5

// engine is the trunk's configuration.
func (s Shape) engine() engine.Config {
	return engine.Config{
		ModelType: "llama", Vocab: s.Bins + s.Queries, Hidden: s.Hidden, Inner: s.Inner, Layers: s.Layers,
		Heads: s.Heads, KVHeads: s.Heads,
		HeadDim: s.Hidden / max(1, s.Heads), MaxContext: s.Window, Epsilon: 1e-5, Theta: 10000, Inputs: vector,
		Unordered: true,
	}
}

const (
	maxBins   = 4096
	maxWindow = 1 << 14
)

// validate reports the first field that makes no model.
func (s Shape) validate() error {
	switch {
	case s.Format != Format:
		return fmt.Errorf("format is %q, want %q", s.Format, Format)
	case s.Bins < 2 || s.Bins > maxBins || s.Queries < 1 || s.Queries > maxBins:
		return fmt.Errorf("bins is %d and query_bins %d, want 2 to %d and 1 to %d", s.Bins, s.Queries, maxBins, maxBins)
	case !(s.Support > 0 && s.Support <= 1e6):
		return fmt.Errorf("support is %g, want a number above 0 and at most 1000000", s.Support)
	case s.Window < 2 || s.Window > maxWindow:
		return fmt.Errorf("window is %d, want 2 to %d", s.Window, maxWindow)
	case s.Heads < 1 || s.Hidden%s.Heads != 0:
		return fmt.Errorf("num_attention_heads is %d, want a divisor of hidden_size %d", s.Heads, s.Hidden)
	}
	return s.engine().Validate()
}

// width is that of a bin of the response.
func (s Shape) width() float64 { return 2 * s.Support / float64(s.Bins) }

// bin is the bin of a response; one beyond the support is in the bin at that end.
func (s Shape) bin(y float64) int {
	return max(0, min(s.Bins-1, int(math.Floor((y+s.Support)/s.width()))))
}

// queryBin is the bin of a query.
func (s Shape) queryBin(x float64) int {
	return max(0, min(s.Queries-1, int(math.Floor((x+Range)/(2*Range)*float64(s.Queries)))))
}

// encode appends the vector of query x after a pair, nil for the first query.
func encode(to []float32, before *Pair, x float64) []float32 {
	if before == nil {
		return append(to, 1, 1, 0, 0, float32(x))
	}
	return append(to, 1, 0, float32(before.X), float32(before.Y), float32(x))
}

// A Model predicts responses from pairs. It is safe for concurrent use.
type Model struct {
	shape  Shape
	engine *engine.Model
}

// Shape returns the model's sizes.
func (m *Model) Shape() Shape { return m.shape }

// The files of a model's folder.
const (
	configFile  = "config.json"
	weightsFile = "model.safetensors"
	recipeFile  = "recipe.json"
)

// Open reads a model's folder. An error names the file and what is wrong with it.
func Open(fsys fs.FS) (*Model, error) {
	config, err := fs.ReadFile(fsys, configFile)
	if err != nil {
		return nil, err
	}
	m := &Model{}
	d := json.NewDecoder(bytes.NewReader(config))
	d.DisallowUnknownFields()
	if err := d.Decode(&m.shape); err != nil {
		return nil, fmt.Errorf("%s: %w; want the file that `hallmark model train regression` writes", configFile,
			jsonl.Plain(err))
	}
	if err := m.shape.validate(); err != nil {
		return nil, fmt.Errorf("%s: %w", configFile, err)
	}
	data, err := fs.ReadFile(fsys, weightsFile)
	if err != nil {
		return nil, err
	}
	if n := m.shape.engine().Matrices(); 2*n > float64(len(data)) {
		return nil, fmt.Errorf("%s: the sizes of %s make %s parameters, more than its %d bytes hold", weightsFile,
			configFile, figure.Digits(n, 3), len(data))
	}
	if m.engine, err = engine.Empty(m.shape.engine()); err != nil {
		return nil, fmt.Errorf("%s: %w", configFile, err)
	}
	if err := fill(m.engine, data); err != nil {
		return nil, fmt.Errorf("%s: %w", weightsFile, err)
	}
	m.engine.Changed(1)
	return m, nil
}

// fill reads the parameters.
func fill(m *engine.Model, data []byte) error {
	tensors, err := weights.ParseSafetensors(data)
	if err != nil {
		return err
	}
	byName := map[string]weights.Tensor{}
	for _, t := range tensors {
		byName[t.Name] = t
	}
	for _, p := range m.Params() {
		t, ok := byName[p.Name]
		switch {
		case !ok:
			return fmt.Errorf("tensor %q is missing", p.Name)
		case t.Len() != len(p.Data):
			return fmt.Errorf("tensor %q has %d numbers, want %d", p.Name, t.Len(), len(p.Data))
		}
		if err := t.Decode(p.Data); err != nil {
			return err
		}
		for _, x := range p.Data {
			if x-x != 0 {
				return fmt.Errorf("tensor %q has a number that is not finite", p.Name)
			}
		}
		delete(byName, p.Name)
	}
	for _, t := range tensors {
		if _, ok := byName[t.Name]; ok {
			return fmt.Errorf("tensor %q is none of the model's", t.Name)
		}
	}
	return nil
}

// files returns the folder of a model whose parameters are stored as bfloat16.
func files(s Shape, m *engine.Model) (map[string][]byte, error) {
	var b bytes.Buffer
	if err := weights.WriteSafetensors(&b, m.Params(), weights.BF16); err != nil {
		return nil, err
	}
	config, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return nil, err
	}
	return map[string][]byte{configFile: append(config, '\n'), weightsFile: b.Bytes()}, nil
}

// A Posterior is what the model makes of some pairs. It is for one goroutine at a time.
type Posterior struct {
	m      *Model
	thread *engine.Thread
	last   *Pair     // not in the thread yet: it enters with the query after it
	next   []float64 // probabilities of the bins of the next query; nil before any pair
}

// Begin returns the posterior before any pair.
func (m *Model) Begin() *Posterior { return &Posterior{m: m, thread: m.engine.NewThread()} }

// Pairs is the number of pairs that were learned.
func (b *Posterior) Pairs() int { return b.thread.Length() }

// Learn learns pairs in place. More than the window allows are an error.
func (b *Posterior) Learn(pairs []Pair) error {
	if n := b.Pairs() + len(pairs); n >= b.m.shape.Window {
		return b.m.full(n)
	}
	for _, p := range pairs {
		if err := b.m.step([]*Posterior{b}, []float64{p.X}, func(_ int, _ predictive.Binned) float64 {
			return p.Y
		}); err != nil {
			return err
		}
	}
	return nil
}

func (m *Model) full(n int) error {
	return fmt.Errorf(
		"%d pairs; the model's window takes %d and a query: use a shorter context, or extend it by fewer pairs", n,
		m.shape.Window-1)
}

// step reads a query for each posterior, has its response chosen, and learns the pair.
func (m *Model) step(posteriors []*Posterior, xs []float64, response func(i int, p predictive.Binned) float64) error {
	threads := make([]*engine.Thread, len(posteriors))
	var inputs []float32
	for i, b := range posteriors {
		threads[i] = b.thread
		inputs = encode(inputs, b.last, xs[i])
	}
	finite := true
	err := m.engine.Read(threads, inputs, true, func(i int, out []float32) {
		b := posteriors[i]
		p, ok := m.binned(out)
		finite = finite && ok
		b.last = &Pair{xs[i], response(i, p)}
		b.next, _ = softmax(out[m.shape.Bins:])
	})
	if err == nil && !finite {
		err = errBroken
	}
	return err
}

var errBroken = errors.New("the model's logits are not finite: its weights are broken")

// binned is the distribution of the response by what the head gave.
func (m *Model) binned(out []float32) (predictive.Binned, bool) {
	p, ok := softmax(out[:m.shape.Bins])
	return predictive.Binned{Lo: -m.shape.Support, Width: m.shape.width(), P: p}, ok
}

// softmax returns the probabilities of logits, and false, with all of one probability, where they are not finite.
func softmax(logits []float32) ([]float64, bool) {
	p := make([]float64, len(logits))
	top := float64(kernel.Max(logits))
	var sum float64
	for i, x := range logits {
		p[i] = kernel.Exp(float64(x) - top)
		sum += p[i]
	}
	ok := sum-sum == 0 && sum > 0
	for i := range p {
		if p[i] /= sum; !ok {
			p[i] = 1 / float64(len(p))
		}
	}
	return p, ok
}

// Predict returns the distribution of the response to each query. The posterior stays as it was.
func (b *Posterior) Predict(xs []float64) ([]predictive.Binned, error) {
	all, err := b.m.Predict([]*Posterior{b}, xs)
	if err != nil {
		return nil, err
	}
	return all[0], nil
}

// Predict returns for each posterior the distributions of the responses to the same queries. The posteriors stay as
// they were.
func (m *Model) Predict(posteriors []*Posterior, xs []float64) ([][]predictive.Binned, error) {
	var threads []*engine.Thread
	var inputs []float32
	all := make([][]predictive.Binned, len(posteriors))
	for i, b := range posteriors {
		all[i] = make([]predictive.Binned, len(xs))
		for _, x := range xs {
			threads, inputs = append(threads, b.thread), encode(inputs, b.last, x)
		}
	}
	finite := true
	err := m.engine.Read(threads, inputs, false, func(i int, out []float32) {
		p, ok := m.binned(out)
		finite = finite && ok
		all[i/len(xs)][i%len(xs)] = p
	})
	if err == nil && !finite {
		err = errBroken
	}
	return all, err
}

// Extend returns a posterior for each stream of draws that has learned n more pairs, and these, each drawn from the
// model after those before it: the query by its bins, evenly within one (uniform where no pair is known yet), and then
// its response. The posterior stays as it was.
func (b *Posterior) Extend(n int, streams []*rand.Rand) ([]*Posterior, [][]Pair, error) {
	if total := b.Pairs() + n; total >= b.m.shape.Window {
		return nil, nil, b.m.full(total)
	}
	chains, pairs := make([]*Posterior, len(streams)), make([][]Pair, len(streams))
	for i := range chains {
		chains[i] = &Posterior{b.m, b.thread.Fork(n + 1), b.last, b.next}
	}
	xs := make([]float64, len(chains))
	for range n {
		for i, c := range chains {
			xs[i] = c.query(streams[i])
		}
		err := b.m.step(chains, xs, func(i int, p predictive.Binned) float64 { return p.Draw(streams[i]) })
		if err != nil {
			return nil, nil, err
		}
		for i, c := range chains {
			pairs[i] = append(pairs[i], *c.last)
		}
	}
	return chains, pairs, nil
}

// query draws the next query.
func (b *Posterior) query(r *rand.Rand) float64 {
	if b.next == nil {
		return uniform(r)
	}
	return predictive.Binned{Lo: -Range, Width: 2 * Range / float64(len(b.next)), P: b.next}.Draw(r)
}

// Parse reads a reference and returns its model.
func Parse(text string) (*Model, error) {
	ref, err := model.ParseRef(text)
	if err != nil {
		return nil, exit.Usagef("--model: %w", err)
	}
	if ref.Scheme != model.Regression {
		return nil, exit.Usagef(
			"--model %s: want regression or regression:DIR; `hallmark analyze posterior` measures other models", ref)
	}
	return Named(ref)
}

// Named returns the model of a reference: the built-in one, or that of a folder.
func Named(ref model.Ref) (*Model, error) {
	if ref.Name == "" {
		return Built()
	}
	if info, err := os.Stat(ref.Name); err != nil || !info.IsDir() {
		return nil, exit.Usagef("--model %s: %s is no folder; `hallmark model train regression -o %s` makes one", ref,
			ref.Name, ref.Name)
	}
	m, err := Open(local.Folder(ref.Name))
	if err != nil {
		return nil, exit.Usagef("--model %s: %w", ref, err)
	}
	return m, nil
}
