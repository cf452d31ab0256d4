package main

import (
	"github.com/spf13/cobra"

	"hallmark/internal/base/exit"
	"hallmark/internal/stat/samplesize"
)

func (a *app) planCommand() *cobra.Command {
	q := samplesize.Question{Level: level}
	cmd := &cobra.Command{
		Use:   "plan --base RATE --detect DIFFERENCE",
		Short: "Sample size and power: the cases needed for a rate or a difference, or what given cases find",
		Long: "The cases needed to find that a rate fell from --base by --detect, two-sided at 95 %: n in each of " +
			"two independent runs.\n" +
			"Two runs on the same n cases are paired: --paired gives the correlation of their outcomes. --known " +
			"compares one run with a rate that is\n" +
			"known. --half-width plans for the interval of one rate. --n asks what so many cases find. --classes " +
			"plans for each of several classes.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			q.Has = cmd.Flags().Changed
			doc, err := q.Answer()
			if err != nil {
				return exit.Usage(err)
			}
			return writeJSON(a.stdout, doc)
		},
	}
	cmd.AddCommand(a.planPosterior(), a.planRun())
	fs := cmd.Flags()
	fs.Float64Var(&q.Base, "base", 0, "the rate now, 0..1")
	fs.Float64Var(&q.Detect, "detect", 0, "the fall to be found, 0..1")
	fs.Float64Var(&q.Paired, "paired", 0, "both runs ask the same cases; the correlation `RHO` of their outcomes")
	fs.BoolVar(&q.Known, "known", false, "one run, against a base that is known and not measured")
	fs.Float64Var(&q.HalfWidth, "half-width", 0,
		"half the width of the interval of one rate, with --power as the chance that it is no wider")
	fs.IntVar(&q.N, "n", 0, "cases that are given: what power they have, or without --detect the least fall they find")
	fs.IntVar(&q.Classes, "classes", 1, "classes that are each to be decided; n is then of each class")
	fs.StringVar(&q.Correct, "correct", "holm", "correction over the classes: holm, bonferroni or none")
	fs.Float64Var(&q.Power, "power", .8, "chance of finding it")
	return cmd
}
