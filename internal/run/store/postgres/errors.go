package postgres

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
)

// A finding is an error that says all there is to say.
type finding struct{ store, what string }

// An absence is a finding that the server is away, by the error that shows it.
type absence struct {
	*finding
	cause error
}

func (a *absence) Unwrap() error { return a.cause }

// A doubt is a finding that nobody knows whether a transaction was committed.
type doubt struct{ *finding }

func (d *doubt) Unwrap() error { return d.finding }

func (f *finding) Error() string { return f.store + ": " + f.what }

// code returns the code of an error that the server sent:
// https://www.postgresql.org/docs/current/errcodes-appendix.html
func code(err error) string {
	if e, ok := errors.AsType[*pgconn.PgError](err); ok {
		return e.Code
	}
	return ""
}

// Lost reports whether the connection was lost, or the server is about to be there again.
func Lost(err error) bool {
	switch c := code(err); {
	case c == "57P01", c == "57P02", c == "57P03", c == "53300", c == "25P03", strings.HasPrefix(c, "08"):
		return true
	case c != "", err == nil, errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return false
	}
	return errors.As(err, new(net.Error)) || errors.As(err, new(*pgconn.ConnectError)) || errors.Is(err, io.EOF) ||
		errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, net.ErrClosed) || errors.Is(err, driver.ErrBadConn) ||
		pgconn.SafeToRetry(err)
}

// untrusted reports whether the server's certificate is not one that is trusted, or is of another server.
func untrusted(err error) bool {
	_, ok := errors.AsType[*tls.CertificateVerificationError](err)
	return ok || errors.As(err, new(x509.UnknownAuthorityError)) || errors.As(err, new(x509.HostnameError)) ||
		errors.As(err, new(x509.CertificateInvalidError))
}

// Passing reports whether the same may work later: the connection was lost, or two transactions were in each other's
// way, so that one of them has to begin anew.
func Passing(err error) bool { return Lost(err) || code(err) == "40P01" || code(err) == "40001" }

// Explain returns the error, if there is one, with the name of the store and what would help. It holds no password:
// neither what the server says nor what connecting says does.
func (s *Store) Explain(err error) error {
	if err == nil || errors.As(err, new(*finding)) || errors.As(err, new(*absence)) {
		return err
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("%s: %w", s.ref, err)
	}
	said := why(err)
	if e, ok := errors.AsType[*pgconn.PgError](err); ok {
		said = e.Message
	}
	const safe = "what was stored before is safe; "
	altered := fmt.Sprintf("the schema %s is not as hallmark makes it (%s): name another one with ?search_path=NAME",
		s.schema, said)
	what, c := "", code(err)
	for _, k := range []struct{ code, what string }{ // the first whose code begins so
		{"53100", "the server's disk is full (" + said + "): " + safe +
			"free some space there and run the same command again"},
		{"42501", fmt.Sprintf("the user %s lacks a right (%s): its owner can GRANT it, see docs/store.md, or name "+
			"another store with --store", s.user, said)},
		{"25006", "the server takes no changes (" + said + "): name the one that does with --store"},
		{"55P03", fmt.Sprintf("another process has kept the store locked for %v: wait until it is done and run the "+
			"same command again", lockTimeout)},
		{"3D000", said + ": make it with `createdb`, or name another one with --store"},
		{"42P01", altered}, {"42703", altered}, {"42P07", altered},
		{"28", "the server does not let the user in (" + said + "): where it wants a password, " + remedy},
		{"XX", "the server says that the database is damaged (" + said + "): restore it from a backup, or name " +
			"another store with --store"},
		{"53", "the server has no room for this (" + said + "): " + safe + "run the same command again"},
	} {
		if what == "" && strings.HasPrefix(c, k.code) {
			what = k.what
		}
	}
	switch {
	case strings.HasPrefix(c, "28") && strings.Contains(said, "no encryption"):
		what = "the server does not let the user in without TLS (" + said + "): want sslmode=verify-full, or require"
	case what != "":
	case untrusted(err):
		what = "the server is not known to be the one that is meant (" + said + "): name the file of the authority " +
			"that signed its certificate with sslrootcert=FILE, and the server as its certificate does; sslmode says what " +
			"is checked"
	case strings.Contains(said, "refused TLS"):
		what = "the server has no TLS (" + said + "): switch it on there; sslmode=disable does without"
	case Lost(err) && s.reached:
		what = "the connection was lost (" + said + "): " + safe + "run the same command again"
	case Lost(err):
		what = "no server answers (" + said + "): check that it runs there, or name another store with --store"
	default:
		return fmt.Errorf("%s: %s", s.ref, said)
	}
	if Lost(err) {
		return &absence{&finding{s.ref, what}, err}
	}
	return &finding{s.ref, what}
}
