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
	o := generate.Options{N: 900}
	ref, output := "earth", ""
	cmd := command("generate", cobra.NoArgs, func(context.Context, []string) error {
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
	define(f, table{
		"world": &ref, "n": &o.N, "class,": &o.Classes, "as-of": &o.AsOf, "name": &o.Name, "output o": &output,
	})
	return cmd
}
