package main

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"hallmark/internal/evaluate/spec"
	"hallmark/internal/exit"
	"hallmark/internal/model"
	"hallmark/internal/transformer/gguf"
)

func (a *app) modelCommand() *cobra.Command {
	return group("model", "List, probe, trace, export, tune, compress, train and serve models",
		a.modelList(), a.modelShow(), a.modelTrace(), a.modelExport(), a.modelTune(), a.modelCompress(), a.modelTrain(), a.modelServe())
}

func (a *app) modelList() *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List the kinds of model references",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			kinds := [][2]string{
				{"pocket", "the built-in calibration model about a fictional world, in process"},
				{"hf:DIR", "a Hugging Face checkpoint folder (Llama, Qwen2, Qwen3), in process"},
				{"http(s)://HOST/v1#NAME", "any OpenAI-compatible server"},
				{"openai:NAME", "the OpenAI API, or the server in OPENAI_BASE_URL; key in OPENAI_API_KEY"},
				{"anthropic:NAME", "the Anthropic API; key in ANTHROPIC_API_KEY"},
				{"regression", "the built-in regression model, or regression:DIR one that `model train regression` made; for analyze"},
				{"exec:COMMAND", "a program, for any pipeline: JSON lines in and out (docs/exec.md)"},
				{"phantom:PROFILE.yaml", "a simulator whose true rates are set by hand"},
				{"replay:RUN", "the stored answers of an earlier run"},
			}
			if a.json {
				var list []map[string]string
				for _, k := range kinds {
					list = append(list, map[string]string{"reference": k[0], "about": k[1]})
				}
				return writeJSON(a.stdout, map[string]any{"models": list})
			}
			w := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
			for _, k := range kinds {
				fmt.Fprintf(w, "%s\t%s\n", k[0], k[1])
			}
			return w.Flush()
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
