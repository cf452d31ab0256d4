package sqlite

import (
	"context"
	"database/sql"
	"fmt"

	"hallmark/internal/run"
	"hallmark/internal/run/store/row"
)

var _ run.HoldStore = (*Store)(nil)

// Holds implements run.HoldStore. A row that is damaged may be of any run.
func (s *Store) Holds(ctx context.Context, runID string) ([]run.Hold, error) {
	holds, err := list(ctx, s, version, "hold", row.HoldColumns, row.ReadHold,
		func(h *run.Hold) bool { return h.Run == runID })
	if err != nil {
		return nil, err
	}
	if d, damaged := s.notes.Hold(); damaged {
		return nil, s.unknownHold(d)
	}
	return holds, nil
}

// unknownHold says that a budget cannot be kept.
func (s *Store) unknownHold(d run.Damage) error { return &finding{s.path, row.UnknownHold(d)} }

// PutHold implements run.HoldStore.
func (s *Store) PutHold(ctx context.Context, h *run.Hold, fits func(put *run.Hold, others []run.Hold) error) error {
	put := *h
	var unfit error
	err := s.change(ctx, func(tx *sql.Tx) error {
		if fits != nil {
			others, err := s.otherHolds(ctx, tx, h)
			if err != nil {
				return err
			}
			if unfit = fits(&put, others); unfit != nil {
				return unfit
			}
		}
		return s.writeHold(ctx, tx, &put)
	})
	switch {
	case err == nil:
		*h = put
		return nil
	case unfit != nil:
		return unfit
	}
	return s.explain(err)
}

// AddHeld implements run.HoldStore.
func (s *Store) AddHeld(ctx context.Context, h *run.Hold, records []run.Record, list []run.Usage) ([]int, error) {
	if err := s.checkUsage(list); err != nil {
		return nil, err
	}
	put := *h
	left, err := s.addWith(ctx, records, func(tx *sql.Tx) error {
		if err := s.insertUsage(ctx, tx, list); err != nil {
			return err
		}
		return s.writeHold(ctx, tx, &put)
	})
	if err == nil {
		*h = put
	}
	return left, err
}

// otherHolds returns the holds of the run's other sessions.
func (s *Store) otherHolds(ctx context.Context, tx *sql.Tx, h *run.Hold) (list []run.Hold, err error) {
	rows, err := tx.QueryContext(ctx, "SELECT id, "+row.HoldColumns+
		", hash FROM hold NOT INDEXED WHERE run = ? AND id <> ?", row.Valid(h.Run), h.ID)
	if err != nil {
		return nil, err
	}
	of := new(row.Hasher)
	err = row.Each(rows, func(cells []row.Cell) error {
		last := len(cells) - 1
		other, what := row.ReadHold(cells[0].V, cells[1:last])
		if bad := row.Sealed(cells[last].V, of.Row("hold", row.Values(cells[1:last])...), false); bad != "" {
			what = bad
		}
		if what != "" {
			d := run.Damage{Table: "hold", Row: fmt.Sprint(cells[0].V), What: what}
			s.notes.Add(d)
			return s.unknownHold(d)
		}
		list = append(list, other)
		return nil
	})
	return list, err
}

// writeHold replaces the row of a session, or adds it.
func (s *Store) writeHold(ctx context.Context, tx *sql.Tx, h *run.Hold) error {
	if err := h.Check(); err != nil {
		return &finding{s.path, err.Error()}
	}
	columns := row.HoldValues(h)
	if h.ID == 0 {
		r, err := insert(ctx, tx, "hold", row.HoldColumns, columns...)
		if err != nil {
			return err
		}
		if h.ID, err = r.LastInsertId(); err != nil {
			return err
		}
		return s.count(ctx, tx, "hold", 1)
	}
	hash := new(row.Hasher).Row("hold", columns...)
	r, err := tx.ExecContext(ctx, "UPDATE hold SET ("+row.HoldColumns+
		", hash) = (?, ?, ?, ?, ?, ?, ?, ?, ?) WHERE id = ?", append(columns, hash[:], h.ID)...)
	if err != nil {
		return err
	}
	if n, err := r.RowsAffected(); err != nil || n == 1 {
		return err
	}
	return s.unknownHold(run.Damage{Table: "hold", Row: fmt.Sprint(h.ID), What: "it is gone"})
}
