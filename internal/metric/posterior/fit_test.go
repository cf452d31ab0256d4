package posterior

import (
	"math"
	"testing"

	"hallmark/internal/base/seed"
)

func TestFitByHand(t *testing.T) {
	f := FitTo([]float64{0, 1, 2}, []float64{0, 1, 1}, []int{0, 1, 2})
	if f == nil || f.Slope != .5 || math.Abs(f.Intercept-1./6) > 1e-15 || math.Abs(f.R2-.75) > 1e-15 ||
		math.Abs(f.MAE-1./3) > 1e-15 || math.Abs(f.MSE-1./3) > 1e-15 {
		t.Errorf("%+v", f)
	}
	// Scores (x − 1)·residual: −1·−1/6, 0, 1·−1/6; meat 2/36, times 3/2 is 1/12; se √(1/12)/2 = .14434, t 3.4641, 2
	// degrees: p = .0742.
	if math.Abs(*f.P-.0742) > 1e-4 {
		t.Errorf("p %g, want .0742", *f.P)
	}
	if FitTo([]float64{1, 1, 1}, []float64{0, 1, 2}, []int{0, 1, 2}) != nil {
		t.Error("a line through one x")
	}
	if f := FitTo([]float64{0, 1, 2}, []float64{0, 1, 1}, []int{0, 0, 1}); f.P != nil {
		t.Error("two contexts have a p")
	}
}

// Where y does not follow x and errors go together by context, p is below .05 about as often as it should be.
func TestFitHoldsItsLevel(t *testing.T) {
	r := seed.Stream(1, "fit")
	const reps, contexts, each = 2000, 40, 10
	low := 0
	for range reps {
		var x, y []float64
		var cluster []int
		for c := range contexts {
			a, b := r.NormFloat64(), r.NormFloat64()
			for range each {
				x, y, cluster = append(x, a+.5*r.NormFloat64()), append(y, b+.5*r.NormFloat64()), append(cluster, c)
			}
		}
		if f := FitTo(x, y, cluster); *f.P < .05 {
			low++
		}
	}
	if share := float64(low) / reps; share > .08 {
		t.Errorf("p below .05 in %.3f of the repetitions", share)
	}
}
