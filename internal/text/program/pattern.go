package program

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
)

// Bounds of a pattern. Matching takes time in proportion to instructions times text.
const (
	maxPattern      = 500 // bytes
	maxInstructions = 400
)

// A Pattern is a regular expression of a suite with its instructions, each of which takes a step at most for a byte of
// a text.
type Pattern struct {
	*regexp.Regexp
	Instructions int
}

// NewPattern compiles a regular expression of bounded size, in any case of letters. One that matches the empty text is
// an error.
func NewPattern(s string) (none Pattern, err error) {
	if len(s) > maxPattern {
		return none, fmt.Errorf("longer than %d bytes", maxPattern)
	}
	s = "(?i)" + s
	re, err := regexp.Compile(s)
	if err != nil {
		return none, err
	}
	tree, _ := syntax.Parse(s, syntax.Perl) // which went well above
	prog, _ := syntax.Compile(tree.Simplify())
	switch {
	case len(prog.Inst) > maxInstructions:
		const format = "%d instructions are more than %d; write it with smaller repetitions"
		return none, fmt.Errorf(format, len(prog.Inst), maxInstructions)
	case re.MatchString(""):
		return none, errors.New("it matches the empty text")
	}
	return Pattern{re, len(prog.Inst)}, nil
}
