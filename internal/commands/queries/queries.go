// Package queries estimates the posterior hallucination rate of the queries in files, of whatever model: what
// `hallmark analyze posterior` does between its flags and what it prints. Errors that are the user's to fix are
// exit.Usage.
package queries

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"hallmark/internal/base/exit"
	"hallmark/internal/base/inputfile"
	"hallmark/internal/commands/spec"
	"hallmark/internal/commands/undertest"
	"hallmark/internal/metric/posterior"
	"hallmark/internal/metric/posterior/exact"
	"hallmark/internal/metric/posterior/language"
	"hallmark/internal/metric/posterior/regression"
	"hallmark/internal/model"
	"hallmark/internal/report"
	"hallmark/internal/run"
	"hallmark/internal/suite"
)

// Asked is what is asked, a field for each flag.
type Asked struct {
	spec.Run
	Model, Eval, Form string
	Curve             bool
	Labels            []string
	Mechanism         []float64
	Files             []string
	Seed              uint64
	Level             float64 // of the intervals

	Stdin  io.Reader
	Models *undertest.Builder
	Store  func(context.Context) (run.Store, error) // of the answers of language models
}

// An Answer is an estimate.
type Answer struct {
	Document any   // a posterior.Result, or of a language model a language.Result
	Lacking  error // the outcome where something is missing; nil where nothing lacks

	queries []posterior.Query
}

// mostAdvice is how many queries get a line.
const mostAdvice = 40

// Advise says of each query what to do about it; the document says it too.
func (a *Answer) Advise(w io.Writer) {
	for i := range a.queries {
		q := &a.queries[i]
		if i == mostAdvice {
			fmt.Fprintf(w, "… %d more queries: advice in the JSON document\n", len(a.queries)-i)
			return
		}
		if q.Advice == "" {
			continue
		}
		fmt.Fprintf(w, "%s  %s\n", report.Line(cmp.Or(q.Input, "the next answer"), 40), q.Advice)
	}
}

// Estimate estimates the rate of the queries.
func Estimate(ctx context.Context, f *Asked) (*Answer, error) {
	if f.Model == "" {
		return nil, exit.Usagef("--model is missing: name one, such as pocket or exact:beta-bernoulli?a=1&b=1")
	}
	ref, err := model.ParseRef(f.Model)
	if err != nil {
		return nil, exit.Usagef("--model: %w", err)
	}
	o := posterior.DefaultOptions()
	o.Seed, o.Level, o.Curve = f.Seed, f.Level, f.Curve
	o.Eps, o.Extend, o.M, o.K, o.Estimator, o.Abstain = f.Posterior.Eps, f.Posterior.Extend, f.Posterior.M,
		f.Posterior.K, f.Posterior.Estimator, f.Posterior.Abstain
	if err := f.check(ref, o); err != nil {
		return nil, exit.Usage(err)
	}
	rows := language.Rows(suite.Form(f.Form))
	var learner any
	switch ref.Scheme {
	case model.Exact:
		if learner, err = exact.Open(ref); err != nil {
			return nil, exit.Usagef("--model: %w", err)
		}
		rows = posterior.ExactRows(learner)
	case model.Regression:
		rows = posterior.RegressionRows()
	default:
		if err := language.CheckForm(suite.Form(f.Form)); err != nil {
			return nil, exit.Usage(err)
		}
	}
	p, truth, err := f.problem(rows, o)
	if err != nil {
		return nil, exit.Usage(err)
	}
	var result posterior.Result
	switch ref.Scheme {
	case model.Exact:
		result, err = posterior.Exactly(learner, p, truth, o)
	case model.Regression:
		m, failed := regression.Named(ref)
		if failed != nil {
			return nil, failed
		}
		result, err = posterior.Regression(m, p, truth, o)
	default:
		return f.believed(ctx, ref, o, p, truth)
	}
	if err != nil {
		return nil, exit.Usagef("%s: %w", f.Files[0], err)
	}
	return &Answer{Document: result, queries: result.PerQuery}, nil
}

// check reports what is wrong with the flags for a model, before any file is read.
func (f *Asked) check(ref model.Ref, o posterior.Options) error {
	x, language := f.Posterior, ref.Scheme != model.Exact && ref.Scheme != model.Regression
	switch err := o.Check(); {
	case err != nil:
		return err
	case o.Curve && ref.Scheme != model.Exact:
		return fmt.Errorf("--curve is of exact models; of language models a run over %d contexts or more has it "+
			"(docs/posterior.md)", posterior.StudyContexts)
	case !(x.Abstain >= 0 && x.Abstain <= 1):
		return fmt.Errorf("--abstain %v: want a rate between 0 and 1, such as 0.2", x.Abstain)
	case !language && f.ofLanguage():
		return fmt.Errorf("--also-eps, --answer-tokens, --answer-total and --form are of language models; %s "+
			"gives rates at one --eps", ref)
	}
	if language {
		if err := x.Check(); err != nil {
			return err
		}
	}
	if len(f.Mechanism) > 0 && ref.Scheme != model.Exact {
		return fmt.Errorf("--mechanism is of exact models: what %s is to find out is not known as numbers", ref)
	}
	return nil
}

// ofLanguage says whether a flag is given that is of language models alone.
func (f *Asked) ofLanguage() bool {
	x := f.Posterior
	return len(x.AlsoEps) > 0 || x.AnswerTokens != 1 || x.Total || f.Form != string(suite.InputLabel)
}

