// Package training makes folders of models: this project's own, trained by their recipes, and checkpoints that are
// tuned or compressed. What was interrupted leaves its state or its stages in the folder, and the same call goes on
// from there to the same bytes. Errors that are the user's to fix are exit.Usage.
package training

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"hallmark/internal/base/atomicfile"
	"hallmark/internal/base/exit"
	"hallmark/internal/base/inputfile"
	"hallmark/internal/base/mine"
	"hallmark/internal/base/within"
	"hallmark/internal/engine/train"
	"hallmark/internal/metric/posterior/regression"
	"hallmark/internal/model/pocket"
	"hallmark/internal/model/tune"
	"hallmark/internal/stat/figure"
	"hallmark/internal/suite"
)

// Options are what every training is told.
type Options struct {
	Seed    uint64
	Workers int   // cores; 0 for all. The bytes are the same for any number
	Resume  bool  // what no command of this user's left in the folder is gone on from all the same
	Kept    *bool // set once there is something that the same command goes on from
	Log     *slog.Logger
	// Progress is told of each step, and the name of the model or stage where there are several.
	Progress func(name string, p train.Progress, steps int)
}

// Lines is a progress that writes a line for each of so many equal parts of a training; of a hundred parts it says
// the percentage.
func Lines(w io.Writer, parts int) func(name string, p train.Progress, steps int) {
	of, reached := "", Milestones(parts)
	return func(name string, p train.Progress, steps int) {
		if name != of {
			of, reached = name, Milestones(parts)
		}
		part, ok := reached(p.Step+1, steps)
		if !ok {
			return
		}
		if name != "" {
			name += ": "
		}
		percent := ""
		if parts == 100 {
			percent = fmt.Sprintf(" (%d %%)", part)
		}
		fmt.Fprintf(w, "%sstep %d of %d%s, loss %s\n", name, p.Step+1, steps, percent, figure.Fixed(p.Loss, 4))
	}
}

