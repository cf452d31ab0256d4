package sqlite

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"maps"
	"strings"

	"hallmark/internal/run"
	"hallmark/internal/run/store/row"
)

// An import adds many records at once, whose keys come in no order, so that each transaction changes most pages of the
// index by keys: these stay in memory (32 MB), and are folded into the file once in so many pages of the log (64 MB),
// not in each thousand.
const (
	manyRecords = 1000
	forMany     = "PRAGMA cache_size = -32000; PRAGMA wal_autocheckpoint = 16000"
)

const insertRecord = "INSERT INTO record (" + row.RecordColumns +
	", raw_hash, hash) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"

// lookupKeys is the number of keys of one query. A smaller set is filled up by repeating a key.
const lookupKeys = 128

// selectRecords is the query for the records of keys.
func selectRecords(as form) string {
	return selectAll(as) + " WHERE key IN (?" + strings.Repeat(", ?", lookupKeys-1) + ")"
}

// A form says of what version the file is of which records are read, and whether without their raw bodies, which
// may be long.
type form struct {
	version int
	bare    bool
}

// selectAll is the query for all records, in the order of the table. A file of an earlier version has no hashes.
func selectAll(as form) string {
	columns, hashes := row.RecordColumns, "raw_hash, hash"
	if as.bare {
		columns = strings.Replace(columns, "raw", "NULL", 1)
	}
	if as.version < hashed {
		hashes = "NULL, NULL"
	}
	return "SELECT id, " + columns + ", " + hashes + " FROM record"
}

// Lookup implements run.Store. A row that is damaged counts as absent and is noted.
func (s *Store) Lookup(ctx context.Context, keys []run.Key) (map[run.Key]run.Record, error) {
	now, err := s.state(ctx)
	if err != nil {
		return nil, s.explain(err)
	}
	find := s.find(s.reader, now, run.IsBare(ctx), func(ctx context.Context, whole bool) (*sql.Stmt, error) {
		return s.lookup(ctx, form{now.version, !whole})
	})
	found, err := find.Find(ctx, keys)
	return found, s.explain(err)
}

// lookup returns the compiled query.
func (s *Store) lookup(ctx context.Context, as form) (*sql.Stmt, error) {
	s.mu.Lock()
	stmt := s.lookups[as]
	s.mu.Unlock()
	if stmt != nil {
		return stmt, nil
	}
	stmt, err := s.reader.PrepareContext(ctx, selectRecords(as))
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lookups[as] = stmt
	return stmt, nil
}

// find returns what finds the records of keys by a query of q.
func (s *Store) find(q row.Queries, now state, bare bool,
	query func(ctx context.Context, whole bool) (*sql.Stmt, error)) *row.Lookup {
	args := make([]any, lookupKeys)
	return &row.Lookup{
		Reader: row.Reader{Older: now.older, Bare: bare}, Store: &s.Beside, Queries: q, MayLack: now.unhashedRows(),
		Size: lookupKeys,
		Query: func(ctx context.Context, whole bool, keys []run.Key) (row.Rows, error) {
			stmt, err := query(ctx, whole)
			if err != nil {
				return nil, err
			}
			for i := range args {
				args[i] = keys[min(i, len(keys)-1)][:]
			}
			return stmt.QueryContext(ctx, args...)
		},
	}
}

// Add implements run.Store. All records go into one transaction.
func (s *Store) Add(ctx context.Context, records []run.Record) error {
	_, err := s.DB.AddWith(ctx, records, func(*sql.Tx) error { return nil })
	return err
}

// AddWith adds records and does something more in the same transaction. It returns the places of those that are
// left out.
func (s database) AddWith(ctx context.Context, records []run.Record, more func(*sql.Tx) error) (left []int, err error) {
	rows, err := row.EncodeAll(records)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.path, err)
	}
	left, err = s.write(ctx, rows, more)
	return left, s.explain(err)
}

