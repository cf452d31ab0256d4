// Package sqlite keeps records and runs in one SQLite file. docs/store.md describes the format.
//
// The database is in WAL mode with synchronous=FULL, so a commit survives a crash of the machine. One connection
// writes, in transactions that begin by taking the write lock; a small pool reads beside it. Several processes may
// use one file: they wait for each other's transactions, which are short.
package sqlite

import (
	"context"
	"database/sql"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	_ "modernc.org/sqlite" // the driver, in Go

	"hallmark/internal/base/inputfile"
	"hallmark/internal/run"
	"hallmark/internal/run/store/row"
)

const (
	applicationID = 0x48414c4d // "HALM", in the file's header: a hallmark store and not any other SQLite file
	// of the schema, in PRAGMA user_version; 1 lacks the annotations, 2 the hashes, 3 the texts; all are read as they are
	version = 4
	hashed  = 3 // the version from which on rows carry hashes
)

//go:embed schema.sql
var schema string

// busyTimeout is how long to wait for the locks of other processes.
var busyTimeout = 10 * time.Second

// Hooks are called as things happen to a store, each where it is not nil: before and after each change is committed,
// maybe by several goroutines at a time, as the file is about to be closed, and once it is.
type Hooks struct{ Committing, Committed, Closing, Closed func() }

// call calls a hook.
func call(hook func()) {
	if hook != nil {
		hook()
	}
}

// A Store is a run.Store in one SQLite file.
type Store struct {
	row.Beside
	Hooks
	path           string
	copied         string  // the folder of the copy that is read in place of the file; "" for none
	found          *stamps // of a file that is taken not to change; may be nil
	writer, reader *sql.DB

	compiling sync.Mutex // held while the statements of writer are prepared
	insert    *sql.Stmt  // nil until something is written, as the file may be of an earlier version
	blocked   *sql.Stmt  // the records of keys, for writing

	mu      sync.Mutex
	known   state
	models  map[string]int64   // row IDs of the identities known to be committed
	lookups map[form]*sql.Stmt // of reader
}

var (
	_ run.Store   = (*Store)(nil)
	_ run.Checker = (*Store)(nil)
)

// Open opens the store in the file at path, and creates it, and the folders above it, where they are missing. It
// changes no file that is not a hallmark store. Its errors name the file and what would help.
func Open(ctx context.Context, path string) (*Store, error) {
	if path == "" {
		return nil, errors.New("the store's file has no name: want sqlite:FILE, such as sqlite:.hallmark/hallmark.db")
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, fmt.Errorf("%s: cannot make the store's folder: %w: name another file with --store", path,
			inputfile.Cause(err))
	}
	// the driver would let others read it
	if f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600); err == nil {
		f.Close()
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return nil, fmt.Errorf("%s: is a folder: name a file in it, such as %s", path,
			filepath.Join(path, "hallmark.db"))
	}
	if unwritable(path) {
		return nil, &finding{path, unwritten}
	}
	return openRW(ctx, newStore(path))
}

// openRW opens a file that can be written, or the copy of one.
func openRW(ctx context.Context, s *Store) (*Store, error) {
	var err error
	if s.writer, err = sql.Open("sqlite", s.dsn("_txlock=immediate", "_pragma=synchronous(FULL)")); err != nil {
		return nil, s.explain(err)
	}
	s.writer.SetMaxOpenConns(1)
	if s.reader, err = sql.Open("sqlite", s.dsn("_pragma=query_only(1)")); err == nil {
		s.reader.SetMaxOpenConns(4)
		s.reader.SetMaxIdleConns(4)
		err = s.prepare(ctx)
	}
	if err != nil {
		s.Close()
		return nil, &failure{s.explain(err), code(err)}
	}
	return s, nil
}

func newStore(path string) *Store {
	s := &Store{path: path, models: map[string]int64{}, lookups: map[form]*sql.Stmt{}}
	s.DB = database{s}
	return s
}

// dsn returns the name under which the driver opens the file, whatever characters its path has.
func (s *Store) dsn(params ...string) string {
	file := s.path
	if s.copied != "" {
		file = filepath.Join(s.copied, filepath.Base(s.path))
	}
	p := filepath.ToSlash(file)
	if filepath.VolumeName(file) != "" {
		p = "/" + p
	}
	p = strings.NewReplacer("%", "%25", "?", "%3f", "#", "%23").Replace(p)
	params = append(params, fmt.Sprintf("_pragma=busy_timeout(%d)", busyTimeout.Milliseconds()),
		"_pragma=trusted_schema(0)")
	return "file:" + p + "?" + strings.Join(params, "&")
}

// prepare makes sure that the file holds our schema, and learns what is to be known of it.
func (s *Store) prepare(ctx context.Context) error {
	fresh, err := s.inspect(ctx, s.writer)
	if _, ok := errors.AsType[*finding](err); ok {
		// What was read one after the other may be a store that another process is just making; under a lock it is not.
		err = s.locked(ctx, func(tx *sql.Tx) error {
			fresh, err = s.inspect(ctx, tx)
			return err
		})
	}
	if err != nil {
		return err
	}
	if fresh {
		if err := s.create(ctx); err != nil {
			return err
		}
	}
	_, err = s.learn(ctx, s.reader)
	return err
}

