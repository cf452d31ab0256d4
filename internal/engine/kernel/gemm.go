package kernel

import (
	"fmt"
	"math"
)

const (
	panelCols = 32  // columns of a packed panel: two AVX-512 vectors
	blockK    = 256 // rows of a panel used at once: 32 KB, which the first cache holds
	blockM    = 256 // rows of A used at once
)

// A Matrix is the right operand of a product: k rows by n columns of which 32 neighbours are contiguous.
// It views its data; it does not own them.
type Matrix struct {
	data      []float32
	rows      int
	cols      int
	ld, panel int  // element (k, j) is data[j/32·panel + k·ld + j%32]
	half      half // the same elements as bfloat16, or nil
}

func (b Matrix) at(k, j int) int { return j/panelCols*b.panel + k*b.ld + j%panelCols }

// RowMajor views data, rows of ld elements of which the first cols count, as a Matrix.
func RowMajor(data []float32, rows, cols, ld int) Matrix {
	if rows < 0 || cols < 0 || ld < cols || rows > 0 && len(data) < (rows-1)*ld+cols {
		panic(fmt.Sprintf("kernel: %d×%d matrix with rows of %d does not fit %d elements", rows, cols, ld, len(data)))
	}
	return Matrix{data: data, rows: rows, cols: cols, ld: ld, panel: panelCols}
}

// PanelCols is the number of columns of a panel, 32.
const PanelCols = panelCols

// Panels views data as a Matrix in panels of 32 columns, each rows × 32; those of the last panel that are past cols
// do not count.
func Panels(data []float32, rows, cols int) Matrix {
	if rows < 0 || cols < 0 || len(data) < PackedLen(cols, rows) {
		panic(fmt.Sprintf("kernel: %d×%d matrix in panels does not fit %d elements", rows, cols, len(data)))
	}
	return Matrix{data: data, rows: rows, cols: cols, ld: panelCols, panel: panelCols * rows}
}

// Cut is b cut to its first rows and columns.
func (b Matrix) Cut(rows, cols int) Matrix {
	if rows < 0 || rows > b.rows || cols < 0 || cols > b.cols {
		panic(fmt.Sprintf("kernel: %d×%d of a %d×%d matrix", rows, cols, b.rows, b.cols))
	}
	b.rows, b.cols, b.half = rows, cols, nil
	return b
}

// PackedLen is the number of elements PackTransposed needs for w with n rows and k columns.
func PackedLen(n, k int) int { return (n + panelCols - 1) / panelCols * panelCols * k }

// PackTransposed stores the transpose of w, n rows of k elements (as weights lie: outputs by inputs), in dst as
// panels of 32 columns, and returns the k×n Matrix. dst has PackedLen(n, k) elements and must outlive the Matrix.
// If all elements are bfloat16, as published weights are, the Matrix holds a copy of that type for products with
// one row.
func PackTransposed(dst, w []float32, n, k int) Matrix {
	dst, w = dst[:PackedLen(n, k)], w[:n*k]
	for j := 0; j < n; j += panelCols {
		panel := dst[j*k : (j+panelCols)*k]
		if n-j < panelCols {
			clear(panel)
		}
		Transpose(panel, panelCols, w[j*k:], k, min(panelCols, n-j), k)
	}
	return Matrix{data: dst, rows: k, cols: n, ld: panelCols, panel: panelCols * k, half: packHalf(w, n, k)}
}

// Transpose stores the transpose of src, rows × cols with rows lds apart, in dst, whose rows are ldd apart. It
// panics if either is too short.
func Transpose(dst []float32, ldd int, src []float32, lds, rows, cols int) {
	if rows == 0 || cols == 0 {
		return
	}
	src, dst = src[:(rows-1)*lds+cols], dst[:(cols-1)*ldd+rows]
	wholeRows, wholeCols := transposeBlocks(dst, ldd, src, lds, rows, cols)
	for i := range rows {
		from := 0
		if i < wholeRows {
			from = wholeCols
		}
		for j, x := range src[i*lds+from : i*lds+cols] {
			dst[(from+j)*ldd+i] = x
		}
	}
}

// Gemm computes C = A·B, or C += A·B if add. C is m×n with rows of ldc; A is m×k, its element (i, p) at
// a[i·rsa + p·csa], so that a transposed A costs nothing; n and k are those of b.
//
// An element's bits depend on its row of A, its column of B and its old value alone: they are
// fma(a[k-1], b[k-1], … fma(a[0], b[0], c)), with c = 0 unless add. It panics if an operand is too short.
func Gemm(c []float32, ldc int, a []float32, rsa, csa, m int, b Matrix, add bool) {
	n, k := b.cols, b.rows
	if m == 0 || n == 0 {
		return
	}
	if ldc < n || len(c) < (m-1)*ldc+n || k > 0 && len(a) < (m-1)*rsa+(k-1)*csa+1 {
		panic(fmt.Sprintf("kernel: product %d×%d×%d outside its operands: a %d (%d, %d), c %d (%d)", m, k, n, len(a),
			rsa, csa, len(c), ldc))
	}
	if k == 0 {
		if !add {
			for i := range m {
				clear(c[i*ldc : i*ldc+n])
			}
		}
		return
	}
	if m == 1 && csa == 1 && b.half != nil {
		acc := 0
		if add {
			acc = 1
		}
		gemv(Current(), c, a, b.half, n, k, acc)
		return
	}
	p, depth := Current(), blockK
	if m <= 8 {
		depth = k // a panel is used once: nothing to keep in the cache
	}
	for p0 := 0; p0 < k; p0 += depth {
		acc := 1
		if p0 == 0 && !add {
			acc = 0
		}
		for i := 0; i < m; i += blockM {
			block(p, min(blockM, m-i), n, min(depth, k-p0), a[i*rsa+p0*csa:], rsa, csa, b, p0, c[i*ldc:], ldc, acc)
		}
	}
}

func blockScalar(m, n, k int, a []float32, rsa, csa int, b Matrix, row int, c []float32, ldc, acc int) {
	for i := range m {
		out := c[i*ldc : i*ldc+n]
		if acc == 0 {
			clear(out)
		}
		for p := range k {
			x := float64(a[i*rsa+p*csa])
			for j := 0; j < n; j += panelCols {
				cols := out[j:min(j+panelCols, n)]
				start := b.at(row+p, j)
				for l, y := range b.data[start : start+len(cols)] {
					cols[l] = fma(x, float64(y), cols[l])
				}
			}
		}
	}
}

// fma returns x·y + z rounded once to float32, for x and y that are float32 values, as the hardware instruction does.
// The product is exact in float64. The sum is not: rounding it to nearest and then to float32 would round
// twice, and differ about once in 10⁹. So the sum is rounded to odd first, which the second rounding cannot mistake
// (Boldo and Melquiond, "Emulation of FMA and correctly rounded sums", IEEE Trans. Computers 57, 2008).
func fma(x, y float64, z float32) float32 {
	p, c := float64(x*y), float64(z)
	s := p + c
	t := s - p
	err := (p - (s - t)) + (c - t) // exact: s + err = p + c; NaN if s is not finite
	if err != 0 {
		s = toOdd(s, err)
	}
	return float32(s)
}

// toOdd moves s, the sum rounded to nearest with error err, to the neighbour whose last bit is odd.
func toOdd(s, err float64) float64 {
	bits := math.Float64bits(s)
	if bits&1 == 1 || err != err {
		return s
	}
	if (err > 0) == (s > 0) {
		bits++
	} else {
		bits--
	}
	return math.Float64frombits(bits)
}
