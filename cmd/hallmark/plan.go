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
	q := samplesize.Question{Level: level, Classes: 1, Correct: "holm", Power: .8}
	cmd := command("plan --base RATE --detect DIFFERENCE", cobra.NoArgs, func(context.Context, []string) error {
		doc, err := q.Answer()
		return a.result(doc, exit.Usage(err))
	})
	cmd.AddCommand(a.planPosterior(), a.planRun())
	fs := cmd.Flags()
	q.Has = fs.Changed
	define(fs, table{
		"base": &q.Base, "detect": &q.Detect, "paired": &q.Paired, "known": &q.Known, "half-width": &q.HalfWidth,
		"n": &q.N, "classes": &q.Classes, "correct": &q.Correct, "power": &q.Power,
	})
	return cmd
}

func (a *app) planPosterior() *cobra.Command {
	q := posterior.DesignQuestion{Error: .02, Outer: .25, Inner: .5, Extend: posterior.DefaultOptions().Extend}
	cmd := command("posterior --error SE [--from RESULT.json]", cobra.NoArgs, func(context.Context, []string) error {
		doc, err := q.Answer()
		return a.result(doc, exit.Usage(err))
	})
	f := cmd.Flags()
	q.Has = f.Changed
	define(f, table{
		"error": &q.Error, "from": &q.From, "outer-sd": &q.Outer, "inner-sd": &q.Inner, "extend": &q.Extend,
	})
	return cmd
}

func (a *app) planRun() *cobra.Command {
	var f spec.Run
	cmd := &cobra.Command{
		Use:  "run [flags of hallmark run]",
		Args: cobra.NoArgs, DisableFlagsInUseLine: true,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := a.readConfig(cmd, &f); err != nil {
				return err
			}
			return a.result(a.bench().Forecast(cmd.Context(), &f))
		},
	}
	define(cmd.Flags(), a.allowing())
	f.Add(cmd.Flags())
	cmd.Flags().VisitAll(func(flag *pflag.Flag) { flag.Hidden = true }) // they are listed with `hallmark run`
	return cmd
}
