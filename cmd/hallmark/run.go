package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"hallmark/internal/commands/driver"

	"github.com/spf13/cobra"

	"hallmark/internal/assay"
	"hallmark/internal/assay/gate"
	"hallmark/internal/base/exit"
	"hallmark/internal/commands/console"
	"hallmark/internal/commands/heap"
	"hallmark/internal/commands/spec"
	"hallmark/internal/commands/stored"
	"hallmark/internal/commands/undertest"
	"hallmark/internal/report"
	"hallmark/internal/run"
)

func (a *app) runCommand() *cobra.Command {
	var f spec.Run
	cmd := &cobra.Command{
		Use:   "run [SUITE…]",
		Short: "Evaluate models on suites",
		Long: "Evaluate models on suites. Bare, it measures the built-in calibration model on its own suite with " +
			"every method. A SUITE is a built-in suite or a file, as is that of --suite: a CSV of the columns question " +
			"and gold will do.\n" +
			"The same command again resumes or re-reports the run: nothing stored is asked twice.",
		Example: "  hallmark run\n" +
			"  hallmark run questions.csv --model openai:gpt-4o --limit 100\n" +
			"  hallmark run questions.csv --model http://localhost:8000/v1#NAME \\\n" +
			"      --variants paraphrases=5 --judge openai:gpt-4o\n" +
			"  hallmark run -c plan.yaml --fail-on 'rubric.outcomes.incorrect.hi > 0.05'",
		Args: func(cmd *cobra.Command, args []string) error { // before the environment and a plan fill in what nobody typed
			for _, suite := range args {
				if err := cmd.Flags().Set("suite", suite); err != nil {
					return err
				}
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := a.readConfig(cmd, &f); err != nil {
				return err
			}
			if len(f.Study) > 0 {
				return a.study(cmd.Context(), &f)
			}
			return a.run(cmd.Context(), &f)
		},
	}
	a.trust.Add(cmd.Flags())
	f.Add(cmd.Flags())
	return cmd
}

// readConfig fills the flags from the plan file, where one is named.
func (a *app) readConfig(cmd *cobra.Command, f *spec.Run) error {
	return exit.Usage(errors.Join(f.ReadPlan(cmd.Flags(), a.trust), a.openLog()))
}

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

// resolve reads all local input into r, which is to be closed also where an error is returned.
func (a *app) resolve(ctx context.Context, f *spec.Run, open func(context.Context) (run.Store, error),
	r *resolved) (err error) {
	reading, running := heap.WhileShown, heap.WhileRun
	if f.Imported != nil {
		reading = heap.WhileRead
	}
	heap.SpareFiles(reading, f.Inputs()...)
	if r.plan, r.gates, err = f.Resolve(a.surroundings()); err != nil {
		return exit.Usage(err)
	}
	if f.Deferred() {
		running = heap.WhileKept
	}
	heap.Spare(r.plan, running)
	if r.limit, err = spec.ParseBudget(f.Budget); err != nil {
		return exit.Usage(err)
	}
	if err := f.Retrieve.Read(a.surroundings(), f.Changed, r.plan); err != nil {
		return exit.Usage(err)
	}
	if r.limit.USD > 0 && !f.Priced() {
		return exit.Usagef(
			"--budget in usd needs prices: give --price IN,OUT, in USD per million tokens of prompt and answer")
	}
	if r.store, err = open(ctx); err != nil {
		return err
	}
	if r.subjects, err = a.models.Models(ctx, r.store, f, r.plan); err != nil {
		return err
	}
	if r.notes, err = r.plan.Validate(); err != nil {
		return exit.Usage(err)
	}
	if err := spec.CheckGates(ctx, r.plan, r.gates, version); err != nil {
		return exit.Usage(err)
	}
	if err := f.CheckAccept(ctx, r.plan, version, stored.Accept); err != nil {
		return exit.Usage(err)
	}
	_, _, err = r.plan.Calls() // a plan that has none is not asked about and not stored
	return exit.Usage(err)
}

// run is `hallmark run`: all local input first, then the plan, the model checks, the calls, and the reports.
func (a *app) run(ctx context.Context, f *spec.Run) error {
	started := a.now()
	var r resolved
	defer r.Close()
	if err := a.resolve(ctx, f, a.openStore, &r); err != nil {
		return err
	}
	store, plan, subjects := r.store, r.plan, r.subjects
	a.runs.Say(r.notes, len(plan.GradesNothing()))
	if err := stored.Free(ctx, store, f.Name, plan.ID()); err != nil {
		return err
	}
	budget, err := undertest.OpenPurse(ctx, store, plan.ID(), r.limit, a.now)
	if err != nil {
		return err
	}
	defer a.end(budget)
	if f.Part != nil {
		budget.After(*f.Part.Spent)
	}
	if err := a.probe(ctx, store, plan, subjects, f.Offline, budget); err != nil {
		return err
	}
	if err := subjects.Fit(plan); err != nil {
		return exit.Usage(err)
	}
	if doubt := f.Doubt(); doubt != "" {
		a.log.Warn(doubt)
	}
	if f.Deferred() {
		return a.keep(ctx, store, plan, f, r.notes, started)
	}
	header, err := a.driver().Begin(ctx, store, plan, started)
	if err != nil {
		return err
	}
	if err := a.name(ctx, store, header.ID, f.Name, subjects.Names); err != nil {
		return err
	}
	if err := f.Imported.Keep(ctx, store, plan, a.now()); err != nil {
		return err
	}
	counts, err := a.driver().Ask(ctx, store, subjects, plan, &header, f, budget)
	if f.Part != nil {
		*f.Part.Spent = counts.Spent
	}
	if err != nil {
		return err
	}
	header.Plan = nil // it stays in the store, and is as long as the suites
	lookups := &run.Lookups{}
	result, err := assay.Evaluate(ctx, lookups.Watch(store), plan, version)
	if err != nil {
		return err
	}
	result.Standings = nil // which are for comparisons
	a.runs.Unhashed(header.ID, lookups)
	if digest := lookups.Digest(version); header.Digest == nil || *header.Digest != *digest {
		header.Digest, header.Result = digest, nil // to be stored together
	}
	return a.finish(ctx, f, store, header, result, r.gates, &assay.Invocation{
		Seconds: a.now().Sub(started).Seconds(), Started: started.UTC().Format(time.RFC3339),
		Calls: assay.Calls{Asked: counts.Asked, Reused: counts.Reused, Failed: counts.Failed, Skipped: counts.Skipped,
			Retries: counts.Retries},
	})
}

// name keeps what the user calls a run and its models, where they said so.
func (a *app) name(ctx context.Context, store run.Store, id, name string, models map[string]string) error {
	if name != "" {
		if err := run.NameRun(ctx, store, id, name, a.now()); err != nil {
			return err
		}
	}
	return run.NameModels(ctx, store, id, models, a.now())
}

// probe finds out what the models can do, on the budget.
func (a *app) probe(ctx context.Context, store run.Store, plan *assay.Plan, subjects *undertest.Models, offline bool,
	budget *undertest.Purse) error {
	budget.Keep(ctx)
	if err := a.models.Probe(ctx, store, plan, subjects, offline, budget); err != nil {
		return cmp.Or(budget.Close(ctx), undertest.SpentBy(err))
	}
	return budget.Close(ctx)
}

// end gives back what was set aside of a budget and not spent.
func (a *app) end(p *undertest.Purse) {
	if err := p.End(); err != nil {
		a.log.Warn(fmt.Sprintf("what was set aside of the budget stays spent: %s", report.OneLine(err.Error())))
	}
}

// surroundings are what a run is resolved in.
func (a *app) surroundings() *spec.Surroundings {
	return &spec.Surroundings{Seed: a.seed, Trust: a.trust, Stdin: a.stdin, Log: a.log, Now: a.now}
}

// driver is what the calls of a run are made with.
func (a *app) driver() *driver.Driver {
	d := &driver.Driver{Now: a.now, Seed: a.seed, Progress: func() *console.Progress {
		return console.NewProgress(a.stderr, a.quiet || a.json && !console.Colour(a.stderr))
	}}
	if !a.quiet && !a.json {
		d.Say = func(what string) { fmt.Fprintln(a.stderr, what) }
	}
	return d
}
