package kernel

import "fmt"

// Heads computes n products of a row of k elements with a matrix of 32 columns each, to the bits that Gemm gives:
// row i of a begins at a[i·sa], matrix i at b[i·sb] with rows ldb apart, and the result i is at c[i·sc]. It is what
// attention to one token's past is made of. It panics if an operand is too short.
func Heads(c []float32, sc int, a []float32, sa int, b []float32, sb, ldb, n, k int) {
	if n == 0 {
		return
	}
	if k < 1 || len(a) < (n-1)*sa+k || len(b) < (n-1)*sb+(k-1)*ldb+panelCols || len(c) < (n-1)*sc+panelCols {
		panic(
			fmt.Sprintf(
				"kernel: %d products of %d elements outside their operands: a %d (%d), b %d (%d, %d), c %d (%d)", n,
				k, len(a), sa, len(b), sb, ldb, len(c), sc))
	}
	for i := 0; i < n; {
		i += headsNext(Current(), c[i*sc:], sc, a[i*sa:], sa, b[i*sb:], sb, ldb, n-i, k)
	}
}

// headScalar computes one product.
func headScalar(c, a, b []float32, ldb, k int) {
	c = c[:panelCols]
	clear(c)
	for p, x := range a[:k] {
		for l, y := range b[p*ldb:][:panelCols] {
			c[l] = fma(float64(x), float64(y), c[l])
		}
	}
}
