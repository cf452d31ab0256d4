package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"hallmark/internal/commands/training"
	"hallmark/internal/model/compress"
	"hallmark/internal/report"
)

func (a *app) modelCompress() *cobra.Command {
	c := training.Compression{Options: compress.Default}
	cmd := &cobra.Command{
		Use:   "compress DIR|pocket [FILE.jsonl...]",
		Short: "Make a checkpoint smaller in stages, each learning from the dense model again",
		Long: "Take structure out of a checkpoint in stages R1, R2, …: groups of attention heads and neurons of " +
			"the feed-forward layers, with --layers\n" +
			"whole layers, those that matter least first; then let what is left learn the dense model's " +
			"probabilities on the text of the files. Lines\n" +
			"are conversations, as `model tune` takes them, or {\"text\": \"…\"}; pocket has text of its own, " +
			"which --text pocket gives to a model trained as it was. Every stage is a Hugging Face folder with\n" +
			"smaller tensors, in the folder named by -o, with the log of what went in compression.json. An " +
			"interrupted command goes on where it stood;\n" +
			"the same files, seed and flags give the same bytes on any number of cores. Sparsity is the share of " +
			"the parameters beside embedding and\n" +
			"head that is gone.",
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			c.From, c.Files = args[0], args[1:]
			made, err := training.Compress(cmd.Context(), c, a.training(c.Workers, 10))
			if err != nil {
				return err
			}
			if len(made.Kept) > 0 && !a.quiet {
				fmt.Fprintf(a.stderr, "kept, as in %s from before: %s\n", report.OneLine(c.Output),
					strings.Join(made.Kept, ", "))
			}
			return a.print(made.Document, made.Text)
		},
	}
	f := cmd.Flags()
	var percent []string
	for _, s := range compress.Schedule {
		percent = append(percent, fmt.Sprintf("%.3g", 100*s))
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
