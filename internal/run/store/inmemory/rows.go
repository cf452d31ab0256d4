package inmemory

import (
	"bytes"
	"context"
	"fmt"
	"time"

	"hallmark/internal/run"
	"hallmark/internal/run/store/row"
)

// add appends rows, if all of them are valid, each as a store on disk would give it back.
func add[T any](ctx context.Context, s *Store, rows *[]T, list []T, check func(*T) error, stored func(T) T) error {
	if err := checked(list, check); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.open(ctx); err != nil {
		return err
	}
	for _, r := range list {
		*rows = append(*rows, stored(r))
	}
	return nil
}

func checked[T any](list []T, check func(*T) error) error {
	for i := range list {
		if err := check(&list[i]); err != nil {
			return fmt.Errorf("memory store: %w", err)
		}
	}
	return nil
}

// list returns the rows of a run, each through copied.
func list[T any](ctx context.Context, s *Store, rows *[]T, isOf func(T) bool, copied func(T) T) ([]T, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if err := s.open(ctx); err != nil {
		return nil, err
	}
	var found []T
	for _, r := range *rows {
		if isOf(r) {
			found = append(found, copied(r))
		}
	}
	return found, nil
}

// Annotate implements run.AnnotationStore.
func (s *Store) Annotate(ctx context.Context, list []run.Annotation) error {
	return add(ctx, s, &s.annotations, list, (*run.Annotation).Check, func(a run.Annotation) run.Annotation {
		a.Unit, a.Rater, a.At = row.Valid(a.Unit), row.Valid(a.Rater), a.At.UTC()
		a.Label = []byte(row.Valid(string(a.Label)))
		return a
	})
}

// Annotations implements run.AnnotationStore.
func (s *Store) Annotations(ctx context.Context, runID string) ([]run.Annotation, error) {
	return list(ctx, s, &s.annotations, func(a run.Annotation) bool {
		return a.Run == runID
	}, func(a run.Annotation) run.Annotation {
		a.Label = bytes.Clone(a.Label)
		return a
	})
}

// AddUsage implements run.Store.
func (s *Store) AddUsage(ctx context.Context, list []run.Usage) error {
	return add(ctx, s, &s.usage, list, (*run.Usage).Check, storedUsage)
}

func storedUsage(u run.Usage) run.Usage {
	u.Run, u.At = row.Valid(u.Run), u.At.UTC()
	return u
}

// Usage implements run.Store.
func (s *Store) Usage(ctx context.Context, runID string) ([]run.Usage, error) {
	return list(ctx, s, &s.usage, func(u run.Usage) bool { return u.Run == runID }, func(u run.Usage) run.Usage {
		return u
	})
}

// Holds implements run.HoldStore.
func (s *Store) Holds(ctx context.Context, runID string) ([]run.Hold, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if err := s.open(ctx); err != nil {
		return nil, err
	}
	return s.holdsOf(runID, 0), nil
}

// holdsOf returns the holds of a run, but for one of them.
func (s *Store) holdsOf(runID string, but int64) (list []run.Hold) {
	for _, h := range s.holds {
		if h.Run == runID && h.ID != but {
			h.Life = run.Lapsed
			if time.Now().Before(s.lives[h.ID]) {
				h.Life = run.Lives
			}
			list = append(list, h)
		}
	}
	return list
}

// PutHold implements run.HoldStore.
func (s *Store) PutHold(ctx context.Context, h *run.Hold, fits func(put *run.Hold, others []run.Hold) error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.open(ctx); err != nil {
		return err
	}
	put := *h
	if fits != nil {
		if err := fits(&put, s.holdsOf(h.Run, h.ID)); err != nil {
			return err
		}
	}
	if err := s.putHold(&put); err != nil {
		return err
	}
	*h = put
	return nil
}

func (s *Store) putHold(h *run.Hold) error {
	put := *h
	put.Run, put.At, put.Life = row.Valid(put.Run), put.At.UTC(), run.Unknown
	if err := put.Check(); err != nil {
		return fmt.Errorf("memory store: %w", err)
	}
	if h.ID == 0 {
		s.holds = append(s.holds, put)
		h.ID = int64(len(s.holds))
	}
	if h.ID < 0 || h.ID > int64(len(s.holds)) {
		return fmt.Errorf("memory store: there is no hold %d", h.ID)
	}
	put.ID = h.ID
	s.holds[h.ID-1], s.lives[h.ID] = put, time.Now().Add(run.Term)
	return nil
}

// AddHeld implements run.HoldStore.
func (s *Store) AddHeld(ctx context.Context, h *run.Hold, records []run.Record, list []run.Usage) (left []int,
	err error) {
	keys, entries, err := encode(records)
	if err != nil {
		return nil, err
	}
	if err := checked(list, (*run.Usage).Check); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.open(ctx); err != nil {
		return nil, err
	}
	if err := s.putHold(h); err != nil {
		return nil, err
	}
	for _, u := range list {
		s.usage = append(s.usage, storedUsage(u))
	}
	return s.add(keys, entries), nil
}

var _ run.LeaseStore = (*Store)(nil)

// Lease implements run.LeaseStore.
func (s *Store) Lease(ctx context.Context, session string, asks []run.Ask) ([]run.Grant, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.open(ctx); err != nil {
		return nil, err
	}
	now := time.Now()
	grants := make([]run.Grant, len(asks))
	for i := range asks {
		a := &asks[i]
		p := s.rates[a.Model]
		if p == nil {
			p = &run.RateState{}
			s.rates[a.Model] = p
		}
		var others []run.Seat
		for _, seat := range s.seats[a.Model] {
			if seat.Session != session && seat.Until.After(now) {
				others = append(others, seat)
			}
		}
		var own run.Seat
		grants[i], own = a.Grant(p, session, others, now)
		s.seats[a.Model] = append(others, own)
	}
	return grants, nil
}
