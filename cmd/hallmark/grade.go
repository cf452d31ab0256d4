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
	return group("grade", a.gradeCheck(), a.gradeDrift())
}

func (a *app) gradeCheck() *cobra.Command {
	var suiteName, asOf string
	judges := spec.Default()
	c := answers.Check{Asked: &judges, List: 10}
	cmd := command("check ANSWERS --suite SUITE [--labels LABELS]", cobra.ExactArgs(1),
		func(ctx context.Context, args []string) error {
			if c.List < 0 {
				return exit.Usagef("--list %d: want a number of disagreements, 0 or more", c.List)
			}
			s, rub, err := a.answeredSuite(suiteName, asOf)
			if err != nil {
				return exit.Usage(err)
			}
			c.Answers, judges.Suites, judges.Plan.AsOf = args[0], []string{suiteName}, asOf
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
	define(f, a.allowing())
	judges.AddGroup(f, spec.Reaching)
	judges.AddGroup(f, spec.Judging)
	define(f, table{"suite": &suiteName, "as-of": &asOf, "labels": &c.Labels, "list": &c.List})
	return cmd
}

func (a *app) gradeDrift() *cobra.Command {
	var suiteName, asOf string
	var failOn []string
	told := spec.Default()
	d := answers.Drift{Asked: &told}
	cmd := command("drift ANSWERS --suite SUITE --judge REF", cobra.ExactArgs(1),
		func(ctx context.Context, args []string) error {
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
			d.Answers, told.Suites, told.Plan.AsOf = args[0], []string{suiteName}, asOf
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
	define(f, table{
		"labels": &d.Labels, "date": &d.Date, "against": &d.Against, "again": &d.Again, "new": &d.New,
		"judge": &told.Judges, "fail-on": &failOn, "suite": &suiteName, "as-of": &asOf,
	})
	define(f, a.allowing())
	told.AddGroup(f, spec.Reaching)
	return cmd
}
