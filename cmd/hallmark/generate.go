package main

import (
	"context"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"hallmark/internal/base/exit"
	"hallmark/internal/commands/suites"
	"hallmark/internal/suite/generate"
)

func (a *app) generateCommand() *cobra.Command {
	var o generate.Options
	var ref, output string
	cmd := command("generate", "Write a suite of cases that press a model to hallucinate, made from a world",
		cobra.NoArgs, func(context.Context, []string) error {
			if a.json && output == "" {
				return exit.Usagef("with --json the coverage goes to stdout, so the suite needs a file: add -o FILE")
			}
			o.Seed = a.seed
			s, made, err := suites.Generate(ref, o)
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
			made.Output = output
			return a.say(made, func(io.Writer) error { return made.Coverage.Write(a.stderr) })
		})
	f := cmd.Flags()
	f.StringVar(&ref, "world", "earth", "the `WORLD` of facts: earth, pocket, a YAML file or a folder")
	f.IntVar(&o.N, "n", 900, "number of cases")
	f.StringSliceVar(&o.Classes, "class", nil,
		"only these `CLASSES`, separated by commas (default all that the world has something for)")
	f.StringVar(&o.AsOf, "as-of", "", "the suite's today, as 2026-11-01 (default the world's day)")
	f.StringVar(&o.Name, "name", "", "the suite's `NAME` (default the world's and -generated)")
	f.StringVarP(&output, "output", "o", "",
		"write the suite to `FILE` instead of stdout: as JSON Lines where it ends in .jsonl, else as YAML")
	return cmd
}
