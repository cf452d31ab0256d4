package main

import (
	"io"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"hallmark/internal/commands/training"
)

func (a *app) modelTrain() *cobra.Command {
	var output string
	var workers int
	cmd := &cobra.Command{
		Use:   "train pocket|pocket-large|pocket-family|regression",
		Short: "Train the built-in model again, or another of this project's: the same bytes from the same seed",
		Long: "Train the built-in model again, or another of this project's: the same bytes from the same seed. " +
			"--seed 2 makes another model by the same\n" +
			"recipe. `pocket-large` trains one of the same world with three times the parameters, for studies of " +
			"compression. `pocket-family` trains sixteen\n" +
			"smaller ones, two sizes by two seeds by four stages of training, each into a folder of its own, for " +
			"methods that compare models. `regression`\n" +
			"trains the model of docs/regression.md.\n" +
			"A training that was interrupted goes on with the same command, to the same bytes; its state is kept " +
			"in the folder, in training.safetensors.",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			made, err := training.Run(cmd.Context(), args[0], output, a.training(workers, 100))
			if err != nil {
				return err
			}
			return a.print(made.Document, made.Text)
		},
	}
	cmd.Flags().StringVarP(&output, "output", "o", "",
		"write the Hugging Face folder, or the family's folders, to `DIR`; default the model's name")
	resumeFlag(cmd.Flags(), &a.resume, "a training whose state")
	cmd.Flags().IntVarP(&workers, "concurrency", "j", 0,
		"cores to train on; 0 for all. The weights are the same for any number")
	return cmd
}

// resumeFlag adds the flag that takes what another user, or another folder's owner, may have left.
func resumeFlag(fs *pflag.FlagSet, resume *bool, what string) {
	fs.BoolVar(resume, "resume", false, "go on from "+what+
		" was not left there by a command of yours, as where a folder was moved; it may hold anybody's weights")
}

// training is what a training is told, of which a line is printed for each of so many equal parts.
func (a *app) training(workers, parts int) training.Options {
	return training.Options{Seed: a.seed, Workers: workers, Resume: a.resume, Kept: &a.keeps, Log: a.log,
		Progress: training.Lines(a.progressTo(), parts)}
}

// progressTo is where lines of progress go.
func (a *app) progressTo() io.Writer {
	if a.quiet {
		return io.Discard
	}
	return a.stderr
}

// print prints a text, or with --json the document in its place.
func (a *app) print(document any, text string) error {
	if a.json {
		return writeJSON(a.stdout, document)
	}
	_, err := io.WriteString(a.stdout, text)
	return err
}
