package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"hallmark/internal/exit"
	"hallmark/internal/inputfile"
	"hallmark/internal/mine"
	"hallmark/internal/model/compress"
	"hallmark/internal/model/local"
	"hallmark/internal/pocket"
	"hallmark/internal/report"
	"hallmark/internal/suite"
	"hallmark/internal/transformer/train"
	"hallmark/internal/transformer/weights"
)

func (a *app) modelCompress() *cobra.Command {
	o := compress.Default
	var output, schedule, teacher, text string
	cmd := &cobra.Command{
		Use:   "compress DIR|pocket [FILE.jsonl...]",
		Short: "Make a checkpoint smaller in stages, each learning from the dense model again",
		Long: "Take structure out of a checkpoint in stages R1, R2, …: groups of attention heads and neurons of the feed-forward layers, with --layers\n" +
			"whole layers, those that matter least first; then let what is left learn the dense model's probabilities on the text of the files. Lines\n" +
			"are conversations, as `model tune` takes them, or {\"text\": \"…\"}; pocket has text of its own, which --text pocket gives to a model trained as it was. Every stage is a Hugging Face folder with\n" +
			"smaller tensors, in the folder named by -o, with the log of what went in compression.json. An interrupted command goes on where it stood;\n" +
			"the same files, seed and flags give the same bytes on any number of cores. Sparsity is the share of the parameters beside embedding and\n" +
			"head that is gone.",
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if output == "" {
				return exit.Usagef("name the folder to write with -o DIR")
			}
			var err error
			if o.Schedule, err = parseSchedule(schedule); err != nil {
				return exit.Usage(err)
			}
			o.Seed = a.seed
			if o.Workers, err = cores(o.Workers); err != nil {
				return err
			}
			if text != "" && text != "pocket" {
				return exit.Usagef("--text %s: only pocket has text of its own; give other text as files", text)
			}
			if teacher != "" && (o.Learn == compress.Hard || o.Learn == compress.None) {
				return exit.Usagef("--teacher %s: --learn %s asks no teacher; leave one of them out", teacher, o.Learn)
			}
			return a.compress(cmd.Context(), args[0], teacher, text, args[1:], o, output)
		},
	}
	f := cmd.Flags()
	var percent []string
	for _, s := range compress.Schedule {
		percent = append(percent, fmt.Sprintf("%.3g", 100*s))
	}
	f.StringVarP(&output, "output", "o", "", "write a folder for each stage under `DIR`")
	resumeFlag(f, &a.resume, "stages that stand in DIR and whose logs")
	f.StringVar(&schedule, "schedule", strings.Join(percent, ","), "sparsity after each stage, in `percent`, increasing")
	f.StringVar(&o.Rank, "rank", o.Rank, "what goes first: first-order (what the loss loses least by), magnitude (the smallest weights) or random")
	f.BoolVar(&o.Layers, "layers", o.Layers, "whole layers may go too")
	f.BoolVar(&o.OneShot, "one-shot", o.OneShot, "start every stage from the dense model, not from the stage before")
	f.StringVar(&o.Learn, "learn", o.Learn, "what a stage learns from: soft (the teacher's probabilities), hard (the text's tokens) or none")
	f.StringVar(&teacher, "teacher", "", "learn from the checkpoint in `DIR`, which has the same tokens; default the dense model")
	f.StringVar(&text, "text", "", "learn from the built-in model's own `TEXT`, pocket, as well; a folder has to be of `model train pocket`; default for pocket itself without files")
	f.Float64Var(&o.Temperature, "temperature", o.Temperature, "of teacher and student in --learn soft")
	f.IntVar(&o.Steps, "steps", o.Steps, "steps of learning a stage")
	f.IntVar(&o.Batch, "batch", o.Batch, "sequences a step")
	f.Float64Var(&o.LR, "lr", o.LR, "highest learning rate; 1e-5 suits large models")
	f.IntVar(&o.Calibration, "calibration", o.Calibration, "documents that --rank first-order reads")
	f.IntVarP(&o.Workers, "concurrency", "j", 0, "cores to work on; 0 for all. The bytes are the same for any number")
	return cmd
}

