package main

import (
	"context"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"hallmark/internal/report/rulebook"
)

func (a *app) rubricCommand() *cobra.Command {
	var output string
	cmd := command("rubric", "Print the rubric: every rule by which answers are read, with examples",
		cobra.NoArgs, func(context.Context, []string) error {
			write := rulebook.Specification().WriteMarkdown
			if a.json || strings.EqualFold(filepath.Ext(output), ".json") {
				write = rulebook.Specification().WriteJSON
			}
			return a.writeTo(output, write)
		})
	cmd.Flags().StringVarP(&output, "output", "o", "", "write to `FILE` instead of stdout")
	return cmd
}
