package consistency

import (
	"math"
	"testing"
)

// By hand: 3 nats over 2 tokens and 1 over 2 are 4 nats over 4 tokens, a perplexity of e.
func TestPerplexityOver(t *testing.T) {
	if p := PerplexityOver(nil, .95); p != nil {
		t.Errorf("of no text: %+v", p)
	}
	p := PerplexityOver([]Likelihood{{"a", 2, 3}, {"b", 2, 1}}, .95)
	if p.Cases != 2 || p.Tokens != 4 || math.Abs(*p.PerToken-math.E) > 1e-12 || p.Median != nil || len(p.Warnings) != 1 {
		t.Errorf("two texts: %+v", p)
	}
	if p := PerplexityOver([]Likelihood{{"a", 2, math.Inf(1)}, {"b", 2, 1}}, .95); p.PerToken != nil || len(p.Warnings) != 2 {
		t.Errorf("an impossible token: %+v", p)
	}
	var texts []Likelihood
	for i := range 7 {
		texts = append(texts, Likelihood{string(rune('a' + i)), 1, float64(i)})
	}
	if p := PerplexityOver(texts, .95); p.Median == nil || math.Abs(p.Median.Estimate-math.Exp(3)) > 1e-9 {
		t.Errorf("the middle of e^0 … e^6 is e^3: %+v", p)
	}
}

// By hand: every text has half a nat a token less, so the ratio is e^-½ and its interval of no width.
func TestRatioOver(t *testing.T) {
	var base, other []Likelihood
	for i := range 8 {
		id := string(rune('a' + i))
		base = append(base, Likelihood{id, 4, float64(8 + i)})
		other = append(other, Likelihood{id, 4, float64(6 + i)})
	}
	r := RatioOver(base, append(other, Likelihood{"only there", 1, 1}), .95)
	if r.N != 8 || math.Abs(r.Median.Estimate-math.Exp(-.5)) > 1e-12 || math.Abs(r.Median.Hi-math.Exp(-.5)) > 1e-12 {
		t.Errorf("ratio %+v", r)
	}
	if r := RatioOver(base, nil, .95); r != nil {
		t.Errorf("of nothing shared: %+v", r)
	}
	other[0].Nats = math.Inf(1)
	if r := RatioOver(base, other, .95); r != nil {
		t.Errorf("with an impossible text: %+v", r)
	}
}
