package main

import (
	"strings"

	"github.com/spf13/cobra"

	"hallmark/internal/base/exit"
	"hallmark/internal/commands/spec"
	"hallmark/internal/engine/gguf"
	"hallmark/internal/model"
)

func (a *app) modelCommand() *cobra.Command {
	return group("model", "List, probe, trace, export, tune, compress, train and serve models",
		a.modelList(), a.modelShow(), a.modelTrace(), a.modelExport(), a.modelTune(), a.modelCompress(),
		a.modelTrain(), a.modelServe())
}

func (a *app) modelList() *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List the kinds of model references",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			document, text := model.Kinds()
			return a.print(document, text)
		},
	}
}

func (a *app) modelShow() *cobra.Command {
	told := spec.Default()
	cmd := &cobra.Command{
		Use:   "show REF|FILE.gguf",
		Short: "Show a model's identity and what it can be asked for, or what a GGUF file says of itself",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			ref, err := model.ParseRef(args[0])
			if err != nil && strings.HasSuffix(args[0], ".gguf") {
				described, err := gguf.Describe(args[0])
				if err != nil {
					return err
				}
				return writeJSON(a.stdout, described)
			}
			if err != nil {
				return exit.Usage(err)
			}
			shown, err := a.models.Show(cmd.Context(), ref, args[0], told.Reach)
			if err != nil {
				return err
			}
			return writeJSON(a.stdout, shown)
		},
	}
	told.AddGroup(cmd.Flags(), spec.Reaching)
	return cmd
}
