package model

import (
	"math"
	"testing"
)

func TestCosine(t *testing.T) {
	for _, c := range []struct {
		a, b []float32
		want float64
		ok   bool
	}{
		{[]float32{1, 0}, []float32{0, 2}, 0, true}, {[]float32{1, 2}, []float32{2, 4}, 1, true}, {[]float32{1, 2}, []float32{-3, -6}, -1, true},
		{[]float32{3, 4}, []float32{4, 3}, .96, true}, {[]float32{1}, []float32{1, 2}, 0, false}, {nil, nil, 0, false},
		{[]float32{0, 0}, []float32{1, 2}, 0, false}, {[]float32{float32(math.NaN())}, []float32{1}, 0, false}, {[]float32{float32(math.Inf(1))}, []float32{1}, 0, false},
	} {
		if got, ok := Cosine(c.a, c.b); ok != c.ok || math.Abs(got-c.want) > 1e-15 {
			t.Errorf("Cosine(%v, %v) = %v %v, want %v %v", c.a, c.b, got, ok, c.want, c.ok)
		}
	}
}
