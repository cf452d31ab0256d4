// Package driver takes a plan through its calls: it begins the run in the store, asks wave after wave, and says
// before any call what would be asked.
package driver

import (
	"cmp"
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
	"hallmark/internal/commands/telemetry"
	"hallmark/internal/commands/undertest"
	"hallmark/internal/run"
)

// A Driver is what the calls of a run are made with.
type Driver struct {
	Now      func() time.Time
	Seed     uint64
	Progress func() *console.Progress
	Say      func(string) // what a person who waits may want to know; nil: nothing

	May      func() error       // as in run.Options
	Watch    func(run.Progress) // told of each outcome, in place of Progress; nil: nothing
	Grace    time.Duration      // for calls under way where the run is stopped; 0: 2 s
	Delay    time.Duration      // as CommitDelay of run.Options
	Unstored int                // as in run.Options

	Shown *telemetry.Telemetry // where counts and spans go; nil: nowhere
}

// Ask makes the calls of a run, wave after wave.
func (d *Driver) Ask(ctx context.Context, store run.Store, models *undertest.Models, plan *assay.Plan,
	header *run.Header, f *spec.Run, budget *undertest.Purse) (counts run.Counts, err error) {
	counts.Spent = budget.Spent()
	ctx, end := d.Shown.Span(ctx, "run", "run", header.ID)
	defer func() { end(err) }()
	err = plan.Ask(ctx, store, f.RetryErrors, func(w assay.Wave) (err error) {
		switch {
		case w.For == assay.ForVariants:
			err = KeepFound(ctx, store, plan, header)
		case w.For == assay.ForSemanticEquivalence && d.Say != nil:
			what := fmt.Sprintf("%d pairs of answers to compare for semantic equivalence, and those that hold once "+
				"more the other way round", w.Pairs)
			if w.Back {
				what = fmt.Sprintf("%d of them the other way round", w.Pairs)
			}
			d.Say("equality: " + what)
		}
		if err == nil {
			// with what earlier waves left of the budget: a stored answer is used however much was spent
			var again run.Counts
			within, end := d.Shown.Span(ctx, "wave", "wave", w.For)
			again, err = d.Execute(within, store, models, w.Calls, f, budget, counts.Spent)
			end(err)
			counts.Add(again)
		}
		return err
	})
	return counts, err
}

// KeepFound stores the plan of a run again before its variants are asked, where what was found for its paraphrases is
// known only then.
func KeepFound(ctx context.Context, store run.Store, plan *assay.Plan, header *run.Header) (err error) {
	if plan.Retrieval == nil || !plan.Late() {
		return nil
	}
	if header.Plan, err = plan.Keep(ctx, store); err != nil {
		return err
	}
	return store.PutRun(ctx, *header)
}

// Evaluate reads the records of a run whose calls are asked, and keeps how (assay.EvaluateKept). The header gets the
// digest of what was read.
func Evaluate(ctx context.Context, store run.Store, plan *assay.Plan, header *run.Header, version string,
	program func() string) (*assay.Assay, *run.Lookups, error) {
	header.Plan = nil // it stays in the store, and is as long as the suites
	lookups := &run.Lookups{}
	result, err := assay.EvaluateKept(ctx, lookups.Watch(store), plan, version, program, true)
	if err != nil {
		return nil, nil, err
	}
	result.Standings = nil // which are for comparisons
	if digest := lookups.Digest(version); header.Digest == nil || *header.Digest != *digest {
		header.Digest, header.Result = digest, nil // to be stored together
	}
	return result, lookups, nil
}

// Conclude stores the result of a run; the run is finished where no call was skipped.
func (d *Driver) Conclude(ctx context.Context, store run.Store, header *run.Header, result *assay.Assay,
	complete bool) error {
	canonical, err := json.Marshal(result.Document)
	if err != nil || string(header.Result) == string(canonical) && !(complete && header.Finished.IsZero()) {
		return err
	}
	header.Result = canonical
	if complete {
		header.Finished = d.Now()
	}
	return store.PutRun(context.WithoutCancel(ctx), *header)
}

