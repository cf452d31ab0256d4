// Package guarded is what is made of guarded runs: the ablation of a guard, and the answers that it remembers.
package guarded

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"hallmark/internal/ask/guard"
	"hallmark/internal/assay"
	"hallmark/internal/base/exit"
	"hallmark/internal/commands/driver"
	"hallmark/internal/commands/spec"
	"hallmark/internal/metric/ablation"
	"hallmark/internal/metric/rate"
	"hallmark/internal/run"
	"hallmark/internal/stat/figure"
	"hallmark/internal/suite"
)

// An Ablation is what `hallmark guard ablate` is told.
type Ablation struct {
	Suite, Model, Index string
	Choices             string
	Reach               spec.Reach
	Tags                []string // of the cases that count as guardable
	Only                []string // parts of the names of the rows that are made
	Phrasings           bool     // the cases are the other phrasings of the guardable ones
	Coverages           []string // parts of the index, in percent

	with *driver.Bench
	full *guard.Inventory
	base []rate.Row
}

// flags returns the flags of one row's run.
func (b *Ablation) flags(change func(*spec.Guard)) *spec.Run {
	f := spec.Default()
	f.Suites, f.Models, f.Methods, f.Reach = []string{b.Suite}, []string{b.Model}, []string{assay.Rubric}, b.Reach
	f.Plan.Sampled, f.Plan.Repeats, f.Plan.Choices = 0, 1, b.Choices
	if change != nil {
		f.Guard.On, f.Guard.Index = true, b.Index
		change(&f.Guard)
	}
	return &f
}

// parts reads the parts of the index.
func (b *Ablation) parts() (parts []float64, err error) {
	for _, c := range b.Coverages {
		var p float64
		if _, err := fmt.Sscanf(strings.TrimSpace(c)+"\n", "%g\n", &p); err != nil || !(p >= 0 && p <= 100) {
			return nil, exit.Usagef("--coverage %q: want percentages from 0 to 100, as 100,80,50,0", c)
		}
		parts = append(parts, p)
	}
	return parts, nil
}

// Run makes the rows of the ablation, each a stored run.
func (b *Ablation) Run(ctx context.Context, with *driver.Bench) (*ablation.Result, error) {
	if b.Index == "" {
		return nil, exit.Usagef("guard ablate needs an index: --index FILE; " +
			"`hallmark guard index -o FILE` writes that of the built-in world")
	}
	coverages, err := b.parts()
	if err != nil {
		return nil, err
	}
	b.with = with
	first := b.flags(func(*spec.Guard) {})
	if err := first.Guard.Resolve("", with.In.Seed); err != nil {
		return nil, exit.Usage(err)
	}
	b.full = first.Guard.Config.Inventory
	out := &ablation.Result{Suite: b.Suite, Model: b.Model, Index: b.full.Hash(), Guardable: b.Tags,
		Wordings: b.Phrasings}
	row := func(name string, change func(*spec.Guard)) error { return b.row(ctx, out, name, b.flags(change)) }
	off := func(parts ...string) func(*spec.Guard) { return func(f *spec.Guard) { f.Off = parts } }
	but := func(all []string, one string) []string {
		return slices.DeleteFunc(slices.Clone(all), func(s string) bool { return s == one })
	}
	errs := row("no guard", nil)
	step := func(name string, change func(*spec.Guard)) {
		wanted := len(b.Only) == 0 || slices.ContainsFunc(b.Only, func(w string) bool {
			return strings.Contains(name, strings.TrimSpace(w))
		})
		if errs == nil && wanted {
			errs = row(name, change)
		}
	}
	step("guard", off())
	for _, layer := range guard.Layers {
		step("without "+layer, off(layer))
	}
	for _, test := range guard.Tests {
		step("without "+test, off(test))
	}
	step("without correction", off(guard.Correction))
	step("without repair", func(f *spec.Guard) { f.Repairs = 0 })
	step("one candidate", func(f *spec.Guard) { f.Candidates = 1 })
	for _, layer := range guard.Layers {
		step("only "+layer, off(but(guard.Layers, layer)...))
	}
	for _, test := range guard.Tests {
		step("only "+test, off(append(but(guard.Tests, test), guard.ChainLayer, guard.Adjudication)...))
	}
	for _, c := range coverages {
		if c < 100 {
			step("index at "+figure.Exact(c)+" %", func(f *spec.Guard) { f.Coverage = c })
		}
	}
	return out, errs
}

// row adds a row: it runs one configuration, or reads it from the store.
func (b *Ablation) row(ctx context.Context, out *ablation.Result, name string, f *spec.Run) error {
	return b.with.Do(ctx, &driver.Task{
		Run: f,
		Edit: func(plan *assay.Plan) error {
			if !b.Phrasings {
				return nil
			}
			w := plan.Suites[0].Phrasings(func(c *suite.Case) bool { return out.Covers(c.Class, c.Tags) })
			if w.Cases.Len() == 0 {
				return exit.Usagef(
					"--wordings: suite %s has no guardable case with phrasings; list them under phrasings", b.Suite)
			}
			plan.Suites[0] = w
			return nil
		},
		Check: func(plan *assay.Plan) error {
			if len(plan.Models) != 1 {
				return exit.Usagef("--model %s: an ablation is of one model", b.Model)
			}
			return nil
		},
		Then: func(store run.Store, plan *assay.Plan) error { return b.add(ctx, out, name, f, store, plan) },
	})
}

// add adds the row of a run that was asked, with what the guard did.
func (b *Ablation) add(ctx context.Context, out *ablation.Result, name string, f *spec.Run, store run.Store,
	plan *assay.Plan) error {
	result, err := assay.Evaluate(ctx, store, plan, b.with.Runs.Version)
	if err != nil {
		return err
	}
	rows := result.Rows(0)
	if err := result.Err(); err != nil {
		return err
	}
	if b.base == nil {
		b.base = rows
	}
	var part *guard.Inventory
	if f.Guard.On {
		part = f.Guard.Config.Inventory
	}
	r := out.Add(name, plan.ID(), plan.Models[0].Guard, b.base, rows, plan.Suites[0].Cases, b.full, part)
	if part == nil {
		return nil
	}
	calls, _, err := plan.Calls()
	if err != nil {
		return err
	}
	var keys []run.Key
	for c := range calls {
		keys = append(keys, c.Key())
	}
	return run.EachKey(ctx, store, keys, func(_ int, rec *run.Record) error {
		var t guard.Trace
		if rec != nil && rec.Response != nil && json.Unmarshal(rec.Response.Raw, &t) == nil && t.Act != "" {
			r.Acts[string(t.Act)]++
		}
		return nil
	})
}
