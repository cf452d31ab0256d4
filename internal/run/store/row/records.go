package row

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"strconv"
	"strings"
	"time"

	"hallmark/internal/base/jsonl"
	"hallmark/internal/base/parallel"
	"hallmark/internal/model"
	"hallmark/internal/run"
)

// The columns of tables as they are written, but for the row's number and its hash. They are what the hash of a row
// covers, but that the hash of a record covers raw_hash in the place of raw.
const (
	ModelColumns      = "identity"
	RecordColumns     = "key, model, repeat, request, response, raw, failure, transient, attempts, at"
	AnnotationColumns = "run, unit, rater, label, at"
	UsageColumns      = "run, key, tries, tokens, usd, at"
	HoldColumns       = "run, held_calls, held_tokens, held_usd, calls, tokens, usd, at"
)

// The columns of a record as it is read: id, RecordColumns, raw_hash, hash.
const (
	AtID = iota
	AtKey
	AtModel
	AtRepeat
	AtRequest
	AtResponse
	AtRaw
	AtFailure
	AtTransient
	AtAttempts
	AtTime
	AtRawHash
	AtHash
)

// A Model is what the row of a model holds, or what is wrong with it.
type Model struct {
	identity string
	json     []byte // the beginning of the JSON of its calls
	what     string
}

// ReadModels reads the rows of models. Those of an earlier version lack their hash. Models never change, so each is
// read once, and not with each of its records, which are many. It reads the table, as an index may name a row that is
// damaged.
func (b *Beside) ReadModels(ctx context.Context, q Queries, mayLack bool) (map[int64]Model, error) {
	hash := "hash"
	if mayLack {
		hash = "NULL"
	}
	rows, err := b.DB.Query(ctx, q, "SELECT id, identity, "+hash+" FROM "+b.DB.Table("model"))
	if err != nil {
		return nil, err
	}
	all, h := map[int64]Model{}, new(Hasher)
	err = Each(rows, func(cells []Cell) error {
		var m Model
		id, numbered := cells[0].V.(int64)
		identity, named := cells[1].V.(string)
		if !numbered || !named {
			return nil // as if it were gone
		}
		// A model of an earlier version got its hash with the others; until then its name is held against the key
		// of each of its records.
		if what := Sealed(cells[2].V, h.Row("model", identity), mayLack); what != "" {
			m.what = fmt.Sprintf("the row of its model, %d, is damaged: %s", id, what)
		}
		name, err := json.Marshal(identity)
		m.identity, m.json = identity, fmt.Appendf(nil, `{"model":%s,"request":`, name)
		all[id] = m
		return err
	})
	return all, err
}

// WholeModel returns the number of the row that holds an identity as it was written; 0 where there is none.
func WholeModel(models map[int64]Model, identity string) (id int64) {
	for n, m := range models {
		if m.identity == identity && m.what == "" {
			id = max(id, n)
		}
	}
	return id
}

// errOtherModel says that a record is of a model whose row was not read yet.
var errOtherModel = errors.New("row: a model that was not read yet")

// errTwoAnswers says that a key has two responses, one of which superseded one that is damaged.
var errTwoAnswers = errors.New("row: two responses of one key")

// A Lookup finds the records of keys.
type Lookup struct {
	Reader
	Store   *Beside
	Queries Queries // by which models are read
	MayLack bool    // their rows lack hashes
	Size    int     // the number of keys of one query
	// Query asks for the rows of up to Size keys, with their raw bodies where it is told whole.
	Query func(ctx context.Context, whole bool, keys []run.Key) (Rows, error)
	// Damaged are the numbers of the rows that were met and count as absent.
	Damaged []int64
}

