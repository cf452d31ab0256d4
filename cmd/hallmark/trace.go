package main

import (
	"github.com/spf13/cobra"

	"hallmark/internal/base/exit"
	"hallmark/internal/base/inputfile"
)

func (a *app) modelTrace() *cobra.Command {
	return &cobra.Command{
		Use:   "trace REF FILE",
		Short: "Follow prompts through an in-process model: layout, tokens, logits, greedy continuation",
		Long: "Follow the prompts of FILE (- for standard input), one JSON object a line, through pocket or " +
			"hf:DIR, to compare the engine with another program (docs/checkpoints.md).\n" +
			"A line is {\"text\": …}, {\"messages\": [{\"role\": …, \"content\": …}, …]} or {\"tokens\": […]}, " +
			"with \"continue\": N for N greedy tokens and \"logits\": true for the logits after each token, " +
			"float32, little-endian, in base64.",
		Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			m, err := a.models.ToTrace(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			in := a.stdin
			if args[1] != "-" {
				file, err := inputfile.Open(args[1])
				if err != nil {
					return exit.Usagef("%s: %v", args[1], inputfile.Cause(err))
				}
				defer file.Close()
				in = file
			}
			return m.TraceLines(args[1], in, a.stdout)
		},
	}
}
