package main

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"hallmark/internal/assay"
	"hallmark/internal/exit"
	"hallmark/internal/imported"
	"hallmark/internal/run"
)

// importFlags are the flags of `hallmark run` that mean something where nothing is asked of a model under test.
var importFlags = []string{
	"allow-exec", "allow-host", "allow-path", "pass-env", "key-cmd", "key-env", "server-key-cmd", "server-key-env", "suite", "method", "limit", "concurrency", "tau", "equal", "entailment", "entailment-reply",
	"equal-most", "equal-check", "sc", "exclude-default", "common-r", "judge", "judge-all", "answer-contract", "grader-check", "as-of", "budget", "price", "rpm", "tpm", "max-retries", "timeout", "retry-errors", "offline",
	"allow-unscored", "fail-on", "no-report", "output",
}

// importedFiles are the files whose answers become a run.
type importedFiles struct {
	name    string // of a model that rows do not name
	paths   []string
	answers *imported.Answers
}

func (a *app) importCommand() *cobra.Command {
	var f runFlags
	files := &importedFiles{}
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
			case len(f.suites) != 1:
				return exit.Usagef("which suite was answered? name one with --suite")
			case strings.TrimSpace(files.name) == "" || strings.ContainsFunc(files.name, func(r rune) bool { return r < ' ' }):
				return exit.Usagef("--model-name %q: want a name", files.name)
			}
			files.paths, f.imported = args, files
			return a.run(cmd.Context(), cmd, f)
		},
	}
	a.trust.Add(cmd.Flags())
	f.add(cmd.Flags())
	cmd.Flags().VisitAll(func(flag *pflag.Flag) { flag.Hidden = !slices.Contains(importFlags, flag.Name) })
	cmd.Flags().StringVar(&files.name, "model-name", "imported", "`NAME` of the model that gave the answers, where rows do not say")
	return cmd
}

// read reads the files into a plan, which has its suite.
func (x *importedFiles) read(a *app, plan *assay.Plan) error {
	x.answers = &imported.Answers{Suite: plan.Suites[0]}
	if err := a.each(x.paths, x.answers.Read); err != nil {
		return err
	}
	x.answers.Done()
	if len(x.answers.List) == 0 {
		return fmt.Errorf("%s: no answers in it", strings.Join(x.paths, ", "))
	}
	var names []string
	for _, path := range x.paths {
		names = append(names, filepath.Base(path))
	}
	plan.Import(x.answers, x.name, names)
	if len(plan.Variants) == 0 && plan.Sampled == 0 { // of one answer a case nothing agrees
		plan.Methods = slices.DeleteFunc(plan.Methods, func(m string) bool { return m == assay.Consistency })
	}
	return nil
}

// keep puts the answers into the store, but those that are there.
func (x *importedFiles) keep(ctx context.Context, store run.Store, plan *assay.Plan, now time.Time) error {
	if x == nil {
		return nil
	}
	var batch []run.Record
	flush := func() error {
		keys := make([]run.Key, len(batch))
		for i := range batch {
			keys[i] = batch[i].Call.Key()
		}
		there := make([]bool, len(keys))
		err := run.EachKey(run.Bare(ctx, true), store, keys, func(i int, r *run.Record) error {
			there[i] = r != nil
			return nil
		})
		if err != nil {
			return err
		}
		var fresh []run.Record
		for i := range batch {
			if !there[i] {
				fresh = append(fresh, batch[i])
			}
		}
		batch = batch[:0]
		if len(fresh) == 0 {
			return nil
		}
		return store.Add(ctx, fresh)
	}
	const most = 1000 // records in a batch
	err := plan.EachRecord(x.answers, x.name, func(r run.Record) error {
		r.At = now
		if batch = append(batch, r); len(batch) < most {
			return nil
		}
		return flush()
	})
	x.answers = nil
	if err != nil {
		return err
	}
	return flush()
}
