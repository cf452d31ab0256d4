package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"hallmark/internal/assay/annotate"
	"hallmark/internal/base/exit"
	"hallmark/internal/report"
	"hallmark/internal/run"
	"hallmark/internal/suite"
)

func (a *app) suiteCommand() *cobra.Command {
	return group("suite", "Check suites, and make them from what was learnt in runs", a.suiteCheck(), a.suiteLearn())
}

func (a *app) suiteLearn() *cobra.Command {
	var name, output string
	cmd := &cobra.Command{
		Use:   "learn RUN -o FILE",
		Short: "Make a suite in which what people said of a run's answers are aliases and rejects, for runs to come",
		Long: "Where people call an answer correct that was not read so, its words become an alias of the case; " +
			"where they call one incorrect that was not\n" +
			"read so, a reject. Nothing is learnt of answers of more than eight words. The run itself stays as it " +
			"is, with its labels: the suite that is written is another one.",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			store, err := a.openStored(cmd.Context())
			if err != nil {
				return err
			}
			defer store.Close()
			result, plan, err := a.stored(cmd.Context(), store, args[0])
			if err != nil {
				return err
			}
			kept, ok := store.(run.AnnotationStore)
			if !ok {
				return exit.Usagef("the store %s keeps no annotations", a.runs.Store)
			}
			annotations, err := kept.Annotations(cmd.Context(), result.Document.Run.ID)
			if err != nil {
				return err
			}
			lessons, err := annotate.Lessons(result.Items(), annotations)
			if err != nil {
				return err
			}
			s, err := suite.Named(plan.Suites, name)
			if err != nil {
				return exit.Usage(err)
			}
			learnt := annotate.Learn(s, lessons)
			for _, l := range learnt.Left {
				fmt.Fprintf(a.stderr, "case %s: nothing was learnt, as %s\n", report.Visible(l.CaseID), l.Left)
			}
			text, err := learnt.File(result.Document.Run.ID, output)
			if err != nil {
				return err
			}
			err = a.writeTo(output, func(w io.Writer) error {
				_, err := w.Write(text)
				return err
			})
			if err == nil && !a.quiet {
				fmt.Fprintf(a.stderr, "suite %s: %d aliases and %d rejects were learnt\n", report.OneLine(s.Name),
					learnt.Aliases, learnt.Rejects)
			}
			return err
		},
	}
	cmd.Flags().StringVar(&name, "suite", "", "the suite of the run, where it has several")
	cmd.Flags().StringVarP(&output, "output", "o", "", "write the suite to `FILE` instead of stdout")
	return cmd
}
