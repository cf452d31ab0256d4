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

	"hallmark/internal/jsonl"
	"hallmark/internal/model"
	"hallmark/internal/run"
)

const modelColumns = "identity"

const recordColumns = "key, model, repeat, request, response, raw, failure, transient, attempts, at"

const insertRecord = "INSERT INTO record (" + recordColumns +
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
	columns, hashes := recordColumns, "raw_hash, hash"
	if as.bare {
		columns = strings.Replace(columns, "raw", "NULL", 1)
	}
	if as.version < 3 {
		hashes = "NULL, NULL"
	}
	return "SELECT id, " + columns + ", " + hashes + " FROM record"
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
	atRawHash
	atHash
)

// Lookup implements run.Store. A row that is damaged counts as absent and is noted.
func (s *Store) Lookup(ctx context.Context, keys []run.Key) (map[run.Key]run.Record, error) {
	now, err := s.state(ctx)
	if err != nil {
		return nil, s.explain(err)
	}
	bare := run.IsBare(ctx)
	query, err := s.lookup(ctx, form{now.version, bare})
	if err != nil {
		return nil, s.explain(err)
	}
	found, err := s.find(ctx, s.reader, query, reader{now: now, bare: bare}, keys)
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

// find returns of each key the record that counts: of those whose rows are whole the first response, or the newest
// failure. The query is of q.
func (s *Store) find(ctx context.Context, q queries, query *sql.Stmt, r reader,
	keys []run.Key) (map[run.Key]run.Record, error) {
	found := make(map[run.Key]run.Record)
	args := make([]any, lookupKeys)
	s.mu.Lock()
	r.models = s.read
	s.mu.Unlock()
	for len(keys) > 0 {
		n := min(len(keys), lookupKeys)
		for i := range args {
			args[i] = keys[min(i, n-1)][:]
		}
		r.all = false
		err := s.pick(ctx, query, &r, args, found)
		if errors.Is(err, errOtherModel) {
			if r.models, err = s.readModels(ctx, q, r.now); err != nil {
				return nil, err
			}
			forget(found, keys[:n])
			r.all = true
			err = s.pick(ctx, query, &r, args, found)
		}
		// only their raw bodies tell which of them is damaged: this and what follows is read whole
		if errors.Is(err, errTwoAnswers) {
			if query, err = s.lookup(ctx, form{version: r.now.version}); err != nil {
				return nil, err
			}
			r.bare = false
			forget(found, keys[:n])
			continue
		}
		if err != nil {
			return nil, err
		}
		keys = keys[n:]
	}
	return found, nil
}

func forget(found map[run.Key]run.Record, keys []run.Key) {
	for _, k := range keys {
		delete(found, k)
	}
}

// pick adds what find returns of the keys of one query, or errOtherModel.
func (s *Store) pick(ctx context.Context, query *sql.Stmt, r *reader, keys []any, found map[run.Key]run.Record) error {
	rows, err := query.QueryContext(ctx, keys...)
	if err != nil {
		return err
	}
	ids := make(map[run.Key]int64, len(keys))
	return eachRow(rows, func(cells []cell) error {
		if r.isOther(cells[atModel].v) {
			return errOtherModel
		}
		key, rec, what := r.record(cells)
		id, _ := cells[atID].v.(int64)
		if what != "" {
			s.note(run.Damage{Table: "record", Row: strconv.FormatInt(id, 10), Key: key.String(), What: what})
			return nil
		}
		old, have := found[key]
		if r.bare && ids[key] != 0 && old.Response != nil && rec.Response != nil {
			return errTwoAnswers
		}
		switch newer := id > ids[key]; {
		case !have, old.Response == nil && (rec.Response != nil || newer),
			old.Response != nil && rec.Response != nil && !newer:
			found[key], ids[key] = rec, id
		}
		return nil
	})
}

// A modelRow is what the row of a model holds, or what is wrong with it.
type modelRow struct {
	identity string
	json     []byte // the beginning of the JSON of its calls
	what     string
}

// errOtherModel says that a record is of a model whose row was not read yet.
var errOtherModel = errors.New("sqlite: a model that was not read yet")

// errTwoAnswers says that a key has two responses, one of which superseded one that is damaged.
var errTwoAnswers = errors.New("sqlite: two responses of one key")

// readModels reads the rows of all models. They never change, so each is read once, and not with each of its
// records, which are many.
func (s *Store) readModels(ctx context.Context, q queries, now state) (map[int64]modelRow, error) {
	hash := "hash"
	if now.version < version {
		hash = "NULL"
	}
	rows, err := q.QueryContext(ctx, "SELECT id, identity, "+hash+" FROM model NOT INDEXED")
	if err != nil {
		return nil, err
	}
	all, h := map[int64]modelRow{}, new(hasher)
	err = eachRow(rows, func(cells []cell) error {
		var m modelRow
		id, numbered := cells[0].v.(int64)
		identity, named := cells[1].v.(string)
		if !numbered || !named {
			return nil // as if it were gone
		}
		// A model of an earlier version got its hash with the others; until then its name is held against the key
		// of each of its records.
		if what := sealed(cells[2].v, h.row("model", identity), now.version < version); what != "" {
			m.what = fmt.Sprintf("the row of its model, %d, is damaged: %s", id, what)
		}
		name, err := json.Marshal(identity)
		m.identity, m.json = identity, fmt.Appendf(nil, `{"model":%s,"request":`, name)
		all[id] = m
		return err
	})
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.read = all
	return all, nil
}

// A reader reads rows of records.
type reader struct {
	now    state
	bare   bool // raw bodies are not read
	models map[int64]modelRow
	all    bool // the models are those that were there when the records were, or later
	hasher hasher
	call   bytes.Buffer // the JSON of a call
	b      []byte
}

// isOther reports whether a model may be one that was added since models were read.
func (d *reader) isOther(model any) bool {
	id, numbered := model.(int64)
	_, known := d.models[id]
	return numbered && !known && !d.all
}

// record returns a record from its row, or what is wrong with the row.
func (d *reader) record(cells []cell) (key run.Key, r run.Record, what string) {
	id, _ := cells[atID].v.(int64)
	b, _ := cells[atKey].v.([]byte)
	copy(key[:], b)
	r.Sum = d.hasher.row("record", cells[atKey].v, cells[atModel].v, cells[atRepeat].v, cells[atRequest].v,
		cells[atResponse].v, cells[atRawHash].v,
		cells[atFailure].v, cells[atTransient].v, cells[atAttempts].v, cells[atTime].v)
	r.Unhashed = cells[atHash].v == nil
	if what := sealed(cells[atHash].v, r.Sum, id <= d.now.older); what != "" {
		return key, r, what
	}
	raw, _ := cells[atRaw].v.([]byte)
	if !r.Unhashed && !d.bare && !isHash(cells[atRawHash].v, cells[atRaw].v) {
		return key, r, "the hash of its raw body is not that of its content"
	}
	m, what := d.modelOf(cells[atModel].v)
	if what != "" {
		return key, r, what
	}
	c, typed := contentOf(cells)
	if !typed || len(b) != len(key) {
		return key, r, "a column has another type or length"
	}
	if c.answered == c.failed {
		return key, r, "it has both a response and a failure, or neither"
	}
	r.Call.Model, r.Call.Repeat = m.identity, int(c.repeat)
	named, text := d.keyOf(m, c.request, c.repeat)
	if err := json.Unmarshal(text, &r.Call.Request); err != nil {
		return key, r, fmt.Sprintf("its request does not read: %v", jsonl.Plain(err))
	}
	if named != key && r.Call.Key() != key {
		return key, r, "its key is not that of its call"
	}
	if c.answered {
		r.Response = new(model.Response)
		d.b = append(d.b[:0], c.response...)
		if err := json.Unmarshal(d.b, r.Response); err != nil {
			return key, r, fmt.Sprintf("its response does not read: %v", jsonl.Plain(err))
		}
		r.Response.Raw = bytes.Clone(raw)
		if u := r.Response.Usage; !u.Plausible() {
			return key, r, fmt.Sprintf("its usage cannot be: %d and %d tokens and %v USD", u.PromptTokens,
				u.CompletionTokens, u.USD)
		}
	}
	r.Failure, r.Transient, r.Attempts, r.At = c.failure, c.transient != 0, int(c.attempts), c.at
	return key, r, ""
}

// modelOf returns the row of a record's model, or what is wrong with it.
func (d *reader) modelOf(id any) (m modelRow, what string) {
	n, numbered := id.(int64)
	m, known := d.models[n]
	if !numbered || !known {
		return m, "the row of its model is gone or has another type"
	}
	return m, m.what
}

// content is the columns of a record that are not hashes.
type content struct {
	request, response, failure  string
	answered, failed            bool // there is a response, a failure
	repeat, transient, attempts int64
	at                          time.Time
}

// contentOf returns the columns of a row, and whether each has its type.
func contentOf(cells []cell) (c content, typed bool) {
	var asked, numbered, said, tried, timed bool
	c.request, asked = cells[atRequest].v.(string)
	c.response, c.answered = cells[atResponse].v.(string)
	c.failure, c.failed = cells[atFailure].v.(string)
	c.repeat, numbered = cells[atRepeat].v.(int64)
	c.transient, said = cells[atTransient].v.(int64)
	c.attempts, tried = cells[atAttempts].v.(int64)
	c.at, timed = fromNano(cells[atTime].v)
	_, blob := cells[atRaw].v.([]byte)
	typed = asked && numbered && said && tried && timed
	return c, typed && orNull(c.answered, cells[atResponse]) && orNull(c.failed, cells[atFailure]) &&
		orNull(blob, cells[atRaw])
}

// orNull reports whether a cell has its type, or is NULL.
func orNull(typed bool, c cell) bool { return typed || c.v == nil }

// isHash reports whether a stored hash of a raw body is that of the body: both are NULL, or neither is.
func isHash(stored, raw any) bool {
	if raw == nil || stored == nil {
		return raw == nil && stored == nil
	}
	b, isBlob := raw.([]byte)
	hash, isSum := stored.([]byte)
	want := sha256.Sum256(b)
	return isBlob && isSum && bytes.Equal(hash, want[:])
}

// keyOf returns the key of a call from its parts as they are stored, and the request in its JSON, which is valid
// until the next call. The JSON of a call, of which the key is the hash, is made of the parts without reading them,
// but for the characters that are escaped in the one and not in the other. A request that was written with other
// spaces or with members that are zero gives another key: it has to be read.
func (d *reader) keyOf(m modelRow, request string, repeat int64) (run.Key, []byte) {
	b := &d.call
	b.Reset()
	b.Write(m.json)
	if strings.IndexByte(request, '<') < 0 && strings.IndexByte(request, '>') < 0 &&
		strings.IndexByte(request, '&') < 0 {
		b.WriteString(request)
	} else {
		d.b = append(d.b[:0], request...)
		json.HTMLEscape(b, d.b)
	}
	end := b.Len()
	b.WriteString(`,"repeat":`)
	b.Write(strconv.AppendInt(b.AvailableBuffer(), repeat, 10))
	b.WriteByte('}')
	return sha256.Sum256(b.Bytes()), b.Bytes()[len(m.json):end]
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
	_, err := s.addWith(ctx, records, func(*sql.Tx) error { return nil })
	return err
}

// addWith adds records and does something more in the same transaction. It returns the places of those that are
// left out.
func (s *Store) addWith(ctx context.Context, records []run.Record, more func(*sql.Tx) error) (left []int, err error) {
	rows := make([]row, len(records))
	for i := range records {
		if rows[i], err = encode(&records[i]); err != nil {
			return nil, fmt.Errorf("%s: %w", s.path, err)
		}
	}
	left, err = s.write(ctx, rows, more)
	return left, s.explain(err)
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

// write adds rows, but for those of a key that has a response: a whole one, as a damaged one is superseded. More is
// done in the same transaction.
func (s *Store) write(ctx context.Context, rows []row, more func(*sql.Tx) error) (left []int, err error) {
	if err := s.upgrade(ctx); err != nil {
		return nil, err
	}
	if err := s.compile(ctx); err != nil {
		return nil, err
	}
	interned := map[string]int64{}
	err = s.locked(ctx, func(tx *sql.Tx) error {
		done, err := s.answered(ctx, tx, rows)
		if err != nil {
			return err
		}
		insert, h := tx.StmtContext(ctx, s.insert), new(hasher)
		for i, w := range rows {
			if done[w.key] {
				left = append(left, i)
				continue
			}
			done[w.key] = w.response != nil
			id, err := s.intern(ctx, tx, w.identity, interned)
			if err != nil {
				return err
			}
			r := w.record
			var raw any
			if b, ok := w.raw.([]byte); ok {
				hash := sha256.Sum256(b)
				raw = hash[:]
			}
			at := nano(r.At)
			hash := h.row("record", w.key[:], id, r.Call.Repeat, w.request, w.response, raw, w.failure, r.Transient,
				r.Attempts, at)
			columns := [12]any{w.key[:], id, r.Call.Repeat, w.request, w.response, w.raw, w.failure, r.Transient,
				r.Attempts, at, raw, hash[:]}
			if _, err := insert.ExecContext(ctx, columns[:]...); err != nil {
				return err
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
func (s *Store) answered(ctx context.Context, tx *sql.Tx, rows []row) (map[run.Key]bool, error) {
	keys := make([]run.Key, len(rows))
	for i, w := range rows {
		keys[i] = w.key
	}
	now, err := s.state(ctx)
	if err != nil {
		return nil, err
	}
	found, err := s.find(ctx, tx, tx.StmtContext(ctx, s.blocked), reader{now: now}, keys)
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

// wholeModel returns the row of an identity, if there is one whose hash holds. It reads the table, as an index may
// name a row that is damaged.
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

// insertModel adds a model. Where the index has its identity, of a row that is damaged, the index is first made
// anew from what is there.
func insertModel(ctx context.Context, tx *sql.Tx, identity string) (int64, error) {
	add := func() (int64, error) {
		r, err := insert(ctx, tx, "model", modelColumns, identity)
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
