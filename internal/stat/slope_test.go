package stat

import (
	"fmt"
	"math"
	"testing"

	"hallmark/internal/base/seed"
)

// TestWelch has, without clusters, scipy 1.17.1's ttest_ind(x, y, equal_var=False) and its confidence_interval.
func TestWelch(t *testing.T) {
	x := []float64{3.1, 2.4, 4.0, 3.3, 2.9, 5.1, 2.2, 2.5, 1.9, 3.0, 2.1}
	yes := []bool{true, true, true, true, true, true, false, false, false, false, false}
	g := Welch(x, yes, nil, .95)
	checkTested(t, g, 1.126666666666667, 0.10353175321206876, 2.149801580121265, 0.035133847663423964)
	// each value twice, in one cluster, is the same observation: the same figures
	x2, yes2, cluster := []float64{}, []bool{}, []int32{}
	for i := range x {
		x2, yes2, cluster = append(x2, x[i], x[i]), append(yes2, yes[i], yes[i]), append(cluster, int32(i+1), int32(i+1))
	}
	checkTested(t, Welch(x2, yes2, cluster, .95), g.Value, g.Lo, g.Hi, g.P)
	if Welch([]float64{1, 1, 1, 1}, []bool{true, true, false, false}, nil, .95).OK() {
		t.Error("values that do not differ have an interval")
	}
	if Welch([]float64{1, 2, 3}, []bool{true, false, false}, []int32{1, 2, 2}, .95).OK() {
		t.Error("a side in one cluster has an interval")
	}
}

func checkTested(t *testing.T, got Tested, value, lo, hi, p float64) {
	t.Helper()
	for _, x := range [][2]float64{{got.Value, value}, {got.Lo, lo}, {got.Hi, hi}, {got.P, p}} {
		if math.Abs(x[0]-x[1]) > 1e-9 {
			t.Errorf("%.12f, want %.12f", x[0], x[1])
		}
	}
}

// TestSlopeWithin has the slope of a regression on dummies with the sandwich by clusters, computed with matrices in
// numpy 2.4.6 and scipy 1.17.1: (X'X)^-1 (Σ X_g' e_g e_g' X_g) (X'X)^-1 G/(G-1) (n-1)/(n-k), t with G - 1.
func TestSlopeWithin(t *testing.T) {
	x := []float64{1, 2, 2.5, 4, 3, 1.5, 2.2, 3.8, .5, 4.4}
	y := []float64{0, 1, 0, 1, 1, 0, 0, 1, 0, 0}
	stratum := []int{0, 0, 0, 0, 0, 1, 1, 1, 1, 1}
	cluster := []int32{1, 1, 2, 3, 3, 4, 5, 5, 6, 7}
	checkTested(t, SlopeWithin(x, y, stratum, cluster, .95), 0.18325968286976868, -0.09272497737265534, 0.4592443431121927,
		0.1553304332458194)
	if SlopeWithin([]float64{1, 1, 1}, []float64{0, 1, 0}, make([]int, 3), nil, .95).OK() {
		t.Error("x that does not differ has a slope")
	}
}

// TestSlopesCover draws clusters of one to three that are alike, with a slope of .1 in two strata of other means, and
// counts how often 95 % intervals hold what is true, of the slope and of the difference of two means (which is 0).
func TestSlopesCover(t *testing.T) {
	const draws = 1000
	slope, mean := 0, 0
	for d := range draws {
		rng := seed.Stream(3, "slopes", fmt.Sprint(d))
		var x, y []float64
		var stratum []int
		var cluster []int32
		var yes []bool
		for c := range int32(60) {
			a, b, s := rng.NormFloat64(), rng.NormFloat64(), rng.IntN(2)
			for range 1 + rng.IntN(3) {
				v := a + .5*rng.NormFloat64()
				x, stratum, cluster = append(x, v), append(stratum, s), append(cluster, c+1)
				y = append(y, .1*v+3*float64(s)+.7*b+rng.NormFloat64())
				yes = append(yes, rng.IntN(3) == 0)
			}
		}
		if e := SlopeWithin(x, y, stratum, cluster, .95); e.Lo <= .1 && .1 <= e.Hi {
			slope++
		}
		if e := Welch(x, yes, cluster, .95); e.Lo <= 0 && 0 <= e.Hi {
			mean++
		}
	}
	for name, n := range map[string]int{"slope": slope, "difference": mean} {
		if share := float64(n) / draws; share < .93 || share > .975 {
			t.Errorf("intervals of the %s hold it in %.3f of draws", name, share)
		}
	}
}
