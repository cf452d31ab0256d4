package main

import (
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// first FILE A B holds that a file has both texts, and A before B.
func first(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: first FILE A B")
	}
	text := strings.Join(strings.Fields(ts.ReadFile(args[0])), " ") // however its lines are broken
	a, b := strings.Index(text, args[1]), strings.Index(text, args[2])
	if a < 0 || b < 0 || a > b {
		ts.Fatalf("%s: want %q before %q, they are at %d and %d of\n%s", args[0], args[1], args[2], a, b,
			text[:min(len(text), 3000)])
	}
}
