package engine

import (
	"fmt"

	"hallmark/internal/engine/kernel"
)

// A Document is a token sequence to learn from. Weights[i] is the weight of the loss of predicting Tokens[i] from the
// tokens before it; that of the first token counts for nothing, as nothing comes before it.
type Document struct {
	Tokens  []int32
	Weights []float32
}

// A Tape computes gradients of one model. It keeps its buffers between calls and serves one goroutine at a time.
type Tape struct {
	b       batch
	want    []target
	back    backward
	teacher batch     // of the model that Distill learns from
	soft    []float32 // what it says of one token
}

type target struct {
	token  int32
	weight float32
}

// backward holds the gradients at the activations.
type backward struct {
	x      []float32 // Hidden
	normed []float32 // Hidden
	inner  []float32 // Inner
	qkv    []float32 // qkvWidth
	att    []float32 // qWidth
	values []float32 // one head's values, transposed: HeadDim × n
	scores []float32 // one head's probabilities: n × n
	head   []float32 // HeadDim
}

// NewTape returns a Tape for m.
func NewTape(m *Model) *Tape { return &Tape{b: batch{m: m, keep: true}} }

// Gradient runs the documents forward and backward and returns the weighted sum of the tokens' losses in nats,
// Σ weight · −ln p(token | before). It stores scale times that sum's gradient in grad, which is laid out as
// Model.Weights, or adds it if add. The documents cannot see each other. Their activations are all in memory at once.
func (t *Tape) Gradient(grad []float32, add bool, docs []Document, scale float32) (loss float64, err error) {
	return t.gradient(grad, add, docs, func() float64 { return t.crossEntropy(scale) })
}

// Distill is Gradient with the loss of distillation in place of the tokens' own: Σ weight · T² KL(q ‖ p), where q
// and p are what the teacher and the tape's model say of the next token, with logits divided by the temperature T >
// 0 (Hinton, Vinyals and Dean, arXiv:1503.02531). The teacher has the model's vocabulary and a context that holds
// the documents.
func (t *Tape) Distill(grad []float32, add bool, docs []Document, teacher *Model, temperature,
	scale float32) (loss float64, err error) {
	if c := t.b.m.cfg; teacher.cfg.Vocab != c.Vocab || teacher.cfg.MaxContext < c.MaxContext {
		return 0, fmt.Errorf("transformer: the teacher has %d tokens and a context of %d, the model %d and %d; "+
			"want the same tokens and no shorter a context",
			teacher.cfg.Vocab, teacher.cfg.MaxContext, c.Vocab, c.MaxContext)
	}
	if !(temperature > 0) {
		return 0, fmt.Errorf("transformer: temperature %g, want more than 0", temperature)
	}
	return t.gradient(grad, add, docs, func() float64 { return t.divergence(teacher, temperature, scale) })
}

// gradient takes in the documents and learns from them.
func (t *Tape) gradient(grad []float32, add bool, docs []Document, loss func() float64) (float64, error) {
	b := &t.b
	m := b.m
	b.reset()
	t.want = t.want[:0]
	for i, d := range docs {
		switch {
		case len(d.Weights) != len(d.Tokens):
			return 0, fmt.Errorf("transformer: document %d has %d tokens and %d weights", i, len(d.Tokens),
				len(d.Weights))
		case len(d.Tokens) > m.cfg.MaxContext:
			return 0, fmt.Errorf("transformer: document %d has %d tokens; the model takes %d", i, len(d.Tokens),
				m.cfg.MaxContext)
		}
		if err := m.check(d.Tokens); err != nil {
			return 0, fmt.Errorf("document %d: %w", i, err)
		}
		if len(d.Tokens) == 0 {
			continue
		}
		b.segments = append(b.segments, segment{row: len(b.tokens), n: len(d.Tokens), parent: -1})
		for j, w := range d.Weights[1:] {
			if w != 0 {
				b.out = append(b.out, len(b.tokens)+j)
				t.want = append(t.want, target{d.Tokens[j+1], w})
			}
		}
		b.tokens = append(b.tokens, d.Tokens...)
	}
	return t.learn(grad, add, loss)
}

// learn runs the batch forward, calls loss, which turns the logits into their gradients, and runs it backward.
func (t *Tape) learn(grad []float32, add bool, loss func() float64) (sum float64, err error) {
	m, some := t.b.m, t.b.rows() > 0
	if len(grad) != len(m.weights) {
		return 0, fmt.Errorf("transformer: gradient of %d elements for %d parameters", len(grad), len(m.weights))
	}
	for _, p := range m.tensors { // the backward pass adds to these parts
		if !add && (len(p.Shape) == 1 || p.Offset == m.embed || !some) {
			clear(grad[p.Offset : p.Offset+len(p.Data)])
		}
	}
	if some {
		t.b.forward(nil)
		t.b.head(0, len(t.b.out))
		sum = loss()
		t.backward(grad, add)
	}
	return sum, nil
}

