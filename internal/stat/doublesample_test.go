package stat

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"hallmark/internal/seed"
)

// DoubleSampled by hand: shares, zeros and ones.
func TestDoubleSampled(t *testing.T) {
	r := func() *rand.Rand { return seed.Stream(1, "test") }
	// (60/100)(2/20) + (40/100)(15/20) = .36 of the first kind.
	got := DoubleSampled([]ReadStratum{{60, []int{2, 18}}, {0, []int{0, 0}}, {40, []int{15, 5}}}, .95, r())
	if len(got) != 2 || math.Abs(got[0].Value-.36) > 1e-12 || math.Abs(got[0].Value+got[1].Value-1) > 1e-12 || got[0].N != 100 {
		t.Fatalf("%+v", got)
	}
	// The variance of θ by the delta method: Σ w²p(1-p)/k + (Σ w p² - θ²)/n; the quantiles of the samples are close to that of the normal.
	se := math.Sqrt(.36*.1*.9/20 + .16*.75*.25/20 + (.6*.01+.4*.5625-.36*.36)/100)
	if w, want := got[0].Hi-got[0].Lo, 2*1.96*se; math.Abs(w/want-1) > .08 {
		t.Errorf("the width is %.4f, %.4f by the delta method", w, want)
	}
	// Of both kinds the share of one is its own; among three it is of two.
	of := []ReadStratum{{60, []int{2, 10, 8}}, {40, []int{15, 5, 0}}}
	if s := DoubleSampledShare(of[:1], 0, []int{0, 1}, .95, r()); math.Abs(s.Value-1./6) > 1e-12 || s.Lo <= 0 || s.Lo >= s.Value || s.Hi <= s.Value || s.Hi >= .6 {
		t.Errorf("%+v", s)
	}
	two := DoubleSampledShare([]ReadStratum{{60, []int{2, 18}}, {40, []int{15, 5}}}, 0, []int{0, 1}, .95, r())
	if math.Abs(two.Value-.36) > 1e-12 || math.Abs(two.Lo-got[0].Lo) > .01 || math.Abs(two.Hi-got[0].Hi) > .01 {
		t.Errorf("%+v, want %+v", two, got[0])
	}
	if s := DoubleSampledShare([]ReadStratum{{60, []int{0, 0, 8}}}, 0, []int{0, 1}, .95, r()); s.OK() {
		t.Errorf("%+v of nothing", s)
	}
	none := DoubleSampled([]ReadStratum{{900, []int{0, 50}}}, .95, r())
	// One stratum without a failure: the upper bound is the .975 quantile of Beta(1/3, 50 + 1/2).
	if want := (distuv.Beta{Alpha: 1. / 3, Beta: 50 + .5}).Quantile(.975); none[0].Lo != 0 || math.Abs(none[0].Hi-want) > .004 || none[1].Hi != 1 {
		t.Errorf("%+v, want an upper bound of %.4f", none, want)
	}
	again := DoubleSampled([]ReadStratum{{60, []int{2, 18}}, {40, []int{15, 5}}}, .95, r())
	if again[0].Lo != got[0].Lo || again[1].Hi != got[1].Hi {
		t.Error("an empty stratum changes the bounds, or the seed does not decide them")
	}
	if DoubleSampled(nil, .95, r()) != nil {
		t.Error("no case has a value")
	}
	defer func() {
		if recover() == nil {
			t.Error("a stratum without a label is let pass")
		}
	}()
	DoubleSampled([]ReadStratum{{5, []int{0, 0}}}, .95, r())
}

func TestAllocate(t *testing.T) {
	for _, tt := range []struct {
		strata []ReadStratum
		want   int
	}{
		{[]ReadStratum{{100, []int{0, 0}}, {10, []int{0, 0}}}, 0},
		{[]ReadStratum{{100, []int{1, 0}}, {10, []int{0, 0}}}, 1},
		{[]ReadStratum{{100, []int{2, 1}}, {10, []int{1, 1}}}, 1},
		{[]ReadStratum{{100, []int{2, 2}}, {100, []int{4, 0}}}, 0}, // where people differ more
		{[]ReadStratum{{100, []int{2, 2}}, {900, []int{4, 0}}}, 1}, // where there are more cases
		{[]ReadStratum{{4, []int{2, 2}}, {2, []int{2, 0}}}, -1},
		{[]ReadStratum{{2, []int{1, 1}}, {9, []int{3, 0}}}, 1},
	} {
		if got := slices.Index(Allocate(tt.strata, 0, 1), 1); got != tt.want {
			t.Errorf("%v: %d, want %d", tt.strata, got, tt.want)
		}
	}
	if got := Allocate([]ReadStratum{{100, []int{0, 0}}, {100, []int{0, 0}}, {1, []int{0, 0}}}, 0, 30); !slices.Equal(got, []int{15, 14, 1}) {
		t.Errorf("%v", got)
	}
	// One stratum of 1,000 at p = 1/2: ±.05 takes 385 labels, less those that the finite sample of cases adds nothing to.
	m, ok := LabelsFor([]ReadStratum{{1000, []int{10, 10}}}, 0, .1, .95)
	if !ok || m < 340 || m > 385 {
		t.Errorf("%d more, %v", m, ok)
	}
	if m, ok := LabelsFor([]ReadStratum{{30, []int{5, 5}}}, 0, .01, .95); ok || m != 20 {
		t.Errorf("%d more, %v", m, ok)
	}
}

