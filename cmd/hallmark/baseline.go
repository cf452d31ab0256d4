package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"hallmark/internal/base/exit"
	"hallmark/internal/report"
)

func (a *app) baselineCommand() *cobra.Command {
	var clear bool
	var suite string
	cmd := &cobra.Command{
		Use:   "baseline [RUN]",
		Short: "Mark the run that others are compared with, for each of its suites",
		Long: "Mark a stored run as the baseline of its suites: `hallmark compare OTHER` compares with it. Without a " +
			"run, say which are the baselines.",
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if clear && len(args) > 0 {
				return exit.Usagef("--clear removes the baselines, of --suite or of all: leave out %s", args[0])
			}
			list, err := a.runs.SetBaseline(cmd.Context(), args, suite, clear, a.now())
			switch {
			case err != nil:
				return err
			case a.json:
				return writeJSON(a.stdout, map[string]any{"baselines": list})
			case len(list) == 0 && !a.quiet:
				fmt.Fprintln(a.stdout, "no baseline; `hallmark compare baseline RUN` marks one")
				return nil
			case a.quiet:
				return nil
			}
			return report.Baselines(a.stdout, list)
		},
	}
	cmd.Flags().BoolVar(&clear, "clear", false, "remove the baselines")
	cmd.Flags().StringVar(&suite, "suite", "", "of this suite alone")
	return cmd
}
