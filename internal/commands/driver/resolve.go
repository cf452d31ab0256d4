package driver

import (
	"context"
	"errors"

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
	if err := f.Retrieve.Read(b.In, f.Changed, r.plan); err != nil {
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
