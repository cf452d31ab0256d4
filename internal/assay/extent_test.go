package assay

import (
	"testing"

	"hallmark/internal/model/pocket/incontext"
	"hallmark/internal/suite"
)

// A plan whose posterior rates take many extensions counts them, so that a bundle of such a plan is refused before it
// is evaluated.
func TestExtentCountsExtensions(t *testing.T) {
	s, err := incontext.Settings{Task: incontext.Topic4, N: []int{4}, Contexts: 3, Queries: 2, Pool: 8, Seed: 1}.Suite()
	if err != nil {
		t.Fatal(err)
	}
	p := Defaults()
	p.Suites, p.Models, p.Methods = []*suite.Suite{s}, []UnderTest{{Identity: "x"}}, []string{Posterior}
	p.Repeats = 0
	x := whole(t).Posterior.Resolved()
	p.Posterior = &x
	few, size := p.Extent()
	if few != 6*(1+10*6) || size < few*40 {
		t.Errorf("%.0f answers to %.0f bytes of prompts", few, size)
	}
	x.M, x.Extend = 100_000, 1000
	if many, _ := p.Extent(); many < 1e8 {
		t.Errorf("%.0f answers with 100,000 extensions of 1,000 pairs", many)
	}
}
