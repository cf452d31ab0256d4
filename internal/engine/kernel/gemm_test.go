package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"hallmark/internal/archtest"
)

// eachPath runs f on every path the machine has and restores the path in use.
func eachPath(t testing.TB, f func(p Path)) {
	t.Helper()
	old := Current()
	defer Use(old)
	for _, p := range Paths() {
		if err := Use(p); err != nil {
			t.Fatal(err)
		}
		f(p)
	}
}

func same(a, b []float32) int {
	for i := range a {
		if math.Float32bits(a[i]) != math.Float32bits(b[i]) {
			return i
		}
	}
	return -1
}

// awkward draws values whose sums cancel, underflow, and fall on rounding ties.
func awkward(r *rand.Rand) float32 {
	switch r.IntN(8) {
	case 0:
		return 0
	case 1:
		return float32(r.IntN(9) - 4)
	case 2:
		return math.Float32frombits(r.Uint32()&0x807fffff | 1) // subnormal
	case 3:
		return float32(math.Ldexp(float64(r.IntN(1<<24)|1), r.IntN(60)-50))
	case 4:
		return -float32(math.Ldexp(1, r.IntN(48)-24))
	case 5:
		return 1 + float32(math.Ldexp(1, -23))
	}
	return float32(r.NormFloat64())
}

func TestGemmSameBitsOnEveryPath(t *testing.T) {
	archtest.OneGoroutine(t)
	r := rand.New(rand.NewPCG(1, 2))
	for trial := range 300 {
		m, n, k := 1+r.IntN(40), 1+r.IntN(150), r.IntN(40)
		if trial%50 == 0 {
			m, k = 300, 600
			n = 1 + r.IntN(40)
		}
		rsa, csa := k+r.IntN(3), 1
		if r.IntN(2) == 0 {
			rsa, csa = 1, m+r.IntN(3)
		}
		a := fill(r, m*max(rsa, 1)+k*csa+1)
		var b Matrix
		if w := fill(r, n*k); r.IntN(2) == 0 {
			b = PackTransposed(make([]float32, PackedLen(n, k)), w, n, k)
		} else {
			b = RowMajor(w, k, n, n)
		}
		ldc := n + r.IntN(4)
		start := fill(r, m*ldc)
		add := r.IntN(2) == 0
		var want []float32
		eachPath(t, func(p Path) {
			c := append([]float32(nil), start...)
			Gemm(c, ldc, a, rsa, csa, m, b, add)
			if want == nil {
				want = c
			} else if i := same(want, c); i >= 0 {
				t.Fatalf("%v, %d×%d×%d: element %d is %g, scalar %g", p, m, k, n, i, c[i], want[i])
			}
		})
	}
}

func TestTranspose(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 200 {
		rows, cols := 1+r.IntN(40), 1+r.IntN(40)
		ldd, lds := rows+r.IntN(3), cols+r.IntN(3)
		src := fill(r, rows*lds)
		eachPath(t, func(p Path) {
			dst := make([]float32, cols*ldd)
			Transpose(dst, ldd, src, lds, rows, cols)
			for j := range cols {
				for i := range ldd {
					want := float32(0) // between the rows nothing is written
					if i < rows {
						want = src[i*lds+j]
					}
					if math.Float32bits(dst[j*ldd+i]) != math.Float32bits(want) {
						t.Fatalf("%v, %d×%d: element (%d, %d) is %g, want %g", p, rows, cols, j, i, dst[j*ldd+i], want)
					}
				}
			}
		})
	}
}

func fill(r *rand.Rand, n int) []float32 {
	x := make([]float32, n)
	for i := range x {
		x[i] = awkward(r)
	}
	return x
}

func TestGemmIsTheProduct(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	const m, n, k = 13, 45, 70
	a, w, c := make([]float32, m*k), make([]float32, n*k), make([]float32, m*n)
	for _, x := range [][]float32{a, w} {
		for i := range x {
			x[i] = float32(r.NormFloat64())
		}
	}
	eachPath(t, func(p Path) {
		Gemm(c, n, a, k, 1, m, PackTransposed(make([]float32, PackedLen(n, k)), w, n, k), false)
		for i := range m {
			for j := range n {
				var want float64
				for l := range k {
					want += float64(a[i*k+l]) * float64(w[j*k+l])
				}
				if got := float64(c[i*n+j]); math.Abs(got-want) > 1e-4 {
					t.Fatalf("%v: element (%d, %d) is %g, want %g", p, i, j, got, want)
				}
			}
		}
	})
}

