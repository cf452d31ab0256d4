package train

import (
	"context"
	"encoding/binary"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"hallmark/internal/engine"
	"hallmark/internal/engine/kernel"
)

var small = engine.Config{
	ModelType: "llama", Vocab: 23, Hidden: 16, Inner: 24, Layers: 2, Heads: 4, KVHeads: 2, HeadDim: 4,
	MaxContext: 64, Epsilon: 1e-5, Theta: 10000, Tied: true,
}

var recipe = Recipe{Steps: 12, Batch: 11, PeakLR: 3e-3, FinalLRFraction: 0.1, Warmup: 3, Beta1: 0.9, Beta2: 0.98,
	WeightDecay: 0.1, Clip: 1}

// random returns packed sequences, the same for the same step.
func random(step int) []Sequence {
	r := rand.New(rand.NewPCG(7, uint64(step)))
	out := make([]Sequence, recipe.Batch)
	for i := range out {
		for doc := range int32(1 + r.IntN(4)) {
			for range 1 + r.IntN(12) {
				out[i].Tokens = append(out[i].Tokens, r.Int32N(int32(small.Vocab)))
				out[i].Weights = append(out[i].Weights, float32(r.IntN(3))/2)
				out[i].Doc = append(out[i].Doc, doc)
			}
		}
	}
	return out
}

// The lanes decide the bits, and neither the workers nor the kernels do.
func TestSameWeightsForAnyWorkersAndPath(t *testing.T) {
	old := kernel.Current()
	defer kernel.Use(old)
	want := map[int][]float32{}
	for _, path := range kernel.Paths() {
		if err := kernel.Use(path); err != nil {
			t.Fatal(err)
		}
		for _, lanes := range []int{0, 2} {
			for _, workers := range []int{1, 2, 5} {
				m, err := engine.New(small, 1)
				if err != nil {
					t.Fatal(err)
				}
				r := recipe
				r.Workers, r.Lanes = workers, lanes
				if err := Run(context.Background(), m, random, r, nil); err != nil {
					t.Fatal(err)
				}
				if want[lanes] == nil {
					want[lanes] = m.Weights()
				}
				for i, w := range m.Weights() {
					if math.Float32bits(w) != math.Float32bits(want[lanes][i]) {
						t.Fatalf("%v, %d lanes, %d workers: weight %d is %g, want %g", path, lanes, workers, i, w, want[lanes][i])
					}
				}
			}
		}
	}
	if slices.Equal(want[0], want[2]) {
		t.Error("two lanes add up in the order of eight")
	}
}

// TestGoldenWeights holds every machine to the same bits. The hash is this test's own, first made on an AVX-512
// machine (linux/amd64, Go 1.26.8), where the scalar path gives the same.
func TestGoldenWeights(t *testing.T) {
	m, err := engine.New(small, 1)
	if err != nil {
		t.Fatal(err)
	}
	if err := Run(context.Background(), m, random, recipe, nil); err != nil {
		t.Fatal(err)
	}
	h := fnv.New64a()
	for _, w := range m.Weights() {
		h.Write(binary.LittleEndian.AppendUint32(nil, math.Float32bits(w)))
	}
	if got, want := h.Sum64(), uint64(0xe0ea24129fab5fb3); got != want {
		t.Errorf("weights hash to %#x, want %#x", got, want)
	}
}

func TestOverfitsASequence(t *testing.T) {
	m, err := engine.New(small, 2)
	if err != nil {
		t.Fatal(err)
	}
	tokens := []int32{1, 5, 9, 2, 5, 3, 17, 5, 22, 0, 11}
	ones := slices.Repeat([]float32{1}, len(tokens))
	r := Recipe{Steps: 300, PeakLR: 1e-2, FinalLRFraction: 0.1, Warmup: 10, Beta1: 0.9, Beta2: 0.98}
	var first, last float64
	err = Run(context.Background(), m, func(int) []Sequence {
		return []Sequence{{Tokens: tokens, Weights: ones}}
	}, r, func(p Progress) {
		if p.Step == 0 {
			first = p.Loss
		}
		last = p.Loss
	})
	if err != nil {
		t.Fatal(err)
	}
	if want := math.Log(float64(small.Vocab)); math.Abs(first-want) > 0.3 {
		t.Errorf("first loss %g, want about ln %d = %g", first, small.Vocab, want)
	}
	if last > 0.01 {
		t.Errorf("loss %g after training on one sequence, want under 0.01", last)
	}
}

