package main

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"hallmark/internal/base/exit"
	"hallmark/internal/commands/scaffold"
	"hallmark/internal/report"
)

func (a *app) initCommand() *cobra.Command {
	return command("init [FILE]", cobra.MaximumNArgs(1), func(_ context.Context, args []string) error {
		questions := ""
		if len(args) > 0 {
			questions = args[0]
		}
		files, warnings, err := scaffold.Files(".", questions)
		if err != nil {
			return exit.Usage(err)
		}
		if err := scaffold.Write(".", files); err != nil {
			return exit.Usage(err)
		}
		for _, w := range warnings {
			a.log.Warn(w)
		}
		next := "hallmark run -c " + scaffold.PlanFile
		return a.say(map[string]any{"written": files, "next": next}, func(w io.Writer) error {
			for _, f := range files {
				fmt.Fprintf(w, "%-32s%s\n", report.Visible(f.Path), report.Visible(f.About))
			}
			_, err := fmt.Fprintf(w, "\nnext: %s\n", next)
			return err
		})
	})
}
