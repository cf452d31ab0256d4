package docs

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/stat/distuv"

	"hallmark/internal/metric/agreement"
	"hallmark/internal/stat"
)

func floats(tab table, s string) (xs []float64) {
	for f := range strings.FieldsSeq(s) {
		x, err := strconv.ParseFloat(f, 64)
		if err != nil {
			tab.Fatal(err)
		}
		xs = append(xs, x)
	}
	return xs
}

func holm(tab table) {
	for i := range tab.rows {
		var adjusted []string
		for _, p := range stat.Holm(floats(tab, tab.cell(i, "p of each class"))) {
			adjusted = append(adjusted, strconv.FormatFloat(p, 'g', 6, 64))
		}
		tab.is(i, "adjusted", strings.Join(adjusted, " "))
	}
}

func signFlips(tab table) {
	for i := range tab.rows {
		var d []int64
		for _, x := range floats(tab, tab.cell(i, "differences")) {
			d = append(d, int64(x))
		}
		p, mid, _ := stat.SignFlip(d)
		tab.is(i, "p", strconv.FormatFloat(p, 'g', 6, 64))
		tab.is(i, "mid-p", strconv.FormatFloat(mid, 'g', 6, 64))
	}
}

func controlShares(tab table) {
	for i := range tab.rows {
		var k, n int
		if _, err := fmt.Sscanf(tab.cell(i, "baseline"), "%d of %d", &k, &n); err != nil {
			tab.Fatal(err)
		}
		limits, _ := stat.ControlShare(k, n, n, stat.ControlAlpha)
		tab.is(i, "lo", fmt.Sprintf("%.4f", limits.Lo))
		tab.is(i, "hi", fmt.Sprintf("%.4f", limits.Hi))
	}
}

func controlMeans(tab table) {
	for i := range tab.rows {
		var values []float64
		for _, column := range []string{"cases of", "and of"} {
			var n int
			var x float64
			if _, err := fmt.Sscanf(tab.cell(i, column), "%d of %g", &n, &x); err != nil {
				tab.Fatal(err)
			}
			values = append(values, slices.Repeat([]float64{x}, n)...)
		}
		limits, _ := stat.ControlMeanByCluster(values, nil, stat.ControlAlpha)
		tab.is(i, "centre", fmt.Sprintf("%.4f", limits.Centre))
		tab.is(i, "lo", fmt.Sprintf("%.4f", limits.Lo))
		tab.is(i, "hi", fmt.Sprintf("%.4f", limits.Hi))
	}
}

func wilson(tab table) {
	for i := range tab.rows {
		var k, n int
		if _, err := fmt.Sscanf(tab.cell(i, "k of n"), "%d of %d", &k, &n); err != nil {
			tab.Fatal(err)
		}
		w, c := stat.Wilson(k, n, .95), clopperPearson(k, n, .95)
		tab.is(i, "Wilson", fmt.Sprintf("[%.6f, %.6f]", w.Lo, w.Hi))
		tab.is(i, "Clopper and Pearson", fmt.Sprintf("[%.6f, %.6f]", c.Lo, c.Hi))
	}
}

// clopperPearson is what the mean's interval is on values of 0 and 1.
func clopperPearson(k, n int, level float64) stat.Estimate {
	return stat.Mean(slices.Concat(slices.Repeat([]float64{1}, k), make([]float64, n-k)), level)
}

func means(tab table) {
	for i := range tab.rows {
		e := stat.Mean(floats(tab, tab.cell(i, "values")), .95)
		tab.is(i, "mean", fmt.Sprintf("%.4f", e.Value))
		tab.is(i, "interval", interval(e.Lo, e.Hi))
	}
}

func alphas(tab table) {
	for i := range tab.rows {
		var rows strings.Builder
		for rater, labels := range strings.Fields(tab.cell(i, "raters, a label a unit")) {
			for unit, label := range labels {
				if label != '.' {
					fmt.Fprintf(&rows, "{\"unit\": \"%d\", \"rater\": \"%d\", \"label\": \"%c\"}\n", unit, rater, label)
				}
			}
		}
		var a agreement.Table
		if err := a.Read("methods.md", strings.NewReader(rows.String())); err != nil {
			tab.Fatal(err)
		}
		tab.is(i, "alpha", fmt.Sprintf("%.3f", *a.Analyze(1, .95).Alpha))
	}
}

func plans(tab table) {
	for i := range tab.rows {
		base, detect := floats(tab, tab.cell(i, "base"))[0], floats(tab, tab.cell(i, "detect"))[0]
		p, err := stat.SizeUnpaired(base, detect, .95, .8)
		if rho := tab.cell(i, "ρ"); rho != "" {
			p, err = stat.SizePaired(base, detect, floats(tab, rho)[0], .95, .8)
		}
		if err != nil {
			tab.Fatal(err)
		}
		tab.is(i, "cases", fmt.Sprint(p.N))
		tab.is(i, "power", fmt.Sprintf("%.4f", p.Power))
	}
}

