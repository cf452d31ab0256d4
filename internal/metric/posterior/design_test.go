package posterior

import (
	"math"
	"testing"
)

func TestPlanByHand(t *testing.T) {
	s := Spread{Outer: .2, Inner: .5}
	if d := DesignSum(s, .02, 5); d.M != 100 || d.Calls != 601 || math.Abs(d.Error-.02) > 1e-12 {
		t.Errorf("%+v, want 100 extensions and 601 calls", d)
	}
	// .04 + .25/50 = .045 over .0004 is 112.5.
	if d := DesignPublished(s, .02, 5, 50); d.M != 113 || d.Calls != 113*105 {
		t.Errorf("%+v, want 113 extensions", d)
	}
}

// No K near it takes fewer calls than the K that is planned, and the plan reaches its error on the line.
func TestDesignPublishedIsCheapestAndHolds(t *testing.T) {
	b, x := line(), []float64{1}
	o := DefaultOptions()
	o.Estimator, o.M, o.K = Published, 2000, 50
	chain := func(o Options, query, m int) Chain {
		r := o.stream(query, m)
		return Measure(b.Predict(x), b.Extend(o.Extend, x, r).Predict(x), o, r)
	}
	var chains []Chain
	for m := range o.M {
		chains = append(chains, chain(o, 0, m))
	}
	e := Of(chains, o)
	s := SpreadOf(Result{M: o.M, K: o.K, StandardError: &Errors{e.Outer, e.Inner}})
	d := DesignPublished(s, .02, o.Extend, 0)
	for k := 2; k < 200; k++ {
		if other := DesignPublished(s, .02, o.Extend,
			k); other.Calls < d.Calls*97/100 { // M is rounded up, so neighbours differ a little
			t.Errorf("K = %d takes %d calls, the planned K = %d %d", k, other.Calls, d.K, d.Calls)
		}
	}
	d = DesignPublished(s, .02, o.Extend, 50)
	o.M = d.M
	var estimates []float64
	for rep := range 150 {
		var sum float64
		for m := range o.M {
			sum += chain(o, rep+1, m).THR / float64(o.M)
		}
		estimates = append(estimates, sum)
	}
	if sd := math.Sqrt(variance(estimates)); sd > .02*1.2 ||
		sd < .02*.7 { // the inner part is the jackknife's, on the safe side
		t.Errorf("the estimates spread by %.4f, planned for %.4f", sd, d.Error)
	}
}
