package main

import (
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"hallmark/internal/commands/spec"
)

func (a *app) planRun() *cobra.Command {
	var f spec.Run
	cmd := &cobra.Command{
		Use:   "run [flags of hallmark run]",
		Short: "What a run will ask: calls, tokens and money, by purpose and model, before any call",
		Long: "Takes the flags of `hallmark run` (hallmark run --help), or its plan file, and says what that " +
			"command would ask: variants, samples and repeats; what paraphrasers, judges\n" +
			"and detectors are asked; the posterior rates; and the comparisons of answers for semantic equivalence. " +
			"It asks no model and writes nothing. Answers that are stored count\n" +
			"as had. What depends on answers that are not there yet is bounded: `least` and `most`; where both " +
			"are the same, `exact` says so. Prompts are\n" +
			"counted by their bytes, four to a token, answers by their longest (--max-tokens). --price adds money.",
		Args: cobra.NoArgs, DisableFlagsInUseLine: true,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := a.readConfig(cmd, &f); err != nil {
				return err
			}
			doc, err := a.bench().Forecast(cmd.Context(), &f)
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
