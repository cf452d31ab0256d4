package kernel

import "math"

// lanes is the number of partial sums a row is added up in.
const lanes = 16

// fold adds the lanes in the fixed order of halving.
func fold(s *[lanes]float32) float32 {
	for n := lanes / 2; n > 0; n /= 2 {
		for i := range n {
			s[i] += s[i+n]
		}
	}
	return s[0]
}

// A vec function is assembly that does the work of the portable code beside it on the paths that have vectors. It says
// how many floats it took: all or none.

// Dot returns Σ x·y; y has at least the length of x.
func Dot(x, y []float32) float32 {
	y = y[:len(x)]
	if sum, n := vecDot(x, y); n > 0 {
		return sum
	}
	var s [lanes]float32
	for len(x) >= lanes {
		a, b := (*[lanes]float32)(x), (*[lanes]float32)(y)
		for l := range lanes {
			s[l] += float32(a[l] * b[l])
		}
		x, y = x[lanes:], y[lanes:]
	}
	for l, v := range x {
		s[l] += float32(v * y[l])
	}
	return fold(&s)
}

const (
	expLo    = -87 // below, eˣ is taken at this point: 1.6e-38, still a normal number
	expHi    = 88
	log2E    = 1.44269504088896341
	expMagic = 3 << 22 // adding it rounds a float32 to an integer and leaves that in the low bits
	expC1    = 0.693359375
	expC2    = -2.12194440e-4
)

// exp32 returns eˣ to about one unit in the last place, with x held to [expLo, expHi]. Polynomial: Cephes expf.
func exp32(x float32) float32 {
	if !(x > expLo) {
		x = expLo
	}
	if !(x < expHi) {
		x = expHi
	}
	t := float32(x*log2E) + expMagic
	n := t - expMagic
	r := x - float32(n*expC1)
	r -= float32(n * expC2)
	p := float32(1.9875691500e-4)
	p = float32(p*r) + 1.3981999507e-3
	p = float32(p*r) + 8.3334519073e-3
	p = float32(p*r) + 4.1665795894e-2
	p = float32(p*r) + 1.6666665459e-1
	p = float32(p*r) + 5.0000001201e-1
	p = float32(p*float32(r*r)) + r + 1
	return math.Float32frombits(math.Float32bits(p) + math.Float32bits(t)<<23)
}

// Max returns the largest element of x that is a number, or −∞ if none is.
func Max(x []float32) float32 {
	if top, n := vecMax(x); n > 0 {
		return top
	}
	s := minusInf
	for i, v := range x {
		if v > s[i%lanes] {
			s[i%lanes] = v
		}
	}
	for n := lanes / 2; n > 0; n /= 2 { // in order, for 0 and −0 are equal and not the same
		for i := range n {
			if s[i+n] > s[i] {
				s[i] = s[i+n]
			}
		}
	}
	return s[0]
}

var minusInf = func() (s [lanes]float32) {
	for i := range s {
		s[i] = float32(math.Inf(-1))
	}
	return s
}()

// ExpSum stores exp(scale·x − shift) in dst, which may be x, and returns the sum.
func ExpSum(dst, x []float32, scale, shift float32) float32 {
	dst = dst[:len(x)]
	if sum, n := vecExpSum(dst, x, scale, shift); n > 0 {
		return sum
	}
	var s [lanes]float32
	for i, v := range x {
		e := exp32(float32(v*scale) - shift)
		dst[i] = e
		s[i%lanes] += e
	}
	return fold(&s)
}

// Scale multiplies x by f.
func Scale(x []float32, f float32) {
	for i := vecScale(x, f); i < len(x); i++ {
		x[i] *= f
	}
}

// Add adds y to x.
func Add(x, y []float32) {
	y = y[:len(x)]
	for i := vecAdd(x, y); i < len(x); i++ {
		x[i] += y[i]
	}
}

// Softmax replaces x by the softmax of scale·x, scale > 0.
func Softmax(x []float32, scale float32) {
	if vecSoftmax(x, scale) > 0 {
		return
	}
	Scale(x, 1/ExpSum(x, x, scale, float32(Max(x)*scale)))
}

// SoftmaxBack turns dp, the gradient at the probabilities p, into scale times that at the logits.
func SoftmaxBack(dp, p []float32, scale float32) {
	s := Dot(p, dp)
	dp = dp[:len(p)]
	for i := vecSoftmaxBack(dp, p, s, scale); i < len(p); i++ {
		dp[i] = float32(float32(p[i]*(dp[i]-s)) * scale)
	}
}

// RMSNorm stores w·x/rms(x) in dst for each of rows rows of len(w) elements, which are ldd apart in dst and ldx in
// x, and 1/rms(x) in inv, where rms(x)² = mean(x²) + eps. It panics if an operand is too short.
func RMSNorm(dst []float32, ldd int, x []float32, ldx int, w []float32, rows int, eps float32, inv []float32) {
	if rows == 0 || len(w) == 0 {
		return
	}
	n := len(w)
	dst, x, inv = dst[:(rows-1)*ldd+n], x[:(rows-1)*ldx+n], inv[:rows]
	if vecNorms(dst, ldd, x, ldx, w, rows, eps, inv) > 0 {
		return
	}
	for i := range inv {
		in, out := x[i*ldx:][:n], dst[i*ldd:][:n]
		r := 1 / float32(math.Sqrt(float64(Dot(in, in)/float32(n)+eps)))
		for j, v := range in {
			out[j] = w[j] * float32(v*r)
		}
		inv[i] = r
	}
}

