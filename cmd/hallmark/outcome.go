package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"hallmark/internal/assay"
	"hallmark/internal/assay/gate"
	"hallmark/internal/base/atomicfile"
	"hallmark/internal/base/jsonl"
	"hallmark/internal/commands/driver"
	"hallmark/internal/commands/setting"
	"hallmark/internal/commands/spec"
	"hallmark/internal/report"
	"hallmark/internal/stat/figure"
)

// finish writes the reports of a run, prints the summary and decides the exit code.
func (a *app) finish(f *spec.Run, out *driver.Outcome) error {
	if out.Ungraded != nil {
		switch {
		case a.json:
			return writeJSON(a.stdout, out.Ungraded)
		case !a.quiet:
			return report.Ungraded(a.stdout, out.Ungraded)
		}
		return nil
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

// failedGates decides the gates on a document, names those that failed on stderr and counts them.
func (a *app) failedGates(gates []gate.Gate, document any, about string) int {
	failed := gate.Failed(gates, figure.Of(document))
	for _, f := range failed {
		a.gateFailed(about, f)
	}
	return len(failed)
}

func (a *app) gateFailed(about, failed string) {
	fmt.Fprintf(a.stderr, "gate failed: %s\n", report.OneLine(about+": "+failed))
}
