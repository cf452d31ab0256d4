package sqlite

import (
	"context"
	"database/sql"
	"fmt"

	"hallmark/internal/run"
	"hallmark/internal/run/store/row"
)

// AddUsage implements run.Store.
func (s *Store) AddUsage(ctx context.Context, list []run.Usage) error {
	if err := s.checkUsage(list); err != nil || len(list) == 0 {
		return err
	}
	return s.explain(s.change(ctx, func(tx *sql.Tx) error { return s.insertUsage(ctx, tx, list) }))
}

func (s *Store) checkUsage(list []run.Usage) error {
	for i := range list {
		if err := list[i].Check(); err != nil {
			return fmt.Errorf("%s: %w", s.path, err)
		}
	}
	return nil
}

func (s *Store) insertUsage(ctx context.Context, tx *sql.Tx, list []run.Usage) error {
	if len(list) == 0 {
		return nil
	}
	for i := range list {
		if _, err := insert(ctx, tx, "usage", row.UsageColumns, row.UsageValues(&list[i])...); err != nil {
			return err
		}
	}
	return s.count(ctx, tx, "usage", len(list))
}

// Usage implements run.Store.
func (s *Store) Usage(ctx context.Context, runID string) ([]run.Usage, error) {
	return list(ctx, s, version, "usage", row.UsageColumns, row.ReadUsage,
		func(u *run.Usage) bool { return u.Run == runID })
}
