package main

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"hallmark/internal/commands/sheets"
)

func (a *app) annotateCommand() *cobra.Command {
	return group("annotate", a.annotateExport(),
		a.annotateImport(), a.annotateShow())
}

// printAudits prints what people said, as JSON or for a terminal.
func (a *app) printAudits(doc *sheets.Document, err error) error {
	if err != nil {
		return err
	}
	return a.say(doc, func(w io.Writer) error { return doc.Terminal(w, a.style()) })
}

func (a *app) annotateShow() *cobra.Command {
	return command("show [RUN]", cobra.MaximumNArgs(1), func(ctx context.Context, args []string) error {
		return a.printAudits(sheets.Show(ctx, a.runs, runNamed(args)))
	})
}

func (a *app) annotateExport() *cobra.Command {
	var f sheets.Export
	cmd := &cobra.Command{
		Use:  "export [RUN]",
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.Notes = a.stderr; a.quiet {
				f.Notes = io.Discard
			}
			if cmd.Flags().Changed("seed") {
				f.Seed = &a.seed
			}
			return f.Write(cmd.Context(), a.runs, runNamed(args), a.stdout)
		},
	}
	fs := cmd.Flags()
	define(fs, table{
		"n": &f.N, "rater": &f.Raters, "format": &f.Format, "unblind": &f.Unblind, "disputed": &f.Disputed,
		"next": &f.Next, "pairs": &f.Pairs, "variants": &f.Variants, "second": &f.Second, "like": &f.Like,
		"model": &f.Model, "suite": &f.Suite, "output o": &f.Output,
	})
	return cmd
}

func (a *app) annotateImport() *cobra.Command {
	var revise bool
	cmd := command("import RUN FILE…", cobra.MinimumNArgs(2), func(ctx context.Context, args []string) error {
		doc, err := sheets.Import(ctx, a.runs, args[0], a.stdin, args[1:], revise, a.now)
		if err == nil && !a.quiet && !a.json {
			fmt.Fprintln(a.stderr, doc.Summary())
		}
		return a.printAudits(doc, err)
	})
	define(cmd.Flags(), table{"revise": &revise})
	return cmd
}
