package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"hallmark/internal/answer"
	"hallmark/internal/assay"
	"hallmark/internal/atomicfile"
	"hallmark/internal/gate"
	"hallmark/internal/grade/rubric"
	"hallmark/internal/model"
	"hallmark/internal/model/hosted"
	"hallmark/internal/prompt"
	"hallmark/internal/report"
	"hallmark/internal/run"
	"hallmark/internal/suite"
)

// runFlags are the flags of `hallmark run`.
type runFlags struct {
	config  string
	suites  []string
	models  []string
	methods []string

	limit       int
	concurrency int

	variants       string
	tau            float64
	equal          string
	sampled        int
	sc             string
	excludeDefault bool
	choices        string
	optionScore    string
	form           string
	maxTokens      int
	repeats        int
	asOf           string

	modelFlags

	budget      string
	rpm, tpm    int
	maxRetries  int
	timeout     time.Duration
	retryErrors bool
	offline     bool

	allowUnscored int
	failOn        []string
	noReport      bool
	output        string
}

// defaultSampled is how often the built-in model is asked again at temperature 1; other models are not, as it costs.
const defaultSampled = 10

func (a *app) runCommand() *cobra.Command {
	var f runFlags
	cmd := &cobra.Command{
		Use:   "run",
		Short: "Evaluate models on suites",
		Long: "Evaluate models on suites. Bare, it measures the built-in calibration model on its own suite with every method.\n" +
			"The same command again resumes or re-reports the run: nothing stored is asked twice.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if f.config != "" {
				if err := errors.Join(flagsFromFile(cmd, f.config), a.openLog()); err != nil {
					return usage(err)
				}
			}
			return a.run(cmd.Context(), cmd, f)
		},
	}
	fs, d := cmd.Flags(), assay.Defaults()
	fs.StringVarP(&f.config, "config", "c", "", "plan `FILE` in YAML: flags as keys")
	fs.StringArrayVar(&f.suites, "suite", nil, "built-in suite or `FILE` (repeatable); default pocket")
	fs.StringArrayVar(&f.models, "model", nil, "model `REF` (repeatable); default pocket")
	fs.StringSliceVar(&f.methods, "method", d.Methods, "methods to apply")
	fs.IntVar(&f.limit, "limit", 0, "ask only the first `N` cases of each suite; 0 for all")
	fs.IntVarP(&f.concurrency, "concurrency", "j", 0, "calls in flight; 0: 16 to a server, one per core in process")
	fs.StringVar(&f.variants, "variants", "", "kinds of variants, as `KIND=N,…`: "+kindNames()+"; default: the phrasings written in the suite")
	fs.Float64Var(&f.tau, "tau", d.Tau, "self-consistency from which a case counts as prompt-agnostic")
	fs.StringVar(&f.equal, "equal", "", "equality of answers: exact, normalized, numeric, choice; default: by answer type")
	fs.IntVar(&f.sampled, "sampled", -1, "draws of each case at temperature 1; default 10 for the built-in model, 0 for others")
	fs.StringVar(&f.sc, "sc", d.SC, "self-consistency: without-replacement or with-replacement")
	fs.BoolVar(&f.excludeDefault, "exclude-default", false, "leave the default prompt out of the variants that are compared")
	fs.StringVar(&f.choices, "choices", d.Choices, "multiple choice without letters: score the options, or generate with letters shown")
	fs.StringVar(&f.optionScore, "option-score", string(d.OptionScore), "option that wins: perplexity (lowest per token) or sum (highest)")
	fs.StringVar(&f.form, "form", "", "layout of prompts: chat, qa or input-label; default: each case's own")
	fs.IntVar(&f.maxTokens, "max-tokens", d.MaxTokens, "longest answer, in tokens")
	fs.IntVar(&f.repeats, "repeats", d.Repeats, "times the identical prompt is asked, on a sample of cases, to measure the floor; 1 for none")
	fs.StringVar(&f.asOf, "as-of", "", "the run's today, as 2026-11-20; default: the suite's")
	f.modelFlags.add(fs)
	fs.StringVar(&f.budget, "budget", "", "stop asking at this cost, as `5usd,1000000tok,500calls`")
	fs.IntVar(&f.rpm, "rpm", 0, "requests a minute to each model; 0 for no limit")
	fs.IntVar(&f.tpm, "tpm", 0, "tokens a minute to each model; 0 for no limit")
	fs.IntVar(&f.maxRetries, "max-retries", 6, "tries after the first where a failure may pass")
	fs.DurationVar(&f.timeout, "timeout", 2*time.Minute, "longest wait for one answer")
	fs.BoolVar(&f.retryErrors, "retry-errors", false, "ask again for answers whose stored outcome is a failure")
	fs.BoolVar(&f.offline, "offline", false, "use stored answers only")
	fs.IntVar(&f.allowUnscored, "allow-unscored", 0, "exit 3 if more answers or verdicts than this could not be had")
	fs.StringArrayVar(&f.failOn, "fail-on", nil, "gate: exit 100 if `EXPR` holds for any model, such as 'rubric.hallucination.hi > 0.05' (repeatable)")
	fs.BoolVar(&f.noReport, "no-report", false, "write no HTML report")
	fs.StringVarP(&f.output, "output", "o", "", "write the reports of every format into `DIR`")
	return cmd
}

