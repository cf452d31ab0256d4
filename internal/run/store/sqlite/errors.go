package sqlite

import (
	"context"
	"errors"
	"fmt"

	"modernc.org/sqlite"
)

// Primary result codes of SQLite: https://www.sqlite.org/rescode.html
const (
	perm       = 3
	busy       = 5
	locked     = 6
	readonly   = 8
	ioerr      = 10
	corrupt    = 11
	full       = 13
	cantOpen   = 14
	constraint = 19
	notADB     = 26
)

// code returns the primary result code of an error of SQLite, 0 of any other.
func code(err error) int {
	if e, ok := errors.AsType[*sqlite.Error](err); ok {
		return e.Code() & 0xff
	}
	return 0
}

// A finding is an error that says all there is to say.
type finding struct{ path, what string }

func (f *finding) Error() string { return f.path + ": " + f.what }

// unwritten says that a file is for reading.
const unwritten = "cannot be written: make the file and its folder writable, or name another file with --store"

// A failure is an error that keeps the code of SQLite behind what it says.
type failure struct {
	error
	code int
}

func (f *failure) Unwrap() error { return f.error }

// explain returns the error, if there is one, with the file's name and what would help.
func (s *Store) explain(err error) error {
	if err == nil || errors.As(err, new(*finding)) {
		return err
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("%s: %w", s.path, err)
	}
	what := map[int]string{
		full: "the disk is full: what was stored before is safe; free some space and run the same command again",
		cantOpen: fmt.Sprintf("cannot be opened (%v): check that the file and its folder can be read and written, or "+
			"name another file with --store", err),
		busy: fmt.Sprintf("another process has kept the store locked for %v: wait until it is done and run the "+
			"same command again, or name another file with --store", busyTimeout),
		readonly: unwritten,
		notADB:   "is not a hallmark store (no SQLite database): name another file with --store",
		corrupt: fmt.Sprintf("is damaged (%v): the command `sqlite3 FILE .recover` may save what can be read; name "+
			"another file with --store", err),
		ioerr: fmt.Sprintf("reading or writing failed (%v): what was stored before is safe; check the disk's "+
			"space and health and run the same command again", err),
	}
	what[locked], what[perm] = what[busy], what[readonly]
	if said := what[code(err)]; said != "" {
		return &finding{s.path, said}
	}
	return fmt.Errorf("%s: %w", s.path, err)
}
