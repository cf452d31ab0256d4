package sqlite

import (
	"context"
	"database/sql"
	_ "embed"
	"fmt"
	"math"
	"math/rand/v2"

	"hallmark/internal/run/store/row"
)

// annotations is the part of the schema that version 2 added. A file of version 1 gets it when something is first
// written to it.
const annotations = `
CREATE TABLE IF NOT EXISTS annotation (
	id    INTEGER PRIMARY KEY, -- the order in which they were added
	run   TEXT NOT NULL,       -- id of the run
	unit  TEXT NOT NULL,       -- the answer within it
	rater TEXT NOT NULL,
	label TEXT NOT NULL,       -- JSON
	at    INTEGER              -- when it was added, in nanoseconds since 1970, UTC
) STRICT;

CREATE INDEX IF NOT EXISTS annotation_run ON annotation (run);
`

// texts is what version 4 added.
const texts = `
CREATE TABLE kept (
	name    TEXT PRIMARY KEY,
	content BLOB NOT NULL,
	hash    BLOB
) STRICT, WITHOUT ROWID;
`

//go:embed version3.sql
var hashes string

// layout returns the statements that make the schema of a version. A file that was brought to a version has the
// same text as one made in it.
func layout(version int) string {
	made := schema
	if version > 1 {
		made += annotations
	}
	if version > 2 {
		made += hashes
	}
	if version > 3 {
		made += texts
	}
	return made
}

// A state is what has to be known of a file to read it.
type state struct {
	version  int
	older    int64 // the last record that may lack a hash
	unhashed int64 // how many there are
}

// unhashedRows reports whether the rows of the file carry no hashes yet.
func (s state) unhashedRows() bool { return s.version < hashed }

// hash is the column of the hash in a query.
func (s state) hash() string {
	if s.unhashedRows() {
		return "NULL"
	}
	return "hash"
}

// state returns what is known of the file. One of an earlier version may have been brought to this one by another
// process meanwhile.
func (s *Store) state(ctx context.Context) (state, error) {
	s.mu.Lock()
	known := s.known
	s.mu.Unlock()
	if known.version == version {
		return known, nil
	}
	return s.learn(ctx, s.reader)
}

