package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"hallmark/internal/base/exit"
	"hallmark/internal/base/inputfile"
	"hallmark/internal/commands/spec"
	"hallmark/internal/commands/training"
	"hallmark/internal/engine/gguf"
	"hallmark/internal/model"
	"hallmark/internal/model/compress"
	"hallmark/internal/model/pocket"
	"hallmark/internal/model/tune"
	"hallmark/internal/report"
	"hallmark/internal/stat/figure"
)

func (a *app) modelCommand() *cobra.Command {
	return group("model", "List, probe, trace, export, tune, compress, train and serve models",
		a.modelList(), a.modelShow(), a.modelTrace(), a.modelExport(), a.modelTune(), a.modelCompress(),
		a.modelTrain(), a.modelServe())
}

func (a *app) modelList() *cobra.Command {
	return command("list", "List the kinds of model references",
		cobra.NoArgs, func(context.Context, []string) error {
			document, kinds := model.Kinds()
			return a.print(document, text(kinds))
		})
}

func (a *app) modelShow() *cobra.Command {
	told := spec.Default()
	cmd := command("show REF|FILE.gguf",
		"Show a model's identity and what it can be asked for, or what a GGUF file says of itself",
		cobra.ExactArgs(1), func(ctx context.Context, args []string) error {
			ref, err := model.ParseRef(args[0])
			if err != nil && strings.HasSuffix(args[0], ".gguf") {
				return a.result(gguf.Describe(args[0]))
			}
			if err != nil {
				return exit.Usage(err)
			}
			return a.result(a.models.Show(ctx, ref, args[0], told.Reach))
		})
	told.AddGroup(cmd.Flags(), spec.Reaching)
	return cmd
}

func (a *app) modelTrace() *cobra.Command {
	return command("trace REF FILE",
		"Follow prompts through an in-process model: layout, tokens, logits, greedy continuation",
		cobra.ExactArgs(2), func(ctx context.Context, args []string) error {
			m, err := a.models.ToTrace(ctx, args[0])
			if err != nil {
				return err
			}
			in := a.stdin
			if args[1] != "-" {
				file, err := inputfile.Open(args[1])
				if err != nil {
					return exit.Usagef("%s: %v", args[1], inputfile.Cause(err))
				}
				defer file.Close()
				in = file
			}
			return m.TraceLines(args[1], in, a.stdout)
		})
}

func (a *app) modelExport() *cobra.Command {
	var output, as string
	cmd := command("export DIR|pocket",
		"Write a Hugging Face folder, or the built-in model, as a GGUF file that llama.cpp loads",
		cobra.ExactArgs(1), func(_ context.Context, args []string) error {
			dtype, ok := gguf.Types[as]
			if !ok {
				return exit.Usagef("--type %q: use f32, f16 or bf16", as)
			}
			if output == "" {
				return exit.Usagef("name the file to write with -o FILE.gguf")
			}
			folder, err := pocket.Checkpoint(args[0])
			if err != nil {
				return exit.Usage(err)
			}
			warnings, size, err := gguf.ExportFile(output, args[0], folder, dtype)
			switch {
			case err != nil:
				return err
			case a.json:
				return writeJSON(a.stdout, struct {
					Model    string   `json:"model"`
					File     string   `json:"file"`
					Bytes    int64    `json:"bytes"`
					Warnings []string `json:"warnings"`
				}{args[0], output, size, append([]string{}, warnings...)})
			}
			for _, w := range warnings {
				a.log.Warn(args[0] + ": " + w)
			}
			if !a.quiet {
				fmt.Fprintf(a.stderr, "wrote %s, %s MB\n", output, figure.Fixed(float64(size)/1e6, 1))
			}
			return nil
		})
	cmd.Flags().StringVarP(&output, "output", "o", "", "write the GGUF file to `FILE`")
	cmd.Flags().StringVar(&as, "type", "",
		"what matrices are stored as: f32, f16 or bf16; without it, as in the folder")
	return cmd
}

