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

	"hallmark/internal/ask/prompt"
	"hallmark/internal/assay"
	"hallmark/internal/assay/gate"
	"hallmark/internal/commands/setting"
	"hallmark/internal/commands/suites"
	"hallmark/internal/grade/rubric"
	"hallmark/internal/model"
	"hallmark/internal/model/hosted"
	"hallmark/internal/model/pocket/incontext"
	"hallmark/internal/run"
)

// check refuses numbers that no run can have.
func (r *Run) check() error {
	for _, f := range r.Fields() {
		if f.Fault != nil {
			return f.Fault
		}
	}
	if info, err := os.Stat(r.Output); r.Output != "" && err == nil && !info.IsDir() {
		return fmt.Errorf("--output %s: is a file; want a folder, which is made if it is missing", r.Output)
	}
	if r.Output == "" && !r.NoReport {
		if err := setting.Stays(setting.ReportsDir); err != nil {
			return err
		}
	}
	switch hosted.API(r.API) {
	case hosted.Chat, hosted.Completions:
	default:
		return fmt.Errorf("--api %q: use chat or completions", r.API)
	}
	return nil
}

// defaults fills in what was not said.
func (r *Run) defaults() {
	if r.Plan.Equal == assay.EqualReader {
		r.Plan.Equal = "" // as plans have it
	}
	if len(r.Models) == 0 && r.Imported == nil {
		r.Models = []string{"pocket"}
	}
	if len(r.Suites) == 0 && r.Imported == nil { // imported answers may come with their questions
		r.Suites = []string{"pocket"}
	}
	builtIn := slices.Equal(r.Models, []string{"pocket"})
	if r.Plan.Sampled == -1 {
		r.Plan.Sampled = 0
		if builtIn {
			r.Plan.Sampled = defaultSampled
		}
	}
	if r.Methods == nil {
		r.Methods = assay.Defaults().Methods
		if builtIn && !r.Guard.On { // other models are asked more only where that is wanted: it costs
			r.Methods = assay.Methods()
		}
	}
}

// defaultSampled is how often the built-in model is asked again at temperature 1; other models are not, as it costs.
const defaultSampled = 10

// Doubt says what a run may not be meant to be, once it is resolved; "" where there is nothing to say.
func (r *Run) Doubt() string {
	ofPocket := func(suite string) bool {
		return strings.HasPrefix(suite, "pocket") || strings.HasPrefix(suite, incontext.Prefix)
	}
	if !r.unnamed || !slices.ContainsFunc(r.Suites, func(suite string) bool { return !ofPocket(suite) }) {
		return ""
	}
	return "no model was named: pocket is asked, the built-in model, which knows its own fictional world alone; " +
		"--model names yours, such as openai:gpt-4o"
}

// Surroundings are what a run is resolved in, beside what it was told.
type Surroundings struct {
	Seed  uint64
	Trust setting.Trust // what files may decide
	Stdin io.Reader     // the file that is called -
	Log   *slog.Logger
	Now   func() time.Time
}

// Resolve turns what a run was told into a plan without its models, and gates. It reads every local input and opens
// no connection.
func (r *Run) Resolve(in *Surroundings) (*assay.Plan, []gate.Gate, error) {
	if err := r.check(); err != nil {
		return nil, nil, err
	}
	if err := r.nameModels(); err != nil {
		return nil, nil, err
	}
	sweep, err := r.Sweep.Read(&r.Models, in.Trust)
	if err != nil {
		return nil, nil, err
	}
	r.unnamed = len(r.Models) == 0 && r.Imported == nil
	r.defaults()
	if err := r.Guard.Resolve(guardPrefix, in.Seed); err != nil {
		return nil, nil, err
	}
	plan, err := r.plan(in.Seed)
	if err != nil {
		return nil, nil, err
	}
	if err := errors.Join(r.readTemplates(in, plan), r.readGraderCheck(plan), r.Paraphrase.resolve(plan)); err != nil {
		return nil, nil, err
	}
	if err := r.readSuites(in, plan); err != nil {
		return nil, nil, err
	}
	if err := r.resolveEquivalence(plan); err != nil {
		return nil, nil, err
	}
	if plan.Sweep, err = r.Sweep.Resolve(sweep, plan.Suites); err != nil {
		return nil, nil, err
	}
	gates, err := gate.ParseAll(r.FailOn, nil)
	if err != nil {
		return nil, nil, err
	}
	for _, ref := range r.Models {
		if _, err := model.ParseRef(ref); err != nil {
			// the error hides a password in the reference
			return nil, nil, fmt.Errorf("%s: %w", r.Sweep.Place(ref), err)
		}
	}
	return plan, gates, nil
}

