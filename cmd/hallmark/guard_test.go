package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"hallmark/internal/archtest"
	"hallmark/internal/ask/guard"
	"hallmark/internal/ask/inventory"
	"hallmark/internal/assay"
	"hallmark/internal/base/seed"
	"hallmark/internal/model"
	"hallmark/internal/model/pocket"
	"hallmark/internal/run"
	"hallmark/internal/run/store/inmemory"
	"hallmark/internal/suite"
)

// An ear passes requests on and keeps every one of them as JSON, in the order in which they came.
type ear struct {
	model.Batcher
	mu    sync.Mutex
	heard []string
	// left is how many more calls are answered before the model is gone; below 0 it never is.
	left int
}

func (e *ear) Generate(ctx context.Context, req model.Request) (model.Response, error) {
	r := e.GenerateBatch(ctx, []model.Request{req})[0]
	return r.Response, r.Err
}

func (e *ear) GenerateBatch(ctx context.Context, reqs []model.Request) []model.Result {
	e.mu.Lock()
	defer e.mu.Unlock()
	results := make([]model.Result, len(reqs))
	var asked []model.Request
	for _, r := range reqs {
		if e.left >= 0 && len(asked) >= e.left {
			break
		}
		asked = append(asked, r)
	}
	if e.left >= 0 {
		e.left -= len(asked)
	}
	for i := range reqs {
		results[i].Err = fmt.Errorf("the plug was pulled: %w", model.ErrGone)
	}
	copy(results, e.Batcher.GenerateBatch(ctx, asked))
	for _, r := range asked {
		b, err := json.Marshal(r)
		if err != nil {
			panic(err)
		}
		e.heard = append(e.heard, string(b))
	}
	return results
}

// guardedPlan is a plan of a suite for a guarded model over recorded calls.
func guardedPlan(t *testing.T, s *suite.Suite, store run.Store, inner model.Model) (*assay.Plan,
	map[string]model.Model) {
	t.Helper()
	c := guard.Defaults()
	c.Inventory = inventory.Pocket(false)
	m, err := guard.New(run.Recorded(store, inner, run.Options{}), c)
	if err != nil {
		t.Fatal(err)
	}
	plan := assay.Defaults()
	plan.Methods, plan.Repeats, plan.Suites = []string{assay.Rubric}, 1, []*suite.Suite{s}
	plan.Models = []assay.UnderTest{{Ref: "pocket", Identity: m.Identity(), Guard: []string{"--guard"}}}
	return &plan, map[string]model.Model{m.Identity(): m}
}

// everyOther thins a suite so that each design still has a case.
func everyOther(s *suite.Suite, n int) *suite.Suite {
	var thin []suite.Case
	for i, c := range s.Cases.All() {
		if i%n == 0 {
			thin = append(thin, *c)
		}
	}
	return s.With(suite.ListOf(thin))
}

// noise replaces everything in a suite that says what is right, and all that says what a case is about, by draws.
func noise(s *suite.Suite, r *rand.Rand) *suite.Suite {
	noisy := s.Cases.Loose()
	word := func() string { return fmt.Sprintf("w%x", r.Uint64()) }
	for i := range noisy {
		c := &noisy[i]
		c.ID, c.Class, c.Tags, c.Domain, c.Difficulty = word(), suite.Classes[r.IntN(len(suite.Classes))], []string{word()},
			suite.Domains[r.IntN(len(suite.Domains))], ""
		c.AnswerType, c.Decline, c.Oracle, c.Requires, c.Format = suite.Short, false, nil, suite.Requires{}, suite.Format{}
		switch option := r.IntN(max(len(c.Options), 1)); {
		case len(c.Options) > 0:
			c.Gold, c.AnswerType = suite.Gold{Option: &option}, suite.Choice
		case r.IntN(3) == 0:
			c.Gold, c.Decline = suite.Gold{}, true
		default:
			c.Gold = suite.Gold{Texts: []string{word(), word()}}
			c.Oracle = &suite.Oracle{Type: "exact", Accept: c.Gold.Texts, Reject: []string{word()}}
		}
	}
	out := s.With(suite.ListOf(noisy))
	out.Designed = nil
	return out
}

