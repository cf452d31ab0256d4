package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"hallmark/internal/assay"
	"hallmark/internal/evaluate/setting"
	"hallmark/internal/exit"
	"hallmark/internal/run"
	"hallmark/internal/strictyaml"
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
	templates      string
	paraphrase     paraphraseFlags
	tau            float64
	equal          string
	sampled        int
	sc             string
	excludeDefault bool
	commonR        int
	choices        string
	optionScore    string
	form           string
	maxTokens      int
	repeats        int
	asOf           string
	judges         []string
	judgeAll       bool
	contract       bool
	graderCheck    string
	posterior      assay.PosteriorOptions
	equality       equalityFlags

	modelFlags
	guard    guardFlags
	retrieve retrieveFlags
	sweep    sweepFlags

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

	published *assay.Published // quoted by the plan file
	imported  *importedFiles   // whose answers stand in the place of models'; nil for a run that asks
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
			if err := a.readConfig(cmd, &f); err != nil {
				return err
			}
			return a.run(cmd.Context(), cmd, f)
		},
	}
	a.trust.Add(cmd.Flags())
	f.add(cmd.Flags())
	return cmd
}

// readConfig fills the flags from the plan file, where one is named.
func (a *app) readConfig(cmd *cobra.Command, f *runFlags) error {
	if f.config == "" {
		return nil
	}
	sections := map[string]func(*strictyaml.Node) error{"published": f.readPublished}
	return exit.Usage(errors.Join(setting.FromFile(cmd.Flags(), f.config, a.trust, sections), a.openLog()))
}

// add defines the flags, and so sets f to their defaults.
func (f *runFlags) add(fs *pflag.FlagSet) {
	d := assay.Defaults()
	fs.StringVarP(&f.config, "config", "c", "", "plan `FILE` in YAML: flags as keys")
	fs.StringArrayVar(&f.suites, "suite", nil, "built-in suite or `FILE` (repeatable); default pocket")
	fs.StringArrayVar(&f.models, "model", nil, "model `REF` (repeatable); default pocket")
	fs.StringSliceVar(&f.methods, "method", nil, "methods to apply: "+strings.Join(assay.Methods(), ", ")+"; default "+strings.Join(d.Methods, ",")+", and all of them for the built-in model alone")
	fs.IntVar(&f.limit, "limit", 0, "ask only the first `N` cases of each suite; 0 for all")
	fs.IntVarP(&f.concurrency, "concurrency", "j", 0, "calls in flight; 0: 16 to a server, one per core in process")
	fs.StringVar(&f.variants, "variants", "", "kinds of variants, as `KIND=N,…`: "+kindNames()+"; default: the phrasings written in the suite")
	fs.StringVar(&f.templates, "templates", "", "`FILE` of templates (YAML or JSON) for --variants templates=N, in place of the generated ones")
	f.paraphrase.add(fs)
	fs.Float64Var(&f.tau, "tau", d.Tau, "self-consistency from which a case counts as prompt-agnostic")
	fs.StringVar(&f.equal, "equal", assay.EqualReader, "equality of answers: reader (the same value as the grader reads them), exact, normalized, numeric, choice or meaning")
	f.equality.add(fs)
	fs.IntVar(&f.sampled, "sampled", -1, "draws of each case at temperature 1; default 10 for the built-in model, 0 for others")
	fs.StringVar(&f.sc, "sc", d.SC, "self-consistency: without-replacement or with-replacement")
	fs.BoolVar(&f.excludeDefault, "exclude-default", false, "leave the default prompt out of the variants that are compared")
	fs.IntVar(&f.commonR, "common-r", 0, "number of variants at which ambiguity is also given; 0: the fewest of any question")
	fs.StringVar(&f.choices, "choices", d.Choices, "multiple choice without letters: score the options, or generate with letters shown")
	fs.StringVar(&f.optionScore, "option-score", string(d.OptionScore), "option that wins: perplexity (lowest per token), sum (highest), characters (highest sum per character) or letters (shown, and their perplexity)")
	fs.StringVar(&f.form, "form", "", "layout of prompts: "+formNames()+"; default: each case's own")
	fs.IntVar(&f.maxTokens, "max-tokens", d.MaxTokens, "longest answer, in tokens")
	fs.IntVar(&f.repeats, "repeats", d.Repeats, "times the identical prompt is asked, on a sample of cases, to measure the floor; 1 for none")
	f.posterior = assay.DefaultPosterior()
	addPosterior(fs, &f.posterior, "posterior: ")
	fs.IntSliceVar(&f.posterior.At, "at", nil, "posterior: shorter extensions after which the labels are asked too, as `2,3`, for a table over lengths")
	f.addJudges(fs)
	fs.StringVar(&f.graderCheck, "grader-check", "", "correct the outcomes by what the grader made of other labelled answers: `FILE` of hallmark grade check --json (docs/grading.md)")
	fs.StringVar(&f.asOf, "as-of", "", "the run's today, as 2026-11-20; default: the suite's")
	f.modelFlags.add(fs)
	f.retrieve.add(fs)
	f.sweep.add(fs)
	fs.BoolVar(&f.guard.on, "guard", false, "put the constraint layer around every model (docs/guard.md)")
	f.guard.add(fs, "guard-")
	fs.StringVar(&f.budget, "budget", "", "cap on what the run costs, as `5usd,1000000tok,500calls`: every request counts, also one that fails, and is sent only if its worst case fits (docs/budget.md)")
	fs.IntVar(&f.rpm, "rpm", 0, "requests a minute to each model; 0 for no limit")
	fs.IntVar(&f.tpm, "tpm", 0, "tokens a minute to each model; 0 for no limit")
	fs.IntVar(&f.maxRetries, "max-retries", 6, "tries after the first where a failure may pass")
	fs.DurationVar(&f.timeout, "timeout", 2*time.Minute, "longest wait for one answer")
	fs.BoolVar(&f.retryErrors, "retry-errors", false, "ask again for answers whose stored outcome is a failure")
	fs.BoolVar(&f.offline, "offline", false, "use stored answers only")
	fs.IntVar(&f.allowUnscored, "allow-unscored", 0, "exit 3 if more answers or verdicts than this are missing")
	fs.StringArrayVar(&f.failOn, "fail-on", nil, "gate: exit 100 if `EXPR` holds for any model, such as 'rubric.outcomes.incorrect.hi > 0.05' (repeatable)")
	fs.BoolVar(&f.noReport, "no-report", false, "write no HTML report")
	fs.StringVarP(&f.output, "output", "o", "", "write the reports of every format into `DIR`")
}

