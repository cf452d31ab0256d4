package synthetic

import (
	"context"
	"testing"

	"hallmark/internal/metric/posterior/regression"
)

// The built-in model reaches what docs/regression.md reports, as far as a few functions tell: the true rate follows the
// posterior rate, both fall as the context grows, and the posterior rate misses functions that the task has none of.
func TestBuiltIn(t *testing.T) {
	m, err := regression.Built()
	if err != nil {
		t.Fatal(err)
	}
	o := DefaultSetup()
	o.Functions, o.Contexts, o.Queries, o.M, o.Extend, o.Foreign = 20, []int{2, 8, 32}, 4, 5, 15, 3
	s, err := Run(context.Background(), m, o, 2, nil)
	if err != nil {
		t.Fatal(err)
	}
	sum := s.Summarize()
	if sum.Functions.R2 < .8 {
		t.Errorf("R² of the true rate by the posterior rate is %.3f over the means of 20 functions; 200 have .85 at least",
			sum.Functions.R2)
	}
	for k, c := range sum.Contexts {
		if k > 0 && !(c.THR.Value < sum.Contexts[k-1].THR.Value && c.PHR.Value < sum.Contexts[k-1].PHR.Value) {
			t.Errorf("the rates do not fall to n = %d: %+v", c.N, sum.Contexts)
		}
		if c.Divergence > .3 {
			t.Errorf("n = %d: the model's answers are %.3f nats from the exact ones", c.N, c.Divergence)
		}
	}
	if f := sum.Foreign[2]; !(f.THR.Value > .5 && f.PHR.Value < f.THR.Value/2) {
		t.Errorf("of sines after 32 pairs the true rate is %.3f and the posterior rate %.3f", f.THR.Value, f.PHR.Value)
	}
}
