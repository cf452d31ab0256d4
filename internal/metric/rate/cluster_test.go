package rate

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"hallmark/internal/grade"
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
		if h := share(sorted(rows), hallucination, .95); h.Lo <= rate && rate <= h.Hi {
			held++
		}
		if n > 0 {
			for i := range rows {
				rows[i].Cluster = 0
			}
			if h := share(sorted(rows), hallucination, .95); h.Lo <= rate && rate <= h.Hi {
				byCase++
			}
			continue
		}
		res := Analyze(rows, Options{Variants: rows})
		if o, h := res.OverVariants.Hallucination, res.Hallucination; !near(o.Value, h.Value) || !near(o.Lo, h.Lo) || !near(o.Hi, h.Hi) {
			t.Fatalf("over variants %v, %v", o, h)
		}
		if !inflated(sorted(rows)) || res.Clusters != 60 || !strings.Contains(strings.Join(res.Warnings, " "), "60 clusters") || *res.Outcomes.Incorrect.Rate != res.Hallucination.Value {
			t.Fatalf("%d clusters: %q", res.Clusters, res.Warnings)
		}
	}
	t.Logf("of %d intervals %d hold the rate by cluster, %d by case", runs, held, byCase)
	if held < runs*91/100 || byCase > runs*75/100 {
		t.Errorf("of %d intervals %d hold the rate by cluster, %d by case", runs, held, byCase)
	}
}
