package correct

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"hallmark/internal/archtest"
	"hallmark/internal/base/seed"
)

// A crowd is a world whose cases come in clusters of so many, or of 1 to so many: a case has, with the chance alike,
// the answers of its cluster, what they are and how they are read, and else those of a draw of its own.
type crowd struct {
	world
	size   int
	uneven bool
	alike  float64
	tilted bool // clusters of more than half the size are all of the failures
}

func (w crowd) String() string {
	return fmt.Sprintf("%v, clusters of %d, uneven %v, alike %.1f, tilted %v", w.world, w.size, w.uneven, w.alike,
		w.tilted)
}

// draw draws a run of which some answers are labelled, and the cluster of each case.
func (w crowd) draw(r *rand.Rand) (cases [][]Answer, cluster []int32) {
	var truth, common [][]int // kind and stratum of each answer of the two values
	of := func(fails float64) [][]int {
		own := [][]int{{right, 0}, {right, 0}}
		for v := range own {
			if r.Float64() < fails {
				own[v][0] = wrong
			}
			own[v][1] = w.read(own[v][0], r)
		}
		return own
	}
	at, left := int32(0), 0
	var truths [][][]int
	for range w.n {
		fails := w.rate
		if left == 0 {
			if at, left = at+1, w.size; w.uneven {
				left = 1 + r.IntN(w.size)
			}
			if w.tilted { // they hold three quarters of the cases
				if fails = 0; left > w.size/2 {
					fails = w.rate * 4 / 3
				}
			}
			common = of(fails)
		}
		left--
		truth = common
		if r.Float64() >= w.alike {
			truth = of(fails)
		}
		answers := []Answer{}
		for i := range max(1, w.each) {
			v := 0
			if i > 0 && r.Float64() < .3 {
				v = 1
			}
			answers = append(answers, Answer{Stratum: truth[v][1], Value: string(rune('a' + v)), Kind: NoLabel})
		}
		cases, truths, cluster = append(cases, answers), append(truths, truth), append(cluster, at)
	}
	seedValue := r.Uint64()
	w.labelled(Of(cases, w.strata, 2), func(take []int) *Sample {
		for _, p := range Draw(cases, take, seedValue) {
			a := &cases[p.Case][p.Answer]
			a.Kind, a.Weight = truths[p.Case][a.Value[0]-'a'][0], p.Weight
		}
		return Of(cases, w.strata, 2)
	})
	return cases, cluster
}

// Cases in clusters: the bounds by cluster hold the rate, those by case far less often where cases fare alike.
func TestRatesByClusterCovers(t *testing.T) {
	runs := archtest.Draws(100, 500, 2000)
	base := world{fw: .05, fr: .2, strata: 3, how: "random"}
	of := func(n, labels int, rate float64, each int) world {
		w := base
		w.n, w.labels, w.rate, w.each = n, labels, rate, each
		return w
	}
	adaptive := of(500, 120, .1, 1)
	adaptive.how = "adaptive"
	for _, c := range []struct {
		crowd
		most float64 // by case
	}{
		{crowd{of(40, 30, .5, 1), 5, false, 1, false}, .8},
		{crowd{of(100, 60, .1, 1), 5, false, .7, false}, .9},
		{crowd{of(500, 500, .01, 1), 5, false, 1, false}, .6},
		{crowd{of(500, 60, .5, 1), 30, true, .7, false}, .8},
		{crowd{of(500, 500, .3, 1), 30, true, 1, true}, .4},
		{crowd{of(100, 60, .3, 3), 5, false, 1, false}, .85},
		{crowd{adaptive, 5, false, 1, false}, .9},
	} {
		r := seed.Stream(8, "rates by cluster", c.String())
		var held, bare float64
		for range runs {
			cases, cluster := c.draw(r)
			s := r.Uint64()
			sample := OfClusters(cases, cluster, c.strata, 2)
			if e := sample.rates([]int{wrong}, .95, 500, s)[0]; e.Lo <= c.rate && c.rate <= e.Hi {
				held += 1 / float64(runs)
			}
			if e := Of(cases, c.strata, 2).rates([]int{wrong}, .95, 500, s)[0]; e.Lo <= c.rate && c.rate <= e.Hi {
				bare += 1 / float64(runs)
			}
		}
		t.Logf("%v: %.3f by cluster, %.3f by case", c.crowd, held, bare)
		if held < min(aim, archtest.Least(.95, runs)) || bare > c.most {
			t.Errorf("%v: %.3f by cluster, %.3f by case", c.crowd, held, bare)
		}
	}
}

// Where no two cases go together it is Of, to the bit, and the order of clusters changes nothing. In clusters of five
// whose cases are all labelled and alike it is about what the clusters alone make: only how it draws differs.
func TestOfClusters(t *testing.T) {
	r := seed.Stream(9, "of clusters")
	w := crowd{world{n: 300, labels: 300, rate: .2, fw: .1, fr: .1, strata: 3, how: "random"}, 5, false, 1, false}
	cases, cluster := w.draw(r)
	alone := make([]int32, len(cases))
	for i := range alone {
		alone[i] = int32(i)
	}
	want := Of(cases, 3, 2)
	for name, of := range map[string][]int32{"nil": nil, "alone": alone, "zeros": make([]int32, len(cases))} {
		if got := OfClusters(cases, of, 3, 2); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, want %+v", name, got, want)
		}
	}
	var one [][]Answer // a case of each cluster
	for i := 0; i < len(cases); i += 5 {
		one = append(one, cases[i])
	}
	got, few := OfClusters(cases, cluster, 3, 2), Of(one, 3, 2)
	a, b := got.Rates(.95, 7), few.Rates(.95, 7)
	for j := range a {
		if !archtest.Near(a[j].Value, b[j].Value, 1e-12) || !archtest.Near(a[j].Lo, b[j].Lo, .01) ||
			!archtest.Near(a[j].Hi, b[j].Hi, .01) ||
			a[j].N != 300 {
			t.Errorf("kind %d: %+v, of one case each %+v", j, a[j], b[j])
		}
		if bare := want.Rates(.95, 7)[j]; bare.Hi-bare.Lo > .6*(a[j].Hi-a[j].Lo) {
			t.Errorf("kind %d: %+v by case, %+v by cluster", j, bare, a[j])
		}
	}
	x, y := got.Among(wrong, []int{wrong, right}, .95, 7), a[wrong]
	if !archtest.Near(x.Value, y.Value, 1e-12) || !archtest.Near(x.Lo, y.Lo, .02) || !archtest.Near(x.Hi, y.Hi, .02) ||
		x.Method != "double sampling, by cluster" {
		t.Errorf("among all kinds %+v, want %+v", x, y)
	}
	slices.Reverse(cases)
	slices.Reverse(cluster)
	if again := OfClusters(cases, cluster, 3, 2); !reflect.DeepEqual(again.Rates(.95, 7), a) {
		t.Error("another order of cases, another figure")
	}
	// Labels of a cluster plan as one does: 60 of 300 labels, alike by five.
	if v, m := got.plan(wrong).variance(), few.plan(wrong).variance(); !archtest.Near(v, m, 1e-5) {
		t.Errorf("variance %.6f, of one case each %.6f", v, m)
	}
	defer func() {
		if recover() == nil {
			t.Error("cases and clusters of different numbers do not panic")
		}
	}()
	OfClusters(cases, cluster[1:], 3, 2)
}
