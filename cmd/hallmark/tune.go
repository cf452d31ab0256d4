package main

import (
	"github.com/spf13/cobra"

	"hallmark/internal/commands/training"
	"hallmark/internal/model/tune"
)

func (a *app) modelTune() *cobra.Command {
	recipe := tune.Default
	var output string
	cmd := &cobra.Command{
		Use:   "tune DIR|pocket FILE.jsonl...",
		Short: "Go on training a checkpoint on conversations",
		Long: "Go on training a checkpoint on conversations, one JSON object a line: {\"messages\": [{\"role\": " +
			"\"user\", \"content\": \"…\"},\n" +
			"{\"role\": \"assistant\", \"content\": \"…\"}]}. The assistant's turns are learned, laid out by the " +
			"folder's own chat template. The tuned folder is\n" +
			"written with -o, its weights as bfloat16; the same files, seed and flags give the same bytes on any " +
			"number of cores. Training holds\n" +
			"eleven numbers of four bytes for each weight: 100 million weights need 4.4 GB.",
		Args: cobra.MinimumNArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			made, err := training.Tune(cmd.Context(), args[0], args[1:], recipe, output,
				a.training(recipe.Workers, 100))
			if err != nil {
				return err
			}
			return a.print(made.Document, made.Text)
		},
	}
	f := cmd.Flags()
	f.StringVarP(&output, "output", "o", "", "write the tuned Hugging Face folder to `DIR`")
	f.IntVar(&recipe.Epochs, "epochs", recipe.Epochs, "passes over the conversations")
	f.IntVar(&recipe.Batch, "batch", recipe.Batch, "answers a step")
	f.Float64Var(&recipe.LR, "lr", recipe.LR, "highest learning rate; 1e-5 suits large models")
	f.IntVarP(&recipe.Workers, "concurrency", "j", 0,
		"cores to train on; 0 for all. The weights are the same for any number")
	return cmd
}
