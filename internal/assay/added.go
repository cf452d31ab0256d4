package assay

import (
	"context"
	"fmt"
	"iter"
	"slices"

	"hallmark/internal/metric/method"
	"hallmark/internal/metric/scored"
	"hallmark/internal/model"
	"hallmark/internal/run"
	"hallmark/internal/suite"
)

// Added are the methods that stand in packages of their own, each entered here in one line.
var Added = []method.Method{scored.Method{}}

// AddedMethod returns the added method of a name, nil where there is none.
func AddedMethod(name string) method.Method {
	for _, m := range Added {
		if m.Name() == name {
			return m
		}
	}
	return nil
}

// adds reports whether the plan asks for an added method.
func (p *Plan) adds() bool {
	return slices.ContainsFunc(Added, func(m method.Method) bool { return p.Has(m.Name()) })
}

// stepOf is an added method as a step.
func stepOf(m method.Method) step {
	return step{
		name: m.Name(), method: true,
		ask: func(a *inquiry, ctx context.Context) error {
			return a.eachAdded(ctx, a.store, m, func(w *addedRun, _ *sitting) error {
				return w.on(ctx, a.store, func(calls []run.Call) error { return a.wave(m.Name(), calls, nil) })
			})
		},
		count:    func(f *forecast, ctx context.Context) error { return f.added(ctx, m) },
		estimate: func(x *sitting, ctx context.Context) error { return x.added(ctx, m) },
	}
}

// An addedRun is an added method on its way through one model and suite.
type addedRun struct {
	method.Method
	table *method.Table
	known map[run.Key]*run.Record // of the calls that it wanted: a failure where none is stored
	took  bill                    // of those
}

// addedRun begins the way of a method over the answers of one model to one suite. These are not read, but by an
// evaluation.
func (x *sitting) addedRun(m method.Method) *addedRun {
	w := &addedRun{Method: m, known: map[run.Key]*run.Record{}}
	w.table = &method.Table{
		Model: x.model.Name(), Identity: x.model.Identity, Sampling: x.model.Sampling, Suite: x.suite.Name,
		Seed: x.plan.Seed, Level: level, Scores: x.plan.from().Scores, Cases: x.answered(),
		Record: func(c run.Call) *run.Record { return w.known[c.Key()] },
	}
	return w
}

// maxWaves bounds how often a method may want more calls of one table.
const maxWaves = 1000

// on goes on until the method has all: it calls ask, which may be nil, with each wave of calls, and then takes
// their records from the store.
func (w *addedRun) on(ctx context.Context, store run.Store, ask func([]run.Call) error) error {
	for range maxWaves {
		var fresh run.Fresh
		calls := slices.DeleteFunc(fresh.Of(slices.Collect(w.Next(w.table))), func(c run.Call) bool {
			return w.known[c.Key()] != nil
		})
		if len(calls) == 0 {
			return nil
		}
		if ask != nil {
			if err := ask(calls); err != nil {
				return err
			}
		}
		records, err := run.Records(ctx, store, calls)
		if err != nil {
			return err
		}
		for i, r := range records {
			key := calls[i].Key()
			w.took.note(key, r)
			if r == nil {
				r = &run.Record{Call: calls[i], Failure: notStored}
			}
			w.known[key] = r
		}
	}
	return fmt.Errorf("--method %s: it wanted more calls %d times; it is at fault, please report it", w.Name(),
		maxWaves)
}

// answered are the cases with their answers.
func (x *sitting) answered() iter.Seq[method.Case] {
	clusters := suite.Clusters(x.cases, x.suite.Cluster)
	return func(yield func(method.Case) bool) {
		for ci, trials := range x.table {
			out := method.Case{Case: x.cases.At(ci), Answers: make([]method.Answer, 0, len(trials))}
			if clusters != nil {
				out.Cluster = clusters[ci]
			}
			classes := &tally{}
			for i := range trials {
				c := &trials[i]
				a := method.Answer{
					Use: uses[c.purpose], Variant: c.variant.Number, Repeat: int(c.repeat),
					Prompt: c.variant.Question(out.Case), Response: c.response, Grade: c.grade,
					Class: classes.add(c.class) + 1,
				}
				read, text := x.plan.answer(out.Case, c)
				if a.Missing = read.Missing(); a.Missing == "" {
					a.Text = text
				}
				out.Answers = append(out.Answers, a)
			}
			if !yield(out) {
				return
			}
		}
	}
}

// eachAdded visits an added method with the answers that are stored, of models that are asked.
func (p *Plan) eachAdded(ctx context.Context, store run.Store, m method.Method,
	visit func(*addedRun, *sitting) error) error {
	return p.eachSitting(ctx, store, func(x *sitting) error {
		if x.model.Replayed {
			return nil
		}
		return visit(x.addedRun(m), x)
	})
}

// added counts the calls of an added method; what depends on answers that are not there is bounded.
func (f *forecast) added(ctx context.Context, m method.Method) error {
	return f.eachAdded(ctx, f.store, m, func(w *addedRun, x *sitting) error {
		if err := w.on(ctx, f.store, nil); err != nil {
			return err
		}
		open := false // more calls may follow
		for key, r := range w.known {
			open = open || r.Failure == notStored
			f.countKey(w.Name(), x.model.Name(), key, run.PromptTokens(r.Call.Request), r.Call.Request.MaxTokens,
				r.Failure != notStored)
		}
		answers, longest := 0, 0
		for _, c := range eachTrial(x.table) {
			answers++
			longest = max(longest, int(c.prompt))
			open = open || !c.stored
		}
		if rest := answers*w.Most() - len(w.known); rest > 0 && open {
			f.bound(w.Name(), x.model.Name(), rest, model.Request{Prompt: "", MaxTokens: f.MaxTokens},
				longest+f.MaxTokens)
		}
		return nil
	})
}

// added has an added method estimate.
func (x *sitting) added(ctx context.Context, m method.Method) error {
	w := x.addedRun(m)
	if err := w.on(ctx, x.store, nil); err != nil {
		return err
	}
	result, err := m.Estimate(w.table)
	if err != nil {
		return fmt.Errorf("--method %s: suite %s: %w", m.Name(), x.suite.Name, err)
	}
	if result != nil {
		setIn(&x.out.Measured, m.Name(), result)
	}
	x.took = append(x.took, w.took...)
	return nil
}
