package stat

import (
	"math"
	"math/big"
	"testing"

	"hallmark/internal/seed"
)

// The ranks against sums of binomial coefficients, exactly, and a few that textbooks print (n = 6: 1 and 6; 10: 2 and 9; 20: 6 and 15; 50: 18 and 33;
// 100: 40 and 61; David and Nagaraja, 7.1, and common tables of the sign test).
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
	if e.Value != 2 || !math.IsInf(e.Lo, -1) || !math.IsInf(e.Hi, 1) || len(e.Warnings) != 1 || e.Warnings[0] != "5 values bound no median at 95 %: it takes 6" {
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

// The interval holds the median of a law with heavy tails in at least 95 % of samples less three standard errors, and not in far more: the rank is
// the largest that does.
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