// run is `hallmark run`: all local input first, then the plan, the model checks, the calls, and the reports.
func (a *app) run(ctx context.Context, cmd *cobra.Command, f runFlags) error {
	started := a.now()
	plan, gates, err := a.resolve(&f)
	if err != nil {
		return usage(err)
	}
	budget, err := parseBudget(f.budget)
	if err != nil {
		return usage(err)
	}
	if budget.USD > 0 && !f.priced() {
		return usagef("--budget in usd needs prices: give --price IN,OUT, in USD per million tokens of prompt and answer")
	}
	store, err := a.openStore(ctx)
	if err != nil {
		return err
	}
	defer store.Close()
	subjects, err := a.subjects(ctx, store, &f, plan)
	if err != nil {
		return err
	}
	defer subjects.close()
	notes, err := plan.Validate()
	if err != nil {
		return usage(err)
	}
	for _, n := range notes {
		a.log.Info(n)
	}
	if err := checkGates(ctx, plan, gates); err != nil {
		return usage(err)
	}
	if _, _, err := plan.Calls(); err != nil { // a plan that has none is not asked about and not stored
		return usage(err)
	}
	if err := a.probe(ctx, store, plan, subjects, f.offline); err != nil {
		return err
	}
	header, err := a.begin(ctx, store, plan, started)
	if err != nil {
		return err
	}
	calls, _, err := plan.Calls()
	if err != nil {
		return err
	}
	counts, err := a.execute(ctx, store, subjects, calls, f, budget)
	if err != nil {
		return err
	}
	result, err := assay.Evaluate(ctx, store, plan, version)
	if err != nil {
		return err
	}
	return a.finish(ctx, cmd, f, store, header, result, gates, &assay.Invocation{
		Seconds: a.now().Sub(started).Seconds(), Started: started.UTC().Format(time.RFC3339),
		Calls: assay.Calls{Asked: counts.Asked, Reused: counts.Reused, Failed: counts.Failed, Skipped: counts.Skipped, Retries: counts.Retries},
	})
}

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
	if info, err := os.Stat(f.output); f.output != "" && err == nil && !info.IsDir() {
		return fmt.Errorf("--output %s: is a file; want a folder, which is made if it is missing", f.output)
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

// resolve turns flags into a plan without its models, and gates. It reads every local input and opens no connection.
func (a *app) resolve(f *runFlags) (*assay.Plan, []gate.Gate, error) {
	if err := f.check(); err != nil {
		return nil, nil, err
	}
	if len(f.models) == 0 {
		f.models = []string{"pocket"}
	}
	if len(f.suites) == 0 {
		f.suites = []string{"pocket"}
	}
	if f.sampled < 0 {
		f.sampled = 0
		if slices.Equal(f.models, []string{"pocket"}) {
			f.sampled = defaultSampled
		}
	}
	plan := &assay.Plan{
		Methods: ordered(f.methods, assay.Methods), Tau: f.tau, Equal: f.equal, SC: f.sc, ExcludeDefault: f.excludeDefault,
		Sampled: f.sampled, Repeats: f.repeats, FloorCases: assay.Defaults().FloorCases, Limit: f.limit, Choices: f.choices,
		MaxTokens: f.maxTokens, Seed: a.seed, AsOf: f.asOf,
	}
	if f.equal != "" {
		if _, err := answer.ParseRelation(f.equal); err != nil {
			return nil, nil, fmt.Errorf("--equal: %w", err)
		}
	}
	if f.sc != assay.WithoutReplacement && f.sc != assay.WithReplacement {
		return nil, nil, fmt.Errorf("--sc %q: use without-replacement or with-replacement", f.sc)
	}
	if f.asOf != "" {
		if _, err := time.Parse(time.DateOnly, f.asOf); err != nil {
			return nil, nil, fmt.Errorf("--as-of %q: write a date as 2026-11-20", f.asOf)
		}
	}
	var err error
	if plan.OptionScore, err = prompt.ParseScoring(f.optionScore); err != nil {
		return nil, nil, fmt.Errorf("--option-score: %w", err)
	}
	if plan.Form = suite.Form(f.form); f.form != "" && !slices.Contains(suite.Forms, plan.Form) {
		return nil, nil, fmt.Errorf("--form %q: use chat, qa or input-label", f.form)
	}
	if f.variants != "" {
		if plan.Variants, err = prompt.ParseSpecs(f.variants); err != nil {
			return nil, nil, fmt.Errorf("--variants: %w", err)
		}
	}
	for _, name := range f.suites {
		s, err := openSuite(name)
		if err != nil {
			return nil, nil, err
		}
		if _, err := rubric.New(s, plan.AsOf); err != nil {
			return nil, nil, err
		}
		plan.Suites = append(plan.Suites, s)
	}
	var gates []gate.Gate
	for _, expr := range f.failOn {
		g, err := gate.Parse(expr)
		if err != nil {
			return nil, nil, fmt.Errorf("--fail-on: %w", err)
		}
		gates = append(gates, g)
	}
	for _, ref := range f.models {
		if _, err := model.ParseRef(ref); err != nil {
			return nil, nil, fmt.Errorf("--model: %w", err) // the error hides a password in the reference
		}
	}
	return plan, gates, nil
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
			b.Tokens = int(value)
		case "calls", "call":
			b.Calls = int(value)
		default:
			return b, fmt.Errorf("--budget %q: unknown unit %q; use usd, tok or calls", s, unit)
		}
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

// begin writes the run's header, unless the same run stands in the store already.
func (a *app) begin(ctx context.Context, store run.Store, plan *assay.Plan, started time.Time) (run.Header, error) {
	id := plan.ID()
	if h, err := store.Run(ctx, id); err == nil && h.ID == id {
		return h, nil
	} else if err != nil && !errors.Is(err, run.ErrNoRun) {
		return run.Header{}, err
	}
	b, err := json.Marshal(plan)
	if err != nil {
		return run.Header{}, err
	}
	h := run.Header{ID: id, Plan: b, Started: started}
	return h, store.PutRun(ctx, h)
}

// execute asks for what is missing.
func (a *app) execute(ctx context.Context, store run.Store, subjects *subjects, calls []run.Call, f runFlags, budget run.Budget) (run.Counts, error) {
	opt := run.Options{
		Concurrency: f.concurrency, MaxRetries: f.maxRetries, Timeout: f.timeout, RPM: f.rpm, TPM: f.tpm, Budget: budget,
		Offline: f.offline, RetryErrors: f.retryErrors, Grace: 2 * time.Second, Now: a.now, Seed: a.seed,
	}
	if opt.Concurrency == 0 {
		opt.Concurrency = subjects.concurrency()
	}
	if subjects.inProcess() {
		opt.Timeout = 0 // a slow machine is no lost connection
	}
	p := newProgress(a.stderr, a.quiet || a.json && !colour(a.stderr))
	opt.Progress = p.update
	defer p.close()
	live, replayed := subjects.split(calls)
	counts, err := run.Execute(ctx, store, subjects.models, live, opt)
	if err != nil || len(replayed) == 0 {
		return counts, err
	}
	opt.Offline = true // answers of an earlier run: what it lacks is unscored, and nothing is stored for it
	again, err := run.Execute(ctx, store, subjects.models, replayed, opt)
	counts.Planned += again.Planned
	counts.Reused += again.Reused
	counts.Failed += again.Failed
	counts.Skipped += again.Skipped
	return counts, err
}

// finish stores the result, writes the reports, prints the summary and decides the exit code.
func (a *app) finish(ctx context.Context, cmd *cobra.Command, f runFlags, store run.Store, h run.Header, result *assay.Assay, gates []gate.Gate, inv *assay.Invocation) error {
	canonical, err := json.Marshal(result.Document)
	if err != nil {
		return err
	}
	complete := inv.Calls.Skipped == 0
	if string(h.Result) != string(canonical) || complete && h.Finished.IsZero() {
		h.Result = canonical
		if complete {
			h.Finished = a.now()
		}
		if err := store.PutRun(context.WithoutCancel(ctx), h); err != nil {
			return err
		}
	}
	if !f.noReport {
		if inv.Report, err = a.writeReports(result, f.output); err != nil {
			return err
		}
		if !a.quiet {
			fmt.Fprintf(a.stderr, "report: %s\n", inv.Report)
		}
	}
	switch {
	case a.json:
		result.Document.ThisInvocation = inv
		if err := report.JSON(a.stdout, result); err != nil {
			return err
		}
	case !a.quiet:
		if err := report.Terminal(a.stdout, result, report.Style{Color: colour(a.stdout), Width: width(a.stdout)}); err != nil {
			return err
		}
	}
	return a.verdict(result, gates, f.allowUnscored)
}

// verdict decides between done, unscored and a failed gate.
func (a *app) verdict(result *assay.Assay, gates []gate.Gate, allow int) error {
	failed := 0
	unscored := 0
	for _, m := range result.Document.Models {
		unscored += len(m.Unscored)
		n, err := a.failedGates(gates, m, m.Model)
		if err != nil {
			return err
		}
		failed += n
	}
	if failed > 0 {
		return &exit{exitGate, nil}
	}
	if unscored > allow {
		return &exit{exitUnscored, fmt.Errorf("%d planned answers or verdicts could not be had, %d are allowed (--allow-unscored); the report lists each with its reason", unscored, allow)}
	}
	return nil
}

// writeReports writes the HTML report to its usual place, or every format into a folder, and returns the HTML's path.
func (a *app) writeReports(result *assay.Assay, dir string) (string, error) {
	id := result.Document.Run.ID
	write := func(path string, render func(io.Writer, *assay.Assay) error) error {
		return atomicfile.Write(path, func(w io.Writer) error { return render(w, result) })
	}
	if dir == "" {
		dir = filepath.Join(".hallmark", "reports")
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return "", err
		}
		path := filepath.Join(dir, id+".html")
		return path, write(path, report.HTML)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	for _, format := range reportFormats {
		if err := write(filepath.Join(dir, id+format.extension), format.render); err != nil {
			return "", err
		}
	}
	return filepath.Join(dir, id+".html"), nil
}

// failedGates decides the gates on a document, names those that failed on stderr and counts them.
func (a *app) failedGates(gates []gate.Gate, document any, about string) (failed int, err error) {
	if len(gates) == 0 {
		return 0, nil
	}
	doc, err := json.Marshal(document)
	if err != nil {
		return 0, err
	}
	for _, g := range gates {
		out, err := g.Eval(doc)
		if err != nil {
			return 0, err
		}
		if !out.Failed {
			continue
		}
		failed++
		value := "null"
		if out.Value != nil {
			value = strconv.FormatFloat(*out.Value, 'g', 6, 64)
		}
		fmt.Fprintf(a.stderr, "gate failed: %s: %s (it is %s)\n", about, g.Source, value)
	}
	return failed, nil
}
