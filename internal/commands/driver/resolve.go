package driver

import (
	"cmp"
	"context"
	"errors"
	"iter"

	"hallmark/internal/assay"
	"hallmark/internal/assay/gate"
	"hallmark/internal/base/exit"
	"hallmark/internal/commands/heap"
	"hallmark/internal/commands/spec"
	"hallmark/internal/commands/stored"
	"hallmark/internal/commands/undertest"
	"hallmark/internal/run"
	"hallmark/internal/run/store/inmemory"
)

// A resolved run is what it comes to before anything is asked.
type resolved struct {
	store    run.Store
	plan     *assay.Plan
	gates    []gate.Gate
	subjects *undertest.Models
	notes    []string
	limit    run.Budget
}

// Close closes the models and the store.
func (r *resolved) Close() {
	if r.subjects != nil {
		r.subjects.Close()
	}
	if r.store != nil {
		r.store.Close()
	}
}

// read reads the local input of a run into r: its plan, which edit may change, store and models. r is to be closed also
// where an error is returned.
func (b *Bench) read(ctx context.Context, f *spec.Run, open func(context.Context) (run.Store, error),
	edit func(*assay.Plan) error, r *resolved) (err error) {
	reading, running := heap.WhileShown, heap.WhileRun
	if f.Imported != nil {
		reading = heap.WhileRead
	}
	heap.SpareFiles(reading, f.Inputs()...)
	if r.plan, r.gates, err = f.Resolve(b.In); err != nil {
		return exit.Usage(err)
	}
	if f.Deferred() {
		running = heap.WhileKept
	}
	heap.Spare(r.plan, running)
	if r.limit, err = spec.ParseBudget(f.Budget); err != nil {
		return exit.Usage(err)
	}
	if err := f.ReadPassages(b.In, r.plan); err != nil {
		return exit.Usage(err)
	}
	if r.limit.USD > 0 && !f.Priced() {
		return exit.Usagef(
			"--budget in usd needs prices: give --price IN,OUT, in USD per million tokens of prompt and answer")
	}
	if r.store, err = open(ctx); err != nil {
		return err
	}
	if edit != nil {
		if err := edit(r.plan); err != nil {
			return err
		}
	}
	if r.subjects, err = b.Models.Models(ctx, r.store, f, r.plan); err != nil {
		return err
	}
	r.notes, err = r.plan.Validate()
	return exit.Usage(err)
}

// resolve is read, and checks what the run is to be held against.
func (b *Bench) resolve(ctx context.Context, f *spec.Run, open func(context.Context) (run.Store, error),
	r *resolved) error {
	if err := b.read(ctx, f, open, nil, r); err != nil {
		return err
	}
	if err := f.CheckDeclared(ctx, r.plan, r.gates, b.Runs.Version, stored.Accept); err != nil {
		return exit.Usage(err)
	}
	if f.Deferred() {
		return nil // its answers are there, so that none is missed
	}
	_, _, err := r.plan.Calls() // a plan that has none is not asked about and not stored
	return exit.Usage(err)
}

// openOrNone opens the store, or an empty one in its place where there is none: it makes no file.
func (b *Bench) openOrNone(ctx context.Context) (run.Store, error) {
	s, err := b.Runs.Read(ctx)
	if errors.Is(err, stored.ErrNone) {
		return inmemory.New(), nil
	}
	return s, err
}

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
