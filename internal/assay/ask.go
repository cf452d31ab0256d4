package assay

import (
	"context"
	"math"
	"slices"

	"hallmark/internal/run"
)

// A Wave is calls that can be made at once: what they depend on is stored.
type Wave struct {
	For   string // what they are for, one of the purposes of a forecast; with those for the judge are the detectors'
	Turn  int    // how many waves for the same came before
	Calls []run.Call
}

// Ask has every call of the plan made, wave by wave, each once its records can be known: first the paraphrases and what a judge says of them,
// then the variants, then what is asked about the answers, the posterior rates, and at last what compares answers by meaning. Records that stand in the
// store are among the calls, so that they count. With retry, posterior calls whose record is a failure are asked once more. It ends with the first
// error of ask, and never asks twice for what ask left out.
func (p *Plan) Ask(ctx context.Context, store run.Store, retry bool, ask func(Wave) error) error {
	for _, s := range p.steps(retry) {
		for turn := range s.turns {
			calls, err := s.next(ctx, store, turn)
			if err != nil {
				return err
			}
			if len(calls) == 0 {
				break
			}
			if err := ask(Wave{s.purpose, turn, calls}); err != nil {
				return err
			}
		}
	}
	return nil
}

// A step is the waves for one purpose.
type step struct {
	purpose string
	turns   int // at most
	next    func(ctx context.Context, store run.Store, turn int) ([]run.Call, error)
}

func (p *Plan) steps(retry bool) []step {
	once := func(purpose string, calls func(context.Context, run.Store) ([]run.Call, error)) step {
		return step{purpose, 1, func(ctx context.Context, store run.Store, _ int) ([]run.Call, error) { return calls(ctx, store) }}
	}
	return []step{
		once(ForParaphrases, p.ParaphraseCalls), once(ForEquivalence, p.EquivalenceCalls), once(ForVariants, p.VariantCalls), once(ForJudge, p.aboutAnswers),
		{ForPosterior, math.MaxInt, p.posteriorCalls(retry)},
		{ForEquality, 2, p.equalityCalls},
	}
}

// aboutAnswers returns what a judge and the detectors ask about the stored answers.
func (p *Plan) aboutAnswers(ctx context.Context, store run.Store) ([]run.Call, error) {
	calls, err := p.JudgeCalls(ctx, store)
	if err != nil {
		return nil, err
	}
	detectors, err := p.DetectCalls(ctx, store)
	return append(calls, detectors...), err
}

// posteriorCalls returns the calls of the posterior rates, wave after wave: pairs are made up one after the other, so each wave needs the records of
// the one before. What stands in the store is among them.
func (p *Plan) posteriorCalls(retry bool) func(context.Context, run.Store, int) ([]run.Call, error) {
	beliefs := p.Beliefs()
	var fresh run.Fresh
	next := make([]func(context.Context, run.Store) ([]run.Call, error), len(beliefs))
	for i, b := range beliefs {
		walk := b.Walk()
		walk.Retry = retry
		next[i] = walk.Next
	}
	return func(ctx context.Context, store run.Store, _ int) ([]run.Call, error) {
		var there, missing []run.Call
		watched := run.Watch(store, func(_ run.Key, r *run.Record) { there = append(there, r.Call) })
		for _, calls := range next {
			more, err := calls(ctx, watched)
			if err != nil {
				return nil, err
			}
			missing = append(missing, more...)
		}
		return fresh.Of(slices.Concat(there, missing)), nil
	}
}
