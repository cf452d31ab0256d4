package main

import (
	"context"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"hallmark/internal/base/exit"
	"hallmark/internal/commands/spec"
	"hallmark/internal/metric/posterior"
	"hallmark/internal/stat/samplesize"
)

func (a *app) planCommand() *cobra.Command {
	q := samplesize.Question{Level: level}
	cmd := command("plan --base RATE --detect DIFFERENCE",
		"Sample size and power: the cases needed for a rate or a difference, or what given cases find",
		cobra.NoArgs, func(context.Context, []string) error {
			doc, err := q.Answer()
			return a.result(doc, exit.Usage(err))
		})
	cmd.AddCommand(a.planPosterior(), a.planRun())
	fs := cmd.Flags()
	q.Has = fs.Changed
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

func (a *app) planPosterior() *cobra.Command {
	var q posterior.DesignQuestion
	cmd := command("posterior --error SE [--from RESULT.json]",
		"Which M and K buy a given error of the posterior hallucination rate, and at how many calls",
		cobra.NoArgs, func(context.Context, []string) error {
			doc, err := q.Answer()
			return a.result(doc, exit.Usage(err))
		})
	f := cmd.Flags()
	q.Has = f.Changed
	f.Float64Var(&q.Error, "error", .02, "the standard error that is wanted")
	f.StringVar(&q.From, "from", "", "`RESULT.json` of analyze posterior, a pilot")
	f.Float64Var(&q.Outer, "outer-sd", .25, "standard deviation of the rate over extensions")
	f.Float64Var(&q.Inner, "inner-sd", .5, "standard deviation that one sampled answer adds")
	f.IntVar(&q.Extend, "extend", posterior.DefaultOptions().Extend, "pairs that the model makes up for each extension")
	return cmd
}

func (a *app) planRun() *cobra.Command {
	var f spec.Run
	cmd := &cobra.Command{
		Use:   "run [flags of hallmark run]",
		Short: "What a run will ask: calls, tokens and money, by purpose and model, before any call",
		Args:  cobra.NoArgs, DisableFlagsInUseLine: true,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := a.readConfig(cmd, &f); err != nil {
				return err
			}
			return a.result(a.bench().Forecast(cmd.Context(), &f))
		},
	}
	a.trust.Add(cmd.Flags())
	f.Add(cmd.Flags())
	cmd.Flags().VisitAll(func(flag *pflag.Flag) { flag.Hidden = true }) // they are listed with `hallmark run`
	return cmd
}
