package stat

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"sort"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"hallmark/internal/archtest"
	"hallmark/internal/base/seed"
)

// full asks for the draws behind the tables of the doc comments, and prints them; without it fewer draws catch gross
// errors.
var full = archtest.Full()

// A population is a distribution of case values on [0, 1] with a known mean.
type population struct {
	name string
	mean float64
	draw func(r *rand.Rand) float64
}

func discrete(name string, pairs ...float64) population { // value, probability, value, probability, …
	p := population{name: name}
	for i := 0; i < len(pairs); i += 2 {
		p.mean += pairs[i] * pairs[i+1]
	}
	p.draw = func(r *rand.Rand) float64 {
		u := r.Float64()
		for i := 0; i < len(pairs)-2; i += 2 {
			if u -= pairs[i+1]; u < 0 {
				return pairs[i]
			}
		}
		return pairs[len(pairs)-2]
	}
	return p
}

// binomial10 is the PC of ten answers that hold with probability q each: k/10.
func binomial10(q float64) population {
	return population{fmt.Sprintf("tenths, binomial %.2f", q), q, func(r *rand.Rand) float64 {
		k := 0
		for range 10 {
			if r.Float64() < q {
				k++
			}
		}
		return float64(k) / 10
	}}
}

var populations = []population{
	discrete("2 % at .5, else 1", .5, .02, 1, .98),
	discrete("2 % at .1, else 1", .1, .02, 1, .98),
	discrete("1 % at 1, else .5", 1, .01, .5, .99),
	discrete("0 or 1, .05", 1, .05, 0, .95),
	discrete("0 or 1, .50", 1, .5, 0, .5),
	discrete("half .2, half 1", .2, .5, 1, .5),
	binomial10(.95),
	binomial10(.5),
	{"u^8, near 0", 1. / 9, func(r *rand.Rand) float64 { return math.Pow(r.Float64(), 8) }},
	{"1 - u^30/2, near 1", 1 - 1./62, func(r *rand.Rand) float64 { return 1 - math.Pow(r.Float64(), 30)/2 }},
}

// percentile is the bare percentile bootstrap that METHODS rejects, for comparison.
func percentile(xs []float64, r *rand.Rand) (lo, hi float64) {
	means := make([]float64, 1000)
	for b := range means {
		for range xs {
			means[b] += xs[r.IntN(len(xs))]
		}
		means[b] /= float64(len(xs))
	}
	sort.Float64s(means)
	return means[24], means[975]
}

// Mean covers at least 95 % of true means less Monte Carlo error (three standard errors), also where the percentile
// bootstrap does not. With HALLMARK_LONG=full it prints the table of Mean's comment.
func TestMeanCoverage(t *testing.T) {
	draws := archtest.Draws(50, 2000, 20_000)
	for _, p := range populations {
		row := fmt.Sprintf("%-22s", p.name)
		for _, n := range []int{10, 20, 100} {
			r := seed.Stream(1, "coverage", p.name, fmt.Sprint(n))
			cache := make(map[string]Estimate)
			held, bare := 0, 0
			xs := make([]float64, n)
			for d := range draws {
				for i := range xs {
					xs[i] = p.draw(r)
				}
				sort.Float64s(xs)
				key := fmt.Sprint(xs)
				e, ok := cache[key]
				if !ok {
					e = Mean(xs, .95)
					cache[key] = e
				}
				if e.Lo <= p.mean && p.mean <= e.Hi {
					held++
				}
				if !(e.Lo <= e.Value && e.Value <= e.Hi && e.Lo < e.Hi) {
					t.Fatalf("%s: %+v is out of order", p.name, e)
				}
				if full && d < 2000 {
					if lo, hi := percentile(xs, r); lo <= p.mean && p.mean <= hi {
						bare++
					}
				}
			}
			share := float64(held) / float64(draws)
			row += fmt.Sprintf("  %.3f (%.2f)", share, float64(bare)/2000)
			if floor := archtest.Least(.95, draws); share < floor {
				t.Errorf("%s, n = %d: covered %.4f, want at least %.4f", p.name, n, share, floor)
			}
		}
		if full {
			fmt.Println(row)
		}
	}
}