// parseSchedule reads percentages.
func parseSchedule(text string) ([]float64, error) {
	var all []float64
	most := 0.
	for _, part := range strings.Split(text, ",") {
		x, err := strconv.ParseFloat(strings.TrimSpace(part), 64)
		if err != nil {
			return nil, fmt.Errorf("--schedule %s: %q is no number; write percentages, as 14.9,32.1,61.8", text, part)
		}
		all, most = append(all, x/100), max(most, x)
	}
	if most > 0 && most < 1 {
		return nil, fmt.Errorf("--schedule %s: nothing of it reaches 1 %%; write percentages, as 14.9,32.1,61.8 and not shares", text)
	}
	return all, nil
}

func (a *app) compress(ctx context.Context, ref, teacher, text string, files []string, o compress.Options, output string) error {
	folder, err := pocket.Checkpoint(ref)
	if err != nil {
		return exit.Usage(err)
	}
	var taught fs.FS
	if teacher != "" {
		if taught, err = pocket.Checkpoint(teacher); err != nil {
			return exit.Usagef("--teacher: %w", err)
		}
	}
	var sequences []train.Sequence
	for _, file := range files {
		data, err := suite.ReadLines(file, `{"text": "…"} or {"messages": […]}, a line each`)
		if err != nil {
			return exit.Usage(err)
		}
		more, err := compress.Read(folder, file, data)
		if err != nil {
			return exit.Usage(err)
		}
		sequences = append(sequences, more...)
	}
	switch {
	case text != "" || len(files) == 0 && ref == "pocket":
		own, err := weights.Load(folder)
		if err != nil {
			return exit.Usage(err)
		}
		more, err := pocket.Lessons(own.Tokenizer, max(1000, min(o.Steps*o.Batch, 1<<16)), o.Seed)
		if err != nil {
			return exit.Usagef("--text pocket: %s: %w", ref, err)
		}
		sequences = append(sequences, more...)
	case len(files) == 0:
		return exit.Usagef("model compress %s: name files of text to learn from; only pocket has its own (--text pocket, for a model that `model train pocket` made)", ref)
	}
	job, err := compress.Prepare(folder, taught, sequences, o)
	if errors.Is(err, compress.ErrUnusable) {
		return exit.Usagef("model compress %s: %w", ref, err)
	}
	if err != nil {
		return err
	}
	if err := stageFolders(output, job.Stages()); err != nil {
		return exit.Usagef("-o %s: %w", output, err)
	}
	kept, err := a.ownStages(output, job.Stages())
	if err != nil {
		return err
	}
	a.keeps = len(kept) > 0
	stages, err := job.Run(ctx, func(name string) fs.FS {
		dir := filepath.Join(output, name)
		if _, err := os.Stat(dir); err != nil {
			return nil
		}
		return local.Folder(dir)
	}, func(s compress.Stage, files map[string][]byte) error {
		err := writeStage(output, s.Name, files)
		a.keeps = a.keeps || err == nil
		return err
	}, a.stageProgress())
	if errors.Is(err, compress.ErrUnusable) {
		return exit.Usagef("-o %s: %w", output, err)
	}
	if err != nil {
		return err
	}
	if len(kept) > 0 && !a.quiet {
		fmt.Fprintf(a.stderr, "kept, as in %s from before: %s\n", report.OneLine(output), strings.Join(kept, ", "))
	}
	if a.json {
		for i := range stages {
			stages[i].Removed = nil // the log is in the folders
		}
		return writeJSON(a.stdout, map[string]any{"folder": output, "stages": stages})
	}
	fmt.Fprintf(a.stdout, "%-6s %9s %9s %12s %7s %7s %7s %8s\n", "stage", "sparsity", "of all", "parameters", "layers", "groups", "neurons", "loss")
	for _, s := range stages {
		loss := "–"
		if s.Loss != nil {
			loss = fmt.Sprintf("%.4f", *s.Loss)
		}
		fmt.Fprintf(a.stdout, "%-6s %7.1f %% %7.1f %% %12d %7d %7d %7d %8s\n", s.Name, 100*s.Sparsity, 100*s.OfAll, s.Params, len(s.Kept.Layers), len(s.Kept.Groups[0]), len(s.Kept.Neurons[0]), loss)
	}
	_, err = fmt.Fprintf(a.stdout, "`--model hf:%s` uses a stage\n", filepath.Join(output, stages[len(stages)-1].Name))
	return err
}