// sharesCovered sums the binomial law over the counts whose interval holds the share. The mean is over 1000 shares; the
// least coverage lies right outside a bound, as it falls only there.
func sharesCovered(tab table) {
	methods := map[string]func(int, int, float64) stat.Estimate{"Wilson": stat.Wilson,
		"Clopper and Pearson": clopperPearson}
	for i := range tab.rows {
		n, err := strconv.Atoi(tab.cell(i, "n"))
		if err != nil {
			tab.Fatal(err)
		}
		of := methods[tab.cell(i, "interval")]
		if of == nil {
			tab.Fatalf("no interval is called %q", tab.cell(i, "interval"))
		}
		es, covered := exactly(of, n)
		for _, column := range tab.head[2 : len(tab.head)-2] {
			tab.is(i, column, fmt.Sprintf("%.3f", covered(floats(tab, column)[0])))
		}
		var mean float64
		const shares = 1000
		for s := range shares {
			mean += covered((float64(s) + .5) / shares)
		}
		tab.is(i, "least", fmt.Sprintf("%.3f", leastCovering(es, covered, func(float64) bool { return true })))
		tab.is(i, "mean", fmt.Sprintf("%.3f", mean/shares))
	}
}

// exactly returns the intervals of k = 0 to n, and the chance that they hold a share p of which k is drawn.
func exactly(of func(int, int, float64) stat.Estimate, n int) (es []stat.Estimate, covered func(p float64) float64) {
	es = make([]stat.Estimate, n+1)
	ways := make([]float64, n+1)
	lgamma := func(x int) float64 { v, _ := math.Lgamma(float64(x)); return v }
	for k := range es {
		es[k] = of(k, n, .95)
		ways[k] = lgamma(n+1) - lgamma(k+1) - lgamma(n-k+1)
	}
	return es, func(p float64) (c float64) {
		for k, e := range es {
			if e.Lo <= p && p <= e.Hi {
				c += math.Exp(ways[k] + float64(k)*math.Log(p) + float64(n-k)*math.Log1p(-p))
			}
		}
		return c
	}
}

// leastCovering is the least that intervals cover of some shares, next to their bounds.
func leastCovering(es []stat.Estimate, covered func(p float64) float64, some func(p float64) bool) float64 {
	least := 1.
	for _, e := range es {
		for _, p := range []float64{math.Nextafter(e.Lo, 0), math.Nextafter(e.Hi, 1)} {
			if p > 0 && p < 1 && some(p) {
				least = min(least, covered(p))
			}
		}
	}
	return least
}

// rareShares finds where Wilson's interval covers less than .93 of shares of a few in n: the rate times n from and to
// which it does, and the least there. Above 1.1 in n it covers what the last column has, and what is missed there and
// below is less than the interval, but for .025 at most.
func rareShares(tab table) {
	for i := range tab.rows {
		n, err := strconv.Atoi(tab.cell(i, "n"))
		if err != nil {
			tab.Fatal(err)
		}
		es, covered := exactly(stat.Wilson, n)
		var spans [][3]float64 // from, to, least
		const step = 1e-4
		few := true
		for x := step; x < 1.1; x += step {
			c := covered(x / float64(n))
			if c < leastCovered && few {
				spans = append(spans, [3]float64{x, x, c})
			}
			if few = c >= leastCovered; !few {
				last := &spans[len(spans)-1]
				last[1], last[2] = x, min(last[2], c)
			}
		}
		for j, column := range tab.head[1:4] {
			if j >= len(spans) {
				tab.Fatalf("%d spans at n = %d", len(spans), n)
			}
			tab.is(i, column, fmt.Sprintf("%.2f to %.2f: %.3f", spans[j][0], spans[j][1], spans[j][2]))
		}
		tab.is(i, "else", fmt.Sprintf("%.3f", leastCovering(es, covered, func(p float64) bool {
			return p > 1.1/float64(n) && p < 1-1.1/float64(n)
		})))
		for x := .01; x < 1.1; x += .01 { // no upper bound misses more than it may
			p, above := x/float64(n), 0.
			for k, e := range es {
				if p > e.Hi {
					above += distuv.Binomial{N: float64(n), P: p}.Prob(float64(k))
				}
			}
			if above > .025 {
				tab.Errorf("n %d, %.2f in n: %.3f of upper bounds miss it", n, x, above)
			}
		}
	}
}

// meansCovered holds the table against that in the comment of stat.Mean, which TestMeanCoverage makes.
func meansCovered(tab table) { inComment(tab, "../internal/stat/mean.go") }

// pairedCovered compares the page with the comment of stat.Paired, whose test prints these rows with HALLMARK_LONG=1.
func pairedCovered(tab table) { inComment(tab, "../internal/stat/paired.go") }
