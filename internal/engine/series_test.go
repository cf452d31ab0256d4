package engine

import (
	"math"
	"math/rand/v2"
	"testing"
)

// vectors are shapes that read vectors: with and without places, and with grouped heads.
func vectors() map[string]Config {
	base := Config{
		ModelType: "llama", Vocab: 11, Hidden: 12, Inner: 20, Layers: 2, Heads: 4, KVHeads: 2, HeadDim: 6, MaxContext: 80,
		Epsilon: 1e-5, Theta: 100,
		Inputs: 3,
	}
	unordered := base
	unordered.Unordered, unordered.KVHeads, unordered.ModelType = true, 4, "qwen3"
	return map[string]Config{"ordered": base, "unordered": unordered}
}

// square is half the squared distance of what the head gives from a target, a loss of real numbers.
func square(target []float32) func(int, []float32, float32) float64 {
	return func(i int, out []float32, scale float32) float64 {
		var sum float64
		for j := range out {
			d := out[j] - target[(i+j)%len(target)]
			sum += float64(d) * float64(d) / 2
			out[j] = scale * d
		}
		return sum
	}
}

func randomSeries(r *rand.Rand, c Config, n int) Series {
	s := Series{Inputs: make([]float32, n*c.Inputs)}
	for i := range s.Inputs {
		s.Inputs[i] = float32(r.NormFloat64())
	}
	target := make([]float32, 7)
	for i := range target {
		target[i] = float32(r.NormFloat64())
	}
	s.Loss = square(target)
	return s
}

// TestGradientOfSeries holds the gradient of every parameter to central differences of the loss, over several series.
func TestGradientOfSeries(t *testing.T) {
	for name, c := range vectors() {
		t.Run(name, func(t *testing.T) {
			m := randomised(t, c)
			r := rand.New(rand.NewPCG(2, 2))
			series := []Series{randomSeries(r, c, 5), randomSeries(r, c, 1), randomSeries(r, c, 37)}
			tape, grad := NewTape(m), make([]float32, m.NumParams())
			if _, err := tape.GradientOf(grad, false, series[:1], .5); err != nil {
				t.Fatal(err)
			}
			if _, err := tape.GradientOf(grad, true, series[1:], .5); err != nil {
				t.Fatal(err)
			}
			scratch := make([]float32, len(grad))
			loss := func() float64 {
				m.Changed(1)
				l, err := tape.GradientOf(scratch, false, series, .5)
				if err != nil {
					t.Fatal(err)
				}
				return l / 2
			}
			for _, p := range m.Params() {
				g := grad[p.Offset : p.Offset+len(p.Data)]
				var norm float64
				for _, x := range g {
					norm += float64(x) * float64(x)
				}
				if norm = math.Sqrt(norm); norm == 0 {
					t.Errorf("%s: gradient is zero", p.Name)
					continue
				}
				old := append([]float32(nil), p.Data...)
				const h = 4e-3
				var at [2]float64
				for s, sign := range []float64{-h, h} {
					for i := range p.Data {
						p.Data[i] = old[i] + float32(sign*float64(g[i])/norm)
					}
					at[s] = loss()
				}
				copy(p.Data, old)
				if got := (at[1] - at[0]) / (2 * h); math.Abs(got-norm) > 1e-2*norm+5e-3 {
					t.Errorf("%s: along the gradient the loss rises by %g, want %g", p.Name, got, norm)
				}
			}
		})
	}
}