// TestFMARoundsOnce holds the emulation to the hardware on values chosen so that rounding twice would differ:
// the product plus the addend lies just beside a float32 tie, by less than a float64 can show.
func TestFMARoundsOnce(t *testing.T) {
	tie := []struct{ x, y, z float32 }{
		{1 + 0x1p-23, 1 + 0x1p-23, 0x1p-60}, {0x1p-30, 0x1p-40, 1 + 0x1p-23}, {1 + 0x1p-12, 1 - 0x1p-12, 0x1p60},
		{0x1p-24, 1 + 0x1p-23, 1}, {0x1.000002p-24, 0x1.fffffep-1, 1}, {0x1p-75, 0x1p-75, 0x1p-149},
		{float32(math.Inf(1)), 0, 1}, {math.MaxFloat32, 2, -math.MaxFloat32}, {math.MaxFloat32, 2, float32(math.Inf(-1))},
		{0x1p-149, 0.5, 0}, {0x1p-149, 0.5, -0x1p-149}, {-1, 0, 0}, {1, 1, -1},
	}
	r := rand.New(rand.NewPCG(5, 6))
	for range 200000 {
		x := math.Float32frombits(r.Uint32()&0x007fffff | 0x3f800000)
		y := math.Float32frombits(r.Uint32()&0x007fffff | 0x3f800000)
		z := float32(math.Ldexp(float64(r.IntN(1<<24)|1), r.IntN(120)-60))
		if r.IntN(2) == 0 {
			z = -z
		}
		tie = append(tie, struct{ x, y, z float32 }{x, y, z}, struct{ x, y, z float32 }{awkward(r), awkward(r), awkward(r)})
	}
	eachPath(t, func(p Path) {
		if p == Scalar {
			return
		}
		for _, v := range tie {
			c := []float32{v.z}
			Gemm(c, 1, []float32{v.x}, 1, 1, 1, RowMajor([]float32{v.y}, 1, 1, 1), true)
			got := fma(float64(v.x), float64(v.y), v.z)
			if math.Float32bits(got) != math.Float32bits(c[0]) && !(got != got && c[0] != c[0]) {
				t.Fatalf("fma(%x, %x, %x) = %x, %v says %x", v.x, v.y, v.z, got, p, c[0])
			}
		}
	})
	// By hand: 2⁻²⁴·(1+2⁻²³) + 1 lies just above the tie between 1 and 1+2⁻²³; rounding to float64 keeps it there,
	// and 2⁻⁸⁰ more or less of it must not.
	if got := fma(0x1p-40, 0x1p-40, 1); got != 1 {
		t.Errorf("fma(2⁻⁴⁰, 2⁻⁴⁰, 1) = %x", got)
	}
	if got := fma(1+0x1p-12, 0x1p-24*(1-0x1p-12), 1); got != 1 { // 2⁻²⁴ - 2⁻⁴⁸: below the tie
		t.Errorf("below the tie: %x", got)
	}
	if got := fma(0x1p-24, 1+0x1p-23, 1); got != 1+0x1p-23 { // above the tie
		t.Errorf("above the tie: %x", got)
	}
}

func BenchmarkGemm(b *testing.B) {
	for _, s := range []struct{ m, n, k int }{{256, 384, 128}, {256, 128, 352}, {64, 704, 128}, {8, 384, 128},
		{1, 704, 128}, {1, 704, 1408}} {
		a, w, c := make([]float32, s.m*s.k), make([]float32, s.n*s.k), make([]float32, s.m*s.n)
		packed := PackTransposed(make([]float32, PackedLen(s.n, s.k)), w, s.n, s.k)
		for _, x := range []struct {
			name string
			m    Matrix
		}{{"packed", packed}, {"rows", RowMajor(w, s.k, s.n, s.n)}} {
			eachPath(b, func(p Path) {
				b.Run(fmt.Sprintf("%dx%dx%d/%s/%v", s.m, s.n, s.k, x.name, p), func(b *testing.B) {
					for b.Loop() {
						Gemm(c, s.n, a, s.k, 1, s.m, x.m, false)
					}
					b.ReportMetric(2*float64(s.m*s.n*s.k*b.N)/float64(b.Elapsed().Nanoseconds()), "GFLOP/s")
				})
			})
		}
	}
}
