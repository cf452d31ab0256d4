// Package suites opens what --suite names: the suites inside the binary, and files.
package suites

import (
	"strings"

	"hallmark/internal/pocket"
	"hallmark/internal/pocket/incontext"
	"hallmark/internal/suite"
	"hallmark/internal/suite/benchmark"
	"hallmark/internal/suite/generate"
)

// Builtins are the names of the suites inside the binary.
var Builtins = []string{"pocket", "pocket-choices", "pocket-sums", "core"}

// About says what the built-in suites ask about.
var About = map[string]string{
	"pocket": "the world of the built-in model", "pocket-choices": "the same world, with four options each",
	"pocket-sums": "sums of two terms, a third of them not in its text", "core": "the true world, in every class of pressure",
}

// Open opens what --suite names: a built-in suite, problems of learning in context (incontext:TASK), a published benchmark's file as NAME=FILE or by its look, or
// a suite or table of the user's. A suite file names others outside its folder where anywhere says that it may.
func Open(ref string, anywhere bool) (*suite.Suite, error) {
	switch ref {
	case "pocket":
		return pocket.Suite(), nil
	case "pocket-choices":
		return pocket.Choices(), nil
	case "pocket-sums":
		return pocket.Sums(), nil
	case "core":
		return generate.Core()
	}
	if strings.HasPrefix(ref, incontext.Prefix) {
		settings, err := incontext.ParseSettings(ref)
		if err != nil {
			return nil, err
		}
		return settings.Suite()
	}
	if anywhere {
		return benchmark.LoadTrusted(ref, Builtins...)
	}
	return benchmark.Load(ref, Builtins...)
}
