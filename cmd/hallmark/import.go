package main

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"hallmark/internal/assay"
	"hallmark/internal/base/exit"
	"hallmark/internal/commands/spec"
	"hallmark/internal/report"
	"hallmark/internal/run"
)

func (a *app) importCommand() *cobra.Command {
	var f spec.Run
	files := &spec.Imported{}
	cmd := &cobra.Command{
		Use:   "import FILE…",
		Short: "Put answers that you have, or the logs of other tools, into the store as a run",
		Long: "Logs of lm-evaluation-harness (samples_*.jsonl), Inspect (.eval, .json), promptfoo (.json, .jsonl, .csv),\n" +
			"OpenAI Evals, DeepEval and RAGAS are recognised and come with their questions, as do tables whose " +
			"columns\nhave the names that people use or are named by --map (docs/import.md). " +
			"Answers alone need --suite:\nrows of JSON objects, one a line, or a CSV: {\"case_id\": \"q1\", \"response\": \"Paris\"}, with " +
			"variant, repeat, model and scores where they are needed. The ids may also be called id, sample_id or\n" +
			"doc_id, the answers output or actual_output. What comes of it is a run as any other, for show, " +
			"report, annotate, compare and verify; only judges are asked anything. " +
			fmt.Sprintf("More than %d answers\nare stored and graded by show, or by --evaluate.\n", spec.MostGraded) +
			"The same files again are the same run. The file - is standard input.",
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := files.Check(cmd.Flags(), &f); err != nil {
				return exit.Usage(err)
			}
			files.Paths, f.Imported = args, files
			return a.run(cmd.Context(), &f)
		},
	}
	a.trust.Add(cmd.Flags())
	files.Add(cmd.Flags(), &f)
	return cmd
}

// keep stores imported answers that are not graded, and then the run: one that is listed has all of them.
func (a *app) keep(ctx context.Context, store run.Store, plan *assay.Plan, f *spec.Run, notes []string,
	started time.Time) error {
	if err := f.Imported.Keep(ctx, store, plan, a.now()); err != nil {
		return err
	}
	id := plan.ID()
	d := plan.Ungraded(f.Imported.N, a.runs.Command("show", id), version, notes)
	if err := a.driver().Kept(ctx, store, plan, started); err != nil {
		return err
	}
	if err := a.name(ctx, store, id, f.Name, nil); err != nil {
		return err
	}
	d.ThisInvocation = &assay.Invocation{Seconds: a.now().Sub(started).Seconds(),
		Started: started.UTC().Format(time.RFC3339)}
	switch {
	case a.json:
		return writeJSON(a.stdout, d)
	case !a.quiet:
		return report.Ungraded(a.stdout, d)
	}
	return nil
}
