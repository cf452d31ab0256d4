package model

import (
	"math"
	"testing"
)

func TestCosine(t *testing.T) {
	for _, c := range []struct {
		a, b []float32
		want float64
		ok   bool
	}{
		{[]float32{1, 0}, []float32{0, 2}, 0, true}, {[]float32{1, 2}, []float32{2, 4}, 1, true},
		{[]float32{1, 2}, []float32{-3, -6}, -1, true},
		{[]float32{3, 4}, []float32{4, 3}, .96, true}, {[]float32{1}, []float32{1, 2}, 0, false}, {nil, nil, 0, false},
		{[]float32{0, 0}, []float32{1, 2}, 0, false}, {[]float32{float32(math.NaN())}, []float32{1}, 0, false},
		{[]float32{float32(math.Inf(1))}, []float32{1}, 0, false},
	} {
		if got, ok := Cosine(c.a, c.b); ok != c.ok || math.Abs(got-c.want) > 1e-15 {
			t.Errorf("Cosine(%v, %v) = %v %v, want %v %v", c.a, c.b, got, ok, c.want, c.ok)
		}
	}
}

// TestUsagePlausible: counts and prices that no answer can have are told apart, and sums of the others stay what they
// are.
func TestUsagePlausible(t *testing.T) {
	for _, u := range []Usage{
		{PromptTokens: -1}, {PromptTokens: math.MaxInt}, {CompletionTokens: mostTokens + 1}, {CompletionTokens: math.MinInt},
		{USD: -1e-9}, {USD: 1e308}, {USD: math.Inf(1)}, {USD: math.NaN()},
	} {
		if u.Plausible() {
			t.Errorf("%+v is plausible", u)
		}
	}
	most := Usage{PromptTokens: mostTokens, CompletionTokens: mostTokens, USD: MostUSD}
	for _, u := range []Usage{{}, {PromptTokens: 3, CompletionTokens: 4, USD: .5}, most} {
		if sum := u.Plus(most); !u.Plausible() || sum != most {
			t.Errorf("%+v: not plausible, or %+v with the most", u, sum)
		}
	}
	if got := (Usage{PromptTokens: 1, USD: 1}).Plus(Usage{CompletionTokens: 2, USD: .5,
		Estimated: true}); got != (Usage{PromptTokens: 1, CompletionTokens: 2, USD: 1.5, Estimated: true}) {
		t.Errorf("sum is %+v", got)
	}
}