// Milestones returns a function that says, of work cut into equal parts, how many are done, and whether that is
// more than when it was last asked.
func Milestones(parts int) func(done, of int) (part int, ok bool) {
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

// Cores is the number of cores that --concurrency asks for.
func Cores(workers int) (int, error) {
	if workers < 0 {
		return 0, exit.Usagef("--concurrency %d: want a number of cores, or 0 for all", workers)
	}
	return cmp.Or(workers, runtime.GOMAXPROCS(0)), nil
}

// Made is what was made, as a document and as a text.
type Made struct {
	Document any
	Text     string
	Kept     []string // stages that stood in the folder before
}

// Run trains a model that this project has a recipe of, or its family of small ones, into a folder, which is made
// if need be: "" for the model's name.
func Run(ctx context.Context, name, dir string, o Options) (*Made, error) {
	run := map[string]func(context.Context, string) (*Made, error){
		"pocket": func(ctx context.Context, dir string) (*Made, error) {
			return o.pocket(ctx, dir, pocket.Shipped, pocket.Files())
		},
		"pocket-large": func(ctx context.Context, dir string) (*Made, error) {
			return o.pocket(ctx, dir, pocket.Large(), nil) // no binary holds it
		},
		"pocket-family": o.family, "regression": o.regression,
	}[name]
	if run == nil {
		return nil, exit.Usagef(
			"model train %s: this release trains pocket, pocket-large, pocket-family and regression", name)
	}
	if dir == "" {
		if dir = name; within.LeadsOut(dir) {
			return nil, exit.Usagef("%s leads out of the working folder by a link, which may have come with the "+
				"folder; name where to write with -o", dir)
		}
	}
	var err error
	if o.Workers, err = Cores(o.Workers); err != nil {
		return nil, err
	}
	return run(ctx, dir)
}

// progress is the function that is told of the steps of the named one.
func (o *Options) progress(name string) func(train.Progress, int) {
	return func(p train.Progress, steps int) { o.Progress(name, p, steps) }
}

// pocket trains a model by the recipe with the seed that was asked for. The files are those of the model that the
// binary holds of the recipe with its own seed, nil for none.
func (o *Options) pocket(ctx context.Context, dir string, r pocket.Recipe, builtIn map[string][]byte) (*Made, error) {
	shipped := r.Seed
	r.Seed = o.Seed
	return o.single(dir, r, func(u *underWay) (files map[string][]byte, err error) {
		err = r.TrainFrom(ctx, o.Workers, u.from, u.keep, 1, func(_ int, made map[string][]byte) error {
			files = made
			return nil
		}, o.progress(""))
		return files, err
	}, builtIn, shipped, "`--model hf:%s` uses it")
}

// regression trains the regression model.
func (o *Options) regression(ctx context.Context, dir string) (*Made, error) {
	r := regression.Shipped
	r.Seed = o.Seed
	return o.single(dir, r, func(u *underWay) (map[string][]byte, error) {
		return r.Train(ctx, o.Workers, u.from, u.keep, o.progress(""))
	}, regression.Files(), regression.Shipped.Seed, "`hallmark analyze regression --model regression:%s` measures it")
}

// single trains one model by the recipe, and says whether its bytes are those of the one in the binary, which is of
// the seed, unless the binary has none; use, with the folder's name for its verb, says what the folder is for.
func (o *Options) single(dir string, recipe interface{ Text() (string, error) },
	by func(*underWay) (map[string][]byte, error), builtIn map[string][]byte, seed uint64, use string) (*Made, error) {
	text, err := recipe.Text()
	if err != nil {
		return nil, err
	}
	u, err := o.begin(dir, train.StateFile, text, nil)
	if err != nil {
		return nil, err
	}
	files, err := by(u)
	if err != nil {
		return nil, err
	}
	names, err := atomicfile.WriteFolder(dir, files)
	if err != nil {
		return nil, err
	}
	same := maps.EqualFunc(files, builtIn, bytes.Equal)
	verdict := "the same bytes as the built-in model"
	switch {
	case builtIn == nil:
		verdict = fmt.Sprintf("seed %d", o.Seed)
	case same:
	case o.Seed != seed:
		verdict = fmt.Sprintf("seed %d, where the built-in model has seed %d", o.Seed, seed)
	default:
		verdict = "NOT the bytes of the built-in model"
	}
	doc := map[string]any{"folder": dir, "files": names}
	if builtIn != nil {
		doc["equals_built_in"] = same
	}
	return &Made{Document: doc, Text: fmt.Sprintf("%s: %s; %s\n", dir, verdict, fmt.Sprintf(use, dir))}, u.done()
}

// family trains the family of small models. Members whose folders are whole are left as they are.
func (o *Options) family(ctx context.Context, dir string) (*Made, error) {
	if o.Seed != 1 {
		return nil, exit.Usagef("--seed %d: the models of pocket-family have the seeds 1 and 2; leave --seed out",
			o.Seed)
	}
	of := map[string]bool{}
	var folders []string
	for _, member := range pocket.Family() {
		of[member.Name()+"-"+train.StateFile] = true
		for stage := range pocket.FamilyStages {
			of[member.Folder(stage)] = true
			folders = append(folders, filepath.Join(dir, member.Folder(stage)))
		}
	}
	for _, member := range pocket.Family() {
		if err := o.member(ctx, dir, member, func(name string) bool { return of[name] }); err != nil {
			return nil, err
		}
	}
	return &Made{Document: map[string]any{"folders": folders}, Text: strings.Join(folders, "\n") + "\n"}, nil
}

// member trains one member of the family, of whose files named knows the names.
func (o *Options) member(ctx context.Context, dir string, m pocket.Member, named func(string) bool) error {
	text, err := m.Recipe.Text()
	if err != nil {
		return err
	}
	u, err := o.begin(dir, m.Name()+"-"+train.StateFile, text, named)
	if err != nil {
		return err
	}
	if err := o.ownMember(dir, m); err != nil {
		return err
	}
	last := filepath.Join(dir, m.Folder(pocket.FamilyStages-1))
	if _, err := os.Stat(last); err == nil && u.from == nil { // a folder is written before its training is done with
		*o.Kept = true // the next member's training is interrupted after this one's
		o.Log.Info("trained before", "folder", last)
		return nil
	}
	if err := m.Recipe.TrainFrom(ctx, o.Workers, u.from, u.keep,
		pocket.FamilyStages, func(stage int, files map[string][]byte) error {
			folder := filepath.Join(dir, m.Folder(stage))
			mine.Note(filepath.Join(folder, weightsFile), files[weightsFile])
			_, err := atomicfile.WriteFolder(folder, files)
			*o.Kept = *o.Kept || err == nil && folder == last
			return err
		}, o.progress(m.Name())); err != nil {
		return err
	}
	return u.done()
}

// weightsFile holds the weights of a model's folder.
const weightsFile = "model.safetensors"

// maxWeights bounds that file of a small model.
const maxWeights = 1 << 30

// ownMember returns an error where a folder of a member holds weights that no command of this user wrote: what is
// there is not made again.
func (o *Options) ownMember(dir string, m pocket.Member) error {
	for stage := range pocket.FamilyStages {
		path := filepath.Join(dir, m.Folder(stage), weightsFile)
		if err := o.own(path, maxWeights, "weights that no command of yours wrote there"); err != nil {
			return err
		}
	}
	return nil
}

// own returns an error where a file is there that no command of this user wrote.
func (o *Options) own(path string, most int64, what string) error {
	data, err := inputfile.Read(path, most)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil
	case err != nil:
		return exit.Usage(err)
	case !o.Resume && !mine.Wrote(path, data):
		return exit.Usagef("%s: %s: remove its folder, or type --resume to keep it", path, what)
	}
	return nil
}

