package main

import (
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"hallmark/internal/training"
	"hallmark/internal/transformer/train"
)

func (a *app) modelTrain() *cobra.Command {
	var output string
	var workers int
	cmd := &cobra.Command{
		Use:   "train pocket|pocket-large|pocket-family|regression",
		Short: "Train the built-in model again, or another of this project's: the same bytes from the same seed",
		Long: "Train the built-in model again, or another of this project's: the same bytes from the same seed. --seed 2 makes another model by the same\n" +
			"recipe. `pocket-large` trains one of the same world with three times the parameters, for studies of compression. `pocket-family` trains sixteen\n" +
			"smaller ones, two sizes by two seeds by four stages of training, each into a folder of its own, for methods that compare models. `regression`\n" +
			"trains the model of docs/regression.md.\n" +
			"A training that was interrupted goes on with the same command, to the same bytes; its state is kept in the folder, in training.safetensors.",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			made, err := training.Run(cmd.Context(), args[0], output, a.training(workers, 100))
			if err != nil {
				return err
			}
			return a.print(made)
		},
	}
	cmd.Flags().StringVarP(&output, "output", "o", "", "write the Hugging Face folder, or the family's folders, to `DIR`; default the model's name")
	resumeFlag(cmd.Flags(), &a.resume, "a training whose state")
	cmd.Flags().IntVarP(&workers, "concurrency", "j", 0, "cores to train on; 0 for all. The weights are the same for any number")
	return cmd
}

// resumeFlag adds the flag that takes what another user, or another folder's owner, may have left.
func resumeFlag(fs *pflag.FlagSet, resume *bool, what string) {
	fs.BoolVar(resume, "resume", false, "go on from "+what+" was not left there by a command of yours, as where a folder was moved; it may hold anybody's weights")
}

// training is what a training is told, which prints a line for each of so many equal parts of it.
func (a *app) training(workers, parts int) training.Options {
	of, reached := "", milestones(parts)
	return training.Options{Seed: a.seed, Workers: workers, Resume: a.resume, Kept: &a.keeps, Log: a.log, Progress: func(name string, p train.Progress, steps int) {
		if name != of {
			of, reached = name, milestones(parts)
		}
		part, ok := reached(p.Step+1, steps)
		if !ok || a.quiet {
			return
		}
		if name != "" {
			name += ": "
		}
		percent := ""
		if parts == 100 {
			percent = fmt.Sprintf(" (%d %%)", part)
		}
		fmt.Fprintf(a.stderr, "%sstep %d of %d%s, loss %.4f\n", name, p.Step+1, steps, percent, p.Loss)
	}}
}

// milestones returns a function that says, of work cut into equal parts, how many are done, and whether that is more than when it was last asked.
func milestones(parts int) func(done, of int) (part int, ok bool) {
	last := 0
	return func(done, of int) (int, bool) {
		part := parts * done / of
		if part <= last {
			return part, false
		}
		last = part
		return part, true
	}
}

// print prints what a command made as a text, or with --json as a document.
func (a *app) print(made fmt.Stringer) error {
	if a.json {
		return writeJSON(a.stdout, made)
	}
	_, err := fmt.Fprintln(a.stdout, made)
	return err
}
