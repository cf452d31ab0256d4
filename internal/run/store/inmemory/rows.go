package inmemory

import (
	"bytes"
	"context"
	"fmt"

	"hallmark/internal/run"
)

var _ run.AnnotationStore = (*Store)(nil)

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
		a.Unit, a.Rater, a.At = valid(a.Unit), valid(a.Rater), a.At.UTC()
		a.Label = []byte(valid(string(a.Label)))
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
	u.Run, u.At = valid(u.Run), u.At.UTC()
	return u
}

// Usage implements run.Store.
func (s *Store) Usage(ctx context.Context, runID string) ([]run.Usage, error) {
	return list(ctx, s, &s.usage, func(u run.Usage) bool { return u.Run == runID }, func(u run.Usage) run.Usage {
		return u
	})
}

// valid returns s with each byte that is not UTF-8 replaced by U+FFFD, as a store on disk gives it back.
func valid(s string) string { return string([]rune(s)) }
