package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"hallmark/internal/assay/belief"
	"hallmark/internal/evaluate/spec"
	"hallmark/internal/exit"
	"hallmark/internal/inputfile"
	"hallmark/internal/metric/posterior"
	"hallmark/internal/model"
	"hallmark/internal/model/exact"
	"hallmark/internal/report"
	"hallmark/internal/run"
	"hallmark/internal/suite"
)

// maxChains bounds M, and maxDraws M·K, so that an estimate ends in minutes.
const (
	maxChains = 1_000_000
	maxDraws  = 100_000_000
)

// posteriorFlags are those of analyze posterior.
type posteriorFlags struct {
	spec.Run
	model, eval, form string
	curve             bool
	labels            []string
	mechanism         []float64
}

func (a *app) analyzePosterior() *cobra.Command {
	f := posteriorFlags{Run: spec.Default()}
	cmd := &cobra.Command{
		Use:   "posterior FILE… --model REF",
		Short: "How likely the next answer is a hallucination, before any gold answer is known",
		Long: "Rows are JSON objects, one a line: {\"input\": \"…\", \"label\": \"…\"}, the context in order; a row without label is a query, and with\n" +
			"none there is one empty query. The model makes up --extend pairs that go on from the context, --m times; what the extended model finds\n" +
			"unlikely of what it would answer now is the posterior hallucination rate. The answers of a language model are stored, as those of a run\n" +
			"are, so that the same command again asks for nothing; exact: and regression: models answer in process (docs/posterior.md).",
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return a.posterior(cmd.Context(), args, &f) },
	}
	fs := cmd.Flags()
	fs.StringVar(&f.model, "model", "", "the model `REF`: any language model with log-probabilities of given texts or a list of the likeliest tokens, or an exact: or regression: one")
	f.AddPosterior(fs)
	fs.BoolVar(&f.curve, "curve", false, "of an exact model: the calls of both estimators at equal mean squared errors, over M and K")
	fs.StringVar(&f.form, "form", string(suite.InputLabel), "words before the halves of a pair: input-label (Input:, Label:) or qa (Q:, A:)")
	fs.StringSliceVar(&f.labels, "labels", nil, "the labels of a language model's answers, with commas; default: those of the pairs")
	fs.StringVar(&f.eval, "eval", "", "`FILE` of true pairs, and of right answers as {\"input\": …, \"gold\": …}: adds mhr, mhr_single and error_rate")
	fs.Float64SliceVar(&f.mechanism, "mechanism", nil, "what an exact model is to find out, with commas: the chances of the labels (of two, that of 1 will do) or the slopes of the line; adds thr")
	f.AddGroup(fs, spec.Reaching)
	f.AddNamed(fs, "concurrency", "max-retries", "timeout", "retry-errors", "offline")
	return cmd
}

// posterior estimates the rate of the queries in files.
func (a *app) posterior(ctx context.Context, files []string, f *posteriorFlags) error {
	if f.model == "" {
		return exit.Usagef("--model is missing: name one, such as pocket or exact:beta-bernoulli?a=1&b=1")
	}
	ref, err := model.ParseRef(f.model)
	if err != nil {
		return exit.Usagef("--model: %w", err)
	}
	o := posterior.DefaultOptions()
	o.Seed, o.Level, o.Curve = a.seed, level, f.curve
	o.Eps, o.Extend, o.M, o.K, o.Estimator, o.Abstain = f.Posterior.Eps, f.Posterior.Extend, f.Posterior.M, f.Posterior.K, f.Posterior.Estimator, f.Posterior.Abstain
	if err := f.check(ref, o); err != nil {
		return exit.Usage(err)
	}
	rows := belief.Rows(suite.Form(f.form))
	var learner any
	switch ref.Scheme {
	case model.Exact:
		if learner, err = exact.Open(ref); err != nil {
			return exit.Usagef("--model: %w", err)
		}
		rows = posterior.ExactRows(learner)
	case model.Regression:
		rows = posterior.RegressionRows()
	default:
		if err := belief.CheckForm(suite.Form(f.form)); err != nil {
			return exit.Usage(err)
		}
	}
	p, truth, err := a.problem(files, f.eval, rows)
	if err != nil {
		return exit.Usage(err)
	}
	if truth != nil && len(truth.Pairs) > 0 {
		if _, err := posterior.TrueSets(truth.Pairs, o); err != nil {
			return exit.Usagef("%s: %w", f.eval, err)
		}
	}
	if len(f.mechanism) > 0 {
		if truth == nil {
			truth = &posterior.Truth{}
		}
		truth.Mechanism = f.mechanism
	}
	var result posterior.Result
	switch ref.Scheme {
	case model.Exact:
		result, err = posterior.Exactly(learner, p, truth, o)
	case model.Regression:
		m, failed := openRegression(ref)
		if failed != nil {
			return failed
		}
		result, err = posterior.Regression(m, p, truth, o)
	default:
		return a.believed(ctx, ref, f, o, p, truth, files[0])
	}
	if err != nil {
		return exit.Usagef("%s: %w", files[0], err)
	}
	a.advise(result.PerQuery)
	return writeJSON(a.stdout, result)
}