// A thread that is read vector by vector, forked, asked without keeping, and beside others, gives the bits of the whole
// series at once.
func TestThreadsAreTheSeries(t *testing.T) {
	for name, c := range vectors() {
		t.Run(name, func(t *testing.T) {
			m := randomised(t, c)
			r := rand.New(rand.NewPCG(3, 3))
			s := randomSeries(r, c, 70)
			want := make([][]float32, 70)
			whole := Series{Inputs: s.Inputs, Loss: func(i int, out []float32, _ float32) float64 {
				want[i] = append([]float32(nil), out...)
				return 0
			}}
			if _, err := NewTape(m).GradientOf(make([]float32, m.NumParams()), false, []Series{whole}, 1); err != nil {
				t.Fatal(err)
			}
			other := randomSeries(r, c, 70)
			same := func(at int, out []float32) {
				t.Helper()
				for j := range out {
					if math.Float32bits(out[j]) != math.Float32bits(want[at][j]) {
						t.Fatalf("after vector %d the head gives %g, want %g", at, out[j], want[at][j])
					}
				}
			}
			main, beside := m.NewThread(), m.NewThread()
			for i := range want {
				vector := s.Inputs[i*c.Inputs : (i+1)*c.Inputs]
				noise := other.Inputs[i*c.Inputs : (i+1)*c.Inputs]
				ask := append(append(append([]float32(nil), noise...), vector...), vector...)
				fork := main.Fork(3)
				if err := m.Read([]*Thread{main, main, fork}, ask, false, func(k int, out []float32) {
					if k > 0 {
						same(i, out)
					}
				}); err != nil {
					t.Fatal(err)
				}
				if err := m.Read([]*Thread{beside, main}, append(append([]float32(nil), noise...), vector...), true,
					func(k int, out []float32) {
						if k == 1 {
							same(i, out)
						}
					}); err != nil {
					t.Fatal(err)
				}
				if i%9 == 8 {
					main = main.Fork(1)
				}
			}
			if main.Length() != 70 {
				t.Errorf("%d vectors were kept, want 70", main.Length())
			}
		})
	}
}

// Without places the order of the past moves nothing but rounding.
func TestUnordered(t *testing.T) {
	c := vectors()["unordered"]
	c.Layers = 1 // from the second layer on, what is read early has not seen what comes later
	m := randomised(t, c)
	r := rand.New(rand.NewPCG(4, 4))
	s := randomSeries(r, c, 9)
	last := func(order []int) (out []float32) {
		thread := m.NewThread()
		for _, i := range order {
			err := m.Read([]*Thread{thread}, s.Inputs[i*c.Inputs:(i+1)*c.Inputs], true, func(_ int, o []float32) {
				out = append(out[:0], o...)
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		return out
	}
	a, b := last([]int{0, 1, 2, 3, 4, 5, 6, 7, 8}), last([]int{7, 2, 5, 0, 1, 6, 4, 3, 8})
	for j := range a {
		if math.Abs(float64(a[j]-b[j])) > 1e-4 {
			t.Errorf("in another order the head gives %g, want %g", b[j], a[j])
		}
	}
}

func TestVectorRefusals(t *testing.T) {
	c := vectors()["ordered"]
	m := randomised(t, c)
	if _, err := m.Logits([]int32{1}); err == nil {
		t.Error("tokens for a model of vectors: no error")
	}
	tape, grad := NewTape(m), make([]float32, m.NumParams())
	none := func(int, []float32, float32) float64 { return 0 }
	for name, s := range map[string]Series{"part of a vector": {Inputs: make([]float32, 4), Loss: none},
		"longer than fits": {Inputs: make([]float32, 3*81), Loss: none}} {
		if _, err := tape.GradientOf(grad, false, []Series{s}, 1); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	th := m.NewThread()
	nothing := func(int, []float32) {}
	if m.Read([]*Thread{th, th}, make([]float32, 6), true, nothing) == nil {
		t.Error("a thread twice: no error")
	}
	if m.Read([]*Thread{th}, make([]float32, 4), true, nothing) == nil {
		t.Error("numbers of another size: no error")
	}
	tokens := randomised(t, shapes()["llama"])
	if _, err := NewTape(tokens).GradientOf(make([]float32, tokens.NumParams()), false,
		[]Series{{Inputs: make([]float32, 3), Loss: none}}, 1); err == nil {
		t.Error("vectors for a model of tokens: no error")
	}
	for i := range 80 {
		if err := m.Read([]*Thread{th}, make([]float32, 3), true, nothing); err != nil {
			t.Fatalf("vector %d: %v", i, err)
		}
	}
	if m.Read([]*Thread{th}, make([]float32, 3), true, nothing) == nil {
		t.Error("beyond the window: no error")
	}
	c.Tied = true
	if _, err := New(c, 1); err == nil {
		t.Error("vectors with the head as embedding: no error")
	}
}
