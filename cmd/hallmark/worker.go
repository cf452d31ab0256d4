package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"hallmark/internal/assay"
	"hallmark/internal/base/exit"
	"hallmark/internal/commands/console"
	"hallmark/internal/commands/spec"
	"hallmark/internal/commands/stored"
	"hallmark/internal/commands/telemetry"
	"hallmark/internal/commands/workers"
	"hallmark/internal/report"
	"hallmark/internal/run"
)

// detach puts a run on the queue, whose plan is in the store.
func (a *app) detach(ctx context.Context, store run.Store, plan *assay.Plan, f *spec.Run) error {
	added, err := workers.Detach(ctx, store, plan, f, planner(), a.shown)
	switch id := plan.ID(); {
	case err != nil:
		return err
	case a.json && f.Part != nil: // of a plan with suites:, whose runs are printed together
		a.detached = append(a.detached, map[string]any{"run": id, "added": added})
	case a.json:
		return writeJSON(a.stdout, map[string]any{"run": id, "added": added})
	case added:
		fmt.Fprintf(a.stdout, "run %s is on the queue; `%s` follows it\n", id, a.runs.Command("show", id, "--follow"))
	default:
		fmt.Fprintf(a.stdout, "run %s is on the queue already; `%s` follows it\n", id,
			a.runs.Command("show", id, "--follow"))
	}
	return nil
}

// controlCommands are what is done to a run on the queue from anywhere.
func (a *app) controlCommands() (list []*cobra.Command) {
	for _, v := range workers.Verbs {
		do := func(ctx context.Context, args []string) error {
			store, err := a.runs.Read(ctx)
			if err != nil {
				return err
			}
			defer store.Close()
			id, err := v.Apply(ctx, store, args[0])
			if err != nil {
				return err
			}
			return a.print(map[string]any{"run": id, "did": v.Name}, text(fmt.Sprintf("run %s %s\n", id, v.Done)))
		}
		list = append(list, command(v.Name+" RUN", cobra.ExactArgs(1), do))
	}
	return list
}

// follow says how a detached run goes until it is finished.
func (a *app) follow(ctx context.Context, name string) error {
	if stored.IsBundle(name) {
		return exit.Usagef("--follow %s: a bundle is of a run that is finished: leave --follow out", name)
	}
	store, err := a.runs.Read(ctx)
	if err != nil {
		return err
	}
	defer store.Close()
	return workers.Follow(ctx, store, name, console.NewLine(a.stderr, a.quiet))
}

func (a *app) workerCommand() *cobra.Command {
	w := &workers.Worker{Version: version, Say: func(line string) {
		fmt.Fprintln(a.stderr, report.OneLine(line))
	}}
	f := spec.Default()
	var shown telemetry.Flags
	cmd := command("worker", cobra.NoArgs, func(ctx context.Context, _ []string) error {
		if err := workers.Reached(a.runs.Store); err != nil {
			return err
		}
		return shown.While(ctx, version, a.log, func(t *telemetry.Telemetry) error {
			a.shown = t
			w.Program, w.Open, w.Models, w.Driver, w.Reach = planner(), a.runs.Open, a.models, a.driver(), f.Reach
			return w.Work(ctx)
		})
	})
	fs := cmd.Flags()
	define(fs, table{
		"allow-exec": &w.Allow.Programs, "allow-host": &w.Allow.Hosts, "drain": &w.Drain,
		"metrics": &shown.Metrics,
	})
	f.AddNamed(fs, "key-env", "key-cmd", "pass-env", "concurrency")
	return cmd
}
