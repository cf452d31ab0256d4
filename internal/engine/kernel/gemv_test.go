package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// bfloat cuts x to a bfloat16.
func bfloat(x float32) float32 { return math.Float32frombits(math.Float32bits(x) &^ 0xffff) }

// TestRowTimesHalf: a row times a matrix of bfloat16 is the same bits as with the float32 matrix, on every path.
func TestRowTimesHalf(t *testing.T) {
	defer Use(Current())
	r := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{1, 15, 16, 17, 31, 32, 33, 64, 96, 100, 128, 129, 160, 224, 672} {
		for _, k := range []int{1, 2, 7, 32, 128, 336} {
			w, a, c := make([]float32, n*k), make([]float32, k), make([]float32, n+1)
			for i := range w {
				w[i] = bfloat(float32(r.NormFloat64()))
			}
			w[r.IntN(n*k)] = math.Float32frombits(0x80010000) // a subnormal number
			for i := range a {
				a[i] = float32(r.NormFloat64())
			}
			for i := range c {
				c[i] = float32(r.NormFloat64())
			}
			b := PackTransposed(make([]float32, PackedLen(n, k)), w, n, k)
			if b.half == nil {
				t.Fatalf("%d×%d: bfloat16 is not seen", n, k)
			}
			plain := b
			plain.half = nil
			for _, p := range Paths() {
				for _, add := range []bool{false, true} {
					Use(Scalar)
					want, got := append([]float32(nil), c...), append([]float32(nil), c...)
					Gemm(want, n, a, k, 1, 1, plain, add)
					Use(p)
					Gemm(got, n, a, k, 1, 1, b, add)
					for i := range want {
						if math.Float32bits(want[i]) != math.Float32bits(got[i]) {
							t.Fatalf("%v, %d×%d, add %v: element %d is %g, want %g", p, n, k, add, i, got[i], want[i])
						}
					}
				}
			}
			w[r.IntN(n*k)] = 1.001
			if b := PackTransposed(make([]float32, PackedLen(n, k)), w, n, k); b.half != nil {
				t.Fatalf("%d×%d: a float32 passes for a bfloat16", n, k)
			}
		}
	}
	if b := PackTransposed(make([]float32, PackedLen(2, 2)), make([]float32, 4), 2, 2); b.half != nil {
		t.Error("a matrix of zeros, which is one yet to be filled, is copied")
	}
}

// BenchmarkRow is the product that decoding one sequence is made of, over a model's worth of matrices.
func BenchmarkRow(b *testing.B) {
	const n, k, matrices = 128, 128, 54 // 0.9 million parameters
	defer Use(Current())
	for _, p := range Paths()[1:] {
		for _, halved := range []bool{false, true} {
			b.Run(fmt.Sprintf("%v/bfloat16=%v", p, halved), func(b *testing.B) {
				Use(p)
				w := make([]float32, n*k)
				for i := range w {
					w[i] = bfloat(float32(i%7) - 3)
				}
				var all []Matrix
				for range matrices {
					m := PackTransposed(make([]float32, PackedLen(n, k)), w, n, k)
					if !halved {
						m.half = nil
					}
					all = append(all, m)
				}
				a, c := make([]float32, k), make([]float32, n)
				for b.Loop() {
					for _, m := range all {
						Gemm(c, n, a, k, 1, 1, m, false)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N), "µs/token")
			})
		}
	}
}
