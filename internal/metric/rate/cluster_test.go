package rate

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"hallmark/internal/archtest"
	"hallmark/internal/grade"
	"hallmark/internal/metric/consistency"
	"hallmark/internal/stat"
)

// Where 60 questions are asked 1 to 30 times each, and an answer is the same each time, intervals by case hold the rate
// far less often than they say and those by cluster as often.
func TestClusteredRatesCover(t *testing.T) {
	r := rand.New(rand.NewPCG(21, 2))
	const runs, rate = 200, .3
	held, byCase := 0, 0
	for n := range runs {
		var rows []Row
		for q := range 60 {
			verdicts, kind := "PPPn", grade.None
			if r.Float64() < rate {
				verdicts, kind = "FPPn", grade.Commission
			}
			for i := range 1 + r.IntN(2)*r.IntN(30) {
				x := row(fmt.Sprintf("c%d-%d", q, i), "x", verdicts, kind)
				x.Cluster = int32(q + 1)
				rows = append(rows, x)
			}
		}
		if h := sharesOf(sorted(rows), .95)(hallucination); h.Lo <= rate && rate <= h.Hi {
			held++
		}
		if n > 0 {
			for i := range rows {
				rows[i].Cluster = 0
			}
			if h := sharesOf(sorted(rows), .95)(hallucination); h.Lo <= rate && rate <= h.Hi {
				byCase++
			}
			continue
		}
		res := Analyze(rows, Options{Variants: rows})
		if o, h := res.OverVariants.Hallucination, res.Hallucination; !archtest.Near(o.Value, h.Value, 5e-7) ||
			!archtest.Near(o.Lo, h.Lo, 5e-7) ||
			!archtest.Near(o.Hi, h.Hi, 5e-7) {
			t.Fatalf("over variants %v, %v", o, h)
		}
		if !inflated(sorted(rows)) || res.Clusters != 60 || !strings.Contains(strings.Join(res.Warnings, " "),
			"60 clusters") || *res.Outcomes.Incorrect.Rate != res.Hallucination.Value {
			t.Fatalf("%d clusters: %q", res.Clusters, res.Warnings)
		}
	}
	t.Logf("of %d intervals %d hold the rate by cluster, %d by case", runs, held, byCase)
	if held < runs*91/100 || byCase > runs*75/100 {
		t.Errorf("of %d intervals %d hold the rate by cluster, %d by case", runs, held, byCase)
	}
}

