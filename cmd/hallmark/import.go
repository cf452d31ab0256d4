package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"hallmark/internal/base/exit"
	"hallmark/internal/commands/spec"
)

func (a *app) importCommand() *cobra.Command {
	var f spec.Run
	files := &spec.Imported{}
	cmd := &cobra.Command{
		Use:   "import FILE…",
		Short: "Put answers that you have, or the logs of other tools, into the store as a run",
		Long: "Logs of lm-evaluation-harness (samples_*.jsonl), Inspect (.eval, .json), promptfoo (.json, .jsonl, " +
			".csv),\nOpenAI Evals, DeepEval and RAGAS are recognised and come with their questions, as do tables " +
			"whose columns\nhave the names that people use or are named by --map (docs/import.md). " +
			"Answers alone need --suite:\nrows of JSON objects, one a line, or a CSV: {\"case_id\": \"q1\", " +
			"\"response\": \"Paris\"}, with variant, repeat, model and scores where they are needed. The ids may " +
			"also be called id, sample_id or\ndoc_id, the answers output or actual_output. What comes of it is a run " +
			"as any other, for show, report, annotate, compare and verify; only judges are asked anything. " +
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