// Begin writes the run's header, unless the same run stands in the store already.
func (d *Driver) Begin(ctx context.Context, store run.Store, plan *assay.Plan, started time.Time) (run.Header, error) {
	h, there, err := headerOf(ctx, store, plan, started)
	if err != nil || there {
		return h, err
	}
	return h, store.PutRun(ctx, h)
}

// headerOf is the header of a run that is there, or that begins.
func headerOf(ctx context.Context, store run.Store, plan *assay.Plan, started time.Time) (h run.Header, there bool,
	err error) {
	id := plan.ID()
	if h, err = store.Run(ctx, id); err == nil && h.ID == id || err != nil && !errors.Is(err, run.ErrNoRun) {
		if err != nil {
			return h, true, err
		}
		lacks, err := assay.Lacks(ctx, store, h.Plan)
		if err == nil && lacks {
			_, err = plan.Keep(ctx, store)
		}
		return h, true, err
	}
	h = run.Header{ID: id, Started: started}
	if h.Plan, err = plan.Keep(ctx, store); err == nil {
		h.Listed, err = json.Marshal(plan.Listing())
	}
	return h, false, err
}

// Kept writes the header of a run whose answers are all stored and are not graded. It takes the suites out of the plan:
// their JSON and they are most of what a large import holds.
func (d *Driver) Kept(ctx context.Context, store run.Store, plan *assay.Plan, started time.Time) error {
	debug.FreeOSMemory() // the answers, before the plan stands beside its suites
	h, there, err := headerOf(ctx, store, plan, started)
	if err != nil || there && !h.Finished.IsZero() {
		return err
	}
	if there {
		h.Plan = nil // it stays in the store
	}
	h.Finished, plan.Suites = d.Now(), nil
	debug.FreeOSMemory() // the suites, before the store copies the plan
	return store.PutRun(ctx, h)
}

// Execute asks for what is missing.
func (d *Driver) Execute(ctx context.Context, store run.Store, models *undertest.Models, calls iter.Seq[run.Call],
	f *spec.Run, budget *undertest.Purse, spent run.Cost) (counts run.Counts, err error) {
	opt := run.Options{
		Concurrency: cmp.Or(f.Concurrency, models.Concurrency()), MaxRetries: f.MaxRetries, Timeout: f.Timeout,
		RPM: f.RPM, TPM: f.TPM,
		InFlight: f.InFlight, Observer: d.Shown.Observer(), Budget: budget.Budget, Spent: spent,
		Offline: f.Offline, RetryErrors: f.RetryErrors, Grace: cmp.Or(d.Grace, 2*time.Second), Now: d.Now, Seed: d.Seed,
		Unrecorded: budget.Keeper, Session: budget.Session, May: d.May, CommitDelay: d.Delay, Unstored: d.Unstored,
	}
	if !models.Remote {
		opt.Timeout = 0 // a slow machine is no lost connection
	}
	if f.Guard.On { // a guarded call is several to the model
		most := f.Guard.Config.MostCalls()
		opt.Timeout *= time.Duration(most)
		if opt.RPM > 0 {
			opt.RPM = max(1, opt.RPM/most)
		}
	}
	if shared, ok := store.(run.LeaseStore); ok { // which other processes and machines may use
		lease := run.Lease(ctx, shared, budget.Session)
		defer func() { err = cmp.Or(err, lease.Close()) }()
		opt.Admission = lease
	}
	if opt.Progress = d.Watch; d.Watch == nil {
		p := d.Progress()
		opt.Progress = p.Update
		defer p.Close()
	}
	live, replayed := models.Split(calls)
	if !models.Remote && budget.Budget == (run.Budget{}) { // a budget runs out in the order of the plan
		live = run.Arrange(live)
	}
	counts, err = run.Execute(ctx, store, models.ByIdentity, live, opt)
	if err != nil || replayed == nil || run.Empty(replayed) {
		return counts, err
	}
	opt.Offline = true // answers of an earlier run: what it lacks is unscored, and nothing is stored for it
	again, err := run.Execute(ctx, store, models.ByIdentity, replayed, opt)
	spent = counts.Spent
	counts.Add(again)
	counts.Spent = spent // what the earlier run spent is none of this one's
	return counts, err
}
