package assay

import (
	"context"
	"iter"
	"slices"

	"hallmark/internal/base/lists"
	"hallmark/internal/metric/method"
	"hallmark/internal/metric/posterior/language"
	"hallmark/internal/run"
)

// A Wave is what a run asks at one time: calls that depend on the records of earlier waves only.
type Wave struct {
	For   string // the purpose of its calls, as a Forecast has it
	Back  bool   // answers are compared the other way round: those pairs whose first direction holds
	Calls iter.Seq[run.Call]
	Pairs int // of answers that are compared

	// each are the calls as they are wanted, some for several answers, with what a forecast counts them as.
	each iter.Seq2[label, run.Call]
}

// A label says where a forecast counts a call; the zero label: nowhere.
type label struct {
	purpose, model string
	part           string // of the purpose, where a bound is of parts: a suite, a direction
	replayed       bool   // what has no record is not asked
}

// A want is a call that is planned.
type want = run.Want[label]

// waveOf is a wave of calls that were planned, each once.
func waveOf(purpose string, wants []want) Wave {
	var fresh run.Fresh
	return Wave{For: purpose, Calls: slices.Values(fresh.Of(slices.Collect(run.Wanted(wants)))), each: labelled(wants)}
}

// labelled are planned calls with their labels.
func labelled(wants []want) iter.Seq2[label, run.Call] {
	return func(yield func(label, run.Call) bool) {
		for i := range wants {
			if !yield(wants[i].For, wants[i].Call) {
				return
			}
		}
	}
}

// unlabelled are labelled calls by themselves.
func unlabelled(all iter.Seq2[label, run.Call]) iter.Seq[run.Call] {
	return func(yield func(run.Call) bool) {
		for _, c := range all {
			if !yield(c) {
				return
			}
		}
	}
}

// rounds are so many waves, each planned when it is come to.
func rounds(n int, plan func(round int) (Wave, error)) iter.Seq2[Wave, error] {
	return func(yield func(Wave, error) bool) {
		for round := range n {
			w, err := plan(round)
			if !yield(w, err) || err != nil {
				return
			}
		}
	}
}

// An inquiry plans the calls of a plan from what is stored.
type inquiry struct {
	*Plan
	store run.Store
	retry bool // calls of the posterior rates whose record is a failure are asked once more
}

// Ask has everything asked that the plan takes: it calls ask with wave after wave, each planned from the records that
// those before left in the store, until no more is to be asked or ask returns an error. Calls that have a record are
// among them, as a run counts these too. With retry, calls of the posterior rates whose record is a failure are asked
// once more.
func (p *Plan) Ask(ctx context.Context, store run.Store, retry bool, ask func(Wave) error) error {
	a := &inquiry{p, store, retry}
	for _, s := range p.steps() {
		if err := a.waves(ctx, s, ask); err != nil {
			return err
		}
	}
	return nil
}