// learn reads the state of the file.
func (s *Store) learn(ctx context.Context, q row.Queries) (state, error) {
	var now state
	if err := q.QueryRowContext(ctx, "PRAGMA user_version").Scan(&now.version); err != nil {
		return state{}, err
	}
	if now.unhashedRows() {
		now.older = math.MaxInt64
		var last sql.NullInt64 // records are never removed
		if err := q.QueryRowContext(ctx, "SELECT max(id) FROM record").Scan(&last); err != nil {
			return state{}, err
		}
		now.unhashed = last.Int64
	} else {
		t, err := s.ReadTally(ctx, q, "record")
		if err != nil {
			return state{}, err
		}
		now.older, now.unhashed = t.Older, t.N // of a damaged tally 0: then every row has to carry its hash
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.known = now
	return now, nil
}

// upgrade brings a file of an earlier version to this one, as something is to be written to it. Records of the file
// stay without a hash, as nobody knows whether they are still as they were written; the tally says which. The few
// rows of the other tables get theirs.
func (s *Store) upgrade(ctx context.Context) error {
	if s.writer == nil {
		return &finding{s.path, unwritten}
	}
	now, err := s.state(ctx)
	if err != nil || now.version == version {
		return err
	}
	err = s.locked(ctx, func(tx *sql.Tx) error {
		var old int
		if err := tx.QueryRowContext(ctx, "PRAGMA user_version").Scan(&old); err != nil || old == version {
			return err // another process was faster
		}
		if old == hashed {
			if _, err := tx.ExecContext(ctx, texts); err != nil {
				return err
			}
			return setVersion(ctx, tx)
		}
		steps := hashes + texts
		if old == 1 {
			steps = annotations + steps
		}
		if _, err := tx.ExecContext(ctx, steps); err != nil {
			if code(err) != corrupt && code(err) != 1 && code(err) != constraint {
				return err
			}
			return &finding{s.path, fmt.Sprintf("holds a row that no hallmark wrote, so hashes cannot be added to "+
				"it (%v): it can be shown and reported as it is; name another file with --store", err)}
		}
		if err := s.seal(ctx, tx); err != nil {
			return err
		}
		return setVersion(ctx, tx)
	})
	if err != nil {
		return err
	}
	_, err = s.learn(ctx, s.reader)
	return err
}

// setVersion marks the file as one of this version.
func setVersion(ctx context.Context, tx *sql.Tx) error {
	_, err := tx.ExecContext(ctx, fmt.Sprintf("PRAGMA user_version = %d", version))
	return err
}

// seal gives the rows that a file has their hashes, but for those of records, and writes the tallies.
func (s *Store) seal(ctx context.Context, tx *sql.Tx) error {
	if err := s.sealResults(ctx, tx); err != nil {
		return err
	}
	for _, t := range []struct{ name, columns string }{{"model", row.ModelColumns}, {"run", runColumns},
		{"annotation", row.AnnotationColumns}} {
		type sealedRow struct {
			id   any
			hash row.Sum
		}
		var all []sealedRow
		rows, err := tx.QueryContext(ctx, "SELECT id, "+t.columns+" FROM "+t.name)
		if err != nil {
			return err
		}
		err = row.Each(rows, func(cells []row.Cell) error {
			all = append(all, sealedRow{cells[0].V, new(row.Hasher).Row(t.name, row.Values(cells[1:])...)})
			return nil
		})
		if err != nil {
			return err
		}
		for _, r := range all {
			if _, err := tx.ExecContext(ctx, "UPDATE "+t.name+" SET hash = ? WHERE id = ?", r.hash[:],
				r.id); err != nil {
				return err
			}
		}
	}
	for _, name := range row.Tallied {
		t := row.Tally{Name: name}
		last := "0"
		if name == "record" {
			last = "coalesce(max(id), 0)"
		}
		if err := tx.QueryRowContext(ctx, "SELECT count(*), "+last+" FROM "+name).Scan(&t.N, &t.Older); err != nil {
			return err
		}
		if err := row.WriteTally(ctx, tx, t); err != nil {
			return err
		}
	}
	return row.WriteTally(ctx, tx, row.Tally{Name: row.MarkName, N: rand.Int64(), Older: rand.Int64()})
}

// Mark returns what tells this store from all others, also from one that holds the same runs; "" for a store of an
// earlier version, which has none, and where the mark is damaged.
func (s *Store) Mark(ctx context.Context) (string, error) {
	now, err := s.state(ctx)
	if err != nil || now.unhashedRows() {
		return "", err
	}
	t, err := s.ReadTally(ctx, s.reader, row.MarkName)
	if err != nil || t.N == 0 && t.Older == 0 {
		return "", err
	}
	return fmt.Sprintf("%016x%016x", uint64(t.N), uint64(t.Older)), nil
}

// FileMark returns the mark of the store in a file as it is without the log of changes beside it, as Mark does. An
// error means that the file alone is no store.
func FileMark(ctx context.Context, path string) (string, error) {
	s := newStore(path)
	var err error
	if s.reader, err = sql.Open("sqlite", s.dsn("immutable=1", "mode=ro")); err != nil {
		return "", s.explain(err)
	}
	defer s.reader.Close()
	if err := s.recognize(ctx); err != nil {
		return "", s.explain(err)
	}
	return s.Mark(ctx)
}

// sealResults gives the results of runs their hashes.
func (s *Store) sealResults(ctx context.Context, tx *sql.Tx) error {
	rows, err := tx.QueryContext(ctx, "SELECT id, result FROM run WHERE result IS NOT NULL")
	if err != nil {
		return err
	}
	hashes := map[any]any{}
	if err := row.Each(rows, func(cells []row.Cell) error {
		hashes[cells[0].V] = resultHash(cells[1].V)
		return nil
	}); err != nil {
		return err
	}
	for id, hash := range hashes {
		if _, err := tx.ExecContext(ctx, "UPDATE run SET result_hash = ? WHERE id = ?", hash, id); err != nil {
			return err
		}
	}
	return nil
}
