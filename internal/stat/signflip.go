package stat

import "math"

// Bounds of the exact sign-flip distribution: places of its grid, and steps to fill it.
const (
	maxFlipGrid  = 1 << 20
	maxFlipSteps = 1 << 25
)

// SignFlip returns the two-sided p of the sign-flip test: if each paired difference is as likely to be negative as
// positive, how probable is a sum at least as far from 0 as the one seen? Its mid-p counts sums just as far by half.
//
//	p   = P(|Σ ±d_i| >= |Σ d_i|),  all 2^n signs alike
//	mid = p - ½ P(|Σ ±d_i| = |Σ d_i|)
//
// The differences are whole numbers, in units of their common denominator; zeros change nothing. p is exact, by the
// distribution of the sum over a grid, while Σ |d_i| is at most about a million and the work about thirty million
// steps; beyond that both are the normal limit 2 Phi(-|Σ d| / sqrt(Σ d²)), and exact is false.
//
// The exact p keeps its level for any n, and is below it where few sums are possible, as with few or equal differences;
// mid makes up for that, and then rejects as often as the t test (TestPairedPower).
//
// Range: (0, 1]; both are 1 where the sum is 0. Differences of ±1 give McNemar's exact test. It does not change d.
// Source: Fisher, The Design of Experiments, 1935, section 21; Pitman, 1937; mid-p: Lancaster, JASA 56 (1961) 223-234.
func SignFlip(d []int64) (p, mid float64, exact bool) {
	var sum, span, squares float64
	n := 0
	for _, x := range d {
		sum += float64(x)
		span += math.Abs(float64(x))
		squares += float64(x) * float64(x)
		if x != 0 {
			n++
		}
	}
	if n == 0 || sum == 0 {
		return 1, 1, true
	}
	if span > maxFlipGrid || span*float64(n) > maxFlipSteps {
		p = math.Erfc(math.Abs(sum) / math.Sqrt(2*squares))
		return p, p, false
	}
	// chance[i] is that of a sum of i below the largest: each difference is subtracted twice, or not.
	width := int(span)
	chance, next := make([]float64, width+1), make([]float64, width+1)
	chance[0] = 1
	top := 0
	for _, x := range d {
		if x == 0 {
			continue
		}
		step := int(max(x, -x))
		clear(next[:top+step+1])
		for i := 0; i <= top; i++ {
			half := chance[i] / 2
			next[i] += half
			next[i+step] += half
		}
		top += step
		chance, next = next, chance
	}
	seen := int(math.Abs(sum))
	for i := 0; i <= width; i++ { // the sum is width - 2i
		if s := width - 2*i; s >= seen || -s >= seen {
			p += chance[i]
			if s == seen || -s == seen {
				mid -= chance[i] / 2
			}
		}
	}
	return min(1, p), min(1, p+mid), true
}
