package main

import (
	"context"
	"errors"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"hallmark/internal/base/exit"
	"hallmark/internal/commands/driver"
	"hallmark/internal/commands/spec"
	"hallmark/internal/commands/stored"
	"hallmark/internal/commands/undertest"
	"hallmark/internal/run"
	"hallmark/internal/run/store/inmemory"
)

func (a *app) planRun() *cobra.Command {
	var f spec.Run
	cmd := &cobra.Command{
		Use:   "run [flags of hallmark run]",
		Short: "What a run will ask: calls, tokens and money, by purpose and model, before any call",
		Long: "Takes the flags of `hallmark run` (hallmark run --help), or its plan file, and says what that " +
			"command would ask: variants, draws and repeats; what paraphrasers, judges\n" +
			"and detectors are asked; the posterior rates; and the comparisons of answers by meaning. It asks no " +
			"model and writes nothing. Answers that are stored count\n" +
			"as had. What depends on answers that are not there yet is bounded: `least` and `most`; where both " +
			"are the same, `exact` says so. Prompts are\n" +
			"counted by their bytes, four to a token, answers by their longest (--max-tokens). --price adds money.",
		Args: cobra.NoArgs, DisableFlagsInUseLine: true,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := a.readConfig(cmd, &f); err != nil {
				return err
			}
			of := func(f *spec.Run) (*driver.Forecast, error) { return a.forecast(cmd.Context(), f) }
			if len(f.Study) > 0 {
				doc, err := driver.ForecastStudy(&f, of)
				if err != nil {
					return err
				}
				return writeJSON(a.stdout, doc)
			}
			doc, err := of(&f)
			if err != nil {
				return err
			}
			return writeJSON(a.stdout, doc)
		},
	}
	a.trust.Add(cmd.Flags())
	f.Add(cmd.Flags())
	cmd.Flags().VisitAll(func(flag *pflag.Flag) { flag.Hidden = true }) // they are listed with `hallmark run`
	return cmd
}

// forecast resolves the plan as a run does, and says what the run would ask.
func (a *app) forecast(ctx context.Context, f *spec.Run) (*driver.Forecast, error) {
	plan, _, err := f.Resolve(a.surroundings())
	if err != nil {
		return nil, exit.Usage(err)
	}
	if err := f.Retrieve.Read(a.surroundings(), f.Changed, plan); err != nil {
		return nil, exit.Usage(err)
	}
	store, err := a.openOrNone(ctx)
	if err != nil {
		return nil, err
	}
	defer store.Close()
	subjects, err := a.models.Models(ctx, store, f, plan)
	if err != nil {
		return nil, err
	}
	defer subjects.Close()
	notes, err := plan.Validate()
	if err != nil {
		return nil, exit.Usage(err)
	}
	// Models in process tell what they can do; of others it is known where the run began before.
	budget, err := undertest.OpenPurse(ctx, store, plan.ID(), run.Budget{}, a.now)
	if err != nil {
		return nil, err
	}
	if err := a.models.Probe(ctx, store, plan, subjects, subjects.Remote, budget); err != nil {
		return nil, err
	}
	return driver.Forecasts(ctx, store, plan, f, notes)
}

// openOrNone opens the store, or an empty one in its place where there is none: it makes no file.
func (a *app) openOrNone(ctx context.Context) (run.Store, error) {
	s, err := a.openStored(ctx)
	if errors.Is(err, stored.ErrNone) {
		return inmemory.New(), nil
	}
	return s, err
}
