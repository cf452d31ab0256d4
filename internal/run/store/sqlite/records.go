package sqlite

import (
	"bytes"
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strconv"
	"strings"
	"time"

	"hallmark/internal/model"
	"hallmark/internal/run"
)

const modelColumns = "identity"

const recordColumns = "key, model, repeat, request, response, raw, failure, transient, attempts, at"

const insertRecord = "INSERT INTO record (" + recordColumns + ", hash) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"

// lookupKeys is the number of keys of one query. A smaller set is filled up by repeating a key.
const lookupKeys = 128

// selectRecords is the query for the records of keys. A file of an earlier version has no hashes.
func selectRecords(version int) string {
	return selectAll(version) + `
WHERE r.key IN (?` + strings.Repeat(", ?", lookupKeys-1) + `)`
}

// selectAll is the query for all records, in the order of the table.
func selectAll(version int) string {
	hashes := "r.hash, m.hash"
	if version < 3 {
		hashes = "NULL, NULL"
	}
	return `
SELECT r.id, r.key, r.model, r.repeat, r.request, r.response, r.raw, r.failure, r.transient, r.attempts, r.at, m.identity, ` + hashes + `
FROM record r LEFT JOIN model m ON m.id = r.model`
}

// The columns of selectRecords.
const (
	atID = iota
	atKey
	atModel
	atRepeat
	atRequest
	atResponse
	atRaw
	atFailure
	atTransient
	atAttempts
	atTime
	atIdentity
	atHash
	atModelHash
	recordCells
)

// Lookup implements run.Store. A row that is damaged counts as absent and is noted.
func (s *Store) Lookup(ctx context.Context, keys []run.Key) (map[run.Key]run.Record, error) {
	now, err := s.state(ctx)
	if err != nil {
		return nil, s.explain(err)
	}
	query, err := s.lookup(ctx, now)
	if err != nil {
		return nil, s.explain(err)
	}
	found, err := s.find(ctx, query, now, keys)
	if err != nil {
		return nil, s.explain(err)
	}
	return found, nil
}

// lookup returns the compiled query for a file of a version.
func (s *Store) lookup(ctx context.Context, now state) (*sql.Stmt, error) {
	s.mu.Lock()
	stmt := s.lookups[now.version]
	s.mu.Unlock()
	if stmt != nil {
		return stmt, nil
	}
	stmt, err := s.reader.PrepareContext(ctx, selectRecords(now.version))
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lookups[now.version] = stmt
	return stmt, nil
}

