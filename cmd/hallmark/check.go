package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"hallmark/internal/base/exit"
	"hallmark/internal/base/lists"
	"hallmark/internal/commands/stored"
	"hallmark/internal/report"
)

func (a *app) checkCommand() *cobra.Command {
	return command("check [STORE|BUNDLE]", cobra.MaximumNArgs(1), func(ctx context.Context, args []string) error {
		name := a.runs.Store
		if len(args) == 1 {
			name, a.runs.Named = args[0], true
		}
		out, err := a.runs.Check(ctx, name)
		if err != nil {
			return err
		}
		return a.sayChecked(out)
	})
}

// sayChecked prints what was found and decides the exit code.
func (a *app) sayChecked(out *stored.Checked) error {
	out.Whole = len(out.Lost) == 0
	for _, d := range out.Damaged {
		out.Whole = out.Whole && d.Replaced
	}
	if a.json {
		if err := writeJSON(a.stdout, out); err != nil {
			return err
		}
	} else {
		for _, d := range out.Damaged {
			fmt.Fprintln(a.stdout, report.OneLine(d.String()))
		}
		for _, l := range out.Lost {
			fmt.Fprintln(a.stdout, "lost:", report.OneLine(l))
		}
		for _, n := range out.Notes {
			fmt.Fprintln(a.stdout, "note:", report.OneLine(n))
		}
	}
	if !out.Whole {
		remedy := ""
		if a.runs.InStore(out.Checked) {
			remedy = "; `hallmark run` asks again for what it needs of it, and leaves what is damaged where it is"
		}
		return exit.Usagef("%s: %d damaged, %d lost%s", out.Checked, len(out.Damaged), len(out.Lost), remedy)
	}
	if a.json || a.quiet {
		return nil
	}
	rows := lists.Map(slices.Sorted(maps.Keys(out.Rows)), func(table string) string {
		return fmt.Sprintf("%d in %s", out.Rows[table], table)
	})
	fmt.Fprintf(a.stdout, "whole: %s: rows: %s; %d records carry no hash\n", out.Checked, strings.Join(rows, ", "),
		out.Unhashed)
	return nil
}
