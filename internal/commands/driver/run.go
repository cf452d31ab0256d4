package driver

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"hallmark/internal/assay"
	"hallmark/internal/assay/gate"
	"hallmark/internal/base/exit"
	"hallmark/internal/commands/heap"
	"hallmark/internal/commands/spec"
	"hallmark/internal/commands/stored"
	"hallmark/internal/commands/undertest"
	"hallmark/internal/report"
	"hallmark/internal/run"
	"hallmark/internal/stat/figure"
)

// An Outcome is what a run came to. One whose answers were imported and are not graded yet has Ungraded in place of a
// Result; one that is Detached has neither yet.
type Outcome struct {
	Detached   bool
	Result     *assay.Assay
	Ungraded   *assay.Document
	Invocation *assay.Invocation
	gates      []gate.Gate
}

// Run is `hallmark run`: all local input first, then the plan, the model checks and the calls. What came of it is
// stored before it is returned.
func (b *Bench) Run(ctx context.Context, f *spec.Run) (*Outcome, error) {
	started := b.Now()
	var r resolved
	defer r.Close()
	if err := b.resolve(ctx, f, b.Runs.Open, &r); err != nil {
		return nil, err
	}
	b.Runs.Say(r.notes, len(r.plan.GradesNothing()))
	if err := stored.Free(ctx, r.store, f.Name, r.plan.ID()); err != nil {
		return nil, err
	}
	budget, err := undertest.OpenPurse(ctx, r.store, r.plan.ID(), r.limit, b.Now, f.Sharing()...)
	if err != nil {
		return nil, err
	}
	defer b.end(budget)
	if lost := budget.Lost(); lost != "" {
		b.In.Log.Warn(lost)
	}
	if f.Part != nil {
		budget.After(*f.Part.Spent)
	}
	if err := b.probe(ctx, &r, f.Offline, budget); err != nil {
		return nil, err
	}
	if err := r.subjects.Fit(r.plan); err != nil {
		return nil, exit.Usage(err)
	}
	if doubt := f.Doubt(); doubt != "" {
		b.In.Log.Warn(doubt)
	}
	if f.Deferred() {
		return b.keep(ctx, &r, f, started)
	}
	header, err := b.begin(ctx, &r, f, started)
	if err != nil {
		return nil, err
	}
	if f.Detach {
		return &Outcome{Detached: true}, b.Detach(ctx, r.store, r.plan, f)
	}
	counts, err := b.Ask(ctx, r.store, r.subjects, r.plan, &header, f, budget)
	if f.Part != nil {
		*f.Part.Spent = counts.Spent
	}
	if err != nil {
		return nil, err
	}
	out := &Outcome{gates: r.gates}
	if out.Result, err = b.evaluate(ctx, &r, f, header, counts.Skipped == 0); err != nil {
		return nil, err
	}
	out.Invocation = &assay.Invocation{
		Seconds: b.Now().Sub(started).Seconds(), Started: started.UTC().Format(time.RFC3339),
		Calls: assay.Calls{Asked: counts.Asked, Reused: counts.Reused, Failed: counts.Failed, Skipped: counts.Skipped,
			Retries: counts.Retries},
	}
	if f.Published != nil {
		out.Invocation.Published = f.Published.Beside(&out.Result.Document)
	}
	return out, nil
}

// begin puts the run into the store, with its names and the answers that were imported.
func (b *Bench) begin(ctx context.Context, r *resolved, f *spec.Run, started time.Time) (run.Header, error) {
	header, err := b.Begin(ctx, r.store, r.plan, started)
	if err != nil {
		return header, err
	}
	if err := run.Name(ctx, r.store, header.ID, f.Name, r.subjects.Names, b.Now()); err != nil {
		return header, err
	}
	return header, f.Imported.Keep(ctx, r.store, r.plan, b.Now())
}

// evaluate computes the result of a run from its records, and stores it. A run is finished once all was asked.
func (b *Bench) evaluate(ctx context.Context, r *resolved, f *spec.Run, header run.Header, complete bool) (
	*assay.Assay, error) {
	result, lookups, err := Evaluate(ctx, r.store, r.plan, &header, b.Runs.Version, b.Runs.Program)
	if err != nil {
		return nil, err
	}
	b.Runs.Unhashed(header.ID, lookups)
	heap.Tidy(result)
	b.Runs.Say(result.Doubts, len(result.Doubts))
	if err := b.Conclude(ctx, r.store, &header, result, complete); err != nil {
		return nil, err
	}
	// after the result is kept, of which names are no part
	if err := stored.Call(ctx, r.store, result); err != nil {
		return nil, err
	}
	err = stored.Accept(result, f.Thresholds)
	heap.Tidy(result)
	return result, err
}

