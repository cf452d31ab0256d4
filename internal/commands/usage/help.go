// Package usage gives all commands one form of help, and of errors about what was typed.
package usage

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"hallmark/internal/commands/spec"
	"hallmark/internal/report"
)

// TakesArguments marks a command that has subcommands and takes arguments of its own.
const TakesArguments = "takes arguments"

// commandGroups are the commands of hallmark as its help lists them; any other stands in the last.
var commandGroups = []struct{ title, names string }{
	{"Measure", "run import analyze init"},
	{"See what came out", "show report compare annotate"},
	{"Questions", "suite generate data plan"},
	{"Models", "model guard"},
	{"Many machines", "worker pause resume cancel"},
	{"Trust", "verify check grade rubric"},
	{"More", ""},
}

// Help has a command and those below it help in one form: what it is, examples, its commands, its flags.
func Help(root *cobra.Command) {
	cobra.AddTemplateFunc("wrapped", func(s string) string { return report.Wrapped(s, spec.HelpColumns) })
	root.SetHelpTemplate("{{with (or .Long .Short)}}{{wrapped .}}\n\n{{end}}{{if or .Runnable " +
		".HasSubCommands}}{{.UsageString}}{{end}}")
	root.SetUsageFunc(func(cmd *cobra.Command) error {
		_, err := fmt.Fprint(cmd.OutOrStderr(), Usage(cmd))
		return err
	})
}

// Usage is the help of a command but for what it is.
func Usage(cmd *cobra.Command) string {
	var b strings.Builder
	if cmd.HasExample() {
		fmt.Fprintf(&b, "Examples:\n%s\n\n", cmd.Example)
	}
	b.WriteString("Usage:\n")
	// what only holds commands does nothing itself
	if !cmd.HasAvailableSubCommands() || !cmd.HasParent() || cmd.Annotations[TakesArguments] != "" {
		fmt.Fprintf(&b, "  %s\n", cmd.UseLine())
	}
	if cmd.HasAvailableSubCommands() {
		fmt.Fprintf(&b, "  %s COMMAND\n%s", cmd.CommandPath(), commands(cmd))
	}
	if cmd.HasAvailableLocalFlags() {
		b.WriteString("\n" + spec.Usage(cmd.LocalFlags()))
	}
	if cmd.HasAvailableInheritedFlags() {
		fmt.Fprintf(&b, "\nGlobal flags:\n%s", spec.Wrapped(cmd.InheritedFlags()))
	}
	if cmd.HasAvailableSubCommands() {
		fmt.Fprintf(&b, "\n`%s COMMAND --help` says more of a command.\n", cmd.CommandPath())
	}
	return b.String()
}

// commands lists the commands of a command, those of hallmark in groups.
func commands(cmd *cobra.Command) string {
	var b strings.Builder
	left := slices.DeleteFunc(slices.Clone(cmd.Commands()), func(sub *cobra.Command) bool {
		return !sub.IsAvailableCommand() && sub.Name() != "help"
	})
	list := func(title string, in func(name string) bool) {
		var rest []*cobra.Command
		heading := "\n" + title + ":\n"
		for _, sub := range left {
			if !in(sub.Name()) {
				rest = append(rest, sub)
				continue
			}
			const column = 14
			lines := strings.Split(report.Wrapped(sub.Short, spec.HelpColumns-column), "\n")
			fmt.Fprintf(&b, "%s  %-*s%s\n", heading, column-2, sub.Name(),
				strings.Join(lines, "\n"+strings.Repeat(" ", column)))
			heading = ""
		}
		left = rest
	}
	if cmd.HasParent() {
		list("Commands", func(string) bool { return true })
		return b.String()
	}
	for _, g := range commandGroups {
		names := strings.Fields(g.names)
		list(g.title, func(name string) bool { return len(names) == 0 || slices.Contains(names, name) })
	}
	return b.String()
}
