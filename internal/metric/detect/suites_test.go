package detect

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"hallmark/internal/base/seed"
)

// addScore adds one score of a case whose answer is right or wrong.
func addScore(t *testing.T, into *Table, model, suite, id string, score float64, correct bool) {
	t.Helper()
	err := into.Add(Score{Model: model, Suite: suite, ID: id, Detector: Entropy, Value: &score, Correct: &correct},
		Place{})
	if err != nil {
		t.Fatal(err)
	}
}

// TestBySuite: in both suites the wrong answer scores 1 higher in all six models, p = 2/2^6 each; but easy's scores are
// 10 higher, and two of its three answers are right while two of hard's three are wrong. Pooled the means are
// right: (10 + 10 + 0)/3, wrong: (11 + 1 + 1)/3, by hand, so every difference is -7/3 and the p is 2/2^6 the other way.
func TestBySuite(t *testing.T) {
	var all, easy Table
	for m := range 6 {
		model := fmt.Sprint("m", m)
		for _, into := range []*Table{&all, &easy} {
			addScore(t, into, model, "easy", "a", 10, true)
			addScore(t, into, model, "easy", "b", 10, true)
			addScore(t, into, model, "easy", "c", 11, false)
		}
		addScore(t, &all, model, "hard", "a", 0, true) // another case than easy's of that id
		addScore(t, &all, model, "hard", "b", 1, false)
		addScore(t, &all, model, "hard", "c", 1, false)
	}
	r := all.BySuite(.95)
	for name, want := range map[string]int{"": 0, "easy": 6, "hard": 6} {
		on := r.Result
		if name != "" {
			on = r.Suites[name]
		}
		x := on.Detectors[Entropy].Correctness
		if x.P == nil || *x.P != 2./64 || x.Higher != want || x.Models != 6 {
			t.Errorf("%q: p %v, higher in %d of %d models; want 2/64 and %d", name, x.P, x.Higher, x.Models, want)
		}
	}
	if d := r.Detectors[Entropy].Correctness.Classes["m0"].Difference; d == nil || *d > -7./3+1e-12 || *d < -7./3-1e-12 {
		t.Errorf("pooled difference %v, want -7/3", d)
	}
	if !reflect.DeepEqual(r.Pooled, []string{"easy", "hard"}) || len(r.Warnings) == 0 ||
		!strings.HasPrefix(r.Warnings[len(r.Warnings)-1], "pooled over 2 suites (easy; hard)") ||
		!strings.HasPrefix(r.Findings[0], "Over 6 models and 2 suites pooled, ") {
		t.Errorf("pooled %q, warnings %q, findings %q: the pooling is not said", r.Pooled, r.Warnings, r.Findings)
	}
	alone := easy.BySuite(.95)
	if alone.Suites != nil || alone.Pooled != nil {
		t.Errorf("one suite has parts: %v", alone.Suites)
	}
	if !reflect.DeepEqual(alone.Detectors, r.Suites["easy"].Detectors) ||
		!reflect.DeepEqual(alone.Findings, r.Suites["easy"].Findings) {
		t.Error("a suite among two gives another result than by itself")
	}
}

// TestPoolingMisleads: where scores say nothing within a suite, but suites differ in their size and in how many answers
// are wrong, the p of each suite is below .05 in at most 5 % of draws but for Monte Carlo error, and the pooled one in
// nearly all: why each suite has its own.
func TestPoolingMisleads(t *testing.T) {
	const draws, models, cases = 200, 8, 30
	rng := rand.New(seed.Stream(1, "pooling"))
	below := map[string]int{}
	for range draws {
		var all Table
		for m := range models {
			for _, s := range []struct {
				suite       string
				mean, wrong float64
			}{{"easy", 0, .2}, {"hard", 2, .8}} {
				for i := range cases {
					addScore(t, &all, fmt.Sprint(m), s.suite, fmt.Sprint(i), s.mean+rng.NormFloat64(),
						float64(i) >= s.wrong*cases)
				}
			}
		}
		r := all.BySuite(.95)
		count := func(name string, on *Result) {
			if *on.Detectors[Entropy].Correctness.P < .05 {
				below[name]++
			}
		}
		count("pooled", r.Result)
		count("easy", r.Suites["easy"])
		count("hard", r.Suites["hard"])
	}
	// the exact test over 8 models has p < .05 in 10 of 2^8 orders of signs (by hand: rank sums to 3), so in 7.8 of
	// 200 draws, and in 16 three deviations more
	if below["easy"] > 16 || below["hard"] > 16 || below["pooled"] < 190 {
		t.Errorf("p below .05 in %v of %d draws", below, draws)
	}
	t.Logf("p below .05 in %v of %d draws", below, draws)
}
