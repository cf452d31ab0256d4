package main

import (
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"hallmark/internal/report/rulebook"
)

func (a *app) rubricCommand() *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use:   "rubric",
		Short: "Print the rubric: every rule by which answers are read, with examples",
		Long: "Print the rules by which this program reads answers, each with what it is under, its axis and " +
			"verdict, and an answer that passes and one that fails: as Markdown, or with --json, or into a FILE that " +
			"ends in .json, as JSON, which has the cases of the examples too. A bundle holds it as rubric.md.",
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			write := rulebook.Specification().WriteMarkdown
			if a.json || strings.EqualFold(filepath.Ext(output), ".json") {
				write = rulebook.Specification().WriteJSON
			}
			return a.writeTo(output, write)
		},
	}
	cmd.Flags().StringVarP(&output, "output", "o", "", "write to `FILE` instead of stdout")
	return cmd
}
