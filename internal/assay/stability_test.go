package assay

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync/atomic"
	"testing"

	"hallmark/internal/base/seed"
	"hallmark/internal/model"
	"hallmark/internal/run"
	"hallmark/internal/run/store/inmemory"
)

// With no --equal the type of the answer decides: options by content, numbers by value, short answers by their words,
// prose by what a model holds of it.
func TestEquivalenceByAnswerType(t *testing.T) {
	p := equivalencePlan(t, "", `suite: {name: types, version: "1"}
cases:
  - {id: choice, prompt: a0, phrasings: [a1], options: [red, blue], show_options: true, answer_type: choice, gold: red}
  - {id: number, prompt: b0, phrasings: [b1], answer_type: numeric, gold: "1200"}
  - {id: short, prompt: c0, phrasings: [c1], answer_type: short, gold: Paris}
  - {id: prose, prompt: d0, phrasings: [d1], answer_type: prose, gold: It is scattered by the air.}
`)
	p.Choices = ChoicesGenerate
	store := inmemory.New()
	var asked atomic.Int64
	given := byPrompt{"a0": "(A)", "a1": "A. red", "b0": "1,200", "b1": "It is 1200.0", "c0": "It is Paris.",
		"c1": "the city of Paris in France", "d0": "They scatter, so it is.", "d1": "scattered light, that is why"}
	complete(t, p, store, given, comparer{byWord, &asked})
	a := evaluate(t, p, store)
	for _, row := range a.Cases.All() {
		if row.PC != 1 || row.Category != "prompt_agnostic_factual" ||
			(row.Equality == EqualSemantic) != (row.ID == "prose") {
			t.Errorf("%s: PC %v, %s, equality %q, mode %q", row.ID, row.PC, row.Category, row.Equality, row.Mode)
		}
	}
	if asked.Load() != 6 { // two answers and the gold, both ways: of the prose alone
		t.Errorf("%d directions were asked", asked.Load())
	}
}

// byPrompt answers by the letters that a prompt begins with.
type byPrompt map[string]string

func (byPrompt) Identity() string { return "table" }

func (m byPrompt) Generate(_ context.Context, req model.Request) (model.Response, error) {
	text := m[req.Prompt[:2]]
	return model.Response{Text: &text}, nil
}

// A whole run with a comparer of known error on answers whose meaning is known: six answers to each of 40 questions,
// all in other words, four of one meaning and two of another, so that the true stability is 2/3. The measured one is
// off by the comparer's false merges; the interval holds the truth.
func TestStabilityUnderAKnownError(t *testing.T) {
	var text strings.Builder
	text.WriteString("suite: {name: known, version: \"1\"}\ncases:\n")
	for i := range 40 {
		fmt.Fprintf(&text, "  - {id: q%d, prompt: q%d v0, phrasings: [q%d v1, q%d v2, q%d v3, q%d v4, q%d v5], "+
			"answer_type: prose}\n", i, i, i, i, i, i, i)
	}
	p := equivalencePlan(t, "", text.String())
	for i := range 200 { // pairs like those of the run: of one meaning, and of two
		for j, equal := range []bool{true, false} {
			p.Equivalence.Check = append(p.Equivalence.Check, KnownPair{"known", fmt.Sprintf("check %d %d says m0", i, j),
				fmt.Sprintf("check %d %d also says m%d", i, j, j), equal})
		}
	}
	store := inmemory.New()
	complete(t, p, store, phrased{}, comparer{func(a, b string) string {
		u := seed.Stream(3, "error", min(a, b), max(a, b)).Float64() // of the pair, whichever way it is asked
		same := a[len(a)-2:] == b[len(b)-2:]
		if same && u >= .2 || !same && u < .05 {
			return "yes"
		}
		return "no"
	}, nil})
	m := evaluate(t, p, store).Document.Models[0]
	s := m.Equivalence.Stability
	const truth = 4. / 6
	if *s.Measured < truth+.05 {
		t.Errorf("measured %.3f: the errors were to move it", *s.Measured)
	}
	if !(*s.Lo <= truth && truth <= *s.Hi) || math.Abs(*s.Corrected-truth) > .02 {
		t.Errorf("corrected %.3f in [%.3f, %.3f], the truth is %.3f", *s.Corrected, *s.Lo, *s.Hi, truth)
	}
	if c := m.Equivalence.Check; !(c.FalseSplit.Lo <= .2 && .2 <= c.FalseSplit.Hi && c.FalseMerge.Lo <= .05 &&
		.05 <= c.FalseMerge.Hi) {
		t.Errorf("%s", bytesOf(t, c))
	}
}

// phrased answers each prompt in words of its own; the last ones are its meaning.
type phrased struct{}

func (phrased) Identity() string { return "table" }

func (phrased) Generate(_ context.Context, req model.Request) (model.Response, error) {
	meaning := "m0"
	if v := req.Prompt[len(req.Prompt)-1]; v >= '4' {
		meaning = "m1"
	}
	text := "answer to " + req.Prompt + " says " + meaning
	return model.Response{Text: &text}, nil
}

// A reading of many answers ends where it is interrupted, and is no result.
func TestInterruptedReading(t *testing.T) {
	p, store := equivalencePlan(t, "", skies), inmemory.New()
	complete(t, p, store, skyAnswers, comparer{byWord, nil})
	ctx, stop := context.WithCancel(t.Context())
	left := len(skyAnswers)
	late := run.Watch(store, func(run.Key, *run.Record) {
		if left--; left == 0 {
			stop()
		}
	})
	p.Equivalence = nil
	if _, err := Evaluate(ctx, late, p, "v"); left > 0 || !errors.Is(err, context.Canceled) {
		t.Errorf("%v with %d records left to look up, want %v", err, left, context.Canceled)
	}
}
