package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"hallmark/internal/atomicfile"
	"hallmark/internal/exit"
	"hallmark/internal/inputfile"
	"hallmark/internal/mine"
	"hallmark/internal/pocket"
	"hallmark/internal/transformer/train"
	"hallmark/internal/within"
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
			train := map[string]func(context.Context, string, int) error{
				"pocket": func(ctx context.Context, dir string, workers int) error {
					return a.trainRecipe(ctx, dir, workers, pocket.Shipped, pocket.Files())
				},
				"pocket-large": func(ctx context.Context, dir string, workers int) error {
					return a.trainRecipe(ctx, dir, workers, pocket.Large(), nil) // no binary holds it
				},
				"pocket-family": a.trainFamily, "regression": a.trainRegression,
			}[args[0]]
			if train == nil {
				return exit.Usagef("model train %s: this release trains pocket, pocket-large, pocket-family and regression", args[0])
			}
			if output == "" {
				if output = args[0]; within.LeadsOut(output) {
					return exit.Usagef("%s leads out of the working folder by a link, which may have come with the folder; name where to write with -o", output)
				}
			}
			n, err := cores(workers)
			if err != nil {
				return err
			}
			return train(cmd.Context(), output, n)
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

// cores is the number of cores that --concurrency asks for.
func cores(workers int) (int, error) {
	if workers < 0 {
		return 0, exit.Usagef("--concurrency %d: want a number of cores, or 0 for all", workers)
	}
	return cmp.Or(workers, runtime.GOMAXPROCS(0)), nil
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

// trainingIn returns the training by the recipe in the folder, which is made if need be: a new one, or the one that was interrupted there. Files in
// the folder that are neither of it nor named are refused.
func (a *app) trainingIn(dir, state, recipe string, named func(string) bool) (*underWay, error) {
	u := &underWay{path: filepath.Join(dir, state), recipe: recipe, kept: &a.keeps}
	data, err := inputfile.Read(u.path, maxState)
	if err == nil && !a.resume && !mine.Wrote(u.path, data) {
		return nil, exit.Usagef("%s: the state of a training that no command of yours left there, so it may hold anybody's weights: remove it, or type --resume to go on from it", u.path)
	}
	if err == nil {
		if u.from, err = train.DecodeState(data, recipe); err != nil {
			return nil, exit.Usagef("%s: %w", u.path, err)
		}
		a.keeps = true
		a.log.Info("the training goes on", "from step", u.from.Step)
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
	if err := writeFile(u.path, data); err != nil {
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

// trainRecipe trains a model by the recipe with the seed that was asked for, and writes its folder. The files are those of the model that the binary
// holds of the recipe with its own seed, nil for none.
func (a *app) trainRecipe(ctx context.Context, dir string, workers int, r pocket.Recipe, builtIn map[string][]byte) error {
	shipped := r.Seed
	r.Seed = a.seed
	text, err := r.Text()
	if err != nil {
		return err
	}
	u, err := a.trainingIn(dir, train.StateFile, text, nil)
	if err != nil {
		return err
	}
	var files map[string][]byte
	if err := r.TrainFrom(ctx, workers, u.from, u.keep, 1, func(_ int, made map[string][]byte) error {
		files = made
		return nil
	}, a.trainingProgress("")); err != nil {
		return err
	}
	if err := a.trained(dir, files, builtIn, shipped, "`--model hf:%s` uses it"); err != nil {
		return err
	}
	return u.done()
}

// trained writes the folder of a model that was trained, and says whether its bytes are those of the one in the binary, which is of the seed,
// unless the binary has none; use, with the folder's name for its verb, says what the folder is for.
func (a *app) trained(dir string, files, builtIn map[string][]byte, seed uint64, use string) error {
	names, err := writeFolder(dir, files)
	if err != nil {
		return err
	}
	same := maps.EqualFunc(files, builtIn, bytes.Equal)
	if a.json {
		doc := map[string]any{"folder": dir, "files": names}
		if builtIn != nil {
			doc["equals_built_in"] = same
		}
		return writeJSON(a.stdout, doc)
	}
	verdict := "the same bytes as the built-in model"
	switch {
	case builtIn == nil:
		verdict = fmt.Sprintf("seed %d", a.seed)
	case same:
	case a.seed != seed:
		verdict = fmt.Sprintf("seed %d, where the built-in model has seed %d", a.seed, seed)
	default:
		verdict = "NOT the bytes of the built-in model"
	}
	_, err = fmt.Fprintf(a.stdout, "%s: %s; %s\n", dir, verdict, fmt.Sprintf(use, dir))
	return err
}

// trainFamily trains the family of small models and writes their folders. Members whose folders are whole are left as they are.
func (a *app) trainFamily(ctx context.Context, dir string, workers int) error {
	if a.seed != 1 {
		return exit.Usagef("--seed %d: the models of pocket-family have the seeds 1 and 2; leave --seed out", a.seed)
	}
	of := map[string]bool{}
	var folders []string
	for _, m := range pocket.Family() {
		of[m.Name()+"-"+train.StateFile] = true
		for stage := range pocket.FamilyStages {
			of[m.Folder(stage)] = true
			folders = append(folders, filepath.Join(dir, m.Folder(stage)))
		}
	}
	for _, m := range pocket.Family() {
		if err := a.trainMember(ctx, dir, m, workers, func(name string) bool { return of[name] }); err != nil {
			return err
		}
	}
	if a.json {
		return writeJSON(a.stdout, map[string]any{"folders": folders})
	}
	for _, f := range folders {
		fmt.Fprintln(a.stdout, f)
	}
	return nil
}

// trainMember trains one member of the family, of whose files named knows the names.
func (a *app) trainMember(ctx context.Context, dir string, m pocket.Member, workers int, named func(string) bool) error {
	text, err := m.Recipe.Text()
	if err != nil {
		return err
	}
	u, err := a.trainingIn(dir, m.Name()+"-"+train.StateFile, text, named)
	if err != nil {
		return err
	}
	if err := a.ownMember(dir, m); err != nil {
		return err
	}
	last := filepath.Join(dir, m.Folder(pocket.FamilyStages-1))
	if _, err := os.Stat(last); err == nil && u.from == nil { // a folder is written before its training is done with
		a.keeps = true // the next member's training is interrupted after this one's
		a.log.Info("trained before", "folder", last)
		return nil
	}
	if err := m.Recipe.TrainFrom(ctx, workers, u.from, u.keep, pocket.FamilyStages, func(stage int, files map[string][]byte) error {
		folder := filepath.Join(dir, m.Folder(stage))
		mine.Note(filepath.Join(folder, weightsFile), files[weightsFile])
		_, err := writeFolder(folder, files)
		a.keeps = a.keeps || err == nil && folder == last
		return err
	}, a.trainingProgress(m.Name()+": ")); err != nil {
		return err
	}
	return u.done()
}

// weightsFile holds the weights of a model's folder.
const weightsFile = "model.safetensors"

// maxWeights bounds that file of a small model.
const maxWeights = 1 << 30

// ownMember returns an error where a folder of a member holds weights that no command of this user wrote: what is there is not made again.
func (a *app) ownMember(dir string, m pocket.Member) error {
	for stage := range pocket.FamilyStages {
		path := filepath.Join(dir, m.Folder(stage), weightsFile)
		data, err := inputfile.Read(path, maxWeights)
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			return exit.Usage(err)
		}
		if !a.resume && !mine.Wrote(path, data) {
			return exit.Usagef("%s: weights that no command of yours wrote there: remove its folder, or type --resume to keep it", path)
		}
	}
	return nil
}

// trainingProgress returns a function that prints a line for every percent of a training.
func (a *app) trainingProgress(prefix string) func(train.Progress, int) {
	reached := milestones(100)
	return func(p train.Progress, steps int) {
		if percent, ok := reached(p.Step+1, steps); ok && !a.quiet {
			fmt.Fprintf(a.stderr, "%sstep %d of %d (%d %%), loss %.4f\n", prefix, p.Step+1, steps, percent, p.Loss)
		}
	}
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

// writeFolder writes the files into the folder, made where it is not, and returns their names in order.
func writeFolder(dir string, files map[string][]byte) ([]string, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	names := slices.Sorted(maps.Keys(files))
	for _, name := range names {
		if err := writeFile(filepath.Join(dir, name), files[name]); err != nil {
			return nil, err
		}
	}
	return names, nil
}

// writeFile writes a file that is there whole or not at all.
func writeFile(path string, data []byte) error {
	return atomicfile.Write(path, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}
