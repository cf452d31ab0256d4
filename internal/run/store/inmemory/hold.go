package inmemory

import (
	"context"
	"fmt"
	"slices"
	"time"

	"hallmark/internal/run"
)

var _ run.HoldStore = (*Store)(nil)

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
	put.Run, put.At, put.Life = valid(put.Run), put.At.UTC(), run.Unknown
	if err := put.Check(); err != nil {
		return fmt.Errorf("memory store: %w", err)
	}
	if h.ID == 0 {
		put.ID = int64(len(s.holds)) + 1
		s.holds = append(s.holds, put)
		h.ID = put.ID
		s.lives[h.ID] = time.Now().Add(run.Term)
		return nil
	}
	i := slices.IndexFunc(s.holds, func(o run.Hold) bool { return o.ID == h.ID })
	if i < 0 {
		return fmt.Errorf("memory store: there is no hold %d", h.ID)
	}
	s.holds[i], s.lives[h.ID] = put, time.Now().Add(run.Term)
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
