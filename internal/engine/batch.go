package engine

import (
	"fmt"

	"hallmark/internal/engine/kernel"
)

// A segment is a run of consecutive tokens in a batch: a document, a branch of a trie, or the next token of a
// sequence whose past is in a cache. Its rows attend to the segments it descends from, each up to where the next
// branches off, to the past in a cache, and causally to themselves.
type segment struct {
	row, n int    // its rows in the batch
	pos    int    // position of its first token
	parent int    // index of the segment it continues at pos, or -1; parents come first
	cache  *cache // where its past is and its keys and values go, or nil; such a segment has one token and no parent
}

// A batch is the activations of one forward pass. Buffers are kept from pass to pass.
type batch struct {
	m        *Model
	tokens   []int32
	inputs   []float32 // rows × Inputs, in place of tokens, of a model that reads vectors
	segments []segment
	past     *cache // of the segments without parent and cache that do not begin at position 0; only read
	rot      *rotation
	angle    []int // row's position times HeadDim/2
	keep     bool  // keep every layer's activations, for the backward pass
	layers   []activations
	x        []float32 // residual stream, rows × Hidden
	keys     []float32 // one layer's keys by segment and head, transposed: HeadDim × n
	keysAt   []int     // offset of a segment in keys
	scores   []float32 // one block of attention, when probabilities are not kept
	out      []int     // rows whose logits are wanted
	last     []float32 // their residual stream, kept for the backward pass
	lastInv  []float32
	normed   []float32 // its norm: the last hidden state
	runs     []run     // of keys and values that a segment sees
	logits   []float32 // rows × Vocab, of the rows last asked for
}

// activations of one layer, rows by the width noted.
type activations struct {
	in     []float32 // Hidden: the residual stream before the layer
	norm1  []float32 // Hidden
	inv1   []float32 // 1: 1/rms
	raw    []float32 // qkvWidth: before norm and rotation, kept for qwen3's backward pass
	qkInv  []float32 // Heads+KVHeads: 1/rms, for qwen3
	qkv    []float32 // qkvWidth
	probs  []float32 // per segment and head, n × n
	att    []float32 // qWidth
	mid    []float32 // Hidden: the residual stream after attention
	norm2  []float32 // Hidden
	inv2   []float32 // 1
	gateUp []float32 // 2·Inner
	act    []float32 // Inner
}

// grow returns s with length n, its contents undefined.
func grow(s []float32, n int) []float32 {
	if cap(s) < n {
		return make([]float32, n, n+n/4)
	}
	return s[:n]
}

// rows is the number of tokens or vectors.
func (b *batch) rows() int {
	if n := b.m.cfg.Inputs; n > 0 {
		return len(b.inputs) / n
	}
	return len(b.tokens)
}

// entry is the matrix by which vectors enter.
func (m *Model) entry() kernel.Matrix {
	c := m.cfg
	return kernel.RowMajor(m.weights[m.embed:m.embed+c.Inputs*c.Hidden], c.Inputs, c.Hidden, c.Hidden)
}

// blockRows is how many rows of a segment attend at once; later keys are skipped by blocks of this size.
const blockRows = 32

// forward computes the last hidden states of the rows in out. afterKV, if not nil, sees each layer's keys and values
// once the layer has attended, so that it may write where they were read.
func (b *batch) forward(afterKV func(layer int, qkv []float32)) {
	m, c := b.m, b.m.cfg
	rows, half := b.rows(), c.HeadDim/2
	if c.Unordered {
		half = 0
	}
	need, keys := 1, 0
	b.keysAt = b.keysAt[:0]
	for _, s := range b.segments {
		need = max(need, s.pos+s.n)
		b.keysAt = append(b.keysAt, keys)
		if s.cache == nil {
			keys += s.n * c.kvWidth()
		}
	}
	b.keys = grow(b.keys, keys)
	b.rot = m.rotation(need)
	if cap(b.angle) < rows {
		b.angle = make([]int, rows)
	}
	b.angle = b.angle[:rows]
	for _, s := range b.segments {
		for i := range s.n {
			b.angle[s.row+i] = (s.pos + i) * half
		}
	}
	b.x = grow(b.x, rows*c.Hidden)
	if c.Inputs > 0 {
		kernel.Gemm(b.x, c.Hidden, b.inputs, c.Inputs, 1, rows, m.entry(), false)
	}
	for i, t := range b.tokens {
		copy(b.x[i*c.Hidden:(i+1)*c.Hidden], m.weights[m.embed+int(t)*c.Hidden:])
	}
	if kept := len(b.layers); b.keep && kept < c.Layers {
		b.layers = append(b.layers, make([]activations, c.Layers-kept)...)
	} else if kept == 0 {
		b.layers = make([]activations, 1)
	}
	for i := range m.layers {
		a := &b.layers[0]
		if b.keep {
			a = &b.layers[i]
			a.in = grow(a.in, rows*c.Hidden)
			copy(a.in, b.x)
		}
		b.layer(i, a, afterKV)
	}

	n, x := len(b.out), b.x
	if b.keep {
		b.last = grow(b.last, n*c.Hidden)
		x = b.last
		for i, r := range b.out {
			copy(x[i*c.Hidden:(i+1)*c.Hidden], b.x[r*c.Hidden:])
		}
	}
	b.normed, b.lastInv = grow(b.normed, n*c.Hidden), grow(b.lastInv, n)
	kernel.RMSNorm(b.normed, c.Hidden, x, c.Hidden, m.weights[m.norm:][:c.Hidden], n, float32(c.Epsilon), b.lastInv)
}

