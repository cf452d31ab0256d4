package model

import "time"

// A Transient is an error that wraps ErrTransient and may say when to try again.
type Transient struct {
	// After is the wait the server asked for; 0 if it named none.
	After time.Duration
	// Limited says that the server refused for its rate limit, so that the caller slows down.
	Limited bool
	Err     error
}

func (t *Transient) Error() string { return t.Err.Error() }

// Unwrap makes errors.Is find both ErrTransient and the cause.
func (t *Transient) Unwrap() []error { return []error{ErrTransient, t.Err} }
