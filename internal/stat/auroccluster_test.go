package stat

import (
	"math"
	"math/rand/v2"
	"testing"

	"hallmark/internal/seed"
)

// With a cluster for each case the difference is DeLong's, by hand: positives 3, 2, 1 and 1, 3, 2 of two scores, negatives 0, 2 and 2, 0.
//
//	placements of a: (1, .75, .5 | 1, .5), of b: (.5, 1, .75 | .5, 1); differences (.5, −.25, −.25 | .5, −.5), of the areas 0;
//	variances .1875 and .5, so .1875/3 + .5/2 = .3125
func TestAUROCPairedByHand(t *testing.T) {
	positive := []bool{true, true, true, false, false}
	e := AUROCPaired([]float64{3, 2, 1, 0, 2}, []float64{1, 3, 2, 2, 0}, positive, []int{0, 1, 2, 3, 4}, .95)
	if math.Abs(e.Value) > 1e-12 || math.Abs(e.Hi-min(1, Z(.95)*math.Sqrt(.3125))) > 1e-12 {
		t.Errorf("%+v", e)
	}
	same := AUROCPaired([]float64{3, 2, 1, 0, 2}, []float64{6, 4, 2, 0, 4}, positive, []int{0, 1, 2, 3, 4}, .95)
	if same.Value != 0 || same.Lo != 0 || same.Hi != 0 {
		t.Errorf("scores that rank alike: %+v", same)
	}
	one := AUROCPaired([]float64{3, 2, 1, 0, 2}, []float64{1, 3, 2, 2, 0}, positive, []int{0, 0, 0, 0, 0}, .95)
	if one.Lo != -1 || one.Hi != 1 || len(one.Warnings) != 1 {
		t.Errorf("one cluster: %+v", one)
	}
	if none := AUROCPaired([]float64{1}, []float64{1}, []bool{true}, []int{0}, .95); none.OK() || len(none.Warnings) != 1 {
		t.Errorf("one class: %+v", none)
	}
	if c := AUROCByCluster([]float64{3, 2, 1, 0, 2}, positive, []int{0, 1, 2, 3, 4}, .95); math.Abs(c.Value-.75) > 1e-12 || c.Lo > .75 || c.Hi < .75 {
		t.Errorf("%+v", c)
	}
}

// Clusters of ten cases whose scores, and whether they are positive, go together: the intervals hold the areas of 10,000 clusters in 92 % of 400 draws
// at least; of 1,000 draws they held 94.9 % of the differences and 94.7 % of the areas (Monte Carlo error .7 %).
func TestAUROCPairedCoverage(t *testing.T) {
	draw := func(clusters int, r *rand.Rand) (a, b []float64, positive []bool, cluster []int) {
		for c := range clusters {
			common, side := r.NormFloat64(), r.NormFloat64()
			for range 10 {
				p := r.NormFloat64()+side > .5
				shift := map[bool]float64{true: 1}[p]
				noise := r.NormFloat64()
				a = append(a, shift+.7*common+.5*noise+r.NormFloat64())
				b = append(b, .6*shift+.7*common+.5*noise+r.NormFloat64())
				positive, cluster = append(positive, p), append(cluster, c)
			}
		}
		return a, b, positive, cluster
	}
	r := seed.Stream(1, "auroc paired")
	a, b, positive, cluster := draw(10_000, r)
	first := AUROCByCluster(a, positive, cluster, .95).Value
	truth := AUROCPaired(a, b, positive, cluster, .95).Value
	held, heldFirst := 0, 0
	const runs = 400
	for range runs {
		a, b, positive, cluster := draw(50, r)
		if e := AUROCPaired(a, b, positive, cluster, .95); e.Lo <= truth && truth <= e.Hi {
			held++
		}
		if e := AUROCByCluster(a, positive, cluster, .95); e.Lo <= first && first <= e.Hi {
			heldFirst++
		}
	}
	t.Logf("difference %.3f held in %d, area %.3f in %d of %d", truth, held, first, heldFirst, runs)
	if held < 368 || heldFirst < 368 {
		t.Errorf("difference held in %d, area in %d of %d", held, heldFirst, runs)
	}
}
