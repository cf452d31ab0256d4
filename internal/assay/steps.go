package assay

import (
	"context"
	"iter"
	"slices"

	"hallmark/internal/metric/posterior/language"
	"hallmark/internal/metric/scored"
	"hallmark/internal/run"
)

// A step is a method of this release as one value, or what methods rest on: everything that a run does for it, phase
// by phase; a phase in which it does nothing is nil. What it asks is planned from the records that earlier waves left in
// the store, so that asking, counting and evaluating go one way.
type step struct {
	name   string
	method bool // --method takes its name
	// wanted reports whether a plan asks for it; nil: a method where the plan names it, any other step always.
	wanted func(*Plan) bool
	// ask has everything asked that the step takes, wave after wave.
	ask func(*inquiry, context.Context) error
	// count adds that to a forecast, as far as it is known from what is stored.
	count func(*forecast, context.Context) error
	// gather takes from the store what the evaluation of one model on one suite needs, before its answers are read.
	gather func(*sitting, context.Context) error
	// estimate adds what the step measured to the result, from the answers that were read and from what the steps
	// before measured.
	estimate func(*sitting, context.Context) error
	// finish sets beside each other what it measured of all models on all suites.
	finish func(*evaluation, context.Context, *Document) error
}

// builtIn are the steps of this release but for the methods in packages of their own, which come after. Each rests on
// those before it alone.
var builtIn = []step{
	{name: ForParaphrases, wanted: func(p *Plan) bool { return p.paraphrases() > 0 }, ask: (*inquiry).paraphrases,
		count: (*forecast).paraphrases, estimate: (*sitting).paraphrases},
	// the answers to all variants, samples and repeats
	{name: "answers", ask: (*inquiry).replies, count: (*forecast).replies, gather: (*sitting).replies},
	// judges decide what rules leave, and are asked again where a reply could not be read; readings of a bundle say
	// what they replied
	{name: ForJudge, ask: (*inquiry).judging, count: (*forecast).judging, gather: (*sitting).heed,
		estimate: (*sitting).judged},
	// which answers say the same, where a model holds them against each other
	{name: ForSemanticEquivalence, wanted: func(p *Plan) bool { return p.Equivalence != nil && p.Has(Consistency) },
		ask: (*inquiry).comparing, count: (*forecast).knownPairs, gather: (*sitting).equate},
	{name: Rubric, method: true, estimate: (*sitting).rates},
	{name: Consistency, method: true, estimate: (*sitting).consistency, finish: (*evaluation).grid},
	{name: Detection, method: true, ask: (*inquiry).detecting, count: (*forecast).detecting,
		gather: (*sitting).follow, estimate: (*sitting).detect, finish: (*evaluation).endAcross},
	// what people said of the answers
	{name: "audit", estimate: (*sitting).audit},
	// the stages of a compression beside each other; the texts that are scored for their perplexity are asked with the
	// answers
	{name: "sweep", wanted: func(p *Plan) bool { return p.Sweep != nil }, count: (*forecast).corpus,
		estimate: (*sitting).sweepPart, finish: (*evaluation).swept},
	// the posterior rate, whose calls follow from calls
	{name: Posterior, method: true, ask: (*inquiry).resampling, count: (*forecast).posterior,
		estimate: (*sitting).posterior},
}

// allSteps are the steps of this release in the order in which they are taken.
func allSteps() []step {
	all := slices.Clone(builtIn)
	for _, m := range Added {
		all = append(all, stepOf(m))
	}
	return all
}

// steps are those that the plan asks for.
func (p *Plan) steps() []step {
	return slices.DeleteFunc(allSteps(), func(s step) bool {
		if s.wanted == nil {
			return s.method && !p.Has(s.name)
		}
		return !s.wanted(p)
	})
}

// Methods lists the methods of this release that can be asked for; that of the scores which came along with answers
// comes with them.
func Methods() []string {
	var names []string
	for _, s := range allSteps() {
		if s.method && s.name != scored.Name {
			names = append(names, s.name)
		}
	}
	return names
}

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
	for _, s := range p.steps() {
		if s.ask != nil {
			if err := s.ask(a, ctx); err != nil {
				return err
			}
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

func (a *inquiry) paraphrases(ctx context.Context) error {
	if err := a.wave(ForParaphrases, a.toParaphraser(), nil); err != nil {
		return err
	}
	calls, err := a.toEquivalence(ctx, a.store)
	return a.wave(ForEquivalence, calls, err)
}

func (a *inquiry) replies(ctx context.Context) error {
	calls, err := a.VariantCalls(ctx, a.store)
	if err != nil || run.Empty(calls) {
		return err
	}
	return a.send(Wave{For: ForVariants, Calls: calls})
}

func (x *sitting) replies(ctx context.Context) error {
	if err := x.fetch(ctx, x.table, x.plan.Has(scored.Name)); err != nil || x.plan.Imported == nil {
		return err
	}
	for i := range x.table { // of what was not imported the answer to the default prompt alone is missed
		x.table[i] = slices.DeleteFunc(x.table[i], func(c trial) bool { return !c.stored && !c.first() })
	}
	return nil
}

func (a *inquiry) judging(ctx context.Context) error {
	for round := range JudgeTries {
		calls, err := a.toJudge(ctx, a.store, round)
		if err = a.wave(ForJudge, calls, err); err != nil {
			return err
		}
	}
	return nil
}

// heed takes what judges replied, or how the answers were read before.
func (x *sitting) heed(ctx context.Context) (err error) {
	if x.given != nil {
		return x.recall()
	}
	if x.judging, err = x.hear(ctx, nil); err == nil && x.judging.outcomes {
		err = x.anchored(ctx)
	}
	x.took = slices.Clone(x.judging.took)
	return err
}

func (a *inquiry) comparing(ctx context.Context) error {
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

func (a *inquiry) detecting(ctx context.Context) error {
	calls, err := a.toDetect(ctx, a.store)
	return a.wave(ForDetectors, calls, err)
}

func (a *inquiry) resampling(ctx context.Context) error {
	var all []*language.Experiment
	for _, b := range a.Experiments() {
		all = append(all, b)
	}
	return language.Ask(ctx, a.store, a.retry, all, func(calls []run.Call) error {
		return a.wave(ForPosterior, calls, nil)
	})
}
