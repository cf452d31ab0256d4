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
		done := headsNext(Current(), c[i*sc:], sc, a[i*sa:], sa, b[i*sb:], sb, ldb, n-i, k)
		if done == 0 {
			Gemm(c[i*sc:], panelCols, a[i*sa:], k, 1, 1, RowMajor(b[i*sb:], k, panelCols, ldb), false)
			done = 1
		}
		i += done
	}
}
