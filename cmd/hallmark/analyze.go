package main

import (
	"github.com/spf13/cobra"

	"hallmark/internal/assay"
	"hallmark/internal/base/exit"
	"hallmark/internal/commands/answers"
	"hallmark/internal/commands/driver"
	"hallmark/internal/commands/spec"
	"hallmark/internal/metric/consistency"
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
	cmd := &cobra.Command{
		Use:   "consistency FILE…",
		Short: "Semantic stability, ambiguity, self-consistency and the taxonomy of a table of answers",
		Long: "Rows are JSON objects, one a line: {\"id\": \"q1\", \"variant\": 0, \"answer\": \"Paris\", " +
			"\"gold\": \"Paris\"}.\n" +
			"Rows of one \"cluster\", or else of one \"question\", are one observation. The file - is standard input.",
		Args: cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			c.Paths = args
			result, err := c.Analyze()
			if err != nil {
				return err
			}
			return writeJSON(a.stdout, result)
		},
	}
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
	cmd := &cobra.Command{
		Use:   "rubric FILE… --suite SUITE",
		Short: "What answers to a suite did: correct, incorrect, not attempted; and the rubric's axes",
		Long: "Rows are JSON objects, one a line: {\"case_id\": \"cap-0001\", \"response\": \"Paris\"}.\n" +
			"With --judge a model is asked about the answers that no rule decides, as in `hallmark run`; its " +
			"replies are kept in the store.",
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			var out *answers.Rubric
			if answers.Judged(&f) {
				if skipBad {
					return exit.Usagef(
						"--skip-bad: with --judge every line has to read; leave it out, or fix the file")
				}
				f.Suites, f.AsOf = []string{suiteName}, asOf
				var err error
				if out, err = answers.ByJudges(cmd.Context(), a.bench(), f, args, perCase); err != nil {
					return err
				}
			} else {
				files := &answers.Files{Paths: args, Stdin: a.stdin, SkipBad: skipBad, Notes: a.stderr}
				graded, err := files.Graded(cmd.Context(), a.opened(suiteName), asOf, f.Contract)
				if err != nil {
					return exit.Usage(err)
				}
				out = graded.Ruled(a.seed, perCase)
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
	cmd.Flags().BoolVar(&perCase, "per-case", false,
		"list every case: its verdicts with the rule and the evidence of each")
	return cmd
}

// bench is what a plan is asked with that is no run of its own.
func (a *app) bench() *driver.Bench {
	return &driver.Bench{In: a.surroundings(), Runs: a.runs, Models: a.models, Driver: a.driver(), Detach: a.detach}
}
