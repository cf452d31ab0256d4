package main

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"hallmark/internal/assay/annotate"
	"hallmark/internal/commands/sheets"
)

func (a *app) annotateCommand() *cobra.Command {
	return group("annotate", "Export answers for people to judge, and import their verdicts", a.annotateExport(),
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
	return command("show [RUN]", "Agreement of the raters, what is to be adjudicated again, and the corrected rates",
		cobra.MaximumNArgs(1), func(ctx context.Context, args []string) error {
			return a.printAudits(sheets.Show(ctx, a.runs, runNamed(args)))
		})
}

func (a *app) annotateExport() *cobra.Command {
	var f sheets.Export
	cmd := &cobra.Command{
		Use:   "export [RUN]",
		Short: "Write sheets with a seeded sample of the answers that need people",
		Args:  cobra.MaximumNArgs(1),
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
	fs.IntVar(&f.N, "n", 0, "at most `N` answers of each model on each suite, half of them of those that need "+
		"people; 0: all of these, and 30 others")
	fs.StringArrayVar(&f.Raters, "rater", nil, "write a sheet for `NAME` (repeatable); default rater-1 and rater-2")
	fs.StringVar(&f.Format, "format", "", "jsonl or csv; default: by the name of the output, else jsonl")
	fs.BoolVar(&f.Unblind, "unblind", false, "show the grader's verdicts and reasons, and the model")
	fs.BoolVar(&f.Disputed, "disputed", false,
		"only the answers that are to be adjudicated again, for the rater "+annotate.Adjudicator+", who settles them")
	fs.BoolVar(&f.Next, "next", false, "only answers that nobody judged yet, --n of each model on each suite "+
		"(default 30), where a verdict narrows the interval of the wrong answers most")
	fs.BoolVar(&f.Pairs, "pairs", false, "pairs of answers that were compared for semantic equivalence, in place of "+
		"answers: --n of those joined and of those apart, 50 of each by default (docs/equality.md)")
	fs.BoolVar(&f.Variants, "variants", false, "answers to all variants of the cases, for the rates over them: "+
		"cases are drawn, in each one of its answers at random, --n of each model on each suite (default 30) that "+
		"nobody judged yet, where a verdict narrows the interval most; the sheet shows other answers that say the same")
	fs.BoolVar(&f.Second, "second", false, "answers that one rater labelled, for another: all whose label "+
		"contradicts the grader, and others at random until --n (default 30) have two")
	fs.StringVar(&f.Like, "like", "", "a common sample with the run `OTHER`, for comparing the two: of the cases "+
		"that both have the first --n (default 100) in an order that is the same for both, less those that were "+
		"judged; export it from each of the two")
	fs.StringVar(&f.Model, "model", "", "only answers of this model")
	fs.StringVar(&f.Suite, "suite", "", "only answers to this suite")
	fs.StringVarP(&f.Output, "output", "o", "",
		"write to `FILE`; of several raters each to a file with the name before the ending")
	return cmd
}

func (a *app) annotateImport() *cobra.Command {
	var revise bool
	cmd := command("import RUN FILE…", "Store people's verdicts beside a run, and print what they say",
		cobra.MinimumNArgs(2), func(ctx context.Context, args []string) error {
			doc, err := sheets.Import(ctx, a.runs, args[0], a.stdin, args[1:], revise, a.now)
			if err == nil && !a.quiet && !a.json {
				fmt.Fprintln(a.stderr, doc.Summary())
			}
			return a.printAudits(doc, err)
		})
	cmd.Flags().BoolVar(&revise, "revise", false,
		"let a rater's new verdict count instead of an earlier one, which stays in the store")
	return cmd
}