// check reports what is wrong with the flags for a model, before any file is read.
func (f *posteriorFlags) check(ref model.Ref, o posterior.Options) error {
	x, language := f.Posterior, ref.Scheme != model.Exact && ref.Scheme != model.Regression
	switch err := checkPosterior(o); {
	case err != nil:
		return err
	case o.Curve && ref.Scheme != model.Exact:
		return fmt.Errorf("--curve is of exact models; of language models a run over %d contexts or more has it (docs/posterior.md)", posterior.StudyContexts)
	case !(x.Abstain >= 0 && x.Abstain <= 1):
		return fmt.Errorf("--abstain %v: want a rate between 0 and 1, such as 0.2", x.Abstain)
	case !language && (len(x.AlsoEps) > 0 || x.AnswerTokens != 1 || x.Total || f.form != string(suite.InputLabel)):
		return fmt.Errorf("--also-eps, --answer-tokens, --answer-total and --form are of language models; %s gives rates at one --eps", ref)
	}
	if language {
		if err := x.Check(); err != nil {
			return err
		}
	}
	if len(f.mechanism) > 0 && ref.Scheme != model.Exact {
		return fmt.Errorf("--mechanism is of exact models: what %s is to find out is not known as numbers", ref)
	}
	return nil
}

// believed estimates the rate of a language model's queries.
func (a *app) believed(ctx context.Context, ref model.Ref, f *posteriorFlags, o posterior.Options, p posterior.Problem, truth *posterior.Truth, file string) error {
	x := f.Posterior
	plan := &belief.Plan{
		Options: o, AlsoEps: x.AlsoEps, TopP: x.TopP, MaxPair: 200, MaxLabel: x.AnswerTokens, Total: x.Total,
		Problems: []belief.Problem{belief.ProblemOf(p, truth, f.labels)},
	}
	plan.Problems[0].Form = suite.Form(f.form)
	if x.AnswerTokens > 1 && x.Estimator == posterior.Published { // answers are texts
		plan.Problems[0].Labels = f.labels
	}
	if err := whose(plan, file, f.labels, truth); err != nil {
		return err
	}
	result, err := a.believe(ctx, ref, &f.Run, plan)
	if err != nil {
		return err
	}
	a.advise(result.PerQuery)
	if err := writeJSON(a.stdout, result); err != nil {
		return err
	}
	return lacking(result.Missing)
}

// mostAdvice is how many queries get a line.
const mostAdvice = 40

// advise says of each query on stderr what to do about it; the JSON document says it too.
func (a *app) advise(queries []posterior.Query) {
	if a.quiet || a.json {
		return
	}
	for i := range queries {
		q := &queries[i]
		if i == mostAdvice {
			fmt.Fprintf(a.stderr, "… %d more queries: advice in the JSON document\n", len(queries)-i)
			return
		}
		if q.Advice == "" {
			continue
		}
		name := q.Input
		if name == "" {
			name = "the next answer"
		}
		fmt.Fprintf(a.stderr, "%s  %s\n", report.Line(name, 40), q.Advice)
	}
}

// problem reads the context, the queries and, where a file of it is named, the truth.
func (a *app) problem(paths []string, eval string, rows posterior.Rows) (p posterior.Problem, truth *posterior.Truth, err error) {
	if err := inputfile.Each(a.stdin, paths, func(name string, r io.Reader) error { return p.Read(name, r, rows) }); err != nil {
		return p, nil, err
	}
	if len(p.Queries) == 0 {
		p.Queries = []string{""}
	}
	if eval == "" {
		return p, nil, nil
	}
	truth = &posterior.Truth{}
	return p, truth, inputfile.Each(a.stdin, []string{eval}, func(name string, r io.Reader) error { return truth.Read(name, r, p.Queries, rows) })
}