func (a *app) modelTune() *cobra.Command {
	recipe := tune.Default
	var output string
	cmd := command("tune DIR|pocket FILE.jsonl...", "Go on training a checkpoint on conversations",
		cobra.MinimumNArgs(2), func(ctx context.Context, args []string) error {
			return a.made(training.Tune(ctx, args[0], args[1:], recipe, output,
				a.training(recipe.Workers, 100)))
		})
	f := cmd.Flags()
	f.StringVarP(&output, "output", "o", "", "write the tuned Hugging Face folder to `DIR`")
	f.IntVar(&recipe.Epochs, "epochs", recipe.Epochs, "passes over the conversations")
	f.IntVar(&recipe.Batch, "batch", recipe.Batch, "answers a step")
	f.Float64Var(&recipe.LR, "lr", recipe.LR, "highest learning rate; 1e-5 suits large models")
	f.IntVarP(&recipe.Workers, "concurrency", "j", 0,
		"cores to train on; 0 for all. The weights are the same for any number")
	return cmd
}

func (a *app) modelTrain() *cobra.Command {
	var output string
	var workers int
	cmd := command("train pocket|pocket-large|pocket-family|regression",
		"Train the built-in model again, or another of this project's: the same bytes from the same seed",
		cobra.ExactArgs(1), func(ctx context.Context, args []string) error {
			return a.made(training.Run(ctx, args[0], output, a.training(workers, 100)))
		})
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

// made prints what a training made.
func (a *app) made(m *training.Made, err error) error {
	if err != nil {
		return err
	}
	return a.print(m.Document, text(m.Text))
}

// progressTo is where lines of progress go.
func (a *app) progressTo() io.Writer {
	if a.quiet {
		return io.Discard
	}
	return a.stderr
}

func (a *app) modelCompress() *cobra.Command {
	c := training.Compression{Options: compress.Default}
	cmd := command("compress DIR|pocket [FILE.jsonl...]",
		"Make a checkpoint smaller in stages, each learning from the dense model again",
		cobra.MinimumNArgs(1), func(ctx context.Context, args []string) error {
			c.From, c.Files = args[0], args[1:]
			made, err := training.Compress(ctx, c, a.training(c.Workers, 10))
			if err == nil && len(made.Kept) > 0 && !a.quiet {
				fmt.Fprintf(a.stderr, "kept, as in %s from before: %s\n", report.OneLine(c.Output),
					strings.Join(made.Kept, ", "))
			}
			return a.made(made, err)
		})
	f := cmd.Flags()
	var percent []string
	for _, s := range compress.Schedule {
		percent = append(percent, figure.Digits(100*s, 3))
	}
	f.StringVarP(&c.Output, "output", "o", "", "write a folder for each stage under `DIR`")
	resumeFlag(f, &a.resume, "stages that stand in DIR and whose logs")
	f.StringVar(&c.Percent, "schedule", strings.Join(percent, ","),
		"sparsity after each stage, in `percent`, increasing")
	f.StringVar(&c.Rank, "rank", c.Rank,
		"what goes first: first-order (what the loss loses least by), magnitude (the smallest weights) or random")
	f.BoolVar(&c.Layers, "layers", c.Layers, "whole layers may go too")
	f.BoolVar(&c.OneShot, "one-shot", c.OneShot, "start every stage from the dense model, not from the stage before")
	f.StringVar(&c.Learn, "learn", c.Learn,
		"what a stage learns from: soft (the teacher's probabilities), hard (the text's tokens) or none")
	f.StringVar(&c.Teacher, "teacher", "",
		"learn from the checkpoint in `DIR`, which has the same tokens; default the dense model")
	f.StringVar(&c.Text, "text", "", "learn from the built-in model's own `TEXT`, pocket, as well; a folder has "+
		"to be of `model train pocket`; default for pocket itself without files")
	f.Float64Var(&c.Temperature, "temperature", c.Temperature, "of teacher and student in --learn soft")
	f.IntVar(&c.Steps, "steps", c.Steps, "steps of learning a stage")
	f.IntVar(&c.Batch, "batch", c.Batch, "sequences a step")
	f.Float64Var(&c.LR, "lr", c.LR, "highest learning rate; 1e-5 suits large models")
	f.IntVar(&c.Calibration, "calibration", c.Calibration, "documents that --rank first-order reads")
	f.IntVarP(&c.Workers, "concurrency", "j", 0, "cores to work on; 0 for all. The bytes are the same for any number")
	return cmd
}
