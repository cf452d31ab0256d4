package correct

import (
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"hallmark/internal/archtest"
	"hallmark/internal/base/seed"
)

func sqrt(n int) float64 { return math.Sqrt(float64(n)) }

// Δ by hand, bounds from numpy 2.4.6: two million draws of the formula of Paired (default_rng(1)), moved by hand for
// the pull of the priors.
func TestPaired(t *testing.T) {
	pairs := []Pair{{200, [3]int{0, 200, 0}, [3]int{1, 28, 1}}, {30, [3]int{30, 0, 0}, [3]int{6, 2, 0}},
		{50, [3]int{0, 5, 45}, [3]int{0, 4, 11}}, {20, [3]int{}, [3]int{2, 5, 3}}}
	e := paired(pairs, .95, 100_000, 1)
	// 0 - (30/300)(6/8) + (50/300)(11/15) + (20/300)(1/10)
	if want := -.075 + 11./90 + 2./300; !archtest.Near(e.Value, want, 1e-12) || !archtest.Near(e.Lo, -0.04259, .0015) ||
		!archtest.Near(e.Hi, 0.14896, .0015) || e.N != 300 {
		t.Errorf("%+v, want %.5f", e, want)
	}
	one := Paired(pairs, .95, 1)
	if !archtest.Near(one.Lo, e.Lo, .005) || !archtest.Near(one.Hi, e.Hi, .005) {
		t.Errorf("%+v of 20,000 samples, %+v of 100,000", one, e)
	}
	if again := Paired(append(pairs, Pair{}), .95, 1); !reflect.DeepEqual(again, one) {
		t.Errorf("with an empty cell %+v", again)
	}
	if none := Paired(nil, .95, 1); none.OK() {
		t.Errorf("%+v of nothing", none)
	}
	// Where nothing is labelled the half of what was read stands, with all that it leaves open.
	bare := Paired([]Pair{{200, [3]int{0, 200, 0}, [3]int{0, 30, 0}}, {6, [3]int{6, 0, 0}, [3]int{}},
		{4, [3]int{0, 0, 4}, [3]int{0, 0, 1}}}, .95, 1)
	if want := (4 - 3) / 210.; !archtest.Near(bare.Value, want, 1e-12) || !archtest.Near(bare.Lo, -0.05249, .0015) ||
		!archtest.Near(bare.Hi, 0.06296, .0015) {
		t.Errorf("%+v, want %.5f", bare, want)
	}
	same := Paired([]Pair{{300, [3]int{0, 300, 0}, [3]int{0, 60, 0}}}, .95, 1)
	if same.Value != 0 || same.Lo > -.005 || same.Hi < .005 || same.Hi > .05 {
		t.Errorf("%+v where no label differs", same)
	}
	defer func() {
		if recover() == nil {
			t.Error("more labels than cases are let pass")
		}
	}()
	Paired([]Pair{{N: 3, Labels: [3]int{0, 4, 0}}}, .95, 1)
}

// clustered draws the cases of a duel in clusters of so many that fare the same and are read the same, of which a
// simple random sample is labelled; n counts cases. size is nil for five.
func (d duel) clustered(size func() int, r *rand.Rand) (clusters [][]Pair) {
	one := d
	one.n, one.labels = 1, 1
	type at struct{ cluster, cell int }
	var cases []at
	var said [][3]int
	for len(cases) < d.n {
		cells := one.pairs(r)
		s := slices.IndexFunc(cells, func(p Pair) bool { return p.N > 0 })
		m := 5
		if size != nil {
			m = size()
		}
		p := &cells[s]
		said = append(said, p.Labels)
		p.N, p.Labels = m, [3]int{}
		for k := range p.Read {
			p.Read[k] *= m
		}
		for range m {
			cases = append(cases, at{len(clusters), s})
		}
		clusters = append(clusters, cells)
	}
	for _, i := range r.Perm(len(cases))[:d.labels] {
		c := cases[i]
		for k, x := range said[c.cluster] {
			clusters[c.cluster][c.cell].Labels[k] += x
		}
	}
	return clusters
}

