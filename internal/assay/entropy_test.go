package assay

import (
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"hallmark/internal/base/seed"
	"hallmark/internal/metric/equivalence"
	"hallmark/internal/model"
	"hallmark/internal/run/store/inmemory"
)

type scorer struct{}

func (scorer) Identity() string { return "comparer" }

func (scorer) Generate(_ context.Context, req model.Request) (model.Response, error) {
	yes := -2.
	if byWord(sides(req.Prompt)) == "Yes." {
		yes = -.1
	}
	if !reflect.DeepEqual(req.Options, equivalence.Replies) || req.MaxTokens != 0 {
		return model.Response{}, errors.New("not asked for scores")
	}
	return model.Response{Options: []model.OptionScore{{LogProbs: []float64{yes}}, {LogProbs: []float64{-.5, -.5}}}}, nil
}

// By hand: of four samples three say the same. The discrete entropy is .5623; by wording all four differ, ln 4. With
// likelihoods of .4 and .2 a token for the texts of the first class, drawn once, and twice, and .2 for the other: P =
// 3/4 and 1/4, too.
func TestSemanticEntropy(t *testing.T) {
	p := equivalencePlan(t, "", strings.Split(skies, "  - {id: town")[0])
	p.Sampled, p.Models[0].LogProbs = 4, true
	store := inmemory.New()
	complete(t, p, store, drawing{}, comparer{byWord, nil})
	a := evaluate(t, p, store)
	e := a.Document.Models[0].ConsistencySampled.SemanticEntropy
	if e == nil || e.Cases != 1 || e.WeightedCases != 1 {
		t.Fatalf("%+v", e)
	}
	const want = .5623351446188083
	if math.Abs(e.Discrete.Value-want) > 1e-9 || math.Abs(e.Weighted.Value-want) > 1e-9 ||
		math.Abs(e.Forms.Value-math.Log(4)) > 1e-9 || *e.Bias != .125 {
		t.Errorf("%s", bytesOf(t, e))
	}
	if row := a.Cases.At(0); math.Abs(*row.SemanticEntropy-want) > 1e-12 ||
		math.Abs(*row.SemanticEntropyWeighted-want) > 1e-12 {
		t.Errorf("%v, %v", *row.SemanticEntropy, *row.SemanticEntropyWeighted)
	}
	// Without log-probabilities the weighted form is absent, and nothing else changes.
	p.Models[0].LogProbs = false
	complete(t, p, store, drawing{}, comparer{byWord, nil})
	if e := evaluate(t, p, store).Document.Models[0].ConsistencySampled.SemanticEntropy; e.Weighted != nil ||
		e.WeightedCases != 0 || math.Abs(e.Discrete.Value-want) > 1e-9 {
		t.Errorf("%s", bytesOf(t, e))
	}
}

// drawing answers each draw in other words, with log-probabilities where they are asked for.
type drawing struct{}

func (drawing) Identity() string { return "table" }

var drawn = []struct {
	text string
	p    float64
}{{"It is the scattering of short waves.", .4}, {"Light is scattered.", .1}, {"scattered light, by the air", .1},
	{"It is the sea.", .2}}

func (drawing) Generate(_ context.Context, req model.Request) (model.Response, error) {
	if req.Seed == nil {
		text := "It is the sea."
		return model.Response{Text: &text}, nil
	}
	i := int(*req.Seed % 4)
	for n := range 4 { // each text once: the samples' seeds are of the plan
		if seeds[n] == *req.Seed {
			i = n
		}
	}
	d := drawn[i]
	out := model.Response{Text: &d.text}
	if req.LogProbs {
		lp := math.Log(d.p)
		out.Tokens = []model.Token{{Text: "x", LogProb: &lp}, {Text: "y", LogProb: &lp}}
	}
	return out, nil
}

// seeds are those of the four samples of the case sky.
var seeds = func() (s [4]int64) {
	p := Defaults()
	for i := range s {
		s[i] = int64(seed.Stream(p.Seed, "sample", "sky", fmt.Sprint(i)).Uint64() >> 12)
	}
	return s
}()

// The error on known pairs: of four that are equal one is held apart, of five that differ one is joined; one that is
// equal in normal form is not asked about, and one without a verdict counts nowhere. A case's classes say how far
// stability could move.
func TestKnownPairsGiveTheError(t *testing.T) {
	p, store := equivalencePlan(t, "", skies), inmemory.New()
	pair := func(a, b string, equal bool) {
		p.Equivalence.Check = append(p.Equivalence.Check, KnownPair{"Where is the tower?", a, b, equal})
	}
	pair("Paris", "paris!", true)
	pair("Paris", "In Paris", true)
	pair("sea", "the deep sea", true)
	pair("ocean", "the seaside", true)
	for i, other := range []string{"paint", "scatter", "x", "Paris"} {
		pair("sea", other+fmt.Sprint(i), false)
	}
	pair("by the sea", "over the sea", false)
	pair("shrug", "sea", false)
	complete(t, p, store, skyAnswers, comparer{func(a, b string) string {
		if strings.Contains(a+b, "shrug") {
			return "I cannot say."
		}
		return byWord(a, b)
	}, nil})
	q := evaluate(t, p, store).Document.Models[0].Equivalence
	c := q.Check
	if c.Pairs != 9 || c.Unscored != 1 || c.FalseSplit.Value != .25 || c.FalseMerge.Value != .2 {
		t.Errorf("%s", bytesOf(t, c))
	}
	if s := q.Stability; s.By != "check" || *s.Measured != .75 || !(*s.Lo <= *s.Corrected && *s.Corrected <= *s.Hi) ||
		*s.Hi-*s.Lo < .05 {
		t.Errorf("%s", bytesOf(t, s))
	}
	if len(q.Warnings) != 3 {
		t.Errorf("%q", q.Warnings)
	}
}
