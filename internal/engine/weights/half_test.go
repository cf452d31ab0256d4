package weights

import (
	"math"
	"testing"
)

// TestHalf narrows every float16, and what lies between it and the next: halfway goes to the even one, the neighbours
// of halfway to the nearer. By IEEE 754, the largest is followed by infinity, which begins at the halfway to 2¹⁶.
func TestHalf(t *testing.T) {
	for h := range uint16(0x7c00) {
		low, high := half(h), half(h+1)
		if h+1 == 0x7c00 {
			high = 1 << 16
		}
		middle := (low + high) / 2
		even := h + h&1
		for _, c := range []struct {
			x    float32
			want uint16
		}{
			{low, h}, {middle, even}, {math.Nextafter32(middle, low), h}, {math.Nextafter32(middle, high), h + 1},
		} {
			if got := toHalf(c.x); got != c.want {
				t.Fatalf("toHalf(%g) = %#x, want %#x", c.x, got, c.want)
			}
			if got := toHalf(-c.x); got != c.want|0x8000 {
				t.Fatalf("toHalf(-%g) = %#x, want %#x", c.x, got, c.want|0x8000)
			}
		}
	}
	inf := float32(math.Inf(1))
	if toHalf(inf) != 0x7c00 || toHalf(-inf) != 0xfc00 || toHalf(math.MaxFloat32) != 0x7c00 || toHalf(0x1p-149) != 0 {
		t.Error("infinity, the largest or the least float32")
	}
	if x := half(toHalf(float32(math.NaN()))); x == x {
		t.Errorf("NaN becomes %g", x)
	}
}