// Where no cluster has two cases it is Paired, to the bit, and in any order of clusters the same. In clusters of five
// whose cases are all labelled and alike it is about what Paired makes of the clusters: only how it draws differs.
func TestPairedByClusterOfOne(t *testing.T) {
	r := seed.Stream(4, "by cluster")
	d := duel{n: 400, labels: 80, a: .2, b: .3, rho: .5, fw: .1, fr: .1, un: .1}
	clusters := d.clustered(func() int { return 1 }, r)
	cells := make([]Pair, 4)
	add := func(clusters [][]Pair, times int) []Pair {
		cells = make([]Pair, 4)
		for _, c := range clusters {
			for s, p := range c {
				cells[s].N += p.N / times
				for k := range p.Read {
					cells[s].Read[k] += p.Read[k] / times
					cells[s].Labels[k] += p.Labels[k] / times
				}
			}
		}
		return cells
	}
	if got, want := PairedByCluster(clusters, .95, 7), Paired(add(clusters, 1), .95, 7); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
	d.n, d.labels = 500, 500
	clusters = d.clustered(nil, r)
	got, want := pairedByCluster(clusters, .95, 100_000, 7), paired(add(clusters, 5), .95, 100_000, 7)
	if !archtest.Near(got.Value, want.Value, 1e-12) || !archtest.Near(got.Lo, want.Lo, .002) ||
		!archtest.Near(got.Hi, want.Hi, .002) ||
		got.N != 500 {
		t.Errorf("%+v, want %+v", got, want)
	}
	slices.Reverse(clusters)
	if again := pairedByCluster(clusters, .95, 100_000, 7); !reflect.DeepEqual(again, got) {
		t.Errorf("in another order %+v, want %+v", again, got)
	}
	if none := PairedByCluster(nil, .95, 7); none.OK() {
		t.Errorf("%+v of nothing", none)
	}
}

// Cases in clusters of five, or of 1 to 30, that fare the same: the interval by cluster holds the difference, that by
// case far less often.
func TestPairedByClusterCovers(t *testing.T) {
	runs, draws := archtest.Draws(40, 300, 1000), 500
	for _, d := range []struct {
		duel
		uneven bool
		most   float64 // by case
	}{
		{duel{n: 500, labels: 500, a: .2, b: .3, rho: .5, fw: .1, fr: .1, un: .1}, false, .75},
		{duel{n: 500, labels: 200, a: .3, b: .2, rho: .5, fw: .05, fr: .1, un: .05}, false, .85},
		{duel{n: 1000, labels: 100, a: .3, b: .2, rho: .5}, false, .75},
		{duel{n: 1000, labels: 500, a: .1, b: .2, rho: .5, fw: .1, fr: .1, un: .1}, true, .6},
	} {
		r := seed.Stream(6, "paired by cluster", d.String())
		size := func() int { return 1 + r.IntN(30) }
		if !d.uneven {
			size = nil
		}
		var held, bare float64
		for range runs {
			clusters := d.clustered(size, r)
			cells := make([]Pair, 4)
			for _, c := range clusters {
				for s, p := range c {
					cells[s].N += p.N
					for k := range p.Read {
						cells[s].Read[k] += p.Read[k]
						cells[s].Labels[k] += p.Labels[k]
					}
				}
			}
			s := r.Uint64()
			if e := pairedByCluster(clusters, .95, draws, s); e.Lo <= d.b-d.a && d.b-d.a <= e.Hi {
				held += 1 / float64(runs)
			}
			if e := paired(cells, .95, draws, s); e.Lo <= d.b-d.a && d.b-d.a <= e.Hi {
				bare += 1 / float64(runs)
			}
		}
		t.Logf("%v, uneven %v: %.3f by cluster, %.3f by case", d.duel, d.uneven, held, bare)
		if held < min(aim, archtest.Least(.95, runs)) || bare > d.most {
			t.Errorf("%v, uneven %v: %.3f by cluster, %.3f by case", d.duel, d.uneven, held, bare)
		}
	}
}
