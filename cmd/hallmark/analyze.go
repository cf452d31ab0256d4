package main

import (
	"fmt"
	"io"
	"os"
	"strconv"

	"github.com/spf13/cobra"

	"hallmark/internal/answer"
	"hallmark/internal/grade/rubric"
	"hallmark/internal/metric/agreement"
	"hallmark/internal/metric/consistency"
	"hallmark/internal/metric/rate"
	"hallmark/internal/stat"
)

func (a *app) analyzeCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "analyze",
		Short: "The same statistics from answers you already have; calls no model",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return usagef("analyze what? consistency, rubric, reduction, agreement or wilson; `hallmark analyze --help` shows them")
		},
	}
	cmd.AddCommand(a.analyzeConsistency(), a.analyzeRubric(), a.analyzeReduction(), a.analyzeAgreement(), a.analyzeWilson())
	return cmd
}

// open opens the files that a command names; - is standard input. The closer closes them all.
func (a *app) open(paths []string) (files []consistency.File, close func(), err error) {
	var opened []io.Closer
	close = func() {
		for _, c := range opened {
			c.Close()
		}
	}
	for _, path := range paths {
		if path == "-" {
			files = append(files, consistency.File{Name: "stdin", Reader: a.stdin})
			continue
		}
		f, err := os.Open(path)
		if err != nil {
			close()
			return nil, nil, fmt.Errorf("%s: no such file can be read: %v", path, err)
		}
		opened = append(opened, f)
		if info, err := f.Stat(); err == nil && info.IsDir() {
			close()
			return nil, nil, fmt.Errorf("%s: a folder; name the JSONL file in it", path)
		}
		files = append(files, consistency.File{Name: path, Reader: f})
	}
	return files, close, nil
}

func (a *app) analyzeConsistency() *cobra.Command {
	var tau float64
	var equal, sc string
	var excludeDefault, perQuestion, skipBad bool
	cmd := &cobra.Command{
		Use:   "consistency FILE…",
		Short: "Semantic stability, ambiguity, self-consistency and the taxonomy of a table of answers",
		Long: "Rows are JSON objects, one a line: {\"id\": \"q1\", \"variant\": 0, \"answer\": \"Paris\", \"gold\": \"Paris\"}.\n" +
			"- reads standard input.",
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			relation, err := answer.ParseRelation(equal)
			if err != nil {
				return usagef("--equal: %w", err)
			}
			if !(tau >= 0 && tau <= 1) {
				return usagef("--tau %v: a threshold of self-consistency lies in [0, 1]", tau)
			}
			if sc != "without-replacement" && sc != "with-replacement" {
				return usagef("--sc %q: use without-replacement or with-replacement", sc)
			}
			files, closeAll, err := a.open(args)
			if err != nil {
				return usage(err)
			}
			defer closeAll()
			table, err := consistency.ReadRows(files, consistency.ReadOptions{Equal: relation, ExcludeDefault: excludeDefault, SkipBad: skipBad})
			if err != nil {
				return usage(err)
			}
			result := table.Analyze(consistency.Options{
				Tau: tau, SCWithReplacement: sc == "with-replacement", Level: level, Seed: a.seed, PerQuestion: perQuestion,
			})
			return writeJSON(a.stdout, result)
		},
	}
	f := cmd.Flags()
	f.Float64Var(&tau, "tau", .8, "self-consistency from which a case counts as prompt-agnostic")
	f.StringVar(&equal, "equal", string(answer.Normalized), "equality of answers: exact, normalized, numeric, choice")
	f.StringVar(&sc, "sc", "without-replacement", "self-consistency: without-replacement or with-replacement")
	f.BoolVar(&excludeDefault, "exclude-default", false, "leave variant 0 out")
	f.BoolVar(&perQuestion, "per-question", false, "list every question")
	f.BoolVar(&skipBad, "skip-bad", false, "count and report bad lines instead of stopping at the first")
	return cmd
}

// level is the confidence of every interval that a command prints without being told another.
const level = .95

// graded reads answers to a suite's cases and grades them.
func (a *app) graded(rub *rubric.Rubric, path string, skipBad bool) ([]rate.Row, rate.Read, error) {
	files, closeAll, err := a.open([]string{path})
	if err != nil {
		return nil, rate.Read{}, err
	}
	defer closeAll()
	return rate.ReadRows(files[0].Name, files[0].Reader, rub, rate.ReadOptions{SkipBad: skipBad})
}

func (a *app) analyzeRubric() *cobra.Command {
	var suiteName, asOf string
	var skipBad bool
	cmd := &cobra.Command{
		Use:   "rubric FILE… --suite SUITE",
		Short: "Hallucination, truth, decidability, reciprocity and format of answers to a suite",
		Long:  "Rows are JSON objects, one a line: {\"case_id\": \"cap-0001\", \"response\": \"Paris\"}.",
		Args:  cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			rub, err := a.rubricOf(suiteName, asOf)
			if err != nil {
				return usage(err)
			}
			files, closeAll, err := a.open(args)
			if err != nil {
				return usage(err)
			}
			defer closeAll()
			var sources []rate.Source
			for _, f := range files {
				sources = append(sources, rate.Source(f))
			}
			rows, read, err := rate.ReadRows(sources, rub, rate.ReadOptions{SkipBad: skipBad})
			if err != nil {
				return usage(err)
			}
			return writeJSON(a.stdout, rate.Analyze(rows, rate.Options{Level: level, Seed: a.seed, Warnings: read.Warnings}))
		},
	}
	cmd.Flags().StringVar(&suiteName, "suite", "", "the suite that was answered: built-in name or FILE")
	cmd.Flags().StringVar(&asOf, "as-of", "", "today of the answers, as 2026-11-20; default: the suite's")
	cmd.Flags().BoolVar(&skipBad, "skip-bad", false, "count and report bad lines instead of stopping at the first")
	return cmd
}