func TestRate(t *testing.T) {
	r := Recipe{Steps: 103, PeakLR: 2, FinalLRFraction: 0.05, Warmup: 2}
	for step, want := range map[int]float64{0: 1, 1: 2, 2: 2, 52: 1.05, 102: 0.1} {
		if got := r.Rate(step); math.Abs(got-want) > 1e-9 {
			t.Errorf("Rate(%d) = %g, want %g", step, got, want)
		}
	}
}

func TestRefusals(t *testing.T) {
	m, err := engine.New(small, 1)
	if err != nil {
		t.Fatal(err)
	}
	one := Recipe{Steps: 1, PeakLR: 1e-3}
	for name, s := range map[string][]Sequence{
		"no sequences":     nil,
		"no weight":        {{Tokens: []int32{1, 2}, Weights: []float32{1, 0}}},
		"short weights":    {{Tokens: []int32{1, 2}, Weights: []float32{1}}},
		"short documents":  {{Tokens: []int32{1, 2}, Weights: []float32{1, 1}, Doc: []int32{0}}},
		"outside":          {{Tokens: []int32{1, 23}, Weights: []float32{1, 1}}},
		"longer than fits": {{Tokens: make([]int32, 65), Weights: slices.Repeat([]float32{1}, 65)}},
	} {
		if err := Run(context.Background(), m, func(int) []Sequence { return s }, one, nil); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	wrong := recipe
	wrong.Lanes = -1
	if err := Run(context.Background(), m, random, wrong, nil); err == nil {
		t.Error("fewer lanes than none: no error")
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := Run(ctx, m, random, recipe, nil); err != context.Canceled {
		t.Errorf("cancelled: %v", err)
	}
}

func BenchmarkTrain(b *testing.B) {
	cfg := engine.Config{
		ModelType: "llama", Vocab: 512, Hidden: 128, Inner: 352, Layers: 4, Heads: 4, KVHeads: 4, HeadDim: 32,
		MaxContext: 128, Epsilon: 1e-5, Theta: 10000, Tied: true,
	}
	for _, docs := range []int{1, 6} {
		for _, workers := range []int{1, 2} {
			b.Run(map[int]string{1: "context128", 6: "packed"}[docs]+map[int]string{1: "/1worker", 2: "/2workers"}[workers],
				func(b *testing.B) {
					m, err := engine.New(cfg, 1)
					if err != nil {
						b.Fatal(err)
					}
					batch := make([]Sequence, 16)
					r := rand.New(rand.NewPCG(1, 1))
					for i := range batch {
						for j := range 128 {
							batch[i].Tokens = append(batch[i].Tokens, r.Int32N(512))
							batch[i].Weights = append(batch[i].Weights, 1)
							batch[i].Doc = append(batch[i].Doc, int32(j*docs/128))
						}
					}
					t := newTrainer(m, Recipe{Steps: 1000, Batch: 16, PeakLR: 1e-3, Beta1: 0.9, Beta2: 0.98, Clip: 1,
						Workers: workers})
					n := 0
					for b.Loop() {
						if _, err := t.step(n, batch); err != nil {
							b.Fatal(err)
						}
						n++
					}
					b.ReportMetric(float64(n*16*128)/b.Elapsed().Seconds(), "tokens/s")
					b.ReportMetric(float64(m.NumParams()), "parameters")
				})
		}
	}
}
