package main

import (
	"context"

	"github.com/spf13/cobra"

	"hallmark/internal/assay/gate"
	"hallmark/internal/base/exit"
	"hallmark/internal/commands/doctor"
	"hallmark/internal/commands/spec"
)

func (a *app) doctorCommand() *cobra.Command {
	v := doctor.Visit{Files: spec.Imported{Name: "imported"}, HalfWidth: .03}
	var failOn []string
	cmd := command("doctor FILE… | RUN", cobra.MinimumNArgs(1), func(ctx context.Context, args []string) error {
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
	define(f, table{
		"suite": &v.Suite, "as-of": &v.AsOf, "model-name": &v.Files.Name, "map": &v.Files.Map,
		"half-width": &v.HalfWidth, "fail-on": &failOn, "allow-path": &a.trust.Path,
	})
	return cmd
}
