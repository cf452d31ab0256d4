package kernel

import "math"

//go:generate sh -c "cd asm && go run ./gemv -out ../gemv_amd64.s -stubs ../gemv_stubs_amd64.go -pkg kernel"

// half is a matrix whose elements are all bfloat16, as published weights are: half the memory traffic of float32 for a
// product with one row, which is bound by it, and the same bits. Panels are those of PackTransposed; a word holds
// column l of a panel's row in its low half and column l+16 in its high half.
type half []uint32

// halfWords is the number of words of one row of a panel.
const halfWords = panelCols / 2

// packHalf packs the transpose of w, n rows of k elements; nil if an element is no bfloat16, or none differs from 0.
func packHalf(w []float32, n, k int) half {
	var all uint32
	for _, x := range w[:n*k] {
		b := math.Float32bits(x)
		if b&0xffff != 0 {
			return nil
		}
		all |= b
	}
	if all == 0 {
		return nil
	}
	h := make(half, (n+panelCols-1)/panelCols*halfWords*k)
	for j := range n {
		panel, l, shift := h[j/panelCols*halfWords*k:], j%halfWords, 0
		if j%panelCols >= halfWords {
			shift = 16
		}
		for i, x := range w[j*k : (j+1)*k] {
			panel[i*halfWords+l] |= math.Float32bits(x) >> 16 << shift
		}
	}
	return h
}

// gemv computes the row c = a·B, or c += a·B if acc is 1, every operand known to be in bounds.
func gemv(p Path, c, a []float32, h half, n, k, acc int) {
	panel := halfWords * k
	whole := n / panelCols
	j := 0
	for j < whole {
		j += gemvPanels(p, c[j*panelCols:n], a, h[j*panel:], panel, whole-j, k, acc)
	}
	if rest := n % panelCols; rest > 0 {
		var edge [panelCols]float32
		copy(edge[:], c[j*panelCols:n])
		gemvPanels(p, edge[:], a, h[j*panel:], panel, 1, k, acc)
		copy(c[j*panelCols:n], edge[:])
	}
}

func gemvScalar(c, a []float32, h half, k, acc int) {
	c = c[:panelCols]
	if acc == 0 {
		clear(c)
	}
	for p, x := range a[:k] {
		for l, word := range h[p*halfWords : (p+1)*halfWords] {
			c[l] = fma(float64(x), float64(math.Float32frombits(word<<16)), c[l])
			c[halfWords+l] = fma(float64(x), float64(math.Float32frombits(word&^0xffff)), c[halfWords+l])
		}
	}
}