// Find returns of each key the record that counts: of those whose rows are whole the first response, or the newest
// failure. A row that is damaged counts as absent and is noted.
func (l *Lookup) Find(ctx context.Context, keys []run.Key) (map[run.Key]run.Record, error) {
	l.Store.mu.Lock()
	l.Models = l.Store.models
	l.Store.mu.Unlock()
	found := make(map[run.Key]run.Record)
	for len(keys) > 0 {
		n := min(len(keys), l.Size)
		l.All = false
		err := l.pick(ctx, keys[:n], found)
		if errors.Is(err, errOtherModel) {
			if l.Models, err = l.Store.ReadModels(ctx, l.Queries, l.MayLack); err != nil {
				return nil, err
			}
			l.Store.mu.Lock()
			l.Store.models = l.Models
			l.Store.mu.Unlock()
			forget(found, keys[:n])
			l.All = true
			err = l.pick(ctx, keys[:n], found)
		}
		// only their raw bodies tell which of them is damaged: this and what follows is read whole
		if errors.Is(err, errTwoAnswers) {
			l.Bare = false
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

// pick adds what Find returns of the keys of one query, or errOtherModel or errTwoAnswers.
func (l *Lookup) pick(ctx context.Context, keys []run.Key, found map[run.Key]run.Record) error {
	rows, err := l.Query(ctx, !l.Bare, keys)
	if err != nil {
		return err
	}
	ids := make(map[run.Key]int64, len(keys))
	return Each(rows, func(cells []Cell) error {
		if l.isOther(cells[AtModel].V) {
			return errOtherModel
		}
		key, rec, what := l.Record(cells)
		id, _ := cells[AtID].V.(int64)
		if what != "" {
			l.Damaged = append(l.Damaged, id)
			l.Store.Notes.Add(run.Damage{Table: "record", Row: strconv.FormatInt(id, 10), Key: key.String(), What: what})
			return nil
		}
		old, have := found[key]
		if l.Bare && ids[key] != 0 && old.Response != nil && rec.Response != nil {
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

// CheckRecords reads all records, notes those that are damaged, and returns how many rows there are.
func (d *Reader) CheckRecords(rows Rows, notes *Notes) (n int, err error) {
	err = Each(rows, func(cells []Cell) error {
		n++
		key, _, what := d.Record(cells)
		if id, _ := cells[AtID].V.(int64); what != "" {
			notes.Add(run.Damage{Table: "record", Row: strconv.FormatInt(id, 10), Key: key.String(), What: what})
		}
		return nil
	})
	return n, err
}

// A Reader reads rows of records.
type Reader struct {
	Older  int64 // the last record that may lack a hash
	Bare   bool  // raw bodies are not read
	Models map[int64]Model
	All    bool // the models are those that were there when the records were, or later
	hasher Hasher
	call   bytes.Buffer // the JSON of a call
	b      []byte
}

// isOther reports whether a model may be one that was added since models were read.
func (d *Reader) isOther(model any) bool {
	id, numbered := model.(int64)
	_, known := d.Models[id]
	return numbered && !known && !d.All
}

// Record returns a record from its row, or what is wrong with the row.
func (d *Reader) Record(cells []Cell) (key run.Key, r run.Record, what string) {
	id, _ := cells[AtID].V.(int64)
	b, _ := cells[AtKey].V.([]byte)
	copy(key[:], b)
	r.Sum = d.hasher.Row("record", cells[AtKey].V, cells[AtModel].V, cells[AtRepeat].V, cells[AtRequest].V,
		cells[AtResponse].V, cells[AtRawHash].V,
		cells[AtFailure].V, cells[AtTransient].V, cells[AtAttempts].V, cells[AtTime].V)
	r.Unhashed = cells[AtHash].V == nil
	if what := Sealed(cells[AtHash].V, r.Sum, id <= d.Older); what != "" {
		return key, r, what
	}
	raw, _ := cells[AtRaw].V.([]byte)
	if !r.Unhashed && !d.Bare && !isHash(cells[AtRawHash].V, cells[AtRaw].V) {
		return key, r, "the hash of its raw body is not that of its content"
	}
	m, what := d.modelOf(cells[AtModel].V)
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
func (d *Reader) modelOf(id any) (m Model, what string) {
	n, numbered := id.(int64)
	m, known := d.Models[n]
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
func contentOf(cells []Cell) (c content, typed bool) {
	c.request, typed = cells[AtRequest].V.(string)
	c.repeat, c.transient = as[int64](cells[AtRepeat], &typed), as[int64](cells[AtTransient], &typed)
	c.attempts = as[int64](cells[AtAttempts], &typed)
	c.response, c.answered = orNull[string](cells[AtResponse], &typed)
	c.failure, c.failed = orNull[string](cells[AtFailure], &typed)
	orNull[[]byte](cells[AtRaw], &typed)
	var timed bool
	c.at, timed = FromNano(cells[AtTime].V)
	return c, typed && timed
}

// orNull is as for a cell that may be NULL, and whether it is not.
func orNull[T any](c Cell, typed *bool) (v T, there bool) {
	v, there = c.V.(T)
	*typed = *typed && (there || c.V == nil)
	return v, there
}

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
func (d *Reader) keyOf(m Model, request string, repeat int64) (run.Key, []byte) {
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

// A Row is a record as it is written.
type Row struct {
	Key                         run.Key
	Identity                    string
	Request                     string // JSON
	Response, Raw, RawHash      any    // JSON, bytes, and their hash; nil where there is none
	Failure                     any
	Repeat, Transient, Attempts int64
	At                          any
}

// Encode returns a record as it is written.
func Encode(r *run.Record) (Row, error) {
	if err := r.Check(); err != nil {
		return Row{}, err
	}
	w := Row{Key: r.Call.Key(), Identity: Valid(r.Call.Model), Repeat: int64(r.Call.Repeat),
		Attempts: int64(r.Attempts), At: Nano(r.At)}
	if r.Transient {
		w.Transient = 1
	}
	var err error
	if w.Request, err = marshal(r.Call.Request); err != nil {
		return Row{}, fmt.Errorf("record %s: request: %w", w.Key, err)
	}
	if r.Response == nil {
		w.Failure = Valid(r.Failure)
		return w, nil
	}
	resp := *r.Response
	if len(resp.Raw) > 0 {
		hash := sha256.Sum256(resp.Raw)
		w.Raw, w.RawHash = resp.Raw, hash[:]
	}
	resp.Raw = nil
	if w.Response, err = marshal(resp); err != nil {
		return Row{}, fmt.Errorf("record %s: response: %w", w.Key, err)
	}
	return w, nil
}

// EncodeAll returns records as they are written.
func EncodeAll(records []run.Record) ([]Row, error) {
	rows, errs, workers := make([]Row, len(records)), make([]error, len(records)), 1
	if len(records) > 1000 { // an import; of a few, to start others takes longer
		workers = runtime.GOMAXPROCS(0)
	}
	parallel.Do(workers, len(records), func(i int) { rows[i], errs[i] = Encode(&records[i]) })
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return rows, nil
}

// Hash returns the hash of the row of a record whose model has a number.
func (w *Row) Hash(h *Hasher, model int64) Sum {
	return h.Row("record", w.Key[:], model, w.Repeat, w.Request, w.Response, w.RawHash, w.Failure, w.Transient,
		w.Attempts, w.At)
}

// marshal is json.Marshal without escapes for HTML: what is stored is read by people, too.
func marshal(v any) (string, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return strings.TrimSuffix(b.String(), "\n"), err
}

// Valid returns s with each byte that is not UTF-8 replaced by U+FFFD, as JSON has it.
func Valid(s string) string { return string([]rune(s)) }

// Nano returns a time as it is stored; the zero time is NULL.
func Nano(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return t.UnixNano()
}

// FromNano returns a time from what is stored, and whether that is one.
func FromNano(v any) (time.Time, bool) {
	n, ok := v.(int64)
	if v == nil || !ok {
		return time.Time{}, v == nil
	}
	return time.Unix(0, n).UTC(), true
}
