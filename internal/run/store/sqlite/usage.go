package sqlite

import (
	"context"
	"database/sql"
	"fmt"

	"hallmark/internal/run"
)

const usageColumns = "run, key, tries, tokens, usd, at"

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
	for _, u := range list {
		var key any
		if u.Key != (run.Key{}) {
			key = u.Key[:]
		}
		if _, err := insert(ctx, tx, "usage", usageColumns, valid(u.Run), key, u.Tries, u.Tokens, u.USD,
			nano(u.At)); err != nil {
			return err
		}
	}
	return s.count(ctx, tx, "usage", len(list))
}

// Usage implements run.Store.
func (s *Store) Usage(ctx context.Context, runID string) ([]run.Usage, error) {
	return list(ctx, s, version, "usage", usageColumns, func(_ any, cells []cell) (run.Usage, string) {
		id, _ := cells[0].v.(string)
		key, _ := cells[1].v.([]byte)
		tries, counted := cells[2].v.(int64)
		tokens, summed := cells[3].v.(int64)
		usd, priced := cells[4].v.(float64)
		at, timed := fromNano(cells[5].v)
		u := run.Usage{Run: id, Tries: int(tries), Tokens: int(tokens), USD: usd, At: at}
		copy(u.Key[:], key)
		return u, unreadable(u.Check(), counted && summed && priced && timed &&
			(cells[1].v == nil || len(key) == len(u.Key)))
	}, func(u *run.Usage) bool { return u.Run == runID })
}
