package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"hallmark/internal/assay"
	"hallmark/internal/assay/gate"
	"hallmark/internal/base/atomicfile"
	"hallmark/internal/base/exit"
	"hallmark/internal/base/jsonl"
	"hallmark/internal/base/lists"
	"hallmark/internal/commands/console"
	"hallmark/internal/commands/stored"
	"hallmark/internal/report"
	"hallmark/internal/report/papers"
)

// formatNames lists the values of --format.
func formatNames() string {
	names := lists.Map(report.Formats, func(f report.Format) string { return f.Name })
	return strings.Join(append(names, bundleFormat), ", ")
}

func (a *app) reportCommand() *cobra.Command {
	format, output, name := "html", "", ""
	var accept []string
	cmd := &cobra.Command{
		Use:  "report [RUN…]",
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if a.json {
				format = "json"
			}
			switch {
			case name != "":
				if !a.json && !cmd.Flags().Changed("format") {
					format = "text"
				}
				return a.reportTable(cmd.Context(), args, name, format, output)
			case len(args) > 1:
				return a.reportSeveral(cmd.Context(), args, format, output)
			case format == bundleFormat:
				return a.writeBundle(cmd.Context(), runNamed(args), output)
			}
			for _, f := range report.Formats {
				if f.Name != format {
					continue
				}
				results, err := a.accepted(cmd.Context(), accept, runNamed(args))
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
	define(cmd.Flags(), table{"format": &format, "table": &name, "output o": &output, "accept": &accept})
	return cmd
}

// reportTable writes a table of the papers.
func (a *app) reportTable(ctx context.Context, names []string, table, format, output string) error {
	kind, err := papers.Find(table)
	if err != nil {
		return exit.Usage(err)
	}
	if !slices.Contains(strings.Split(papers.Formats, ", "), format) {
		return exit.Usagef("--format %q of --table: use %s", format, papers.Formats)
	}
	if len(names) == 0 {
		names = []string{"latest"}
	}
	results, err := a.runs.Alike(ctx, names...)
	if err != nil {
		return err
	}
	t, err := kind.Of(results)
	if err != nil {
		return exit.Usage(err)
	}
	return a.writeTo(output, func(w io.Writer) error { return kind.Write(w, t, format) })
}

// accepted evaluates a run that is named, with the thresholds that the user declared.
func (a *app) accepted(ctx context.Context, accept []string, name string) ([]*assay.Assay, error) {
	thresholds, err := gate.ParseThresholds(accept)
	if err != nil {
		return nil, exit.Usage(err)
	}
	results, err := a.runs.Evaluated(ctx, name)
	if err != nil {
		return nil, err
	}
	return results, exit.Usage(stored.Accept(results[0], thresholds))
}

// reportSeveral writes several runs side by side, by the grading version of this release.
func (a *app) reportSeveral(ctx context.Context, names []string, format, output string) error {
	render := report.SeveralFormat(format)
	if render == nil {
		return exit.Usagef("--format %q of several runs: use %s", format, report.SeveralNames())
	}
	results, err := a.runs.Alike(ctx, names...)
	if err != nil {
		return err
	}
	several, err := report.SideBySide(results)
	switch {
	case errors.As(err, new(report.Absent)):
		return exit.Usage(err)
	case err != nil:
		return err
	}
	a.runs.Say(several.Notes, len(several.Notes))
	return a.writeTo(output, func(w io.Writer) error { return render(w, several) })
}

// runNamed returns the run that the arguments name: the first, or the latest.
func runNamed(args []string) string {
	if len(args) == 0 {
		return "latest"
	}
	return args[0]
}

func (a *app) showCommand() *cobra.Command {
	failed := report.Failures{Most: 20}
	var onlyFailed, follow bool
	var accept []string
	cmd := &cobra.Command{
		Use:  "show [RUN [CASE]]",
		Args: cobra.MaximumNArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case !onlyFailed && (failed.Group != "" || cmd.Flags().Changed("most")):
				return exit.Usagef("--group and --most choose among wrong answers: add --failed")
			case failed.Most < 0:
				return exit.Usagef("--most %d: want a number of 0 or more", failed.Most)
			case onlyFailed && len(args) != 1:
				return exit.Usagef("--failed shows the wrong answers of one run: hallmark show latest --failed")
			case len(args) == 0 && !follow:
				return a.listRuns(cmd.Context())
			case follow && len(args) == 2:
				return exit.Usagef("--follow follows a run, and no case of it: leave the case out")
			case follow:
				args = []string{runNamed(args)}
				if err := a.follow(cmd.Context(), args[0]); err != nil {
					return err
				}
			}
			results, err := a.accepted(cmd.Context(), accept, args[0])
			if err != nil {
				return err
			}
			failed.Of = results[0]
			name := args[0]
			if !stored.IsBundle(name) {
				name = results[0].Document.Run.ID
			}
			failed.Show = func(id string) string { return a.runs.Command("show", name, id) }
			switch {
			case onlyFailed:
				return a.showFailed(&failed)
			case len(args) == 2:
				return a.showCase(cmd.Context(), results[0], name, args[1])
			case a.json:
				return report.JSON(jsonl.Escaping{To: a.stdout}, results[0])
			}
			return report.Terminal(a.stdout, results[0], a.style())
		},
	}
	define(cmd.Flags(), table{
		"failed": &onlyFailed, "group": &failed.Group, "follow": &follow, "most": &failed.Most, "accept": &accept,
	})
	return cmd
}