// believed estimates the rate of a language model's queries.
func (f *Asked) believed(ctx context.Context, ref model.Ref, o posterior.Options, p posterior.Problem,
	truth *posterior.Truth) (*Answer, error) {
	x := f.Posterior
	experiment := &language.Experiment{
		Options: o, AlsoEps: x.AlsoEps, TopP: x.TopP, MaxPair: 200, MaxLabel: x.AnswerTokens, Total: x.Total,
		Problems: []language.Problem{language.ProblemOf(p, truth, f.Labels)},
	}
	experiment.Problems[0].Form = suite.Form(f.Form)
	if x.AnswerTokens > 1 && x.Estimator == posterior.Published { // answers are texts
		experiment.Problems[0].Labels = f.Labels
	}
	if err := f.whose(experiment, truth); err != nil {
		return nil, err
	}
	result, err := f.believe(ctx, ref, experiment)
	if err != nil {
		return nil, err
	}
	return &Answer{Document: result, Lacking: lacking(result.Missing), queries: result.PerQuery}, nil
}

// problem reads the context, the queries and the truth, which is nil where none is given.
func (f *Asked) problem(rows posterior.Rows, o posterior.Options) (p posterior.Problem, truth *posterior.Truth,
	err error) {
	if err := inputfile.Each(f.Stdin, f.Files, func(name string, r io.Reader) error {
		return p.Read(name, r, rows)
	}); err != nil {
		return p, nil, err
	}
	if len(p.Queries) == 0 {
		p.Queries = []string{""}
	}
	if f.Eval == "" && len(f.Mechanism) == 0 {
		return p, nil, nil
	}
	truth = &posterior.Truth{Mechanism: f.Mechanism}
	if f.Eval == "" {
		return p, truth, nil
	}
	if err := inputfile.Each(f.Stdin, []string{f.Eval}, func(name string, r io.Reader) error {
		return truth.Read(name, r, p.Queries, rows)
	}); err != nil {
		return p, nil, err
	}
	if len(truth.Pairs) > 0 {
		if _, err := posterior.TrueSets(truth.Pairs, o); err != nil {
			return p, nil, fmt.Errorf("%s: %w", f.Eval, err)
		}
	}
	return p, truth, nil
}

// whose reports what is wrong with an experiment's only problem, with the file or the flag that it comes from.
func (f *Asked) whose(experiment *language.Experiment, truth *posterior.Truth) error {
	q := &experiment.Problems[0]
	texts := experiment.Options.Estimator == posterior.Published && experiment.MaxLabel > 1 // and no labels
	for _, query := range q.Queries {
		if query.Gold != "" && !texts && len(q.Labels) > 1 && !slices.Contains(q.Labels, query.Gold) {
			return exit.Usagef("%s: the right answer %.60q to %.60q is none of the labels %s; add it by --labels",
				truth.At(query.Input), query.Gold, query.Input, strings.Join(q.Labels, ", "))
		}
	}
	file := f.Files[0]
	if len(f.Labels) > 0 {
		file = "--labels"
	}
	if err := experiment.Validate(); err != nil {
		return exit.Usagef("%s: %w", file, err)
	}
	return nil
}

// lacking is the outcome where something is missing.
func lacking(missing []language.Reason) error {
	n := 0
	for _, m := range missing {
		n += m.Count
	}
	if n == 0 {
		return nil
	}
	return exit.With(exit.Unscored, fmt.Errorf(
		"%d extensions or queries are missing; the result lists each reason, first: %s", n,
		report.OneLine(missing[0].Reason)))
}

// believe estimates the rate of a language model: wave after wave of calls, each from the records of the one before.
func (f *Asked) believe(ctx context.Context, ref model.Ref, experiment *language.Experiment) (*language.Result, error) {
	m, err := f.Models.Build(ctx, ref, f.Reach, nil)
	if err != nil {
		return nil, exit.Usagef("--model %s: %w", ref, err)
	}
	if c, ok := m.(io.Closer); ok {
		defer c.Close()
	}
	experiment.Model = m.Identity()
	if err := f.Models.CanBelieve(ctx, m, ref, f.API, experiment); err != nil {
		return nil, err
	}
	store, err := f.Store(ctx)
	if err != nil {
		return nil, err
	}
	defer store.Close()
	opt := run.Options{
		Concurrency: f.Concurrency, MaxRetries: f.MaxRetries, Timeout: f.Timeout, Offline: f.Offline,
		RetryErrors: f.RetryErrors,
		Grace:       2 * time.Second, Now: f.Models.Now, Seed: f.Seed,
	}
	switch ref.Scheme {
	case model.HTTP, model.OpenAI, model.Anthropic, model.Exec:
		opt.Concurrency = cmp.Or(opt.Concurrency, 16)
	default:
		opt.Timeout = 0 // a slow machine is no lost connection
	}
	for wave, err := range language.Waves(ctx, store, f.RetryErrors, []*language.Experiment{experiment}) {
		if err == nil {
			_, err = run.Execute(ctx, store, map[string]model.Model{experiment.Model: m}, run.Wanted(wave), opt)
		}
		if err != nil {
			return nil, err
		}
	}
	return experiment.Evaluate(ctx, store)
}