// recognize makes sure that a file that is only read holds our schema, and learns what is to be known of it.
func (s *Store) recognize(ctx context.Context) error {
	fresh, err := s.inspect(ctx, s.reader)
	if err != nil {
		return err
	}
	if fresh {
		return &finding{s.path, "is empty and cannot be written: name another file with --store"}
	}
	_, err = s.learn(ctx, s.reader)
	return err
}

// inspect reports whether the file is a database without content, and an error if its content is not ours.
func (s *Store) inspect(ctx context.Context, q row.Queries) (fresh bool, err error) {
	var app, user, tables int
	for query, to := range map[string]*int{
		"PRAGMA application_id": &app, "PRAGMA user_version": &user, "SELECT count(*) FROM sqlite_schema": &tables,
	} {
		if err := q.QueryRowContext(ctx, query).Scan(to); err != nil {
			return false, err
		}
	}
	switch {
	case app == 0 && user == 0 && tables == 0:
		return true, nil
	case app != applicationID:
		return false, &finding{s.path,
			"is an SQLite database of another program, not a hallmark store: name another file with --store"}
	case user > version:
		return false, &finding{s.path, fmt.Sprintf("was written by a newer hallmark (store version %d, this one "+
			"knows up to %d): update hallmark, or name another file with --store", user, version)}
	case user < 1:
		return false, &finding{s.path, fmt.Sprintf("has the unknown store version %d: name another file with --store",
			user)}
	}
	return false, s.compare(ctx, q, user)
}

// compare returns an error where the tables, indices, views and triggers of the file are not those that we make, to
// the letter: a trigger that somebody else put there would rewrite what is stored.
func (s *Store) compare(ctx context.Context, q row.Queries, user int) error {
	want, err := made[user]()
	if err != nil {
		return err
	}
	have, err := objects(ctx, q)
	if err != nil {
		return err
	}
	for name, text := range have {
		if want[name] != text {
			return &finding{s.path, fmt.Sprintf("holds the %s, which hallmark does not make and which could "+
				"change what is stored: name another file with --store", name)}
		}
	}
	for name := range want {
		if _, ok := have[name]; !ok {
			return &finding{s.path, fmt.Sprintf("lacks the %s of a hallmark store: name another file with --store",
				name)}
		}
	}
	return nil
}

// made is what the schema of each version holds, as SQLite has it of our statements.
var made = func() (all [version + 1]func() (map[string]string, error)) {
	for user := range all {
		all[user] = sync.OnceValues(func() (map[string]string, error) {
			own, err := sql.Open("sqlite", ":memory:")
			if err != nil {
				return nil, err
			}
			defer own.Close()
			own.SetMaxOpenConns(1) // each connection has a memory of its own
			if _, err := own.Exec(layout(user)); err != nil {
				return nil, err
			}
			return objects(context.Background(), own)
		})
	}
	return all
}()

// objects returns what a schema holds: its text by type and name.
func objects(ctx context.Context, q row.Queries) (map[string]string, error) {
	rows, err := q.QueryContext(ctx, "SELECT type, name, tbl_name, coalesce(sql, '') FROM sqlite_schema")
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	all := map[string]string{}
	for rows.Next() {
		var kind, name, table, text string
		if err := rows.Scan(&kind, &name, &table, &text); err != nil {
			return nil, err
		}
		all[fmt.Sprintf("%s %q", kind, name)] = table + "\n" + text
	}
	return all, rows.Err()
}

// create writes the schema, unless another process is faster.
func (s *Store) create(ctx context.Context) error {
	// The switch to WAL does not wait for other processes that do the same, so the wait is ours.
	for deadline := time.Now().Add(busyTimeout); ; {
		_, err := s.writer.ExecContext(ctx, "PRAGMA journal_mode = WAL")
		if err == nil {
			break
		}
		if code(err) != busy || time.Now().After(deadline) {
			return err
		}
		time.Sleep(10 * time.Millisecond)
	}
	err := s.locked(ctx, func(tx *sql.Tx) error {
		if fresh, err := s.inspect(ctx, tx); err != nil || !fresh {
			return err
		}
		if _, err := tx.ExecContext(ctx, layout(version)+
			fmt.Sprintf("PRAGMA application_id = %d;", applicationID)); err != nil {
			return err
		}
		if err := s.seal(ctx, tx); err != nil {
			return err
		}
		return setVersion(ctx, tx)
	})
	if err == nil { // FileMark needs the mark in the file itself. The log stays, as its number tells it from others'.
		_, _ = s.writer.ExecContext(ctx, "PRAGMA wal_checkpoint(PASSIVE)")
	}
	return err
}

// locked does something in a transaction that no other process can write beside, and commits it.
func (s *Store) locked(ctx context.Context, do func(*sql.Tx) error) error {
	if s.writer == nil {
		return &finding{s.path, unwritten}
	}
	tx, err := s.writer.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if err := do(tx); err != nil {
		return err
	}
	call(s.Committing)
	if err := tx.Commit(); err != nil {
		return err
	}
	call(s.Committed)
	return nil
}

// Close implements run.Store. It folds the write-ahead log into the file if no other process has the store open.
func (s *Store) Close() error {
	call(s.Closing)
	s.Closing = nil
	var errs []error
	if s.reader != nil {
		errs = append(errs, s.reader.Close())
	}
	if s.writer != nil {
		errs = append(errs, s.writer.Close())
	}
	if s.copied != "" {
		errs = append(errs, os.RemoveAll(s.copied))
	}
	err := errors.Join(errs...)
	if err == nil {
		call(s.Closed)
	}
	return s.explain(err)
}
