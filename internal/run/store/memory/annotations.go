package memory

import (
	"bytes"
	"context"
	"fmt"

	"hallmark/internal/run"
)

var _ run.AnnotationStore = (*Store)(nil)

// Annotate implements run.AnnotationStore.
func (s *Store) Annotate(ctx context.Context, list []run.Annotation) error {
	for i := range list {
		if err := list[i].Check(); err != nil {
			return fmt.Errorf("memory store: %w", err)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.open(ctx); err != nil {
		return err
	}
	for _, a := range list {
		a.Unit, a.Rater, a.At = valid(a.Unit), valid(a.Rater), a.At.UTC()
		a.Label = []byte(valid(string(a.Label)))
		s.annotations = append(s.annotations, a)
	}
	return nil
}

// valid returns s with each byte that is not UTF-8 replaced by U+FFFD, as a store on disk gives it back.
func valid(s string) string { return string([]rune(s)) }

// Annotations implements run.AnnotationStore.
func (s *Store) Annotations(ctx context.Context, runID string) ([]run.Annotation, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if err := s.open(ctx); err != nil {
		return nil, err
	}
	var list []run.Annotation
	for _, a := range s.annotations {
		if a.Run == runID {
			a.Label = bytes.Clone(a.Label)
			list = append(list, a)
		}
	}
	return list, nil
}
