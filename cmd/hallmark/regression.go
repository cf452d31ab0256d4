package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"hallmark/internal/base/exit"
	"hallmark/internal/commands/training"
	"hallmark/internal/metric/posterior/regression"
	"hallmark/internal/metric/posterior/synthetic"
	"hallmark/internal/model"
	"hallmark/internal/report/plot"
)

func (a *app) analyzeRegression() *cobra.Command {
	o := synthetic.DefaultSetup()
	refText := string(model.Regression)
	var output string
	var workers int
	cmd := &cobra.Command{
		Use:   "regression [--model regression:DIR]",
		Short: "The posterior rate of a regression model beside the true rate, over test functions",
		Long: "Measures the posterior hallucination rate of the built-in regression model, or of one that " +
			"`hallmark model train regression` made, on\n" +
			"functions that it was not trained on, beside its true rate and beside both rates of the exact " +
			"posterior, which part what the context\n" +
			"does not say from what the model gets wrong (docs/regression.md). With -o it writes the figures as " +
			"SVG and CSV, and a table with a row a query.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			m, err := regression.Parse(refText)
			if err != nil {
				return err
			}
			o.Seed, o.Level = a.seed, level
			if err := o.Validate(m.Shape().Window); err != nil {
				return exit.Usage(err)
			}
			n, err := training.Cores(workers)
			if err != nil {
				return err
			}
			reached := training.Milestones(20)
			study, err := synthetic.Run(cmd.Context(), m, o, n, func(done, of int) {
				if _, ok := reached(done, of); ok {
					fmt.Fprintf(a.progressTo(), "%d of %d functions\n", done, of)
				}
			})
			if err != nil {
				return err
			}
			summary := study.Summarize()
			if output != "" {
				if err := plot.WriteStudy(output, m, study, summary); err != nil {
					return err
				}
			}
			return writeJSON(a.stdout, summary)
		},
	}
	fs := cmd.Flags()
	fs.StringVar(&refText, "model", refText, "the model `REF`: regression, the built-in one, or regression:DIR")
	fs.IntVar(&o.Functions, "functions", o.Functions, "test functions")
	fs.IntSliceVar(&o.Contexts, "contexts", o.Contexts, "numbers of pairs of the contexts, n, rising, with commas")
	fs.IntVar(&o.Queries, "queries", o.Queries, "queries of each function")
	fs.IntVar(&o.Extend, "extend", o.Extend, "pairs that the model makes up for each extension, N - n")
	fs.IntVar(&o.M, "m", o.M, "extensions")
	fs.Float64SliceVar(&o.Eps, "eps", o.Eps,
		"with commas; the first is that of the figures and of the true rate where eps is misspecified")
	fs.IntVar(&o.Foreign, "foreign", o.Foreign, "sines, which no function of the task is like; 0 for none")
	fs.StringVarP(&output, "output", "o", "", "write the figures, their data and the table into `DIR`")
	fs.IntVarP(&workers, "concurrency", "j", 0, "cores; 0 for all. The figures are the same for any number")
	return cmd
}
