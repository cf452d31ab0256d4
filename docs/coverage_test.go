package docs

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"gonum.org/v1/gonum/stat/distuv"

	"hallmark/internal/base/seed"
	"hallmark/internal/metric/posterior"
	"hallmark/internal/stat"
)

const (
	leastCovered = .93 // below which a cell of the table is named
	conservative = .97 // above which it is
	fullDraws    = 2000
	longDraws    = 400
	longCells    = 40
)

// A sampled is what one draw of n cases gives: an interval, and the truth that it is about.
type sampled func(r *rand.Rand, n int, rate float64) (e stat.Estimate, truth float64)

// covers are the kinds of interval of the table, by its first two columns.
var covers = map[[2]string]sampled{
	{"share", "cases"}:                         shareOf,
	{"share", "clusters"}:                      shareByCluster,
	{"mean", "cases"}:                          meanOf,
	{"mean", "clusters"}:                       meanByCluster,
	{"ratio over variants", "cases"}:           variantsOf(false),
	{"ratio over variants", "clusters"}:        variantsOf(true),
	{"reduction by half", "cases"}:             pairedOf(stat.Reduction, half, false),
	{"reduction by half", "clusters"}:          pairedOf(stat.Reduction, half, true),
	{"paired difference", "cases"}:             pairedOf(difference, less, false),
	{"paired difference", "clusters"}:          pairedOf(difference, less, true),
	{"AUROC", "cases"}:                         areaOf(false, stat.AUROCClustered),
	{"AUROC", "clusters"}:                      areaOf(true, stat.AUROCClustered),
	{"AUROC", "contexts"}:                      areaOf(true, stat.AUROCByCluster),
	{"difference of two AUROC", "cases"}:       aheadOf(false, stat.AUROCAhead),
	{"difference of two AUROC", "clusters"}:    aheadOf(true, stat.AUROCAhead),
	{"difference of two AUROC", "contexts"}:    aheadOf(true, stat.AUROCPaired),
	{"difference of means", "cases"}:           differenceOfMeans(false),
	{"difference of means", "clusters"}:        differenceOfMeans(true),
	{"middle perplexity", "cases"}:             middleOf(false),
	{"middle perplexity", "clusters"}:          middleOf(true),
	{"labelled share", "cases"}:                labelledShare(false, false),
	{"labelled share", "clusters"}:             labelledShare(true, false),
	{"labelled share of attempts", "cases"}:    labelledShare(false, true),
	{"labelled share of attempts", "clusters"}: labelledShare(true, true),
	{"prediction-powered rate", "cases"}:       poweredRate(false),
	{"prediction-powered rate", "clusters"}:    poweredRate(true),
	{"false merges", "pairs"}:                  falseMerges,
	{"Krippendorff's alpha", "units"}:          alphaOf(false),
	{"Krippendorff's alpha", "clusters"}:       alphaOf(true),
	{"posterior rate", "extensions"}:           posteriorOf,
}

// together gives n cases a number in [0, 1) each, and that of its cluster, from 1. In clusters of 1, 2, 3 or 6 a case
// has, with a chance of .7, the number of its cluster, so that what follows from the numbers of two of a cluster
// correlates by .49; else each case is a cluster.
func together(r *rand.Rand, n int, clusters bool) (u []float64, cluster []int32) {
	u, cluster = make([]float64, n), make([]int32, n)
	common, left, at := 0., 0, int32(0)
	for i := range n {
		if left == 0 {
			left, common, at = 1, r.Float64(), at+1
			if clusters {
				left = []int{1, 2, 3, 6}[r.IntN(4)]
			}
		}
		left--
		u[i], cluster[i] = common, at
		if clusters && r.Float64() >= .7 {
			u[i] = r.Float64()
		}
	}
	return u, cluster
}

// numbered gives n cases the number of their cluster, as together does.
func numbered(r *rand.Rand, n int, clusters bool) []int32 {
	_, cluster := together(r, n, clusters)
	return cluster
}

// drawCases gives n cases of which each is a failure with the chance rate, and the number of its cluster.
func drawCases(r *rand.Rand, n int, rate float64, clusters bool) (failed []bool, cluster []int32) {
	u, cluster := together(r, n, clusters)
	failed = make([]bool, n)
	for i := range u {
		failed[i] = u[i] < rate
	}
	return failed, cluster
}

func shareOf(r *rand.Rand, n int, rate float64) (stat.Estimate, float64) {
	failed, _ := drawCases(r, n, rate, false)
	k := 0
	for _, f := range failed {
		if f {
			k++
		}
	}
	return stat.Wilson(k, n, .95), rate
}

func shareByCluster(r *rand.Rand, n int, rate float64) (stat.Estimate, float64) {
	failed, cluster := drawCases(r, n, rate, true)
	values := make([]float64, n)
	for i, f := range failed {
		if f {
			values[i] = 1
		}
	}
	return stat.ShareByCluster(values, cluster, .95), rate
}

