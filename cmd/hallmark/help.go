package main

import (
	_ "embed"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"hallmark/internal/assay/annotate"
	"hallmark/internal/commands/scaffold"
	"hallmark/internal/commands/spec"
	"hallmark/internal/report"
	"hallmark/internal/report/papers"
)

//go:embed help.txt
var helpText string

// shared is the part of help.txt on flags that several commands have.
const shared = "flags of several commands"

// A help is what help.txt says of a command.
type help struct {
	short, long, example string
	flags                map[string]string
}

// explain gives root and all commands below it the texts and examples that help.txt has of them and of their flags.
func explain(root *cobra.Command) {
	fill := strings.NewReplacer("{plan}", scaffold.PlanFile, "{several}", report.SeveralNames(), "{tables}",
		papers.Formats, "{graded}", fmt.Sprint(spec.MostGraded), "{schemas}",
		strings.Join(slices.Sorted(maps.Keys(schemas)), ", "), "{formats}", formatNames(), "{papers}", papers.Names(),
		"{adjudicator}", annotate.Adjudicator,
		"\\\n  ", "\\\n  ", "\\\n", "") // a line of an example is the shell's to go on with
	texts := map[string]help{}
	for _, part := range strings.Split(fill.Replace(helpText), "\n# ")[1:] {
		head, text, _ := strings.Cut(strings.TrimSpace(part), "\n")
		path, short, _ := strings.Cut(head, ": ")
		h := help{short: short, flags: map[string]string{}}
		for strings.HasPrefix(text, "--") {
			var line string
			line, text, _ = strings.Cut(text, "\n")
			name, what, _ := strings.Cut(line[2:], ": ")
			h.flags[name] = what
		}
		h.long, h.example, _ = strings.Cut("\n"+text, "\n  ")
		texts[path] = h
	}
	var walk func(*cobra.Command)
	walk = func(cmd *cobra.Command) {
		h := texts[cmd.CommandPath()]
		if cmd.Short, cmd.Long = h.short, strings.TrimPrefix(h.long, "\n"); h.example != "" {
			cmd.Example = "  " + h.example
		}
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if text, own := h.flags[f.Name]; own {
				f.Usage = text
				delete(h.flags, f.Name)
			} else if f.Usage == "" {
				f.Usage = texts[shared].flags[f.Name]
			}
		})
		if len(h.flags) == 0 {
			delete(texts, cmd.CommandPath())
		}
		for _, sub := range cmd.Commands() {
			walk(sub)
		}
	}
	walk(root)
	if delete(texts, shared); len(texts) > 0 {
		panic(fmt.Sprint("help.txt has texts of no command or flag: ", slices.Sorted(maps.Keys(texts))))
	}
}

// A table has the variables that flags set, by the flags' names. What a variable holds is the default. Behind a name
// may stand its letter, or a comma where a list may stand in one value.
type table map[string]any

// define defines the flags of a table; help.txt says what each is.
func define(fs *pflag.FlagSet, flags table) {
	for name, value := range flags {
		name, commas := strings.CutSuffix(name, ",")
		name, letter, _ := strings.Cut(name, " ")
		(&spec.Field{Name: name, Short: letter, Commas: commas, Value: value}).Define(fs)
	}
}

// allowing are the flags that let a file decide more.
func (a *app) allowing() table {
	return table{"allow-exec": &a.trust.Exec, "allow-host": &a.trust.Host, "allow-path": &a.trust.Path}
}
