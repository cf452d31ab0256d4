package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"hallmark/internal/assay"
	"hallmark/internal/atomicfile"
	"hallmark/internal/console"
	"hallmark/internal/exit"
	"hallmark/internal/jsonl"
	"hallmark/internal/report"
)

// formatNames lists the values of --format.
func formatNames() string {
	var names []string
	for _, f := range report.Formats {
		names = append(names, f.Name)
	}
	return strings.Join(append(names, bundleFormat), ", ")
}

func (a *app) reportCommand() *cobra.Command {
	var format, output string
	cmd := &cobra.Command{
		Use:   "report [RUN]",
		Short: "Re-render a stored run",
		Long: "Re-render a run from its records. It is named by a prefix of its id, `latest`, or the path of an " +
			"evidence bundle. It calls no model. " +
			"--format evidence writes a bundle: a zip file with plan, raw answers, figures, case table and the " +
			"filled protocol report, which `hallmark verify` computes again (docs/evidence.md).",
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if a.json {
				format = "json"
			}
			if format == bundleFormat {
				return a.writeBundle(cmd.Context(), runNamed(args), output)
			}
			for _, f := range report.Formats {
				if f.Name != format {
					continue
				}
				results, err := a.runs.Evaluated(cmd.Context(), runNamed(args))
				if err != nil {
					return err
				}
				err = a.writeTo(output, func(w io.Writer) error { return f.Render(w, results[0]) })
				if errors.As(err, new(report.Absent)) {
					return exit.Usage(err)
				}
				return err
			}
			return exit.Usagef("--format %q: use %s", format, formatNames())
		},
	}
	cmd.Flags().StringVar(&format, "format", "html", formatNames())
	cmd.Flags().StringVarP(&output, "output", "o", "", "write to `FILE` instead of stdout")
	return cmd
}

// runNamed returns the run that the arguments name: the first, or the latest.
func runNamed(args []string) string {
	if len(args) == 0 {
		return "latest"
	}
	return args[0]
}

func (a *app) showCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "show [RUN [CASE]]",
		Short: "Show the stored runs, one of them, or one case of it",
		Long: "Without a run, list the runs of the store. A run is named by a prefix of its id, `latest`, or the " +
			"path of an evidence bundle.",
		Args: cobra.MaximumNArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			style := report.Style{Color: console.Colour(a.stdout), Width: console.Width(a.stdout)}
			if len(args) == 0 {
				return a.listRuns(cmd.Context())
			}
			results, err := a.runs.Evaluated(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			result := results[0]
			if len(args) == 1 {
				if a.json {
					return report.JSON(jsonl.Escaping{To: a.stdout}, result)
				}
				return report.Terminal(a.stdout, result, style)
			}
			var rows []*assay.CaseRow
			for _, row := range result.Cases.All() {
				if row.ID == args[1] {
					rows = append(rows, row)
				}
			}
			if len(rows) == 0 {
				return exit.Usagef(
					"run %s has no case %q; its report and `hallmark report --format csv` list the cases",
					result.Document.Run.ID, args[1])
			}
			if !a.json {
				if err := report.Cases(a.stdout, rows, style); err != nil {
					return err
				}
				return a.showBelief(cmd.Context(), args[0], args[1], style)
			}
			for _, row := range rows {
				if err := writeJSON(a.stdout, row); err != nil {
					return err
				}
			}
			return nil
		},
	}
}

// listRuns prints the runs of the store, newest first.
func (a *app) listRuns(ctx context.Context) error {
	listed, err := a.runs.List(ctx)
	switch {
	case err != nil:
		return err
	case a.json:
		return writeJSON(a.stdout, map[string]any{"runs": listed})
	case len(listed) == 0:
		fmt.Fprintf(a.stderr, "no runs in %s yet; `hallmark run` makes one\n", a.runs.Store)
		return nil
	}
	return report.Runs(a.stdout, listed)
}

// writeJSON writes one indented JSON document.
func writeJSON(w io.Writer, v any) error {
	b, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(jsonl.Escaping{To: w}, "%s\n", b)
	return err
}

// writeTo writes a file whole, or to stdout where no path is given.
func (a *app) writeTo(path string, write func(io.Writer) error) error {
	if path == "" {
		return write(a.stdout)
	}
	return atomicfile.Write(path, write)
}
