package yamlfault

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"
)

func TestOf(t *testing.T) {
	for _, tt := range []struct {
		text string
		line int
		what string // part of it
	}{
		{"a: 1\nb: [1\n", 3, ""},
		{"a:\n\tb: 1\n", 2, "; indent with spaces, not tabs"},
		{"a: 1\nb: @home\n", 2, "; indent with spaces, not tabs, and quote texts that begin with a mark"},
		{"known: 1\nunknown: 2\nother: 3\n", 2, "unknown"},
		{"known: word\n", 1, "`word` is a text; want a whole number in range"},
		{"known: [1]\n", 1, "it is a list; want a whole number in range"},
		{"5\n", 1, "`5` is a number; want a mapping of keys"},
	} {
		var into struct {
			Known int `yaml:"known"`
		}
		var root yaml.Node
		err := yaml.Load([]byte(tt.text), &root)
		if err == nil {
			err = yaml.Load([]byte(tt.text), &into, yaml.WithKnownFields())
		}
		if err == nil {
			t.Fatalf("%q is read", tt.text)
		}
		if line, what := Of(fmt.Errorf("wrapped: %w", err)); line != tt.line || what == "" || !strings.Contains(what, tt.what) {
			t.Errorf("%q: line %d, %q; want line %d and %q", tt.text, line, what, tt.line, tt.what)
		}
	}
	if line, what := Of(errors.New("yaml: too deep")); line != 1 || what != "too deep" {
		t.Errorf("line %d, %q", line, what)
	}
}
