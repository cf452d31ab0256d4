package main

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"hallmark/internal/commands/spec"
	"hallmark/internal/commands/usage"
)

// Help of every command has examples first where there are any, names its commands and flags, and is 80 columns wide.
func TestHelp(t *testing.T) {
	root := new(app).root()
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	seen := 0
	var check func(cmd *cobra.Command)
	check = func(cmd *cobra.Command) {
		seen++
		var b bytes.Buffer
		cmd.SetOut(&b)
		if err := cmd.Help(); err != nil {
			t.Fatal(err)
		}
		text := b.String()
		for line := range strings.Lines(text) {
			if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > spec.HelpColumns {
				t.Errorf("%s: %d columns: %s", cmd.CommandPath(), n, line)
			}
		}
		if at := strings.Index(text, "Examples:\n"); (at >= 0) != cmd.HasExample() || at > strings.Index(text, "Usage:\n") {
			t.Errorf("%s: examples do not come first:\n%s", cmd.CommandPath(), text)
		}
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if f.Usage == "" {
				t.Errorf("%s: help.txt says nothing of --%s", cmd.CommandPath(), f.Name)
			}
			if !f.Hidden && strings.Count(text, "--"+f.Name+" ")+strings.Count(text, "--"+f.Name+"\n") == 0 {
				t.Errorf("%s: no --%s", cmd.CommandPath(), f.Name)
			}
		})
		for _, sub := range cmd.Commands() {
			if sub.IsAvailableCommand() {
				if strings.Count(text, "\n  "+sub.Name()+" ") != 1 {
					t.Errorf("%s does not list %s once:\n%s", cmd.CommandPath(), sub.Name(), text)
				}
				check(sub)
			}
		}
	}
	check(root)
	if seen < 40 {
		t.Errorf("only %d commands", seen)
	}
}

// The six flags that most runs need stand before all others.
func TestHelpOfRun(t *testing.T) {
	root := new(app).root()
	cmd, _, err := root.Find([]string{"run"})
	if err != nil {
		t.Fatal(err)
	}
	text := usage.Usage(cmd)
	_, flags, ok := strings.Cut(text, "What most runs say:\n")
	first, _, ended := strings.Cut(flags, "\n\n")
	if !ok || !ended || strings.Count(first, "\n      --")+1 != 6 {
		t.Error(text)
	}
	for _, name := range []string{"suite", "model", "limit", "variants", "judge", "fail-on"} {
		if !strings.Contains(first, "      --"+name+" ") {
			t.Errorf("no --%s among the first", name)
		}
	}
}