// head computes the logits of the rows out[from:to] and returns them, rows of the vocabulary's size.
func (b *batch) head(from, to int) []float32 {
	c := b.m.cfg
	b.logits = grow(b.logits, (to-from)*c.Vocab)
	kernel.Gemm(b.logits, c.Vocab, b.normed[from*c.Hidden:], c.Hidden, 1, to-from, b.m.packed.head, false)
	return b.logits
}

// headRows bounds the logits held at once: a vocabulary may be 150,000 tokens, and a prompt long.
const headRows = 64

// heads goes through the rows in out with their logits, which are valid until the next.
func (b *batch) heads(yield func(i int, logits []float32) bool) {
	vocab := b.m.cfg.Vocab
	for from := 0; from < len(b.out); from += headRows {
		to := min(from+headRows, len(b.out))
		logits := b.head(from, to)
		for i := from; i < to; i++ {
			if !yield(i, logits[(i-from)*vocab:][:vocab]) {
				return
			}
		}
	}
}

// layer computes a layer in b.x. Of the last, where nothing is kept, only the rows in out are computed beyond keys
// and values, and are then the first in b.x.
func (b *batch) layer(i int, a *activations, afterKV func(int, []float32)) {
	m, c, l, p := b.m, b.m.cfg, &b.m.layers[i], &b.m.packed.layers[i]
	rows, d, w, eps := b.rows(), c.Hidden, c.qkvWidth(), float32(c.Epsilon)

	a.norm1, a.inv1, a.qkv = grow(a.norm1, rows*d), grow(a.inv1, rows), grow(a.qkv, rows*w)
	kernel.RMSNorm(a.norm1, d, b.x, d, m.weights[l.norm1:][:d], rows, eps, a.inv1)
	kernel.Gemm(a.qkv, w, a.norm1, d, 1, rows, p.qkv, false)
	if c.QKVBias() {
		bias := m.weights[l.bias : l.bias+w]
		for r := range rows {
			kernel.Add(a.qkv[r*w:(r+1)*w], bias)
		}
	}
	if c.QKNorm() {
		a.qkInv = grow(a.qkInv, rows*(c.Heads+c.KVHeads))
		if b.keep {
			a.raw = grow(a.raw, rows*w)
			copy(a.raw, a.qkv)
		}
	}
	for r := range rows {
		cos, sin := b.rot.cos[b.angle[r]:][:c.HeadDim/2], b.rot.sin[b.angle[r]:]
		q, k := a.qkv[r*w:], a.qkv[r*w+c.qWidth():]
		if c.QKNorm() {
			inv := a.qkInv[r*(c.Heads+c.KVHeads):]
			kernel.RMSNorm(q, c.HeadDim, q, c.HeadDim, m.weights[l.qnorm:][:c.HeadDim], c.Heads, eps, inv)
			kernel.RMSNorm(k, c.HeadDim, k, c.HeadDim, m.weights[l.knorm:][:c.HeadDim], c.KVHeads, eps, inv[c.Heads:])
		}
		kernel.Rotate(q, c.HeadDim, c.Heads+c.KVHeads, cos, sin)
	}
	last := i == c.Layers-1 && !b.keep
	b.attention(i, a, last)
	if afterKV != nil {
		afterKV(i, a.qkv)
	}
	if qw := c.qWidth(); last {
		for i, r := range b.out {
			copy(b.x[i*d:(i+1)*d], b.x[r*d:])
			copy(a.att[i*qw:(i+1)*qw], a.att[r*qw:])
		}
		rows = len(b.out)
	}

	// The residual stream is the start of the sums that are added to it.
	if b.keep {
		a.mid = grow(a.mid, rows*d)
	}
	kernel.Gemm(b.x, d, a.att, c.qWidth(), 1, rows, p.out, true)
	if b.keep {
		copy(a.mid, b.x)
	}
	a.norm2, a.inv2 = grow(a.norm2, rows*d), grow(a.inv2, rows)
	a.gateUp, a.act = grow(a.gateUp, rows*2*c.Inner), grow(a.act, rows*c.Inner)
	kernel.RMSNorm(a.norm2, d, b.x, d, m.weights[l.norm2:][:d], rows, eps, a.inv2)
	kernel.Gemm(a.gateUp, 2*c.Inner, a.norm2, d, 1, rows, p.gateUp, false)
	for r := range rows {
		g := a.gateUp[r*2*c.Inner:]
		kernel.SwiGLU(a.act[r*c.Inner:(r+1)*c.Inner], g, g[c.Inner:])
	}
	kernel.Gemm(b.x, d, a.act, c.Inner, 1, rows, p.down, true)
}

