package main

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"hallmark/internal/assay/gate"
	"hallmark/internal/base/exit"
	"hallmark/internal/commands/answers"
	"hallmark/internal/commands/spec"
	"hallmark/internal/report"
)

func (a *app) gradeCommand() *cobra.Command {
	return group("grade", "How well answers are graded", a.gradeCheck(), a.gradeDrift())
}

func (a *app) gradeCheck() *cobra.Command {
	var suiteName, asOf string
	judges := spec.Default()
	c := answers.Check{Asked: &judges}
	cmd := command("check ANSWERS --suite SUITE [--labels LABELS]",
		"What graders make of answers that people labelled: the matrix of read against true outcomes",
		cobra.ExactArgs(1), func(ctx context.Context, args []string) error {
			if c.List < 0 {
				return exit.Usagef("--list %d: want a number of disagreements, 0 or more", c.List)
			}
			s, rub, err := a.answeredSuite(suiteName, asOf)
			if err != nil {
				return exit.Usage(err)
			}
			c.Answers, judges.Suites, judges.AsOf = args[0], []string{suiteName}, asOf
			doc, err := c.Run(ctx, a.bench(), s, rub)
			if err != nil {
				return exit.Usage(err)
			}
			err = a.print(doc, func(w io.Writer) error { return report.GradeCheck(w, doc) })
			if err == nil && (doc.Decided == nil || doc.Decided.K == 0) {
				return exit.With(exit.Unscored, fmt.Errorf(
					"none of %d labelled answers could be graded, so nothing is known of how they are read",
					doc.N+doc.Unscored))
			}
			return err
		})
	f := cmd.Flags()
	f.StringVar(&c.Labels, "labels", "", "`FILE` of labels; default: the answers' own")
	a.trust.Add(f)
	judges.AddGroup(f, spec.Reaching)
	judges.AddGroup(f, spec.Judging)
	answered(f, &suiteName, &asOf)
	f.IntVar(&c.List, "list", 10, "list at most this many answers that were misread")
	return cmd
}

func (a *app) gradeDrift() *cobra.Command {
	var suiteName, asOf string
	var failOn []string
	told := spec.Default()
	d := answers.Drift{Asked: &told}
	cmd := command("drift ANSWERS --suite SUITE --judge REF",
		"Whether a judge still decides as it did: the same labelled answers, then and now",
		cobra.ExactArgs(1), func(ctx context.Context, args []string) error {
			gates, err := gate.ParseAll(failOn, report.DriftDocument{})
			if err != nil {
				return exit.Usage(err)
			}
			if len(told.Judges) != 1 {
				return exit.Usagef("which judge? name one with --judge REF: each has sittings of its own")
			}
			s, rub, err := a.answeredSuite(suiteName, asOf)
			if err != nil {
				return exit.Usage(err)
			}
			d.Answers, told.Suites, told.AsOf = args[0], []string{suiteName}, asOf
			doc, err := d.Run(ctx, a.bench(), s, rub)
			if err != nil {
				return err
			}
			if err := a.say(doc, func(w io.Writer) error { return report.GradeDrift(w, doc) }); err != nil {
				return err
			}
			return a.hold(gates, doc, "drift")
		})
	f := cmd.Flags()
	f.StringVar(&d.Labels, "labels", "", "`FILE` of labels; default: the answers' own")
	f.StringVar(&d.Date, "date", "", "`DATE` of the sitting, as 2026-11-20; default: today")
	f.StringVar(&d.Against, "against", "", "compare with the sitting of this `DATE`; default: the first")
	f.BoolVar(&d.Again, "again", false, "ask once more on a date that has a sitting")
	f.BoolVar(&d.New, "new", false, "begin with other anchors than earlier sittings on the suite had")
	f.StringArrayVar(&told.Judges, "judge", nil, "the judge `REF`")
	f.StringArrayVar(&failOn, "fail-on", nil, "gate: exit 100 if `EXPR` holds, such as 'drift.accepted.change.hi < 0' "+
		"(repeatable)")
	a.trust.Add(f)
	told.AddGroup(f, spec.Reaching)
	answered(f, &suiteName, &asOf)
	return cmd
}
