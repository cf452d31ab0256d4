package main

import (
	"html"
	"regexp"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// printedCommands are where a text has command lines: at the end of a line behind two spaces or more, in backticks, in
// brackets, and in the code of a page.
var printedCommands = regexp.MustCompile("(?m)" + "`(hallmark [^`\n]*)`" +
	`|[ :] +(hallmark [a-z].*)$|\((hallmark [^()\\]*)\\?\)|<dd class="mono">(hallmark [a-z][^<]*)</dd>`)

// runPrinted runs every command line that the file holds, as printed, which must exit with 0: runsprinted FILE N, of
// which there are N.
func runPrinted(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 2 || neg {
		ts.Fatalf("usage: runsprinted FILE N")
	}
	seen := map[string]bool{}
	for _, m := range printedCommands.FindAllStringSubmatch(ts.ReadFile(args[0]), -1) {
		line := html.UnescapeString(strings.Join(m[1:], ""))
		if seen[line] || strings.Contains(line, "  ") {
			continue // columns of a heading
		}
		seen[line] = true
		ts.Logf("printed: %s", line)
		ts.Check(ts.Exec("sh", "-c", line+" >printed.out"))
	}
	if n := len(seen); args[1] != strconv.Itoa(n) {
		ts.Fatalf("%s holds %d commands, want %s", args[0], n, args[1])
	}
}
