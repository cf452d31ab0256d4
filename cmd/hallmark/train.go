package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"

	"hallmark/internal/atomicfile"
	"hallmark/internal/pocket"
	"hallmark/internal/transformer/train"
)

// trainPocket trains the built-in model again and writes its folder.
func (a *app) trainPocket(ctx context.Context, dir string, workers int) error {
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	last := 0
	files, err := pocket.Train(ctx, workers, func(p train.Progress, steps int) {
		if done := 100 * (p.Step + 1) / steps; !a.quiet && (done > last || p.Step == steps-1) {
			last = done
			fmt.Fprintf(a.stderr, "step %d of %d (%d %%), loss %.4f\n", p.Step+1, steps, done, p.Loss)
		}
	})
	if err != nil {
		return err
	}
	var names []string
	for name := range files {
		names = append(names, name)
	}
	slices.Sort(names)
	same := true
	shipped := pocket.Files()
	for _, name := range names {
		content := files[name]
		same = same && string(shipped[name]) == string(content)
		if err := atomicfile.Write(filepath.Join(dir, name), func(w io.Writer) error {
			_, err := w.Write(content)
			return err
		}); err != nil {
			return err
		}
	}
	if a.json {
		return writeJSON(a.stdout, map[string]any{"folder": dir, "files": names, "equals_built_in": same})
	}
	verdict := "the same bytes as the built-in model"
	if !same {
		verdict = "NOT the bytes of the built-in model"
	}
	_, err = fmt.Fprintf(a.stdout, "%s: %s; `--model hf:%s` uses it\n", dir, verdict, dir)
	return err
}
