package main

import (
	"github.com/spf13/cobra"

	"hallmark/internal/base/exit"
	"hallmark/internal/commands/spec"
)

func (a *app) importCommand() *cobra.Command {
	var f spec.Run
	files := &spec.Imported{Name: "imported"}
	cmd := &cobra.Command{
		Use:  "import FILE…",
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := files.Check(cmd.Flags(), &f); err != nil {
				return exit.Usage(err)
			}
			files.Paths, f.Imported = args, files
			return a.run(cmd.Context(), &f)
		},
	}
	define(cmd.Flags(), a.allowing())
	f.AddImported(cmd.Flags())
	define(cmd.Flags(), table{"model-name": &files.Name, "evaluate": &files.Evaluate, "map": &files.Map})
	return cmd
}
