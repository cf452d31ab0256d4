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
	cmd := command("rubric", cobra.NoArgs, func(context.Context, []string) error {
		write := rulebook.Specification().WriteMarkdown
		if a.json || strings.EqualFold(filepath.Ext(output), ".json") {
			write = rulebook.Specification().WriteJSON
		}
		return a.writeTo(output, write)
	})
	define(cmd.Flags(), table{"output o": &output})
	return cmd
}
