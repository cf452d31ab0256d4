// Package console is what a command writes to: streams out of which secrets are blotted, colour and width of a
// terminal, a line of progress.
package console

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"

	"golang.org/x/term"

	"hallmark/internal/base/exit"
	"hallmark/internal/report"
	"hallmark/internal/text/secret"
)

// A Sieve is a stream out of which the secrets of this process are blotted, and where it is a terminal what steers
// or hides text in data that is written as it is (YAML). What is written was clean before: redaction is the
// business of whoever reads a text from outside. This is for what nobody thought of. It remembers the first error
// of a write, so that no command has to look at each.
type Sieve struct {
	w       io.Writer
	secrets *secret.Redactor
	shown   bool // it is a terminal

	mu     sync.Mutex
	failed error
}

// NewSieve returns the stream.
func NewSieve(w io.Writer, secrets *secret.Redactor) *Sieve {
	_, shown := terminal(w)
	return &Sieve{w: w, secrets: secrets, shown: shown}
}

// sievePiece is about how much is looked through at once: to look through a text takes a hundred times its size.
const sievePiece = 1 << 18

// Write implements io.Writer.
func (n *Sieve) Write(b []byte) (int, error) {
	for rest := b; len(rest) > 0; {
		piece := rest
		if len(piece) > sievePiece { // whole lines, where there are some
			if end := bytes.LastIndexByte(piece[:sievePiece], '\n'); end >= 0 {
				piece = piece[:end+1]
			}
		}
		rest = rest[len(piece):]
		clean := n.secrets.Bytes(piece)
		if n.shown {
			clean = report.VisibleBytes(clean)
		}
		if _, err := n.w.Write(clean); err != nil {
			n.mu.Lock()
			defer n.mu.Unlock()
			n.failed = cmp.Or(n.failed, err)
			return 0, err
		}
	}
	return len(b), nil
}

// Whole ends a command that could not write all that it had to say, whether it looked or not, with the error of the
// write.
func (n *Sieve) Whole(err error) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	switch {
	case n.failed == nil || err != nil && !errors.Is(err, n.failed):
		return err
	case err == nil:
		err = fmt.Errorf("what was to be printed is not whole: %w", n.failed)
	}
	return exit.With(exit.Failed, err)
}

// terminal returns the file below a stream, if it is a terminal.
func terminal(w io.Writer) (*os.File, bool) {
	if n, ok := w.(*Sieve); ok {
		w = n.w
	}
	f, ok := w.(*os.File)
	return f, ok && term.IsTerminal(int(f.Fd()))
}

// Colour reports whether the stream takes colour: a terminal, and nobody said no.
func Colour(w io.Writer) bool {
	_, ok := terminal(w)
	return ok && os.Getenv("NO_COLOR") == "" && os.Getenv("CI") == "" && os.Getenv("TERM") != "dumb"
}

// Width returns the columns of the stream if it is a terminal, else 100.
func Width(w io.Writer) int {
	if f, ok := terminal(w); ok {
		if columns, _, err := term.GetSize(int(f.Fd())); err == nil && columns > 40 {
			return columns
		}
	}
	return 100
}
