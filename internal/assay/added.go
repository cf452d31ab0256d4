package assay

import (
	"context"
	"fmt"
	"iter"
	"slices"

	"hallmark/internal/metric/method"
	"hallmark/internal/metric/scored"
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
		next:     func(a *inquiry, ctx context.Context) iter.Seq2[Wave, error] { return a.adding(ctx, m) },
		bound:    func(f *forecast, _ context.Context, x *sitting) error { return f.added(m, x) },
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

// on goes on until the method has all: it gives wave after wave of calls, and then takes their records from the store.
func (w *addedRun) on(ctx context.Context, store run.Store) iter.Seq2[[]want, error] {
	times := 0
	next := func() (wants []want, err error) {
		if times++; times > maxWaves {
			return nil, fmt.Errorf("--method %s: it wanted more calls %d times; it is at fault, please report it",
				w.Name(), maxWaves)
		}
		for c := range w.Next(w.table) {
			of := label{purpose: w.Name(), model: w.table.Model, part: w.table.Suite}
			wants = append(wants, want{For: of, Call: c})
		}
		return wants, nil
	}
	return func(yield func([]want, error) bool) {
		for wants, err := range run.Waves(next) {
			if !yield(wants, err) || err != nil {
				return
			}
			if err := w.take(ctx, store, slices.Collect(run.Wanted(wants))); err != nil {
				yield(nil, err)
				return
			}
		}
	}
}

// take takes the records of calls from the store.
func (w *addedRun) take(ctx context.Context, store run.Store, calls []run.Call) error {
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
	return nil
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

// added has an added method estimate.
func (x *sitting) added(ctx context.Context, m method.Method) error {
	w := x.addedRun(m)
	for _, err := range w.on(ctx, x.store) {
		if err != nil {
			return err
		}
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
