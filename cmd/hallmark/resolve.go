package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"hallmark/internal/assay"
	"hallmark/internal/evaluate/setting"
	"hallmark/internal/evaluate/suites"
	"hallmark/internal/gate"
	"hallmark/internal/grade/rubric"
	"hallmark/internal/model"
	"hallmark/internal/model/hosted"
	"hallmark/internal/prompt"
	"hallmark/internal/run"
	"hallmark/internal/suite"
)

// maxConcurrency bounds the calls in flight.
const maxConcurrency = 512

// check refuses numbers that no run can have.
func (f *runFlags) check() error {
	for _, n := range []struct {
		name  string
		value int
		least int
	}{
		{"concurrency", f.concurrency, 0}, {"sampled", f.sampled, -1}, {"repeats", f.repeats, 0}, {"rpm", f.rpm, 0}, {"tpm", f.tpm, 0},
		{"max-retries", f.maxRetries, 0}, {"allow-unscored", f.allowUnscored, 0}, {"limit", f.limit, 0},
	} {
		if n.value < n.least {
			return fmt.Errorf("--%s %d: want a number of 0 or more", n.name, n.value)
		}
	}
	if f.concurrency > maxConcurrency { // a program runs once for each call in flight, and a plan may say how many these are
		return fmt.Errorf("--concurrency %d: want a number of at most %d", f.concurrency, maxConcurrency)
	}
	for name, value := range map[string]int{"sampled": f.sampled, "repeats": f.repeats} {
		if value > assay.MaxRepeats {
			return fmt.Errorf("--%s %d: want a number of at most %d", name, value, assay.MaxRepeats)
		}
	}
	if info, err := os.Stat(f.output); f.output != "" && err == nil && !info.IsDir() {
		return fmt.Errorf("--output %s: is a file; want a folder, which is made if it is missing", f.output)
	}
	if f.output == "" && !f.noReport {
		if err := setting.Stays(setting.ReportsDir); err != nil {
			return err
		}
	}
	if f.timeout < 0 {
		return fmt.Errorf("--timeout %v: want a time of 0 (no limit) or more, such as 90s", f.timeout)
	}
	switch hosted.API(f.api) {
	case hosted.Chat, hosted.Completions:
	default:
		return fmt.Errorf("--api %q: use chat or completions", f.api)
	}
	return nil
}

// defaults fills in what was not said.
func (f *runFlags) defaults() {
	if f.equal == assay.EqualReader {
		f.equal = "" // as plans have it
	}
	if len(f.models) == 0 && f.imported == nil {
		f.models = []string{"pocket"}
	}
	if len(f.suites) == 0 {
		f.suites = []string{"pocket"}
	}
	builtIn := slices.Equal(f.models, []string{"pocket"})
	if f.sampled < 0 {
		f.sampled = 0
		if builtIn {
			f.sampled = defaultSampled
		}
	}
	if f.methods == nil {
		f.methods = assay.Defaults().Methods
		if builtIn && !f.guard.on { // other models are asked more only where that is wanted: it costs
			f.methods = assay.Methods()
		}
	}
}

