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
	if err := s.change(ctx, func(tx *sql.Tx) error { return s.insertUsage(ctx, tx, list) }); err != nil {
		return s.explain(err)
	}
	return nil
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
	h := new(hasher)
	for _, u := range list {
		var key any
		if u.Key != (run.Key{}) {
			key = u.Key[:]
		}
		columns := []any{valid(u.Run), key, u.Tries, u.Tokens, u.USD, nano(u.At)}
		hash := h.row("usage", columns...)
		if _, err := tx.ExecContext(ctx, "INSERT INTO usage ("+usageColumns+", hash) VALUES (?, ?, ?, ?, ?, ?, ?)", append(columns, hash[:])...); err != nil {
			return err
		}
	}
	return s.count(ctx, tx, "usage", len(list))
}

// Usage implements run.Store. It reads the whole table: a row that is damaged may be of any run, and counts in none.
func (s *Store) Usage(ctx context.Context, runID string) ([]run.Usage, error) {
	now, err := s.state(ctx)
	if err != nil {
		return nil, s.explain(err)
	}
	if now.version < version {
		return nil, nil
	}
	var list []run.Usage
	err = s.readAll(ctx, now, "usage", "id", usageColumns, true, func(_ any, cells []cell) string {
		id, _ := cells[0].v.(string)
		key, _ := cells[1].v.([]byte)
		tries, counted := cells[2].v.(int64)
		tokens, summed := cells[3].v.(int64)
		usd, priced := cells[4].v.(float64)
		at, timed := fromNano(cells[5].v)
		u := run.Usage{Run: id, Tries: int(tries), Tokens: int(tokens), USD: usd, At: at}
		copy(u.Key[:], key)
		if err := u.Check(); err != nil || !counted || !summed || !priced || !timed || cells[1].v != nil && len(key) != len(u.Key) {
			return fmt.Sprintf("it does not read: %v", err)
		}
		if id == runID {
			list = append(list, u)
		}
		return ""
	})
	if err != nil {
		return nil, s.explain(err)
	}
	return list, nil
}
