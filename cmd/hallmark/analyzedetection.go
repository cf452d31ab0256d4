package main

import (
	"github.com/spf13/cobra"

	"hallmark/internal/commands/answers"
)

func (a *app) analyzeDetection() *cobra.Command {
	in := answers.Files{Stdin: a.stdin, Notes: a.stderr}
	var tags string
	cmd := &cobra.Command{
		Use: "detection FILE…",
		Short: "How well detectors tell wrong answers from right ones, and prompt-sensitive answers from those that " +
			"stay",
		Long: "Rows are JSON objects, one a line: {\"model\": \"m1\", \"id\": \"q1\", \"detector\": \"entropy\", " +
			"\"score\": 0.3, \"correct\": true, \"consistent\": false}.\n" +
			"A higher score says more likely hallucinated. Per model the AUROC; over models the two-sided " +
			"signed-rank p on differences of mean scores.\n" +
			"Rows may name a \"suite\": where they are of several, each has its own p beside the pooled one.\n" +
			"Rows of one \"cluster\", or else of one \"question\", are one observation.",
		Args: cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			in.Paths = args
			result, err := answers.Detection(&in, tags)
			if err != nil {
				return err
			}
			return writeJSON(a.stdout, result)
		},
	}
	cmd.Flags().StringVar(&tags, "contrast", "",
		"also how the cases of one tag score against those of another, as `TAG=TAG`, by the rows' tags")
	cmd.Flags().BoolVar(&in.SkipBad, "skip-bad", false, "count and report bad lines instead of stopping at the first")
	return cmd
}
