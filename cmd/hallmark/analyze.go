package main

import (
	"context"
	"fmt"
	"strconv"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"hallmark/internal/assay"
	"hallmark/internal/base/exit"
	"hallmark/internal/base/inputfile"
	"hallmark/internal/commands/answers"
	"hallmark/internal/commands/driver"
	"hallmark/internal/commands/queries"
	"hallmark/internal/commands/spec"
	"hallmark/internal/commands/training"
	"hallmark/internal/metric/agreement"
	"hallmark/internal/metric/consistency"
	"hallmark/internal/metric/posterior/regression"
	"hallmark/internal/metric/posterior/synthetic"
	"hallmark/internal/model"
	"hallmark/internal/report/plot"
	"hallmark/internal/stat"
	"hallmark/internal/suite"
	"hallmark/internal/text/answer"
)

func (a *app) analyzeCommand() *cobra.Command {
	return group("analyze", "The same statistics from answers you already have; calls no model",
		a.analyzeConsistency(), a.analyzeRubric(), a.analyzeReduction(), a.analyzeAgreement(), a.analyzeDetection(),
		a.analyzePosterior(), a.analyzeRegression(), a.analyzeWilson())
}

// level is the confidence of every interval that a command prints without being told another.
const level = .95

func (a *app) analyzeConsistency() *cobra.Command {
	c := answers.Consistency{Options: consistency.DefaultOptions(),
		Files: answers.Files{Stdin: a.stdin, Notes: a.stderr}}
	cmd := command("consistency FILE…",
		"Semantic stability, ambiguity, self-consistency and the taxonomy of a table of answers",
		cobra.MinimumNArgs(1), func(_ context.Context, args []string) error {
			c.Paths = args
			return a.result(c.Analyze())
		})
	f := cmd.Flags()
	f.Float64Var(&c.Tau, "tau", c.Tau, "self-consistency from which a case counts as prompt-agnostic")
	f.StringVar(&c.Equal, "equal", string(answer.Normalized), "equality of answers: exact, normalized, numeric, choice")
	f.StringVar(&c.SC, "sc", assay.WithoutReplacement, "self-consistency: without-replacement or with-replacement")
	f.BoolVar(&c.ExcludeDefault, "exclude-default", false, "variant 0 is not one of the variants that are compared")
	f.IntVar(&c.CommonR, "common-r", 0,
		"number of variants at which ambiguity is also given; 0: the fewest of any question")
	f.BoolVar(&c.Taus, "tau-sweep", false, "give the taxonomy at other thresholds too: wherever a share changes")
	f.BoolVar(&c.PerQuestion, "per-question", false, "list every question")
	f.BoolVar(&c.SkipBad, "skip-bad", false, "count and report bad lines instead of stopping at the first")
	return cmd
}

func (a *app) analyzeRubric() *cobra.Command {
	var suiteName, asOf string
	var skipBad, perCase bool
	f := spec.Default()
	cmd := command("rubric FILE… --suite SUITE",
		"What answers to a suite did: correct, incorrect, not attempted; and the rubric's axes",
		cobra.MinimumNArgs(1), func(ctx context.Context, args []string) error {
			var out *answers.Rubric
			if answers.Judged(&f) {
				if skipBad {
					return exit.Usagef("--skip-bad: with --judge every line has to read; leave it out, or fix the file")
				}
				f.Suites, f.AsOf = []string{suiteName}, asOf
				var err error
				if out, err = answers.ByJudges(ctx, a.bench(), f, args, perCase); err != nil {
					return err
				}
			} else {
				files := &answers.Files{Paths: args, Stdin: a.stdin, SkipBad: skipBad, Notes: a.stderr}
				graded, err := files.Graded(ctx, a.opened(suiteName), asOf, f.Contract)
				if err != nil {
					return exit.Usage(err)
				}
				out = graded.Ruled(a.seed, perCase)
			}
			if err := writeJSON(a.stdout, out); err != nil {
				return err
			}
			return out.Lacking()
		})
	a.trust.Add(cmd.Flags())
	f.AddGroup(cmd.Flags(), spec.Reaching)
	f.AddGroup(cmd.Flags(), spec.Judging)
	answered(cmd.Flags(), &suiteName, &asOf)
	cmd.Flags().BoolVar(&skipBad, "skip-bad", false, "count and report bad lines instead of stopping at the first")
	cmd.Flags().BoolVar(&perCase, "per-case", false,
		"list every case: its verdicts with the rule and the evidence of each")
	return cmd
}

// answered defines the flags that say which suite was answered, and when.
func answered(flags *pflag.FlagSet, suite, asOf *string) {
	flags.StringVar(suite, "suite", "", "the suite that was answered: built-in name or FILE")
	flags.StringVar(asOf, "as-of", "", "today of the answers, as 2026-11-20; default: the suite's")
}

// bench is what a plan is asked with that is no run of its own.
func (a *app) bench() *driver.Bench {
	return &driver.Bench{In: a.surroundings(), Runs: a.runs, Models: a.models, Driver: a.driver(), Detach: a.detach}
}

func (a *app) analyzeDetection() *cobra.Command {
	in := answers.Files{Stdin: a.stdin, Notes: a.stderr}
	var tags string
	cmd := command("detection FILE…",
		"How well detectors tell wrong answers from right ones, and prompt-sensitive answers from those that stay",
		cobra.MinimumNArgs(1), func(_ context.Context, args []string) error {
			in.Paths = args
			return a.result(answers.Detection(&in, tags))
		})
	cmd.Flags().StringVar(&tags, "contrast", "",
		"also how the cases of one tag score against those of another, as `TAG=TAG`, by the rows' tags")
	cmd.Flags().BoolVar(&in.SkipBad, "skip-bad", false, "count and report bad lines instead of stopping at the first")
	return cmd
}

