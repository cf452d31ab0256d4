package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"hallmark/internal/base/exit"
	"hallmark/internal/base/inputfile"
	"hallmark/internal/base/lists"
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
	return group("model", a.modelList(), a.modelShow(), a.modelTrace(), a.modelExport(), a.modelTune(),
		a.modelCompress(), a.modelTrain(), a.modelServe())
}

func (a *app) modelList() *cobra.Command {
	return command("list", cobra.NoArgs, func(context.Context, []string) error {
		document, kinds := model.Kinds()
		return a.print(document, text(kinds))
	})
}

func (a *app) modelShow() *cobra.Command {
	told := spec.Default()
	cmd := command("show REF|FILE.gguf", cobra.ExactArgs(1), func(ctx context.Context, args []string) error {
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
	return command("trace REF FILE", cobra.ExactArgs(2), func(ctx context.Context, args []string) error {
		m, _, err := a.models.InProcess(ctx, "trace", args[0])
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
	cmd := command("export DIR|pocket", cobra.ExactArgs(1), func(_ context.Context, args []string) error {
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
	define(cmd.Flags(), table{"output o": &output, "type": &as})
	return cmd
}

func (a *app) modelTune() *cobra.Command {
	recipe := tune.Default
	var output string
	cmd := command("tune DIR|pocket FILE.jsonl...", cobra.MinimumNArgs(2),
		func(ctx context.Context, args []string) error {
			return a.made(training.Tune(ctx, args[0], args[1:], recipe, output,
				a.training(recipe.Workers, 100)))
		})
	f := cmd.Flags()
	define(f, table{
		"output o": &output, "epochs": &recipe.Epochs, "batch": &recipe.Batch, "lr": &recipe.LR,
		"concurrency j": &recipe.Workers,
	})
	return cmd
}

func (a *app) modelTrain() *cobra.Command {
	var output string
	var workers int
	cmd := command("train pocket|pocket-large|pocket-family|regression", cobra.ExactArgs(1),
		func(ctx context.Context, args []string) error {
			return a.made(training.Run(ctx, args[0], output, a.training(workers, 100)))
		})
	define(cmd.Flags(), table{"output o": &output, "resume": &a.resume, "concurrency j": &workers})
	return cmd
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
	cmd := command("compress DIR|pocket [FILE.jsonl...]", cobra.MinimumNArgs(1),
		func(ctx context.Context, args []string) error {
			c.From, c.Files = args[0], args[1:]
			made, err := training.Compress(ctx, c, a.training(c.Workers, 10))
			if err == nil && len(made.Kept) > 0 && !a.quiet {
				fmt.Fprintf(a.stderr, "kept, as in %s from before: %s\n", report.OneLine(c.Output),
					strings.Join(made.Kept, ", "))
			}
			return a.made(made, err)
		})
	percent := lists.Map(compress.Schedule, func(s float64) string { return figure.Digits(100*s, 3) })
	c.Percent = strings.Join(percent, ",")
	define(cmd.Flags(), table{
		"schedule": &c.Percent, "rank": &c.Rank, "layers": &c.Layers, "one-shot": &c.OneShot, "learn": &c.Learn,
		"teacher": &c.Teacher, "text": &c.Text, "temperature": &c.Temperature, "steps": &c.Steps, "batch": &c.Batch,
		"lr": &c.LR, "calibration": &c.Calibration, "concurrency j": &c.Workers,
		"output o": &c.Output, "resume": &a.resume,
	})
	return cmd
}