// keepEvery is the number of training steps after which a training can be resumed.
const keepEvery = 200

// maxState bounds the state of a training in bytes.
const maxState = 1 << 36

// A training that is under way.
type underWay struct {
	path   string // of its state
	recipe string
	from   *train.State // where it stood when it was interrupted; nil for one that begins
	kept   *bool        // set once there is a state that the training goes on from
}

// begin returns the training by the recipe in the folder, which is made if need be: a new one, or the one that was
// interrupted there. Files in the folder that are neither of it nor named are refused.
func (o *Options) begin(dir, state, recipe string, named func(string) bool) (*underWay, error) {
	u := &underWay{path: filepath.Join(dir, state), recipe: recipe, kept: o.Kept}
	data, err := inputfile.Read(u.path, maxState)
	if err == nil && !o.Resume && !mine.Wrote(u.path, data) {
		return nil, exit.Usagef("%s: the state of a training that no command of yours left there, so it may hold "+
			"anybody's weights: remove it, or type --resume to go on from it", u.path)
	}
	if err == nil {
		if u.from, err = train.DecodeState(data, recipe); err != nil {
			return nil, exit.Usagef("%s: %w", u.path, err)
		}
		*o.Kept = true
		o.Log.Info("the training goes on", "from step", u.from.Step)
		return u, nil
	}
	if !errors.Is(err, os.ErrNotExist) {
		return nil, exit.Usage(err)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, exit.Usage(err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, exit.Usage(err)
	}
	for _, e := range entries {
		if named == nil || !named(e.Name()) {
			return nil, exit.Usagef("%s is not empty; name a new folder with -o", dir)
		}
	}
	return u, nil
}

// keep writes the state now and then.
func (u *underWay) keep(s train.State) error {
	if s.Step == 0 || s.Step%keepEvery != 0 || u.from != nil && s.Step == u.from.Step {
		return nil
	}
	data, err := s.Encode(u.recipe)
	if err != nil {
		return err
	}
	mine.Note(u.path, data)
	if err := atomicfile.WriteBytes(u.path, data); err != nil {
		return err
	}
	*u.kept = true
	return nil
}

// done removes the state of a training that ended.
func (u *underWay) done() error {
	if err := os.Remove(u.path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}

// Tune goes on training a checkpoint, a folder or pocket, on the conversations of the files, into a new folder.
func Tune(ctx context.Context, from string, files []string, recipe tune.Recipe, dir string, o Options) (*Made, error) {
	if dir == "" {
		return nil, exit.Usagef("name the folder to write with -o DIR")
	}
	if entries, err := os.ReadDir(dir); err == nil && len(entries) > 0 {
		return nil, exit.Usagef("%s is not empty; name a new folder with -o", dir)
	}
	folder, err := pocket.Checkpoint(from)
	if err != nil {
		return nil, exit.Usage(err)
	}
	var all []tune.Conversation
	for _, file := range files {
		data, err := suite.ReadLines(file, "conversations, one JSON object a line")
		if err != nil {
			return nil, exit.Usage(err)
		}
		conversations, err := tune.Parse(file, data)
		if err != nil {
			return nil, exit.Usage(err)
		}
		all = append(all, conversations...)
	}
	recipe.Seed = o.Seed
	if recipe.Workers, err = Cores(o.Workers); err != nil {
		return nil, err
	}
	t, err := tune.Prepare(folder, all, recipe)
	if errors.Is(err, tune.ErrUnusable) {
		return nil, exit.Usagef("model tune: %w", err)
	}
	if err != nil {
		return nil, err
	}
	tuned, err := t.Run(ctx, o.progress(""))
	if err != nil {
		return nil, err
	}
	names, err := atomicfile.WriteFolder(dir, tuned)
	return &Made{
		Document: map[string]any{"folder": dir, "files": names, "conversations": len(all), "answers": t.Answers(),
			"tokens": t.Tokens, "steps": t.Steps()},
		Text: fmt.Sprintf("%s: tuned on %d answers in %d steps; `--model hf:%s` uses it\n", dir, t.Answers(),
			t.Steps(), dir),
	}, err
}