func (a *app) analyzePosterior() *cobra.Command {
	f := queries.Asked{Run: spec.Default(), Level: level, Stdin: a.stdin, Models: a.models, Store: a.runs.Open}
	cmd := command("posterior FILE… --model REF",
		"How likely the next answer is a hallucination, before any gold answer is known",
		cobra.MinimumNArgs(1), func(ctx context.Context, args []string) error {
			f.Files, f.Seed = args, a.seed
			answer, err := queries.Estimate(ctx, &f)
			if err != nil {
				return err
			}
			if !a.quiet && !a.json {
				answer.Advise(a.stderr)
			}
			if err := writeJSON(a.stdout, answer.Document); err != nil {
				return err
			}
			return answer.Lacking
		})
	fs := cmd.Flags()
	fs.StringVar(&f.Model, "model", "", "the model `REF`: any language model with log-probabilities of given "+
		"texts or a list of the likeliest tokens, or an exact: or regression: one")
	f.AddPosterior(fs)
	fs.BoolVar(&f.Curve, "curve", false,
		"of an exact model: the calls of both estimators at equal mean squared errors, over M and K")
	fs.StringVar(&f.Form, "form", string(suite.InputLabel),
		"words before the halves of a pair: input-label (Input:, Label:) or qa (Q:, A:)")
	fs.StringSliceVar(&f.Labels, "labels", nil,
		"the labels of a language model's answers, with commas; default: those of the pairs")
	fs.StringVar(&f.Eval, "eval", "", "`FILE` of true pairs, and of right answers as {\"input\": …, \"gold\": …}: "+
		"adds mhr, mhr_single and error_rate")
	fs.Float64SliceVar(&f.Mechanism, "mechanism", nil, "what an exact model is to find out, with commas: the "+
		"chances of the labels (of two, that of 1 will do) or the slopes of the line; adds thr")
	f.AddGroup(fs, spec.Reaching)
	f.AddNamed(fs, "concurrency", "max-retries", "timeout", "retry-errors", "offline")
	return cmd
}

func (a *app) analyzeRegression() *cobra.Command {
	o := synthetic.DefaultSetup()
	refText := string(model.Regression)
	var output string
	var workers int
	cmd := command("regression [--model regression:DIR]",
		"The posterior rate of a regression model beside the true rate, over test functions",
		cobra.NoArgs, func(ctx context.Context, _ []string) error {
			m, err := regression.Parse(refText)
			if err != nil {
				return err
			}
			o.Seed, o.Level = a.seed, level
			if err := o.Validate(m.Shape().Window); err != nil {
				return exit.Usage(err)
			}
			n, err := training.Cores(workers)
			if err != nil {
				return err
			}
			reached := training.Milestones(20)
			study, err := synthetic.Run(ctx, m, o, n, func(done, of int) {
				if _, ok := reached(done, of); ok {
					fmt.Fprintf(a.progressTo(), "%d of %d functions\n", done, of)
				}
			})
			if err != nil {
				return err
			}
			summary := study.Summarize()
			if output != "" {
				if err := plot.WriteStudy(output, m, study, summary); err != nil {
					return err
				}
			}
			return writeJSON(a.stdout, summary)
		})
	fs := cmd.Flags()
	fs.StringVar(&refText, "model", refText, "the model `REF`: regression, the built-in one, or regression:DIR")
	fs.IntVar(&o.Functions, "functions", o.Functions, "test functions")
	fs.IntSliceVar(&o.Contexts, "contexts", o.Contexts, "numbers of pairs of the contexts, n, rising, with commas")
	fs.IntVar(&o.Queries, "queries", o.Queries, "queries of each function")
	fs.IntVar(&o.Extend, "extend", o.Extend, "pairs that the model makes up for each extension, N - n")
	fs.IntVar(&o.M, "m", o.M, "extensions")
	fs.Float64SliceVar(&o.Eps, "eps", o.Eps,
		"with commas; the first is that of the figures and of the true rate where eps is misspecified")
	fs.IntVar(&o.Foreign, "foreign", o.Foreign, "sines, which no function of the task is like; 0 for none")
	fs.StringVarP(&output, "output", "o", "", "write the figures, their data and the table into `DIR`")
	fs.IntVarP(&workers, "concurrency", "j", 0, "cores; 0 for all. The figures are the same for any number")
	return cmd
}

func (a *app) analyzeWilson() *cobra.Command {
	var confidence float64
	cmd := command("wilson K N", "A rate with its Wilson interval",
		cobra.ExactArgs(2), func(_ context.Context, args []string) error {
			k, errK := strconv.Atoi(args[0])
			n, errN := strconv.Atoi(args[1])
			switch {
			case errK != nil || errN != nil || k < 0 || n < 1:
				return exit.Usagef("wilson %s %s: want two whole numbers, K of N with N at least 1", args[0], args[1])
			case k > n:
				return exit.Usagef("wilson %d %d: K is larger than N; want K of N", k, n)
			case !(confidence > 0 && confidence < 1):
				return exit.Usagef("--confidence %v: want a level between 0 and 1, such as 0.95", confidence)
			}
			return writeJSON(a.stdout, stat.Wilson(k, n, confidence).Rate())
		})
	cmd.Flags().Float64Var(&confidence, "confidence", level, "confidence level")
	return cmd
}

func (a *app) analyzeAgreement() *cobra.Command {
	return command("agreement FILE…", "Krippendorff's alpha of human labels",
		cobra.MinimumNArgs(1), func(_ context.Context, args []string) error {
			var table agreement.Table
			if err := inputfile.Each(a.stdin, args, table.Read); err != nil {
				return exit.Usage(err)
			}
			return writeJSON(a.stdout, table.Analyze(a.seed, level))
		})
}
