package spec

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
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

// check refuses numbers that no run can have.
func (f *Run) check() error {
	for i := range Fields {
		if check := Fields[i].Check; check != nil {
			if err := check(f); err != nil {
				return err
			}
		}
	}
	if info, err := os.Stat(f.Output); f.Output != "" && err == nil && !info.IsDir() {
		return fmt.Errorf("--output %s: is a file; want a folder, which is made if it is missing", f.Output)
	}
	if f.Output == "" && !f.NoReport {
		if err := setting.Stays(setting.ReportsDir); err != nil {
			return err
		}
	}
	switch hosted.API(f.API) {
	case hosted.Chat, hosted.Completions:
	default:
		return fmt.Errorf("--api %q: use chat or completions", f.API)
	}
	return nil
}

// defaults fills in what was not said.
func (f *Run) defaults() {
	if f.Equal == assay.EqualReader {
		f.Equal = "" // as plans have it
	}
	if len(f.Models) == 0 && f.Imported == nil {
		f.Models = []string{"pocket"}
	}
	if len(f.Suites) == 0 {
		f.Suites = []string{"pocket"}
	}
	builtIn := slices.Equal(f.Models, []string{"pocket"})
	if f.Sampled < 0 {
		f.Sampled = 0
		if builtIn {
			f.Sampled = defaultSampled
		}
	}
	if f.Methods == nil {
		f.Methods = assay.Defaults().Methods
		if builtIn && !f.Guard.On { // other models are asked more only where that is wanted: it costs
			f.Methods = assay.Methods()
		}
	}
}

// defaultSampled is how often the built-in model is asked again at temperature 1; other models are not, as it costs.
const defaultSampled = 10

// Surroundings are what a run is resolved in, beside what it was told.
type Surroundings struct {
	Seed  uint64
	Trust setting.Trust // what files may decide
	Stdin io.Reader     // the file that is called -
	Log   *slog.Logger
	Now   func() time.Time
}

// Resolve turns what a run was told into a plan without its models, and gates. It reads every local input and opens no connection.
func (f *Run) Resolve(in *Surroundings) (*assay.Plan, []gate.Gate, error) {
	if err := f.check(); err != nil {
		return nil, nil, err
	}
	sweep, err := f.Sweep.Read(&f.Models, in.Trust)
	if err != nil {
		return nil, nil, err
	}
	f.defaults()
	if err := f.Guard.Resolve(guardPrefix, in.Seed); err != nil {
		return nil, nil, err
	}
	plan := &assay.Plan{
		Methods: ordered(f.Methods, assay.Methods()), Tau: f.Tau, Equal: f.Equal, SC: f.SC, ExcludeDefault: f.ExcludeDefault, CommonR: f.CommonR,
		Sampled: f.Sampled, Repeats: f.Repeats, FloorCases: assay.Defaults().FloorCases, Limit: f.Limit, Choices: f.Choices,
		MaxTokens: f.MaxTokens, Seed: in.Seed, AsOf: f.AsOf,
	}
	if err := assay.CheckEqual(f.Equal); err != nil {
		return nil, nil, fmt.Errorf("--equal: %w", err)
	}
	if f.SC != assay.WithoutReplacement && f.SC != assay.WithReplacement {
		return nil, nil, fmt.Errorf("--sc %q: use without-replacement or with-replacement", f.SC)
	}
	if f.AsOf != "" {
		if _, err := time.Parse(time.DateOnly, f.AsOf); err != nil {
			return nil, nil, fmt.Errorf("--as-of %q: write a date as 2026-11-20", f.AsOf)
		}
	}
	if plan.Has(assay.Posterior) {
		x := f.Posterior.Resolved()
		plan.Posterior = &x
	}
	if plan.OptionScore, err = prompt.ParseScoring(f.OptionScore); err != nil {
		return nil, nil, fmt.Errorf("--option-score: %w", err)
	}
	if plan.Form = suite.Form(f.Form); f.Form != "" && !slices.Contains(suite.Forms, plan.Form) {
		return nil, nil, fmt.Errorf("--form %q: use one of %s", f.Form, formNames())
	}
	if f.Variants != "" {
		if plan.Variants, err = prompt.ParseSpecs(f.Variants); err != nil {
			return nil, nil, fmt.Errorf("--variants: %w", err)
		}
	}
	if err := errors.Join(f.readTemplates(in, plan), f.readGraderCheck(plan), f.Paraphrase.resolve(plan)); err != nil {
		return nil, nil, err
	}
	for _, name := range f.Suites {
		s, err := suites.Open(name, in.Trust.Path)
		if err != nil {
			return nil, nil, err
		}
		if _, err := rubric.New(s, plan.AsOf); err != nil {
			return nil, nil, err
		}
		plan.Suites = append(plan.Suites, s.Pack())
	}
	if f.Imported != nil {
		if err := f.Imported.read(in, plan); err != nil {
			return nil, nil, err
		}
	}
	if err := f.resolveMeaning(plan); err != nil {
		return nil, nil, err
	}
	if plan.Sweep, err = f.Sweep.Resolve(sweep, plan.Suites); err != nil {
		return nil, nil, err
	}
	gates, err := gate.ParseAll(f.FailOn, nil)
	if err != nil {
		return nil, nil, err
	}
	for _, ref := range f.Models {
		if _, err := model.ParseRef(ref); err != nil {
			return nil, nil, fmt.Errorf("%s: %w", f.Sweep.Place(ref), err) // the error hides a password in the reference
		}
	}
	return plan, gates, nil
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

// ParseBudget reads 5usd,1000000tok,500calls.
func ParseBudget(s string) (run.Budget, error) {
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

// CheckGates holds every gate against the document that this plan produces, with nothing measured yet.
func CheckGates(ctx context.Context, plan *assay.Plan, gates []gate.Gate, version string) error {
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
