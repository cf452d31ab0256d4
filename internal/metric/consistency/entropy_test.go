package consistency

import (
	"math"
	"testing"
)

// By hand: two texts of class a with likelihoods .2 and .1 a token, one of b with .1: P = 3/4, 1/4, entropy .5623351
// nats. The text drawn twice counts once.
func TestWeightedEntropy(t *testing.T) {
	ln := math.Log
	got, ok := WeightedEntropy([]string{"x", "y", "x", "z"}, []string{"a", "a", "a", "b"},
		[]float64{ln(.2), ln(.1), ln(.2), ln(.1)})
	if !ok || math.Abs(got-.5623351446188083) > 1e-12 {
		t.Errorf("%v, %v", got, ok)
	}
	if got, ok := WeightedEntropy([]string{"x", "y"}, []string{"a", "a"}, []float64{-900, -2}); !ok || got != 0 {
		t.Errorf("one class has the entropy %v, %v", got, ok)
	}
	if got, ok := WeightedEntropy([]string{"x", "y"}, []string{"a", "b"}, []float64{-900, -900}); !ok ||
		math.Abs(got-math.Ln2) > 1e-12 {
		t.Errorf("two that are equally rare: %v, %v", got, ok)
	}
	for _, bad := range []float64{math.NaN(), math.Inf(-1), .5} {
		if _, ok := WeightedEntropy([]string{"x"}, []string{"a"}, []float64{bad}); ok {
			t.Errorf("a log-probability of %v is taken", bad)
		}
	}
	if _, ok := WeightedEntropy[string](nil, nil, nil); ok {
		t.Error("nothing has an entropy")
	}
}
