package main

import (
	"context"

	"github.com/spf13/cobra"

	"hallmark/internal/assay/gate"
	"hallmark/internal/base/exit"
	"hallmark/internal/commands/doctor"
)

func (a *app) doctorCommand() *cobra.Command {
	var v doctor.Visit
	var failOn []string
	cmd := command("doctor FILE… | RUN",
		"Look results through before anybody draws conclusions from them: logs of other tools, or a run",
		cobra.MinimumNArgs(1), func(ctx context.Context, args []string) error {
			if !(v.HalfWidth > 0 && v.HalfWidth < .5) {
				return exit.Usagef("--half-width %v: want a number between 0 and .5, such as .03", v.HalfWidth)
			}
			gates, err := gate.ParseAll(failOn, doctor.Shape())
			if err != nil {
				return exit.Usage(err)
			}
			v.Names = args
			doc, err := v.Look(ctx, a.bench())
			if err != nil {
				return err
			}
			if err := a.say(doc, doc.Write); err != nil {
				return err
			}
			return a.hold(gates, doc, "doctor")
		})
	f := cmd.Flags()
	a.trust.AddPath(f)
	f.StringVar(&v.Suite, "suite", "", "the suite that was answered; default: the questions of the files")
	f.StringVar(&v.AsOf, "as-of", "", "today of the answers, as 2026-11-20; default: the suite's")
	f.StringVar(&v.Files.Name, "model-name", "imported", "`NAME` of the model, where the files do not say")
	f.StringArrayVar(&v.Files.Map, "map", nil, "`ROLE=COLUMN,…` what the columns of a table are for, as in import")
	f.Float64Var(&v.HalfWidth, "half-width", .03, "half the width of the interval that is wanted of a rate")
	f.StringArrayVar(&failOn, "fail-on", nil,
		"gate: exit 100 if `EXPR` holds, such as 'faults > 0' or 'by_check.cut_off.count > 0' (repeatable)")
	return cmd
}
