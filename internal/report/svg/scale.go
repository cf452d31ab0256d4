package svg

import (
	"math"

	"hallmark/internal/stat/figure"
)

// Bounds are an interval.
type Bounds struct{ Lo, Hi float64 }

// Over is what an axis shows at least.
func Over(lo, hi float64) *Bounds { return &Bounds{lo, hi} }

// A Scale places values: those from Lo to Hi are drawn between From and To, pixels or shares.
type Scale struct {
	Bounds
	From, To float64
	Log      bool
}

// At returns where a value is drawn.
func (s Scale) At(v float64) float64 {
	lo, hi := s.Lo, s.Hi
	if s.Log {
		lo, hi, v = math.Log(lo), math.Log(hi), math.Log(v)
	}
	return s.From + (s.To-s.From)*(v-lo)/(hi-lo)
}

// Within is At of the value, or of the end that it lies beyond.
func (s Scale) Within(v float64) float64 { return s.At(math.Max(s.Lo, math.Min(s.Hi, v))) }

// Has reports whether a value is finite and lies on the scale.
func (s Scale) Has(v float64) bool {
	margin := 1e-9 * (s.Hi - s.Lo)
	return v >= s.Lo-margin && v <= s.Hi+margin && (!s.Log || v > 0)
}

// Hull widens bounds, where there are any, to hold the values that are finite, and positive for a logarithmic scale.
func Hull(at *Bounds, log bool, values []float64) Bounds {
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, v := range values {
		if finite(v) && (!log || v > 0) {
			lo, hi = min(lo, v), max(hi, v)
		}
	}
	if at != nil {
		lo, hi = min(lo, at.Lo), max(hi, at.Hi)
	}
	switch {
	case lo > hi:
		return Bounds{1, 2}
	case lo == hi && log:
		return Bounds{lo / 2, hi * 2}
	case lo == hi:
		return Bounds{lo - 1, hi + 1}
	}
	return Bounds{lo, hi}
}

func finite(values ...float64) bool {
	for _, v := range values {
		if v-v != 0 {
			return false
		}
	}
	return true
}

// A Tick is a value that an axis names.
type Tick struct {
	At   float64
	Text string
}

// Ticks are at most eight round values within bounds.
func (r Bounds) Ticks() (out []Tick) {
	step := math.Pow(10, math.Floor(math.Log10((r.Hi-r.Lo)/6)))
	for _, f := range []float64{1, 2, 5, 10} {
		if (r.Hi-r.Lo)/(f*step) <= 6 {
			step *= f
			break
		}
	}
	for k := math.Ceil(r.Lo/step - 1e-9); k*step <= r.Hi+1e-9*step && len(out) < 8; k++ {
		out = append(out, tick(k*step+0)) // no -0
	}
	return out
}

// Parts are the ends of bounds that begin at 0 and the values that part them in n.
func (r Bounds) Parts(n int) (out []Tick) {
	for i := range n + 1 {
		out = append(out, tick(math.Round(1000*(r.Lo+(r.Hi-r.Lo)*float64(i)/float64(n)))/1000))
	}
	return out
}

func tick(v float64) Tick { return Tick{v, figure.Short(v)} }
