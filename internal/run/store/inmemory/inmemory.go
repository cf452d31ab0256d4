// Package inmemory keeps records and runs for as long as the process lives, for tests and for work that is to leave no
// trace.
package inmemory

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"hallmark/internal/run"
	"hallmark/internal/run/store/row"
)

var errClosed = errors.New("memory store is closed")

// A Store is a run.Store in memory. It keeps what it is given as JSON, so that it gives back exactly what a store on
// disk would and shares nothing with its callers.
type Store struct {
	mu      sync.RWMutex
	closed  bool
	records map[run.Key]entry
	runs    map[string]run.Header

	annotations []run.Annotation
	usage       []run.Usage
	holds       []run.Hold          // by id, from 1 on
	lives       map[int64]time.Time // by the id of a hold, until when its session is held to live
	rates       map[string]*run.RateState
	seats       map[string][]run.Seat // of each model
	texts       map[string][]byte
}

type entry struct {
	json     []byte
	raw      []byte // of the response, which is most of it, kept out of the JSON
	response bool
	sum      run.Sum
}

// New returns an empty store.
func New() *Store {
	return &Store{records: map[run.Key]entry{}, runs: map[string]run.Header{}, lives: map[int64]time.Time{},
		rates: map[string]*run.RateState{}, seats: map[string][]run.Seat{}, texts: map[string][]byte{}}
}

var _ run.Store = (*Store)(nil)

// open returns an error if the store is closed or the context done.
func (s *Store) open(ctx context.Context) error {
	if s.closed {
		return errClosed
	}
	return ctx.Err()
}

// Lookup implements run.Store.
func (s *Store) Lookup(ctx context.Context, keys []run.Key) (map[run.Key]run.Record, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if err := s.open(ctx); err != nil {
		return nil, err
	}
	found := make(map[run.Key]run.Record)
	for _, k := range keys {
		if e, ok := s.records[k]; ok {
			var r run.Record
			if err := json.Unmarshal(e.json, &r); err != nil {
				return nil, fmt.Errorf("memory store: record %s: %w", k, err)
			}
			if e.raw != nil {
				r.Response.Raw = bytes.Clone(e.raw)
			}
			r.Sum = e.sum
			found[k] = r
		}
	}
	return found, nil
}

// Add implements run.Store.
func (s *Store) Add(ctx context.Context, records []run.Record) error {
	keys, entries, err := encode(records)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.open(ctx); err != nil {
		return err
	}
	s.add(keys, entries)
	return nil
}

// add adds records, but for those of a key that has a response, whose places it returns.
func (s *Store) add(keys []run.Key, entries []entry) (left []int) {
	for i, k := range keys {
		if s.records[k].response {
			left = append(left, i)
		} else {
			s.records[k] = entries[i]
		}
	}
	return left
}

func encode(records []run.Record) ([]run.Key, []entry, error) {
	keys, entries := make([]run.Key, len(records)), make([]entry, len(records))
	for i, r := range records {
		if err := r.Check(); err != nil {
			return nil, nil, err
		}
		e := entry{response: r.Response != nil}
		if e.response {
			resp := *r.Response
			if len(resp.Raw) > 0 {
				e.raw = bytes.Clone(resp.Raw)
			}
			resp.Raw = nil
			r.Response = &resp
		}
		r.At = r.At.UTC()
		b, err := json.Marshal(r)
		if err != nil {
			return nil, nil, fmt.Errorf("memory store: record %s: %w", r.Call.Key(), err)
		}
		e.json, e.sum = b, sha256.Sum256(append(b, e.raw...))
		keys[i], entries[i] = r.Call.Key(), e
	}
	return keys, entries, nil
}

// PutRun implements run.Store.
func (s *Store) PutRun(ctx context.Context, h run.Header) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.open(ctx); err != nil {
		return err
	}
	h.Started, h.Finished = h.Started.UTC(), h.Finished.UTC()
	if h.Plan == nil {
		h.Plan = s.runs[h.ID].Plan
	}
	s.runs[h.ID] = clone(h)
	return nil
}

// Run implements run.Store.
func (s *Store) Run(ctx context.Context, prefix string) (run.Header, error) {
	all, err := s.all(ctx)
	if err != nil {
		return run.Header{}, err
	}
	return run.Pick(all, prefix)
}

// Runs implements run.Store.
func (s *Store) Runs(ctx context.Context) ([]run.Header, error) {
	all, err := s.all(ctx)
	for i := range all {
		all[i].Plan, all[i].Result = nil, nil
	}
	return all, err
}

// Plan implements run.Store.
func (s *Store) Plan(ctx context.Context, runID string) (json.RawMessage, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if err := s.open(ctx); err != nil {
		return nil, err
	}
	return bytes.Clone(s.runs[runID].Plan), nil
}

// all returns copies of all runs, newest first.
func (s *Store) all(ctx context.Context) ([]run.Header, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if err := s.open(ctx); err != nil {
		return nil, err
	}
	var all []run.Header
	for _, h := range s.runs {
		all = append(all, clone(h))
	}
	row.Newest(all)
	return all, nil
}

func clone(h run.Header) run.Header {
	h.Plan, h.Result, h.Listed = bytes.Clone(h.Plan), bytes.Clone(h.Result), bytes.Clone(h.Listed)
	if h.Digest != nil {
		h.Digest = new(*h.Digest)
	}
	return h
}

// PutText implements run.TextStore.
func (s *Store) PutText(ctx context.Context, name string, text []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.open(ctx); err != nil {
		return err
	}
	s.texts[strings.ToValidUTF8(name, "\uFFFD")] = bytes.Clone(text)
	return nil
}

// Text implements run.TextStore.
func (s *Store) Text(ctx context.Context, name string) ([]byte, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return bytes.Clone(s.texts[name]), s.open(ctx)
}

// Close implements run.Store.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	s.records, s.runs, s.annotations, s.usage, s.holds = nil, nil, nil, nil, nil
	s.texts = nil
	return nil
}
