package engine

import (
	"math"
	"math/rand/v2"
	"testing"
)

// shapes are small models of every kind: bias, q/k norm, grouped and plain heads, tied and untied, odd widths.
func shapes() map[string]Config {
	base := Config{ModelType: "llama", Vocab: 19, Hidden: 12, Inner: 20, Layers: 2, Heads: 4, KVHeads: 2, HeadDim: 6,
		MaxContext: 80, Epsilon: 1e-5, Theta: 100}
	qwen2, qwen3, wide := base, base, base
	qwen2.ModelType, qwen2.Tied, qwen2.KVHeads = "qwen2", true, 4
	qwen3.ModelType, qwen3.KVHeads, qwen3.HeadDim = "qwen3", 1, 4
	wide.Hidden, wide.Inner, wide.Heads, wide.KVHeads, wide.HeadDim, wide.Vocab = 40, 72, 5, 5, 8, 70
	return map[string]Config{"llama": base, "qwen2": qwen2, "qwen3": qwen3, "wide": wide}
}

// randomised returns a model whose norms and biases are off their initial values too.
func randomised(t testing.TB, c Config) *Model {
	t.Helper()
	m, err := New(c, 3)
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(9, 9))
	for i := range m.weights {
		m.weights[i] += 0.2 * float32(r.NormFloat64())
	}
	m.Changed(1)
	return m
}

func randomTokens(r *rand.Rand, vocab, n int) []int32 {
	s := make([]int32, n)
	for i := range s {
		s[i] = r.Int32N(int32(vocab))
	}
	return s
}

// lossFunc is a way to compute a gradient, as Tape's methods do.
type lossFunc func(tape *Tape, grad []float32, add bool, docs []Document) (float64, error)

// TestGradient holds every element of every parameter's gradient, on packed documents of which one spans several
// attention blocks, to central differences of the loss.
func TestGradient(t *testing.T) {
	for name, c := range shapes() {
		t.Run(name, func(t *testing.T) {
			holdGradient(t, c, func(tape *Tape, grad []float32, add bool, docs []Document) (float64, error) {
				return tape.Gradient(grad, add, docs, 1)
			})
		})
	}
}

// TestDistill holds the gradient of distillation in the same way, from a teacher of another shape.
func TestDistill(t *testing.T) {
	for name, c := range shapes() {
		larger := c
		larger.Layers, larger.Inner, larger.MaxContext = 3, 2*c.Inner, 2*c.MaxContext
		teacher := randomised(t, larger)
		t.Run(name, func(t *testing.T) {
			holdGradient(t, c, func(tape *Tape, grad []float32, add bool, docs []Document) (float64, error) {
				return tape.Distill(grad, add, docs, teacher, 2, 1)
			})
		})
	}
}

// A model learns nothing from itself, and from a teacher what differs: the loss is T² KL by the plain formula.
func TestDistillLoss(t *testing.T) {
	c := shapes()["llama"]
	m, teacher := randomised(t, c), randomised(t, shapes()["llama"])
	grad := make([]float32, m.NumParams())
	d := []Document{{Tokens: []int32{1, 5, 3, 2}, Weights: []float32{1, 1, 0, .5}}}
	tape := NewTape(m)
	same, err := tape.Distill(grad, false, d, teacher, 2, 1)
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(same) > 1e-4 {
		t.Errorf("a model differs from itself by %g", same)
	}
	for i, g := range grad {
		if math.Abs(float64(g)) > 1e-5 {
			t.Fatalf("element %d of the gradient is %g, want 0", i, g)
		}
	}
	for i := range teacher.weights {
		teacher.weights[i] *= 1.3
	}
	teacher.Changed(1)
	const temperature = 1.7
	got, err := tape.Distill(grad, false, d, teacher, temperature, 1)
	if err != nil {
		t.Fatal(err)
	}
	soft := func(m *Model) [][]float64 {
		logits, err := m.Logits(d[0].Tokens)
		if err != nil {
			t.Fatal(err)
		}
		var all [][]float64
		for _, row := range logits {
			var p []float64
			var sum float64
			for _, z := range row {
				p = append(p, math.Exp(float64(z)/temperature))
				sum += p[len(p)-1]
			}
			for i := range p {
				p[i] /= sum
			}
			all = append(all, p)
		}
		return all
	}
	p, q := soft(m), soft(teacher)
	var want float64
	for i, w := range d[0].Weights[1:] {
		for j := range q[i] {
			want += float64(w) * temperature * temperature * q[i][j] * math.Log(q[i][j]/p[i][j])
		}
	}
	if math.Abs(got-want) > 1e-4*want {
		t.Errorf("the loss is %g, want %g", got, want)
	}
	other := c
	other.Vocab++
	if _, err := tape.Distill(grad, false, d, randomised(t, other), 1, 1); err == nil {
		t.Error("no error for a teacher of other tokens")
	}
	if _, err := tape.Distill(grad, false, d, teacher, 0, 1); err == nil {
		t.Error("no error for a temperature of 0")
	}
}

// holdGradient compares a gradient with central differences.
func holdGradient(t *testing.T, c Config, run lossFunc) {
	t.Helper()
	m := randomised(t, c)
	r := rand.New(rand.NewPCG(1, 1))
	var docs []Document
	for _, n := range []int{5, 1, 38} {
		d := Document{Tokens: randomTokens(r, c.Vocab, n)}
		for i := range n {
			d.Weights = append(d.Weights, float32(i%3)/2)
		}
		docs = append(docs, d)
	}
	tape := NewTape(m)
	grad := make([]float32, m.NumParams())
	if _, err := run(tape, grad, false, docs[:1]); err != nil {
		t.Fatal(err)
	}
	if _, err := run(tape, grad, true, docs[1:]); err != nil {
		t.Fatal(err)
	}
	loss := func() float64 {
		m.Changed(1)
		l, err := run(tape, make([]float32, len(grad)), false, docs)
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	for _, p := range m.Params() {
		// The direction of the gradient itself, and a few single elements.
		g := grad[p.Offset : p.Offset+len(p.Data)]
		var norm float64
		for _, x := range g {
			norm += float64(x) * float64(x)
		}
		norm = math.Sqrt(norm)
		old := append([]float32(nil), p.Data...)
		slope := func(direction func(i int) float64) float64 {
			const h = 4e-3
			var at [2]float64
			for s, sign := range []float64{-h, h} {
				for i := range p.Data {
					p.Data[i] = old[i] + float32(sign*direction(i))
				}
				at[s] = loss()
			}
			copy(p.Data, old)
			return (at[1] - at[0]) / (2 * h)
		}
		if got := slope(func(i int) float64 {
			return float64(g[i]) / norm
		}); norm > 0 && math.Abs(got-norm) > 1e-2*norm+2e-3 {
			t.Errorf("%s: along the gradient the loss rises by %g, want %g", p.Name, got, norm)
		} else if norm == 0 && p.Name != "lm_head.weight" {
			t.Errorf("%s: gradient is zero", p.Name)
		}
		for range 6 {
			e := r.IntN(len(g))
			got := slope(func(i int) float64 {
				if i == e {
					return 1
				}
				return 0
			})
			if math.Abs(got-float64(g[e])) > 1e-2*norm+2e-3 {
				t.Errorf("%s[%d]: gradient %g, by differences %g", p.Name, e, g[e], got)
			}
		}
	}
}
