package kernel

import "math"

// half is a matrix whose elements are all bfloat16, as published weights are: half the memory traffic of float32
// for a product with one row, which is bound by it, and the same bits. It is read from its first word to its last:
// groups of 4 panels of 32 columns, fewer in the last, by row; of a row, each panel's 16 words, which hold column l
// in the low half and column l+16 in the high half.
type half []uint32

const (
	halfWords = panelCols / 2 // of a row of a panel
	halfGroup = 4             // panels
)

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
	panels := (n + panelCols - 1) / panelCols
	h := make(half, panels*halfWords*k)
	for j := range n {
		panel, l, shift := j/panelCols, j%halfWords, 0
		if j%panelCols >= halfWords {
			shift = 16
		}
		first := panel / halfGroup * halfGroup
		step := min(halfGroup, panels-first) * halfWords
		words := h[first*halfWords*k+(panel-first)*halfWords+l:]
		for i, x := range w[j*k : (j+1)*k] {
			words[i*step] |= math.Float32bits(x) >> 16 << shift
		}
	}
	return h
}

// gemv computes the row c = a·B, or c += a·B if acc is 1, every operand known to be in bounds.
func gemv(p Path, c, a []float32, h half, n, k, acc int) {
	panels := (n + panelCols - 1) / panelCols
	for first := 0; first < panels; first += halfGroup {
		group := min(halfGroup, panels-first)
		at, words := first*panelCols, h[first*halfWords*k:]
		if whole := c[at:n]; len(whole) >= group*panelCols {
			gemvGroup(p, whole, a, words, group, k, acc)
			continue
		}
		var edge [halfGroup * panelCols]float32
		copy(edge[:], c[at:n])
		gemvGroup(p, edge[:], a, words, group, k, acc)
		copy(c[at:n], edge[:])
	}
}

// gemvGroupScalar computes the columns of one group of panels.
func gemvGroupScalar(c, a []float32, h half, group, k, acc int) {
	c = c[:group*panelCols]
	if acc == 0 {
		clear(c)
	}
	for p, x := range a[:k] {
		for panel := range group {
			out := c[panel*panelCols:][:panelCols]
			for l, word := range h[(p*group+panel)*halfWords:][:halfWords] {
				out[l] = fma(float64(x), float64(math.Float32frombits(word<<16)), out[l])
				out[halfWords+l] = fma(float64(x), float64(math.Float32frombits(word&^0xffff)), out[halfWords+l])
			}
		}
	}
}