// Reduction covers its truth on paired failures, and on paired scores that take three values.
func TestReductionCoverage(t *testing.T) {
	draws := archtest.Draws(200, 4000, 20_000)
	for _, tt := range []struct {
		n                int
		both, only1, on2 float64 // shares of cases that fail in both, in base only, in other only
		weight           float64 // what a failure of other costs
	}{{20, .1, .15, .05, 1}, {100, .05, .2, 0, 1}, {100, .02, .03, .02, 1}, {50, .1, .2, .1, .4}} {
		name := fmt.Sprint(tt)
		r := seed.Stream(1, "reduction", name)
		truth := 1 - tt.weight*(tt.both+tt.on2)/(tt.both+tt.only1)
		held, had := 0, 0
		cache := make(map[string]Estimate)
		for range draws {
			base, other := make([]float64, tt.n), make([]float64, tt.n)
			var counts [3]int
			for range tt.n {
				switch u := r.Float64(); {
				case u < tt.both:
					counts[0]++
				case u < tt.both+tt.only1:
					counts[1]++
				case u < tt.both+tt.only1+tt.on2:
					counts[2]++
				}
			}
			i := 0
			for kind, c := range counts {
				for range c {
					if kind != 2 {
						base[i] = 1
					}
					if kind != 1 {
						other[i] = tt.weight
					}
					i++
				}
			}
			e, ok := cache[fmt.Sprint(counts)]
			if !ok {
				e = Reduction(base, other, nil, .95)
				cache[fmt.Sprint(counts)] = e
			}
			if !e.OK() {
				if len(e.Warnings) == 0 {
					t.Fatal("no value and no warning")
				}
				continue
			}
			had++
			if !(e.Lo <= e.Value && e.Value <= e.Hi && e.Lo < e.Hi && e.Hi <= 1) {
				t.Fatalf("%+v is out of order", e)
			}
			if e.Lo <= truth && truth <= e.Hi {
				held++
			}
		}
		share := float64(held) / float64(had)
		if full {
			fmt.Printf("reduction %v: %.4f of %d\n", tt, share, had)
		}
		if floor := archtest.Least(.95, had); share < floor {
			t.Errorf("%v: covered %.4f of %d, want at least %.4f", tt, share, had, floor)
		}
	}
}

// AUROC covers on normal scores, of equal and of unequal spread, of few cases and of many, smooth or tied.
func TestAUROCCoverage(t *testing.T) {
	draws := archtest.Draws(30, 500, 10_000)
	type design struct {
		m, n               int
		area, spread, step float64 // positives ~ N(shift, spread²), negatives ~ N(0, 1), cut to multiples of step
	}
	var grid []design
	for _, c := range [][2]int{{1, 30}, {5, 5}, {5, 100}, {10, 100}, {20, 100}, {20, 400}, {60, 60}} {
		for _, spread := range []float64{1, 3, 1. / 3, 5, .2} {
			for _, area := range []float64{.5, .7, .85, .95, .99} {
				grid = append(grid, design{c[0], c[1], area, spread, 0})
			}
		}
		grid = append(grid, design{c[0], c[1], .76, 1, 1}, design{c[0], c[1], .76, 3, 2})
	}
	least, worst, conservative := 1., design{}, 0
	for _, tt := range grid {
		r := seed.Stream(1, "auroc", fmt.Sprint(tt))
		truth, shift := tt.area, math.Sqrt2*math.Erfinv(2*tt.area-1)*math.Hypot(1, tt.spread)
		round := func(x float64) float64 {
			if tt.step == 0 {
				return x
			}
			return math.Floor(x/tt.step) * tt.step
		}
		if tt.step > 0 { // the truth with ties, by summing cells
			truth = 0
			for i := -40.; i < 40; i++ {
				cell := func(mu, sd float64) float64 {
					return distuv.UnitNormal.CDF(((i+1)*tt.step-mu)/sd) - distuv.UnitNormal.CDF((i*tt.step-mu)/sd)
				}
				truth += cell(shift, tt.spread) * (distuv.UnitNormal.CDF(i*tt.step) + cell(0, 1)/2)
			}
		}
		held := 0
		for range draws {
			xs, ys := make([]float64, tt.m), make([]float64, tt.n)
			for i := range xs {
				xs[i] = round(r.NormFloat64()*tt.spread + shift)
			}
			for i := range ys {
				ys[i] = round(r.NormFloat64())
			}
			if e := AUROC(xs, ys, .95); e.Lo <= truth && truth <= e.Hi {
				held++
			}
		}
		share := float64(held) / float64(draws)
		if share < least {
			least, worst = share, tt
		}
		if share > .97 {
			conservative++
		}
		if share < archtest.Least(.93, draws) {
			t.Errorf("%v: covered %.4f", tt, share)
		}
	}
	t.Logf("least %.4f at %v; above .97 in %d of %d", least, worst, conservative, len(grid))
}

// Alpha's interval covers the alpha of the population, also where nearly all units agree.
func TestKrippendorffCoverage(t *testing.T) {
	draws := archtest.Draws(25, 400, 3000)
	for _, tt := range []struct {
		n           int
		pass, agree float64 // first rater passes; second copies the first with this chance, else draws anew
	}{{20, .5, .8}, {50, .8, .95}, {100, .9, .6}, {30, .5, .98}} {
		r := seed.Stream(1, "alpha", fmt.Sprint(tt))
		held, had := 0, 0
		for d := range draws {
			us := make([][]string, tt.n)
			for i := range us {
				label := func() string {
					if r.Float64() < tt.pass {
						return "pass"
					}
					return "fail"
				}
				a := label()
				b := a
				if r.Float64() >= tt.agree {
					b = label()
				}
				us[i] = []string{a, b}
			}
			e := KrippendorffByCluster(us, nil, uint64(d), .95)
			if !e.OK() {
				continue
			}
			had++
			if e.Lo <= tt.agree && tt.agree <= e.Hi { // alpha of the population is the chance of copying
				held++
			}
		}
		share := float64(held) / float64(had)
		if full {
			fmt.Printf("alpha %v: %.4f of %d\n", tt, share, had)
		}
		if share < archtest.Least(.95, had) {
			t.Errorf("%v: covered %.4f of %d", tt, share, had)
		}
	}
}

