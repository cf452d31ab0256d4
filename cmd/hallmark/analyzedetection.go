package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"hallmark/internal/metric/detect"
)

func (a *app) analyzeDetection() *cobra.Command {
	var skipBad bool
	cmd := &cobra.Command{
		Use:   "detection FILE…",
		Short: "How well detectors tell wrong answers from right ones, and answers that move from those that stay",
		Long: "Rows are JSON objects, one a line: {\"model\": \"m1\", \"id\": \"q1\", \"detector\": \"entropy\", \"score\": 0.3, \"correct\": true, \"consistent\": false}.\n" +
			"A higher score says more likely hallucinated. Per model the AUROC; over models the two-sided signed-rank p on differences of mean scores.",
		Args: cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			inputs, closeAll, err := a.inputs(args)
			if err != nil {
				return usage(err)
			}
			defer closeAll()
			var sources []detect.Input
			for _, in := range inputs {
				sources = append(sources, detect.Input{Name: in.name, R: in.reader})
			}
			table, skipped, reasons, err := detect.Read(sources, skipBad)
			if err != nil {
				return usage(err)
			}
			a.skipped(skipped, reasons)
			result := table.Analyze(level)
			if result.Skipped = skipped; skipped > 0 {
				result.Warnings = append(result.Warnings, fmt.Sprintf("%d bad lines were skipped", skipped))
			}
			return writeJSON(a.stdout, result)
		},
	}
	cmd.Flags().BoolVar(&skipBad, "skip-bad", false, "count and report bad lines instead of stopping at the first")
	return cmd
}