// answers draws for each case how many of its answers fail: each with the chance .2 rate, and .8 more where the
// case is a failure.
func answers(r *rand.Rand, failed []bool, rate float64, sizes []int) (k, m []float64) {
	k, m = make([]float64, len(failed)), make([]float64, len(failed))
	for i, f := range failed {
		chance := .2 * rate
		if f {
			chance += .8
		}
		size := sizes[r.IntN(len(sizes))]
		m[i] = float64(size)
		for range size {
			if r.Float64() < chance {
				k[i]++
			}
		}
	}
	return k, m
}

func meanOf(r *rand.Rand, n int, rate float64) (stat.Estimate, float64) {
	failed, _ := drawCases(r, n, rate, false)
	k, _ := answers(r, failed, rate, []int{10})
	for i := range k {
		k[i] /= 10
	}
	return stat.Mean(k, .95), rate
}

func meanByCluster(r *rand.Rand, n int, rate float64) (stat.Estimate, float64) {
	failed, cluster := drawCases(r, n, rate, true)
	k, _ := answers(r, failed, rate, []int{10})
	for i := range k {
		k[i] /= 10
	}
	return stat.MeanByCluster(k, cluster, .95), rate
}

func variantsOf(clusters bool) sampled {
	return func(r *rand.Rand, n int, rate float64) (stat.Estimate, float64) {
		failed, cluster := drawCases(r, n, rate, clusters)
		k, m := answers(r, failed, rate, []int{2, 5, 10})
		return stat.RatioByCluster(k, m, cluster, .95), rate
	}
}

func difference(base, other []float64, cluster []int32, level float64) stat.Estimate {
	return stat.Paired(base, other, cluster, level).Estimate
}

func half(float64) float64      { return .5 }
func less(rate float64) float64 { return -.5 * rate }

// pairedOf draws two runs: base fails at the rate, other at half of it, and of the failures of base .4 are failures of
// other.
func pairedOf(
	interval func(base, other []float64, cluster []int32, level float64) stat.Estimate, truth func(float64) float64,
	clusters bool,
) sampled {
	return func(r *rand.Rand, n int, rate float64) (stat.Estimate, float64) {
		base, other := make([]float64, n), make([]float64, n)
		us, cluster := together(r, n, clusters)
		for i := range n {
			switch u := us[i] / rate; {
			case u < .4:
				base[i], other[i] = 1, 1
			case u < 1:
				base[i] = 1
			case u < 1.1:
				other[i] = 1
			}
		}
		return interval(base, other, cluster, .95), truth(rate)
	}
}

// areaOf draws scores of which those of failures lie 1 higher, with a normal noise of 1 and, where cases come in
// clusters, one of .5 that these share.
func areaOf(clusters bool, interval func([]float64, []bool, []int32, float64) stat.Estimate) sampled {
	return func(r *rand.Rand, n int, rate float64) (stat.Estimate, float64) {
		failed, cluster := drawCases(r, n, rate, clusters)
		scores, common, last := make([]float64, n), 0., int32(0)
		for i, f := range failed {
			if clusters && cluster[i] != last {
				last, common = cluster[i], r.NormFloat64()/2
			}
			scores[i] = r.NormFloat64() + common
			if f {
				scores[i]++
			}
		}
		spread := math.Sqrt2
		if clusters {
			spread = math.Sqrt(2.5)
		}
		return interval(scores, failed, cluster, .95), distuv.UnitNormal.CDF(1 / spread)
	}
}

// aheadOf draws two scores as areaOf does, of which the second lies .5 higher for failures.
func aheadOf(clusters bool, interval func(a, b []float64, positive []bool, cluster []int32,
	level float64) stat.Estimate) sampled {
	return func(r *rand.Rand, n int, rate float64) (stat.Estimate, float64) {
		failed, cluster := drawCases(r, n, rate, clusters)
		a, b := make([]float64, n), make([]float64, n)
		common, spread, last := 0., math.Sqrt2, int32(0)
		for i, f := range failed {
			if clusters && cluster[i] != last {
				last, common, spread = cluster[i], r.NormFloat64()/2, math.Sqrt(2.5)
			}
			a[i], b[i] = r.NormFloat64()+common, r.NormFloat64()+common
			if f {
				a[i], b[i] = a[i]+1, b[i]+.5
			}
		}
		truth := distuv.UnitNormal.CDF(1/spread) - distuv.UnitNormal.CDF(.5/spread)
		return interval(a, b, failed, cluster, .95), truth
	}
}

// alphaOf draws two raters: the second copies the first with a chance of .8, which then is alpha, and else draws
// anew. In clusters a unit has, with a chance of .7, the labels of its cluster.
func alphaOf(clusters bool) sampled {
	return func(r *rand.Rand, n int, rate float64) (stat.Estimate, float64) {
		label := func() string {
			if r.Float64() < rate {
				return "fail"
			}
			return "pass"
		}
		both := func() []string {
			a := label()
			b := a
			if r.Float64() >= .8 {
				b = label()
			}
			return []string{a, b}
		}
		units, cluster := make([][]string, n), numbered(r, n, clusters)
		var common []string
		for i := range units {
			if i == 0 || cluster[i] != cluster[i-1] {
				common = both()
			}
			if units[i] = common; clusters && r.Float64() >= .7 {
				units[i] = both()
			}
		}
		return stat.KrippendorffByCluster(units, cluster, r.Uint64(), .95), .8
	}
}

