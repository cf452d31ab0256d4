// Package engine is the in-process language model: a decoder-only transformer of the Llama, Qwen2 and Qwen3
// family in float32, with scoring, generation and gradients.
//
// A token's logits are the same bits whatever else is in its batch, whichever path of package kernel computes them,
// and on every machine. So scoring over a shared prefix, batched generation and training on packed documents are
// not approximations of the model run on one prompt: they are that run.
package engine

import (
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"

	"hallmark/internal/base/parallel"
	"hallmark/internal/engine/kernel"
)

// A Model is the weights of a transformer and what is derived from them. Its methods are safe for concurrent use,
// except that nothing may run while the weights are being changed (by package train, or through Params and Changed).
type Model struct {
	cfg     Config
	weights []float32 // all parameters; q, k, v and gate, up lie side by side, to be multiplied as one
	tensors []Tensor
	layers  []layer
	embed   int // offset in weights of the embedding
	norm    int // of the last norm
	head    int // of the head; equals embed if tied
	packed  packed
	rotated atomic.Pointer[rotation]
	scratch sync.Pool // of *batch
	pasts   pasts
}

// layer holds the offsets of a layer's parameters in weights.
type layer struct{ norm1, qkv, bias, qnorm, knorm, out, norm2, gateUp, down int }

// packed holds the weights transposed for the products of the forward pass.
type packed struct {
	data   []float32
	layers []struct{ qkv, out, gateUp, down kernel.Matrix }
	head   kernel.Matrix
}

// A Tensor is one named parameter, row-major. Data views the model's weights.
type Tensor struct {
	Name   string // as Hugging Face names it, such as model.layers.0.self_attn.q_proj.weight
	Shape  []int  // outputs by inputs, for a matrix
	Data   []float32
	Offset int // of Data in Model.Weights
}

// New returns a model with random weights drawn from seed: each matrix normal with variance 1/inputs (the two that
// write to the residual stream divided by 2·layers), embeddings of tokens and the head with deviation 0.02, norms
// 1, biases 0.
func New(cfg Config, seed uint64) (*Model, error) {
	m, err := Empty(cfg)
	if err != nil {
		return nil, err
	}
	r := rand.New(rand.NewPCG(seed, 0x7472616e73666d72))
	for _, t := range m.tensors {
		if len(t.Shape) == 1 {
			continue
		}
		std := 1 / math.Sqrt(float64(t.Shape[1]))
		switch off := t.Offset; {
		case off == m.embed && cfg.Inputs > 0:
			std = 1 / math.Sqrt(float64(cfg.Inputs))
		case off == m.embed || off == m.head:
			std = 0.02
		default:
			for _, l := range m.layers {
				if off == l.out || off == l.down {
					std /= math.Sqrt(2 * float64(cfg.Layers))
				}
			}
		}
		for i := range t.Data {
			// Box and Muller's normal draw; rand's own calls functions whose bits differ between machines.
			radius := math.Sqrt(float64(-2 * kernel.Log(1-r.Float64())))
			_, c := kernel.SinCos(float64(2 * math.Pi * r.Float64()))
			t.Data[i] = float32(float64(radius*c) * std)
		}
	}
	m.Changed(1)
	return m, nil
}

// Empty returns a model with norms of 1 and all else 0, to be filled through Params; call Changed afterwards.
func Empty(cfg Config) (*Model, error) {
	if err := cfg.Validate(); err != nil {
		return nil, fmt.Errorf("transformer: %w", err)
	}
	m, end := laidOut(cfg)
	m.weights = make([]float32, end)
	for i := len(m.tensors) - 1; i >= 0; i-- {
		t := &m.tensors[i]
		t.Data = m.weights[t.Offset:end:end]
		end = t.Offset
		if strings.HasSuffix(t.Name, "norm.weight") {
			for j := range t.Data {
				t.Data[j] = 1
			}
		}
	}
	m.scratch.New = func() any { return new(batch) }
	return m, nil
}

// Tensors lists the parameters of a model of the shape in the order they lie, without their data.
func (c Config) Tensors() []Tensor {
	m, _ := laidOut(c)
	return m.tensors
}

