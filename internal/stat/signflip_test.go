package stat

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

func TestSignFlip(t *testing.T) {
	for _, c := range []struct {
		d    []int64
		want float64
		mid  float64
	}{
		{nil, 1, 1},
		{[]int64{0, 0}, 1, 1},
		{[]int64{5}, 1, .5},                          // both signs are as far
		{[]int64{1, 2, 3}, 2. / 8, 1. / 8},           // by hand: only +++ and --- reach 6
		{[]int64{3, -1, 2}, 4. / 8, 3. / 8},          // by hand: sums 6, 4, 2, 0 and their negatives; |4| or more: 4 of 8
		{[]int64{1, 1, 1, 1, -1}, 12. / 32, 7. / 32}, // McNemar of 4 and 1: 2 (1 + 5)/32
		// Darwin's 15 pairs of maize, in eighths of an inch: Fisher, The Design of Experiments, 1935, section 21,
		// counts 863 of 32768 sums at least as high, one side.
		{[]int64{49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48}, 2 * 863. / 32768, (863. + 835.) / 32768},
	} {
		p, mid, exact := SignFlip(c.d)
		if !exact || math.Abs(p-c.want) > 1e-12 || math.Abs(mid-c.mid) > 1e-12 {
			t.Errorf("%v: p %v, mid-p %v (exact %v), want %v, %v", c.d, p, mid, exact, c.want, c.mid)
		}
	}
	big := make([]int64, 4000)
	for i := range big {
		big[i] = int64(1000 + i)
		if i%2 == 1 {
			big[i] = -big[i]
		}
	}
	if p, _, exact := SignFlip(big); exact || !(p > .9 && p <= 1) {
		t.Errorf("p %v, exact %v", p, exact)
	}
}

// Differences of one unit are McNemar's test, and the normal limit is near the exact p.
func TestSignFlipAgrees(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b, c := rapid.IntRange(0, 40).Draw(t, "b"), rapid.IntRange(0, 40).Draw(t, "c")
		var d []int64
		for range b {
			d = append(d, 7)
		}
		for range c {
			d = append(d, 0, -7)
		}
		p, _, exact := SignFlip(d)
		if want := McNemar(b, c); !exact || math.Abs(p-want) > 1e-9 {
			t.Fatalf("%d against %d: p %v, McNemar %v", b, c, p, want)
		}
	})
	var d []int64
	for i := range 300 {
		x := int64(i%11) - 5
		if i < 110 {
			x++
		}
		d = append(d, x)
	}
	var sum, squares float64
	for _, x := range d {
		sum += float64(x)
		squares += float64(x * x)
	}
	p, _, _ := SignFlip(d)
	if limit := math.Erfc(math.Abs(sum) / math.Sqrt(2*squares)); math.Abs(p-limit) > .1*limit {
		t.Errorf("exact %v, normal limit %v", p, limit)
	}
}
