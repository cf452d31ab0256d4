package main

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"hallmark/internal/assay"
	"hallmark/internal/base/exit"
	"hallmark/internal/base/lists"
	"hallmark/internal/bundle"
	"hallmark/internal/grade"
	"hallmark/internal/report"
)

// bundleFormat is the format of `hallmark report` that holds a run whole.
const bundleFormat = "evidence"

// A verified is what `hallmark verify --json` prints of a bundle that holds.
type verified struct {
	Verified bool          `json:"verified"` // always true: what does not verify is an error
	Grading  grade.Grading `json:"grading"`  // of this release; that of the bundle is in its manifest
	// read_anew, or own: of another grading version, so that the figures were computed from them
	Verdicts string          `json:"verdicts"`
	Bundle   string          `json:"bundle"`
	SHA256   string          `json:"sha256"` // of the file
	Manifest bundle.Manifest `json:"manifest"`
	// NotChecked lists what could be held against nothing but its hash; empty where verdicts were read anew.
	NotChecked []string `json:"not_checked"`
	// Figures counts what was compared where not every byte is as computed again.
	Figures  *bundle.Comparison `json:"figures,omitempty"`
	Notes    []string           `json:"notes"`
	Regraded *bundle.Regraded   `json:"regraded,omitempty"` // with --regrade
}

func (a *app) verifyCommand() *cobra.Command {
	var regrade bool
	cmd := command("verify BUNDLE", cobra.ExactArgs(1), func(ctx context.Context, args []string) error {
		b, err := a.runs.Bundle(ctx, args[0])
		if err != nil {
			return err
		}
		var again *bundle.Regraded
		if regrade {
			if again, err = b.Regrade(ctx, a.runs.Options()); err != nil {
				return exit.Usagef("%s: its answers cannot be read anew: %v", args[0], err)
			}
		}
		switch {
		case a.json:
			out := verified{
				Verified: true, Grading: grade.Current(), Verdicts: "read_anew", Bundle: args[0],
				SHA256: b.SHA256(), Manifest: b.Manifest,
				NotChecked: append([]string{}, b.NotChecked...), Figures: b.Compared,
				Notes: append([]string{}, b.Notes...), Regraded: again,
			}
			if b.Own {
				out.Verdicts = "own"
			}
			return writeJSON(a.stdout, out)
		case !a.quiet:
			a.sayVerified(b, again)
		}
		return nil
	})
	define(cmd.Flags(), table{"regrade": &regrade})
	return cmd
}

// sayVerified says what was checked of a bundle that holds, and what its answers are read as now.
func (a *app) sayVerified(b *bundle.Bundle, again *bundle.Regraded) {
	models := lists.Map(b.Manifest.Models, assay.UnderTest.Name)
	suites := lists.Map(b.Manifest.Suites, func(s assay.SuiteInfo) string { return s.Name })
	say := func(format string, args ...any) { fmt.Fprintf(a.stdout, format+"\n", args...) }
	say("verified: run %s, %s on %s", b.Manifest.Run, report.OneLine(strings.Join(models, ", ")),
		report.OneLine(strings.Join(suites, ", ")))
	if b.Own {
		say("%d answers in %d files: every hash holds, every answer has the key of its call, and the figures "+
			"follow from the verdicts in the bundle", b.Manifest.Records, len(b.Manifest.Members)+1)
		say("its answers were read by grading version %s and this release reads by version %s, so verdicts may "+
			"differ by right: they were not read anew", report.OneLine(b.Manifest.Grading.Version), grade.Version)
	} else if b.Compared != nil {
		const format = "%d answers in %d files: every hash holds, and each figure that was compared is as computed " +
			"again"
		say(format, b.Manifest.Records, len(b.Manifest.Members)+1)
	} else {
		but := ""
		if b.Rounded {
			but = ", but for last digits of figures"
		}
		say("%d answers and what follows from them, in %d files: every byte is as computed again%s",
			b.Manifest.Records, len(b.Manifest.Members)+1, but)
	}
	if b.Compared != nil {
		say("%s", b.Compared)
	}
	for _, n := range b.NotChecked {
		say("not checked: %s", report.OneLine(n))
	}
	for _, n := range b.Notes {
		say("note: %s", report.OneLine(n))
	}
	say("sha256 %s", b.SHA256())
	if again == nil {
		return
	}
	if again.From == again.To {
		say("read anew: 0 of %d answers differ, as this release reads by the same version", again.Answers)
		return
	}
	say("read anew: %d of %d answers differ between grading version %s and %s", again.Differ, again.Answers,
		report.OneLine(again.From), again.To)
	for i := range again.Cases {
		d := &again.Cases[i]
		say("  %s: %s", report.OneLine(d.AnswerID.String()), report.OneLine(d.String()))
	}
}

// writeBundle writes the bundle of a stored run, to the file or to stdout.
func (a *app) writeBundle(ctx context.Context, name, output string) error {
	if f, ok := a.stdout.(*os.File); ok && output == "" && term.IsTerminal(int(f.Fd())) {
		return exit.Usagef("--format evidence writes a zip file: name it with -o FILE")
	}
	b, err := a.runs.BundleOf(ctx, name)
	if err != nil {
		return err
	}
	for _, g := range b.Manifest.Guards {
		if !g.Recomputed {
			a.log.Warn("the bundle lacks the answers of the model inside a guard", "model", g.Model, "reason", g.Why)
		}
	}
	if err := a.writeTo(output, b.Copy); err != nil {
		return err
	}
	if output != "" && !a.quiet {
		fmt.Fprintf(a.stderr, "evidence: %s, sha256 %s\n", output, b.SHA256())
	}
	return nil
}
