package assay

import (
	"context"
	"iter"
	"slices"

	"hallmark/internal/metric/posterior/language"
	"hallmark/internal/metric/scored"
	"hallmark/internal/run"
)

// A step is a method of this release, or what methods rest on: everything that a run does for it, phase by phase. It
// does nothing where the plan does not ask for it. What it asks is planned from the records that earlier waves left in
// the store, so that asking, counting and evaluating go one way.
type step interface {
	// ask has everything asked that the step takes, wave after wave.
	ask(context.Context, *inquiry) error
	// count adds that to a forecast, as far as it is known from what is stored.
	count(context.Context, *forecast) error
	// gather takes from the store what the evaluation of one model on one suite needs, before its answers are read.
	gather(context.Context, *sitting) error
	// estimate adds what the step measured to the result, from the answers that were read and from what the steps
	// before measured.
	estimate(context.Context, *sitting) error
	// finish sets beside each other what it measured of all models on all suites.
	finish(context.Context, *evaluation, *Document) error
}

// steps are all of them. Each rests on those before it alone; a method in a package of its own is one of extras{}.
var steps = []step{
	paraphrasing{}, replying{}, judging{}, comparing{}, rating{}, agreeing{}, detecting{}, auditing{}, sweeping{},
	resampling{}, extras{},
}

// idle does nothing in any phase.
type idle struct{}

func (idle) ask(context.Context, *inquiry) error                  { return nil }
func (idle) count(context.Context, *forecast) error               { return nil }
func (idle) gather(context.Context, *sitting) error               { return nil }
func (idle) estimate(context.Context, *sitting) error             { return nil }
func (idle) finish(context.Context, *evaluation, *Document) error { return nil }

// A Wave is what a run asks at one time: calls that depend on the records of earlier waves only.
type Wave struct {
	For   string // the purpose of its calls, as a Forecast has it
	Back  bool   // answers are compared the other way round: those pairs whose first direction holds
	Calls iter.Seq[run.Call]
	Pairs int // of answers that are compared
}

// An inquiry has the calls of a plan asked: send asks a wave of them.
type inquiry struct {
	*Plan
	store run.Store
	retry bool
	send  func(Wave) error
}

// Ask has everything asked that the plan takes: it calls ask with wave after wave, each planned from the records that
// those before left in the store, until no more is to be asked or ask returns an error. Calls that have a record are
// among them, as a run counts these too. With retry, calls of the posterior rates whose record is a failure are asked
// once more.
func (p *Plan) Ask(ctx context.Context, store run.Store, retry bool, ask func(Wave) error) error {
	a := &inquiry{p, store, retry, ask}
	for _, s := range steps {
		if err := s.ask(ctx, a); err != nil {
			return err
		}
	}
	return nil
}

// wave asks calls that were planned, if there are any.
func (a *inquiry) wave(purpose string, calls []run.Call, err error) error {
	if err != nil || len(calls) == 0 {
		return err
	}
	return a.send(Wave{For: purpose, Calls: slices.Values(calls)})
}

// Phrasings that are made: by a paraphraser, and admitted by its judge.
type paraphrasing struct{ idle }

func (paraphrasing) ask(ctx context.Context, a *inquiry) error {
	calls, err := a.toParaphraser(ctx, a.store)
	if err = a.wave(ForParaphrases, calls, err); err != nil {
		return err
	}
	calls, err = a.toEquivalence(ctx, a.store)
	return a.wave(ForEquivalence, calls, err)
}

func (paraphrasing) count(ctx context.Context, f *forecast) error {
	if err := f.paraphrases(ctx); err != nil {
		return err
	}
	return f.Reword(ctx, f.store)
}

func (paraphrasing) estimate(_ context.Context, x *sitting) error {
	x.out.Paraphrases = x.paraphrases()
	x.took = append(x.took, x.reworded()...)
	return nil
}

// The answers to all variants, samples and repeats.
type replying struct{ idle }

func (replying) ask(ctx context.Context, a *inquiry) error {
	calls, err := a.VariantCalls(ctx, a.store)
	if err != nil || run.Empty(calls) {
		return err
	}
	return a.send(Wave{For: ForVariants, Calls: calls})
}

func (replying) count(ctx context.Context, f *forecast) error {
	return f.eachSitting(ctx, f.store, func(x *sitting) error { return f.answers(ctx, x) })
}

func (replying) gather(ctx context.Context, x *sitting) error {
	if err := fetchWith(ctx, x.store, x.table, x.plan.Has(scored.Name)); err != nil || x.plan.Imported == nil {
		return err
	}
	for i := range x.table {
		x.table[i] = slices.DeleteFunc(x.table[i], notImported)
	}
	return nil
}

// Judges, who decide what rules leave: asked again where a reply could not be read.
type judging struct{ idle }