// A doubleCell is a world in which graders err: of n answers a share is truly wrong; fw of the right ones are read as wrong, fr of the wrong ones as
// right, and parts of what is read as each are told apart for no reason, so that there are more strata.
type doubleCell struct {
	n, labels     int
	rate, fw, fr  float64
	strata        int
	neyman        bool
	covered, wide float64 // from docs/methods.md and GRADING 4; 0: not given there
}

// run returns how often the interval holds the rate, and its mean width.
func (c doubleCell) run(draws int, r *rand.Rand) (covered, width float64) {
	per := c.strata / 2
	held := 0
	for range draws {
		strata := make([]ReadStratum, c.strata)
		truth := make([][]int, c.strata)
		for range c.n {
			wrong := r.Float64() < c.rate
			read := wrong != (r.Float64() < map[bool]float64{false: c.fw, true: c.fr}[wrong])
			s := r.IntN(per)
			if read {
				s += per
			}
			strata[s].N++
			truth[s] = append(truth[s], map[bool]int{true: 0, false: 1}[wrong])
		}
		for i := range strata {
			strata[i].Labels = make([]int, 2)
		}
		label := func(s int) { // answers of a stratum are in random order
			k := strata[s].labelled()
			strata[s].Labels[truth[s][k]]++
		}
		if c.neyman {
			for range c.labels {
				for s, more := range Allocate(strata, 0, 1) {
					if more > 0 {
						label(s)
					}
				}
			}
		} else {
			left := c.labels
			for s := range strata {
				for strata[s].labelled() < min(3, strata[s].N) {
					label(s)
					left--
				}
			}
			for ; left > 0; left-- { // the rest in proportion to what is left
				at := r.IntN(c.n)
				for s := range strata {
					if at -= strata[s].N; at < 0 {
						if strata[s].labelled() < strata[s].N {
							label(s)
						}
						break
					}
				}
			}
		}
		e := doubleSampled(strata, .95, 1000, r)[0]
		if e.Lo <= c.rate && c.rate <= e.Hi {
			held++
		}
		width += (e.Hi - e.Lo) / float64(draws)
	}
	return float64(held) / float64(draws), width
}

// TestDoubleSampledCovers simulates the coverage of DoubleSampled against a known rate: the cells of GRADING 4 with the width given there, and a grid
// of sizes, rates, errors, labels, numbers of strata and ways of choosing labels. HALLMARK_LONG=1 prints one cell in 17 of the grid.
func TestDoubleSampledCovers(t *testing.T) {
	draws, every := 100, 97
	if long {
		draws, every = 400, 17
	}
	least := .93 - 3*math.Sqrt(.95*.05/float64(draws))
	for i, c := range []doubleCell{
		{200, 60, .28, .10, .35, 2, false, .949, .194}, {900, 90, .25, .02, .05, 2, false, .957, .092},
		{900, 50, .03, .01, .20, 2, false, .988, .074}, {300, 100, .10, .115, .034, 2, false, .951, .099},
	} {
		covered, width := c.run(draws, seed.Stream(uint64(i), "double"))
		if covered < least || width > 1.06*c.wide || width < .85*c.wide {
			t.Errorf("%+v: covered %.3f, width %.3f", c, covered, width)
		}
	}
	grid, low := 0, 1.
	for _, n := range []int{50, 300, 2000} {
		for _, rate := range []float64{.01, .05, .2, .5} {
			for _, err := range [][2]float64{{0, 0}, {.05, .3}, {.3, .05}} {
				for _, labels := range []int{30, 60, 200, 500} {
					for _, strata := range []int{2, 4, 8} {
						for _, neyman := range []bool{false, true} {
							grid++
							if labels > n/2 || labels < 3*strata || grid%every != 0 {
								continue
							}
							c := doubleCell{n: n, labels: labels, rate: rate, fw: err[0], fr: err[1], strata: strata, neyman: neyman}
							covered, width := c.run(draws, seed.Stream(1, "double", fmt.Sprint(c)))
							low = min(low, covered)
							if covered < least {
								t.Errorf("%+v: covered %.3f", c, covered)
							}
							if long {
								t.Logf("n %4d rate %.2f fw %.2f fr %.2f labels %3d strata %d neyman %-5v covered %.3f width %.3f", n, rate, err[0], err[1], labels, strata, neyman, covered, width)
							}
						}
					}
				}
			}
		}
	}
	t.Logf("lowest %.3f", low)
}

func BenchmarkDoubleSampled(b *testing.B) {
	strata := make([]ReadStratum, 9)
	for i := range strata {
		strata[i] = ReadStratum{220, []int{4, 10, 2}}
	}
	for b.Loop() {
		DoubleSampled(strata, .95, seed.Stream(1, "bench"))
	}
}