// laidOut is a model that knows where its parameters are to lie, and their number.
func laidOut(cfg Config) (m *Model, total int) {
	m = &Model{cfg: cfg, layers: make([]layer, cfg.Layers)}
	add := func(at *int, name string, shape ...int) {
		if at != nil {
			*at = total
		}
		m.tensors = append(m.tensors, Tensor{Name: name, Shape: shape, Offset: total})
		n := 1
		for _, d := range shape {
			n *= d
		}
		total += n
	}
	add(&m.embed, "model.embed_tokens.weight", cfg.entries(), cfg.Hidden)
	for i := range m.layers {
		l, p := &m.layers[i], fmt.Sprintf("model.layers.%d.", i)
		add(&l.norm1, p+"input_layernorm.weight", cfg.Hidden)
		add(&l.qkv, p+"self_attn.q_proj.weight", cfg.qWidth(), cfg.Hidden)
		add(nil, p+"self_attn.k_proj.weight", cfg.kvWidth(), cfg.Hidden)
		add(nil, p+"self_attn.v_proj.weight", cfg.kvWidth(), cfg.Hidden)
		if cfg.QKVBias() {
			add(&l.bias, p+"self_attn.q_proj.bias", cfg.qWidth())
			add(nil, p+"self_attn.k_proj.bias", cfg.kvWidth())
			add(nil, p+"self_attn.v_proj.bias", cfg.kvWidth())
		}
		if cfg.QKNorm() {
			add(&l.qnorm, p+"self_attn.q_norm.weight", cfg.HeadDim)
			add(&l.knorm, p+"self_attn.k_norm.weight", cfg.HeadDim)
		}
		add(&l.out, p+"self_attn.o_proj.weight", cfg.Hidden, cfg.qWidth())
		add(&l.norm2, p+"post_attention_layernorm.weight", cfg.Hidden)
		add(&l.gateUp, p+"mlp.gate_proj.weight", cfg.Inner, cfg.Hidden)
		add(nil, p+"mlp.up_proj.weight", cfg.Inner, cfg.Hidden)
		add(&l.down, p+"mlp.down_proj.weight", cfg.Hidden, cfg.Inner)
	}
	add(&m.norm, "model.norm.weight", cfg.Hidden)
	if m.head = m.embed; !cfg.Tied {
		add(&m.head, "lm_head.weight", cfg.Vocab, cfg.Hidden)
	}
	return m, total
}

// A rotation table holds the cosines and sines of the rotary angles, rows of HeadDim/2, one per position.
type rotation struct{ cos, sin []float32 }

// rotation returns a table of at least n positions. It grows by doubling: a configuration may allow far more
// positions than are ever used. Angles are rounded where Hugging Face rounds them.
func (m *Model) rotation(n int) *rotation {
	half := m.cfg.HeadDim / 2
	if r := m.rotated.Load(); r != nil && len(r.cos) >= n*half {
		return r
	}
	n = min(max(64, 1<<bits.Len(uint(n-1))), max(n, m.cfg.MaxContext))
	inv, scale := m.cfg.frequencies()
	r := &rotation{make([]float32, n*half), make([]float32, n*half)}
	for p := range n {
		for i, f := range inv {
			s, c := kernel.SinCos(float64(float32(float32(p) * f)))
			r.cos[p*half+i], r.sin[p*half+i] = float32(float32(c)*scale), float32(float32(s)*scale)
		}
	}
	m.rotated.Store(r) // a race with another goroutine wastes a table, no more
	return r
}

// Config returns the model's shape.
func (m *Model) Config() Config { return m.cfg }

// NumParams returns the number of parameters.
func (m *Model) NumParams() int { return len(m.weights) }

// Params lists the parameters in the order they lie in Weights. After writing to their Data, call Changed.
func (m *Model) Params() []Tensor { return m.tensors }

// Weights returns all parameters as one slice, which the model uses. After writing to it, call Changed.
func (m *Model) Weights() []float32 { return m.weights }

// Changed brings what is derived from the weights up to date, on the given number of goroutines.
func (m *Model) Changed(workers int) {
	c := m.cfg
	m.pasts.forget()
	var jobs []func()
	size := 0
	add := func(to *kernel.Matrix, from, n, k int) {
		at, end := size, size+kernel.PackedLen(n, k)
		size = end
		jobs = append(jobs, func() {
			*to = kernel.PackTransposed(m.packed.data[at:end], m.weights[from:][:n*k], n, k)
		})
	}
	if m.packed.layers == nil {
		m.packed.layers = make([]struct{ qkv, out, gateUp, down kernel.Matrix }, c.Layers)
	}
	for i, l := range m.layers {
		p := &m.packed.layers[i]
		add(&p.qkv, l.qkv, c.qkvWidth(), c.Hidden)
		add(&p.out, l.out, c.Hidden, c.qWidth())
		add(&p.gateUp, l.gateUp, 2*c.Inner, c.Hidden)
		add(&p.down, l.down, c.Hidden, c.Inner)
	}
	add(&m.packed.head, m.head, c.Vocab, c.Hidden)
	if m.packed.data == nil {
		m.packed.data = make([]float32, size)
	}
	parallel.Do(workers, len(jobs), func(i int) { jobs[i]() })
}
