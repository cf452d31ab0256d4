package postgres

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"slices"

	"hallmark/internal/base/lists"
	"hallmark/internal/run"
	"hallmark/internal/run/store/row"
)

// lookupKeys is the number of keys of one query.
const lookupKeys = 256

// selectRecords is the query for the records of keys that no other row superseded: the response of each by the index
// that holds one, and the failures.
func selectRecords(whole bool) string {
	return selectAll(whole) + " WHERE key = ANY($1) AND response IS NOT NULL AND NOT superseded UNION ALL " +
		selectAll(whole) + " WHERE key = ANY($1) AND response IS NULL AND NOT superseded"
}

func selectAll(whole bool) string {
	raw := "raw"
	if !whole {
		raw = "NULL::bytea"
	}
	return "SELECT id, key, model, repeat, request, response, " + raw +
		", failure, transient, attempts, at, raw_hash, hash FROM record"
}

// Lookup implements run.Store. A row that is damaged counts as absent and is noted.
func (s *Store) Lookup(ctx context.Context, keys []run.Key) (found map[run.Key]run.Record, err error) {
	err = s.again(ctx, func() error {
		found, err = s.find(s.db, run.IsBare(ctx)).Find(ctx, keys)
		return err
	})
	return found, err
}

// find returns what finds the records of keys.
func (s *Store) find(q row.Queries, bare bool) *row.Lookup {
	return &row.Lookup{
		Reader: row.Reader{Bare: bare}, Store: &s.Beside, Queries: q, Size: lookupKeys,
		Query: func(ctx context.Context, whole bool, keys []run.Key) (row.Rows, error) {
			list := lists.Map(keys, func(k run.Key) []byte { return k[:] })
			return query(ctx, q, selectRecords(whole), list)
		},
	}
}

// Add implements run.Store. All records go into one transaction.
func (s *Store) Add(ctx context.Context, records []run.Record) error {
	if len(records) == 0 {
		return nil
	}
	for {
		_, err := s.DB.AddWith(ctx, records, func(*sql.Tx) error { return nil })
		if !errors.As(err, new(*doubt)) { // or once more: a key that has its answer takes no other
			return err
		}
	}
}

// AddWith adds records, but for those of a key that has a whole response, whose places it returns, and does
// something more in the same transaction.
func (s database) AddWith(ctx context.Context, records []run.Record, more func(*sql.Tx) error) (left []int, err error) {
	rows, err := row.EncodeAll(records)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.ref, err)
	}
	models, err := s.intern(ctx, rows)
	if err != nil {
		return nil, err
	}
	// In the order of keys, so that two processes which add the same wait for each other and never both.
	order := make([]int, 0, len(rows))
	answered := map[run.Key]bool{}
	var late []int // of a key that is answered earlier in the slice
	for i := range rows {
		if k := rows[i].Key; answered[k] {
			late = append(late, i)
		} else {
			answered[k] = rows[i].Response != nil
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return bytes.Compare(rows[a].Key[:], rows[b].Key[:]) })
	err = s.DB.Change(ctx, func(tx *sql.Tx) error {
		left = slices.Clone(late)
		for rest := order; len(rest) > 0; {
			n := atOnce(rows, rest)
			not, err := s.insert(ctx, tx, rows, models, rest[:n])
			if err != nil {
				return err
			}
			left, rest = append(left, not...), rest[n:]
		}
		slices.Sort(left)
		return more(tx)
	})
	return left, err
}

// What one statement writes is bounded by rows, of which one may be larger, and bytes.
const (
	insertRows  = 1000
	insertBytes = 32 << 20
)

// atOnce returns how many of the rows one statement writes.
func atOnce(rows []row.Row, order []int) int {
	size := 0
	for n, i := range order {
		raw, _ := rows[i].Raw.([]byte)
		response, _ := rows[i].Response.(string)
		size += len(raw) + len(response) + len(rows[i].Request)
		if n > 0 && (size > insertBytes || n == insertRows) {
			return n
		}
	}
	return len(order)
}

// insertRecords adds rows, but for responses to a key that has one, by the index that lets in one, and failures of
// such a key.
const insertRecords = "INSERT INTO record (" + row.RecordColumns + ", raw_hash, hash) SELECT " + row.RecordColumns +
	", raw_hash, hash FROM unnest($1::bytea[], $2::bigint[], $3::bigint[], $4::text[], $5::text[], $6::bytea[], " +
	"$7::text[], $8::bigint[], $9::bigint[], $10::bigint[], $11::bytea[], $12::bytea[]) WITH ORDINALITY AS n (" +
	row.RecordColumns + ", raw_hash, hash, place) WHERE n.response IS NOT NULL OR " +
	"NOT EXISTS (SELECT FROM record r WHERE r.key = n.key AND r.response IS NOT NULL AND NOT r.superseded) " +
	"ORDER BY place ON CONFLICT (key) WHERE response IS NOT NULL AND NOT superseded DO NOTHING " +
	"RETURNING key, response IS NOT NULL"

