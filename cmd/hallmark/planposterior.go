package main

import (
	"github.com/spf13/cobra"

	"hallmark/internal/base/exit"
	"hallmark/internal/metric/posterior"
)

func (a *app) planPosterior() *cobra.Command {
	var q posterior.PlanQuestion
	cmd := &cobra.Command{
		Use:   "posterior --error SE [--from RESULT.json]",
		Short: "Which M and K buy a given error of the posterior hallucination rate, and at how many calls",
		Long: "The extensions M, and for the published estimator the samples K, that bring the standard error of " +
			"one query's rate down to --error, with the\n" +
			"calls that they take. How much the rate varies over extensions is read from a pilot, the result of " +
			"analyze posterior (--from), or given.",
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
	f := cmd.Flags()
	f.Float64Var(&q.Error, "error", .02, "the standard error that is wanted")
	f.StringVar(&q.From, "from", "", "`RESULT.json` of analyze posterior, a pilot")
	f.Float64Var(&q.Outer, "outer-sd", .25, "standard deviation of the rate over extensions")
	f.Float64Var(&q.Inner, "inner-sd", .5, "standard deviation that one sampled answer adds")
	f.IntVar(&q.Extend, "extend", posterior.DefaultOptions().Extend, "pairs that the model makes up for each extension")
	return cmd
}