func (judging) ask(ctx context.Context, a *inquiry) error {
	for round := range JudgeTries {
		calls, err := a.toJudge(ctx, a.store, round)
		if err = a.wave(ForJudge, calls, err); err != nil {
			return err
		}
	}
	return nil
}

func (judging) count(ctx context.Context, f *forecast) error { return f.judging(ctx) }

func (judging) gather(ctx context.Context, x *sitting) (err error) {
	if x.given != nil {
		err = x.recall()
	} else {
		x.judging, err = x.hear(ctx, nil)
	}
	if err == nil && x.judging.outcomes {
		x.anchors, err = x.anchor(ctx, x.store, &x.judging)
	}
	x.took = slices.Clone(x.judging.took)
	return err
}

func (judging) estimate(_ context.Context, x *sitting) error {
	x.out.Judged = x.judged()
	return nil
}

// Which answers say the same, where a model holds them against each other.
type comparing struct{ idle }

func (comparing) ask(ctx context.Context, a *inquiry) error {
	for _, back := range []bool{false, true} {
		pairs, err := a.toComparer(ctx, a.store, back)
		if err == nil && len(pairs) > 0 {
			err = a.send(Wave{For: ForSemanticEquivalence, Back: back, Calls: slices.Values(pairs), Pairs: len(pairs)})
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (comparing) count(ctx context.Context, f *forecast) error {
	if f.Equivalence == nil || !f.Has(Consistency) {
		return nil
	}
	asked, _ := f.Equivalence.known()
	return f.pairs(ctx, ForKnownPairs, asked)
}

func (comparing) gather(ctx context.Context, x *sitting) error { return x.equate(ctx, x.store) }

func (comparing) estimate(_ context.Context, x *sitting) error {
	if x.equivalences != nil {
		x.out.Equivalence = &x.equivalences.EquivalenceResult
	}
	return nil
}

// The rubric.
type rating struct{ idle }

func (rating) estimate(_ context.Context, x *sitting) error {
	if err := x.labels(); err != nil {
		return err
	}
	x.rates()
	return nil
}

// Consistency: of the greedy answers, of the samples, of identical asks.
type agreeing struct{ idle }

func (agreeing) estimate(_ context.Context, x *sitting) error {
	for _, part := range []func() error{x.stability, x.ofSamples, x.contrast} {
		if err := part(); err != nil {
			return err
		}
	}
	return nil
}

func (agreeing) finish(_ context.Context, e *evaluation, d *Document) error {
	d.Grid = newGrid(e.plan, e.cells)
	return nil
}

// Detectors.
type detecting struct{}

func (detecting) ask(ctx context.Context, a *inquiry) error {
	calls, err := a.toDetect(ctx, a.store)
	return a.wave(ForDetectors, calls, err)
}

func (detecting) count(ctx context.Context, f *forecast) error { return f.detecting(ctx) }

func (detecting) gather(ctx context.Context, x *sitting) error {
	return x.follow(ctx)
}

func (detecting) estimate(_ context.Context, x *sitting) error { return x.detect() }

func (detecting) finish(_ context.Context, e *evaluation, d *Document) error {
	d.Across = e.endAcross()
	return nil
}

// What people said of the answers.
type auditing struct{ idle }

func (auditing) estimate(_ context.Context, x *sitting) error { return x.audit() }

// The stages of a compression beside each other, with the texts that are scored for their perplexity, which are asked
// with the answers.
type sweeping struct{ idle }

func (sweeping) count(ctx context.Context, f *forecast) error {
	for _, m := range f.Models {
		if err := f.known(ctx, ForCorpus, &m, f.corpusCalls(m)); err != nil {
			return err
		}
	}
	return nil
}

func (sweeping) estimate(_ context.Context, x *sitting) error {
	x.parts = append(x.parts, x.sweepPart())
	return nil
}

func (sweeping) finish(ctx context.Context, e *evaluation, d *Document) (err error) {
	d.Sweep, err = e.swept(ctx, e.store, d.Models)
	return err
}

// The posterior rate, whose calls follow from calls.
type resampling struct{ idle }

func (resampling) ask(ctx context.Context, a *inquiry) error {
	var all []*language.Plan
	for _, b := range a.PosteriorPlans() {
		all = append(all, b)
	}
	return language.Ask(ctx, a.store, a.retry, all, func(calls []run.Call) error {
		return a.wave(ForPosterior, calls, nil)
	})
}

func (resampling) count(ctx context.Context, f *forecast) error { return f.posterior(ctx) }

func (resampling) estimate(ctx context.Context, x *sitting) error { return x.posterior(ctx, x.store) }

// The methods in packages of their own.
type extras struct{ idle }

func (extras) ask(ctx context.Context, a *inquiry) error      { return a.askAdded(ctx, a.store, a.send) }
func (extras) count(ctx context.Context, f *forecast) error   { return f.added(ctx) }
func (extras) estimate(ctx context.Context, x *sitting) error { return x.measure(ctx, x.store) }
