package transformer

import (
	"math"
	"math/rand/v2"
	"testing"
)

// shapes are small models of every kind: bias, q/k norm, grouped and plain heads, tied and untied, odd widths.
func shapes() map[string]Config {
	base := Config{ModelType: "llama", Vocab: 19, Hidden: 12, Inner: 20, Layers: 2, Heads: 4, KVHeads: 2, HeadDim: 6, MaxContext: 80, Epsilon: 1e-5, Theta: 100}
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

// TestGradient holds every element of every parameter's gradient, on packed documents of which one spans several
// attention blocks, to central differences of the loss.
func TestGradient(t *testing.T) {
	for name, c := range shapes() {
		t.Run(name, func(t *testing.T) {
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
			if _, err := tape.Gradient(grad, false, docs[:1], 1); err != nil {
				t.Fatal(err)
			}
			if _, err := tape.Gradient(grad, true, docs[1:], 1); err != nil {
				t.Fatal(err)
			}
			loss := func() float64 {
				m.Changed(1)
				l, err := tape.Gradient(make([]float32, len(grad)), false, docs, 1)
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
				if got := slope(func(i int) float64 { return float64(g[i]) / norm }); norm > 0 && math.Abs(got-norm) > 1e-2*norm+2e-3 {
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
		})
	}
}
