package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"

	"github.com/spf13/cobra"

	"hallmark/internal/base/exit"
	"hallmark/internal/commands/setting"
	"hallmark/internal/commands/suites"
	"hallmark/internal/report"
	"hallmark/internal/suite/benchmark"
	"hallmark/internal/suite/benchmark/fetch"
)

func (a *app) dataCommand() *cobra.Command {
	list := command("list", cobra.NoArgs, func(context.Context, []string) error {
		document, list, err := suites.List()
		if err != nil {
			return err
		}
		return a.print(document, text(list))
	})
	var output string
	convert := command("convert SUITE", cobra.ExactArgs(1), func(_ context.Context, args []string) error {
		s, err := suites.Open(args[0], a.trust.Path)
		if err != nil {
			return exit.Usage(err)
		}
		a.warn(s.Warnings)
		if err := benchmark.Writable(args[0], s); err != nil {
			return exit.Usage(err)
		}
		return a.writeTo(output, func(w io.Writer) error { return s.WriteYAML(w) })
	})
	define(convert.Flags(), table{"output o": &output, "allow-path": &a.trust.Path})
	var source string
	answers := command("answers FILE…", cobra.MinimumNArgs(1), func(_ context.Context, args []string) error {
		rows, warnings, err := benchmark.ReadSolutions(args...)
		if err != nil {
			return exit.Usage(err)
		}
		a.warn(warnings)
		if err := benchmark.HasSource(rows, source); err != nil {
			return exit.Usage(err)
		}
		return a.writeTo(output, func(w io.Writer) error { return benchmark.WriteRows(w, rows, source) })
	})
	define(answers.Flags(), table{"output o": &output, "source": &source})
	return group("data", list,
		a.fetchCommand(), convert, answers)
}

// warn says what was doubted in reading a file.
func (a *app) warn(warnings []string) {
	for _, w := range warnings {
		fmt.Fprintf(a.stderr, "warning: %s\n", report.OneLine(w))
	}
}

// fetchDir is where files go unless --output says another place, each benchmark in a folder of its own.
var fetchDir = filepath.Join(".hallmark", "data")

func (a *app) fetchCommand() *cobra.Command {
	var output string
	cmd := command("fetch NAME…", cobra.MinimumNArgs(1), func(ctx context.Context, names []string) error {
		var wanted []*benchmark.Publication
		for _, name := range names {
			p, err := fetch.Find(name)
			if err != nil {
				return exit.Usage(err)
			}
			wanted = append(wanted, p)
		}
		if output != "" && len(wanted) > 1 {
			return exit.Usagef("--output names one folder for %d benchmarks, whose files may have the same "+
				"names; fetch them one by one", len(wanted))
		}
		return a.fetchAll(ctx, wanted, output)
	})
	define(cmd.Flags(), table{"output o": &output})
	return cmd
}

func (a *app) fetchAll(ctx context.Context, wanted []*benchmark.Publication, output string) error {
	f := fetch.New()
	var results []*fetch.Fetched
	for _, p := range wanted {
		dir := output
		if dir == "" {
			dir = filepath.Join(fetchDir, p.Name)
			if err := setting.OwnFolder(dir); err != nil {
				return err
			}
		}
		r, err := f.All(ctx, p, dir, &a.keeps, a.progressTo())
		if err != nil {
			return err
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
