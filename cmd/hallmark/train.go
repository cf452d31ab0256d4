package main

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"

	"github.com/spf13/cobra"

	"hallmark/internal/atomicfile"
	"hallmark/internal/pocket"
	"hallmark/internal/regression"
	"hallmark/internal/transformer/train"
)

func (a *app) modelTrain() *cobra.Command {
	var output string
	var workers int
	cmd := &cobra.Command{
		Use:   "train pocket|pocket-family|regression",
		Short: "Train the built-in model again, or another of this project's: the same bytes from the same seed",
		Long: "Train the built-in model again, or another of this project's: the same bytes from the same seed. `pocket-family` trains sixteen smaller models of the same\n" +
			"world, two sizes by two seeds by four stages of training, each into a folder of its own, for methods that compare models.\n" +
			"`regression` trains the model of docs/regression.md; the same command in the same folder goes on with a training that was interrupted.",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			train := map[string]func(context.Context, string, int) error{"pocket": a.trainPocket, "pocket-family": a.trainFamily, "regression": a.trainRegression}[args[0]]
			if train == nil {
				return usagef("model train %s: this release trains pocket, pocket-family and regression", args[0])
			}
			if output == "" {
				output = args[0]
			}
			_, unfinished := os.Stat(filepath.Join(output, regression.StateFile))
			if entries, err := os.ReadDir(output); err == nil && len(entries) > 0 && !(args[0] == "regression" && unfinished == nil) {
				return usagef("%s is not empty; name a new folder with -o", output)
			}
			return train(cmd.Context(), output, cmp.Or(workers, runtime.GOMAXPROCS(0)))
		},
	}
	cmd.Flags().StringVarP(&output, "output", "o", "", "write the Hugging Face folder, or the family's folders, to `DIR`; default the model's name")
	cmd.Flags().IntVarP(&workers, "concurrency", "j", 0, "cores to train on; 0 for all. The weights are the same for any number")
	return cmd
}

// trainPocket trains the built-in model again and writes its folder.
func (a *app) trainPocket(ctx context.Context, dir string, workers int) error {
	files, err := pocket.Train(ctx, workers, a.trainingProgress(""))
	if err != nil {
		return err
	}
	return a.trained(dir, files, pocket.Files(), "`--model hf:%s` uses it")
}

// trained writes the folder of a built-in model that was trained again, and says whether its bytes are those of the one in the binary; use,
// with the folder's name for its verb, says what the folder is for.
func (a *app) trained(dir string, files, builtIn map[string][]byte, use string) error {
	names, err := writeFolder(dir, files)
	if err != nil {
		return err
	}
	same := maps.EqualFunc(files, builtIn, bytes.Equal)
	if a.json {
		return writeJSON(a.stdout, map[string]any{"folder": dir, "files": names, "equals_built_in": same})
	}
	verdict := "the same bytes as the built-in model"
	if !same {
		verdict = "NOT the bytes of the built-in model"
	}
	_, err = fmt.Fprintf(a.stdout, "%s: %s; %s\n", dir, verdict, fmt.Sprintf(use, dir))
	return err
}

// trainFamily trains the family of small models and writes their folders.
func (a *app) trainFamily(ctx context.Context, dir string, workers int) error {
	var folders []string
	var member string
	var progress func(train.Progress, int)
	err := pocket.TrainFamily(ctx, workers, func(name string, files map[string][]byte) error {
		folders = append(folders, filepath.Join(dir, name))
		_, err := writeFolder(filepath.Join(dir, name), files)
		return err
	}, func(m string, p train.Progress, steps int) {
		if m != member {
			member, progress = m, a.trainingProgress(m+": ")
		}
		progress(p, steps)
	})
	if err != nil {
		return err
	}
	if a.json {
		return writeJSON(a.stdout, map[string]any{"folders": folders})
	}
	for _, f := range folders {
		fmt.Fprintln(a.stdout, f)
	}
	return nil
}

// trainingProgress returns a function that prints a line for every percent of a training.
func (a *app) trainingProgress(prefix string) func(train.Progress, int) {
	last := 0
	return func(p train.Progress, steps int) {
		if done := 100 * (p.Step + 1) / steps; !a.quiet && done > last {
			last = done
			fmt.Fprintf(a.stderr, "%sstep %d of %d (%d %%), loss %.4f\n", prefix, p.Step+1, steps, done, p.Loss)
		}
	}
}

// writeFolder writes the files into the folder, made where it is not, and returns their names in order.
func writeFolder(dir string, files map[string][]byte) ([]string, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	names := slices.Sorted(maps.Keys(files))
	for _, name := range names {
		if err := atomicfile.Write(filepath.Join(dir, name), func(w io.Writer) error {
			_, err := w.Write(files[name])
			return err
		}); err != nil {
			return nil, err
		}
	}
	return names, nil
}
