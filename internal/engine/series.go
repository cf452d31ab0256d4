package engine

import (
	"errors"
	"fmt"
)

var errVectors = errors.New("transformer: the model reads vectors, not tokens")

// A Series is a sequence of vectors to learn from, for a model that reads vectors.
type Series struct {
	Inputs []float32 // vectors of Config.Inputs numbers, one after the other
	// Loss is told what the head gives after vector i. It returns the loss there and leaves scale times the loss's
	// gradient in out. It is called for each vector in order and may run beside the Loss of other series.
	Loss func(i int, out []float32, scale float32) float64
}

// GradientOf is Gradient of series: it runs them forward and backward, returns the sum of their losses, and stores
// scale times that sum's gradient in grad, or adds it if add. The series cannot see each other.
func (t *Tape) GradientOf(grad []float32, add bool, series []Series, scale float32) (loss float64, err error) {
	b := &t.b
	c := b.m.cfg
	if c.Inputs == 0 {
		return 0, errors.New("transformer: the model reads tokens, not vectors")
	}
	b.reset()
	for i, s := range series {
		n := len(s.Inputs) / c.Inputs
		switch {
		case n*c.Inputs != len(s.Inputs):
			return 0, fmt.Errorf("transformer: series %d has %d numbers, want vectors of %d", i, len(s.Inputs),
				c.Inputs)
		case n > c.MaxContext:
			return 0, fmt.Errorf("transformer: series %d has %d vectors; the model takes %d", i, n, c.MaxContext)
		case n == 0:
			continue
		}
		b.segments = append(b.segments, segment{row: b.rows(), n: n, parent: -1})
		for j := range n {
			b.out = append(b.out, b.rows()+j)
		}
		b.inputs = append(b.inputs, s.Inputs...)
	}
	return t.learn(grad, add, func() (loss float64) {
		out := b.logits
		for _, s := range series {
			for i := range len(s.Inputs) / c.Inputs {
				loss += s.Loss(i, out[:c.Vocab], scale)
				out = out[c.Vocab:]
			}
		}
		return loss
	})
}

// A Thread is a sequence of vectors that a model has read, kept as keys and values. It is for one goroutine at a time.
type Thread struct{ cache *cache }

// NewThread returns a thread of nothing, of a model that reads vectors.
func (m *Model) NewThread() *Thread { return &Thread{m.newCache(32, m.cfg.MaxContext)} }

// Length is the number of vectors that were read and kept.
func (t *Thread) Length() int { return t.cache.n }

// Fork returns a thread that goes on from here by itself, with room for so many more vectors before it has to grow.
func (t *Thread) Fork(room int) *Thread {
	m := t.cache.m
	f := &Thread{m.newCache(min(t.cache.n+room, m.cfg.MaxContext), m.cfg.MaxContext)}
	for layer := range m.cfg.Layers {
		f.cache.copy(layer, t.cache, t.cache.n)
	}
	f.cache.n = t.cache.n
	return f
}

// readRows bounds the threads that are read for at once.
const readRows = 256

// Read reads a vector for each thread and calls visit, in the order of the threads, with what the head gives after
// it, which is valid during the call. The numbers are the same bits whatever other threads there are. With keep the
// vectors stay in their threads, of which none may stand twice; without, a thread is as it was, and may be asked
// about many vectors at once.
func (m *Model) Read(threads []*Thread, inputs []float32, keep bool, visit func(i int, out []float32)) error {
	n := m.cfg.Inputs
	if n == 0 || len(inputs) != n*len(threads) {
		return fmt.Errorf("transformer: %d numbers for %d threads of a model that reads vectors of %d", len(inputs),
			len(threads), n)
	}
	seen := map[*Thread]bool{}
	for i, t := range threads {
		switch {
		case t.cache.m != m:
			return fmt.Errorf("transformer: thread %d is another model's", i)
		case t.cache.n >= m.cfg.MaxContext:
			return fmt.Errorf("transformer: thread %d has %d vectors, as many as the model takes", i, t.cache.n)
		case keep && seen[t]:
			return fmt.Errorf("transformer: thread %d stands twice", i)
		}
		seen[t] = true
	}
	for from := 0; from < len(threads); from += readRows {
		part := threads[from:min(from+readRows, len(threads))]
		m.read(part, inputs[from*n:(from+len(part))*n], func(i int, out []float32) { visit(from+i, out) })
	}
	if keep {
		for _, t := range threads {
			t.cache.n++
		}
	}
	return nil
}

func (m *Model) read(threads []*Thread, inputs []float32, visit func(i int, out []float32)) {
	b := m.get()
	defer m.put(b)
	b.inputs = append(b.inputs, inputs...)
	for row, t := range threads {
		t.cache.reserve(t.cache.n + 1)
		b.segments = append(b.segments, segment{row: row, n: 1, pos: t.cache.n, parent: -1, cache: t.cache})
		b.out = append(b.out, row)
	}
	b.forward(nil)
	for i, out := range b.heads {
		visit(i, out)
	}
}
