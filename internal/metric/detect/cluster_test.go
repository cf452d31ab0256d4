package detect

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"hallmark/internal/archtest"
	"hallmark/internal/base/inputfile"
	"hallmark/internal/base/seed"
	"hallmark/internal/stat"
)

// 60 questions are asked 1 to 30 times each, and fare the same each time: the intervals of both AUROCs, of the gain and
// of the best detector's lead hold the truth as often as they say by cluster, and by case far less often. So do those
// over models. Without clusters nothing is said of any.
func TestByClusterCovers(t *testing.T) {
	r := seed.Stream(7, "clusters of detection")
	area := func(d float64) float64 { return .5 * (1 + math.Erf(d/2)) }
	truths := []float64{area(1.5), area(.5), .5 - area(1.5), area(1.5) - area(.7)}
	runs := archtest.Draws(40, 200, 200)
	held, byCase := make([]int, len(truths)), make([]int, len(truths))
	for range runs {
		var cases []Case
		var by, bare Table
		for q := range 60 {
			wrong, moves := r.Float64() < .4, r.Float64() < .4
			c := Case{Correctness: Passing, Consistency: Passing, Cluster: int32(q + 1), Outcomes: map[string]Outcome{}}
			x, y, z := r.NormFloat64(), r.NormFloat64(), r.NormFloat64()
			if wrong {
				c.Correctness, x, y = Failing, x+1.5, y+.7
			}
			if moves {
				c.Consistency, z = Failing, z+.5
			}
			c.Outcomes[Entropy], c.Outcomes[Perplexity], c.Outcomes[Surprisal] = Outcome{Score: x}, Outcome{Score: y},
				Outcome{Score: z}
			for i := range 1 + r.IntN(2)*r.IntN(30) {
				cases = append(cases, c)
				right := !wrong
				s := Score{Model: "m", ID: fmt.Sprint(q, "-", i), Detector: Entropy, Value: &x, Correct: &right,
					Cluster: int32(q + 1)}
				if err := by.Add(s, Place{}); err != nil {
					t.Fatal(err)
				}
				s.Cluster = 0
				if err := bare.Add(s, Place{}); err != nil {
					t.Fatal(err)
				}
			}
		}
		clustered := Summarize(cases, .95)
		for i := range cases {
			cases[i].Cluster = 0
		}
		alone := Summarize(cases, .95)
		if clustered.Clusters != 60 || alone.Clusters != 0 || !strings.Contains(strings.Join(clustered.Warnings, " "),
			"are 60 clusters") || len(alone.Warnings) != 0 {
			t.Fatalf("%d and %d clusters: %q, %q", clustered.Clusters, alone.Clusters, clustered.Warnings, alone.Warnings)
		}
		for k, s := range []Summary{clustered, alone} {
			count := [][]int{held, byCase}[k]
			for i, e := range []*stat.Estimate{
				s.Detectors[Entropy].Correctness.AUROC, s.Detectors[Surprisal].Consistency.AUROC, s.Detectors[Entropy].Gain,
				s.Best.Ahead[Perplexity], // none where that is the best by chance
			} {
				if e == nil || e.Lo <= truths[i] && truths[i] <= e.Hi {
					count[i]++
				}
			}
		}
		over, each := by.Analyze(.95), bare.Analyze(.95)
		if e, own := over.Detectors[Entropy].Correctness.AUROC["m"],
			clustered.Detectors[Entropy].Correctness.AUROC; over.Clusters != 60 || e.Lo != own.Lo || e.Hi != own.Hi {
			t.Fatalf("over models %d clusters, %v; by itself %v", over.Clusters, e, own)
		}
		if each.Clusters != 0 {
			t.Fatalf("%d clusters of cases by themselves", each.Clusters)
		}
	}
	for i, name := range []string{"AUROC, correctness", "AUROC, consistency", "gain", "ahead"} {
		share, bare := float64(held[i])/float64(runs), float64(byCase[i])/float64(runs)
		t.Logf("%s: %.3f by cluster, %.3f by case", name, share, bare)
		if share < archtest.Least(.95, runs) || bare > .75 {
			t.Errorf("%s: %.3f by cluster, %.3f by case", name, share, bare)
		}
	}
}

// Rows that name a cluster, or have one question, are one observation: five copies of each row have the interval of the
// clusters. Rows of one case that name two are refused.
func TestReadClusters(t *testing.T) {
	text := func(more string) string {
		var b strings.Builder
		r := seed.Stream(3, "read clusters")
		for q := range 40 {
			score, right := r.Float64(), q%3 > 0
			for k := range 5 {
				fmt.Fprintf(&b, `{"model": "m", "id": "%d-%d", "detector": "d", "score": %g, "correct": %t`+strings.ReplaceAll(more,
					"#", fmt.Sprint(q))+"}\n", q, k, score, right)
			}
		}
		return b.String()
	}
	read := func(text string) (Result, error) {
		table, _, _, err := Read([]inputfile.Input{{Name: "a", Reader: strings.NewReader(text)}}, Contrast{}, false)
		if err != nil {
			return Result{}, err
		}
		return table.Analyze(.95), nil
	}
	width := map[string]float64{}
	for more, clusters := range map[string]int{"": 0, `, "cluster": "q#"`: 40, `, "question": " q#"`: 40,
		`, "question": 7, "cluster": null`: 0} {
		res, err := read(text(more))
		if err != nil || res.Clusters != clusters {
			t.Fatalf("%s: %d clusters, %v", more, res.Clusters, err)
		}
		a := res.Detectors["d"].Correctness.AUROC["m"]
		width[more] = a.Hi - a.Lo
	}
	if by := width[`, "cluster": "q#"`]; by != width[`, "question": " q#"`] || by < 1.7*width[""] ||
		width[""] != width[`, "question": 7, "cluster": null`] {
		t.Errorf("%v", width)
	}
	_, err := read(`{"model": "m", "id": "a", "detector": "d", "score": 1, "cluster": "x"}` + "\n" +
		`{"model": "m", "id": "a", "detector": "e", "score": 1, "cluster": "y"}` + "\n")
	if err == nil || !strings.Contains(err.Error(), `"cluster or question" is another than at a:1`) {
		t.Error(err)
	}
}
