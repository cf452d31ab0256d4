package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"strings"

	"hallmark/internal/run"
	"hallmark/internal/run/store/row"
)

// runColumns are what the hash of a run covers. Its result, which is long, is covered by a hash of its own, so that
// runs are listed without it.
const runColumns = "id, plan, started, finished, digest, result_hash"

// resultHash is the hash of a result as it is stored: of none NULL.
func resultHash(result any) any { return row.DocumentHash("run.result", result) }

// PutRun implements run.Store.
func (s *Store) PutRun(ctx context.Context, h run.Header) error {
	digest, err := row.Digest(h.Digest)
	if err != nil {
		return s.explain(err)
	}
	result, plan := row.Text(h.Result), row.Text(h.Plan)
	h.Plan = nil // which is as long as the suites
	err = s.change(ctx, func(tx *sql.Tx) error {
		return s.Adding(ctx, tx, "run", func() (added int, err error) {
			var one int
			err = tx.QueryRowContext(ctx, "SELECT 1 FROM run WHERE id = ?", h.ID).Scan(&one)
			if errors.Is(err, sql.ErrNoRows) {
				added = 1
			} else if err != nil {
				return 0, err
			}
			columns := []any{h.ID, plan, row.Nano(h.Started), row.Nano(h.Finished), digest, resultHash(result)}
			if plan == nil && added == 0 {
				return 0, s.putBeside(ctx, tx, columns, result)
			}
			hash := new(row.Hasher).Row("run", columns...)
			_, err = tx.ExecContext(ctx, "INSERT OR REPLACE INTO run ("+runColumns+
				", hash, result) VALUES (?, ?, ?, ?, ?, ?, ?, ?)", append(columns, hash[:], result)...)
			return added, err
		})
	})
	if err != nil {
		return s.explain(err)
	}
	s.Notes.Forget("run", h.ID)
	return nil
}

// putBeside writes all columns of a stored run but its plan, which stays, if the row is as it was written.
func (s *Store) putBeside(ctx context.Context, tx *sql.Tx, columns []any, result any) error {
	id := columns[0]
	cells, to := row.Cells(7)
	if err := tx.QueryRowContext(ctx, "SELECT "+runColumns+", hash FROM run WHERE id = ?", id).Scan(to...); err != nil {
		return err
	}
	h := new(row.Hasher)
	if what := row.Sealed(cells[6].V, h.Row("run", row.Values(cells[:6])...), false); what != "" {
		return errors.New(row.DamagedRun(id.(string), what))
	}
	columns[1] = cells[1].V
	hash := h.Row("run", columns...)
	_, err := tx.ExecContext(ctx,
		"UPDATE run SET started = ?, finished = ?, digest = ?, result_hash = ?, hash = ?, result = ? WHERE id = ?",
		append(columns[2:6:6], hash[:], result, id)...)
	return err
}

// Run implements run.Store. A run whose row is damaged is named in the error.
func (s *Store) Run(ctx context.Context, prefix string) (run.Header, error) {
	all, err := s.runs(ctx)
	if err != nil {
		return run.Header{}, s.explain(err)
	}
	h, err := run.Pick(all, prefix)
	if err == nil {
		if h.Plan, err = s.Plan(ctx, h.ID); err != nil {
			return h, err
		}
		return h, s.explain(s.result(ctx, &h))
	}
	return run.Header{}, s.NoRun(prefix, err)
}

// Runs implements run.Store.
func (s *Store) Runs(ctx context.Context) ([]run.Header, error) {
	all, err := s.runs(ctx)
	return all, s.explain(err)
}

// Plan implements run.Store.
func (s *Store) Plan(ctx context.Context, runID string) (json.RawMessage, error) {
	now, err := s.state(ctx)
	if err != nil {
		return nil, s.explain(err)
	}
	rows, err := s.reader.QueryContext(ctx, "SELECT "+columnsOf(now)+", "+now.hash()+" FROM run WHERE id = ?", runID)
	if err != nil {
		return nil, s.explain(err)
	}
	var plan json.RawMessage
	err = row.Each(rows, func(cells []row.Cell) error {
		last := len(cells) - 1
		if what := row.Sealed(cells[last].V, new(row.Hasher).Row("run", row.Values(cells[:last])...),
			now.unhashedRows()); what != "" {
			s.Notes.Add(run.Damage{Table: "run", Row: runID, What: what})
			return nil
		}
		plan, _ = row.Optional(cells[1].V)
		return nil
	})
	return plan, s.explain(err)
}

// columnsOf are the columns of runs in a file, of an earlier version too.
func columnsOf(now state) string {
	if now.unhashedRows() {
		return strings.Replace(runColumns, "digest, result_hash", "NULL, NULL", 1)
	}
	return runColumns
}

// result reads the result of a run. One that is damaged is none, and noted: it is computed again from the records
// wherever it is needed.
func (s *Store) result(ctx context.Context, h *run.Header) error {
	now, err := s.state(ctx)
	if err != nil {
		return err
	}
	query := "SELECT result, result_hash FROM run WHERE id = ?"
	if now.unhashedRows() {
		query = "SELECT result, NULL FROM run WHERE id = ?"
	}
	var result, hash row.Cell
	if err := s.reader.QueryRowContext(ctx, query, h.ID).Scan(&result, &hash); err != nil {
		return err
	}
	var what string
	if h.Result, what = row.Document("run.result", result.V, hash.V, now.unhashedRows()); what != "" {
		s.Notes.Add(run.Damage{Table: "run", Row: h.ID, What: "its result " + what})
	}
	return nil
}

func (s *Store) runs(ctx context.Context) ([]run.Header, error) {
	now, err := s.state(ctx)
	if err != nil {
		return nil, err
	}
	var all []run.Header
	err = s.readAll(ctx, now, "run", columnsOf(now), func(_ any, cells []row.Cell) string {
		h, what := row.Header(cells[0].V, cells[2].V, cells[3].V, cells[4].V)
		if _, planned := row.Optional(cells[1].V); what == "" && !planned {
			what = "a column has another type"
		}
		if what == "" {
			all = append(all, h)
		}
		return what
	})
	row.Newest(all)
	return all, err
}
