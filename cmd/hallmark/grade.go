package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"hallmark/internal/evaluate/answers"
	"hallmark/internal/evaluate/spec"
	"hallmark/internal/exit"
	"hallmark/internal/report"
)

func (a *app) gradeCommand() *cobra.Command {
	return group("grade", "How well answers are graded", a.gradeCheck())
}

func (a *app) gradeCheck() *cobra.Command {
	var suiteName, asOf string
	judges := spec.Default()
	c := answers.Check{Asked: &judges}
	cmd := &cobra.Command{
		Use:   "check ANSWERS --suite SUITE [--labels LABELS]",
		Short: "What graders make of answers that people labelled: the matrix of read against true outcomes",
		Long: "Answers are JSON objects, one a line: {\"case_id\": \"cap-0001\", \"response\": \"Paris\"}, with " +
			"variant and repeat where a case has several.\n" +
			"Labels are CSV or JSON lines with case_id and outcome (correct, incorrect or not_attempted), and " +
			"where they are needed variant, repeat and rater;\n" +
			"unsupported (yes or no), style and type are optional. Without --labels they stand among the answers. " +
			"The file - is standard input. docs/grading.md says what the figures mean.",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if c.List < 0 {
				return exit.Usagef("--list %d: want a number of disagreements, 0 or more", c.List)
			}
			s, rub, err := a.answeredSuite(suiteName, asOf)
			if err != nil {
				return exit.Usage(err)
			}
			c.Answers, judges.Suites, judges.AsOf = args[0], []string{suiteName}, asOf
			doc, err := c.Run(cmd.Context(), a.bench(), s, rub)
			if err != nil {
				return exit.Usage(err)
			}
			if a.json {
				err = writeJSON(a.stdout, doc)
			} else {
				err = report.GradeCheck(a.stdout, doc)
			}
			if err == nil && (doc.Decided == nil || doc.Decided.K == 0) {
				return exit.With(exit.Unscored, fmt.Errorf(
					"none of %d labelled answers could be graded, so nothing is known of how they are read",
					doc.N+doc.Unscored))
			}
			return err
		},
	}
	f := cmd.Flags()
	f.StringVar(&c.Labels, "labels", "", "`FILE` of labels; default: the answers' own")
	a.trust.Add(f)
	judges.AddGroup(f, spec.Reaching)
	judges.AddGroup(f, spec.Judging)
	f.StringVar(&suiteName, "suite", "", "the suite that was answered: built-in name or FILE")
	f.StringVar(&asOf, "as-of", "", "today of the answers, as 2026-11-20; default: the suite's")
	f.IntVar(&c.List, "list", 10, "list at most this many answers that were misread")
	return cmd
}
