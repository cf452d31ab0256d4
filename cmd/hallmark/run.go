package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"hallmark/internal/base/exit"
	"hallmark/internal/commands/console"
	"hallmark/internal/commands/driver"
	"hallmark/internal/commands/spec"
	"hallmark/internal/commands/telemetry"
	"hallmark/internal/commands/workers"
)

func (a *app) runCommand() *cobra.Command {
	var f spec.Run
	var shown telemetry.Flags
	cmd := &cobra.Command{
		Use:   "run [SUITE…]",
		Short: "Evaluate models on suites",
		Long: "Evaluate models on suites. Bare, it measures the built-in calibration model on its own suite with " +
			"every method. A SUITE is a built-in suite or a file, as is that of --suite: a CSV of the columns " +
			"question and gold will do.\n" +
			"The same command again resumes or re-reports the run: nothing stored is asked twice.",
		Example: "  hallmark run\n" +
			"  hallmark run questions.csv --model openai:gpt-4o --limit 100\n" +
			"  hallmark run questions.csv --model http://localhost:8000/v1#NAME \\\n" +
			"      --variants paraphrases=5 --judge openai:gpt-4o\n" +
			"  hallmark run -c plan.yaml --fail-on 'rubric.outcomes.incorrect.hi > 0.05'",
		// before the environment and a plan fill in what nobody typed
		Args: func(cmd *cobra.Command, args []string) error {
			for _, suite := range args {
				if err := cmd.Flags().Set("suite", suite); err != nil {
					return err
				}
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := a.readConfig(cmd, &f); err != nil {
				return err
			}
			if f.Detach {
				if err := workers.Detachable(&f, a.runs.Store); err != nil {
					return err
				}
			}
			return shown.While(cmd.Context(), version, a.log, func(t *telemetry.Telemetry) error {
				if a.shown = t; len(f.Study) > 0 {
					return a.study(cmd.Context(), &f)
				}
				return a.run(cmd.Context(), &f)
			})
		},
	}
	a.trust.Add(cmd.Flags())
	shown.Add(cmd.Flags())
	f.Add(cmd.Flags())
	return cmd
}

// readConfig fills the flags from the plan file, where one is named.
func (a *app) readConfig(cmd *cobra.Command, f *spec.Run) error {
	return exit.Usage(errors.Join(f.ReadPlan(cmd.Flags(), a.trust), a.openLog()))
}

// run is `hallmark run`: the run, its reports and its summary.
func (a *app) run(ctx context.Context, f *spec.Run) error {
	out, err := a.bench().Run(ctx, f)
	if err != nil {
		return err
	}
	return a.finish(f, out)
}

// surroundings are what a run is resolved in.
func (a *app) surroundings() *spec.Surroundings {
	return &spec.Surroundings{Seed: a.seed, Trust: a.trust, Stdin: a.stdin, Log: a.log, Now: a.now}
}

// driver is what the calls of a run are made with.
func (a *app) driver() *driver.Driver {
	d := &driver.Driver{Now: a.now, Seed: a.seed, Shown: a.shown, Progress: func() *console.Progress {
		return console.NewProgress(a.stderr, a.quiet || a.json && !console.Colour(a.stderr))
	}}
	if !a.quiet && !a.json {
		d.Say = func(what string) { fmt.Fprintln(a.stderr, what) }
	}
	return d
}