// The guard sees no gold and no oracle: with both replaced by noise, what it asks the model inside is byte for byte the
// same, in the same order, and so is what it answers.
func TestGuardSeesNoGold(t *testing.T) {
	pocketModel, err := pocket.Model()
	if err != nil {
		t.Fatal(err)
	}
	s := everyOther(pocket.Suite(), archtest.Draws(19, 9, 9))
	var heard [2][]string
	var answers [2][]string
	for i, s := range []*suite.Suite{s, noise(s, seed.Stream(1, "test", "noise"))} {
		store, inner := inmemory.New(), &ear{Batcher: pocketModel, left: -1}
		plan, models := guardedPlan(t, s, store, inner)
		callsSeq, _, err := plan.Calls()
		if err != nil {
			t.Fatal(err)
		}
		calls := slices.Collect(callsSeq)
		if _, err := run.Execute(t.Context(), store, models, slices.Values(calls), run.Options{}); err != nil {
			t.Fatal(err)
		}
		heard[i] = inner.heard
		records, err := run.Records(t.Context(), store, calls)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range records {
			if r == nil || r.Response == nil {
				t.Fatalf("a call has no answer: %+v", r)
			}
			if r.Response.Text != nil {
				answers[i] = append(answers[i], *r.Response.Text)
			}
		}
	}
	if len(heard[0]) < 4*s.Cases.Len() {
		t.Fatalf("%d inner calls for %d cases: too few to show anything", len(heard[0]), s.Cases.Len())
	}
	slices.Sort(heard[0]) // guarded calls run side by side, so the order in which theirs come is the scheduler's
	slices.Sort(heard[1])
	if !slices.Equal(heard[0], heard[1]) {
		t.Errorf("inner calls differ: %d and %d", len(heard[0]), len(heard[1]))
	}
	if !slices.Equal(answers[0], answers[1]) {
		t.Error("answers differ")
	}
}

// A guarded run that is cut off in the middle of its inner calls goes on where it stood, and ends in the same document
// as one that was not, at another concurrency and in other batches; no inner call is asked twice.
func TestGuardedRunResumes(t *testing.T) {
	pocketModel, err := pocket.Model()
	if err != nil {
		t.Fatal(err)
	}
	s := everyOther(pocket.Suite(), archtest.Draws(29, 13, 13))
	evaluate := func(store run.Store, plan *assay.Plan) []byte {
		result, err := assay.Evaluate(t.Context(), store, plan, version)
		if err != nil {
			t.Fatal(err)
		}
		b, err := json.Marshal(result)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	whole, straight := inmemory.New(), &ear{Batcher: pocketModel, left: -1}
	plan, models := guardedPlan(t, s, whole, straight)
	callsSeq, _, err := plan.Calls()
	if err != nil {
		t.Fatal(err)
	}
	calls := slices.Collect(callsSeq)
	if _, err := run.Execute(t.Context(), whole, models, slices.Values(calls), run.Options{}); err != nil {
		t.Fatal(err)
	}
	want := evaluate(whole, plan)

	cut, inner := inmemory.New(), &ear{Batcher: pocketModel}
	plan, models = guardedPlan(t, s, cut, inner)
	broken := 0
	for _, left := range []int{7, 40, 60, -1} {
		inner.left = left
		_, err := run.Execute(t.Context(), cut, models, slices.Values(slices.Clone(calls)),
			run.Options{Concurrency: 8, Batch: 3})
		if errors.Is(err, model.ErrGone) {
			broken++
		} else if err != nil {
			t.Fatal(err)
		}
	}
	if broken == 0 {
		t.Error("nothing was cut off")
	}
	if got := evaluate(cut, plan); !bytes.Equal(got, want) {
		t.Error("the resumed run ends in another document")
	}
	once := map[string]bool{}
	for _, h := range inner.heard {
		if once[h] {
			t.Errorf("asked twice: %s", h)
		}
		once[h] = true
	}
	slices.Sort(straight.heard)
	slices.Sort(inner.heard)
	if !slices.Equal(slices.Compact(straight.heard), inner.heard) {
		t.Errorf("%d inner calls, in one go %d", len(inner.heard), len(straight.heard))
	}
}