// Two runs of 60 questions that are asked 1 to 30 times each, and fare the same each time: differences and reductions
// by cluster hold the truth as often as they say, and those by case far less often; where nothing changed the test by
// cluster is below .05 as often as it says, and that by case far more often. Without clusters the document says nothing
// of any. HALLMARK_LONG=1 draws 100 in place of 12, full 400.
func TestClusteredComparisonsCover(t *testing.T) {
	r := rand.New(rand.NewPCG(21, 3))
	runs := archtest.Draws(12, 100, 400)
	// of questions that base fails, other mends half; of the rest it fails none: .4 falls to .2, a reduction of .5
	figures := []struct {
		name  string
		of    func(*Reduction) *stat.Estimate
		truth float64
	}{
		{"difference", func(c *Reduction) *stat.Estimate { return c.Difference.Hallucination }, -.2},
		{"reduction", func(c *Reduction) *stat.Estimate { return c.Reduction.Hallucination }, .5},
		{"outcomes", func(c *Reduction) *stat.Estimate {
			d := c.Outcomes.Difference.Incorrect
			return &stat.Estimate{Value: *d.Estimate, Lo: d.Lo, Hi: d.Hi}
		}, -.2},
		{"of a class", func(c *Reduction) *stat.Estimate { return c.ByClass["x"].Reduction }, .5},
		{"stability", func(c *Reduction) *stat.Estimate { return c.Stability.SemanticStability.Difference }, 0},
	}
	held, byCase := make([]int, len(figures)), make([]int, len(figures))
	var same, sameByCase [2]int
	for n := range runs {
		var base, other []Row
		var stood [2][]consistency.Standing
		for q := range 60 {
			u, pc, back := r.Float64(), [2]float64{r.Float64(), r.Float64()}, r.Float64() < .5
			verdict := func(fails bool) (string, grade.Kind) {
				if fails {
					return "FPPn", grade.Commission
				}
				return "PPPn", grade.None
			}
			for i := range 1 + r.IntN(2)*r.IntN(30) {
				id := fmt.Sprintf("c%02d-%02d", q, i)
				for k, fails := range []bool{u < .4, u < .2} {
					v, kind := verdict(fails)
					x := row(id, "x", v, kind)
					x.Cluster = int32(q + 1)
					if k == 0 {
						base = append(base, x)
					} else {
						other = append(other, x)
					}
					c := 4 + 3*math.Floor(3*pc[k])
					stood[k] = append(stood[k], consistency.Standing{ID: id, R: 10, PC: c / 10, Ambiguous: back == (k == 0), Right: -1,
						Cluster: int32(q + 1)})
				}
			}
		}
		by := Compare(base, other, Options{Standings: stood[:]})
		if n == 0 {
			s := NewSeries(make([]SeriesRun, 2), [][]Row{base, other}, Options{Standings: stood[:]})
			p, d := s.Curves["hallucination"][1], by.Difference.Hallucination
			if s.Clusters != 60 || p.Difference.Lo != d.Lo || p.Difference.Hi != d.Hi || *p.McNemarP != by.McNemarP {
				t.Fatalf("the series has %d clusters and %+v, the comparison %v", s.Clusters, p, d)
			}
		}
		for i := range base {
			base[i].Cluster, other[i].Cluster, stood[0][i].Cluster, stood[1][i].Cluster = 0, 0, 0, 0
		}
		bare := Compare(base, other, Options{Standings: stood[:]})
		if by.Clusters != 60 || by.Stability.Clusters != 60 || bare.Clusters != 0 || bare.Stability.Clusters != 0 {
			t.Fatalf("%d and %d clusters, %d", by.Clusters, by.Stability.Clusters, bare.Clusters)
		}
		for i, f := range figures {
			e, b := f.of(&by), f.of(&bare)
			if !archtest.Near(e.Value, b.Value, 5e-7) {
				t.Fatalf("%s: %v by cluster, %v by case", f.name, e.Value, b.Value)
			}
			held[i] += int(stat.Bit(e.Lo <= f.truth && f.truth <= e.Hi))
			byCase[i] += int(stat.Bit(b.Lo <= f.truth && f.truth <= b.Hi))
		}
		for i, change := range []func(*Reduction) *consistency.Change{
			func(c *Reduction) *consistency.Change { return c.Stability.SemanticStability },
			func(c *Reduction) *consistency.Change { return c.Stability.Ambiguity },
		} {
			same[i] += int(stat.Bit(change(&by).P > .05))
			sameByCase[i] += int(stat.Bit(change(&bare).P > .05))
		}
	}
	for i, f := range figures {
		t.Logf("%s: of %d intervals %d hold the truth by cluster, %d by case", f.name, runs, held[i], byCase[i])
		least := 93 // in percent; 40 draws of .95 are at 36 or more in 19 of 20 tests
		if runs < 400 {
			least = 85
		}
		if held[i] < runs*least/100 || byCase[i] > runs*75/100 {
			t.Errorf("%s: of %d intervals %d hold the truth by cluster, %d by case", f.name, runs, held[i], byCase[i])
		}
	}
	t.Logf("of %d p of no change %v are above .05 by cluster, %v by case", runs, same, sameByCase)
	for i := range same {
		if same[i] < runs*85/100 || sameByCase[i] > runs*75/100 {
			t.Errorf("of %d p of no change %v are above .05 by cluster, %v by case", runs, same, sameByCase)
		}
	}
}
