package detect

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// Of three detectors two see the same of a wrong answer and one sees nothing: the best of the two is not told apart
// from the other, and is from the third. With one that sees nearly all it is ahead of all.
func TestBest(t *testing.T) {
	r := rand.New(rand.NewPCG(21, 6))
	draw := func(shifts map[string]float64) []Case {
		cases := make([]Case, 400)
		for i := range cases {
			cases[i] = Case{Correctness: Passing, Outcomes: map[string]Outcome{}}
			if i%3 == 0 {
				cases[i].Correctness = Failing
			}
			for _, name := range Names {
				if shift, has := shifts[name]; has {
					x := r.NormFloat64()
					if cases[i].Correctness == Failing {
						x += shift
					}
					cases[i].Outcomes[name] = Outcome{Score: x}
				}
			}
		}
		return cases
	}
	b := Summarize(draw(map[string]float64{Perplexity: 1, SelfCheck: 1, PTrue: 0}), .95).Best
	if b == nil || b.Detector == PTrue || len(b.Beside()) != 1 || slices.Contains(b.Beside(), PTrue) || len(b.Ahead) != 2 {
		t.Errorf("%+v", b)
	}
	if b := Summarize(draw(map[string]float64{Perplexity: 1, SelfCheck: 3, PTrue: 0}), .95).Best; b == nil ||
		b.Detector != SelfCheck || len(b.Beside()) > 0 {
		t.Errorf("%+v", b)
	}
	if b := Summarize(draw(map[string]float64{Perplexity: 1}), .95).Best; b != nil {
		t.Errorf("of one detector: %+v", b)
	}
	// Of ten alike none is ahead of all, but in one of 20 draws at most: here in none.
	for range 20 {
		alike := map[string]float64{}
		for _, name := range Names {
			alike[name] = .5
		}
		if b := Summarize(draw(alike), .95).Best; len(b.Beside()) == 0 {
			t.Errorf("%+v", b)
		}
	}
}
