// Package driver takes a plan through its calls: it begins the run in the store, asks wave after wave, and says
// before any call what would be asked.
package driver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"runtime/debug"
	"time"

	"hallmark/internal/assay"
	"hallmark/internal/commands/console"
	"hallmark/internal/commands/spec"
	"hallmark/internal/commands/undertest"
	"hallmark/internal/run"
)

// A Driver is what the calls of a run are made with.
type Driver struct {
	Now      func() time.Time
	Seed     uint64
	Progress func() *console.Progress
	Say      func(string) // what a person who waits may want to know; nil: nothing
}

// Ask makes the calls of a run, wave after wave.
func (d *Driver) Ask(ctx context.Context, store run.Store, subjects *undertest.Models, plan *assay.Plan,
	header *run.Header, f *spec.Run, budget *undertest.Purse) (counts run.Counts, err error) {
	counts.Spent = budget.Spent()
	err = plan.Ask(ctx, store, f.RetryErrors, func(w assay.Wave) (err error) {
		switch {
		case w.For == assay.ForVariants && plan.Retrieval != nil && plan.Late():
			// what was found for the paraphrases is known only now
			if header.Plan, err = plan.Stored(); err == nil {
				err = store.PutRun(ctx, *header)
			}
		case w.For == assay.ForEquality && d.Say != nil:
			what :=
				fmt.Sprintf(
					"%d pairs of answers to compare by meaning, and those that hold once more the other way round",
					w.Pairs)
			if w.Back {
				what = fmt.Sprintf("%d of them the other way round", w.Pairs)
			}
			d.Say("equality: " + what)
		}
		if err == nil {
			// with what earlier waves left of the budget: a stored answer is used however much was spent
			var again run.Counts
			again, err = d.execute(ctx, store, subjects, w.Calls, f, budget, counts.Spent)
			counts.Add(again)
		}
		return err
	})
	return counts, err
}

// Begin writes the run's header, unless the same run stands in the store already.
func (d *Driver) Begin(ctx context.Context, store run.Store, plan *assay.Plan, started time.Time) (run.Header, error) {
	id := plan.ID()
	if h, err := store.Run(ctx, id); err == nil && h.ID == id {
		return h, nil
	} else if err != nil && !errors.Is(err, run.ErrNoRun) {
		return run.Header{}, err
	}
	b, err := plan.Stored()
	if err != nil {
		return run.Header{}, err
	}
	h := run.Header{ID: id, Plan: b, Started: started}
	if h.Listed, err = json.Marshal(plan.Listing()); err != nil {
		return run.Header{}, err
	}
	return h, store.PutRun(ctx, h)
}

// Kept writes the header of a run whose answers are all stored and are not graded. It takes the suites out of the plan:
// their JSON and they are most of what a large import holds.
func (d *Driver) Kept(ctx context.Context, store run.Store, plan *assay.Plan, started time.Time) error {
	id := plan.ID()
	h, err := store.Run(ctx, id)
	switch {
	case err == nil && h.ID == id:
		if !h.Finished.IsZero() {
			return nil
		}
		h.Plan = nil // it stays in the store
	case err != nil && !errors.Is(err, run.ErrNoRun):
		return err
	default:
		h = run.Header{ID: id, Started: started}
		debug.FreeOSMemory() // the answers, before the plan stands beside its suites
		if h.Plan, err = plan.Stored(); err != nil {
			return err
		}
		if h.Listed, err = json.Marshal(plan.Listing()); err != nil {
			return err
		}
	}
	h.Finished, plan.Suites = d.Now(), nil
	debug.FreeOSMemory() // the suites, before the store copies the plan
	return store.PutRun(ctx, h)
}

// execute asks for what is missing.
func (d *Driver) execute(ctx context.Context, store run.Store, subjects *undertest.Models, calls iter.Seq[run.Call],
	f *spec.Run, budget *undertest.Purse, spent run.Cost) (run.Counts, error) {
	opt := run.Options{
		Concurrency: f.Concurrency, MaxRetries: f.MaxRetries, Timeout: f.Timeout, RPM: f.RPM, TPM: f.TPM,
		Budget: budget.Budget, Spent: spent,
		Offline: f.Offline, RetryErrors: f.RetryErrors, Grace: 2 * time.Second, Now: d.Now, Seed: d.Seed,
		Unrecorded: budget.Keeper, Session: budget.Session,
	}
	if opt.Concurrency == 0 {
		opt.Concurrency = subjects.Concurrency()
	}
	if subjects.InProcess() {
		opt.Timeout = 0 // a slow machine is no lost connection
	}
	if f.Guard.On { // a guarded call is several to the model
		most := f.Guard.Config.MostCalls()
		opt.Timeout *= time.Duration(most)
		opt.RPM = perGuarded(opt.RPM, most)
	}
	p := d.Progress()
	opt.Progress = p.Update
	defer p.Close()
	live, replayed := subjects.Split(calls)
	if subjects.InProcess() && budget.Budget == (run.Budget{}) { // a budget runs out in the order of the plan
		live = run.Arrange(live)
	}
	counts, err := run.Execute(ctx, store, subjects.ByIdentity, live, opt)
	if err != nil || replayed == nil || run.Empty(replayed) {
		return counts, err
	}
	opt.Offline = true // answers of an earlier run: what it lacks is unscored, and nothing is stored for it
	again, err := run.Execute(ctx, store, subjects.ByIdentity, replayed, opt)
	spent = counts.Spent
	counts.Add(again)
	counts.Spent = spent // what the earlier run spent is none of this one's
	return counts, err
}

// perGuarded is a rate limit of requests as one of guarded calls, each of which may be so many.
func perGuarded(rpm, most int) int {
	if rpm == 0 {
		return 0
	}
	return max(1, rpm/most)
}
