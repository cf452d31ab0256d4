// Package store opens the store that a reference names.
package store

import (
	"context"
	"fmt"
	"strings"

	"hallmark/internal/run"
	"hallmark/internal/run/store/sqlite"
)

// Open opens the store named by a reference, which is sqlite:FILE. Its errors are for users: they quote the reference
// or name the file, and say what would be right. What may hold a password is not quoted.
//
// The store counts as the user's own from then on (Own).
func Open(ctx context.Context, ref string) (run.Store, error) {
	return named(ctx, ref, func(ctx context.Context, path string) (*sqlite.Store, error) {
		prepare(path)
		s, err := sqlite.Open(ctx, path)
		if err == nil {
			noteOpened(path)
			s.OnClose(func() { noteClosed(path) })
		}
		return s, err
	})
}

// Read is Open for reading what is there: it makes no store, and opens one that cannot be written. Where it can be, so can the Store.
func Read(ctx context.Context, ref string) (run.Store, error) {
	return named(ctx, ref, func(ctx context.Context, path string) (*sqlite.Store, error) {
		if Own(path) != nil { // and it becomes none by being read
			return sqlite.Read(ctx, path)
		}
		noteOpened(path)
		s, err := sqlite.Read(ctx, path)
		if err != nil {
			return nil, err
		}
		noteOpened(path) // a process that closed it meanwhile may have noted that
		s.OnClose(func() { noteClosed(path) })
		return s, nil
	})
}

func named(ctx context.Context, ref string, open func(context.Context, string) (*sqlite.Store, error)) (run.Store, error) {
	scheme, rest, ok := strings.Cut(ref, ":")
	switch {
	case ok && scheme == "sqlite":
		s, err := open(ctx, rest)
		if err != nil {
			return nil, err
		}
		return s, nil
	case ok && (scheme == "postgres" || scheme == "postgresql"):
		return nil, fmt.Errorf("store %s://…: this build keeps runs in SQLite only, Postgres comes with runs over many machines: want sqlite:FILE", scheme)
	case strings.Contains(ref, "@"):
		ref = scheme + "://…"
	}
	return nil, fmt.Errorf("store %q: want sqlite:FILE, such as sqlite:.hallmark/hallmark.db", ref)
}
