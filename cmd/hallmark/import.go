package main

import (
	"github.com/spf13/cobra"

	"hallmark/internal/base/exit"
	"hallmark/internal/commands/spec"
)

func (a *app) importCommand() *cobra.Command {
	var f spec.Run
	files := &spec.Imported{}
	cmd := &cobra.Command{
		Use:   "import FILE…",
		Short: "Put answers that you have, or the logs of other tools, into the store as a run",
		Args:  cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := files.Check(cmd.Flags(), &f); err != nil {
				return exit.Usage(err)
			}
			files.Paths, f.Imported = args, files
			return a.run(cmd.Context(), &f)
		},
	}
	a.trust.Add(cmd.Flags())
	files.Add(cmd.Flags(), &f)
	return cmd
}
