package kernel

import (
	"math/rand/v2"
	"testing"
)

// TestHeadsAreProducts: each is the bits of the product alone, and nothing else is written.
func TestHeadsAreProducts(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	for range 200 {
		n, k := 1+r.IntN(9), 1+r.IntN(70)
		ldb := panelCols + r.IntN(2)*panelCols
		sa, sb, sc := k+r.IntN(3), k*ldb+r.IntN(3), panelCols+r.IntN(3)
		a, b, c := make([]float32, n*sa), make([]float32, n*sb), make([]float32, n*sc)
		for _, x := range [][]float32{a, b, c} {
			for i := range x {
				x[i] = awkward(r)
			}
		}
		want := append([]float32(nil), c...)
		for i := range n {
			blockScalar(1, panelCols, k, a[i*sa:], k, 1, RowMajor(b[i*sb:], k, panelCols, ldb), 0, want[i*sc:], panelCols, 0)
		}
		eachPath(t, func(p Path) {
			got := append([]float32(nil), c...)
			Heads(got, sc, a, sa, b, sb, ldb, n, k)
			if i := same(want, got); i >= 0 {
				t.Fatalf("%v: %d products of %d: element %d is %g, want %g", p, n, k, i, got[i], want[i])
			}
		})
	}
}
