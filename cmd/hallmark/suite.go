package main

import (
	"cmp"
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"hallmark/internal/assay/annotate"
	"hallmark/internal/base/exit"
	"hallmark/internal/commands/suitecheck"
	"hallmark/internal/commands/suites"
	"hallmark/internal/report"
	"hallmark/internal/suite"
)

func (a *app) suiteCommand() *cobra.Command {
	return group("suite", a.suiteCheck(), a.suiteLearn())
}

func (a *app) suiteLearn() *cobra.Command {
	var name, output string
	cmd := command("learn RUN -o FILE", cobra.ExactArgs(1), func(ctx context.Context, args []string) error {
		store, result, plan, err := a.runs.ReadRun(ctx, args[0])
		if err != nil {
			return err
		}
		defer store.Close()
		annotations, err := store.Annotations(ctx, result.Document.Run.ID)
		if err != nil {
			return err
		}
		lessons, err := annotate.Lessons(result.Items(), annotations)
		if err = cmp.Or(result.Err(), err); err != nil {
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
		file, err := learnt.File(result.Document.Run.ID, output)
		if err != nil {
			return err
		}
		err = a.writeTo(output, text(file))
		if err == nil && !a.quiet {
			fmt.Fprintf(a.stderr, "suite %s: %d aliases and %d rejects were learnt\n", report.OneLine(s.Name),
				learnt.Aliases, learnt.Rejects)
		}
		return err
	})
	define(cmd.Flags(), table{"suite": &name, "output o": &output})
	return cmd
}

func (a *app) suiteCheck() *cobra.Command {
	o := suitecheck.Options{Level: level, Mutants: 1000, HalfWidth: .03}
	strict := false
	cmd := command("check FILE…", cobra.MinimumNArgs(1), func(ctx context.Context, args []string) error {
		if !(o.HalfWidth > 0 && o.HalfWidth < .5) {
			return exit.Usagef("--half-width %v: want a number between 0 and .5, such as .03", o.HalfWidth)
		}
		o.Seed = a.seed
		var doc suitecheck.Document
		for _, file := range args {
			s, err := suites.Open(file, a.trust.Path)
			if err != nil {
				return exit.Usage(err)
			}
			checked, err := suitecheck.Check(ctx, file, s, o)
			if err != nil {
				return exit.Usage(err)
			}
			doc.Suites = append(doc.Suites, checked)
		}
		return a.sayLooked(&doc, strict)
	})
	f := cmd.Flags()
	define(f, table{
		"strict": &strict, "mutants": &o.Mutants, "half-width": &o.HalfWidth, "as-of": &o.AsOf,
		"allow-path": &a.trust.Path,
	})
	return cmd
}

// sayLooked prints what was found and decides the exit code.
func (a *app) sayLooked(doc *suitecheck.Document, strict bool) error {
	faults := 0
	for i, s := range doc.Suites {
		faults += len(s.Faults)
		if a.json || a.quiet {
			continue
		}
		if i > 0 {
			fmt.Fprintln(a.stdout)
		}
		if err := s.Write(a.stdout); err != nil {
			return err
		}
	}
	if a.json {
		if err := writeJSON(a.stdout, doc); err != nil {
			return err
		}
	}
	if strict && faults > 0 {
		return exit.With(exit.Gate, fmt.Errorf("%d of what --strict takes for a fault: the lines that begin with "+
			"\"fault:\", or faults with --json", faults))
	}
	return nil
}
