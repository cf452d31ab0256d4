package stat

import (
	"math"
	"math/big"
	"math/rand/v2"
	"reflect"
	"testing"

	"hallmark/internal/archtest"
	"hallmark/internal/base/seed"
)

// The ranks against sums of binomial coefficients, exactly, and a few that textbooks print (n = 6: 1 and 6; 10: 2 and
// 9; 20: 6 and 15; 50: 18 and 33; 100: 40 and 61; David and Nagaraja, 7.1, and common tables of the sign test).
func TestMedianRanks(t *testing.T) {
	printed := map[int]int{6: 1, 10: 2, 20: 6, 50: 18, 100: 40}
	for n := 6; n <= 120; n++ {
		xs := make([]float64, n)
		for i := range xs {
			xs[i] = float64(n - i)
		}
		e := Median(xs, .95)
		k := int(e.Lo)
		if e.Hi != float64(n+1-k) || e.Value != float64(n+1)/2 {
			t.Fatalf("n = %d: %+v", n, e)
		}
		tail := func(k int) *big.Rat { // P(Bin(n, ½) <= k - 1)
			sum := new(big.Int)
			for i := range k {
				sum.Add(sum, new(big.Int).Binomial(int64(n), int64(i)))
			}
			return new(big.Rat).SetFrac(sum, new(big.Int).Lsh(big.NewInt(1), uint(n)))
		}
		if limit := big.NewRat(25, 1000); tail(k).Cmp(limit) > 0 || tail(k+1).Cmp(limit) <= 0 {
			t.Errorf("n = %d: rank %d is not the largest", n, k)
		}
		if want := printed[n]; want != 0 && k != want {
			t.Errorf("n = %d: rank %d, want %d", n, k, want)
		}
	}
}

func TestMedianEdges(t *testing.T) {
	if e := Median(nil, .95); e.OK() {
		t.Errorf("%+v", e)
	}
	e := Median([]float64{3, 1, math.Inf(1), 2, 2}, .95)
	if e.Value != 2 || !math.IsInf(e.Lo, -1) || !math.IsInf(e.Hi, 1) || len(e.Warnings) != 1 ||
		e.Warnings[0] != "5 values bound no median at 95 %: it takes 6" {
		t.Errorf("%+v", e)
	}
	if e := Median([]float64{math.Inf(1), math.Inf(1)}, .95); !math.IsInf(e.Value, 1) {
		t.Errorf("%+v", e)
	}
	defer func() {
		if recover() == nil {
			t.Error("NaN is taken")
		}
	}()
	Median([]float64{1, math.NaN()}, .95)
}

// The interval holds the median of a law with heavy tails in at least 95 % of samples less three standard errors, and
// not in far more: the rank is the largest that does.
func TestMedianCoverage(t *testing.T) {
	const draws = 4000
	for _, n := range []int{6, 15, 60} {
		r, held := seed.Stream(1, "median", string(rune(n))), 0
		xs := make([]float64, n)
		for range draws {
			for i := range xs {
				xs[i] = math.Exp(math.Tan(math.Pi * (r.Float64() - .5))) // the exponential of a Cauchy: median 1
			}
			if e := Median(xs, .95); e.Lo <= 1 && 1 <= e.Hi {
				held++
			}
		}
		if share := float64(held) / draws; share < .95-3*math.Sqrt(.95*.05/draws) || share > .985 {
			t.Errorf("n = %d: %.4f", n, share)
		}
	}
}

// Without clusters each bound is Median's, to the bit; of clusters of one size whose cases are the same it is that of
// one case of each. The value is that of the cases. By hand: of eight clusters of the sizes 1, 1, 1, 1, 1, 1, 1 and 20,
// the large one may be half of all, so nothing bounds the median.
func TestMedianByClusterOfOne(t *testing.T) {
	r := seed.Stream(9, "median")
	for _, n := range []int{3, 6, 9, 20, 61} {
		var few, values []float64
		var alone, five []int32
		for i := range n {
			x := math.Exp(r.NormFloat64())
			few, alone = append(few, x), append(alone, int32(i%2*(i+1)))
			for range 5 {
				values, five = append(values, x), append(five, int32(i+1))
			}
		}
		a, b, want := MedianByCluster(few, alone, .95), MedianByCluster(values, five, .95), Median(few, .95)
		if !reflect.DeepEqual(a, want) {
			t.Errorf("%d: %+v, want %+v", n, a, want)
		}
		if b.Lo != want.Lo || b.Hi != want.Hi || b.N != 5*n || b.Value != Median(values, .95).Value ||
			len(b.Warnings) != len(want.Warnings) {
			t.Errorf("%d in clusters: %+v, want %+v", n, b, want)
		}
	}
	values, cluster := []float64{1, 2, 3, 4, 5, 6, 7}, []int32{0, 0, 0, 0, 0, 0, 0}
	for range 20 {
		values, cluster = append(values, 8), append(cluster, 3)
	}
	if e := MedianByCluster(values, cluster, .95); !math.IsInf(e.Lo, -1) || !math.IsInf(e.Hi, 1) || len(e.Warnings) != 1 {
		t.Errorf("%+v", e)
	}
}

// With clusters of five cases that are the same, and with clusters of 1 to 30, the interval by cluster holds the median
// and that by case does so far less often.
func TestMedianByCluster(t *testing.T) {
	draws := archtest.Draws(40, 200, 200)
	for _, c := range []struct {
		name string
		size func(r *rand.Rand) int
	}{{"fives", func(*rand.Rand) int { return 5 }}, {"1 to 30", func(r *rand.Rand) int { return 1 + r.IntN(30) }}} {
		r := seed.Stream(2, "median by cluster", c.name)
		var held, bare float64
		for range draws {
			var values []float64
			var cluster []int32
			for i := range 60 {
				x := math.Exp(r.NormFloat64()) // of median 1
				for range c.size(r) {
					values, cluster = append(values, x), append(cluster, int32(i+1))
				}
			}
			if e := MedianByCluster(values, cluster, .95); e.Lo <= 1 && 1 <= e.Hi {
				held += 1 / float64(draws)
			}
			if e := Median(values, .95); e.Lo <= 1 && 1 <= e.Hi {
				bare += 1 / float64(draws)
			}
		}
		t.Logf("%s: %.3f by cluster, %.3f by case", c.name, held, bare)
		if held < .93 || bare > .8 {
			t.Errorf("%s: %.3f by cluster, %.3f by case", c.name, held, bare)
		}
	}
}
