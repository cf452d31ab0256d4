package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"regexp"
	"strings"
	"sync"

	"golang.org/x/term"

	"hallmark/internal/exit"
	"hallmark/internal/report"
	"hallmark/internal/secret"
)

// learnSecrets makes known the keys that this process holds without being told: the variables *_API_KEY, the passwords
// of proxies, and what looks like a key in the command of a program. It comes before .env is read: what a stranger's
// folder holds is a key only where something takes it as one (learnKey), and rewrites no answers else.
func (a *app) learnSecrets(args []string) {
	for _, set := range os.Environ() {
		name, value, _ := strings.Cut(set, "=")
		switch name = strings.ToUpper(name); {
		case strings.HasSuffix(name, "_API_KEY"):
			a.secrets.Add(value)
		case strings.HasSuffix(name, "_PROXY"):
			a.secrets.Add(proxyKeys(value)...)
		}
	}
	for i, arg := range args {
		if strings.Contains(arg, "exec:") || strings.Contains(arg, "://") {
			a.secrets.Add(secret.InCommand(arg)...)
		}
		name, value, set := strings.Cut(arg, "=")
		if !set && i+1 < len(args) {
			value = args[i+1]
		}
		if strings.HasSuffix(name, "key-env") && strings.HasPrefix(name, "--") && !variable.MatchString(value) { // the key, in the place of its name
			a.secrets.Add(value)
		}
	}
}

// variable is a name that a variable of the environment may have.
var variable = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// proxyKeys returns the password of a proxy's address, as it is written and as it is sent; where there is a user and no password,
// the user, which is a token then. The scheme may be missing, and the password may hold an @.
func proxyKeys(address string) (keys []string) {
	if _, rest, ok := strings.Cut(address, "://"); ok {
		address = rest
	}
	at := strings.LastIndexByte(address, '@')
	if at < 0 {
		return nil
	}
	user, password, _ := strings.Cut(address[:at], ":")
	key := cmp.Or(password, user)
	plain, _ := url.PathUnescape(key) // "" where it is not escaped as it should be
	return []string{key, plain}
}

// A sieve is a stream out of which the secrets of this process are blotted, and where it is a terminal what steers or hides text in data that is
// written as it is (YAML). What is written was clean before: redaction is the business of whoever reads a text from outside. This is for what nobody
// thought of. It remembers the first error of a write, so that no command has to look at each.
type sieve struct {
	w       io.Writer
	secrets *secret.Redactor
	shown   bool // it is a terminal

	mu     sync.Mutex
	failed error
}

func newSieve(w io.Writer, secrets *secret.Redactor) *sieve {
	f, ok := w.(*os.File)
	return &sieve{w: w, secrets: secrets, shown: ok && term.IsTerminal(int(f.Fd()))}
}

// sievePiece is about how much is looked through at once: to look through a text takes a hundred times its size.
const sievePiece = 1 << 18

func (n *sieve) Write(b []byte) (int, error) {
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

// whole ends a command that could not write all that it had to say, whether it looked or not, with the error of the
// write.
func (n *sieve) whole(err error) error {
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

// terminal returns the file below a stream, if it is one.
func terminal(w io.Writer) (*os.File, bool) {
	if n, ok := w.(*sieve); ok {
		w = n.w
	}
	f, ok := w.(*os.File)
	return f, ok
}
