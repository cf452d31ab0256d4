// Package store opens the store that a reference names.
package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"hallmark/internal/base/within"
	"hallmark/internal/run"
	"hallmark/internal/run/store/postgres"
	"hallmark/internal/run/store/sqlite"
)

// Remote reports whether a reference names a store on a server, such as postgres://HOST/DATABASE. No folder brings
// one along, so it is not asked whose it is; what a file may name is for who reads the file.
func Remote(ref string) bool { return postgres.Is(ref) }

// Open opens the store named by a reference, sqlite:FILE or postgres://HOST/DATABASE, and makes it where there is
// none. Its errors are for users: they quote the reference or name the file, and say what would be right. What may
// hold a password is not quoted.
//
// Unless the user named the store, one that may not be the user's own is a *Foreign. What is opened counts as the
// user's own from then on.
func Open(ctx context.Context, ref string, byUser bool) (run.Store, error) {
	return open(ctx, ref, byUser, postgres.Open, func(path string) (*sqlite.Store, error) {
		prepare(path)
		s, err := sqlite.Open(ctx, path)
		if err == nil && !byUser {
			err = marked(ctx, s, path)
		}
		if err == nil {
			err = keep(ctx, s, path)
		}
		return s, err
	})
}

// Read is Open for reading what is there: it makes no store, and opens one that cannot be written. Where it can be,
// so can the Store. A store that is not the user's own becomes none by it. The error wraps fs.ErrNotExist where a
// server has no store.
func Read(ctx context.Context, ref string, byUser bool) (run.Store, error) {
	return open(ctx, ref, byUser, postgres.Read, func(path string) (*sqlite.Store, error) {
		mine := own(ctx, path) == nil
		s, err := sqlite.Read(ctx, path)
		if err == nil && mine {
			if err = marked(ctx, s, path); err == nil {
				err = keep(ctx, s, path)
			} else if byUser && errors.As(err, new(*Foreign)) {
				err = nil
			}
		}
		return s, err
	})
}

// Inspect is Read for a check: nothing on the disk changes by it, the note of a store that is the user's own neither.
func Inspect(ctx context.Context, ref string, byUser bool) (run.Store, error) {
	return open(ctx, ref, byUser, postgres.Read, func(path string) (*sqlite.Store, error) {
		s, err := sqlite.Inspect(ctx, path)
		if err == nil && !byUser {
			err = marked(ctx, s, path)
		}
		return s, err
	})
}

// open opens a store on a server, or in a file that may be trusted.
func open(ctx context.Context, ref string, byUser bool, remote func(context.Context, string) (*postgres.Store, error),
	local func(path string) (*sqlite.Store, error)) (run.Store, error) {
	if Remote(ref) {
		s, err := remote(ctx, ref)
		if err != nil {
			return nil, err
		}
		return s, nil
	}
	if err := Check(ref); err != nil {
		return nil, err
	}
	path := Path(ref)
	if err := trusted(ctx, path, byUser); err != nil {
		return nil, err
	}
	s, err := local(path)
	if err != nil {
		if s != nil {
			s.Close()
		}
		return nil, err
	}
	return s, nil
}

// trusted returns an error where a store that the user did not name may not be the user's own.
func trusted(ctx context.Context, path string, byUser bool) error {
	if byUser || path == "" {
		return nil
	}
	if err := beside(path); err != nil {
		return err
	}
	if err := own(ctx, path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// Exists reports whether there is something where a reference names a store. Of a server who opens it says so.
func Exists(ref string) bool {
	if Remote(ref) {
		return true
	}
	_, err := os.Stat(Path(ref))
	return !errors.Is(err, fs.ErrNotExist)
}

// Path returns the file that a reference names; of a server the reference. Dots in it are taken out by the names
// alone: what looks at the file and the database that opens it would else go different ways through a folder that is
// a link, or that is not there.
func Path(ref string) string {
	if Remote(ref) {
		return ref
	}
	return filepath.Clean(strings.TrimPrefix(ref, "sqlite:"))
}

// Check returns an error where a reference names no store, or a place where there can be none, as something else
// than a file is there, or something else than a folder above it. It is for users, as the errors of Open are.
func Check(ref string) error {
	scheme, path, ok := strings.Cut(ref, ":")
	switch {
	case Remote(ref):
		return postgres.Check(ref)
	case !ok || scheme != "sqlite" || path == "":
		if strings.Contains(ref, "@") {
			ref = scheme + "://…"
		}
		return fmt.Errorf("store %q: want sqlite:FILE, such as sqlite:.hallmark/hallmark.db, or "+
			"postgres://HOST/DATABASE", ref)
	case path == ":memory:" || strings.HasPrefix(path, "file:"):
		return fmt.Errorf("store %q: answers are kept in a file, not in memory or under a URI: want sqlite:FILE, "+
			"such as sqlite:.hallmark/hallmark.db", ref)
	}
	path = Path(ref)
	// of a folder, who opens it says more
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() && !info.IsDir() {
		return fmt.Errorf("%s: is %s, where a file belongs: name another file with --store", path,
			within.Kind(info.Mode()))
	}
	if why := within.InTheWay(filepath.Dir(path)); why != "" {
		return fmt.Errorf("%s: remove it, or name another file with --store", why)
	}
	return nil
}