// write adds rows, but for those of a key that has a response: a whole one, as a damaged one is superseded. More is
// done in the same transaction.
func (s *Store) write(ctx context.Context, rows []row.Row, more func(*sql.Tx) error) (left []int, err error) {
	if err := s.upgrade(ctx); err != nil {
		return nil, err
	}
	if err := s.compile(ctx); err != nil {
		return nil, err
	}
	interned := map[string]int64{}
	err = s.locked(ctx, func(tx *sql.Tx) error {
		if len(rows) > manyRecords {
			if _, err := tx.ExecContext(ctx, forMany); err != nil {
				return err
			}
		}
		done, err := s.answered(ctx, tx, rows)
		if err != nil {
			return err
		}
		insert, h := tx.StmtContext(ctx, s.insert), new(row.Hasher)
		alone := context.WithoutCancel(ctx) // else the driver starts a goroutine for each row, to interrupt it
		for i := range rows {
			if err := ctx.Err(); err != nil {
				return err
			}
			w := &rows[i]
			if done[w.Key] {
				left = append(left, i)
				continue
			}
			done[w.Key] = w.Response != nil
			id, err := s.intern(ctx, tx, w.Identity, interned)
			if err != nil {
				return err
			}
			hash := w.Hash(h, id)
			columns := [12]any{w.Key[:], id, w.Repeat, w.Request, w.Response, w.Raw, w.Failure, w.Transient,
				w.Attempts, w.At, w.RawHash, hash[:]}
			if _, err := insert.ExecContext(alone, columns[:]...); err != nil {
				return cmp.Or(ctx.Err(), err) // of what was undone as it was called off, the call
			}
		}
		return more(tx)
	})
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	maps.Copy(s.models, interned)
	return left, nil
}

// compile prepares the statements that write records, which need a file of this version.
func (s *Store) compile(ctx context.Context) error {
	s.compiling.Lock()
	defer s.compiling.Unlock()
	if s.insert != nil {
		return nil
	}
	var err error
	if s.blocked, err = s.writer.PrepareContext(ctx, selectRecords(form{version: version})); err != nil {
		return err
	}
	s.insert, err = s.writer.PrepareContext(ctx, insertRecord)
	return err
}

// answered returns the keys of rows that have a whole response in the file.
func (s *Store) answered(ctx context.Context, tx *sql.Tx, rows []row.Row) (map[run.Key]bool, error) {
	keys := make([]run.Key, len(rows))
	for i := range rows {
		keys[i] = rows[i].Key
	}
	now, err := s.state(ctx)
	if err != nil {
		return nil, err
	}
	blocked := tx.StmtContext(ctx, s.blocked)
	found, err := s.find(tx, now, false, func(context.Context, bool) (*sql.Stmt, error) { return blocked, nil }).
		Find(ctx, keys)
	done := make(map[run.Key]bool, len(rows))
	for k, r := range found {
		done[k] = r.Response != nil
	}
	return done, err
}

// intern returns the row ID of a model's identity. A new one is in fresh until the transaction is committed.
func (s *Store) intern(ctx context.Context, tx *sql.Tx, identity string, fresh map[string]int64) (int64, error) {
	if id, ok := fresh[identity]; ok {
		return id, nil
	}
	s.mu.Lock()
	id, ok := s.models[identity]
	s.mu.Unlock()
	if ok {
		return id, nil
	}
	all, err := s.ReadModels(ctx, tx, false)
	if id = row.WholeModel(all, identity); err == nil && id == 0 {
		id, err = s.insertModel(ctx, tx, identity)
	}
	if err != nil {
		return 0, err
	}
	fresh[identity] = id
	return id, nil
}

// insertModel adds a model. Where the index has its identity, of a row that is damaged, the index is first made
// anew from what is there.
func (s *Store) insertModel(ctx context.Context, tx *sql.Tx, identity string) (int64, error) {
	id, err := s.Insert(ctx, tx, "model", row.ModelColumns, identity)
	if code(err) != constraint {
		return id, err
	}
	if _, err := tx.ExecContext(ctx, "REINDEX model"); err != nil {
		return 0, err
	}
	return s.Insert(ctx, tx, "model", row.ModelColumns, identity)
}
