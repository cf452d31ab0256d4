package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"hallmark/internal/commands/guarded"
)

func (a *app) guardRemember() *cobra.Command {
	var m guarded.Remember
	cmd := &cobra.Command{
		Use: "remember RUN",
		Short: "Write the adjudicated answers of a guarded run as the next version of a memory, and as " +
			"conversations to tune on",
		Long: "Write the answers of a run with --guard that were adjudicated (passed, repaired, corrected, asked " +
			"back, abstained) as the next\n" +
			"version of a memory, which `hallmark guard --memory` and `hallmark run --guard --guard-memory` look " +
			"questions up in; and with --chat as\n" +
			"conversations for `hallmark model tune`. Greedy answers to all prompt variants are taken. Of several " +
			"answers to one question the last is kept.\n" +
			"With --as-is the answers of any run are taken as they are: the control that shows what adjudication adds.",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			out, err := m.Write(cmd.Context(), a.runs, args[0])
			switch {
			case err != nil:
				return err
			case a.json:
				return writeJSON(a.stdout, out)
			case !a.quiet:
				fmt.Fprintf(a.stderr, "version %d: %d answers, %d of them new\n", out.Version, out.Entries, out.Added)
			}
			return nil
		},
	}
	f := cmd.Flags()
	f.StringVarP(&m.Output, "output", "o", "", "write the memory to `FILE`")
	f.StringVar(&m.Earlier, "memory", "", "the version before: its entries are kept and added to `FILE`")
	f.StringVar(&m.Chat, "chat", "", "write the whole memory as conversations, one JSON object a line, to `FILE`")
	f.StringVar(&m.Model, "model", "", "take the answers of the model `REF`, where the run has several")
	f.BoolVar(&m.AsIs, "as-is", false, "take answers that nothing adjudicated")
	return cmd
}
