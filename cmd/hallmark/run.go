package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"hallmark/internal/assay"
	"hallmark/internal/assay/gate"
	"hallmark/internal/base/atomicfile"
	"hallmark/internal/base/exit"
	"hallmark/internal/base/jsonl"
	"hallmark/internal/commands/console"
	"hallmark/internal/commands/driver"
	"hallmark/internal/commands/setting"
	"hallmark/internal/commands/spec"
	"hallmark/internal/commands/telemetry"
	"hallmark/internal/commands/workers"
	"hallmark/internal/report"
	"hallmark/internal/stat/figure"
)

func (a *app) runCommand() *cobra.Command {
	var f spec.Run
	var shown telemetry.Flags
	cmd := &cobra.Command{
		Use: "run [SUITE…]",
		// before the environment and a plan fill in what nobody typed
		Args: func(cmd *cobra.Command, args []string) error {
			for _, suite := range args {
				if err := cmd.Flags().Set("suite", suite); err != nil {
					return err
				}
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := a.readConfig(cmd, &f); err != nil {
				return err
			}
			if f.Detach {
				if err := workers.Detachable(&f, a.runs.Store); err != nil {
					return err
				}
			}
			return shown.While(cmd.Context(), version, a.log, func(t *telemetry.Telemetry) error {
				if a.shown = t; len(f.Study) > 0 {
					return a.study(cmd.Context(), &f)
				}
				return a.run(cmd.Context(), &f)
			})
		},
	}
	define(cmd.Flags(), a.allowing())
	define(cmd.Flags(), table{"metrics": &shown.Metrics})
	f.Add(cmd.Flags())
	return cmd
}

// readConfig fills the flags from the plan file, where one is named.
func (a *app) readConfig(cmd *cobra.Command, f *spec.Run) error {
	return exit.Usage(errors.Join(f.ReadPlan(cmd.Flags(), a.trust), a.openLog()))
}

// run is `hallmark run`: the run, its reports and its summary.
func (a *app) run(ctx context.Context, f *spec.Run) error {
	out, err := a.bench().Run(ctx, f)
	if err != nil {
		return err
	}
	return a.finish(f, out)
}

// surroundings are what a run is resolved in.
func (a *app) surroundings() *spec.Surroundings {
	return &spec.Surroundings{Seed: a.seed, Trust: a.trust, Stdin: a.stdin, Log: a.log, Now: a.now}
}

// driver is what the calls of a run are made with.
func (a *app) driver() *driver.Driver {
	d := &driver.Driver{Now: a.now, Seed: a.seed, Shown: a.shown, Progress: func() *console.Progress {
		return console.NewProgress(a.stderr, a.quiet || a.json && !console.Colour(a.stderr))
	}}
	if !a.quiet && !a.json {
		d.Say = func(what string) { fmt.Fprintln(a.stderr, what) }
	}
	return d
}

// finish writes the reports of a run, prints the summary and decides the exit code.
func (a *app) finish(f *spec.Run, out *driver.Outcome) error {
	if out.Ungraded != nil {
		return a.say(out.Ungraded, func(w io.Writer) error { return report.Ungraded(w, out.Ungraded) })
	}
	if out.Detached {
		return nil
	}
	result, inv := out.Result, out.Invocation
	if !f.NoReport {
		var err error
		if inv.Report, err = a.writeReports(result, f.Output); err != nil {
			return err
		}
		if !a.quiet {
			fmt.Fprintf(a.stderr, "report: %s\n", inv.Report)
		}
	}
	switch {
	case a.json && f.Part != nil: // the study is one document
	case a.json:
		result.Document.ThisInvocation = inv
		if err := report.JSON(jsonl.Escaping{To: a.stdout}, result); err != nil {
			return err
		}
	case !a.quiet:
		if err := a.summary(result, f.Verbose, inv); err != nil {
			return err
		}
	}
	return out.Verdict(f.AllowUnscored, a.gateFailed)
}

// summary prints what came out: the verdict and where the rest is, or all of it.
func (a *app) summary(result *assay.Assay, whole bool, inv *assay.Invocation) error {
	write := report.Terminal
	if id := result.Document.Run.ID; !whole {
		rest := report.Rest{Failed: a.runs.Command("show", id, "--failed"), Whole: a.runs.Command("show", id)}
		write = func(w io.Writer, r *assay.Assay, style report.Style) error { return report.Brief(w, r, rest, style) }
	}
	if err := write(a.stdout, result, a.style()); err != nil || inv.Published == nil {
		return err
	}
	return report.Published(a.stdout, inv.Published, a.style())
}

// writeReports writes the HTML report to its usual place, or every format into a folder, and returns the HTML's path.
func (a *app) writeReports(result *assay.Assay, dir string) (string, error) {
	id := result.Document.Run.ID
	write := func(path string, render func(io.Writer, *assay.Assay) error) error {
		return atomicfile.Write(path, func(w io.Writer) error { return render(w, result) })
	}
	path, err := a.reportFile(dir, id+".html")
	switch {
	case err != nil:
		return "", err
	case dir == "":
		return path, write(path, report.HTML)
	}
	for _, format := range report.Formats {
		if format.Extension == "" {
			continue
		}
		if err := write(filepath.Join(dir, id+format.Extension), format.Render); err != nil &&
			!errors.As(err, new(report.Absent)) {
			return "", err
		}
	}
	return path, nil
}

// reportFile returns the path of a report in a folder, which is made, or at the usual place.
func (a *app) reportFile(dir, name string) (string, error) {
	if dir == "" {
		return filepath.Join(setting.ReportsDir, name), setting.OwnFolder(setting.ReportsDir)
	}
	return filepath.Join(dir, name), os.MkdirAll(dir, 0o700)
}

// hold decides the gates on a document, and names those that failed on stderr.
func (a *app) hold(gates []gate.Gate, document any, about string) error {
	failed := gate.Failed(gates, figure.Of(document))
	for _, f := range failed {
		a.gateFailed(about, f)
	}
	if len(failed) > 0 {
		return exit.With(exit.Gate, nil)
	}
	return nil
}

func (a *app) gateFailed(about, failed string) {
	fmt.Fprintf(a.stderr, "gate failed: %s\n", report.OneLine(about+": "+failed))
}

// study makes the runs of a plan with suites:, and sets them side by side.
func (a *app) study(ctx context.Context, f *spec.Run) error {
	s := &driver.Study{Bench: a.bench(), Made: a.finish, Say: func(format string, args ...any) {
		if !a.quiet {
			fmt.Fprintln(a.stderr, report.OneLine(fmt.Sprintf(format, args...)))
		}
	}}
	several, outcome, err := s.Do(ctx, f)
	switch {
	case err != nil:
		return err
	case f.Detach && a.json:
		return writeJSON(a.stdout, map[string]any{"runs": a.detached})
	case f.Detach:
		return nil
	}
	a.runs.Say(several.Notes, len(several.Notes))
	if !f.NoReport {
		path, err := a.reportFile(f.Output, several.ID()+".html")
		if err == nil {
			err = a.writeTo(path, func(w io.Writer) error { return report.SeveralFormat("html")(w, several) })
		}
		if err != nil {
			return err
		}
		s.Say("report: %s", filepath.ToSlash(path))
	}
	switch {
	case a.json:
		err = report.SeveralFormat("json")(a.stdout, several)
	case !a.quiet:
		err = report.SeveralText(a.stdout, several, a.style())
	}
	if err != nil {
		return err
	}
	return outcome
}