// posteriorOf draws what n extensions say of one query: mostly near 0 or near 1, as on labels.
func posteriorOf(r *rand.Rand, n int, rate float64) (stat.Estimate, float64) {
	chains := make([]posterior.Chain, n)
	of := distuv.Beta{Alpha: .4 * rate, Beta: .4 * (1 - rate), Src: r}
	for i := range chains {
		chains[i].THR = min(1, max(0, of.Rand()))
	}
	return posterior.Of(chains, posterior.DefaultOptions()).PHR, rate
}

// covered is the share of intervals that hold the truth, of so many draws that give one; each 400 of them have a
// stream of their own.
func covered(of sampled, kind [2]string, n int, rate float64, draws int) float64 {
	var held atomic.Int64
	var all sync.WaitGroup
	for from := 0; from < draws; from += longDraws {
		all.Go(func() {
			r := seed.Stream(1, "coverage", kind[0], kind[1], fmt.Sprint(n), fmt.Sprint(rate), fmt.Sprint(from))
			for range min(longDraws, draws-from) {
				e, truth := of(r, n, rate)
				for !e.OK() { // no failure, or one class: nothing is printed
					e, truth = of(r, n, rate)
				}
				if e.Lo <= truth && truth <= e.Hi {
					held.Add(1)
				}
			}
		})
	}
	all.Wait()
	return float64(held.Load()) / float64(draws)
}

// drawsOf is how many draws the page's cell has: 400 where one takes a tenth of a second, or some of it.
func drawsOf(kind [2]string, n int) int {
	byCluster := kind[1] == "clusters"
	if kind[0] == "Krippendorff's alpha" && (n > 100 || n > 20 && byCluster) ||
		strings.HasPrefix(kind[0], "labelled share") ||
		byCluster && (kind[0] == "middle perplexity" || kind[0] == "difference of means" && n > 100) {
		return longDraws
	}
	return fullDraws
}

// written is a cell of the table.
func written(share float64) string {
	switch s := fmt.Sprintf("%.3f", share); {
	case share < leastCovered:
		return s + " **too few**"
	case share > conservative:
		return s + " conservative"
	default:
		return s
	}
}

// simulated holds a few cells of the page's table of coverage against fewer draws from the same streams: 40 cells
// and 400 draws with HALLMARK_LONG=1. HALLMARK_LONG=full draws all of it and writes it into the page; COVERAGE, an
// expression, then chooses cells, such as "^share cases 20 .01$".
func simulated(tab table) {
	draws, cells := 60, 12
	long := os.Getenv("HALLMARK_LONG")
	if long != "" {
		draws, cells = longDraws, longCells
	}
	chosen := regexp.MustCompile(os.Getenv("COVERAGE"))
	columns := tab.head[3:]
	every := len(tab.rows) * len(columns)
	at := 0
	for i, row := range tab.rows {
		kind := [2]string{row[0], row[1]}
		of := covers[kind]
		n, err := strconv.Atoi(row[2])
		if of == nil || err != nil {
			tab.Fatalf("methods.md:%d: what is %q of %s %s?", tab.line+i, row[0], row[2], row[1])
		}
		for j, column := range columns {
			at++
			rate := floats(tab, column)[0]
			if long == "full" {
				if chosen.MatchString(strings.Join(append(slices.Clone(row[:3]), column), " ")) {
					row[3+j] = written(covered(of, kind, n, rate, drawsOf(kind, n)))
				}
				continue
			}
			page := floats(tab, strings.Fields(row[3+j])[0])[0]
			if want := written(page); row[3+j] != want {
				tab.Errorf("methods.md:%d: the page has %q, by its own number it is %q", tab.line+i, row[3+j], want)
			}
			if (at*cells)%every >= cells {
				continue
			}
			got := covered(of, kind, n, rate, draws)
			spread := math.Sqrt(max(page*(1-page), .01) / float64(draws))
			if math.Abs(got-page) > 3*spread || got < min(page, leastCovered)-3*spread {
				tab.Errorf("methods.md:%d: %s, rate %s: %.3f of %d draws, the page has %s",
					tab.line+i, row[0], column, got, draws, row[3+j])
			}
		}
	}
	if long == "full" {
		write(tab)
	}
}

// write puts the rows of a table in their place on the page.
func write(tab table) {
	b, err := os.ReadFile("methods.md")
	if err != nil {
		tab.Fatal(err)
	}
	lines := strings.Split(string(b), "\n")
	tab.line = tables(tab.T, string(b))["coverage by simulation"].line // it takes minutes, in which lines may have moved
	for i, row := range tab.rows {
		lines[tab.line-1+i] = "| " + strings.Join(row, " | ") + " |"
	}
	if err := os.WriteFile("methods.md", []byte(strings.Join(lines, "\n")), 0o644); err != nil {
		tab.Fatal(err)
	}
}
