package sqlite

import (
	"context"
	"database/sql"
	"fmt"

	"hallmark/internal/run"
)

const holdColumns = "run, held_calls, held_tokens, held_usd, calls, tokens, usd, at"

var _ run.HoldStore = (*Store)(nil)

// Holds implements run.HoldStore. A row that is damaged may be of any run.
func (s *Store) Holds(ctx context.Context, runID string) ([]run.Hold, error) {
	holds, err := list(ctx, s, version, "hold", holdColumns, readHold, func(h *run.Hold) bool { return h.Run == runID })
	if err != nil {
		return nil, err
	}
	for _, d := range s.Damages() {
		if d.Table == "hold" || d.Table == "tally" && d.Row == "hold" {
			return nil, s.unknownHold(d)
		}
	}
	return holds, nil
}

// unknownHold says that a budget cannot be kept, as nobody knows what a session took of it.
func (s *Store) unknownHold(d run.Damage) error {
	return &finding{s.path,
		fmt.Sprintf("is damaged (%s), so what was sent under a budget is not known, and no budget can be kept: "+
			"run without --budget, or name another file with --store", d)}
}

// readHold returns what a row holds, or what is wrong with it.
func readHold(id any, cells []cell) (run.Hold, string) {
	var h run.Hold
	var known [8]bool
	var heldCalls, heldTokens, calls, tokens int64
	h.ID, known[0] = id.(int64)
	h.Run, _ = cells[0].v.(string)
	heldCalls, known[1] = cells[1].v.(int64)
	heldTokens, known[2] = cells[2].v.(int64)
	h.Held.USD, known[3] = cells[3].v.(float64)
	calls, known[4] = cells[4].v.(int64)
	tokens, known[5] = cells[5].v.(int64)
	h.Total.USD, known[6] = cells[6].v.(float64)
	h.At, known[7] = fromNano(cells[7].v)
	h.Held.Calls, h.Held.Tokens, h.Total.Calls, h.Total.Tokens = int(heldCalls), int(heldTokens), int(calls),
		int(tokens)
	return h, unreadable(h.Check(), known == [8]bool{true, true, true, true, true, true, true, true})
}

// PutHold implements run.HoldStore.
func (s *Store) PutHold(ctx context.Context, h *run.Hold, fits func(others []run.Hold) error) error {
	put := *h
	var unfit error
	err := s.change(ctx, func(tx *sql.Tx) error {
		if fits != nil {
			others, err := s.otherHolds(ctx, tx, h)
			if err != nil {
				return err
			}
			if unfit = fits(others); unfit != nil {
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
	rows, err := tx.QueryContext(ctx, "SELECT id, "+holdColumns+
		", hash FROM hold NOT INDEXED WHERE run = ? AND id <> ?", valid(h.Run), h.ID)
	if err != nil {
		return nil, err
	}
	of := new(hasher)
	err = eachRow(rows, func(cells []cell) error {
		last := len(cells) - 1
		other, what := readHold(cells[0].v, cells[1:last])
		if bad := sealed(cells[last].v, of.row("hold", values(cells[1:last])...), false); bad != "" {
			what = bad
		}
		if what != "" {
			d := run.Damage{Table: "hold", Row: fmt.Sprint(cells[0].v), What: what}
			s.note(d)
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
	columns := []any{valid(h.Run), h.Held.Calls, h.Held.Tokens, h.Held.USD, h.Total.Calls, h.Total.Tokens,
		h.Total.USD, nano(h.At)}
	if h.ID == 0 {
		r, err := insert(ctx, tx, "hold", holdColumns, columns...)
		if err != nil {
			return err
		}
		if h.ID, err = r.LastInsertId(); err != nil {
			return err
		}
		return s.count(ctx, tx, "hold", 1)
	}
	hash := new(hasher).row("hold", columns...)
	r, err := tx.ExecContext(ctx, "UPDATE hold SET ("+holdColumns+
		", hash) = (?, ?, ?, ?, ?, ?, ?, ?, ?) WHERE id = ?", append(columns, hash[:], h.ID)...)
	if err != nil {
		return err
	}
	if n, err := r.RowsAffected(); err != nil || n == 1 {
		return err
	}
	return s.unknownHold(run.Damage{Table: "hold", Row: fmt.Sprint(h.ID), What: "it is gone"})
}
