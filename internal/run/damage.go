package run

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"sync"
)

// A Damage names a row of a store that is not as it was written, or rows that are gone. Such a row counts as absent.
type Damage struct {
	Table string `json:"table"`         // record, model, run, annotation, usage, hold or tally
	Row   string `json:"row,omitempty"` // its number, or the id of a run; "" for rows that are gone
	Key   string `json:"key,omitempty"` // of a record
	What  string `json:"what"`          // what is wrong with it
}

func (d Damage) String() string {
	switch {
	case d.Row == "":
		return fmt.Sprintf("%s: %s", d.Table, d.What)
	case d.Key != "":
		return fmt.Sprintf("%s %s, key %s: %s", d.Table, d.Row, d.Key, d.What)
	}
	return fmt.Sprintf("%s %s: %s", d.Table, d.Row, d.What)
}

// A Checker is a Store that can tell which of its rows are damaged.
type Checker interface {
	// Damages lists what the reading of this Store met so far, by table and row.
	Damages() []Damage
	// Check reads all there is, changes nothing, and returns what it holds and what is damaged.
	Check(ctx context.Context) (Checked, error)
}

// A Checked is what a store holds.
type Checked struct {
	Rows     map[string]int `json:"rows"`     // by table
	Unhashed int            `json:"unhashed"` // records that an earlier release wrote, without a hash
	Damages  []Damage       `json:"damages"`
	Notes    []string       `json:"notes"` // what the database says of itself, where that is not well
}

// A Digest is of the records that a result rests on, so that one that is lost or changed shows.
type Digest struct {
	Records  int    `json:"records"`  // calls that have a record
	Answered int    `json:"answered"` // those that have a response
	SHA256   string `json:"sha256"`   // of their keys and sums, by key
	Version  string `json:"version"`  // the release whose evaluation read them: another may read others
}

// Lost returns how many records, or answers among them, a result rests on no more: a digest of the same evaluation
// was made when the result was, and another now.
func (d *Digest) Lost(now *Digest) int { return max(d.Records-now.Records, d.Answered-now.Answered, 0) }

// Lookups notes the records that are looked up through a store. It is safe for concurrent use.
type Lookups struct {
	Whole bool // what is looked up is read with its raw body, and checked whole, also where the raw body is not needed

	mu     sync.Mutex
	asked  []lookup // each key once, by key, but for what was noted since
	sorted int      // so many of them are
	digest *Digest  // of what was noted so far, once somebody asked
}

// A lookup is of one record, which may not have been found. A run has as many as answers, so they are no map.
type lookup struct {
	key                       Key
	sum                       Sum
	found, answered, unhashed bool
}

// Watch returns a store that notes every record that is looked up in the given one.
func (l *Lookups) Watch(store Store) Store { return watched{store, l.Whole, l.note} }

func (l *Lookups) note(keys []Key, found map[Key]Record) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, k := range keys {
		x := lookup{key: k}
		if r, ok := found[k]; ok {
			x = lookup{k, r.Sum, true, r.Response != nil, r.Unhashed}
		}
		l.asked = append(l.asked, x)
	}
	l.digest = nil
	if len(l.asked) > 2*max(l.sorted, 1<<18) {
		l.settle()
	}
}

// settle sorts what was noted. Of one record that was looked up more than once the first that was found stays.
func (l *Lookups) settle() {
	if l.sorted == len(l.asked) {
		return
	}
	byKey := func(a, b lookup) int { return bytes.Compare(a.key[:], b.key[:]) }
	slices.SortStableFunc(l.asked, byKey)
	kept := l.asked[:0]
	for _, x := range l.asked {
		switch last := len(kept) - 1; {
		case last < 0 || kept[last].key != x.key:
			kept = append(kept, x)
		case !kept[last].found:
			kept[last] = x
		}
	}
	l.asked, l.sorted = kept, len(kept)
}

// Unhashed is the number of records that were read and that the store keeps no hash of.
func (l *Lookups) Unhashed() (n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.settle()
	for i := range l.asked {
		if l.asked[i].unhashed {
			n++
		}
	}
	return n
}

// Digest returns the digest of the records that were found, as a release's evaluation read them.
func (l *Lookups) Digest(version string) *Digest {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.digest != nil && l.digest.Version == version {
		return l.digest
	}
	l.settle()
	l.digest = &Digest{Version: version}
	h := sha256.New()
	for i := range l.asked {
		x := &l.asked[i]
		if !x.found {
			continue
		}
		if l.digest.Records++; x.answered {
			l.digest.Answered++
		}
		h.Write(x.key[:])
		h.Write(x.sum[:])
	}
	l.digest.SHA256 = hex.EncodeToString(h.Sum(nil))
	return l.digest
}

// Read reports whether the record with a key, in hexadecimal, was looked up, and whether it was found.
func (l *Lookups) Read(key string) (asked, found bool) {
	b, err := hex.DecodeString(key)
	if err != nil || len(b) != len(Key{}) {
		return false, false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.settle()
	i, asked := slices.BinarySearchFunc(l.asked, b, func(x lookup, k []byte) int { return bytes.Compare(x.key[:], k) })
	return asked, asked && l.asked[i].found
}
