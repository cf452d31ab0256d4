package stat

import (
	"math"
	"testing"

	"hallmark/internal/archtest"
)

// TestSizePairedIsSmallest: the search that halves finds the size that a search one by one finds.
func TestSizePairedIsSmallest(t *testing.T) {
	for _, c := range []struct{ base, detect, rho, power float64 }{
		{.5, .08, 0, .8}, {.5, .05, .3, .8}, {.25, .05, .2, .9}, {.01, .01, 0, .8}, {.55, .1, -.9, .8},
		{.5, .07, -.85, .8}, {.5, -.06, 0, .8}, {.999, .03, 0, .95},
	} {
		got, err := SizePaired(c.base, c.detect, c.rho, .95, c.power)
		if err != nil {
			t.Fatal(err)
		}
		x, y, _ := discordant(c.base, c.detect, c.rho)
		from := 1
		if !archtest.Long() { // one too large is found as well, as from itself
			from = max(1, got.N*9/10)
		}
		want, _ := firstLasting(from, 100_000, c.power, func(n int) float64 { return pairedPower(x, y, n, .95) })
		if got.N != want {
			t.Errorf("%+v: n = %d, want %d", c, got.N, want)
		}
	}
}

// TestSizesOfExtremes: what is too large is an error, and a power that any sample has takes few cases.
func TestSizesOfExtremes(t *testing.T) {
	for _, detect := range []float64{2e-10, 1e-300, -2e-10, math.SmallestNonzeroFloat64} {
		_, unpaired := SizeUnpaired(.5, detect, .95, .8)
		_, paired := SizePaired(.5, detect, 0, .95, .8)
		_, known := SizeKnown(.5, detect, .95, .8)
		_, half := SizeHalfWidth(.5, math.Abs(detect), .95, .8)
		for i, err := range []error{unpaired, paired, known, half} {
			if err == nil {
				t.Errorf("%v: no error of the %dth", detect, i)
			}
		}
	}
	for _, detect := range []float64{.1, -.1} {
		if s, err := SizeUnpaired(.5, detect, .95, 1e-300); err != nil || s.N != 1 {
			t.Errorf("%v: %+v, %v, want 1 case", detect, s, err)
		}
	}
	if s, err := SizePaired(.5, .006, 0, .95, .8); err != nil || s.N < 100_000 || s.Power < .8 ||
		s.Power > .801 { // minutes, one by one
		t.Errorf("%+v, %v", s, err)
	}
}
