package kernel

import "math"

// The functions of package math that have assembly on some machines, or whose Go code a compiler may fuse, are
// written out here with every product rounded, so that they give the same bits everywhere. Each is good to about
// 2 units in the last place of a float64 in the range the transformer uses.

const (
	ln2Hi = 6.93147180369123816490e-01 // as in fdlibm: the low 32 bits are zero, so n·ln2Hi is exact
	ln2Lo = 1.90821492927058770002e-10
)

// Exp returns eˣ.
func Exp(x float64) float64 {
	switch {
	case x != x || x > 709.7:
		return x * math.Inf(1)
	case x < -745:
		return 0
	}
	n := math.Floor(float64(x*(1/math.Ln2)) + 0.5)
	r := x - float64(n*ln2Hi) - float64(n*ln2Lo)
	p := 1.0
	for i := 14.0; i > 0; i-- {
		p = 1 + float64(p*r)/i
	}
	if n < -1000 { // where the result may be too small for all its bits
		return math.Ldexp(p, int(n))
	}
	return math.Float64frombits(math.Float64bits(p) + uint64(int64(n))<<52) // p·2ⁿ
}

// Log returns the natural logarithm of x, which must be positive and finite.
func Log(x float64) float64 {
	f, e := math.Frexp(x)
	if f < math.Sqrt2/2 {
		f, e = 2*f, e-1
	}
	s := (f - 1) / (f + 1)
	s2 := float64(s * s)
	p := 0.0
	for i := 25.0; i > 1; i -= 2 {
		p = float64((1/i + p) * s2)
	}
	n := float64(e)
	return float64(n*ln2Hi) + (float64(2*s) + (float64(2*s*p) + float64(n*ln2Lo)))
}

// SinCos returns the sine and cosine of x, 0 ≤ x < 10⁶.
func SinCos(x float64) (sin, cos float64) {
	// π/2 in parts, as in fdlibm
	const p1, p2, p3 = 1.57079632673412561417e+00, 6.07710050630396597660e-11, 2.02226624879595063154e-21
	n := math.Floor(float64(x*(2/math.Pi)) + 0.5)
	r := x - float64(n*p1) - float64(n*p2) - float64(n*p3)
	r2 := float64(r * r)
	s, c := 1.0, 1.0
	for i := 20.0; i > 0; i -= 2 {
		s = 1 - float64(s*r2)/float64(i*(i+1))
		c = 1 - float64(c*r2)/float64(i*(i-1))
	}
	s = float64(s * r)
	switch int64(n) & 3 {
	case 1:
		return c, -s
	case 2:
		return -s, -c
	case 3:
		return -c, s
	}
	return s, c
}