// run is `hallmark run`: all local input first, then the plan, the model checks, the calls, and the reports.
func (a *app) run(ctx context.Context, cmd *cobra.Command, f runFlags) error {
	started := a.now()
	if f.imported != nil {
		spareFiles(append(slices.Clone(f.imported.paths), f.suites...)...)
	} else {
		spareFiles(f.suites...)
	}
	plan, gates, err := a.resolve(&f)
	if err != nil {
		return exit.Usage(err)
	}
	spare(plan, whileRun)
	limit, err := parseBudget(f.budget)
	if err != nil {
		return exit.Usage(err)
	}
	if err := f.retrieve.read(a, cmd.Flags().Changed, plan); err != nil {
		return exit.Usage(err)
	}
	if limit.USD > 0 && !f.priced() {
		return exit.Usagef("--budget in usd needs prices: give --price IN,OUT, in USD per million tokens of prompt and answer")
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
		return exit.Usage(err)
	}
	a.say(notes, len(plan.GradesNothing()))
	if err := checkGates(ctx, plan, gates); err != nil {
		return exit.Usage(err)
	}
	if _, _, err := plan.Calls(); err != nil { // a plan that has none is not asked about and not stored
		return exit.Usage(err)
	}
	budget, err := openPurse(ctx, store, plan.ID(), limit, a.now)
	if err != nil {
		return err
	}
	defer a.end(budget)
	budget.keep(ctx)
	if err := a.probe(ctx, store, plan, subjects, f.offline, budget); err != nil {
		return cmp.Or(budget.close(ctx), spentBy(err))
	}
	if err := budget.close(ctx); err != nil {
		return err
	}
	if err := subjects.fit(plan); err != nil {
		return exit.Usage(err)
	}
	header, err := a.begin(ctx, store, plan, started)
	if err != nil {
		return err
	}
	if err := f.imported.keep(ctx, store, plan, a.now()); err != nil {
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
	a.sayUnhashed(header.ID, lookups)
	if digest := lookups.Digest(version); header.Digest == nil || *header.Digest != *digest {
		header.Digest, header.Result = digest, nil // to be stored together
	}
	return a.finish(ctx, cmd, f, store, header, result, gates, &assay.Invocation{
		Seconds: a.now().Sub(started).Seconds(), Started: started.UTC().Format(time.RFC3339),
		Calls: assay.Calls{Asked: counts.Asked, Reused: counts.Reused, Failed: counts.Failed, Skipped: counts.Skipped, Retries: counts.Retries},
	})
}

// ask makes the calls of a run, wave after wave.
func (a *app) ask(ctx context.Context, store run.Store, subjects *subjects, plan *assay.Plan, header *run.Header, f runFlags, budget *purse) (counts run.Counts, err error) {
	counts.Spent = budget.Spent()
	err = plan.Ask(ctx, store, f.retryErrors, func(w assay.Wave) (err error) {
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
func (a *app) execute(ctx context.Context, store run.Store, subjects *subjects, calls iter.Seq[run.Call], f runFlags, budget *purse, spent run.Cost) (run.Counts, error) {
	opt := run.Options{
		Concurrency: f.concurrency, MaxRetries: f.maxRetries, Timeout: f.timeout, RPM: f.rpm, TPM: f.tpm, Budget: budget.Budget, Spent: spent,
		Offline: f.offline, RetryErrors: f.retryErrors, Grace: 2 * time.Second, Now: a.now, Seed: a.seed, Unrecorded: budget.keeper, Session: budget.session,
	}
	if opt.Concurrency == 0 {
		opt.Concurrency = subjects.concurrency()
	}
	if subjects.inProcess() {
		opt.Timeout = 0 // a slow machine is no lost connection
	}
	if f.guard.on { // a guarded call is several to the model
		most := f.guard.config.MostCalls()
		opt.Timeout *= time.Duration(most)
		opt.RPM = perGuarded(opt.RPM, most)
	}
	p := newProgress(a.stderr, a.quiet || a.json && !colour(a.stderr))
	opt.Progress = p.update
	defer p.close()
	live, replayed := subjects.split(calls)
	if subjects.inProcess() && budget.Budget == (run.Budget{}) { // a budget runs out in the order of the plan
		live = run.Arrange(live)
	}
	counts, err := run.Execute(ctx, store, subjects.models, live, opt)
	if err != nil || replayed == nil || run.Empty(replayed) {
		return counts, err
	}
	opt.Offline = true // answers of an earlier run: what it lacks is unscored, and nothing is stored for it
	again, err := run.Execute(ctx, store, subjects.models, replayed, opt)
	spent = counts.Spent
	counts.Add(again)
	counts.Spent = spent // what the earlier run spent is none of this one's
	return counts, err
}

// say logs the notes of a plan, the first of them as warnings.
func (a *app) say(notes []string, warnings int) {
	for i, n := range notes {
		if i < warnings {
			a.log.Warn(n)
		} else {
			a.log.Info(n)
		}
	}
}

// addJudges defines the flags that name judges.
func (f *runFlags) addJudges(fs *pflag.FlagSet) {
	fs.StringArrayVar(&f.judges, "judge", nil, "model `REF` that is asked about the stored answers that no rule decides, and decides the cases of oracle judge; repeat it for a panel, whose majority decides (docs/judges.md)")
	fs.BoolVar(&f.judgeAll, "judge-all", false, "have the judges decide every answer")
	fs.BoolVar(&f.contract, "answer-contract", false, "ask for a last line ANSWER: …, or CANNOT ANSWER: reason, and read what was answered by it, where it is there; of answers that are stored already, read them so (docs/grading.md)")
}
