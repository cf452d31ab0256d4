package main

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

const generatedMark = "<!-- from here on made by `go test ./cmd/hallmark -update` -->\n"

// docs/cli.md lists every command and flag as the program has them.
func TestCommandLineDocument(t *testing.T) {
	const path = "../../docs/cli.md"
	have, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	head, _, found := strings.Cut(string(have), generatedMark)
	if !found {
		t.Fatalf("%s has lost its mark %q", path, generatedMark)
	}
	var b bytes.Buffer
	b.WriteString(head + generatedMark)
	document(&b, new(app).root())
	if *update {
		if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if !bytes.Equal(have, b.Bytes()) {
		t.Errorf("%s differs from the program; run `go test ./cmd/hallmark -run CommandLineDocument -update`", path)
	}
}

func document(b *bytes.Buffer, cmd *cobra.Command) {
	if cmd.HasParent() {
		fmt.Fprintf(b, "\n## %s\n\n%s.\n", cmd.UseLine(), strings.TrimSuffix(cmd.Short, "."))
		if cmd.Long != "" {
			fmt.Fprintf(b, "\n%s\n", strings.ReplaceAll(cmd.Long, "\n", "\n\n"))
		}
	}
	flags := cmd.LocalNonPersistentFlags()
	if !cmd.HasParent() {
		fmt.Fprintf(b, "\n## Flags of every command\n")
		flags = cmd.PersistentFlags()
	}
	if flags.HasAvailableFlags() {
		fmt.Fprintf(b, "\n| flag | meaning | default |\n| --- | --- | --- |\n")
		flags.VisitAll(func(f *pflag.Flag) {
			if f.Hidden || f.Name == "help" || f.Name == "version" {
				return
			}
			arg, usage := pflag.UnquoteUsage(f)
			name := "--" + f.Name
			if f.Shorthand != "" {
				name = "-" + f.Shorthand + ", " + name
			}
			def := f.DefValue
			if def == "" || def == "[]" {
				def = "none"
			}
			fmt.Fprintf(b, "| `%s` | %s | %s |\n", strings.TrimSpace(name+" "+arg), strings.ReplaceAll(usage, "|", "\\|"), def)
		})
	}
	for _, sub := range cmd.Commands() {
		if !sub.Hidden && sub.Name() != "help" && sub.Name() != "completion" {
			document(b, sub)
		}
	}
}