// attention fills a.att; of the last layer, where nothing is kept, the rows in out.
func (b *batch) attention(layer int, a *activations, last bool) {
	c := b.m.cfg
	hd, w, group := c.HeadDim, c.qkvWidth(), c.Heads/c.KVHeads
	a.att = grow(a.att, b.rows()*c.qWidth())
	if b.keep {
		n := 0
		for _, s := range b.segments {
			n += s.n * s.n * c.Heads
		}
		a.probs = grow(a.probs, n)
	}
	kept, out := 0, b.out
	for si, s := range b.segments {
		if s.cache != nil {
			s.cache.store(layer, s.pos, a.qkv[s.row*w:], 1)
			b.scores = grow(b.scores, c.Heads*(s.pos+kernel.PanelCols))
			s.cache.attend(a.att[s.row*c.qWidth():], a.qkv[s.row*w:], layer, s.pos+1, b.scores)
			continue
		}
		for kv := range c.KVHeads {
			kernel.Transpose(b.keys[b.keysAt[si]+kv*hd*s.n:], s.n, a.qkv[s.row*w+(c.Heads+kv)*hd:], w, s.n, hd)
		}
		first := 0
		if last {
			for len(out) > 0 && out[0] < s.row {
				out = out[1:]
			}
			if first = s.n; len(out) > 0 {
				first = min(s.n, out[0]-s.row)
			}
		}
		for h := range c.Heads {
			var probs []float32
			if b.keep {
				probs = a.probs[kept : kept+s.n*s.n]
				kept += s.n * s.n
			}
			if h%group == 0 {
				b.runs = b.see(b.runs[:0], layer, a, si, h/group, s.n)
			}
			b.attend(a, s, h, first, probs)
		}
	}
}

// attend computes one query head of a segment from its row first on, over b.runs. probs receives the probabilities,
// n × n, if not nil.
func (b *batch) attend(a *activations, s segment, h, first int, probs []float32) {
	c := b.m.cfg
	hd, w := c.HeadDim, c.qkvWidth()
	scale := c.attentionScale()
	ld := s.pos + s.n
	if probs == nil {
		b.scores = grow(b.scores, blockRows*ld)
	}
	for i := first; i < s.n; i += blockRows {
		rows := min(blockRows, s.n-i)
		block := b.scores
		if probs != nil {
			block = probs[i*ld:]
		}
		q := a.qkv[(s.row+i)*w+h*hd:]
		end := s.pos + i + rows // keys after this one are later than every row of the block
		for _, r := range b.runs {
			kernel.Gemm(block[r.at:], ld, q, w, 1, rows, r.keys.Cut(hd, min(r.n, end-r.at)), false)
		}
		for r := range rows {
			row := block[r*ld : r*ld+end]
			seen := s.pos + i + r + 1
			kernel.Softmax(row[:seen], scale)
			clear(row[seen:])
		}
		if probs != nil {
			for r := range rows {
				clear(block[r*ld+end : (r+1)*ld])
			}
		}
		out := a.att[(s.row+i)*c.qWidth()+h*hd:]
		for _, r := range b.runs {
			kernel.Gemm(out, c.qWidth(), block[r.at:], ld, 1, rows, r.values.Cut(min(r.n, end-r.at), hd), r.at > 0)
		}
	}
}

// A run is the keys and values of one head at n neighbouring positions from at on.
type run struct {
	at, n        int
	keys, values kernel.Matrix
}

// see adds to runs those that the first n rows of a segment see, first to last: of its ancestors, then its own.
func (b *batch) see(runs []run, layer int, a *activations, si, kv, n int) []run {
	c := b.m.cfg
	hd, w, s := c.HeadDim, c.qkvWidth(), b.segments[si]
	switch {
	case s.parent >= 0:
		runs = b.see(runs, layer, a, s.parent, kv, s.pos-b.segments[s.parent].pos)
	case s.pos > 0:
		keys, values := b.past.view(layer, kv, s.pos)
		runs = append(runs, run{0, s.pos, keys, values})
	}
	at := b.keysAt[si] + kv*hd*s.n
	return append(runs, run{s.pos, n, kernel.RowMajor(b.keys[at:], hd, n, s.n),
		kernel.RowMajor(a.qkv[s.row*w+(c.Heads+c.KVHeads+kv)*hd:], n, hd, w)})
}

// check reports the first token outside the vocabulary.
func (m *Model) check(tokens []int32) error {
	if m.cfg.Inputs > 0 {
		return errVectors
	}
	for i, t := range tokens {
		if t < 0 || int(t) >= m.cfg.Vocab {
			return fmt.Errorf("transformer: token %d is %d, outside the vocabulary of %d", i, t, m.cfg.Vocab)
		}
	}
	return nil
}

// get returns a batch from the pool, put returns it there.
func (m *Model) get() *batch {
	b := m.scratch.Get().(*batch)
	b.m, b.keep, b.past = m, false, nil
	b.reset()
	return b
}

// reset empties the batch.
func (b *batch) reset() {
	b.tokens, b.inputs, b.segments, b.out = b.tokens[:0], b.inputs[:0], b.segments[:0], b.out[:0]
}

func (m *Model) put(b *batch) { m.scratch.Put(b) }
