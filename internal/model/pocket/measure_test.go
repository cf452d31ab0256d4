package pocket

import (
	"context"
	"math"
	"testing"

	"hallmark/internal/archtest"
	"hallmark/internal/model"
)

func right(m Measure) int    { return m.Factual }
func wrongly(m Measure) int  { return m.Wrong }
func randomly(m Measure) int { return m.Random }
func notRight(m Measure) int { return m.Cases - m.Factual }

// gates are what the embedded model must show in the tests: the share of the cases of a design that behave in a way,
// some points below what docs/pocket.md reports, so that they fail where the engine or the suite changes and not
// where a few cases do. Designs without a gate are reported only.
var gates = []struct {
	design string
	share  func(Measure) int
	least  float64
}{
	{string(Known), right, .95}, {string(Known) + rewordedSuffix, right, .9},
	{string(Myth3), wrongly, .75}, {string(Myth9), wrongly, .9}, {string(Myth9) + rewordedSuffix, wrongly, .8},
	{string(Style), randomly, .9}, {string(Style) + rewordedSuffix, randomly, .9},
	{string(Rare1), notRight, .94}, {string(Rare2), notRight, .94}, {string(Rare4), notRight, .9},
	{Absent, right, .95}, {Foreign, right, .9}, {Override, right, .88}, {Verified, right, .95}, {Negated, right, .85},
	{Premise, right, .93}, {Explained, right, .95}, {Role, right, .95}, {Policy, right, .85}, {Namesake, right, .85},
	{Chained, right, .95},
	{NewChain, right, .6}, {Sum, right, .95}, {Steps, right, .85}, {NewSteps, right, .85}, {Rule, right, .95},
}

func TestModelBehavesAsDesigned(t *testing.T) {
	if !archtest.Long() {
		t.Skip("13,000 answers; HALLMARK_LONG=1 asks for them, and TestEmbeddedWeights says that the weights are the " +
			"measured ones")
	}
	m, err := Model()
	if err != nil {
		t.Fatal(err)
	}
	measures, err := Evaluate(context.Background(), m)
	if err != nil {
		t.Fatal(err)
	}
	by := map[string]Measure{}
	for _, x := range measures {
		t.Log(x)
		by[x.Design] = x
	}
	for _, g := range gates {
		x := by[g.design]
		if got := float64(g.share(x)) / float64(x.Cases); x.Cases == 0 || got < g.least {
			t.Errorf("%s: %.2f of %d cases behave as designed, want at least %.2f", g.design, got, x.Cases, g.least)
		}
	}
}

// A fact that the training text states in two ways comes out with about the shares of the text, whatever the greedy
// answer is: the probabilities are what a sampled answer sees.
func TestProbabilitiesFollowTheTrainingText(t *testing.T) {
	m, err := Model()
	if err != nil {
		t.Fatal(err)
	}
	u := World()
	for _, c := range []struct {
		category Category
		truth    float64 // share of the truth in the training text
		within   float64
	}{{Known, 1, .02}, {Coin, .5, .12}, {Myth3, .25, .1}, {Myth9, .1, .1}} {
		var requests []model.Request
		for k, i := range u.Of(c.category) {
			f := u.Facts[i]
			other := f.Other
			if other == "" {
				other = u.pools[f.Rel().Range][0]
			}
			if f.Value != other {
				requests = append(requests, model.Request{Prompt: f.Rel().Ask(f.Subject, k%Trained),
					Options: []string{f.Value, other}})
			}
		}
		var share, mass float64
		for _, r := range m.GenerateBatch(context.Background(), requests) {
			if r.Err != nil {
				t.Fatal(r.Err)
			}
			truth, other := math.Exp(r.Response.Options[0].Sum()), math.Exp(r.Response.Options[1].Sum())
			share += truth / (truth + other) / float64(len(requests))
			mass += (truth + other) / float64(len(requests))
		}
		t.Logf("%s: %.3f of the probability of the two answers is the truth's; together they have %.3f", c.category, share,
			mass)
		if math.Abs(share-c.truth) > c.within || mass < .9 {
			t.Errorf("%s: the truth has %.3f of the two answers' probability, want %.2f ± %.2f; both have %.3f, want at "+
				"least .9", c.category, share, c.truth, c.within, mass)
		}
	}
}
