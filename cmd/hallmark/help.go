package main

import (
	_ "embed"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"hallmark/internal/commands/scaffold"
	"hallmark/internal/commands/spec"
	"hallmark/internal/report"
	"hallmark/internal/report/papers"
)

//go:embed help.txt
var helpText string

// explain gives root and all commands below it the texts and examples that help.txt has of them.
func explain(root *cobra.Command) {
	fill := strings.NewReplacer("{plan}", scaffold.PlanFile, "{several}", report.SeveralNames(), "{tables}",
		papers.Formats, "{graded}", fmt.Sprint(spec.MostGraded), "{schemas}",
		strings.Join(slices.Sorted(maps.Keys(schemas)), ", "))
	texts := map[string]string{}
	for _, part := range strings.Split(helpText, "\n# ")[1:] {
		path, text, _ := strings.Cut(strings.TrimSpace(fill.Replace(part)), "\n")
		texts[path] = text
	}
	var walk func(*cobra.Command)
	walk = func(cmd *cobra.Command) {
		long, example, has := strings.Cut("\n"+texts[cmd.CommandPath()], "\n  ")
		if has {
			cmd.Example = "  " + example
		}
		cmd.Long = strings.TrimPrefix(strings.ReplaceAll(long, "\\\n", ""), "\n")
		delete(texts, cmd.CommandPath())
		for _, sub := range cmd.Commands() {
			walk(sub)
		}
	}
	walk(root)
	if len(texts) > 0 {
		panic(fmt.Sprint("help.txt has texts of no command: ", slices.Sorted(maps.Keys(texts))))
	}
}
