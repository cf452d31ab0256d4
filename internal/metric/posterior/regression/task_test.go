package regression

import (
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"hallmark/internal/metric/posterior/exact"
)

// Over functions the mean response has the covariance of the wide network; 3,000 functions leave a standard error of
// about √2·2.5/√3000 = .065 at the ends of the range, and four of these are allowed.
func TestFunctionsAreTheWideNetworks(t *testing.T) {
	const functions = 3000
	points := []float64{-2, 0, .5, 2}
	var sums [4][4]float64
	for i := range functions {
		f := Draw(1, Test, i)
		for a, x := range points {
			for b, y := range points {
				sums[a][b] += f.Mean(x) * f.Mean(y) / functions
			}
		}
	}
	for a, x := range points {
		for b, y := range points {
			if want := (exact.Wide{}).Kernel(x, y); math.Abs(sums[a][b]-want) > .26 {
				t.Errorf("covariance at %g and %g is %g, want %g", x, y, sums[a][b], want)
			}
		}
	}
}

// Pairs are the same whenever asked for, lie in the range, have the noise of the task, and no two series share them.
func TestSeries(t *testing.T) {
	s := Draw(1, Training, 7)
	again := Draw(1, Training, 7)
	const n = 4000
	var sum, squares, xs float64
	for j := range n {
		p := s.Pair(j)
		if again.Pair(j) != p {
			t.Fatalf("pair %d is not the same again", j)
		}
		if !(math.Abs(p.X) <= Range) {
			t.Fatalf("query %g", p.X)
		}
		d := p.Y - s.Mean(p.X)
		sum, squares, xs = sum+d/n, squares+d*d/n, xs+p.X/n
	}
	if math.Abs(sum) > 4*Sigma/math.Sqrt(n) || math.Abs(math.Sqrt(squares)-Sigma) > 4*Sigma/math.Sqrt(2*n) ||
		math.Abs(xs) > 4*1.155/math.Sqrt(n) {
		t.Errorf("noise has mean %g and deviation %g, queries mean %g", sum, math.Sqrt(squares), xs)
	}
	seen := map[Pair]string{}
	for _, set := range []string{Training, Test} {
		for i := range 50 {
			p := Draw(1, set, i).Pair(0)
			if at, ok := seen[p]; ok {
				t.Errorf("%s %d begins as %s", set, i, at)
			}
			seen[p] = set + " " + strconv.Itoa(i)
		}
	}
	if f := Foreign(1, 0); Foreign(1, 0).Mean(.3) != f.Mean(.3) || Foreign(1, 1).Mean(.3) == f.Mean(.3) {
		t.Error("foreign series are not named streams")
	}
}

func TestSubset(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 60).Draw(t, "n")
		k := rapid.IntRange(0, n).Draw(t, "k")
		got := subset(n, k, rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1)))
		if len(got) != k {
			t.Fatalf("%d of %d numbers", len(got), k)
		}
		slices.Sort(got)
		if k > 0 && (got[0] < 0 || got[k-1] >= n || len(slices.Compact(slices.Clone(got))) != k) {
			t.Fatalf("%v is no subset of %d numbers", got, n)
		}
	})
	// Each order of three of four numbers comes as often: 24 of them, 12,000 draws, 500 each with deviation 22.
	counts := map[[3]int]int{}
	r := rand.New(rand.NewPCG(5, 5))
	for range 12_000 {
		counts[[3]int(subset(4, 3, r))]++
	}
	if len(counts) != 24 {
		t.Errorf("%d orders, want 24", len(counts))
	}
	for order, n := range counts {
		if n < 400 || n > 600 {
			t.Errorf("order %v came %d times, want about 500", order, n)
		}
	}
}