// RMSNormBack adds to dx and dw the gradients of RMSNorm, given x, w, the 1/rms it returned, and dy, the gradient at
// its result. It overwrites dy.
func RMSNormBack(dx, dw, dy, x, w []float32, r float32) {
	n := len(x)
	dx, dw, dy, w = dx[:n], dw[:n], dy[:n], w[:n]
	for i := vecNormBack(dw, dy, x, w, r); i < n; i++ {
		g := dy[i]
		dw[i] += float32(g * float32(x[i]*r))
		dy[i] = g * w[i]
	}
	f := float32(float32(float32(r*r)*r)*Dot(dy, x)) / float32(n)
	for i := vecNormBackAdd(dx, dy, x, r, f); i < n; i++ {
		dx[i] += float32(dy[i]*r) - float32(x[i]*f)
	}
}

// SwiGLU stores silu(gate)·up in dst, silu(x) = x/(1+e⁻ˣ).
func SwiGLU(dst, gate, up []float32) {
	gate, up = gate[:len(dst)], up[:len(dst)]
	for i := vecSwiglu(dst, gate, up); i < len(dst); i++ {
		g := gate[i]
		dst[i] = float32(g/(1+exp32(0-g))) * up[i]
	}
}

// SwiGLUBack replaces gate and up by the gradients there, given dh, the gradient at the result.
func SwiGLUBack(gate, up, dh []float32) {
	up, dh = up[:len(gate)], dh[:len(gate)]
	for i := vecSwigluBack(gate, up, dh); i < len(gate); i++ {
		g := gate[i]
		s := 1 / (1 + exp32(0-g))
		a := float32(g * s)
		d := dh[i]
		gate[i] = float32(d*up[i]) * (s + float32(a*(1-s)))
		up[i] = d * a
	}
}

// Rotate turns the pairs (x[i], x[i+n]) of each of rows rows of x, ld apart, by the angles with the given cosines
// and sines, n = len(cos), as Hugging Face lays out rotary embeddings. It panics if an operand is too short.
func Rotate(x []float32, ld, rows int, cos, sin []float32) { rotate(x, ld, rows, cos, sin, false) }

// RotateBack undoes Rotate; it is also the gradient of Rotate.
func RotateBack(x []float32, ld, rows int, cos, sin []float32) { rotate(x, ld, rows, cos, sin, true) }

func rotate(x []float32, ld, rows int, cos, sin []float32, back bool) {
	n := len(cos)
	if rows == 0 || n == 0 {
		return
	}
	x, sin = x[:(rows-1)*ld+2*n], sin[:n]
	if !back && vecRotate(x, ld, rows, cos, sin) > 0 || back && vecRotateBack(x, ld, rows, cos, sin) > 0 {
		return
	}
	for r := range rows {
		a, b := x[r*ld:][:n], x[r*ld+n:][:n]
		for i, c := range cos {
			u, v, s := a[i], b[i], sin[i]
			if back {
				s = -s
			}
			a[i] = float32(u*c) - float32(v*s)
			b[i] = float32(v*c) + float32(u*s)
		}
	}
}

// Squares returns Σ x² in float64.
func Squares(x []float32) float64 {
	var s [8]float64
	for i, v := range x {
		s[i%8] += float64(float64(v) * float64(v))
	}
	return ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]))
}

// Adam holds the numbers of one AdamW step, the same for all weights.
type Adam struct {
	Beta1, Beta2 float32
	Scale        float32 // of the gradient, for clipping
	Rate         float32 // learning rate over (1 − Beta1ᵗ)
	Second       float32 // 1/(1 − Beta2ᵗ)
	Epsilon      float32
	Keep         float32 // 1 − learning rate · weight decay
}

// Step moves the weights w by AdamW (Loshchilov and Hutter, arXiv:1711.05101), given the gradient g and the moments
// m and v, which it updates.
func (a Adam) Step(w, g, m, v []float32) {
	g, m, v = g[:len(w)], m[:len(w)], v[:len(w)]
	c1, c2 := 1-a.Beta1, 1-a.Beta2
	k := [9]float32{a.Beta1, a.Beta2, a.Scale, a.Rate, a.Second, a.Epsilon, a.Keep, c1, c2}
	for i := vecAdam(w, g, m, v, &k); i < len(w); i++ {
		x := float32(g[i] * a.Scale)
		m[i] = float32(a.Beta1*m[i]) + float32(c1*x)
		v[i] = float32(a.Beta2*v[i]) + float32(c2*float32(x*x))
		root := float32(math.Sqrt(float64(float32(v[i] * a.Second))))
		w[i] = float32(w[i]*a.Keep) - float32(float32(a.Rate*m[i])/(root+a.Epsilon))
	}
}
