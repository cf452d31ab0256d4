package driver

import (
	"cmp"
	"context"
	"iter"

	"hallmark/internal/assay"
	"hallmark/internal/commands/spec"
	"hallmark/internal/commands/stored"
	"hallmark/internal/commands/undertest"
	"hallmark/internal/run"
)

// A Task is a plan that a command asks beside `hallmark run`: of judges about answers in files, of a guard
// without a part.
type Task struct {
	*spec.Run
	Edit  func(*assay.Plan) error            // changes the plan before its models are built; may be nil
	Check func(*assay.Plan) error            // looks at it before any call; may be nil
	Then  func(run.Store, *assay.Plan) error // gets it with the store that has the answers
}

// A Bench is what tasks are done with.
type Bench struct {
	In     *spec.Surroundings
	Runs   *stored.Runs
	Models *undertest.Builder
	*Driver

	// Detach puts a run whose plan is stored on the queue.
	Detach func(ctx context.Context, store run.Store, plan *assay.Plan, f *spec.Run) error
}

// Do resolves a task, asks what is not stored, and passes it on. Answers that are imported make no run in the store.
func (b *Bench) Do(ctx context.Context, t *Task) error {
	var r resolved
	defer r.Close()
	if err := b.read(ctx, t.Run, b.Runs.Open, t.Edit, &r); err != nil {
		return err
	}
	store, plan := r.store, r.plan
	if t.Check != nil {
		if err := t.Check(plan); err != nil {
			return err
		}
	}
	budget, err := undertest.OpenPurse(ctx, store, plan.ID(), run.Budget{}, b.Now)
	if err != nil {
		return err
	}
	header := run.Header{}
	if t.Imported == nil {
		if err := cmp.Or(b.Models.Probe(ctx, store, plan, r.subjects, false, budget), budget.Close(ctx)); err != nil {
			return err
		}
		if header, err = b.Begin(ctx, store, plan, b.Now()); err != nil {
			return err
		}
	}
	if err := t.Imported.Keep(ctx, store, plan, b.Now()); err != nil {
		return err
	}
	if _, err := b.Ask(ctx, store, r.subjects, plan, &header, t.Run, budget); err != nil {
		return err
	}
	return t.Then(store, plan)
}

// Calls has calls that are of no run asked, but those that are stored; what they cost is kept under the id.
func (b *Bench) Calls(ctx context.Context, store run.Store, models *undertest.Models, calls iter.Seq[run.Call],
	f *spec.Run, id string) error {
	budget, err := undertest.OpenPurse(ctx, store, id, run.Budget{}, b.Now)
	if err != nil {
		return err
	}
	_, err = b.Execute(ctx, store, models, calls, f, budget, budget.Spent())
	return cmp.Or(err, budget.Close(ctx))
}
