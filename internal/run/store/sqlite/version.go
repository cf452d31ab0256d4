package sqlite

import (
	"context"
	"database/sql"
	_ "embed"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"hallmark/internal/run"
)

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
	return made
}

// A state is what has to be known of a file to read it.
type state struct {
	version  int
	older    int64 // the last record that may lack a hash
	unhashed int64 // how many there are
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
func (s *Store) learn(ctx context.Context, q queries) (state, error) {
	var now state
	if err := q.QueryRowContext(ctx, "PRAGMA user_version").Scan(&now.version); err != nil {
		return state{}, err
	}
	if now.version < version {
		now.older = math.MaxInt64
		var last sql.NullInt64 // records are never removed
		if err := q.QueryRowContext(ctx, "SELECT max(id) FROM record").Scan(&last); err != nil {
			return state{}, err
		}
		now.unhashed = last.Int64
	} else {
		t, err := s.tally(ctx, q, "record")
		if err != nil {
			return state{}, err
		}
		now.older, now.unhashed = t.older, t.n // of a damaged tally 0: then every row has to carry its hash
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
		return cannotWrite(s.path)
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
		steps := hashes
		if old == 1 {
			steps = annotations + hashes
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
	for _, t := range []struct{ name, id, columns string }{{"model", "id", modelColumns}, {"run", "id", runColumns},
		{"annotation", "id", annotationColumns}} {
		type sealedRow struct {
			id   any
			hash sum
		}
		var all []sealedRow
		rows, err := tx.QueryContext(ctx, "SELECT "+t.id+", "+t.columns+" FROM "+t.name)
		if err != nil {
			return err
		}
		err = eachRow(rows, func(cells []cell) error {
			all = append(all, sealedRow{cells[0].v, new(hasher).row(t.name, values(cells[1:])...)})
			return nil
		})
		if err != nil {
			return err
		}
		for _, r := range all {
			if _, err := tx.ExecContext(ctx, "UPDATE "+t.name+" SET hash = ? WHERE "+t.id+" = ?", r.hash[:],
				r.id); err != nil {
				return err
			}
		}
	}
	for _, name := range tallied {
		t := tally{name: name}
		last := "0"
		if name == "record" {
			last = "coalesce(max(id), 0)"
		}
		if err := tx.QueryRowContext(ctx, "SELECT count(*), "+last+" FROM "+name).Scan(&t.n, &t.older); err != nil {
			return err
		}
		if err := t.write(ctx, tx); err != nil {
			return err
		}
	}
	return tally{markName, rand.Int64(), rand.Int64()}.write(ctx, tx)
}

// tallied are the tables that have a tally. That of records says which of them carry no hash.
var tallied = []string{"record", "run", "annotation", "usage", "hold"}

// markName is the name of the tally that counts nothing: its numbers are drawn when it is written, and tell this
// store from all others.
const markName = "mark"

// Mark returns what tells this store from all others, also from one that holds the same runs; "" for a store of an
// earlier version, which has none, and where the mark is damaged.
func (s *Store) Mark(ctx context.Context) (string, error) {
	now, err := s.state(ctx)
	if err != nil || now.version < version {
		return "", err
	}
	t, err := s.tally(ctx, s.reader, markName)
	if err != nil || t.n == 0 && t.older == 0 {
		return "", err
	}
	return fmt.Sprintf("%016x%016x", uint64(t.n), uint64(t.older)), nil
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
	if err := eachRow(rows, func(cells []cell) error {
		hashes[cells[0].v] = resultHash(cells[1].v)
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

// eachRow passes the cells of each row, and closes the rows.
func eachRow(rows *sql.Rows, visit func([]cell) error) error {
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		return err
	}
	cells := make([]cell, len(columns))
	to := make([]any, len(cells))
	for i := range cells {
		to[i] = &cells[i]
	}
	for rows.Next() {
		if err := rows.Scan(to...); err != nil {
			return err
		}
		if err := visit(cells); err != nil {
			return err
		}
	}
	return rows.Err()
}

// A tally counts the rows of a table that is read whole, so that one that is lost shows.
type tally struct {
	name     string
	n, older int64
}

// write stores the tally.
func (t tally) write(ctx context.Context, tx *sql.Tx) error {
	hash := new(hasher).row("tally", t.name, t.n, t.older)
	_, err := tx.ExecContext(ctx, "INSERT OR REPLACE INTO tally (name, n, older, hash) VALUES (?, ?, ?, ?)", t.name,
		t.n, t.older, hash[:])
	return err
}

// tally reads the tally of a table. One that is damaged or lost is noted, and zero.
func (s *Store) tally(ctx context.Context, q queries, name string) (tally, error) {
	cells := make([]cell, 4)
	err := q.QueryRowContext(ctx, "SELECT name, n, older, hash FROM tally WHERE name = ?", name).Scan(&cells[0],
		&cells[1], &cells[2], &cells[3])
	if errors.Is(err, sql.ErrNoRows) {
		s.note(run.Damage{Table: "tally", Row: name, What: "it is gone"})
		return tally{name: name}, nil
	}
	if err != nil {
		return tally{}, err
	}
	n, counted := cells[1].v.(int64)
	older, bounded := cells[2].v.(int64)
	what := sealed(cells[3].v, new(hasher).row("tally", values(cells[:3])...), false)
	if what != "" || !counted || !bounded {
		s.note(run.Damage{Table: "tally", Row: name, What: what})
		return tally{name: name}, nil
	}
	return tally{name, n, older}, nil
}

// count notes that rows were added to a table. A tally that is damaged is made anew from the rows that are there.
func (s *Store) count(ctx context.Context, tx *sql.Tx, name string, added int) error {
	var broken bool
	t, err := s.tally(ctx, tx, name)
	if err != nil {
		return err
	}
	if broken = t.n == 0; broken {
		if err := tx.QueryRowContext(ctx, "SELECT count(*) FROM "+name+" NOT INDEXED").Scan(&t.n); err != nil {
			return err
		}
	} else {
		t.n += int64(added)
	}
	return t.write(ctx, tx)
}

// counted notes where a table that was read whole has other rows than were written.
func (s *Store) counted(ctx context.Context, q queries, name string, rows int64) error {
	t, err := s.tally(ctx, q, name)
	if err != nil {
		return err
	}
	if lost := t.n - rows; lost > 0 {
		s.note(run.Damage{Table: name, What: fmt.Sprintf("%d of its %d rows are gone", lost, t.n)})
	}
	return nil
}
