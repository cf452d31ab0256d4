package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"

	"hallmark/internal/run"
)

// PutRun implements run.Store.
func (s *Store) PutRun(ctx context.Context, h run.Header) error {
	_, err := s.writer.ExecContext(ctx, `
		INSERT INTO run (id, plan, started, finished, result) VALUES (?, ?, ?, ?, ?)
		ON CONFLICT (id) DO UPDATE SET plan = excluded.plan, started = excluded.started,
			finished = excluded.finished, result = excluded.result`,
		h.ID, text(h.Plan), nano(h.Started), nano(h.Finished), text(h.Result))
	if err != nil {
		return s.explain(err)
	}
	return nil
}

// text returns a document as it is stored; one that is missing is NULL.
func text(b json.RawMessage) any {
	if b == nil {
		return nil
	}
	return string(b)
}

// Run implements run.Store.
func (s *Store) Run(ctx context.Context, prefix string) (run.Header, error) {
	all, err := s.Runs(ctx)
	if err != nil {
		return run.Header{}, err
	}
	h, err := run.Pick(all, prefix)
	if err != nil {
		return run.Header{}, err
	}
	var result []byte
	if err := s.reader.QueryRowContext(ctx, "SELECT result FROM run WHERE id = ?", h.ID).Scan(&result); err != nil {
		return run.Header{}, s.explain(err)
	}
	h.Result = result
	return h, nil
}

// Runs implements run.Store.
func (s *Store) Runs(ctx context.Context) ([]run.Header, error) {
	all, err := s.runs(ctx)
	if err != nil {
		return nil, s.explain(err)
	}
	return all, nil
}

func (s *Store) runs(ctx context.Context) ([]run.Header, error) {
	rows, err := s.reader.QueryContext(ctx, "SELECT id, plan, started, finished FROM run ORDER BY started DESC, id DESC")
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var all []run.Header
	for rows.Next() {
		var h run.Header
		var plan []byte
		var started, finished sql.NullInt64
		if err := rows.Scan(&h.ID, &plan, &started, &finished); err != nil {
			return nil, err
		}
		h.Plan, h.Started, h.Finished = plan, fromNano(started), fromNano(finished)
		all = append(all, h)
	}
	return all, rows.Err()
}
