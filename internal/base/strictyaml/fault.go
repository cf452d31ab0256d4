package strictyaml

import (
	"errors"
	"strings"

	"go.yaml.in/yaml/v4"
)

// of returns the line of an error of yaml.Load, 1 where it names none, and what is wrong there, of several faults
// the first. Indents of tabs and texts that begin with a mark, the two that people make most, come with what would
// be right.
func of(err error) (line int, what string) {
	one, ok := errors.AsType[*yaml.LoadError](err)
	if all, several := errors.AsType[*yaml.LoadErrors](err); several && len(all.Errors) > 0 {
		one = all.Errors[0]
	} else if !ok {
		return 1, strings.TrimPrefix(err.Error(), "yaml: ")
	}
	what = one.Message
	if strings.Contains(what, "cannot start any token") {
		what += "; indent with spaces, not tabs, and quote texts that begin with a mark"
	}
	return max(one.Mark.Line, 1), what
}
