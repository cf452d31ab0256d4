package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"hallmark/internal/evaluate/setting"
	"hallmark/internal/exit"
	"hallmark/internal/suite/benchmark"
	"hallmark/internal/suite/benchmark/fetch"
)

// fetchDir is where files go unless --output says another place, each benchmark in a folder of its own.
var fetchDir = filepath.Join(".hallmark", "data")

func (a *app) fetchCommand() *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use:   "fetch NAME…",
		Short: "Download the original files of published benchmarks",
		Long: "Download the original files of published benchmarks (hallmark data list names them) from where they are published, over https. A file whose\n" +
			"content is known is checked against its hash. What was cut off is gone on with by the same command; what is there already is not fetched again.",
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, names []string) error {
			var wanted []*benchmark.Publication
			for _, name := range names {
				p, err := fetch.Find(name)
				if err != nil {
					return exit.Usage(err)
				}
				wanted = append(wanted, p)
			}
			if output != "" && len(wanted) > 1 {
				return exit.Usagef("--output names one folder for %d benchmarks, whose files may have the same names; fetch them one by one", len(wanted))
			}
			return a.fetchAll(cmd.Context(), wanted, output)
		},
	}
	cmd.Flags().StringVarP(&output, "output", "o", "", "folder for the files; default .hallmark/data/NAME")
	return cmd
}

func (a *app) fetchAll(ctx context.Context, wanted []*benchmark.Publication, output string) error {
	f := fetch.New()
	type result struct {
		Name    string       `json:"name"`
		Licence string       `json:"licence"`
		Suite   string       `json:"suite"`
		Files   []fetch.File `json:"files"`
	}
	var results []result
	for _, p := range wanted {
		dir := output
		if dir == "" {
			dir = filepath.Join(fetchDir, p.Name)
			if err := setting.OwnFolder(dir); err != nil {
				return err
			}
		}
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
		r := result{Name: p.Name, Licence: p.Licence, Suite: strings.ReplaceAll(p.Suite, "DIR", filepath.ToSlash(dir))}
		for i := range p.Files {
			got, err := f.Get(ctx, &p.Files[i], dir)
			part, _ := os.Stat(got.Path + ".part")
			a.keeps = a.keeps || err == nil || part != nil && part.Size() > 0
			if err != nil {
				return err
			}
			if !a.quiet {
				state := "fetched"
				if !got.Fetched {
					state = "already there"
				}
				if !got.Pinned {
					state += ", its content not pinned"
				}
				fmt.Fprintf(a.stderr, "%s: %d bytes, %s\n", got.Path, got.Bytes, state)
			}
			r.Files = append(r.Files, got)
		}
		results = append(results, r)
	}
	if a.json {
		return writeJSON(a.stdout, map[string]any{"fetched": results})
	}
	for _, r := range results {
		fmt.Fprintf(a.stdout, "%s: licence %s; --suite %s\n", r.Name, r.Licence, r.Suite)
	}
	return nil
}
