package main

import (
	"fmt"
	"io"
	"math"

	"github.com/spf13/cobra"

	"hallmark/internal/metric/posterior"
	"hallmark/internal/model"
	"hallmark/internal/model/exact"
)

// maxChains bounds M, and maxDraws M·K, so that an estimate ends in minutes.
const (
	maxChains = 1_000_000
	maxDraws  = 100_000_000
)

func (a *app) analyzePosterior() *cobra.Command {
	o := posterior.DefaultOptions()
	var ref, eval string
	cmd := &cobra.Command{
		Use:   "posterior FILE… --model REF",
		Short: "How likely the next answer is a hallucination, before any gold answer is known",
		Long: "Rows are JSON objects, one a line: {\"input\": \"…\", \"label\": \"…\"}, the context in order; a row without label is a query, and with\n" +
			"none there is one empty query. The model makes up --extend pairs that go on from the context, --m times; what the extended model finds\n" +
			"unlikely of what it would answer now is the posterior hallucination rate. This release estimates it for exact: models, whose rate is known.",
		Args: cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			learner, err := exactModel(ref)
			if err != nil {
				return usage(err)
			}
			if err := checkPosterior(o); err != nil {
				return usage(err)
			}
			var p posterior.Problem
			if err := a.each(args, p.Read); err != nil {
				return usage(err)
			}
			if len(p.Queries) == 0 {
				p.Queries = []string{""}
			}
			var truth *posterior.Truth
			if eval != "" {
				truth = &posterior.Truth{}
				if err := a.each([]string{eval}, func(name string, r io.Reader) error { return truth.Read(name, r, p.Queries) }); err != nil {
					return usage(err)
				}
			}
			o.Seed, o.Level = a.seed, level
			result, err := posterior.Exactly(learner, p, truth, o)
			if err != nil {
				return usagef("%s: %w", args[0], err)
			}
			return writeJSON(a.stdout, result)
		},
	}
	f := cmd.Flags()
	f.StringVar(&ref, "model", "", "the model `REF`: exact:beta-bernoulli, exact:dirichlet or exact:linreg with their parameters")
	f.Float64Var(&o.Eps, "eps", o.Eps, "what is below this quantile of the log-probability is unlikely; .75 follows the error rate")
	f.IntVar(&o.Extend, "extend", o.Extend, "pairs that the model makes up for each extension, N - n")
	f.IntVar(&o.M, "m", o.M, "extensions")
	f.IntVar(&o.K, "k", o.K, "answers drawn for the quantile, and again for the rate, by --estimator published")
	f.StringVar(&o.Estimator, "estimator", o.Estimator, "sum: exact sums over the next answer; published: draws, as the source has it")
	f.StringVar(&eval, "eval", "", "`FILE` of true pairs, and of right answers as {\"input\": …, \"gold\": …}: adds mhr, mhr_single and error_rate")
	return cmd
}

// exactModel opens the learner that --model names.
func exactModel(text string) (any, error) {
	if text == "" {
		return nil, fmt.Errorf("--model is missing: name one, such as exact:beta-bernoulli?a=1&b=1")
	}
	ref, err := model.ParseRef(text)
	if err != nil {
		return nil, fmt.Errorf("--model: %w", err)
	}
	if ref.Scheme != model.Exact {
		return nil, fmt.Errorf("--model %s: this release estimates the posterior rate of exact: models; want exact:beta-bernoulli, exact:dirichlet or exact:linreg", text)
	}
	return exact.Open(ref)
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