// ownStages returns the names of the stages that stand under dir. The error is that no command of this user wrote one: a stage is what its own log
// says.
func (a *app) ownStages(dir string, stages int) (kept []string, err error) {
	for i := range stages {
		folder := filepath.Join(dir, compress.Name(i))
		if _, err := os.Stat(folder); err != nil {
			continue
		}
		kept = append(kept, compress.Name(i))
		path := filepath.Join(folder, compress.File)
		data, err := inputfile.Read(path, compress.MaxLog)
		if errors.Is(err, fs.ErrNotExist) {
			continue // what is no stage is refused as such
		}
		if err != nil {
			return nil, exit.Usage(err)
		}
		if !a.resume && !mine.Wrote(path, data) {
			return nil, exit.Usagef("%s: a stage that no command of yours wrote there, so it may hold anybody's weights: remove its folder, or type --resume to keep it", path)
		}
	}
	return kept, nil
}

// stageFolders reports before any work why the folders of stages could not be read or made under dir, which it makes.
func stageFolders(dir string, stages int) error {
	if info, err := os.Stat(dir); err == nil && !info.IsDir() {
		return errors.New("no folder; name one to write the stages in")
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("%v; name a folder that can be made", errors.Unwrap(err))
	}
	missing := false
	for i := range stages {
		info, err := os.Stat(filepath.Join(dir, compress.Name(i)))
		missing = missing || errors.Is(err, fs.ErrNotExist)
		switch {
		case err == nil && !info.IsDir():
			return fmt.Errorf("%s in it is no folder; move it away, or name another folder for the stages", compress.Name(i))
		case err != nil && !errors.Is(err, fs.ErrNotExist):
			return fmt.Errorf("%s: %v; name a folder that can be read", compress.Name(i), errors.Unwrap(err))
		}
	}
	if !missing {
		return nil
	}
	probe, err := os.MkdirTemp(dir, ".write")
	if err != nil {
		return fmt.Errorf("%v; name a folder that can be written", errors.Unwrap(err))
	}
	return os.Remove(probe)
}

// writeStage writes a stage's folder under dir, whole or not at all: beside its place, then moved there. What a killed command left beside
// it goes.
func writeStage(dir, name string, files map[string][]byte) error {
	part := filepath.Join(dir, "."+name+".part")
	if err := os.RemoveAll(part); err != nil {
		return err
	}
	if _, err := writeFolder(part, files); err != nil {
		return err
	}
	folder := filepath.Join(dir, name)
	mine.Note(filepath.Join(folder, compress.File), files[compress.File])
	return os.Rename(part, folder)
}

// stageProgress prints a line for every tenth of a stage.
func (a *app) stageProgress() func(string, train.Progress, int) {
	stage, reached := "", milestones(10)
	return func(name string, p train.Progress, steps int) {
		if name != stage {
			stage, reached = name, milestones(10)
		}
		if _, ok := reached(p.Step+1, steps); ok && !a.quiet {
			fmt.Fprintf(a.stderr, "%s: step %d of %d, loss %.4f\n", name, p.Step+1, steps, p.Loss)
		}
	}
}
