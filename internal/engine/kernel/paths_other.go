//go:build !amd64

package kernel

var paths = []Path{Scalar}

func block(_ Path, m, n, k int, a []float32, rsa, csa int, b Matrix, row int, c []float32, ldc, acc int) {
	blockScalar(m, n, k, a, rsa, csa, b, row, c, ldc, acc)
}

func transposeBlocks(dst []float32, ldd int, src []float32, lds, rows, cols int) (wholeRows, wholeCols int) {
	return 0, 0
}