// insert adds rows and returns those that were left out, as their keys have a whole response. Where a damaged one is
// in the way it is superseded, and stays.
func (s *Store) insert(ctx context.Context, tx *sql.Tx, rows []row.Row, models map[string]int64,
	order []int) (left []int, err error) {
	for range 5 {
		in, err := insertOnce(ctx, tx, rows, models, order)
		if err != nil {
			return nil, err
		}
		order = slices.DeleteFunc(slices.Clone(order), func(i int) bool {
			return in[outcome{rows[i].Key, rows[i].Response != nil}]
		})
		if len(order) == 0 {
			return left, nil
		}
		keys := lists.Map(order, func(i int) run.Key { return rows[i].Key })
		l := s.find(tx, false)
		found, err := l.Find(ctx, keys)
		if err != nil {
			return nil, err
		}
		for _, i := range order {
			if found[rows[i].Key].Response != nil {
				left = append(left, i)
			}
		}
		order = slices.DeleteFunc(order, func(i int) bool { return found[rows[i].Key].Response != nil })
		if len(order) == 0 {
			return left, nil
		}
		if _, err := tx.ExecContext(ctx, "UPDATE record SET superseded = TRUE WHERE id = ANY($1) AND "+
			"response IS NOT NULL", l.Damaged); err != nil {
			return nil, err
		}
	}
	return nil, errors.New("records are in the way that can neither be read nor replaced: `hallmark check` names " +
		"what is damaged")
}

// An outcome is what of a key a statement added: its response, or its failures.
type outcome struct {
	key      run.Key
	answered bool
}

func insertOnce(ctx context.Context, tx *sql.Tx, rows []row.Row, models map[string]int64,
	order []int) (map[outcome]bool, error) {
	var c struct {
		key, raw, rawHash, hash            [][]byte
		model, repeat, transient, attempts []int64
		request                            []string
		response, failure                  []*string
		at                                 []*int64
	}
	var h row.Hasher
	for _, i := range order {
		w := &rows[i]
		model := models[w.Identity]
		hash := w.Hash(&h, model)
		raw, _ := w.Raw.([]byte)
		rawHash, _ := w.RawHash.([]byte)
		c.key, c.raw, c.rawHash, c.hash = append(c.key, w.Key[:]), append(c.raw, raw), append(c.rawHash, rawHash),
			append(c.hash, hash[:])
		c.model, c.repeat = append(c.model, model), append(c.repeat, w.Repeat)
		c.transient, c.attempts = append(c.transient, w.Transient), append(c.attempts, w.Attempts)
		c.request = append(c.request, put(w.Request).(string))
		c.response, c.failure = append(c.response, pointer[string](put(w.Response))),
			append(c.failure, pointer[string](put(w.Failure)))
		c.at = append(c.at, pointer[int64](w.At))
	}
	got, err := query(ctx, tx, insertRecords, c.key, c.model, c.repeat, c.request, c.response, c.raw, c.failure,
		c.transient, c.attempts, c.at, c.rawHash, c.hash)
	if err != nil {
		return nil, err
	}
	in := map[outcome]bool{}
	return in, row.Each(got, func(cells []row.Cell) error {
		var o outcome
		key, _ := cells[0].V.([]byte)
		copy(o.key[:], key)
		o.answered, _ = cells[1].V.(bool)
		in[o] = true
		return nil
	})
}

// pointer returns a value in an array whose elements may be NULL.
func pointer[T any](v any) *T {
	if t, ok := v.(T); ok {
		return &t
	}
	return nil
}

// intern returns the numbers of the models of rows, which are added where they are missing.
func (s *Store) intern(ctx context.Context, rows []row.Row) (map[string]int64, error) {
	models := map[string]int64{}
	missing := map[string]bool{}
	s.mu.Lock()
	for i := range rows {
		name := rows[i].Identity
		if id, ok := s.models[name]; ok {
			models[name] = id
		} else {
			missing[name] = true
		}
	}
	s.mu.Unlock()
	if len(missing) == 0 {
		return models, nil
	}
	err := s.DB.Change(ctx, func(tx *sql.Tx) error {
		for _, name := range slices.Sorted(maps.Keys(missing)) {
			id, err := s.internOne(ctx, tx, name)
			if err != nil {
				return err
			}
			models[name] = id
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	maps.Copy(s.models, models)
	return models, nil
}

// internOne returns the number of a model. A row that is damaged and in its way is superseded.
func (s *Store) internOne(ctx context.Context, tx *sql.Tx, name string) (int64, error) {
	hash := new(row.Hasher).Row("model", name)
	for range 3 {
		all, err := s.ReadModels(ctx, tx, false)
		if id := row.WholeModel(all, name); err != nil || id != 0 {
			return id, err
		}
		if _, err := tx.ExecContext(ctx, "UPDATE model SET superseded = TRUE WHERE hash = $1 AND identity <> $2",
			hash[:], put(name)); err != nil {
			return 0, err
		}
		if _, err := tx.ExecContext(ctx, "INSERT INTO model (identity, hash) VALUES ($1, $2) "+
			"ON CONFLICT (hash) WHERE NOT superseded DO NOTHING", put(name), hash[:]); err != nil {
			return 0, err
		}
	}
	return 0, fmt.Errorf("the model %.100q cannot be stored: `hallmark check` names what is damaged", name)
}
