package main

import (
	"strconv"

	"github.com/spf13/cobra"

	"hallmark/internal/base/exit"
	"hallmark/internal/base/inputfile"
	"hallmark/internal/metric/agreement"
	"hallmark/internal/stat"
)

func (a *app) analyzeWilson() *cobra.Command {
	var confidence float64
	cmd := &cobra.Command{
		Use:   "wilson K N",
		Short: "A rate with its Wilson interval",
		Args:  cobra.ExactArgs(2),
		RunE: func(_ *cobra.Command, args []string) error {
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
		},
	}
	cmd.Flags().Float64Var(&confidence, "confidence", level, "confidence level")
	return cmd
}

func (a *app) analyzeAgreement() *cobra.Command {
	return &cobra.Command{
		Use:   "agreement FILE…",
		Short: "Krippendorff's alpha of human labels",
		Long: "Rows are JSON objects, one a line: {\"unit\": \"u1\", \"rater\": \"a\", \"label\": \"pass\"}; a " +
			"missing rating is a row left out.\n" +
			"A row may name a cluster: units of one, as answers to one question, are one observation.",
		Args: cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			var table agreement.Table
			if err := inputfile.Each(a.stdin, args, table.Read); err != nil {
				return exit.Usage(err)
			}
			return writeJSON(a.stdout, table.Analyze(a.seed, level))
		},
	}
}
