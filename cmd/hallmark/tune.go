package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/spf13/cobra"

	"hallmark/internal/exit"
	"hallmark/internal/model/tune"
	"hallmark/internal/pocket"
	"hallmark/internal/suite"
)

func (a *app) modelTune() *cobra.Command {
	recipe := tune.Default
	var output string
	cmd := &cobra.Command{
		Use:   "tune DIR|pocket FILE.jsonl...",
		Short: "Go on training a checkpoint on conversations",
		Long: "Go on training a checkpoint on conversations, one JSON object a line: {\"messages\": [{\"role\": \"user\", \"content\": \"…\"},\n" +
			"{\"role\": \"assistant\", \"content\": \"…\"}]}. The assistant's turns are learned, laid out by the folder's own chat template. The tuned folder is\n" +
			"written with -o, its weights as bfloat16; the same files, seed and flags give the same bytes on any number of cores. Training holds\n" +
			"eleven numbers of four bytes for each weight: 100 million weights need 4.4 GB.",
		Args: cobra.MinimumNArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			if output == "" {
				return exit.Usagef("name the folder to write with -o DIR")
			}
			if entries, err := os.ReadDir(output); err == nil && len(entries) > 0 {
				return exit.Usagef("%s is not empty; name a new folder with -o", output)
			}
			folder, err := pocket.Checkpoint(args[0])
			if err != nil {
				return exit.Usage(err)
			}
			var all []tune.Conversation
			for _, file := range args[1:] {
				data, err := suite.ReadLines(file, "conversations, one JSON object a line")
				if err != nil {
					return exit.Usage(err)
				}
				conversations, err := tune.Parse(file, data)
				if err != nil {
					return exit.Usage(err)
				}
				all = append(all, conversations...)
			}
			recipe.Seed = a.seed
			if recipe.Workers, err = cores(recipe.Workers); err != nil {
				return err
			}
			return a.tune(cmd.Context(), folder, all, recipe, output)
		},
	}
	f := cmd.Flags()
	f.StringVarP(&output, "output", "o", "", "write the tuned Hugging Face folder to `DIR`")
	f.IntVar(&recipe.Epochs, "epochs", recipe.Epochs, "passes over the conversations")
	f.IntVar(&recipe.Batch, "batch", recipe.Batch, "answers a step")
	f.Float64Var(&recipe.LR, "lr", recipe.LR, "highest learning rate; 1e-5 suits large models")
	f.IntVarP(&recipe.Workers, "concurrency", "j", 0, "cores to train on; 0 for all. The weights are the same for any number")
	return cmd
}

// tune trains and writes the folder.
func (a *app) tune(ctx context.Context, folder fs.FS, conversations []tune.Conversation, recipe tune.Recipe, dir string) error {
	t, err := tune.Prepare(folder, conversations, recipe)
	if errors.Is(err, tune.ErrUnusable) {
		return exit.Usagef("model tune: %w", err)
	}
	if err != nil {
		return err
	}
	files, err := t.Run(ctx, a.trainingProgress(""))
	if err != nil {
		return err
	}
	names, err := writeFolder(dir, files)
	if err != nil {
		return err
	}
	if a.json {
		return writeJSON(a.stdout, map[string]any{"folder": dir, "files": names, "conversations": len(conversations), "answers": t.Answers(), "tokens": t.Tokens, "steps": t.Steps()})
	}
	_, err = fmt.Fprintf(a.stdout, "%s: tuned on %d answers in %d steps; `--model hf:%s` uses it\n", dir, t.Answers(), t.Steps(), dir)
	return err
}
