package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// Read opens the store in the file at path for reading what is there. It makes no file and no folder. A store that can be written is opened as
// Open does; of one that cannot, or whose folder cannot, what is stored is read and nothing is made beside it: what would write returns an error.
func Read(ctx context.Context, path string) (*Store, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s: cannot be opened: %w", path, reason(err))
	case info.IsDir():
		return Open(ctx, path) // which says what is wrong with it
	case unwritable(path):
		return readOnly(ctx, path)
	}
	s, err := openRW(ctx, path)
	var f *failure
	if errors.As(err, &f) && (f.code == cantOpen || f.code == readonly || f.code == perm) { // its log cannot be made in the folder
		return readOnly(ctx, path)
	}
	return s, err
}

// readOnly opens a file so that nothing is written to it or beside it.
func readOnly(ctx context.Context, path string) (*Store, error) {
	s := newStore(path)
	params := []string{"mode=ro", "_pragma=query_only(1)"}
	if info, err := os.Stat(path + "-wal"); errors.Is(err, fs.ErrNotExist) || err == nil && info.Size() == 0 {
		// There is no log to read, so no other file is needed. Else the log's index has to be there, or nothing of the log can be read.
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
		return nil, &finding{path, fmt.Sprintf("cannot be written, and its last answers are in %s-wal, which cannot be read without writing: copy both files to a folder of yours, and name the copy with --store", path)}
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
	return !errors.Is(err, fs.ErrNotExist) && regular(path)
}

func regular(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}
