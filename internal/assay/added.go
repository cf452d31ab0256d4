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

// Methods lists the methods of this release that can be asked for; that of the scores which came along with answers
// comes with them.
func Methods() []string {
	names := []string{Rubric, Consistency, Detection, Posterior}
	for _, m := range Added {
		if m.Name() != scored.Name {
			names = append(names, m.Name())
		}
	}
	return names
}

// AddedMethod returns the added method of a name, nil where there is none.
func AddedMethod(name string) method.Method {
	for _, m := range Added {
		if m.Name() == name {
			return m
		}
	}
	return nil
}

// added returns the added methods that the plan asks for.
func (p *Plan) added() []method.Method {
	return slices.DeleteFunc(slices.Clone(Added), func(m method.Method) bool { return !p.Has(m.Name()) })
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

// added has all asked that added methods want of every model and suite.
func (a *inquiry) added(ctx context.Context) error {
	return a.eachAdded(ctx, a.store, func(w *addedRun, _ *sitting) error {
		return w.on(ctx, a.store, func(calls []run.Call) error { return a.wave(w.Name(), calls, nil) })
	})
}

// eachAdded visits the added methods of the plan with the answers that are stored, of models that are asked.
func (p *Plan) eachAdded(ctx context.Context, store run.Store, visit func(*addedRun, *sitting) error) error {
	methods := p.added()
	if len(methods) == 0 {
		return nil
	}
	return p.eachSitting(ctx, store, func(x *sitting) error {
		for _, m := range methods {
			if x.model.Replayed {
				continue
			}
			if err := visit(x.addedRun(m), x); err != nil {
				return err
			}
		}
		return nil
	})
}

// added counts the calls of added methods; what depends on answers that are not there is bounded.
func (f *forecast) added(ctx context.Context) error {
	return f.eachAdded(ctx, f.store, func(w *addedRun, x *sitting) error {
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

// measure has the added methods estimate.
func (x *sitting) measure(ctx context.Context) error {
	if x.see != nil {
		if err := x.see(x.addedRun(nil).table); err != nil {
			return err
		}
	}
	for _, m := range x.plan.added() {
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
	}
	return nil
}
