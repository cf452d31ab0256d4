package kernel

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestRowsSameBitsOnEveryPath runs every row function on rows of awkward lengths and values.
func TestRowsSameBitsOnEveryPath(t *testing.T) {
	functions := map[string]func(x [][]float32) []float32{
		"Dot":     func(x [][]float32) []float32 { return []float32{Dot(x[0], x[1])} },
		"Max":     func(x [][]float32) []float32 { return []float32{Max(x[0])} },
		"ExpSum":  func(x [][]float32) []float32 { return append(x[1], ExpSum(x[1], x[0], 0.7, 0.3)) },
		"Scale":   func(x [][]float32) []float32 { Scale(x[0], 1.1); return x[0] },
		"Add":     func(x [][]float32) []float32 { Add(x[0], x[1]); return x[0] },
		"Softmax": func(x [][]float32) []float32 { Softmax(x[0], 0.4); return x[0] },
		"SoftmaxBack": func(x [][]float32) []float32 {
			SoftmaxBack(x[0], x[1], 0.4)
			return x[0]
		},
		"RMSNorm": func(x [][]float32) []float32 { return norms(x) },
		"RMSNormBack": func(x [][]float32) []float32 {
			RMSNormBack(x[0], x[1], x[2], x[3], x[4], 1.3)
			return append(append(x[0], x[1]...), x[2]...)
		},
		"SwiGLU":     func(x [][]float32) []float32 { SwiGLU(x[0], x[1], x[2]); return x[0] },
		"SwiGLUBack": func(x [][]float32) []float32 { SwiGLUBack(x[0], x[1], x[2]); return append(x[0], x[1]...) },
		"Rotate":     func(x [][]float32) []float32 { return turned(x, Rotate) },
		"RotateBack": func(x [][]float32) []float32 { return turned(x, RotateBack) },
		"Adam": func(x [][]float32) []float32 {
			Adam{0.9, 0.98, 0.5, 1e-3, 1.2, 1e-8, 0.999}.Step(x[0], x[1], x[2], squares(x[3]))
			return append(append(x[0], x[2]...), x[3]...)
		},
	}
	for name, f := range functions {
		r := rand.New(rand.NewPCG(8, 9))
		for n := 1; n < 70; n++ {
			in := make([][]float32, 5)
			for i := range in {
				in[i] = fill(r, n)
			}
			var want []float32
			eachPath(t, func(p Path) {
				x := make([][]float32, len(in))
				for i := range x {
					x[i] = append([]float32(nil), in[i]...)
				}
				got := f(x)
				for i, v := range got {
					if v != v {
						got[i] = float32(math.NaN()) // one NaN for all
					}
				}
				if want == nil {
					want = got
				} else if i := same(want, got); i >= 0 {
					t.Fatalf("%s of %d on %v: element %d is %g, scalar %g", name, n, p, i, got[i], want[i])
				}
			})
		}
	}
}

// norms are those of two rows, the second of which begins within the first, beside those of each alone.
func norms(x [][]float32) []float32 {
	n := len(x[0])
	rows, inv := append(x[0], x[1]...), make([]float32, 4)
	out := make([]float32, 4*n+3)
	RMSNorm(out, n+1, rows, n/2, x[2], 2, 1e-5, inv)
	RMSNorm(out[2*n+2:], n, rows, n, x[2], 1, 1e-5, inv[2:])
	RMSNorm(out[3*n+2:], n, rows[n/2:], n, x[2], 1, 1e-5, inv[3:])
	return slices.Concat(out, inv)
}

// turned is three rows of pairs with something between them, of which two are turned together and then all one by one.
func turned(x [][]float32, turn func(x []float32, ld, rows int, cos, sin []float32)) []float32 {
	n := len(x[0])
	out := append(append(append(x[0], x[1]...), x[3]...), x[4]...)
	turn(out, 2*n-n/3, 2, x[2], x[3][:n])
	turn(out[n:], 2*n, 1, x[2], x[3])
	return out
}

func squares(x []float32) []float32 {
	for i := range x {
		x[i] *= x[i]
	}
	return x
}

// TestFunctionsAgainstMath holds the functions written out here to package math.
func TestFunctionsAgainstMath(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	near := func(name string, x, got, want, tolerance float64) {
		t.Helper()
		if math.Abs(got-want) > tolerance*math.Max(math.Abs(want), 1e-300) {
			t.Errorf("%s(%g) = %v, want %v", name, x, got, want)
		}
	}
	for range 20000 {
		x := r.Float64()*1400 - 700
		near("Exp", x, Exp(x), math.Exp(x), 1e-15*(1+math.Abs(x)/100))
		x = float64(float32(r.Float64()*170 - 85))
		near("exp32", x, float64(exp32(float32(x))), math.Exp(x), 2e-7)
		x = math.Exp(r.Float64()*80 - 40)
		near("Log", x, Log(x), math.Log(x), 1e-14)
		x = r.Float64() * 1e5
		s, c := SinCos(x)
		near("sin", x, s+2, math.Sin(x)+2, 1e-15)
		near("cos", x, c+2, math.Cos(x)+2, 1e-15)
	}
	near("Log", 1, Log(1), 0, 0)
	near("Exp", 0, Exp(0), 1, 0)
	near("Exp", -1e9, Exp(-1e9), 0, 0)
	if !math.IsInf(Exp(1e9), 1) || !math.IsNaN(Exp(math.NaN())) {
		t.Error("Exp of a huge value or of NaN")
	}
}
