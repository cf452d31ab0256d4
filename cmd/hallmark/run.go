package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"hallmark/internal/assay"
	"hallmark/internal/console"
	"hallmark/internal/evaluate/heap"
	"hallmark/internal/evaluate/setting"
	"hallmark/internal/evaluate/spec"
	"hallmark/internal/evaluate/undertest"
	"hallmark/internal/exit"
	"hallmark/internal/report"
	"hallmark/internal/run"
	"hallmark/internal/strictyaml"
)

func (a *app) runCommand() *cobra.Command {
	var f spec.Run
	cmd := &cobra.Command{
		Use:   "run",
		Short: "Evaluate models on suites",
		Long: "Evaluate models on suites. Bare, it measures the built-in calibration model on its own suite with every method.\n" +
			"The same command again resumes or re-reports the run: nothing stored is asked twice.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := a.readConfig(cmd, &f); err != nil {
				return err
			}
			return a.run(cmd.Context(), cmd, f)
		},
	}
	a.trust.Add(cmd.Flags())
	f.Add(cmd.Flags())
	return cmd
}

// readConfig fills the flags from the plan file, where one is named.
func (a *app) readConfig(cmd *cobra.Command, f *spec.Run) error {
	if f.Config == "" {
		return nil
	}
	sections := map[string]func(*strictyaml.Node) error{"published": f.ReadPublished}
	return exit.Usage(errors.Join(setting.FromFile(cmd.Flags(), f.Config, a.trust, sections), a.openLog()))
}

// run is `hallmark run`: all local input first, then the plan, the model checks, the calls, and the reports.
func (a *app) run(ctx context.Context, cmd *cobra.Command, f spec.Run) error {
	started := a.now()
	if f.Imported != nil {
		heap.SpareFiles(append(slices.Clone(f.Imported.Paths), f.Suites...)...)
	} else {
		heap.SpareFiles(f.Suites...)
	}
	plan, gates, err := f.Resolve(a.surroundings())
	if err != nil {
		return exit.Usage(err)
	}
	heap.Spare(plan, heap.WhileRun)
	limit, err := spec.ParseBudget(f.Budget)
	if err != nil {
		return exit.Usage(err)
	}
	if err := f.Retrieve.Read(a.surroundings(), cmd.Flags().Changed, plan); err != nil {
		return exit.Usage(err)
	}
	if limit.USD > 0 && !f.Priced() {
		return exit.Usagef("--budget in usd needs prices: give --price IN,OUT, in USD per million tokens of prompt and answer")
	}
	store, err := a.openStore(ctx)
	if err != nil {
		return err
	}
	defer store.Close()
	subjects, err := a.models.Models(ctx, store, &f, plan)
	if err != nil {
		return err
	}
	defer subjects.Close()
	notes, err := plan.Validate()
	if err != nil {
		return exit.Usage(err)
	}
	a.runs.Say(notes, len(plan.GradesNothing()))
	if err := spec.CheckGates(ctx, plan, gates, version); err != nil {
		return exit.Usage(err)
	}
	if _, _, err := plan.Calls(); err != nil { // a plan that has none is not asked about and not stored
		return exit.Usage(err)
	}
	budget, err := undertest.OpenPurse(ctx, store, plan.ID(), limit, a.now)
	if err != nil {
		return err
	}
	defer a.end(budget)
	budget.Keep(ctx)
	if err := a.models.Probe(ctx, store, plan, subjects, f.Offline, budget); err != nil {
		return cmp.Or(budget.Close(ctx), undertest.SpentBy(err))
	}
	if err := budget.Close(ctx); err != nil {
		return err
	}
	if err := subjects.Fit(plan); err != nil {
		return exit.Usage(err)
	}
	header, err := a.begin(ctx, store, plan, started)
	if err != nil {
		return err
	}
	if err := f.Imported.Keep(ctx, store, plan, a.now()); err != nil {
		return err
	}
	counts, err := a.ask(ctx, store, subjects, plan, &header, f, budget)
	if err != nil {
		return err
	}
	header.Plan = nil // it stays in the store, and is as long as the suites
	lookups := &run.Lookups{}
	result, err := assay.Evaluate(ctx, lookups.Watch(store), plan, version)
	if err != nil {
		return err
	}
	result.Rows, result.Standings = nil, nil // which are for comparisons
	a.runs.Unhashed(header.ID, lookups)
	if digest := lookups.Digest(version); header.Digest == nil || *header.Digest != *digest {
		header.Digest, header.Result = digest, nil // to be stored together
	}
	return a.finish(ctx, cmd, f, store, header, result, gates, &assay.Invocation{
		Seconds: a.now().Sub(started).Seconds(), Started: started.UTC().Format(time.RFC3339),
		Calls: assay.Calls{Asked: counts.Asked, Reused: counts.Reused, Failed: counts.Failed, Skipped: counts.Skipped, Retries: counts.Retries},
	})
}

// ask makes the calls of a run, wave after wave.
func (a *app) ask(ctx context.Context, store run.Store, subjects *undertest.Models, plan *assay.Plan, header *run.Header, f spec.Run, budget *undertest.Purse) (counts run.Counts, err error) {
	counts.Spent = budget.Spent()
	err = plan.Ask(ctx, store, f.RetryErrors, func(w assay.Wave) (err error) {
		switch {
		case w.For == assay.ForVariants && plan.Retrieval != nil && plan.Late(): // what was found for the paraphrases is known only now
			if header.Plan, err = plan.Stored(); err == nil {
				err = store.PutRun(ctx, *header)
			}
		case w.For == assay.ForEquality && !a.quiet && !a.json:
			what := fmt.Sprintf("%d pairs of answers to compare by meaning, and those that hold once more the other way round", w.Pairs)
			if w.Back {
				what = fmt.Sprintf("%d of them the other way round", w.Pairs)
			}
			fmt.Fprintln(a.stderr, "equality: "+what)
		}
		if err == nil {
			var again run.Counts // with what earlier waves left of the budget: a stored answer is used however much was spent
			again, err = a.execute(ctx, store, subjects, w.Calls, f, budget, counts.Spent)
			counts.Add(again)
		}
		return err
	})
	return counts, err
}

// begin writes the run's header, unless the same run stands in the store already.
func (a *app) begin(ctx context.Context, store run.Store, plan *assay.Plan, started time.Time) (run.Header, error) {
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
	return h, store.PutRun(ctx, h)
}

// execute asks for what is missing.
func (a *app) execute(ctx context.Context, store run.Store, subjects *undertest.Models, calls iter.Seq[run.Call], f spec.Run, budget *undertest.Purse, spent run.Cost) (run.Counts, error) {
	opt := run.Options{
		Concurrency: f.Concurrency, MaxRetries: f.MaxRetries, Timeout: f.Timeout, RPM: f.RPM, TPM: f.TPM, Budget: budget.Budget, Spent: spent,
		Offline: f.Offline, RetryErrors: f.RetryErrors, Grace: 2 * time.Second, Now: a.now, Seed: a.seed, Unrecorded: budget.Keeper, Session: budget.Session,
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
	p := console.NewProgress(a.stderr, a.quiet || a.json && !console.Colour(a.stderr))
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
