package main

import (
	"github.com/spf13/cobra"

	"hallmark/internal/commands/queries"
	"hallmark/internal/commands/spec"
	"hallmark/internal/suite"
)

func (a *app) analyzePosterior() *cobra.Command {
	f := queries.Asked{Run: spec.Default(), Level: level, Stdin: a.stdin, Models: a.models, Store: a.openStore}
	cmd := &cobra.Command{
		Use:   "posterior FILE… --model REF",
		Short: "How likely the next answer is a hallucination, before any gold answer is known",
		Long: "Rows are JSON objects, one a line: {\"input\": \"…\", \"label\": \"…\"}, the context in order; a " +
			"row without label is a query, and with\n" +
			"none there is one empty query. The model makes up --extend pairs that go on from the context, --m " +
			"times; what the extended model finds\n" +
			"unlikely of what it would answer now is the posterior hallucination rate. The answers of a language " +
			"model are stored, as those of a run\n" +
			"are, so that the same command again asks for nothing; exact: and regression: models answer in " +
			"process (docs/posterior.md).",
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			f.Files, f.Seed = args, a.seed
			answer, err := queries.Estimate(cmd.Context(), &f)
			if err != nil {
				return err
			}
			if !a.quiet && !a.json {
				answer.Advise(a.stderr)
			}
			if err := writeJSON(a.stdout, answer.Document); err != nil {
				return err
			}
			return answer.Lacking
		},
	}
	fs := cmd.Flags()
	fs.StringVar(&f.Model, "model", "", "the model `REF`: any language model with log-probabilities of given "+
		"texts or a list of the likeliest tokens, or an exact: or regression: one")
	f.AddPosterior(fs)
	fs.BoolVar(&f.Curve, "curve", false,
		"of an exact model: the calls of both estimators at equal mean squared errors, over M and K")
	fs.StringVar(&f.Form, "form", string(suite.InputLabel),
		"words before the halves of a pair: input-label (Input:, Label:) or qa (Q:, A:)")
	fs.StringSliceVar(&f.Labels, "labels", nil,
		"the labels of a language model's answers, with commas; default: those of the pairs")
	fs.StringVar(&f.Eval, "eval", "", "`FILE` of true pairs, and of right answers as {\"input\": …, \"gold\": …}: "+
		"adds mhr, mhr_single and error_rate")
	fs.Float64SliceVar(&f.Mechanism, "mechanism", nil, "what an exact model is to find out, with commas: the "+
		"chances of the labels (of two, that of 1 will do) or the slopes of the line; adds thr")
	f.AddGroup(fs, spec.Reaching)
	f.AddNamed(fs, "concurrency", "max-retries", "timeout", "retry-errors", "offline")
	return cmd
}
