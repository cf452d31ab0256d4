package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"hallmark/internal/exit"
	"hallmark/internal/pocket"
	"hallmark/internal/suite"
	"hallmark/internal/suite/generate"
	"hallmark/internal/world"
)

// builtinWorlds are the names of the worlds inside the binary.
var builtinWorlds = []string{"earth", "pocket"}

// openWorld opens what --world names: a built-in world, or a file or folder of the user's.
func openWorld(ref string) (*world.World, error) {
	switch ref {
	case "earth":
		return world.Earth(), nil
	case "pocket":
		return pocket.AsWorld(), nil
	}
	if _, err := os.Stat(ref); errors.Is(err, fs.ErrNotExist) && !strings.ContainsAny(ref, `./\`) {
		return nil, fmt.Errorf("unknown world %q; built in are %s, any other is a YAML file or a folder", ref, strings.Join(builtinWorlds, " and "))
	}
	return world.Read(ref)
}

// A generated is what generate prints with --json.
type generated struct {
	Suite    string            `json:"suite"`
	World    string            `json:"world"`
	AsOf     string            `json:"as_of"`
	Seed     uint64            `json:"seed"`
	Cases    int               `json:"cases"`
	Hash     suite.Hash        `json:"hash"`
	Output   string            `json:"output"`
	Coverage generate.Coverage `json:"coverage"`
}

func (a *app) generateCommand() *cobra.Command {
	var ref, asOf, name, output string
	var n int
	var classes []string
	cmd := &cobra.Command{
		Use:   "generate",
		Short: "Write a suite of cases that press a model to hallucinate, made from a world",
		Long: "Write a suite of cases that press a model to hallucinate, each with an oracle that decides it, made from a world of facts.\n\n" +
			"The cases are spread evenly over classes, difficulties and domains; no two are alike, and the same world, seed and options give the\n" +
			"same bytes. What they cover is printed on stderr as a matrix with its gaps, or with --json on stdout.",
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if a.json && output == "" {
				return exit.Usagef("with --json the coverage goes to stdout, so the suite needs a file: add -o FILE")
			}
			for _, c := range classes {
				if !slices.Contains(suite.Classes, c) {
					return exit.Usagef("--class %q: unknown class; known are %s", c, strings.Join(suite.Classes, ", "))
				}
			}
			w, err := openWorld(ref)
			if err != nil {
				return exit.Usage(err)
			}
			s, coverage, err := generate.Suite(w, generate.Options{N: n, Seed: a.seed, AsOf: asOf, Classes: classes, Name: name})
			if err != nil {
				return exit.Usage(err)
			}
			write := s.WriteYAML
			if strings.EqualFold(filepath.Ext(output), ".jsonl") {
				write = s.WriteJSONL
			}
			if err := a.writeTo(output, write); err != nil {
				return err
			}
			if a.json {
				return writeJSON(a.stdout, generated{
					Suite: s.Name, World: w.Name, AsOf: s.AsOf, Seed: a.seed, Cases: len(s.Cases), Hash: s.Hash(), Output: output, Coverage: coverage,
				})
			}
			if a.quiet {
				return nil
			}
			return coverage.Write(a.stderr)
		},
	}
	f := cmd.Flags()
	f.StringVar(&ref, "world", "earth", "the `WORLD` of facts: earth, pocket, a YAML file or a folder")
	f.IntVar(&n, "n", 900, "number of cases")
	f.StringSliceVar(&classes, "class", nil, "only these `CLASSES`, separated by commas (default all that the world has something for)")
	f.StringVar(&asOf, "as-of", "", "the suite's today, as 2026-11-01 (default the world's day)")
	f.StringVar(&name, "name", "", "the suite's `NAME` (default the world's and -generated)")
	f.StringVarP(&output, "output", "o", "", "write the suite to `FILE` instead of stdout: as JSON Lines where it ends in .jsonl, else as YAML")
	return cmd
}
