// Package exit has the codes that the program ends with, and errors that carry one.
package exit

import (
	"context"
	"errors"
	"fmt"
)

// The exit codes, all of them; docs/cli.md has the same list in words.
const (
	Done        = 0
	Failed      = 1   // the command itself failed: store, disk, server gone for good
	Mistake     = 2   // unusable arguments, config or input
	Unscored    = 3   // finished, but more was unscored than --allow-unscored
	Gate        = 100 // finished, and a gate failed
	Interrupted = 130 // interrupted
)

// An Error is an error with the code that the process ends with. Err is nil where everything has been said.
type Error struct {
	Code int
	Err  error
}

func (e *Error) Error() string {
	if e.Err == nil {
		return fmt.Sprintf("exit %d", e.Code)
	}
	return e.Err.Error()
}

// Unwrap returns the error itself.
func (e *Error) Unwrap() error { return e.Err }

// Usage marks an error as the user's to fix: exit 2. An interrupt is no fault of the command line and stays as it is.
func Usage(err error) error {
	if err == nil || errors.Is(err, context.Canceled) {
		return err
	}
	return With(Mistake, err)
}

// With is an error with a code.
func With(code int, err error) *Error { return &Error{code, err} }

// Usagef is Usage of an error that is written here.
func Usagef(format string, args ...any) error { return Usage(fmt.Errorf(format, args...)) }
