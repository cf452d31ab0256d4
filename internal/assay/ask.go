package assay

import (
	"context"
	"iter"
	"slices"

	"hallmark/internal/assay/belief"
	"hallmark/internal/run"
)

// A Wave is what a run asks at one time: calls that depend on the records of earlier waves only.
type Wave struct {
	For   string // the purpose of its calls, as a Forecast has it; a judge and detectors are asked together, For a judge
	Back  bool   // answers are compared the other way round: those pairs whose first direction holds
	Calls iter.Seq[run.Call]
	Pairs int // of answers that are compared
}

// Ask has everything asked that the plan takes: it calls ask with wave after wave, each planned from the records that those before left in the
// store, until no more is to be asked or ask returns an error. First come the paraphrases and what a judge says of them, then the variants, then
// what is asked about the answers, then the posterior rates, for which calls follow from calls, then the comparisons of answers by meaning, then
// what added methods want. Calls that have a record are among them, as a run counts these too. With retry, calls of the posterior rates whose
// record is a failure are asked once more.
func (p *Plan) Ask(ctx context.Context, store run.Store, retry bool, ask func(Wave) error) error {
	for _, step := range []struct {
		purpose string
		plan    func(context.Context, run.Store) (iter.Seq[run.Call], error)
	}{
		{ForParaphrases, listed(p.toParaphraser)}, {ForEquivalence, listed(p.toEquivalence)}, {ForVariants, p.VariantCalls}, {ForJudge, listed(p.aboutAnswers)},
		{ForJudge, listed(p.judgesAgain(1))}, {ForJudge, listed(p.judgesAgain(2))},
	} {
		calls, err := step.plan(ctx, store)
		if err == nil && !run.Empty(calls) {
			err = ask(Wave{For: step.purpose, Calls: calls})
		}
		if err != nil {
			return err
		}
	}
	err := belief.Ask(ctx, store, retry, p.Beliefs(), func(calls []run.Call) error { return ask(Wave{For: ForPosterior, Calls: slices.Values(calls)}) })
	for _, back := range []bool{false, true} {
		if err != nil {
			return err
		}
		var pairs []run.Call
		if pairs, err = p.toComparer(ctx, store, back); err == nil && len(pairs) > 0 {
			err = ask(Wave{For: ForEquality, Back: back, Calls: slices.Values(pairs), Pairs: len(pairs)})
		}
	}
	if err == nil {
		err = p.askAdded(ctx, store, ask)
	}
	return err
}

// listed makes a sequence of what a step plans as a list.
func listed(plan func(context.Context, run.Store) ([]run.Call, error)) func(context.Context, run.Store) (iter.Seq[run.Call], error) {
	return func(ctx context.Context, store run.Store) (iter.Seq[run.Call], error) {
		calls, err := plan(ctx, store)
		return slices.Values(calls), err
	}
}

// judgesAgain returns what judges are asked again as the nth repeat, as their replies could not be read.
func (p *Plan) judgesAgain(n int) func(context.Context, run.Store) ([]run.Call, error) {
	return func(ctx context.Context, store run.Store) ([]run.Call, error) { return p.toJudge(ctx, store, n) }
}

// aboutAnswers returns what a judge and detectors are asked about the stored answers.
func (p *Plan) aboutAnswers(ctx context.Context, store run.Store) ([]run.Call, error) {
	calls, err := p.toJudge(ctx, store, 0)
	if err != nil {
		return nil, err
	}
	detectors, err := p.toDetect(ctx, store)
	return append(calls, detectors...), err
}
