package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"hallmark/internal/base/inputfile"
)

// Read opens the store in the file at path for reading what is there. It makes no file and no folder. A store that
// can be written is opened as Open does; of one that cannot, or whose folder cannot, what is stored is read and
// nothing is made beside it: what would write returns an error.
func Read(ctx context.Context, path string) (*Store, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s: cannot be opened: %w", path, inputfile.Cause(err))
	case info.IsDir():
		return Open(ctx, path) // which says what is wrong with it
	case unwritable(path):
		return readOnly(ctx, path)
	}
	s, err := openRW(ctx, newStore(path))
	var f *failure
	// its log cannot be made in the folder
	if errors.As(err, &f) && (f.code == cantOpen || f.code == readonly || f.code == perm) {
		return readOnly(ctx, path)
	}
	return s, err
}

// Inspect opens the store in the file at path so that nothing on the disk changes, whatever lies beside it: no log
// is folded into the file, and no journal that a kill left, or somebody put there, is played back and removed.
// Where there is one, a copy in a temporary folder is read, which Close removes; but a store that another process
// is busy writing is read in its place.
func Inspect(ctx context.Context, path string) (*Store, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s: cannot be opened: %w", path, inputfile.Cause(err))
	case info.IsDir():
		return Open(ctx, path) // which says what is wrong with it
	case info.Size() == 0:
		return nil, &finding{path, "is empty: name another file with --store"}
	}
	before := stampsOf(path)
	if alone := (stamps{before[0]}); before == alone {
		s, err := readOnly(ctx, path)
		if err == nil {
			s.found = &before
		}
		return s, err
	}
	s := newStore(path)
	if s.copied, err = os.MkdirTemp("", "hallmark-"); err != nil {
		return nil, cannotCopy(path, err)
	}
	for range 3 {
		if err := copyInto(s.copied, path); err != nil {
			s.Close()
			return nil, cannotCopy(path, err)
		}
		now := stampsOf(path)
		if now == before {
			return openRW(ctx, s)
		}
		before = now
	}
	s.Close()
	return readOnly(ctx, path)
}

// Settled returns an error where a store that Inspect opened was changed since, so that what was read of it is of
// no one moment.
func (s *Store) Settled() error {
	if s.found != nil && stampsOf(s.path) != *s.found {
		return &finding{s.path, "was written by another command while it was read: do this again once that has ended"}
	}
	return nil
}

// parts are the endings of the files of a store: itself, its log of changes and its journal.
var parts = [...]string{"", "-wal", "-journal"}

// stamps are the sizes of the parts and when they were changed last; zero for one that is not there.
type stamps [len(parts)]struct{ size, at int64 }

func stampsOf(path string) (of stamps) {
	for i, ending := range parts {
		if info, err := os.Stat(path + ending); err == nil {
			of[i].size, of[i].at = info.Size(), info.ModTime().UnixNano()
		}
	}
	return of
}

// copyInto copies the parts of a store into a folder.
func copyInto(dir, path string) error {
	for _, ending := range parts {
		to := filepath.Join(dir, filepath.Base(path)+ending)
		if err := os.Remove(to); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		from, err := inputfile.Open(path + ending)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		copied, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
		if err == nil {
			_, err = io.Copy(copied, from)
			err = errors.Join(err, copied.Close())
		}
		if err = errors.Join(err, from.Close()); err != nil {
			return err
		}
	}
	return nil
}

func cannotCopy(path string, err error) error {
	return fmt.Errorf(
		"%s: a log or a journal lies beside it, and it cannot be copied to be read without changing it: %w", path,
		inputfile.Cause(err))
}

// readOnly opens a file so that nothing is written to it or beside it.
func readOnly(ctx context.Context, path string) (*Store, error) {
	s := newStore(path)
	params := []string{"mode=ro", "_pragma=query_only(1)"}
	if info, err := os.Stat(path + "-wal"); errors.Is(err, fs.ErrNotExist) || err == nil && info.Size() == 0 {
		// There is no log to read, so no other file is needed. Else the log's index has to be there, or nothing of
		// the log can be read.
		params = append(params, "immutable=1")
	}
	var err error
	if s.reader, err = sql.Open("sqlite", s.dsn(params...)); err == nil {
		s.reader.SetMaxOpenConns(4)
		err = s.recognize(ctx)
	}
	if err == nil {
		return s, nil
	}
	s.Close()
	if code(err) == cantOpen && len(params) == 2 {
		return nil, &finding{path, fmt.Sprintf("cannot be written, and its last answers are in %s-wal, which "+
			"cannot be read without writing: copy both files to a folder of yours, and name the copy with --store",
			path)}
	}
	return nil, s.explain(err)
}

// unwritable reports whether a file is there and its permissions, or its file system's, keep it from being written.
func unwritable(path string) bool {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err == nil {
		f.Close()
		return false
	}
	info, missing := os.Stat(path)
	return !errors.Is(err, fs.ErrNotExist) && missing == nil && info.Mode().IsRegular()
}
