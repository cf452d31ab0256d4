package sqlite

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"time"

	"hallmark/internal/model"
	"hallmark/internal/run"
)

const insertRecord = `
INSERT INTO record (key, model, repeat, request, response, raw, failure, transient, attempts, at)
SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10
WHERE NOT EXISTS (SELECT 1 FROM record WHERE key = ?1 AND response IS NOT NULL)`

// lookupKeys is the number of keys of one query. A smaller set is filled up by repeating a key.
const lookupKeys = 128

var selectRecords = `
SELECT r.id, r.key, m.identity, r.repeat, r.request, r.response, r.raw, r.failure, r.transient, r.attempts, r.at
FROM record r JOIN model m ON m.id = r.model
WHERE r.key IN (?` + strings.Repeat(", ?", lookupKeys-1) + `)`

// Lookup implements run.Store.
func (s *Store) Lookup(ctx context.Context, keys []run.Key) (map[run.Key]run.Record, error) {
	found := make(map[run.Key]run.Record)
	args := make([]any, lookupKeys)
	for len(keys) > 0 {
		n := min(len(keys), lookupKeys)
		for i := range args {
			args[i] = keys[min(i, n-1)][:]
		}
		keys = keys[n:]
		if err := s.find(ctx, args, found); err != nil {
			return nil, s.explain(err)
		}
	}
	return found, nil
}

func (s *Store) find(ctx context.Context, keys []any, found map[run.Key]run.Record) error {
	rows, err := s.lookup.QueryContext(ctx, keys...)
	if err != nil {
		return err
	}
	defer rows.Close()
	newest := make(map[run.Key]int64, len(keys))
	var (
		id                         int64
		key, request, response, rw sql.RawBytes
		failure                    sql.NullString
		at                         sql.NullInt64
	)
	for rows.Next() {
		var r run.Record
		if err := rows.Scan(&id, &key, &r.Call.Model, &r.Call.Repeat, &request, &response, &rw, &failure, &r.Transient, &r.Attempts, &at); err != nil {
			return err
		}
		var k run.Key
		if copy(k[:], key) != len(k) || len(key) != len(k) {
			return &finding{s.path, fmt.Sprintf("is damaged: record %d has a key of %d bytes", id, len(key))}
		}
		if id < newest[k] {
			continue
		}
		newest[k] = id
		if err := json.Unmarshal(request, &r.Call.Request); err != nil {
			return &finding{s.path, fmt.Sprintf("is damaged: request of record %d: %v", id, err)}
		}
		if response != nil {
			r.Response = new(model.Response)
			if err := json.Unmarshal(response, r.Response); err != nil {
				return &finding{s.path, fmt.Sprintf("is damaged: response of record %d: %v", id, err)}
			}
			r.Response.Raw = bytes.Clone(rw)
		}
		r.Failure, r.At = failure.String, fromNano(at)
		found[k] = r
	}
	return rows.Err()
}

// A row is a record as it is written.
type row struct {
	key               run.Key
	identity          string
	request, response any // JSON; response is nil for a failure
	raw, failure      any
	record            *run.Record
}

// Add implements run.Store. All records go into one transaction.
func (s *Store) Add(ctx context.Context, records []run.Record) error {
	rows := make([]row, len(records))
	for i := range records {
		var err error
		if rows[i], err = encode(&records[i]); err != nil {
			return fmt.Errorf("%s: %w", s.path, err)
		}
	}
	if err := s.write(ctx, rows); err != nil {
		return s.explain(err)
	}
	return nil
}

func encode(r *run.Record) (row, error) {
	if err := r.Check(); err != nil {
		return row{}, err
	}
	w := row{key: r.Call.Key(), identity: valid(r.Call.Model), record: r}
	var err error
	if w.request, err = marshal(r.Call.Request); err != nil {
		return row{}, fmt.Errorf("record %s: request: %w", w.key, err)
	}
	if r.Response == nil {
		w.failure = valid(r.Failure)
		return w, nil
	}
	resp := *r.Response
	if len(resp.Raw) > 0 {
		w.raw = resp.Raw
	}
	resp.Raw = nil
	if w.response, err = marshal(resp); err != nil {
		return row{}, fmt.Errorf("record %s: response: %w", w.key, err)
	}
	return w, nil
}

// marshal is json.Marshal without escapes for HTML: what is stored is read by people, too.
func marshal(v any) (string, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return strings.TrimSuffix(b.String(), "\n"), err
}

// valid returns s with each byte that is not UTF-8 replaced by U+FFFD, as JSON has it.
func valid(s string) string { return string([]rune(s)) }

func (s *Store) write(ctx context.Context, rows []row) error {
	tx, err := s.writer.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	insert := tx.StmtContext(ctx, s.insert)
	interned := map[string]int64{}
	for _, w := range rows {
		id, err := s.intern(ctx, tx, w.identity, interned)
		if err != nil {
			return err
		}
		r := w.record
		if _, err := insert.ExecContext(ctx, w.key[:], id, r.Call.Repeat, w.request, w.response, w.raw, w.failure, r.Transient, r.Attempts, nano(r.At)); err != nil {
			return err
		}
	}
	if err := tx.Commit(); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	maps.Copy(s.models, interned)
	return nil
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
	if _, err := tx.ExecContext(ctx, "INSERT INTO model (identity) VALUES (?) ON CONFLICT DO NOTHING", identity); err != nil {
		return 0, err
	}
	if err := tx.QueryRowContext(ctx, "SELECT id FROM model WHERE identity = ?", identity).Scan(&id); err != nil {
		return 0, err
	}
	fresh[identity] = id
	return id, nil
}

// nano returns a time as it is stored; the zero time is NULL.
func nano(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return t.UnixNano()
}

func fromNano(n sql.NullInt64) time.Time {
	if !n.Valid {
		return time.Time{}
	}
	return time.Unix(0, n.Int64).UTC()
}
