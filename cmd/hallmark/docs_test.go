package main

import (
	"bytes"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"hallmark/internal/base/exit"
	"hallmark/internal/metric/grading"
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

// The examples of docs/grading.md print what the page says, of the files that the page shows; and its table is that of
// the shipped check.
func TestGradingPage(t *testing.T) {
	const path = "../../docs/grading.md"
	have, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	page := string(have)
	want := recomputed(t, path, page)
	before, rest, ok := strings.Cut(want, shippedMark)
	_, after, ended := strings.Cut(rest, shippedEnd)
	if !ok || !ended {
		t.Fatalf("%s has lost the marks %q and %q", path, shippedMark, shippedEnd)
	}
	want = before + shippedMark + shippedTable(grading.Shipped()) + shippedEnd + after
	if *update {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if want != page {
		t.Errorf("%s differs from the program; run `go test ./cmd/hallmark -run GradingPage -update`", path)
	}
}

// recomputed is a page with what its commands print of the files that it shows.
func recomputed(t *testing.T, path, page string) string {
	t.Helper()
	files := regexp.MustCompile("(?s)<!-- file: (\\S+) -->\n```\\w*\n(.*?)```").FindAllStringSubmatch(page, -1)
	dir := t.TempDir()
	for _, f := range files {
		if err := os.WriteFile(dir+"/"+f[1], []byte(f[2]), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	root, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	examples := 0
	want := regexp.MustCompile("(?s)```console\n\\$ hallmark (.*?)\n(.*?)```").ReplaceAllStringFunc(page,
		func(block string) string {
			command, _, _ := strings.Cut(strings.TrimPrefix(block, "```console\n$ hallmark "), "\n")
			var out, errs bytes.Buffer
			if code := hallmark(strings.Fields(command), strings.NewReader(""), &out, &errs); code != exit.Done {
				t.Errorf("hallmark %s: exit %d: %s", command, code, &errs)
			}
			examples++
			return "```console\n$ hallmark " + command + "\n" + out.String() + "```"
		})
	t.Chdir(root)
	if len(files) == 0 || examples == 0 {
		t.Errorf("%s has %d files and %d examples: its marks are lost", path, len(files), examples)
	}
	return want
}

// The example of docs/suites.md prints what the page says.
func TestSuitesPage(t *testing.T) {
	const path = "../../docs/suites.md"
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	want := recomputed(t, path, string(page))
	if *update {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if want != string(page) {
		t.Errorf("%s differs from the program; run `go test ./cmd/hallmark -run SuitesPage -update`", path)
	}
}

const (
	shippedMark = "<!-- made of internal/metric/grading/shipped.json by `go test ./cmd/hallmark -run GradingPage -update` -->\n"
	shippedEnd  = "<!-- end -->\n"
)

// shippedTable writes the check of this version as Markdown.
func shippedTable(c *grading.Check) string {
	if c.N() == 0 {
		return "This version ships no check: what graders make of an answer has not been measured on lots that were written and labelled blind.\n"
	}
	var b strings.Builder
	var lots []string
	for _, lot := range c.Lots {
		lots = append(lots, fmt.Sprintf("%s (%d answers, %d cases)", lot.Name, lot.N, lot.Cases))
	}
	fmt.Fprintf(&b, "Grading version %s, read on %s: %s.\n\n", c.GradingVersion, c.Date, strings.Join(lots, ", "))
	b.WriteString("| words of the answer | answers | decided | of these right | fw | fr | decided: truly correct | " +
		"truly incorrect | truly not attempted |\n|---|--:|---|---|---|---|---|---|---|\n")
	row := func(name string, g grading.Group) {
		fmt.Fprintf(&b, "| %s | %d |", name, g.N)
		for _, s := range []*grading.Share{g.Decided, g.Agreement, g.FW, g.FR, g.Coverage.Correct, g.Coverage.Incorrect,
			g.Coverage.NotAttempted} {
			fmt.Fprintf(&b, " %s |", s.Percent(" %"))
		}
		b.WriteString("\n")
	}
	for _, l := range grading.Lengths {
		row(grading.LengthWords(l), c.Group(level, l))
	}
	row("all", c.Group(level))
	return b.String()
}

// The table of a check has a row for each length and one for all; a length without answers has none of the figures.
func TestShippedTable(t *testing.T) {
	counts := grading.Matrix[int]{Correct: grading.Reads[int]{Correct: 9, Incorrect: 1},
		Incorrect: grading.Reads[int]{Incorrect: 8, Ungradable: 2}}
	c := &grading.Check{GradingVersion: "1", Date: "2026-11-20",
		Lots: []grading.Lot{{Name: "first", N: 20, Cases: 20,
			ByLength: map[grading.Length]grading.LotBand{grading.UpTo5: {N: 20, Matrix: counts}}}}}
	table := shippedTable(c)
	for _, want := range []string{
		"Grading version 1, read on 2026-11-20: first (20 answers, 20 cases).",
		"| up to 5 | 20 | 90.0 % [69.9, 97.2] | 94.4 %", "| over 80 | 0 | – | – |", "| all | 20 | 90.0 %",
	} {
		if !strings.Contains(table, want) {
			t.Errorf("no %q in\n%s", want, table)
		}
	}
}
