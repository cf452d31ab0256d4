package main

import (
	"fmt"
	"runtime/debug"

	"github.com/spf13/cobra"

	"hallmark/internal/answer"
	"hallmark/internal/assay"
	"hallmark/internal/evaluate/answers"
	"hallmark/internal/evaluate/driver"
	"hallmark/internal/evaluate/spec"
	"hallmark/internal/exit"
	"hallmark/internal/inputfile"
	"hallmark/internal/metric/consistency"
	"hallmark/internal/report"
)

func (a *app) analyzeCommand() *cobra.Command {
	return group("analyze", "The same statistics from answers you already have; calls no model",
		a.analyzeConsistency(), a.analyzeRubric(), a.analyzeReduction(), a.analyzeAgreement(), a.analyzeDetection(), a.analyzePosterior(), a.analyzeRegression(), a.analyzeWilson())
}

// level is the confidence of every interval that a command prints without being told another.
const level = .95

func (a *app) analyzeConsistency() *cobra.Command {
	opt := consistency.DefaultOptions()
	var equal, sc string
	var skipBad bool
	cmd := &cobra.Command{
		Use:   "consistency FILE…",
		Short: "Semantic stability, ambiguity, self-consistency and the taxonomy of a table of answers",
		Long: "Rows are JSON objects, one a line: {\"id\": \"q1\", \"variant\": 0, \"answer\": \"Paris\", \"gold\": \"Paris\"}.\n" +
			"Rows of one \"cluster\", or else of one \"question\", are one observation. The file - is standard input.",
		Args: cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if equal == assay.EqualMeaning {
				return exit.Usagef("--equal meaning: analyze asks no model; give the answers of one meaning one text and use --equal exact, or have `hallmark run --equal meaning --entailment REF` compare them")
			}
			relation, err := answer.ParseRelation(equal)
			if err != nil {
				return exit.Usagef("--equal: %w", err)
			}
			if !(opt.Tau >= 0 && opt.Tau <= 1) {
				return exit.Usagef("--tau %v: a threshold of self-consistency lies in [0, 1]", opt.Tau)
			}
			if sc != assay.WithoutReplacement && sc != assay.WithReplacement {
				return exit.Usagef("--sc %q: use %s or %s", sc, assay.WithoutReplacement, assay.WithReplacement)
			}
			if opt.CommonR < 0 {
				return exit.Usagef("--common-r %d: want a number of variants, or 0 for the fewest of any question", opt.CommonR)
			}
			opt.WithReplacement = sc == assay.WithReplacement
			inputs, closeAll, err := inputfile.Inputs(a.stdin, args)
			if err != nil {
				return exit.Usage(err)
			}
			defer closeAll()
			debug.SetMemoryLimit(400 << 20) // a million long answers are collected as they come, and not when memory has doubled
			var sources []consistency.Input
			for _, in := range inputs {
				sources = append(sources, consistency.Input{Name: in.Name, R: in.Reader})
			}
			table, err := consistency.ReadRows(sources, consistency.ReadOptions{Equal: relation, SkipBad: skipBad})
			if err != nil {
				return exit.Usage(err)
			}
			a.skipped(table.Skipped, table.Reasons)
			result, err := consistency.Analyze(table.Cases, opt)
			if err != nil {
				return exit.Usage(err)
			}
			result.Skipped = table.Skipped
			return writeJSON(a.stdout, result)
		},
	}
	f := cmd.Flags()
	f.Float64Var(&opt.Tau, "tau", opt.Tau, "self-consistency from which a case counts as prompt-agnostic")
	f.StringVar(&equal, "equal", string(answer.Normalized), "equality of answers: exact, normalized, numeric, choice")
	f.StringVar(&sc, "sc", assay.WithoutReplacement, "self-consistency: without-replacement or with-replacement")
	f.BoolVar(&opt.ExcludeDefault, "exclude-default", false, "variant 0 is not one of the variants that are compared")
	f.IntVar(&opt.CommonR, "common-r", 0, "number of variants at which ambiguity is also given; 0: the fewest of any question")
	f.BoolVar(&opt.Taus, "tau-sweep", false, "give the taxonomy at other thresholds too: wherever a share changes")
	f.BoolVar(&opt.PerQuestion, "per-question", false, "list every question")
	f.BoolVar(&skipBad, "skip-bad", false, "count and report bad lines instead of stopping at the first")
	return cmd
}

// skipped reports lines that were left out.
func (a *app) skipped(n int, reasons []string) {
	for _, r := range reasons {
		fmt.Fprintf(a.stderr, "skipped: %s\n", report.OneLine(r))
	}
	if n > len(reasons) {
		fmt.Fprintf(a.stderr, "skipped: %d more lines\n", n-len(reasons))
	}
}

func (a *app) analyzeRubric() *cobra.Command {
	var suiteName, asOf string
	var skipBad, perCase bool
	f := spec.Default()
	cmd := &cobra.Command{
		Use:   "rubric FILE… --suite SUITE",
		Short: "What answers to a suite did: correct, incorrect, not attempted; and the rubric's axes",
		Long: "Rows are JSON objects, one a line: {\"case_id\": \"cap-0001\", \"response\": \"Paris\"}.\n" +
			"With --judge a model is asked about the answers that no rule decides, as in `hallmark run`; its replies are kept in the store.",
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			var out *answers.Rubric
			if answers.Judged(&f) {
				if skipBad {
					return exit.Usagef("--skip-bad: with --judge every line has to read; leave it out, or mend the file")
				}
				f.Suites, f.AsOf = []string{suiteName}, asOf
				var err error
				if out, err = answers.ByJudges(cmd.Context(), a.bench(), f, args, perCase); err != nil {
					return err
				}
			} else {
				rows, read, err := a.gradedRows(cmd.Context(), suiteName, asOf, skipBad, f.Contract, args...)
				if err != nil {
					return exit.Usage(err)
				}
				a.skipped(read.Bad, read.Skipped)
				out = answers.Ruled(rows, read, a.seed, perCase)
			}
			if err := writeJSON(a.stdout, out); err != nil {
				return err
			}
			return out.Lacking()
		},
	}
	a.trust.Add(cmd.Flags())
	f.AddGroup(cmd.Flags(), spec.Reaching)
	f.AddGroup(cmd.Flags(), spec.Judging)
	cmd.Flags().StringVar(&suiteName, "suite", "", "the suite that was answered: built-in name or FILE")
	cmd.Flags().StringVar(&asOf, "as-of", "", "today of the answers, as 2026-11-20; default: the suite's")
	cmd.Flags().BoolVar(&skipBad, "skip-bad", false, "count and report bad lines instead of stopping at the first")
	cmd.Flags().BoolVar(&perCase, "per-case", false, "list every case: its verdicts with the rule and the evidence of each")
	return cmd
}

// bench is what a plan is asked with that is no run of its own.
func (a *app) bench() *driver.Bench {
	return &driver.Bench{In: a.surroundings(), Runs: a.runs, Models: a.models, Driver: a.driver()}
}
