package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"hallmark/internal/assay"
	"hallmark/internal/assay/belief"
	"hallmark/internal/metric/posterior"
	"hallmark/internal/model"
	"hallmark/internal/model/exact"
	"hallmark/internal/run"
)

// problemOf makes a problem of learning in context from rows: labels are those given, else those of the pairs, in the order in which they
// first stand there.
func problemOf(p posterior.Problem, truth *posterior.Truth, labels []string) belief.Problem {
	q := belief.Problem{Name: "1", Pairs: p.Context, Labels: labels}
	if len(labels) == 0 {
		add := func(pairs []exact.Pair) {
			for _, pair := range pairs {
				if !slices.Contains(q.Labels, pair.Label) {
					q.Labels = append(q.Labels, pair.Label)
				}
			}
		}
		add(p.Context)
		if truth != nil {
			add(truth.Pairs)
		}
	}
	for _, input := range p.Queries {
		query := belief.Query{Input: input}
		if truth != nil {
			query.Gold = truth.Gold[input]
		}
		q.Queries = append(q.Queries, query)
	}
	if truth != nil {
		q.True = truth.Pairs
	}
	return q
}

// believe estimates the rate of a language model: wave after wave of calls, each from the records of the one before.
func (a *app) believe(ctx context.Context, ref model.Ref, f *runFlags, plan *belief.Plan) (*belief.Result, error) {
	if err := plan.Validate(); err != nil {
		return nil, usage(err)
	}
	m, err := a.build(ref, f, nil)
	if err != nil {
		return nil, usagef("--model %s: %w", ref, err)
	}
	if c, ok := m.(io.Closer); ok {
		defer c.Close()
	}
	plan.Model = m.Identity()
	if err := a.canBelieve(ctx, m, ref, plan); err != nil {
		return nil, err
	}
	store, err := a.openStore(ctx)
	if err != nil {
		return nil, err
	}
	defer store.Close()
	opt := run.Options{
		Concurrency: f.concurrency, MaxRetries: f.maxRetries, Timeout: f.timeout, Offline: f.offline, RetryErrors: f.retryErrors,
		Grace: 2 * time.Second, Now: a.now, Seed: a.seed,
	}
	switch ref.Scheme {
	case model.HTTP, model.OpenAI, model.Anthropic, model.Exec:
		if opt.Concurrency == 0 {
			opt.Concurrency = 16
		}
	default:
		opt.Timeout = 0 // a slow machine is no lost connection
	}
	for {
		calls, err := plan.Next(ctx, store)
		if err != nil {
			return nil, err
		}
		if len(calls) == 0 {
			break
		}
		counts, err := run.Execute(ctx, store, map[string]model.Model{plan.Model: m}, calls, opt)
		if err != nil {
			return nil, err
		}
		if counts.Skipped > 0 { // offline: what is missing stays so
			break
		}
	}
	return plan.Evaluate(ctx, store)
}

// windowed is a model whose window is known and whose tokens can be counted before any call.
type windowed interface {
	ContextTokens() int
	TextTokens(text string, begin bool) ([]int32, error)
}

// canBelieve refuses a model that cannot do what the rate takes, before any call.
func (a *app) canBelieve(ctx context.Context, m model.Model, ref model.Ref, plan *belief.Plan) error {
	if prober, ok := m.(model.Prober); ok {
		c, err := a.abilities(ctx, prober)
		switch {
		case errors.Is(err, model.ErrGone):
			return fmt.Errorf("--model %s: %w", ref, err)
		case err != nil:
			return fmt.Errorf("--model %s: the check of its abilities failed: %w", ref, err)
		case !c.Sampling:
			return usagef("--model %s cannot sample, but pairs are made up by sampling at temperature 1", ref)
		case !c.OptionScores:
			return usagef("--model %s gives no log-probabilities of a given text, but the labels are scored by them; a server with completions and echo (--api completions), hf:DIR or pocket does", ref)
		}
	}
	w, ok := m.(windowed)
	if !ok {
		return nil
	}
	longest, err := plan.Longest(func(text string) (int, error) {
		ids, err := w.TextTokens(text, true)
		return len(ids), err
	})
	if err != nil {
		return usage(err)
	}
	if longest > w.ContextTokens() {
		return usagef("the longest prompt may have %d tokens, but %s takes %d: give fewer or shorter pairs, or a smaller --extend", longest, ref, w.ContextTokens())
	}
	return nil
}

// posteriorWaves asks for what the posterior rates of a run take, wave after wave, until nothing is missing or no more may be asked.
func (a *app) posteriorWaves(ctx context.Context, store run.Store, subjects *subjects, plan *assay.Plan, f runFlags, budget run.Budget, counts run.Counts) (run.Counts, error) {
	for {
		calls, err := plan.PosteriorCalls(ctx, store)
		if err != nil || len(calls) == 0 {
			return counts, err
		}
		skipped := counts.Skipped
		if counts, err = a.later(ctx, store, subjects, calls, f, budget, counts); err != nil || counts.Skipped > skipped {
			return counts, err
		}
	}
}