// waves visits the waves of a step that have calls.
func (a *inquiry) waves(ctx context.Context, s step, visit func(Wave) error) error {
	if s.next == nil {
		return nil
	}
	for w, err := range s.next(a, ctx) {
		if err == nil && !run.Empty(w.Calls) {
			err = visit(w)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// sittings are each model on each suite with the answers that are stored, which were not read: what is asked next is
// planned from these.
func (a *inquiry) sittings(ctx context.Context) iter.Seq2[*sitting, error] {
	return func(yield func(*sitting, error) bool) {
		e := &evaluation{plan: a.Plan, store: a.store, texts: &texts{}}
		if _, err := e.layOut(); err != nil {
			yield(nil, err)
			return
		}
		for i, table := range e.tables {
			var x *sitting
			err := e.fetch(ctx, table, false)
			if err == nil {
				x, err = e.sit(a.Models[i/len(a.Suites)], a.Suites[i%len(a.Suites)], table, nil)
			}
			if !yield(x, err) || err != nil {
				return
			}
			if err := e.texts.Err(); err != nil {
				yield(nil, err)
				return
			}
			e.tables[i] = nil
		}
	}
}

// paraphrases asks a paraphraser, and then a judge of those that the filter lets pass.
func (a *inquiry) paraphrases(ctx context.Context) iter.Seq2[Wave, error] {
	return rounds(2, func(round int) (Wave, error) {
		if round == 0 {
			return waveOf(ForParaphrases, a.toParaphraser()), nil
		}
		if a.Paraphrasing.Judge == nil {
			return waveOf(ForEquivalence, nil), nil
		}
		wants, _, err := a.toEquivalence(ctx)
		return waveOf(ForEquivalence, wants), err
	})
}

// replies asks for the answers, once the paraphrases are there.
func (a *inquiry) replies(ctx context.Context) iter.Seq2[Wave, error] {
	return rounds(1, func(int) (Wave, error) {
		if err := a.Reword(ctx, a.store); err != nil || a.Imported != nil { // imported ones are there, or are not known
			return waveOf(ForVariants, nil), err
		}
		all, _, err := a.labelled()
		if err != nil {
			return waveOf(ForVariants, nil), err
		}
		return Wave{For: ForVariants, Calls: unlabelled(all), each: all}, nil
	})
}

// judging asks the judges about the answers that are stored, in rounds: with the first also about the anchors, where
// outcomes are asked for, and then again where a reply could not be read.
func (a *inquiry) judging(ctx context.Context) iter.Seq2[Wave, error] {
	judges := a.judges()
	return rounds(JudgeTries, func(round int) (Wave, error) {
		var calls []run.Call
		outcomes := false
		for x, err := range a.sittings(ctx) {
			var heard heard
			if err == nil {
				heard, err = x.hear(ctx, func(n int, asked []run.Call) {
					if n == round {
						calls = append(calls, asked...)
					}
				})
			}
			if err != nil {
				return waveOf(ForJudge, nil), err
			}
			outcomes = outcomes || heard.outcomes
		}
		if outcomes && round == 0 {
			calls = append(calls, anchorCalls(a.ID(), judges)...)
		}
		return waveOf(ForJudge, lists.Map(calls, func(c run.Call) want {
			by := slices.IndexFunc(judges, func(m *UnderTest) bool { return m.Identity == c.Model })
			return want{For: label{purpose: ForJudge, model: judges[by].Ref}, Call: c}
		})), nil
	})
}

// Where comparisons are counted, by direction.
const (
	wayThere = "there"
	wayBack  = "back"
)

// comparing asks whether the pairs of the check, and those of the stored answers, say the same: first one direction of
// every pair, then the other of those pairs whose first one holds.
func (a *inquiry) comparing(ctx context.Context) iter.Seq2[Wave, error] {
	m := a.Equivalence
	pairs, _ := m.known()
	of := slices.Repeat([]string{ForKnownPairs}, len(pairs)) // where each is counted
	return rounds(2, func(round int) (w Wave, err error) {
		way := []string{wayThere, wayBack}[round]
		if round == 0 {
			err = a.pairs(ctx, func(purpose string, said []*comparison) {
				pairs, of = append(pairs, said...), append(of, slices.Repeat([]string{purpose}, len(said))...)
			})
		} else {
			_, err = m.settle(ctx, a.store, pairs)
		}
		var known, others []want
		for i, c := range pairs {
			l := label{of[i], m.Model.Ref, way, false}
			switch {
			case round == 1 && !c.held:
			case l.purpose == ForKnownPairs:
				known = append(known, want{For: l, Call: m.direction(c, round == 1)})
			default:
				others = append(others, want{For: l, Call: m.direction(c, round == 1)})
			}
		}
		w = waveOf(ForSemanticEquivalence, slices.Concat(known, others))
		w.Back, w.Pairs = round == 1, len(slices.Collect(w.Calls))
		w.each = labelled(append(others, known...)) // a pair that is of both is counted with the answers
		return w, err
	})
}

// pairs visits the pairs of the stored answers to each case, with what they are counted as: nothing, where more answers
// may come, as a bound counts these pairs too.
func (a *inquiry) pairs(ctx context.Context, visit func(purpose string, said []*comparison)) error {
	for x, err := range a.sittings(ctx) {
		if err == nil {
			_, err = x.hear(ctx, nil)
		}
		if err != nil {
			return err
		}
		for _, m := range x.compared() {
			purpose := ForSemanticEquivalence
			if !x.whole(m.item) {
				purpose = ""
			}
			visit(purpose, m.said)
		}
	}
	return nil
}

// detecting asks what detectors ask about the stored answers to the default prompts.
func (a *inquiry) detecting(ctx context.Context) iter.Seq2[Wave, error] {
	return rounds(1, func(int) (Wave, error) {
		var wants []want
		for x, err := range a.sittings(ctx) {
			if err != nil {
				return waveOf(ForDetectors, nil), err
			}
			l := label{purpose: ForDetectors, model: x.model.Name()}
			if x.model.Replayed {
				l = label{}
			}
			_, calls := x.followUps()
			for _, c := range calls {
				wants = append(wants, want{For: l, Call: c})
			}
		}
		return waveOf(ForDetectors, wants), nil
	})
}

// resampling asks for the posterior rates.
func (a *inquiry) resampling(ctx context.Context) iter.Seq2[Wave, error] {
	var all []*language.Experiment
	at := map[*language.Experiment]label{}
	for l, b := range a.rates() {
		all, at[b] = append(all, b), l
	}
	return func(yield func(Wave, error) bool) {
		var fresh run.Fresh
		for wave, err := range language.Waves(ctx, a.store, a.retry, all) {
			wants := lists.Map(wave, func(w run.Want[*language.Experiment]) want {
				return want{For: at[w.For], Call: w.Call}
			})
			calls := fresh.Of(slices.Collect(run.Wanted(wave)))
			if !yield(Wave{For: ForPosterior, Calls: slices.Values(calls), each: labelled(wants)}, err) {
				return
			}
		}
	}
}

// rates are the experiments of the posterior rates, each with where its calls are counted: one that is replayed
// nowhere.
func (a *inquiry) rates() iter.Seq2[label, *language.Experiment] {
	return func(yield func(label, *language.Experiment) bool) {
		for _, m := range a.Models {
			for _, s := range a.Suites {
				l := label{purpose: ForPosterior, model: m.Name(), part: s.Name}
				if m.Replayed {
					l = label{}
				}
				if b, ok := a.experiment(m, s); ok && !yield(l, b) {
					return
				}
			}
		}
	}
}

// adding asks what an added method wants of each model that is asked, on each suite.
func (a *inquiry) adding(ctx context.Context, m method.Method) iter.Seq2[Wave, error] {
	return func(yield func(Wave, error) bool) {
		for x, err := range a.sittings(ctx) {
			if err != nil {
				yield(Wave{}, err)
				return
			}
			if x.model.Replayed {
				continue
			}
			for wants, err := range x.addedRun(m).on(ctx, a.store) {
				if !yield(waveOf(m.Name(), wants), err) || err != nil {
					return
				}
			}
		}
	}
}
