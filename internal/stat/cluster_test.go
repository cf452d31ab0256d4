package stat

import (
	"math"
	"reflect"
	"slices"
	"testing"

	"hallmark/internal/archtest"
	"hallmark/internal/base/seed"
)

// Sums over clusters, with a case by itself under 0, by hand; nothing is added up where no two cases go together.
func TestTogether(t *testing.T) {
	ks, ms := Together([]float64{1, 2, 3, 4, 5}, []float64{2, 2, 3, 4, 6}, []int32{7, 0, 7, 0, 3})
	if !slices.Equal(ks, []float64{4, 2, 4, 5}) || !slices.Equal(ms, []float64{5, 2, 4, 6}) {
		t.Errorf("sums %v of %v", ks, ms)
	}
	for _, c := range []struct {
		of   []int32
		want int
	}{{[]int32{7, 0, 7, 0, 3}, 4}, {[]int32{1, 2, 3}, 0}, {[]int32{0, 0}, 0}, {[]int32{5, 5}, 1}, {nil, 0}} {
		if n := Clusters(c.of); n != c.want {
			t.Errorf("%v are %d clusters, want %d", c.of, n, c.want)
		}
	}
	if p := McNemarByCluster([]float64{1, 1, 0, 1}, []float64{0, 0, 1, 1},
		[]int32{1, 1, 0, 2}); p != 1 { // of ±2 ±1: all are 1 or more
		t.Errorf("p %v", p)
	}
}

// Where no two cases go together each figure by cluster is that by case, to the bit.
func TestByClusterIsByCaseAlone(t *testing.T) {
	base, other, bits := []float64{.1, .3, 1, 0, .7}, []float64{.2, .3, .9, 0, 0}, []float64{1, 0, 1, 1, 0}
	for _, cluster := range [][]int32{nil, make([]int32, 5), {1, 2, 3, 4, 5}} {
		for _, pair := range [][2]Estimate{
			{MeanByCluster(base, cluster, .95), Mean(base, .95)},
			{ShareByCluster(bits, cluster, .95), Wilson(3, 5, .95)},
			{Paired(base, other, cluster, .95).Estimate, Paired(base, other, nil, .95).Estimate},
			{Reduction(base, other, cluster, .95), Reduction(base, other, nil, .95)},
		} {
			if !reflect.DeepEqual(pair[0], pair[1]) {
				t.Errorf("%v: %+v is not %+v", cluster, pair[0], pair[1])
			}
		}
		if p, want := McNemarByCluster(bits, []float64{0, 0, 0, 1, 1}, cluster), McNemar(2, 1); p != want {
			t.Errorf("p %v, want %v", p, want)
		}
	}
}

// 60 questions are asked 1 to 30 times each, and the cases of a question go together for the most part: intervals by
// cluster hold the truth as often as they say, those by case far less often; and a test of no change by cluster is
// wrong as often as it says, and one by case far more often.
func TestByClusterCovers(t *testing.T) {
	runs := archtest.Draws(25, 300, 300)
	r := seed.Stream(5, "by cluster")
	names := []string{"mean", "share", "difference", "reduction", "no change"}
	var held, byCase [5]int
	for range runs {
		var base, other, bits, before, after []float64
		var cluster []int32
		for q := range 60 {
			x, y, same := r.Float64(), r.Float64(), r.Float64()
			for range 1 + r.IntN(2)*r.IntN(30) {
				noise := func(v float64) float64 { return max(0, min(1, v+.1*(r.Float64()-.5))) }
				b, o := noise(x), noise(x*y) // expected half of the base
				base, other, cluster = append(base, b), append(other, o), append(cluster, int32(q+1))
				bits = append(bits, Bit(x < .3))
				before = append(before, Bit(same < .2))
				after = append(after, Bit(same > .8))
			}
		}
		for _, by := range []struct {
			cluster []int32
			held    *[5]int
		}{{cluster, &held}, {nil, &byCase}} {
			for i, in := range []bool{
				holds(MeanByCluster(base, by.cluster, .95), .5),
				holds(ShareByCluster(bits, by.cluster, .95), .3),
				holds(Paired(base, other, by.cluster, .95).Estimate, -.25),
				holds(Reduction(base, other, by.cluster, .95), .5),
				McNemarByCluster(before, after, by.cluster) > .05,
			} {
				if in {
					by.held[i]++
				}
			}
		}
	}
	for i, name := range names {
		share, bare := float64(held[i])/float64(runs), float64(byCase[i])/float64(runs)
		t.Logf("%s: %.3f by cluster, %.3f by case", name, share, bare)
		if share < archtest.Least(.95, runs) || bare > .8 {
			t.Errorf("%s: %.3f by cluster, %.3f by case", name, share, bare)
		}
	}
}

func holds(e Estimate, truth float64) bool {
	return e.Lo <= truth && truth <= e.Hi && !math.IsNaN(e.Value)
}