// plan is the plan that the values of the flags make, before any file is read.
func (r *Run) plan(seed uint64) (*assay.Plan, error) {
	if err := r.told().Fault(); err != nil {
		return nil, err
	}
	plan := new(r.Plan)
	plan.Methods, plan.Seed = ordered(r.Methods, assay.Methods()), seed
	plan.Posterior, plan.Retrieval, plan.Equivalence, plan.Paraphrasing = nil, nil, nil, nil
	if plan.Has(assay.Posterior) {
		plan.Posterior = new(r.Posterior.Resolved())
	}
	var err error
	if r.Variants != "" {
		if plan.Variants, err = prompt.ParseSpecs(r.Variants); err != nil {
			return nil, fmt.Errorf("--variants: %w", err)
		}
	}
	return plan, nil
}

// readSuites opens the suites of a plan, then reads the imported answers, which may come with suites of their own.
func (r *Run) readSuites(in *Surroundings, plan *assay.Plan) error {
	for _, name := range r.Suites {
		s, err := suites.Open(name, in.Trust.Path)
		if ref, noModel := model.ParseRef(name); err != nil && noModel == nil {
			return fmt.Errorf("%s names a model, and no suite: type --model before it", ref)
		}
		if err != nil {
			return err
		}
		if _, err := rubric.New(s, plan.AsOf); err != nil {
			return err
		}
		plan.Suites = append(plan.Suites, s.Pack())
		plan.SuiteFiles = append(plan.SuiteFiles, suites.Argument(name))
	}
	if !slices.ContainsFunc(plan.SuiteFiles, func(file string) bool { return file != "" }) {
		plan.SuiteFiles = nil
	}
	if r.Imported == nil {
		return nil
	}
	return r.Imported.read(in, plan)
}

// Inputs are the files that a run reads its questions from, and its answers where it has them.
func (r *Run) Inputs() []string {
	if r.Imported == nil {
		return r.Suites
	}
	return append(slices.Clone(r.Imported.Paths), r.Suites...)
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

// CheckDeclared holds the gates, and the declared thresholds, which it parses, against the document that this plan
// produces, with nothing measured yet. Accept decides thresholds on a result.
func (r *Run) CheckDeclared(ctx context.Context, plan *assay.Plan, gates []gate.Gate, version string,
	accept func(*assay.Assay, []gate.Threshold) error) error {
	if len(gates)+len(r.Accept) == 0 {
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
	if r.Thresholds, err = gate.ParseThresholds(r.Accept); err != nil {
		return err
	}
	return accept(shape, r.Thresholds)
}

// checkName says what is wrong with the name of a run; "" is none.
func checkName(name string) error {
	if err := run.CheckName(name); name != "" && err != nil {
		return fmt.Errorf("--name %w", err)
	}
	return nil
}

// nameModels parts the names that models were given from their references. A name is of one model, and no reference of
// another.
func (r *Run) nameModels() error {
	r.Named = map[string]string{}
	of := map[string]string{}
	r.Models = slices.Clone(r.Models)
	for i, text := range r.Models {
		name, ref := model.Named(text)
		if name == "" {
			continue
		}
		switch {
		case of[name] != "":
			return fmt.Errorf("--model %s=…: the name is there twice; give each model its own", name)
		case r.Named[ref] != "":
			return fmt.Errorf("--model %s=…: the same model is called %s already", name, r.Named[ref])
		}
		of[name], r.Named[ref], r.Models[i] = ref, name, ref
	}
	for _, ref := range r.Models {
		if of[ref] != "" && of[ref] != ref {
			return fmt.Errorf("--model %s=…: that is the reference of another model of the run; choose another name",
				ref)
		}
	}
	return nil
}
