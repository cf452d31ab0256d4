package main

import (
	"slices"

	"hallmark/internal/pocket"
	"hallmark/internal/suite"
	"hallmark/internal/suite/benchmark"
)

// builtins are the names of the suites inside the binary.
var builtins = []string{"pocket"}

// openSuite opens what --suite names: a built-in suite, a published benchmark's file as NAME=FILE or by its look, or
// a suite or table of the user's.
func openSuite(ref string) (*suite.Suite, error) {
	if slices.Contains(builtins, ref) {
		return pocket.Suite(), nil
	}
	return benchmark.Load(ref, builtins...)
}
