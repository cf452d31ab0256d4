package assay

import (
	"context"
	"iter"
	"slices"

	"hallmark/internal/metric/scored"
)

// A step is a method of this release as one value, or what methods rest on: everything that a run does for it, phase
// by phase; a phase in which it does nothing is nil. What it asks is planned from the records that earlier waves left in
// the store, so that asking, counting and evaluating go one way.
type step struct {
	name   string
	method bool // --method takes its name
	// wanted reports whether a plan asks for it; nil: a method where the plan names it, any other step always.
	wanted func(*Plan) bool
	// next gives the calls that it wants, wave after wave, each planned once it is come to, from the records that are
	// there then; none follows once it has all. A run asks them; a forecast counts those of the store as it is.
	next func(*inquiry, context.Context) iter.Seq2[Wave, error]
	// bound adds to a forecast what at most may follow from answers that are not there yet: of those of a model to a
	// suite, once the answers are counted, and of the run, with nil, once all is.
	bound func(*forecast, context.Context, *sitting) error
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
	{name: ForParaphrases, wanted: func(p *Plan) bool { return p.paraphrases() > 0 }, next: (*inquiry).paraphrases,
		bound: (*forecast).paraphrases, estimate: (*sitting).paraphrases},
	// the answers to all variants, samples and repeats, and the texts that are scored for a sweep
	{name: ForVariants, next: (*inquiry).replies, gather: (*sitting).replies},
	// judges decide what rules leave, and are asked again where a reply could not be read
	{name: ForJudge, wanted: func(p *Plan) bool { return p.Judge != nil }, next: (*inquiry).judging,
		bound: (*forecast).judging},
	// what they replied; readings of a bundle say so
	{name: "judged", gather: (*sitting).heed, estimate: (*sitting).judged},
	// which answers say the same, where a model holds them against each other
	{name: ForSemanticEquivalence, wanted: func(p *Plan) bool { return p.Equivalence != nil && p.Has(Consistency) },
		next: (*inquiry).comparing, bound: (*forecast).comparing, gather: (*sitting).equate},
	{name: Rubric, method: true, estimate: (*sitting).rates},
	{name: Consistency, method: true, estimate: (*sitting).consistency, finish: (*evaluation).grid},
	{name: Detection, method: true, next: (*inquiry).detecting, bound: (*forecast).detecting,
		gather: (*sitting).follow, estimate: (*sitting).detect, finish: (*evaluation).endAcross},
	// what people said of the answers
	{name: "audit", estimate: (*sitting).audit},
	// the stages of a compression beside each other
	{name: "sweep", wanted: func(p *Plan) bool { return p.Sweep != nil }, estimate: (*sitting).sweepPart,
		finish: (*evaluation).swept},
	// the posterior rate, whose calls follow from calls
	{name: Posterior, method: true, next: (*inquiry).resampling, bound: (*forecast).posterior,
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

func (x *sitting) replies(ctx context.Context) error {
	if err := x.fetch(ctx, x.table, x.plan.Has(scored.Name)); err != nil || x.plan.Imported == nil {
		return err
	}
	for i := range x.table { // of what was not imported the answer to the default prompt alone is missed
		x.table[i] = slices.DeleteFunc(x.table[i], func(c trial) bool { return !c.stored && !c.first() })
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
