// Package yamlfault reads the errors of the YAML library: where a file is wrong, and in which words.
package yamlfault

import (
	"cmp"
	"errors"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v4"
)

// Of returns the line of an error of yaml.Load, 1 where it names none, and what is wrong there, of several faults the first. Indents of tabs
// and texts that begin with a mark, the two that people make most, come with what would be right.
func Of(err error) (line int, what string) {
	var one *yaml.LoadError
	var all *yaml.LoadErrors
	if errors.As(err, &all) && len(all.Errors) > 0 {
		one = all.Errors[0]
	} else if !errors.As(err, &one) {
		return 1, strings.TrimPrefix(err.Error(), "yaml: ")
	}
	what = plain(one.Message)
	if strings.Contains(what, "cannot start any token") {
		what += "; indent with spaces, not tabs, and quote texts that begin with a mark"
	}
	return max(one.Mark.Line, 1), what
}

// typed is an error of a value of another kind, in which the library names types of Go.
var typed = regexp.MustCompile("(?s)^cannot construct !*(\\S*)( `.*`)? into (\\S+)")

// found says in words what a value of YAML is.
var found = map[string]string{"str": "a text", "int": "a number", "float": "a number", "bool": "true or false", "seq": "a list", "map": "a mapping of keys", "null": "nothing"}

// plain says an error of the library in words about the text.
func plain(message string) string {
	m := typed.FindStringSubmatch(message)
	if m == nil {
		return message
	}
	value := strings.TrimSpace(m[2])
	is := cmp.Or(found[m[1]], "a "+m[1])
	if value != "" {
		is = value + " is " + is
	} else {
		is = "it is " + is
	}
	return is + "; want " + wanted(strings.TrimLeft(m[3], "*"))
}

// wanted says in words which value of YAML is read into a type of Go.
func wanted(of string) string {
	switch {
	case of == "string":
		return "a text"
	case of == "bool":
		return "true or false"
	case strings.HasPrefix(of, "float"):
		return "a number"
	case strings.HasPrefix(of, "int"), strings.HasPrefix(of, "uint"):
		return "a whole number in range"
	case strings.HasPrefix(of, "[]"):
		return "a list"
	}
	return "a mapping of keys"
}