// resolve turns flags into a plan without its models, and gates. It reads every local input and opens no connection.
func (a *app) resolve(f *runFlags) (*assay.Plan, []gate.Gate, error) {
	if err := f.check(); err != nil {
		return nil, nil, err
	}
	sweep, err := f.readSweep(a.trust)
	if err != nil {
		return nil, nil, err
	}
	f.defaults()
	if err := f.guard.resolve("guard-", a.seed); err != nil {
		return nil, nil, err
	}
	plan := &assay.Plan{
		Methods: ordered(f.methods, assay.Methods()), Tau: f.tau, Equal: f.equal, SC: f.sc, ExcludeDefault: f.excludeDefault, CommonR: f.commonR,
		Sampled: f.sampled, Repeats: f.repeats, FloorCases: assay.Defaults().FloorCases, Limit: f.limit, Choices: f.choices,
		MaxTokens: f.maxTokens, Seed: a.seed, AsOf: f.asOf,
	}
	if err := assay.CheckEqual(f.equal); err != nil {
		return nil, nil, fmt.Errorf("--equal: %w", err)
	}
	if f.sc != assay.WithoutReplacement && f.sc != assay.WithReplacement {
		return nil, nil, fmt.Errorf("--sc %q: use without-replacement or with-replacement", f.sc)
	}
	if f.asOf != "" {
		if _, err := time.Parse(time.DateOnly, f.asOf); err != nil {
			return nil, nil, fmt.Errorf("--as-of %q: write a date as 2026-11-20", f.asOf)
		}
	}
	if plan.Has(assay.Posterior) {
		x := f.posterior.Resolved()
		plan.Posterior = &x
	}
	if plan.OptionScore, err = prompt.ParseScoring(f.optionScore); err != nil {
		return nil, nil, fmt.Errorf("--option-score: %w", err)
	}
	if plan.Form = suite.Form(f.form); f.form != "" && !slices.Contains(suite.Forms, plan.Form) {
		return nil, nil, fmt.Errorf("--form %q: use one of %s", f.form, formNames())
	}
	if f.variants != "" {
		if plan.Variants, err = prompt.ParseSpecs(f.variants); err != nil {
			return nil, nil, fmt.Errorf("--variants: %w", err)
		}
	}
	if err := errors.Join(a.readTemplates(f, plan), f.readGraderCheck(plan), f.paraphrase.resolve(plan)); err != nil {
		return nil, nil, err
	}
	for _, name := range f.suites {
		s, err := suites.Open(name, a.trust.Path)
		if err != nil {
			return nil, nil, err
		}
		if _, err := rubric.New(s, plan.AsOf); err != nil {
			return nil, nil, err
		}
		plan.Suites = append(plan.Suites, s)
	}
	if f.imported != nil {
		if err := f.imported.read(a, plan); err != nil {
			return nil, nil, err
		}
	}
	if err := f.resolveMeaning(plan); err != nil {
		return nil, nil, err
	}
	if plan.Sweep, err = f.sweep.resolve(sweep, plan.Suites); err != nil {
		return nil, nil, err
	}
	gates, err := parsedGates(f.failOn, nil)
	if err != nil {
		return nil, nil, err
	}
	for _, ref := range f.models {
		if _, err := model.ParseRef(ref); err != nil {
			return nil, nil, fmt.Errorf("%s: %w", f.sweep.place(ref), err) // the error hides a password in the reference
		}
	}
	return plan, gates, nil
}

func formNames() string {
	var names []string
	for _, f := range suite.Forms {
		names = append(names, string(f))
	}
	return strings.Join(names, ", ")
}

func kindNames() string {
	var names []string
	for _, k := range prompt.Kinds {
		names = append(names, string(k))
	}
	return strings.Join(names, ", ")
}

// ordered returns the wanted names in the order of all; names that all does not know come last, to be refused.
func ordered(wanted, all []string) []string {
	var out []string
	for _, name := range append(slices.Clone(all), wanted...) {
		if slices.Contains(wanted, name) && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

// parseBudget reads 5usd,1000000tok,500calls.
func parseBudget(s string) (run.Budget, error) {
	var b run.Budget
	if s == "" {
		return b, nil
	}
	given := map[string]bool{}
	for _, part := range strings.Split(s, ",") {
		part = strings.TrimSpace(strings.ToLower(part))
		number := strings.TrimRight(part, "abcdefghijklmnopqrstuvwxyz")
		value, err := strconv.ParseFloat(number, 64)
		unit := part[len(number):]
		if err != nil || !(value > 0) || value > 1e15 || unit != "usd" && value != float64(int64(value)) {
			return b, fmt.Errorf("--budget %q: write positive amounts with their units, as 5usd,1000000tok,500calls", s)
		}
		switch unit {
		case "usd":
			b.USD = value
		case "tok", "tokens":
			unit, b.Tokens = "tok", int(value)
		case "calls", "call":
			unit, b.Calls = "calls", int(value)
		default:
			return b, fmt.Errorf("--budget %q: unknown unit %q; use usd, tok or calls", s, unit)
		}
		if given[unit] {
			return b, fmt.Errorf("--budget %q: %s is given twice; keep one cap for each unit", s, unit)
		}
		given[unit] = true
	}
	return b, nil
}

// checkGates holds every gate against the document that this plan produces, with nothing measured yet.
func checkGates(ctx context.Context, plan *assay.Plan, gates []gate.Gate) error {
	if len(gates) == 0 {
		return nil
	}
	shape, err := assay.Shape(ctx, plan, version)
	if err != nil {
		return err
	}
	for _, g := range gates {
		if err := g.Check(shape.Document.Models[0]); err != nil {
			return fmt.Errorf("--fail-on: %w", err)
		}
	}
	return nil
}
