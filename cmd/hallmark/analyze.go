package main

import (
	"context"
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

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
	return group("analyze", a.analyzeConsistency(), a.analyzeRubric(), a.analyzeReduction(), a.analyzeAgreement(),
		a.analyzeDetection(), a.analyzePosterior(), a.analyzeRegression(), a.analyzeWilson())
}

// level is the confidence of every interval that a command prints without being told another.
const level = .95

func (a *app) analyzeConsistency() *cobra.Command {
	c := answers.Consistency{Options: consistency.DefaultOptions(), Equal: string(answer.Normalized),
		SC: assay.WithoutReplacement, Files: answers.Files{Stdin: a.stdin, Notes: a.stderr}}
	cmd := command("consistency FILE…", cobra.MinimumNArgs(1), func(_ context.Context, args []string) error {
		c.Paths = args
		return a.result(c.Analyze())
	})
	f := cmd.Flags()
	define(f, table{
		"tau": &c.Tau, "equal": &c.Equal, "sc": &c.SC, "exclude-default": &c.ExcludeDefault, "common-r": &c.CommonR,
		"tau-sweep": &c.Taus, "per-question": &c.PerQuestion, "skip-bad": &c.SkipBad,
	})
	return cmd
}

func (a *app) analyzeRubric() *cobra.Command {
	var suiteName, asOf string
	var skipBad, perCase bool
	f := spec.Default()
	cmd := command("rubric FILE… --suite SUITE", cobra.MinimumNArgs(1), func(ctx context.Context, args []string) error {
		var out *answers.Rubric
		if answers.Judged(&f) {
			if skipBad {
				return exit.Usagef("--skip-bad: with --judge every line has to read; leave it out, or fix the file")
			}
			f.Suites, f.Plan.AsOf = []string{suiteName}, asOf
			var err error
			if out, err = answers.ByJudges(ctx, a.bench(), f, args, perCase); err != nil {
				return err
			}
		} else {
			files := &answers.Files{Paths: args, Stdin: a.stdin, SkipBad: skipBad, Notes: a.stderr}
			graded, err := files.Graded(ctx, a.opened(suiteName), asOf, f.Plan.AnswerContract)
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
	define(cmd.Flags(), a.allowing())
	f.AddGroup(cmd.Flags(), spec.Reaching)
	f.AddGroup(cmd.Flags(), spec.Judging)
	define(cmd.Flags(), table{"suite": &suiteName, "as-of": &asOf, "skip-bad": &skipBad, "per-case": &perCase})
	return cmd
}

// bench is what a plan is asked with that is no run of its own.
func (a *app) bench() *driver.Bench {
	return &driver.Bench{In: a.surroundings(), Runs: a.runs, Models: a.models, Driver: a.driver(), Detach: a.detach}
}

func (a *app) analyzeDetection() *cobra.Command {
	in := answers.Files{Stdin: a.stdin, Notes: a.stderr}
	var tags string
	cmd := command("detection FILE…", cobra.MinimumNArgs(1), func(_ context.Context, args []string) error {
		in.Paths = args
		return a.result(answers.Detection(&in, tags))
	})
	define(cmd.Flags(), table{"contrast": &tags, "skip-bad": &in.SkipBad})
	return cmd
}

func (a *app) analyzePosterior() *cobra.Command {
	f := queries.Asked{Run: spec.Default(), Level: level, Form: string(suite.InputLabel), Stdin: a.stdin,
		Models: a.models, Store: a.runs.Open}
	cmd := command("posterior FILE… --model REF", cobra.MinimumNArgs(1),
		func(ctx context.Context, args []string) error {
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
	f.AddPosterior(fs)
	define(fs, table{
		"model": &f.Model, "curve": &f.Curve, "form": &f.Form, "labels,": &f.Labels, "eval": &f.Eval,
		"mechanism": &f.Mechanism,
	})
	f.AddGroup(fs, spec.Reaching)
	f.AddNamed(fs, "concurrency", "max-retries", "timeout", "retry-errors", "offline")
	return cmd
}

func (a *app) analyzeRegression() *cobra.Command {
	o := synthetic.DefaultSetup()
	refText := string(model.Regression)
	var output string
	var workers int
	cmd := command("regression [--model regression:DIR]", cobra.NoArgs, func(ctx context.Context, _ []string) error {
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
	define(fs, table{
		"model": &refText, "functions": &o.Functions, "contexts": &o.Contexts, "queries": &o.Queries,
		"extend": &o.Extend, "m": &o.M, "eps": &o.Eps, "foreign": &o.Foreign, "output o": &output,
		"concurrency j": &workers,
	})
	return cmd
}

func (a *app) analyzeWilson() *cobra.Command {
	confidence := level
	cmd := command("wilson K N", cobra.ExactArgs(2), func(_ context.Context, args []string) error {
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
	define(cmd.Flags(), table{"confidence": &confidence})
	return cmd
}

func (a *app) analyzeAgreement() *cobra.Command {
	return command("agreement FILE…", cobra.MinimumNArgs(1), func(_ context.Context, args []string) error {
		var table agreement.Table
		if err := inputfile.Each(a.stdin, args, table.Read); err != nil {
			return exit.Usage(err)
		}
		return writeJSON(a.stdout, table.Analyze(a.seed, level))
	})
}
