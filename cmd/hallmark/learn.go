package main

import (
	"bytes"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"hallmark/internal/annotate"
	"hallmark/internal/assay"
	"hallmark/internal/exit"
	"hallmark/internal/report"
	"hallmark/internal/run"
	"hallmark/internal/suite"
)

func (a *app) suiteCommand() *cobra.Command {
	return group("suite", "Suites from what was learnt in runs", a.suiteLearn())
}

func (a *app) suiteLearn() *cobra.Command {
	var name, output string
	cmd := &cobra.Command{
		Use:   "learn RUN -o FILE",
		Short: "Make a suite in which what people said of a run's answers are aliases and rejects, for runs to come",
		Long: "Where people call an answer correct that was not read so, its words become an alias of the case; where they call one incorrect that was not\n" +
			"read so, a reject. Nothing is learnt of answers of more than eight words. The run itself stays as it is, with its labels: the suite that is written is another one.",
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
			lessons, err := annotate.Lessons(result.Units(), annotations)
			if err != nil {
				return err
			}
			s, err := suiteNamed(plan, name)
			if err != nil {
				return exit.Usage(err)
			}
			s, aliases, rejects := a.learn(s, lessons)
			if aliases+rejects == 0 {
				return exit.Usagef("run %s: its labels teach nothing of suite %s: people call its answers what they were read as, or nobody labelled any", result.Document.Run.ID, s.Name)
			}
			var text bytes.Buffer
			if err := s.WriteYAML(&text); err != nil {
				return err
			}
			if _, err := suite.Parse(output, text.Bytes()); err != nil {
				return exit.Usagef("what was learnt contradicts the suite: %w", err)
			}
			err = a.writeTo(output, func(w io.Writer) error {
				_, err := w.Write(text.Bytes())
				return err
			})
			if err == nil && !a.quiet {
				fmt.Fprintf(a.stderr, "suite %s: %d aliases and %d rejects were learnt\n", report.OneLine(s.Name), aliases, rejects)
			}
			return err
		},
	}
	cmd.Flags().StringVar(&name, "suite", "", "the suite of the run, where it has several")
	cmd.Flags().StringVarP(&output, "output", "o", "", "write the suite to `FILE` instead of stdout")
	return cmd
}

// suiteNamed returns the suite of a plan that is named, or the only one.
func suiteNamed(plan *assay.Plan, name string) (*suite.Suite, error) {
	var names []string
	for _, s := range plan.Suites {
		if s.Name == name || name == "" && len(plan.Suites) == 1 {
			return s, nil
		}
		names = append(names, s.Name)
	}
	return nil, fmt.Errorf("--suite %q: the run has %q; name one of them", name, names)
}

// learn returns a suite with what was learnt of its cases, and how much that is. What cannot be learnt is said.
func (a *app) learn(from *suite.Suite, lessons []annotate.Lesson) (s *suite.Suite, aliases, rejects int) {
	learnt := *from.With(suite.List{})
	learnt.Cases = from.List().Loose()
	at := map[string]int{}
	for i := range learnt.Cases {
		at[learnt.Cases[i].ID] = i
	}
	for _, l := range lessons {
		i, ok := at[l.CaseID]
		if !ok || l.Suite != from.Name {
			continue
		}
		c := &learnt.Cases[i]
		byGold := c.Oracle == nil && len(c.Gold.Texts) > 0
		switch {
		case l.Left != "":
		case l.Alias != "" && !byGold && (c.Oracle == nil || c.Oracle.Type != "exact"):
			l.Left = "its gold takes no aliases"
		case l.Alias != "":
			if !slices.Contains(c.Aliases, l.Alias) {
				c.Aliases, aliases = append(slices.Clone(c.Aliases), l.Alias), aliases+1
			}
		case byGold || c.Oracle != nil && c.Oracle.Type == "exact":
			o := suite.Oracle{Type: "exact"}
			if c.Oracle != nil {
				o = *c.Oracle
			}
			if !slices.Contains(o.Reject, l.Reject) {
				o.Reject, rejects = append(slices.Clone(o.Reject), l.Reject), rejects+1
				c.Oracle = &o
			}
		default:
			l.Left = "its oracle takes no rejects"
		}
		if l.Left != "" {
			fmt.Fprintf(a.stderr, "case %s: nothing was learnt, as %s\n", report.Visible(c.ID), l.Left)
		}
	}
	return &learnt, aliases, rejects
}
