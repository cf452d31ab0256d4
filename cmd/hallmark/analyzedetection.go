package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"hallmark/internal/exit"
	"hallmark/internal/inputfile"
	"hallmark/internal/metric/detect"
)

func (a *app) analyzeDetection() *cobra.Command {
	var skipBad bool
	var tags string
	cmd := &cobra.Command{
		Use:   "detection FILE…",
		Short: "How well detectors tell wrong answers from right ones, and answers that move from those that stay",
		Long: "Rows are JSON objects, one a line: {\"model\": \"m1\", \"id\": \"q1\", \"detector\": \"entropy\", \"score\": 0.3, \"correct\": true, \"consistent\": false}.\n" +
			"A higher score says more likely hallucinated. Per model the AUROC; over models the two-sided signed-rank p on differences of mean scores.\n" +
			"Rows of one \"cluster\", or else of one \"question\", are one observation.",
		Args: cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			var contrast detect.Contrast
			if tags != "" {
				var two bool
				if contrast.Failing, contrast.Passing, two = strings.Cut(tags, "="); !two || contrast.Failing == "" || contrast.Passing == "" || contrast.Failing == contrast.Passing {
					return exit.Usagef("--contrast %q: want two tags, as contested-coin=known", tags)
				}
			}
			inputs, closeAll, err := inputfile.Inputs(a.stdin, args)
			if err != nil {
				return exit.Usage(err)
			}
			defer closeAll()
			var sources []detect.Input
			for _, in := range inputs {
				sources = append(sources, detect.Input{Name: in.Name, R: in.Reader})
			}
			table, skipped, reasons, err := detect.Read(sources, contrast, skipBad)
			if err != nil {
				return exit.Usage(err)
			}
			a.skipped(skipped, reasons)
			result := table.Analyze(level)
			if result.Skipped = skipped; skipped > 0 {
				result.Warnings = append(result.Warnings, fmt.Sprintf("%d bad lines were skipped", skipped))
			}
			if tags != "" && !table.Contrasts() {
				result.Warnings = append(result.Warnings, fmt.Sprintf("no row has one of the tags %s and %s", contrast.Failing, contrast.Passing))
			}
			return writeJSON(a.stdout, result)
		},
	}
	cmd.Flags().StringVar(&tags, "contrast", "", "also how the cases of one tag score against those of another, as `TAG=TAG`, by the rows' tags")
	cmd.Flags().BoolVar(&skipBad, "skip-bad", false, "count and report bad lines instead of stopping at the first")
	return cmd
}
