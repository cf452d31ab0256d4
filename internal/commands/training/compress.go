package training

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"hallmark/internal/base/atomicfile"
	"hallmark/internal/base/exit"
	"hallmark/internal/base/mine"
	"hallmark/internal/engine/train"
	"hallmark/internal/engine/weights"
	"hallmark/internal/model/compress"
	"hallmark/internal/model/local"
	"hallmark/internal/model/pocket"
	"hallmark/internal/stat/figure"
	"hallmark/internal/suite"
)

// A Compression is what `hallmark model compress` is told.
type Compression struct {
	compress.Options        // without Schedule, Seed and Workers
	From             string // a folder, or pocket
	Files            []string
	Teacher, Text    string
	Percent          string // the schedule, in percentages with commas
	Output           string // the folder of the stages
}

// Compress makes a checkpoint smaller in stages, and goes on with those that stand in the output already.
func Compress(ctx context.Context, c Compression, o Options) (*Made, error) {
	job, err := prepare(&c, o)
	if err != nil {
		return nil, err
	}
	if err := stageFolders(c.Output, job.Stages()); err != nil {
		return nil, exit.Usagef("-o %s: %w", c.Output, err)
	}
	var out Made
	if out.Kept, err = o.ownStages(c.Output, job.Stages()); err != nil {
		return nil, err
	}
	*o.Kept = len(out.Kept) > 0
	stages, err := job.Run(ctx, func(name string) fs.FS {
		dir := filepath.Join(c.Output, name)
		if _, err := os.Stat(dir); err != nil {
			return nil
		}
		return local.Folder(dir)
	}, func(s compress.Stage, files map[string][]byte) error {
		err := writeStage(c.Output, s.Name, files)
		*o.Kept = *o.Kept || err == nil
		return err
	}, o.Progress)
	if errors.Is(err, compress.ErrUnusable) {
		return nil, exit.Usagef("-o %s: %w", c.Output, err)
	}
	if err != nil {
		return nil, err
	}
	out.Text = tableOf(stages) + fmt.Sprintf("`--model hf:%s` uses a stage\n",
		filepath.Join(c.Output, stages[len(stages)-1].Name))
	for i := range stages {
		stages[i].Removed = nil // the log is in the folders
	}
	out.Document = map[string]any{"folder": c.Output, "stages": stages}
	return &out, nil
}

// tableOf is a row a stage.
func tableOf(stages []compress.Stage) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%-6s %9s %9s %12s %7s %7s %7s %8s\n", "stage", "sparsity", "of all", "parameters", "layers",
		"groups", "neurons", "loss")
	for _, s := range stages {
		loss := "–"
		if s.Loss != nil {
			loss = figure.Fixed(*s.Loss, 4)
		}
		fmt.Fprintf(&b, "%-6s %9s %9s %12d %7d %7d %7d %8s\n", s.Name, figure.InPercent(s.Sparsity, 1),
			figure.InPercent(s.OfAll, 1), s.Params, len(s.Kept.Layers), len(s.Kept.Groups[0]),
			len(s.Kept.Neurons[0]), loss)
	}
	return b.String()
}

// prepare reads what a compression is made of, and checks all of it before any work.
func prepare(c *Compression, o Options) (*compress.Job, error) {
	if c.Output == "" {
		return nil, exit.Usagef("name the folder to write with -o DIR")
	}
	var err error
	if c.Schedule, err = compress.ParseSchedule(c.Percent); err != nil {
		return nil, exit.Usage(err)
	}
	c.Seed = o.Seed
	if c.Workers, err = Cores(o.Workers); err != nil {
		return nil, err
	}
	if c.Text != "" && c.Text != "pocket" {
		return nil, exit.Usagef("--text %s: only pocket has text of its own; give other text as files", c.Text)
	}
	if c.Teacher != "" && (c.Learn == compress.Hard || c.Learn == compress.None) {
		return nil, exit.Usagef("--teacher %s: --learn %s asks no teacher; leave one of them out", c.Teacher, c.Learn)
	}
	folder, err := pocket.Checkpoint(c.From)
	if err != nil {
		return nil, exit.Usage(err)
	}
	var taught fs.FS
	if c.Teacher != "" {
		if taught, err = pocket.Checkpoint(c.Teacher); err != nil {
			return nil, exit.Usagef("--teacher: %w", err)
		}
	}
	sequences, err := c.sequences(folder)
	if err != nil {
		return nil, exit.Usage(err)
	}
	job, err := compress.Prepare(folder, taught, sequences, c.Options)
	if errors.Is(err, compress.ErrUnusable) {
		return nil, exit.Usagef("model compress %s: %w", c.From, err)
	}
	return job, err
}

// sequences reads the text that stages learn from.
func (c *Compression) sequences(folder fs.FS) (all []train.Sequence, err error) {
	for _, file := range c.Files {
		data, err := suite.ReadLines(file, `{"text": "…"} or {"messages": […]}, a line each`)
		if err != nil {
			return nil, err
		}
		more, err := compress.Read(folder, file, data)
		if err != nil {
			return nil, err
		}
		all = append(all, more...)
	}
	switch {
	case c.Text != "" || len(c.Files) == 0 && c.From == "pocket":
		own, err := weights.Load(folder)
		if err != nil {
			return nil, err
		}
		more, err := pocket.Lessons(own.Tokenizer, max(1000, min(c.Steps*c.Batch, 1<<16)), c.Seed)
		if err != nil {
			return nil, fmt.Errorf("--text pocket: %s: %w", c.From, err)
		}
		all = append(all, more...)
	case len(c.Files) == 0:
		return nil, fmt.Errorf("model compress %s: name files of text to learn from; only pocket has its own "+
			"(--text pocket, for a model that `model train pocket` made)", c.From)
	}
	return all, nil
}

// ownStages returns the names of the stages that stand under dir. The error is that no command of this user wrote
// one: a stage is what its own log says.
func (o *Options) ownStages(dir string, stages int) (kept []string, err error) {
	for i := range stages {
		folder := filepath.Join(dir, compress.Name(i))
		if _, err := os.Stat(folder); err != nil {
			continue
		}
		kept = append(kept, compress.Name(i))
		path := filepath.Join(folder, compress.File)
		if err := o.own(path, compress.MaxLog, "a stage that no command of yours wrote there, so it may hold "+
			"anybody's weights"); err != nil { // what is no stage is refused as such
			return nil, err
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
			return fmt.Errorf("%s in it is no folder; move it away, or name another folder for the stages",
				compress.Name(i))
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

// writeStage writes a stage's folder under dir, whole or not at all: beside its place, then moved there. What a
// killed command left beside it goes.
func writeStage(dir, name string, files map[string][]byte) error {
	part := filepath.Join(dir, "."+name+".part")
	if err := os.RemoveAll(part); err != nil {
		return err
	}
	if _, err := atomicfile.WriteFolder(part, files); err != nil {
		return err
	}
	folder := filepath.Join(dir, name)
	mine.Note(filepath.Join(folder, compress.File), files[compress.File])
	return os.Rename(part, folder)
}