// keep stores imported answers that are not graded, and then the run: one that is listed has all of them.
func (b *Bench) keep(ctx context.Context, r *resolved, f *spec.Run, started time.Time) (*Outcome, error) {
	if err := f.Imported.Keep(ctx, r.store, r.plan, b.Now()); err != nil {
		return nil, err
	}
	id := r.plan.ID()
	d := r.plan.Ungraded(f.Imported.N, b.Runs.Command("show", id), b.Runs.Version, r.notes)
	if err := b.Kept(ctx, r.store, r.plan, started); err != nil {
		return nil, err
	}
	d.ThisInvocation = &assay.Invocation{Seconds: b.Now().Sub(started).Seconds(),
		Started: started.UTC().Format(time.RFC3339)}
	return &Outcome{Ungraded: d, Invocation: d.ThisInvocation}, run.Name(ctx, r.store, id, f.Name, nil, b.Now())
}

// probe finds out what the models can do, on the budget.
func (b *Bench) probe(ctx context.Context, r *resolved, offline bool, budget *undertest.Purse) error {
	budget.Keep(ctx)
	if err := b.Models.Probe(ctx, r.store, r.plan, r.subjects, offline, budget); err != nil {
		return cmp.Or(budget.Close(ctx), undertest.SpentBy(err))
	}
	return budget.Close(ctx)
}

// end gives back what was set aside of a budget and not spent.
func (b *Bench) end(p *undertest.Purse) {
	if err := p.End(); err != nil {
		b.In.Log.Warn(fmt.Sprintf("what was set aside of the budget stays spent: %s", report.OneLine(err.Error())))
	}
}

// Verdict decides between done, answers that are missing and a failed gate. It tells say of each gate that failed,
// and of which model.
func (o *Outcome) Verdict(allow int, say func(model, failed string)) error {
	failed, unscored := 0, 0
	for _, m := range o.Result.Document.Models {
		unscored += len(m.Unscored)
		for _, f := range gate.Failed(o.gates, figure.Of(m)) {
			failed++
			say(m.Model, f)
		}
	}
	if failed > 0 {
		return exit.With(exit.Gate, nil)
	}
	if err := NothingGraded(o.Result); err != nil {
		return err
	}
	if unscored > allow {
		return exit.With(exit.Unscored, fmt.Errorf("%d planned answers or verdicts are missing, %d are "+
			"allowed (--allow-unscored); the report lists each with its reason", unscored, allow))
	}
	return nil
}

// NothingGraded returns exit 3 for a model on a suite whose answers came back and could not be graded, every one,
// also as the suite has nothing to grade by, where nothing else was asked for.
func NothingGraded(result *assay.Assay) error {
	only := slices.Equal(result.Document.Run.Methods, []string{assay.Rubric})
	of := func(model, suite string, r *assay.SuiteResult) error {
		switch {
		case r == nil || r.Rubric == nil && !only:
			return nil
		case r.Rubric == nil:
			return exit.With(exit.Unscored, fmt.Errorf(
				"%s: no case has a gold answer or an oracle, so no answer was graded; add gold to the cases", suite))
		}
		return Graded(r.Rubric.Outcomes.N, r.Rubric.Ungradable, fmt.Sprintf("%s on %s", model, suite))
	}
	for _, m := range result.Document.Models {
		if len(m.Suites) == 0 {
			if err := of(m.Model, result.Document.Run.Suites[0].Name, m.SuiteResult); err != nil {
				return err
			}
		}
		for _, s := range result.Document.Run.Suites {
			if err := of(m.Model, s.Name, m.Suites[s.Name]); err != nil {
				return err
			}
		}
	}
	return nil
}

// Graded returns exit 3 where none of n answers could be graded, and there is one.
func Graded(n, ungradable int, about string) error {
	if n == 0 || ungradable < n {
		return nil
	}
	return exit.With(exit.Unscored, fmt.Errorf("%s: none of the %d answers could be graded, so no rate says "+
		"anything of the model; compare the answers with the accepted ones in the suite", about, n))
}
