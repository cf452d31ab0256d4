package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"

	"hallmark/internal/commands/driver"
	"hallmark/internal/commands/spec"
	"hallmark/internal/report"
)

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