// find returns of each key the record that counts: of those whose rows are whole the first response, or the newest failure.
func (s *Store) find(ctx context.Context, query *sql.Stmt, now state, keys []run.Key) (map[run.Key]run.Record, error) {
	found := make(map[run.Key]run.Record)
	args := make([]any, lookupKeys)
	r := reader{now: now, models: map[int64]string{}}
	for len(keys) > 0 {
		n := min(len(keys), lookupKeys)
		for i := range args {
			args[i] = keys[min(i, n-1)][:]
		}
		keys = keys[n:]
		rows, err := query.QueryContext(ctx, args...)
		if err != nil {
			return nil, err
		}
		ids := make(map[run.Key]int64, n)
		err = eachRow(rows, func(cells []cell) error {
			key, rec, what := r.record(cells)
			id, _ := cells[atID].v.(int64)
			if what != "" {
				s.note(run.Damage{Table: "record", Row: strconv.FormatInt(id, 10), Key: key.String(), What: what})
				return nil
			}
			old, have := found[key]
			switch newer := id > ids[key]; {
			case !have, old.Response == nil && (rec.Response != nil || newer), old.Response != nil && rec.Response != nil && !newer:
				found[key], ids[key] = rec, id
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return found, nil
}

// A reader reads rows of records, and keeps the models whose rows it found whole.
type reader struct {
	now    state
	models map[int64]string
	hasher hasher
	buffer bytes.Buffer
}

// record returns a record from its row, or what is wrong with the row.
func (d *reader) record(cells []cell) (key run.Key, r run.Record, what string) {
	id, _ := cells[atID].v.(int64)
	b, _ := cells[atKey].v.([]byte)
	copy(key[:], b)
	r.Sum = d.hasher.row("record", cells[atKey].v, cells[atModel].v, cells[atRepeat].v, cells[atRequest].v, cells[atResponse].v, cells[atRaw].v,
		cells[atFailure].v, cells[atTransient].v, cells[atAttempts].v, cells[atTime].v)
	r.Unhashed = cells[atHash].v == nil
	if what := sealed(cells[atHash].v, r.Sum, id <= d.now.older); what != "" {
		return key, r, what
	}
	if what := d.model(cells); what != "" {
		return key, r, what
	}
	repeat, ok := cells[atRepeat].v.(int64)
	request, asked := cells[atRequest].v.(string)
	failure, failed := optional(cells[atFailure].v)
	response, answered := optional(cells[atResponse].v)
	transient, said := cells[atTransient].v.(int64)
	attempts, tried := cells[atAttempts].v.(int64)
	at, timed := fromNano(cells[atTime].v)
	raw, bare := cells[atRaw].v.([]byte)
	if !ok || !asked || !failed || !answered || !said || !tried || !timed || !bare && cells[atRaw].v != nil || len(b) != len(key) {
		return key, r, "a column has another type or length"
	}
	if (response == nil) == (failure == nil) {
		return key, r, "it has both a response and a failure, or neither"
	}
	r.Call.Model, r.Call.Repeat = cells[atIdentity].v.(string), int(repeat)
	if err := json.Unmarshal([]byte(request), &r.Call.Request); err != nil {
		return key, r, fmt.Sprintf("its request does not read: %v", err)
	}
	if d.keyOf(r.Call.Model, request, repeat) != key && r.Call.Key() != key {
		return key, r, "its key is not that of its call"
	}
	if response != nil {
		r.Response = new(model.Response)
		if err := json.Unmarshal(response, r.Response); err != nil {
			return key, r, fmt.Sprintf("its response does not read: %v", err)
		}
		r.Response.Raw = bytes.Clone(raw)
	}
	r.Failure, r.Transient, r.Attempts, r.At = string(failure), transient != 0, int(attempts), at
	return key, r, ""
}

// model returns what is wrong with the row of a record's model.
func (d *reader) model(cells []cell) string {
	id, numbered := cells[atModel].v.(int64)
	identity, named := cells[atIdentity].v.(string)
	if !numbered || !named {
		return "the row of its model is gone or has another type"
	}
	if known, ok := d.models[id]; ok && known == identity {
		return ""
	}
	// A model of an earlier version got its hash with the others; until then its name is held against the key of each of its records.
	if what := sealed(cells[atModelHash].v, d.hasher.row("model", identity), d.now.version < version); what != "" {
		return fmt.Sprintf("the row of its model, %d, is damaged: %s", id, what)
	}
	d.models[id] = identity
	return ""
}

// keyOf returns the key of a call from its parts as they are stored. The JSON of a call, of which the key is the hash, is made of them without
// reading them, but for the characters that are escaped in the one and not in the other. A request that was written with other spaces or with
// members that are zero gives another key: it has to be read.
func (d *reader) keyOf(identity, request string, repeat int64) run.Key {
	name, err := json.Marshal(identity)
	if err != nil { // a string always can be
		panic("sqlite: " + err.Error())
	}
	b := &d.buffer
	b.Reset()
	b.WriteString(`{"model":`)
	b.Write(name)
	b.WriteString(`,"request":`)
	json.HTMLEscape(b, []byte(request))
	b.WriteString(`,"repeat":`)
	b.WriteString(strconv.FormatInt(repeat, 10))
	b.WriteByte('}')
	return sha256.Sum256(b.Bytes())
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

// write adds rows, but for those of a key that has a response: a whole one, as a damaged one is superseded.
func (s *Store) write(ctx context.Context, rows []row) error {
	if err := s.upgrade(ctx); err != nil {
		return err
	}
	if err := s.compile(ctx); err != nil {
		return err
	}
	interned := map[string]int64{}
	err := s.locked(ctx, func(tx *sql.Tx) error {
		done, err := s.answered(ctx, tx, rows)
		if err != nil {
			return err
		}
		insert, h := tx.StmtContext(ctx, s.insert), new(hasher)
		for _, w := range rows {
			if done[w.key] {
				continue
			}
			done[w.key] = w.response != nil
			id, err := s.intern(ctx, tx, w.identity, interned)
			if err != nil {
				return err
			}
			r := w.record
			columns := [11]any{w.key[:], id, r.Call.Repeat, w.request, w.response, w.raw, w.failure, r.Transient, r.Attempts, nano(r.At)}
			hash := h.row("record", columns[:10]...)
			columns[10] = hash[:]
			if _, err := insert.ExecContext(ctx, columns[:]...); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	maps.Copy(s.models, interned)
	return nil
}

// compile prepares the statements that write records, which need a file of this version.
func (s *Store) compile(ctx context.Context) error {
	s.compiling.Lock()
	defer s.compiling.Unlock()
	if s.insert != nil {
		return nil
	}
	var err error
	if s.blocked, err = s.writer.PrepareContext(ctx, selectRecords(version)); err != nil {
		return err
	}
	s.insert, err = s.writer.PrepareContext(ctx, insertRecord)
	return err
}

// answered returns the keys of rows that have a whole response in the file.
func (s *Store) answered(ctx context.Context, tx *sql.Tx, rows []row) (map[run.Key]bool, error) {
	keys := make([]run.Key, len(rows))
	for i, w := range rows {
		keys[i] = w.key
	}
	now, err := s.state(ctx)
	if err != nil {
		return nil, err
	}
	found, err := s.find(ctx, tx.StmtContext(ctx, s.blocked), now, keys)
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
	id, err := wholeModel(ctx, tx, identity)
	if errors.Is(err, sql.ErrNoRows) {
		id, err = insertModel(ctx, tx, identity)
	}
	if err != nil {
		return 0, err
	}
	fresh[identity] = id
	return id, nil
}

// wholeModel returns the row of an identity, if there is one whose hash holds. It reads the table, as an index may name a row that is damaged.
func wholeModel(ctx context.Context, tx *sql.Tx, identity string) (id int64, err error) {
	rows, err := tx.QueryContext(ctx, "SELECT id, identity, hash FROM model NOT INDEXED")
	if err != nil {
		return 0, err
	}
	err = eachRow(rows, func(cells []cell) error {
		if cells[1].v == identity && sealed(cells[2].v, new(hasher).row("model", identity), false) == "" {
			id, _ = cells[0].v.(int64)
		}
		return nil
	})
	if err == nil && id == 0 {
		err = sql.ErrNoRows
	}
	return id, err
}

// insertModel adds a model. Where the index has its identity, of a row that is damaged, the index is first made anew from what is there.
func insertModel(ctx context.Context, tx *sql.Tx, identity string) (int64, error) {
	hash := new(hasher).row("model", identity)
	add := func() (int64, error) {
		r, err := tx.ExecContext(ctx, "INSERT INTO model (identity, hash) VALUES (?, ?)", identity, hash[:])
		if err != nil {
			return 0, err
		}
		return r.LastInsertId()
	}
	id, err := add()
	if code(err) != constraint {
		return id, err
	}
	if _, err := tx.ExecContext(ctx, "REINDEX model"); err != nil {
		return 0, err
	}
	return add()
}

// nano returns a time as it is stored; the zero time is NULL.
func nano(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return t.UnixNano()
}

// fromNano returns a time from what is stored, and whether that is one.
func fromNano(v any) (time.Time, bool) {
	n, ok := v.(int64)
	if v == nil || !ok {
		return time.Time{}, v == nil
	}
	return time.Unix(0, n).UTC(), true
}
