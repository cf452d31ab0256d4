package kernel

import "golang.org/x/sys/cpu"

var paths = func() []Path {
	list := []Path{Scalar}
	if cpu.X86.HasAVX2 && cpu.X86.HasFMA {
		list = append(list, AVX2)
		if cpu.X86.HasBMI2 && cpu.X86.HasAVX512F && cpu.X86.HasAVX512VL && cpu.X86.HasAVX512DQ {
			list = append(list, AVX512)
		}
	}
	return list
}()

type (
	tile512 = func(k int, a *float32, rsa, csa int, b *float32, ldb, panel int, c *float32, ldc int, mask uint32,
		acc int)
	tile256 = func(k int, a *float32, rsa, csa int, b *float32, ldb, panel int, c *float32, ldc int, mask *int32,
		acc int)
)

var (
	tiles512 = [...]tile512{1: gemm512m1p1, gemm512m2p1, gemm512m3p1, gemm512m4p1, gemm512m5p1, gemm512m6p1,
		gemm512m7p1, gemm512m8p1}
	tiles256       = [...]tile256{1: gemm256m1p1, gemm256m2p1, gemm256m3p1, gemm256m4p1, gemm256m5p1, gemm256m6p1}
	tiles256masked = [...]tile256{1: gemm256m1p1masked, gemm256m2p1masked, gemm256m3p1masked, gemm256m4p1masked}
)

// mask256 holds 16 set lanes, then 16 clear ones; a window of 16 that starts at 16-n selects the first n.
var mask256 = [32]int32{-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1}

// block computes C[m×n] (+)= A[m×k]·B[k×n] for one block of k, every operand known to be in bounds.
func block(p Path, m, n, k int, a []float32, rsa, csa int, b Matrix, row int, c []float32, ldc, acc int) {
	switch p {
	case AVX512:
		block512(m, n, k, a, rsa, csa, b, row, c, ldc, acc)
	case AVX2:
		block256(m, n, k, a, rsa, csa, b, row, c, ldc, acc)
	default:
		blockScalar(m, n, k, a, rsa, csa, b, row, c, ldc, acc)
	}
}

func block512(m, n, k int, a []float32, rsa, csa int, b Matrix, row int, c []float32, ldc, acc int) {
	j := 0
	if m == 1 {
		for ; j+4*panelCols <= n; j += 4 * panelCols {
			gemm512m1p4(k, &a[0], rsa, csa, &b.data[b.at(row, j)], b.ld, b.panel, &c[j], ldc, 0, acc)
		}
	} else if m == 2 {
		for ; j+2*panelCols <= n; j += 2 * panelCols {
			gemm512m2p2(k, &a[0], rsa, csa, &b.data[b.at(row, j)], b.ld, b.panel, &c[j], ldc, 0, acc)
		}
	}
	for ; j < n; j += panelCols {
		mask := uint32(1)<<min(n-j, panelCols) - 1
		panel := &b.data[b.at(row, j)]
		i := 0
		if n-j >= panelCols {
			switch {
			case csa == 1:
				for ; i+12 <= m; i += 12 {
					gemm512m12rows(k, &a[i*rsa], rsa, panel, b.ld, &c[i*ldc+j], ldc, acc)
				}
			case rsa == 1:
				for ; i+12 <= m; i += 12 {
					gemm512m12cols(k, &a[i], csa, panel, b.ld, &c[i*ldc+j], ldc, acc)
				}
			}
		}
		for ; i+8 <= m; i += 8 {
			gemm512m8p1(k, &a[i*rsa], rsa, csa, panel, b.ld, 0, &c[i*ldc+j], ldc, mask, acc)
		}
		if i < m {
			tiles512[m-i](k, &a[i*rsa], rsa, csa, panel, b.ld, 0, &c[i*ldc+j], ldc, mask, acc)
		}
	}
}

func block256(m, n, k int, a []float32, rsa, csa int, b Matrix, row int, c []float32, ldc, acc int) {
	const cols = panelCols / 2
	j := 0
	for ; j+cols <= n; j += cols {
		if m == 1 && j+4*cols <= n && b.panel == panelCols {
			gemm256m1p4(k, &a[0], rsa, csa, &b.data[b.at(row, j)], b.ld, cols, &c[j], ldc, nil, acc)
			j += 3 * cols
			continue
		}
		panel := &b.data[b.at(row, j)]
		i := 0
		switch {
		case csa == 1:
			for ; i+6 <= m; i += 6 {
				gemm256m6rows(k, &a[i*rsa], rsa, panel, b.ld, &c[i*ldc+j], ldc, acc)
			}
		case rsa == 1:
			for ; i+6 <= m; i += 6 {
				gemm256m6cols(k, &a[i], csa, panel, b.ld, &c[i*ldc+j], ldc, acc)
			}
		}
		for ; i+6 <= m; i += 6 {
			gemm256m6p1(k, &a[i*rsa], rsa, csa, panel, b.ld, 0, &c[i*ldc+j], ldc, nil, acc)
		}
		if i < m {
			tiles256[m-i](k, &a[i*rsa], rsa, csa, panel, b.ld, 0, &c[i*ldc+j], ldc, nil, acc)
		}
	}
	if j < n {
		mask := &mask256[cols-(n-j)]
		panel := &b.data[b.at(row, j)]
		for i := 0; i < m; i += 4 {
			tiles256masked[min(4, m-i)](k, &a[i*rsa], rsa, csa, panel, b.ld, 0, &c[i*ldc+j], ldc, mask, acc)
		}
	}
}

// transposeBlocks does the blocks of 8 × 8 of a transposition and returns the rows and columns of src they cover.
func transposeBlocks(dst []float32, ldd int, src []float32, lds, rows, cols int) (wholeRows, wholeCols int) {
	if Current() == Scalar {
		return 0, 0
	}
	wholeRows, wholeCols = rows&^7, cols&^7
	for i := 0; i < wholeRows; i += 8 {
		for j := 0; j < wholeCols; j += 8 {
			transpose8(&dst[j*ldd+i], ldd, &src[i*lds+j], lds)
		}
	}
	return wholeRows, wholeCols
}
