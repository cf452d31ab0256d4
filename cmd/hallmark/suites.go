package main

import (
	"fmt"
	"os"
	"sort"
	"strings"

	"hallmark/internal/pocket"
	"hallmark/internal/suite"
	"hallmark/internal/suite/benchmark"
)

// builtins are the suites inside the binary.
type builtins map[string]func() *suite.Suite

var suites = builtins{"pocket": pocket.Suite}

// names lists the built-in suites in order.
func (b builtins) names() []string {
	var names []string
	for name := range b {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}

// open opens a suite: a built-in one by name, a published benchmark as NAME=FILE or by the look of its file, or a
// suite file of the user's.
func (b builtins) open(name string) (*suite.Suite, error) {
	if builtin, ok := b[name]; ok {
		return builtin(), nil
	}
	if preset, path, ok := strings.Cut(name, "="); ok && benchmark.Known(preset) {
		return benchmark.Open(preset, path)
	}
	if _, err := os.Stat(name); err != nil {
		if strings.ContainsAny(name, "/.") {
			return nil, fmt.Errorf("--suite %s: no such file", name)
		}
		return nil, fmt.Errorf("--suite %s: neither a built-in suite (%s) nor a file", name, strings.Join(b.names(), ", "))
	}
	if preset, ok := benchmark.Detect(name); ok {
		return benchmark.Open(preset, name)
	}
	return suite.Read(name)
}