// crossEntropy turns the logits into their gradients and returns the loss.
func (t *Tape) crossEntropy(scale float32) float64 {
	v := t.b.m.cfg.Vocab
	var loss float64
	for i, want := range t.want {
		row := t.b.logits[i*v : (i+1)*v]
		top, at := kernel.Max(row), row[want.token]
		sum := kernel.ExpSum(row, row, 1, top)
		loss += float64(float64(want.weight) * (kernel.Log(float64(sum)) + float64(top) - float64(at)))
		f := want.weight * scale
		kernel.Scale(row, f/sum)
		row[want.token] -= f
	}
	return loss
}

// divergence turns the logits into the gradients of T² KL(teacher ‖ model), which are T (p − q), and returns the loss.
func (t *Tape) divergence(teacher *Model, temperature, scale float32) float64 {
	b, from := &t.b, &t.teacher
	from.m, from.tokens, from.segments, from.out = teacher, b.tokens, b.segments, b.out
	from.forward(nil)
	from.head(0, len(b.out))
	v, cold := b.m.cfg.Vocab, 1/temperature
	t.soft = grow(t.soft, v)
	var loss float64
	for i, want := range t.want {
		p, z := b.logits[i*v:(i+1)*v], from.logits[i*v:(i+1)*v]
		topP, topQ := float32(kernel.Max(p)*cold), float32(kernel.Max(z)*cold)
		sumQ := kernel.ExpSum(t.soft, z, cold, topQ)
		gap := float64(kernel.Dot(t.soft, z)) - float64(kernel.Dot(t.soft, p))
		sumP := kernel.ExpSum(p, p, cold, topP)
		kl := float64(gap*float64(cold))/float64(sumQ) - (kernel.Log(float64(sumQ)) + float64(topQ)) +
			(kernel.Log(float64(sumP)) + float64(topP))
		loss += float64(float64(want.weight*temperature*temperature) * kl)
		f := want.weight * scale * temperature
		kernel.Scale(p, f/sumP)
		kernel.Scale(t.soft, -f/sumQ)
		kernel.Add(p, t.soft)
	}
	return loss
}

func (t *Tape) backward(grad []float32, add bool) {
	b, g := &t.b, &t.back
	m, c := b.m, b.m.cfg
	rows, d := b.rows(), c.Hidden
	weights := func(at, outputs, inputs int) kernel.Matrix {
		return kernel.RowMajor(m.weights[at:at+outputs*inputs], outputs, inputs, inputs)
	}
	// linear propagates dy, rows × outputs, through a matrix of weights: dx = dy·W and dW (+)= dyᵀ·x.
	linear := func(dx, dy, x []float32, rows, at, outputs, inputs int, add bool) {
		kernel.Gemm(dx, inputs, dy, outputs, 1, rows, weights(at, outputs, inputs), false)
		kernel.Gemm(grad[at:at+outputs*inputs], inputs, dy, 1, outputs, outputs,
			kernel.RowMajor(x, rows, inputs, inputs), add)
	}
	g.x, g.normed = grow(g.x, rows*d), grow(g.normed, max(rows, len(b.out))*d)
	g.inner, g.qkv, g.att = grow(g.inner, rows*c.Inner), grow(g.qkv, rows*c.qkvWidth()), grow(g.att, rows*c.qWidth())

	clear(g.x)
	// With a tied head, grad of the embedding was cleared above unless add, so adding is right either way.
	linear(g.normed, b.logits, b.normed, len(b.out), m.head, c.Vocab, d, add || c.Tied)
	for i, r := range b.out {
		kernel.RMSNormBack(g.x[r*d:], grad[m.norm:], g.normed[i*d:(i+1)*d], b.last[i*d:(i+1)*d], m.weights[m.norm:],
			b.lastInv[i])
	}
	for i := c.Layers - 1; i >= 0; i-- {
		l, a := &m.layers[i], &b.layers[i]
		linear(g.inner, g.x, a.act, rows, l.down, d, c.Inner, add)
		for r := range rows {
			gu := a.gateUp[r*2*c.Inner:]
			kernel.SwiGLUBack(gu[:c.Inner], gu[c.Inner:], g.inner[r*c.Inner:])
		}
		linear(g.normed, a.gateUp, a.norm2, rows, l.gateUp, 2*c.Inner, d, add)
		for r := range rows {
			kernel.RMSNormBack(g.x[r*d:], grad[l.norm2:], g.normed[r*d:(r+1)*d], a.mid[r*d:(r+1)*d],
				m.weights[l.norm2:], a.inv2[r])
		}
		linear(g.att, g.x, a.att, rows, l.out, d, c.qWidth(), add)
		t.attentionBack(grad, l, a)
		linear(g.normed, g.qkv, a.norm1, rows, l.qkv, c.qkvWidth(), d, add)
		for r := range rows {
			kernel.RMSNormBack(g.x[r*d:], grad[l.norm1:], g.normed[r*d:(r+1)*d], a.in[r*d:(r+1)*d],
				m.weights[l.norm1:], a.inv1[r])
		}
	}
	if n := c.Inputs; n > 0 {
		kernel.Gemm(grad[m.embed:m.embed+n*d], d, b.inputs, 1, n, n, kernel.RowMajor(g.x, rows, d, d), add)
	}
	for r, token := range b.tokens {
		kernel.Add(grad[m.embed+int(token)*d:][:d], g.x[r*d:(r+1)*d])
	}
}

