package driver

import (
	"cmp"
	"context"
	"iter"

	"hallmark/internal/assay"
	"hallmark/internal/base/exit"
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
	plan, _, err := t.Resolve(b.In)
	if err != nil {
		return exit.Usage(err)
	}
	store, err := b.Runs.Open(ctx)
	if err != nil {
		return err
	}
	defer store.Close()
	if t.Edit != nil {
		if err := t.Edit(plan); err != nil {
			return err
		}
	}
	models, err := b.Models.Models(ctx, store, t.Run, plan)
	if err != nil {
		return err
	}
	defer models.Close()
	if _, err := plan.Validate(); err != nil {
		return exit.Usage(err)
	}
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
		if err := cmp.Or(b.Models.Probe(ctx, store, plan, models, false, budget), budget.Close(ctx)); err != nil {
			return err
		}
		if header, err = b.Begin(ctx, store, plan, b.Now()); err != nil {
			return err
		}
	}
	if err := t.Imported.Keep(ctx, store, plan, b.Now()); err != nil {
		return err
	}
	if _, err := b.Ask(ctx, store, models, plan, &header, t.Run, budget); err != nil {
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
