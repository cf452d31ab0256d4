package postgres

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"strings"
	"sync/atomic"
	"testing"

	"pgregory.net/rapid"

	"hallmark/internal/run"
	"hallmark/internal/run/storetest"
)

// server returns the URL of the server for tests, and skips the test where there is none.
func server(t testing.TB) *url.URL {
	t.Helper()
	ref := os.Getenv("HALLMARK_POSTGRES")
	if ref == "" {
		t.Skip("no Postgres here: HALLMARK_POSTGRES=postgres://[USER@]HOST[:PORT]/DATABASE names one")
	}
	u, err := url.Parse(ref)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

var schemasMade atomic.Int64

// place returns a reference to a schema of its own, which is dropped at the end of the test.
func place(t testing.TB, params ...string) string {
	t.Helper()
	u := server(t)
	name := fmt.Sprintf("Test-%d-%d", os.Getpid(), schemasMade.Add(1))
	q := u.Query()
	q.Set("search_path", name)
	for i := 0; i < len(params); i += 2 {
		q.Set(params[i], params[i+1])
	}
	u.RawQuery = q.Encode()
	t.Cleanup(func() { do(t, u.String(), fmt.Sprintf("DROP SCHEMA IF EXISTS %q CASCADE", name)) })
	return u.String()
}

// connected returns a connection to the schema of a store, past the store.
func connected(t testing.TB, ref string) *Store {
	t.Helper()
	s, err := connect(ref)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// do executes a statement in the schema of a store.
func do(t testing.TB, ref, statement string) {
	t.Helper()
	s := connected(t, ref)
	defer s.Close()
	if _, err := s.db.Exec(statement); err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
}

func opened(t testing.TB, ref string) *Store {
	t.Helper()
	s, err := Open(context.Background(), ref)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestContract(t *testing.T) {
	server(t)
	storetest.Test(t, func(t testing.TB) run.Store { return opened(t, place(t)) })
}

// A reference that shows a password, or that is none, is refused in one line that does not.
func TestCheck(t *testing.T) {
	for ref, want := range map[string]string{
		"postgres://user:secret@host/db":          "holds a password",
		"postgresql://user:secret@host/db":        "holds a password",
		"postgres://host/db?password=secret":      "holds a password",
		"postgres://host/db?sslpassword=secret":   "holds a password",
		"postgres://user:secret%zz@host/db":       "is no URL",
		"postgres:user=x password=secret host=h":  "want postgres://",
		"postgres:user:secret@host/db":            "want postgres://",
		"postgres:":                               "want postgres://",
		"postgres://host/db":                      "",
		"postgres:///db?host=/tmp&port=5":         "",
		"postgres://user@[::1]:5432/db?service=x": "",
		"postgres://":                             "",
		"postgres:a folder/connection.txt":        "",
	} {
		err := Check(ref)
		if (err == nil) != (want == "") || err != nil && (!strings.Contains(err.Error(), want) ||
			strings.Contains(err.Error(), "secret") || strings.Contains(err.Error(), "\n")) {
			t.Errorf("%s: %v, want %q", ref, err, want)
		}
	}
}

// Every text that is put comes back, and none holds a byte 0 meanwhile. A text of usual characters stays as it is.
func TestTexts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOfN(rapid.SampledFrom([]rune("\x00\x01\x022aé")), 0, 9, -1).Draw(t, "text")
		stored := put(text).(string)
		back := stored
		if strings.HasPrefix(stored, escaped) {
			back = unescape.Replace(stored[len(escaped):])
		}
		if back != text || strings.Contains(stored, "\x00") || !strings.ContainsAny(text, "\x00\x01") && stored != text {
			t.Errorf("%q is stored as %q and comes back as %q", text, stored, back)
		}
	})
}
