// Package run stands between planned calls and stored records, so that all that
// is computed comes from what is stored. Execute asks a model for the calls whose records are missing,
// commits what came back before anyone reads it, and can be killed at any
// moment: the same calls again ask only for what was not committed.
package run

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"hallmark/internal/base/lists"
	"hallmark/internal/model"
)

// A Call is one planned request to one model.
type Call struct {
	Model   string        `json:"model"`   // the model's identity
	Request model.Request `json:"request"` // all that is sent
	Repeat  int           `json:"repeat"`  // the number of the draw, from 0
}

// A Key names a call by everything that can change its answer: the model's identity, the full request and the
// repeat. Equal calls of two cases, suites or runs share one record.
type Key [sha256.Size]byte

// String returns the key in hexadecimal.
func (k Key) String() string { return hex.EncodeToString(k[:]) }

// Key returns the SHA-256 of the call's JSON. Text is UTF-8 by contract: bytes that are none count as U+FFFD, in the
// key as in the store.
func (c Call) Key() Key {
	b, err := json.Marshal(c)
	if err != nil { // a float that is no number: misuse, as requests come from our own planner
		panic("run: " + err.Error())
	}
	return sha256.Sum256(b)
}

// A Record is the stored outcome of a call, also when it failed: exactly one of Response and Failure is set.
// Records are added, never changed. The first response to a key counts for good: a second one, of another process
// that asked at the same time, is not kept, so a result once reported stays what it was. Until there is a response
// the newest failure counts.
type Record struct {
	Call     Call
	Response *model.Response
	Failure  string // why there is no response, in one line
	// Transient says that the failure was of a kind that may pass: the tries ran out.
	Transient bool
	Attempts  int       // tries made, at least 1
	At        time.Time // when it was committed; in no result
	// Sum is the hash of what is stored, and Unhashed says that the store keeps none beside it, as an earlier
	// release wrote it. Stores set them where a record is read; what they are given there is not stored.
	Sum      Sum  `json:"-"`
	Unhashed bool `json:"-"`
}

// A Sum is the hash of a stored record. It is of one store: equal records of two stores have other sums.
type Sum [sha256.Size]byte

// A Header is what a store keeps of a run: its id, its resolved plan, and whether its calls were all answered.
type Header struct {
	ID       string
	Plan     json.RawMessage
	Started  time.Time
	Finished time.Time // zero until the run ended
	// Result is the canonical result document of a finished run, kept so that it can be shown without recomputing.
	Result json.RawMessage
	// Listed is what lists show of the plan, JSON, so that they need not read it; nil from a store that keeps none.
	Listed json.RawMessage
	// Digest is of the records that the result rests on; nil where the run has none yet, or an earlier release
	// finished it.
	Digest *Digest
}

// ErrNoRun is wrapped by what Store.Run returns if no run, or more than one, has the prefix.
var ErrNoRun = errors.New("no such run")

// A Store keeps records and runs. All methods are safe for concurrent use, by several processes where the store is a
// file or on a server. An error is final: the store is full, closed, locked by another process or damaged; it names
// the store and says what would help.
//
// A store gives back what it was given: text that is missing and text that is empty stay apart, floats come back to
// the last bit, Raw to the byte, times to the nanosecond in UTC; an empty slice comes back nil, a byte of text that is
// not UTF-8 as U+FFFD. Callers may keep and change what they passed in and what they got.
type Store interface {
	// Lookup returns of each key that has a record the one that counts. Keys may be many, and may repeat.
	Lookup(ctx context.Context, keys []Key) (map[Key]Record, error)
	// Add commits the records, all or none; those of a key that has a response already, in the store or earlier in
	// the slice, count as committed and are left out. When it returns nil they survive a crash of the process and the
	// machine. A record that cannot be written as JSON (a float that is no number), or that has both or neither of
	// Response and Failure, is an error.
	Add(ctx context.Context, records []Record) error
	// PutRun writes the run's header, replacing one with the same id, whose plan stays where the header has none.
	PutRun(ctx context.Context, h Header) error
	// Run returns the run whose id starts with the prefix, or for "latest" the one started last. An id that equals
	// the prefix beats longer ones.
	Run(ctx context.Context, prefix string) (Header, error)
	// Runs lists all runs, newest first, without their plans and results, which may be as long as suites.
	Runs(ctx context.Context) ([]Header, error)
	// Plan returns the plan of the run with this id, nil where it has none or there is no such run.
	Plan(ctx context.Context, runID string) (json.RawMessage, error)
	// AddUsage adds what tries cost that left no record, all or none. It replaces nothing. One that Usage.Check
	// refuses is an error.
	AddUsage(ctx context.Context, list []Usage) error
	// Usage returns all that was added of the run with this id, in the order in which it was added; none is no error.
	Usage(ctx context.Context, runID string) ([]Usage, error)
	AnnotationStore
	HoldStore
	TextStore
	// Close releases the store; no other method may follow. What was added stays.
	Close() error
}

// Check returns an error if the record is none that a store takes: both or neither of Response and Failure are set,
// a float is no number, or its usage cannot be. Stores call it.
func (r *Record) Check() error {
	switch {
	case r.Response == nil && r.Failure == "":
		return fmt.Errorf("record %s has neither a response nor a failure", r.Call.Key())
	case r.Response != nil && (r.Failure != "" || r.Transient):
		return fmt.Errorf("record %s has both a response and a failure", r.Call.Key())
	case r.Response != nil:
		if err := checkNumbers(r.Response); err != nil {
			return fmt.Errorf("record %s: %w", r.Call.Key(), err)
		}
	}
	return nil
}

// Pick returns the run that a prefix names among runs listed newest first, as Store.Run promises. It is for stores.
func Pick(runs []Header, prefix string) (Header, error) {
	if len(runs) == 0 {
		return Header{}, fmt.Errorf("%w: the store holds no run", ErrNoRun)
	}
	switch prefix {
	case "latest":
		return runs[0], nil
	case "":
		return Header{}, fmt.Errorf("%w: want a prefix of its id, or latest", ErrNoRun)
	}
	var match []Header
	for _, h := range runs {
		if h.ID == prefix {
			return h, nil
		}
		if strings.HasPrefix(h.ID, prefix) {
			match = append(match, h)
		}
	}
	switch len(match) {
	case 1:
		return match[0], nil
	case 0:
		return Header{}, fmt.Errorf("%w: no id starts with %q", ErrNoRun, prefix)
	}
	ids := lists.Map(match[:min(len(match), 3)], func(h Header) string { return h.ID })
	if len(match) > len(ids) {
		ids = append(ids, "…")
	}
	return Header{}, fmt.Errorf("%w: %d ids start with %q: %s", ErrNoRun, len(match), prefix, strings.Join(ids, ", "))
}