// whose reports what is wrong with a plan's only problem, with the file or the flag that it comes from.
func whose(plan *belief.Plan, file string, labels []string, truth *posterior.Truth) error {
	q := &plan.Problems[0]
	texts := plan.Options.Estimator == posterior.Published && plan.MaxLabel > 1 // and no labels
	for _, query := range q.Queries {
		if query.Gold != "" && !texts && len(q.Labels) > 1 && !slices.Contains(q.Labels, query.Gold) {
			return exit.Usagef("%s: the right answer %.60q to %.60q is none of the labels %s; add it by --labels", truth.At(query.Input), query.Gold, query.Input, strings.Join(q.Labels, ", "))
		}
	}
	if len(labels) > 0 {
		file = "--labels"
	}
	if err := plan.Validate(); err != nil {
		return exit.Usagef("%s: %w", file, err)
	}
	return nil
}

// lacking is the outcome where something could not be had.
func lacking(missing []belief.Reason) error {
	n := 0
	for _, m := range missing {
		n += m.Count
	}
	if n == 0 {
		return nil
	}
	return exit.With(exit.Unscored, fmt.Errorf("%d extensions or queries could not be had; the result lists each reason, first: %s", n, report.OneLine(missing[0].Reason)))
}

func checkPosterior(o posterior.Options) error {
	switch {
	case !(o.Eps > 0 && o.Eps < 1):
		return fmt.Errorf("--eps %v: want a probability between 0 and 1, such as 0.05", o.Eps)
	case o.Extend < 1 || o.Extend > 100_000:
		return fmt.Errorf("--extend %d: want 1 to 100000 pairs", o.Extend)
	case o.M < 2 || o.M > maxChains:
		return fmt.Errorf("--m %d: want 2 to %d extensions", o.M, maxChains)
	case o.Estimator != posterior.Sum && o.Estimator != posterior.Published:
		return fmt.Errorf("--estimator %q: use %s or %s", o.Estimator, posterior.Sum, posterior.Published)
	case o.Estimator == posterior.Published && (o.K < 2 || o.K > maxDraws/o.M):
		return fmt.Errorf("--k %d: want 2 to %d draws with --m %d", o.K, maxDraws/o.M, o.M)
	case float64(o.M)*float64(o.Extend) > math.Pow(10, 9):
		return fmt.Errorf("--m %d and --extend %d are over a thousand million made-up pairs; take fewer", o.M, o.Extend)
	}
	return nil
}

// believe estimates the rate of a language model: wave after wave of calls, each from the records of the one before.
func (a *app) believe(ctx context.Context, ref model.Ref, f *spec.Run, plan *belief.Plan) (*belief.Result, error) {
	if err := plan.Validate(); err != nil {
		return nil, exit.Usage(err)
	}
	m, err := a.models.Build(ctx, ref, f.Reach, nil)
	if err != nil {
		return nil, exit.Usagef("--model %s: %w", ref, err)
	}
	if c, ok := m.(io.Closer); ok {
		defer c.Close()
	}
	plan.Model = m.Identity()
	if err := a.models.CanBelieve(ctx, m, ref, f.API, plan); err != nil {
		return nil, err
	}
	store, err := a.openStore(ctx)
	if err != nil {
		return nil, err
	}
	defer store.Close()
	opt := run.Options{
		Concurrency: f.Concurrency, MaxRetries: f.MaxRetries, Timeout: f.Timeout, Offline: f.Offline, RetryErrors: f.RetryErrors,
		Grace: 2 * time.Second, Now: a.now, Seed: a.seed,
	}
	switch ref.Scheme {
	case model.HTTP, model.OpenAI, model.Anthropic, model.Exec:
		if opt.Concurrency == 0 {
			opt.Concurrency = 16
		}
	default:
		opt.Timeout = 0 // a slow machine is no lost connection
	}
	err = belief.Ask(ctx, store, f.RetryErrors, []*belief.Plan{plan}, func(calls []run.Call) error {
		_, err := run.Execute(ctx, store, map[string]model.Model{plan.Model: m}, slices.Values(calls), opt)
		return err
	})
	if err != nil {
		return nil, err
	}
	return plan.Evaluate(ctx, store)
}