// attentionBack turns g.att into g.qkv, the gradient at the products with the weights, and adds up the gradients of
// the biases and norms.
func (t *Tape) attentionBack(grad []float32, l *layer, a *activations) {
	b, g := &t.b, &t.back
	m, c := b.m, b.m.cfg
	hd, w, qw, group := c.HeadDim, c.qkvWidth(), c.qWidth(), c.Heads/c.KVHeads
	scale := c.attentionScale()
	at := 0
	for _, s := range b.segments {
		n := s.n
		g.values, g.scores = grow(g.values, hd*n), grow(g.scores, n*n)
		for h := range c.Heads {
			kv := h / group
			first := h%group == 0
			q, key, value := s.row*w+h*hd, s.row*w+(c.Heads+kv)*hd, s.row*w+(c.Heads+c.KVHeads+kv)*hd
			if first {
				kernel.Transpose(g.values, n, a.qkv[value:], w, n, hd)
			}
			probs, datt := a.probs[at:at+n*n], g.att[s.row*qw+h*hd:]
			at += n * n
			for i := 0; i < n; i += blockRows {
				end := min(n, i+blockRows)
				ds := g.scores[i*n:]
				kernel.Gemm(ds, n, datt[i*qw:], qw, 1, end-i, kernel.RowMajor(g.values, hd, end, n), false)
				for r := i; r < end; r++ {
					row := g.scores[r*n : r*n+end]
					kernel.SoftmaxBack(row[:r+1], probs[r*n:r*n+r+1], scale)
					clear(row[r+1:])
				}
				kernel.Gemm(g.qkv[q+i*w:], w, ds, n, 1, end-i, kernel.RowMajor(a.qkv[key:], end, hd, w), false)
			}
			for j := 0; j < n; j += blockRows { // keys j … are seen by rows j … only
				end := min(n, j+blockRows)
				kernel.Gemm(g.qkv[value+j*w:], w, probs[j*n+j:], 1, n, end-j,
					kernel.RowMajor(datt[j*qw:], n-j, hd, qw), !first)
				kernel.Gemm(g.qkv[key+j*w:], w, g.scores[j*n+j:], 1, n, end-j,
					kernel.RowMajor(a.qkv[q+j*w:], n-j, hd, w), !first)
			}
		}
	}
	for r := range b.rows() {
		cos, sin := b.rot.cos[b.angle[r]:][:hd/2], b.rot.sin[b.angle[r]:]
		kernel.RotateBack(g.qkv[r*w:], hd, c.Heads+c.KVHeads, cos, sin)
		if c.QKNorm() {
			for h := range c.Heads + c.KVHeads {
				x := g.qkv[r*w+h*hd:][:hd]
				g.head = grow(g.head, hd)
				clear(g.head)
				at := l.knorm
				if h < c.Heads {
					at = l.qnorm
				}
				kernel.RMSNormBack(g.head, grad[at:], x, a.raw[r*w+h*hd:][:hd], m.weights[at:],
					a.qkInv[r*(c.Heads+c.KVHeads)+h])
				copy(x, g.head)
			}
		}
		if c.QKVBias() {
			kernel.Add(grad[l.bias:l.bias+w], g.qkv[r*w:(r+1)*w])
		}
	}
}
