package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"hallmark/internal/assay"
	"hallmark/internal/evaluate/spec"
	"hallmark/internal/evaluate/undertest"
	"hallmark/internal/exit"
	"hallmark/internal/guard"
	"hallmark/internal/metric/ablation"
	"hallmark/internal/metric/rate"
	"hallmark/internal/run"
	"hallmark/internal/suite"
)

func (a *app) guardAblate() *cobra.Command {
	var suiteName, modelRef, index, tags, choices string
	var coverages, only []string
	told := spec.Default()
	var wordings bool
	cmd := &cobra.Command{
		Use:   "ablate --index FILE",
		Short: "Measure the guard with its layers, its tests and its index taken away in turn",
		Long: "Run a suite without a guard, with the whole guard, without each layer and each test, with each alone, and at parts of the index, and " +
			"print commission, over-refusal and hallucination of each as a Markdown table (or JSON). Every row is a stored run that `hallmark compare` takes. " +
			"Inner calls are recorded, so that rows share them and a repeated command asks nothing. With --wordings the questions are the guardable cases in the " +
			"suite's other phrasings, each a case of its own.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if index == "" {
				return exit.Usagef("guard ablate needs an index: --index FILE; `hallmark guard index -o FILE` writes that of the built-in world")
			}
			b := &ablater{app: a, suite: suiteName, model: modelRef, index: index, reach: told.Reach, choices: choices, tags: strings.Split(tags, ","), only: only, wordings: wordings}
			var parts []float64
			for _, c := range coverages {
				var p float64
				if _, err := fmt.Sscanf(strings.TrimSpace(c)+"\n", "%g\n", &p); err != nil || !(p >= 0 && p <= 100) {
					return exit.Usagef("--coverage %q: want percentages from 0 to 100, as 100,80,50,0", c)
				}
				parts = append(parts, p)
			}
			result, err := b.run(cmd.Context(), parts)
			if err != nil {
				return err
			}
			if a.json {
				return writeJSON(a.stdout, result)
			}
			return result.Markdown(a.stdout)
		},
	}
	f := cmd.Flags()
	f.StringVar(&suiteName, "suite", "pocket", "built-in suite or `FILE`")
	f.StringVar(&modelRef, "model", "pocket", "model `REF`")
	f.StringVar(&index, "index", "", "`FILE` of what the deployment knows to exist")
	f.StringSliceVar(&coverages, "coverage", []string{"100", "80", "50", "0"}, "parts of the index, in percent")
	f.StringVar(&choices, "choices", assay.Defaults().Choices, "multiple choice without letters: score the options, which no guard sees, or generate with letters shown")
	f.StringSliceVar(&only, "rows", nil, "make only the rows whose names hold one of these `WORDS`, beside the run without a guard")
	f.StringVar(&tags, "guardable", strings.Join(ablation.Guardable, ","), "tags of the cases that count as guardable")
	f.BoolVar(&wordings, "wordings", false, "ask the guardable cases in the suite's other phrasings instead")
	told.AddNamed(f, "concurrency")
	told.AddGroup(f, spec.Reaching)
	return cmd
}

// An ablater makes the rows of an ablation.
type ablater struct {
	*app
	suite, model, index string
	choices             string
	reach               spec.Reach
	tags, only          []string
	wordings            bool // the cases are the other phrasings of the guardable ones

	full *guard.Inventory
	base []rate.Row
}

// flags returns the flags of one row's run.
func (b *ablater) flags(change func(*spec.Guard)) *spec.Run {
	f := spec.Default()
	f.Suites, f.Models, f.Methods, f.Reach = []string{b.suite}, []string{b.model}, []string{assay.Rubric}, b.reach
	f.Sampled, f.Repeats, f.Choices = 0, 1, b.choices
	if change != nil {
		f.Guard.On, f.Guard.Index = true, b.index
		change(&f.Guard)
	}
	return &f
}

func (b *ablater) run(ctx context.Context, coverages []float64) (*ablation.Result, error) {
	first := b.flags(func(*spec.Guard) {})
	if err := first.Guard.Resolve("", b.seed); err != nil {
		return nil, exit.Usage(err)
	}
	b.full = first.Guard.Config.Inventory
	out := &ablation.Result{Suite: b.suite, Model: b.model, Index: b.full.Hash(), Guardable: b.tags, Wordings: b.wordings}
	row := func(name string, change func(*spec.Guard)) error { return b.row(ctx, out, name, b.flags(change)) }
	off := func(parts ...string) func(*spec.Guard) { return func(f *spec.Guard) { f.Off = parts } }
	but := func(all []string, one string) []string {
		return slices.DeleteFunc(slices.Clone(all), func(s string) bool { return s == one })
	}
	errs := row("no guard", nil)
	step := func(name string, change func(*spec.Guard)) {
		wanted := len(b.only) == 0 || slices.ContainsFunc(b.only, func(w string) bool { return strings.Contains(name, strings.TrimSpace(w)) })
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
			step(fmt.Sprintf("index at %g %%", c), func(f *spec.Guard) { f.Coverage = c })
		}
	}
	return out, errs
}

// row adds a row: it runs one configuration, or reads it from the store.
func (b *ablater) row(ctx context.Context, out *ablation.Result, name string, f *spec.Run) error {
	plan, _, err := f.Resolve(b.surroundings())
	if err != nil {
		return exit.Usage(err)
	}
	store, err := b.openStore(ctx)
	if err != nil {
		return err
	}
	defer store.Close()
	if b.wordings {
		w := plan.Suites[0].Wordings(func(c *suite.Case) bool { return out.Covers(c.Class, c.Tags) })
		if len(w.Cases) == 0 {
			return exit.Usagef("--wordings: suite %s has no guardable case with phrasings; list them under phrasings", b.suite)
		}
		plan.Suites[0] = w
	}
	subjects, err := b.models.Models(ctx, store, f, plan)
	if err != nil {
		return err
	}
	defer subjects.Close()
	if _, err := plan.Validate(); err != nil {
		return exit.Usage(err)
	}
	if len(plan.Models) != 1 {
		return exit.Usagef("--model %s: an ablation is of one model", b.model)
	}
	budget, err := undertest.OpenPurse(ctx, store, plan.ID(), run.Budget{}, b.now)
	if err != nil {
		return err
	}
	if err := cmp.Or(b.models.Probe(ctx, store, plan, subjects, false, budget), budget.Close(ctx)); err != nil {
		return err
	}
	header, err := b.driver().Begin(ctx, store, plan, b.now())
	if err != nil {
		return err
	}
	if _, err := b.driver().Ask(ctx, store, subjects, plan, &header, f, budget); err != nil {
		return err
	}
	result, err := assay.Evaluate(ctx, store, plan, version)
	if err != nil {
		return err
	}
	rows := result.Rows[0]
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
