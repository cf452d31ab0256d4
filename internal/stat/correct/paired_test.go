package correct

import (
	"math"
	"reflect"
	"testing"
)

func sqrt(n int) float64 { return math.Sqrt(float64(n)) }

// Δ by hand, bounds from numpy 2.4.6: two million draws of the formula of Paired (default_rng(1)), moved by hand for the pull of the priors.
func TestPaired(t *testing.T) {
	pairs := []Pair{{200, [3]int{0, 200, 0}, [3]int{1, 28, 1}}, {30, [3]int{30, 0, 0}, [3]int{6, 2, 0}}, {50, [3]int{0, 5, 45}, [3]int{0, 4, 11}}, {20, [3]int{}, [3]int{2, 5, 3}}}
	e := paired(pairs, .95, 100_000, 1)
	// 0 - (30/300)(6/8) + (50/300)(11/15) + (20/300)(1/10)
	if want := -.075 + 11./90 + 2./300; !near(e.Value, want, 1e-12) || !near(e.Lo, -0.04259, .0015) || !near(e.Hi, 0.14896, .0015) || e.N != 300 {
		t.Errorf("%+v, want %.5f", e, want)
	}
	one := Paired(pairs, .95, 1)
	if !near(one.Lo, e.Lo, .005) || !near(one.Hi, e.Hi, .005) {
		t.Errorf("%+v of 20,000 samples, %+v of 100,000", one, e)
	}
	if again := Paired(append(pairs, Pair{}), .95, 1); !reflect.DeepEqual(again, one) {
		t.Errorf("with an empty cell %+v", again)
	}
	if none := Paired(nil, .95, 1); none.OK() {
		t.Errorf("%+v of nothing", none)
	}
	// Where nothing is labelled the half of what was read stands, with all that it leaves open.
	bare := Paired([]Pair{{200, [3]int{0, 200, 0}, [3]int{0, 30, 0}}, {6, [3]int{6, 0, 0}, [3]int{}}, {4, [3]int{0, 0, 4}, [3]int{0, 0, 1}}}, .95, 1)
	if want := (4 - 3) / 210.; !near(bare.Value, want, 1e-12) || !near(bare.Lo, -0.05249, .0015) || !near(bare.Hi, 0.06296, .0015) {
		t.Errorf("%+v, want %.5f", bare, want)
	}
	same := Paired([]Pair{{300, [3]int{0, 300, 0}, [3]int{0, 60, 0}}}, .95, 1)
	if same.Value != 0 || same.Lo > -.005 || same.Hi < .005 || same.Hi > .05 {
		t.Errorf("%+v where no label differs", same)
	}
	defer func() {
		if recover() == nil {
			t.Error("more labels than cases are let pass")
		}
	}()
	Paired([]Pair{{N: 3, Labels: [3]int{0, 4, 0}}}, .95, 1)
}
