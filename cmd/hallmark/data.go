package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"hallmark/internal/evaluate/suites"
	"hallmark/internal/exit"
	"hallmark/internal/pocket/incontext"
	"hallmark/internal/report"
	"hallmark/internal/suite/benchmark"
)

func (a *app) dataCommand() *cobra.Command {
	list := &cobra.Command{
		Use:   "list",
		Short: "List the built-in suites, the benchmark files that can be read and those that can be fetched",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			type entry struct {
				Name  string `json:"name"`
				Kind  string `json:"kind"`
				About string `json:"about"`
			}
			var entries []entry
			for _, name := range suites.Builtins {
				s, err := suites.Open(name, a.trust.Path)
				if err != nil {
					return err
				}
				entries = append(entries, entry{name, "built-in", fmt.Sprintf("%d cases about %s", s.List().Len(), suites.About[name])})
			}
			for _, t := range incontext.Tasks {
				entries = append(entries, entry{incontext.Prefix + string(t), "built-in", "problems of learning in context, for the posterior method; ?noise=10&n=2,4&contexts=50&queries=10 (docs/posterior.md)"})
			}
			for _, f := range benchmark.Formats {
				entries = append(entries, entry{f.Name, "file", f.About})
			}
			if a.json {
				return writeJSON(a.stdout, map[string]any{"suites": entries, "published": publishedEntries()})
			}
			w := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
			fmt.Fprintln(w, "NAME\tKIND\tABOUT")
			for _, e := range entries {
				fmt.Fprintf(w, "%s\t%s\t%s\n", e.Name, e.Kind, e.About)
			}
			if err := w.Flush(); err != nil {
				return err
			}
			return listPublished(a.stdout)
		},
	}
	var output string
	convert := &cobra.Command{
		Use:   "convert SUITE",
		Short: "Write a built-in suite, a benchmark's file or a table as a suite file",
		Long:  "Write a built-in suite, a benchmark's file (NAME=FILE) or a CSV, TSV or JSONL table of questions as a suite in YAML.",
		Args:  cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			s, err := suites.Open(args[0], a.trust.Path)
			if err != nil {
				return exit.Usage(err)
			}
			for _, w := range s.Warnings {
				fmt.Fprintf(a.stderr, "warning: %s\n", report.OneLine(w))
			}
			if ref, _, err := benchmark.ParseReference(args[0]); err == nil && (ref.Pool != "" || s.List().At(0).Pool != "" && s.List().At(0).Rows != nil && ref.Name != "") {
				return exit.Usagef("%s: its demonstrations are drawn from a file that only a benchmark's reader reads, so no suite file can name it; use --suite %s as it stands", s.Name, args[0])
			}
			return a.writeTo(output, func(w io.Writer) error { return s.WriteYAML(w) })
		},
	}
	a.trust.AddPath(convert.Flags())
	convert.Flags().StringVarP(&output, "output", "o", "", "write to `FILE` instead of stdout")
	var source string
	answers := &cobra.Command{
		Use:   "answers FILE…",
		Short: "Turn published model answers to GSM8K into rows for analyze consistency",
		Args:  cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			rows, warnings, err := benchmark.ReadSolutions(args...)
			if err != nil {
				return exit.Usage(err)
			}
			for _, w := range warnings {
				fmt.Fprintf(a.stderr, "warning: %s\n", report.OneLine(w))
			}
			var sources []string
			for i := range rows {
				if !slices.Contains(sources, rows[i].Source) {
					sources = append(sources, rows[i].Source)
				}
			}
			if source != "" && !slices.Contains(sources, source) {
				return exit.Usagef("--source %q has no answers there; there are %s", source, strings.Join(sources, ", "))
			}
			return a.writeTo(output, func(w io.Writer) error { return benchmark.WriteRows(w, rows, source) })
		},
	}
	answers.Flags().StringVarP(&output, "output", "o", "", "write to `FILE` instead of stdout")
	answers.Flags().StringVar(&source, "source", "", "only the answers of this `MODEL`")
	return group("data", "List, fetch and convert suites, published benchmarks and published answers", list, a.fetchCommand(), convert, answers)
}
