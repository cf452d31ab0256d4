package memory

import (
	"context"
	"fmt"

	"hallmark/internal/run"
)

// AddUsage implements run.Store.
func (s *Store) AddUsage(ctx context.Context, list []run.Usage) error {
	if err := checkUsage(list); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.open(ctx); err != nil {
		return err
	}
	s.addUsage(list)
	return nil
}

func checkUsage(list []run.Usage) error {
	for i := range list {
		if err := list[i].Check(); err != nil {
			return fmt.Errorf("memory store: %w", err)
		}
	}
	return nil
}

func (s *Store) addUsage(list []run.Usage) {
	for _, u := range list {
		u.Run, u.At = valid(u.Run), u.At.UTC()
		s.usage = append(s.usage, u)
	}
}

// Usage implements run.Store.
func (s *Store) Usage(ctx context.Context, runID string) ([]run.Usage, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if err := s.open(ctx); err != nil {
		return nil, err
	}
	var list []run.Usage
	for _, u := range s.usage {
		if u.Run == runID {
			list = append(list, u)
		}
	}
	return list, nil
}
