package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"hallmark/internal/evaluate/spec"
	"hallmark/internal/exit"
)

// importFlags are the flags of `hallmark run` that mean something where nothing is asked of a model under test.
var importFlags = []string{
	"allow-exec", "allow-host", "allow-path", "pass-env", "key-cmd", "key-env", "server-key-cmd", "server-key-env", "suite", "method", "limit", "concurrency", "tau", "equal", "entailment", "entailment-reply",
	"equal-most", "equal-check", "sc", "exclude-default", "common-r", "judge", "judge-all", "answer-contract", "grader-check", "as-of", "budget", "price", "rpm", "tpm", "max-retries", "timeout", "retry-errors", "offline",
	"allow-unscored", "fail-on", "no-report", "output",
}

func (a *app) importCommand() *cobra.Command {
	var f spec.Run
	files := &spec.Imported{}
	cmd := &cobra.Command{
		Use:   "import FILE… --suite SUITE",
		Short: "Put answers that you have into the store as a run",
		Long: "Rows are JSON objects, one a line, or a CSV: {\"case_id\": \"q1\", \"response\": \"Paris\"}, with variant, repeat, model and scores where they are needed. The ids may also be called id, sample_id or\n" +
			"doc_id, the answers output or actual_output. What comes of it is a run as any other, for show, report, annotate, compare and verify; only judges are asked anything.\n" +
			"The same files again are the same run. The file - is standard input.",
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			var wrong error
			cmd.Flags().Visit(func(flag *pflag.Flag) {
				if flag.Hidden && !slices.Contains(importFlags, flag.Name) {
					wrong = exit.Usagef("--%s says how models are asked, and `hallmark import` asks none: leave it out", flag.Name)
				}
			})
			switch {
			case wrong != nil:
				return wrong
			case len(f.Suites) != 1:
				return exit.Usagef("which suite was answered? name one with --suite")
			case strings.TrimSpace(files.Name) == "" || strings.ContainsFunc(files.Name, func(r rune) bool { return r < ' ' }):
				return exit.Usagef("--model-name %q: want a name", files.Name)
			}
			files.Paths, f.Imported = args, files
			return a.run(cmd.Context(), cmd, f)
		},
	}
	a.trust.Add(cmd.Flags())
	f.Add(cmd.Flags())
	cmd.Flags().VisitAll(func(flag *pflag.Flag) { flag.Hidden = !slices.Contains(importFlags, flag.Name) })
	cmd.Flags().StringVar(&files.Name, "model-name", "imported", "`NAME` of the model that gave the answers, where rows do not say")
	return cmd
}