// On values that are 0 or 1, Mean is Clopper and Pearson's interval; Ratio with equal sizes is Mean; Paired mirrors.
func TestMeanIdentities(t *testing.T) {
	for _, n := range []int{1, 2, 7, 40, 1000} {
		for _, k := range []int{0, 1, n / 3, n - 1, n} {
			xs, twos := make([]float64, n), make([]float64, n)
			for i := range xs {
				if i < k {
					xs[i] = 1
				}
				twos[i] = 2
			}
			e, want := Mean(xs, .95), clopperPearson(k, n, .95)
			if !archtest.Near(e.Lo, want.Lo, 1e-10) || !archtest.Near(e.Hi, want.Hi, 1e-10) {
				t.Errorf("%d of %d: [%v, %v], Clopper-Pearson [%v, %v]", k, n, e.Lo, e.Hi, want.Lo, want.Hi)
			}
			doubled := make([]float64, n)
			for i := range xs {
				doubled[i] = 2 * xs[i]
			}
			if q := Ratio(doubled, twos, .95); !archtest.Near(q.Lo, e.Lo, 1e-10) || !archtest.Near(q.Hi, e.Hi, 1e-10) ||
				!archtest.Near(q.Value, e.Value, 1e-15) {
				t.Errorf("Ratio %+v, Mean %+v", q, e)
			}
			zeros := make([]float64, n)
			d, back := Paired(zeros, xs, nil, .95), Paired(xs, zeros, nil, .95)
			if !archtest.Near(d.Lo, -back.Hi, 1e-10) || !archtest.Near(d.Value, e.Value, 1e-15) ||
				!(d.Lo < d.Value && d.Value <= d.Hi) {
				t.Errorf("differences %+v and %+v do not mirror", d, back)
			}
		}
	}
	// numpy 2.4.6, four million dirichlet(1,1,1,1,1,1) draws of [.2 .5 .5 .9 1] with 1, and with 0, added; Monte Carlo
	// error .0002.
	e := Mean([]float64{.9, .5, .2, 1, .5}, .95)
	if !archtest.Near(e.Lo, .25714, .0005) || !archtest.Near(e.Hi, .88931, .0005) {
		t.Errorf("[%v, %v], want [.25714, .88931]", e.Lo, e.Hi)
	}
}

// Units in clusters that are rated alike: the interval by cluster holds alpha, that by unit far less often; where no
// two go together they are one, to the bit.
func TestKrippendorffByClusterCovers(t *testing.T) {
	draws := archtest.Draws(15, 60, 400)
	for _, tt := range []struct {
		n, size     int
		uneven      bool
		pass, agree float64
		most        float64 // by unit
	}{
		{300, 30, true, .5, .8, .6}, {100, 5, false, .5, .8, .85}, {40, 5, false, .5, .9, 1},
		{200, 5, false, .9, .6, .85}, {200, 5, false, .95, .8, .9},
	}[:archtest.Draws(1, 5, 5)] {
		r := seed.Stream(1, "alpha by cluster", fmt.Sprint(tt))
		held, bare, had := 0, 0, 0
		for d := range draws {
			us, cluster, alone := make([][]string, tt.n), make([]int32, tt.n), make([]int32, tt.n)
			left, at := 0, int32(0)
			var pair []string
			for i := range us {
				if left == 0 {
					if left, at = tt.size, at+1; tt.uneven {
						left = 1 + r.IntN(tt.size)
					}
					label := func() string {
						if r.Float64() < tt.pass {
							return "pass"
						}
						return "fail"
					}
					a := label()
					pair = []string{a, a}
					if r.Float64() >= tt.agree {
						pair[1] = label()
					}
				}
				left--
				us[i], cluster[i], alone[i] = pair, at, int32(i)
			}
			e, by := KrippendorffByCluster(us, cluster, uint64(d), .95), KrippendorffByCluster(us, nil, uint64(d), .95)
			if d == 0 && !reflect.DeepEqual(KrippendorffByCluster(us, alone, 0, .95), by) {
				t.Error("clusters of one unit are not units")
			}
			if !e.OK() {
				continue
			}
			if had++; e.Value != by.Value || !(e.Lo <= e.Value && e.Value <= e.Hi) {
				t.Fatalf("%+v, by unit %+v", e, by)
			}
			if e.Lo <= tt.agree && tt.agree <= e.Hi {
				held++
			}
			if by.Lo <= tt.agree && tt.agree <= by.Hi {
				bare++
			}
		}
		share, by := float64(held)/float64(had), float64(bare)/float64(had)
		t.Logf("%+v: %.3f by cluster, %.3f by unit, of %d", tt, share, by, had)
		if share < .93-2*math.Sqrt(.93*.07/float64(had)) || by > tt.most {
			t.Errorf("%+v: %.3f by cluster, %.3f by unit", tt, share, by)
		}
	}
}
