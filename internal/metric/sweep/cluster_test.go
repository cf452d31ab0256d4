package sweep

import (
	"slices"
	"testing"

	"hallmark/internal/stat"
)

// Cases of one cluster are resampled as one.
func TestSharesByCluster(t *testing.T) {
	// One case that is asked twenty times does not outvote another that is asked once: each is the peak in half of the
	// draws, and in 21 independent cases the one would be in nearly all.
	whole, cluster := make([][]float64, 2), append(slices.Repeat([]int32{1}, 20), 0)
	whole[0], whole[1] = append(slices.Repeat([]float64{1}, 20), 0), append(make([]float64, 20), 19)
	whole[0], whole[1] = stat.Together(whole[0], whole[1], cluster)
	o := Options{Resamples: 4000, Seed: 1}
	if by := o.shares(whole); by[0] < .70 || by[0] > .80 { // 3 of 4 draws of two have the twenty
		t.Errorf("by cluster %v", by)
	}
}