// style is how text is laid out on stdout.
func (a *app) style() report.Style {
	return report.Style{Color: console.Colour(a.stdout), Width: console.Width(a.stdout)}
}

// showFailed prints the wrong answers of a run.
func (a *app) showFailed(f *report.Failures) error {
	if err := f.Check(); err != nil {
		return exit.Usage(err)
	}
	if a.json {
		return f.JSON(jsonl.Escaping{To: a.stdout})
	}
	return f.Write(a.stdout, a.style())
}

// mostFound is how many cases are listed that have the words of a question.
const mostFound = 50

// showCase prints the case of a run that an id or words of its question name, or the cases that these may mean.
func (a *app) showCase(ctx context.Context, result *assay.Assay, name, what string) error {
	rows, left := result.Cases.Find(what, mostFound)
	if err := result.Err(); err != nil {
		return err
	}
	if len(rows) == 0 {
		return exit.Usagef("run %s has no case %q, and none that asks so; `%s` and `hallmark report --format csv` "+
			"list them", result.Document.Run.ID, what, a.runs.Command("show", name, "--failed"))
	}
	id := rows[0].ID
	several := left > 0 || slices.ContainsFunc(rows, func(r *assay.CaseRow) bool { return r.ID != id })
	switch {
	case a.json:
		for _, row := range rows {
			if err := writeJSON(a.stdout, row); err != nil {
				return err
			}
		}
		return nil
	case several:
		return report.Asked(a.stdout, rows, left, a.style())
	}
	if err := report.Cases(a.stdout, rows, a.style()); err != nil {
		return err
	}
	return a.showResampling(ctx, name, id, a.style())
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

// result prints as JSON what a command came to, unless it failed.
func (a *app) result(document any, err error) error {
	if err != nil {
		return err
	}
	return writeJSON(a.stdout, document)
}

// print prints a document with --json, and else what is written for people.
func (a *app) print(document any, write func(io.Writer) error) error {
	if a.json {
		return writeJSON(a.stdout, document)
	}
	return write(a.stdout)
}

// say is print where what is for people may be kept quiet.
func (a *app) say(document any, write func(io.Writer) error) error {
	if a.quiet && !a.json {
		return nil
	}
	return a.print(document, write)
}

// text writes a text that is there.
func text[T string | []byte](whole T) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := w.Write([]byte(whole))
		return err
	}
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

// showResampling writes what the posterior rate asked about a case and what came back, where the run has it. A bundle's
// records are not read again for it.
func (a *app) showResampling(ctx context.Context, name, id string, style report.Style) error {
	if stored.IsBundle(name) {
		return nil
	}
	store, err := a.runs.Read(ctx)
	if err != nil {
		return err
	}
	defer store.Close()
	plan, _, err := a.runs.Plan(ctx, store, name)
	if err != nil {
		return err
	}
	shown, err := plan.Show(ctx, store, id)
	if err != nil {
		return err
	}
	for _, model := range slices.Sorted(maps.Keys(shown)) {
		if err := report.Resampling(a.stdout, model, shown[model], style); err != nil {
			return err
		}
	}
	return nil
}
