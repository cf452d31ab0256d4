package row

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"sync"

	"hallmark/internal/base/jsonl"
	"hallmark/internal/run"
)

// Notes are the damages that the reading of a store met. They are safe for concurrent use; the zero value has none.
type Notes struct {
	mu  sync.Mutex
	all map[string]run.Damage // by table and row
}

// Add remembers a damage.
func (n *Notes) Add(d run.Damage) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.all == nil {
		n.all = map[string]run.Damage{}
	}
	n.all[d.Table+" "+d.Row] = d
}

// Forget takes back what was noted of a row.
func (n *Notes) Forget(table, row string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	delete(n.all, table+" "+row)
}

// Damages lists them by table and row, as run.Checker wants it.
func (n *Notes) Damages() []run.Damage {
	n.mu.Lock()
	defer n.mu.Unlock()
	return slices.SortedFunc(maps.Values(n.all), func(a, b run.Damage) int {
		return cmp.Or(cmp.Compare(a.Table, b.Table), cmp.Compare(len(a.Row), len(b.Row)), cmp.Compare(a.Row, b.Row))
	})
}

// Hold returns the first damage of what sessions hold.
func (n *Notes) Hold() (run.Damage, bool) {
	for _, d := range n.Damages() {
		if d.Table == "hold" || d.Table == "tally" && d.Row == "hold" {
			return d, true
		}
	}
	return run.Damage{}, false
}

// A Tally counts the rows of a table that is read whole, so that one that is lost shows.
type Tally struct {
	Name     string
	N, Older int64
}

// Tallied are the tables that have a tally. That of records says which of them carry no hash.
var Tallied = []string{"record", "run", "annotation", "usage", "hold"}

// MarkName is the name of the tally that counts nothing: its numbers are drawn when it is written, and tell this
// store from all others.
const MarkName = "mark"

// Hash returns the hash of the tally's row.
func (t Tally) Hash() Sum { return new(Hasher).Row("tally", t.Name, t.N, t.Older) }

// tallyOf reads a tally from its row: name, n, older and hash. One that is damaged is noted, and zero.
func tallyOf(name string, cells []Cell, notes *Notes) Tally {
	n, counted := cells[1].V.(int64)
	older, bounded := cells[2].V.(int64)
	what := Sealed(cells[3].V, new(Hasher).Row("tally", Values(cells[:3])...), false)
	if what != "" || !counted || !bounded {
		notes.Add(run.Damage{Table: "tally", Row: name, What: what})
		return Tally{Name: name}
	}
	return Tally{name, n, older}
}

// DocumentHash is the hash of a document of a run as it is stored, such as run.result: of none NULL.
func DocumentHash(name string, document any) any {
	if document == nil {
		return nil
	}
	hash := new(Hasher).Row(name, document)
	return hash[:]
}

// Document returns a document of a run from its column and the hash of it, or what is wrong with it.
func Document(name string, document, hash any, mayLack bool) (json.RawMessage, string) {
	text, ok := document.(string)
	want, _ := DocumentHash(name, document).([]byte)
	got, _ := hash.([]byte)
	switch {
	case document == nil && hash == nil:
		return nil, ""
	case !ok, !mayLack && !bytes.Equal(want, got):
		return nil, "is not as it was written"
	}
	return []byte(text), ""
}

// Digest returns the digest of a run as it is stored.
func Digest(d *run.Digest) (any, error) {
	if d == nil {
		return nil, nil
	}
	b, err := json.Marshal(d)
	return string(b), err
}

// Header returns a run without its plan and result from its columns, or what is wrong with it.
func Header(id, started, finished, digest any) (h run.Header, what string) {
	name, ok := id.(string)
	began, timed := FromNano(started)
	end, ended := FromNano(finished)
	text, digested := Optional(digest)
	if !ok || !timed || !ended || !digested {
		return h, "a column has another type"
	}
	h = run.Header{ID: name, Started: began, Finished: end}
	if text != nil {
		if err := json.Unmarshal(text, &h.Digest); err != nil {
			return h, "its digest does not read: " + jsonl.Plain(err).Error()
		}
	}
	return h, ""
}

// Newest sorts runs as stores list them: newest first.
func Newest(all []run.Header) {
	slices.SortFunc(all, func(a, b run.Header) int {
		return cmp.Or(b.Started.Compare(a.Started), cmp.Compare(b.ID, a.ID))
	})
}

// Optional returns a text that may be missing, and whether it is one.
func Optional(v any) ([]byte, bool) {
	s, ok := v.(string)
	if v == nil || !ok {
		return nil, v == nil
	}
	return []byte(s), true
}

// Text returns a document as it is stored; one that is missing is NULL.
func Text(b json.RawMessage) any {
	if b == nil {
		return nil
	}
	return string(b)
}

// DamagedRun is what is wrong with a run whose row is.
func DamagedRun(id, what string) string {
	return fmt.Sprintf("the row of run %s is damaged (%s); `hallmark run` with the same flags writes it again", id,
		what)
}

// unreadable says what is wrong with a row, which failed a check or has a column of another type; "" where nothing is.
func unreadable(err error, typed bool) string {
	if err == nil && typed {
		return ""
	}
	return fmt.Sprintf("it does not read: %v", err)
}

// as is what a cell holds, of the type that its column has; typed becomes false where it is another.
func as[T any](c Cell, typed *bool) T {
	v, ok := c.V.(T)
	*typed = *typed && ok
	return v
}

// ReadHold returns what a row holds, or what is wrong with it.
func ReadHold(id any, cells []Cell) (run.Hold, string) {
	number, typed := id.(int64)
	cost := func(at []Cell) run.Cost {
		return run.Cost{Calls: int(as[int64](at[0], &typed)), Tokens: int(as[int64](at[1], &typed)),
			USD: as[float64](at[2], &typed)}
	}
	h := run.Hold{ID: number, Held: cost(cells[1:]), Total: cost(cells[4:])}
	h.Run, _ = cells[0].V.(string)
	var timed bool
	h.At, timed = FromNano(cells[7].V)
	return h, unreadable(h.Check(), typed && timed)
}

// ReadUsage returns what a row holds, or what is wrong with it.
func ReadUsage(_ any, cells []Cell) (run.Usage, string) {
	typed := true
	u := run.Usage{Tries: int(as[int64](cells[2], &typed)), Tokens: int(as[int64](cells[3], &typed)),
		USD: as[float64](cells[4], &typed)}
	u.Run, _ = cells[0].V.(string)
	key, _ := cells[1].V.([]byte)
	copy(u.Key[:], key)
	var timed bool
	u.At, timed = FromNano(cells[5].V)
	return u, unreadable(u.Check(), typed && timed && (cells[1].V == nil || len(key) == len(u.Key)))
}

// ReadAnnotation returns what a row holds, or what is wrong with it.
func ReadAnnotation(_ any, cells []Cell) (run.Annotation, string) {
	typed := true
	a := run.Annotation{Unit: as[string](cells[1], &typed), Rater: as[string](cells[2], &typed),
		Label: []byte(as[string](cells[3], &typed))}
	a.Run, _ = cells[0].V.(string)
	var timed bool
	a.At, timed = FromNano(cells[4].V)
	return a, unreadable(a.Check(), typed && timed)
}
