package main

import (
	"strings"

	"hallmark/internal/pocket"
	"hallmark/internal/pocket/incontext"
	"hallmark/internal/suite"
	"hallmark/internal/suite/benchmark"
	"hallmark/internal/suite/generate"
)

// builtins are the names of the suites inside the binary.
var builtins = []string{"pocket", "pocket-choices", "pocket-sums", "core"}

// aboutBuiltin says what the built-in suites ask about.
var aboutBuiltin = map[string]string{
	"pocket": "the world of the built-in model", "pocket-choices": "the same world, with four options each",
	"pocket-sums": "sums of two terms, a third of them not in its text", "core": "the true world, in every class of pressure",
}

// openSuite opens what --suite names: a built-in suite, problems of learning in context (incontext:TASK), a published benchmark's file as NAME=FILE or by its look, or
// a suite or table of the user's.
func (a *app) openSuite(ref string) (*suite.Suite, error) {
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
	if a.trust.path {
		return benchmark.LoadTrusted(ref, builtins...)
	}
	return benchmark.Load(ref, builtins...)
}
