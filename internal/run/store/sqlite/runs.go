package sqlite

import (
	"bytes"
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"hallmark/internal/jsonl"
	"hallmark/internal/run"
)

// runColumns are what the hash of a run covers. Its result, which is long, is covered by a hash of its own, so that
// runs are listed without it.
const runColumns = "id, plan, started, finished, digest, result_hash"

// resultHash is the hash of a result as it is stored: of none NULL.
func resultHash(result any) any {
	if result == nil {
		return nil
	}
	hash := new(hasher).row("run.result", result)
	return hash[:]
}

// PutRun implements run.Store.
func (s *Store) PutRun(ctx context.Context, h run.Header) error {
	var digest any
	if h.Digest != nil {
		b, err := json.Marshal(h.Digest)
		if err != nil {
			return s.explain(err)
		}
		digest = string(b)
	}
	result := text(h.Result)
	err := s.change(ctx, func(tx *sql.Tx) error {
		added := 0
		var one int
		if err := tx.QueryRowContext(ctx, "SELECT 1 FROM run WHERE id = ?", h.ID).Scan(&one); errors.Is(err,
			sql.ErrNoRows) {
			added = 1
		} else if err != nil {
			return err
		}
		columns := []any{h.ID, text(h.Plan), nano(h.Started), nano(h.Finished), digest, resultHash(result)}
		if h.Plan == nil && added == 0 {
			return s.putBeside(ctx, tx, columns, result)
		}
		hash := new(hasher).row("run", columns...)
		_, err := tx.ExecContext(ctx, "INSERT OR REPLACE INTO run ("+runColumns+
			", hash, result) VALUES (?, ?, ?, ?, ?, ?, ?, ?)", append(columns, hash[:], result)...)
		if err != nil || added == 0 {
			return err
		}
		return s.count(ctx, tx, "run", added)
	})
	if err != nil {
		return s.explain(err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.noted, "run "+h.ID)
	return nil
}

// putBeside writes all columns of a stored run but its plan, which stays, if the row is as it was written.
func (s *Store) putBeside(ctx context.Context, tx *sql.Tx, columns []any, result any) error {
	id := columns[0]
	cells := make([]cell, 7)
	to := make([]any, len(cells))
	for i := range cells {
		to[i] = &cells[i]
	}
	if err := tx.QueryRowContext(ctx, "SELECT "+runColumns+", hash FROM run WHERE id = ?", id).Scan(to...); err != nil {
		return err
	}
	h := new(hasher)
	if what := sealed(cells[6].v, h.row("run", values(cells[:6])...), false); what != "" {
		return fmt.Errorf("the row of run %s is damaged (%s); `hallmark run` with the same flags writes it again", id,
			what)
	}
	columns[1] = cells[1].v
	hash := h.row("run", columns...)
	_, err := tx.ExecContext(ctx,
		"UPDATE run SET started = ?, finished = ?, digest = ?, result_hash = ?, hash = ?, result = ? WHERE id = ?",
		append(columns[2:6:6], hash[:], result, id)...)
	return err
}

// text returns a document as it is stored; one that is missing is NULL.
func text(b json.RawMessage) any {
	if b == nil {
		return nil
	}
	return string(b)
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
	for _, d := range s.Damages() {
		if d.Table == "run" && prefix != "" && strings.HasPrefix(d.Row, prefix) {
			return run.Header{}, fmt.Errorf(
				"%w: the row of run %s is damaged (%s); `hallmark run` with the same flags writes it again",
				run.ErrNoRun, d.Row, d.What)
		}
	}
	return run.Header{}, err
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
	hash := "hash"
	if now.version < version {
		hash = "NULL"
	}
	rows, err := s.reader.QueryContext(ctx, "SELECT "+columnsOf(now)+", "+hash+" FROM run WHERE id = ?", runID)
	if err != nil {
		return nil, s.explain(err)
	}
	var plan json.RawMessage
	err = eachRow(rows, func(cells []cell) error {
		last := len(cells) - 1
		if what := sealed(cells[last].v, new(hasher).row("run", values(cells[:last])...),
			now.version < version); what != "" {
			s.note(run.Damage{Table: "run", Row: runID, What: what})
			return nil
		}
		plan, _ = optional(cells[1].v)
		return nil
	})
	return plan, s.explain(err)
}

// columnsOf are the columns of runs in a file, of an earlier version too.
func columnsOf(now state) string {
	if now.version < version {
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
	if now.version < version {
		query = "SELECT result, NULL FROM run WHERE id = ?"
	}
	var result, hash cell
	if err := s.reader.QueryRowContext(ctx, query, h.ID).Scan(&result, &hash); err != nil {
		return err
	}
	document, ok := result.v.(string)
	want, _ := resultHash(result.v).([]byte)
	got, _ := hash.v.([]byte)
	switch {
	case result.v == nil && hash.v == nil:
	case !ok, now.version == version && !bytes.Equal(want, got):
		s.note(run.Damage{Table: "run", Row: h.ID, What: "its result is not as it was written"})
	default:
		h.Result = []byte(document)
	}
	return nil
}

func (s *Store) runs(ctx context.Context) ([]run.Header, error) {
	now, err := s.state(ctx)
	if err != nil {
		return nil, err
	}
	var all []run.Header
	err = s.readAll(ctx, now, "run", "id", columnsOf(now), true, func(_ any, cells []cell) string {
		h, what := header(cells)
		if what == "" {
			all = append(all, h)
		}
		return what
	})
	slices.SortFunc(all, func(a, b run.Header) int {
		return cmp.Or(b.Started.Compare(a.Started), cmp.Compare(b.ID, a.ID))
	})
	return all, err
}

// header returns a run without its plan and result from its row, or what is wrong with it.
func header(cells []cell) (h run.Header, what string) {
	id, ok := cells[0].v.(string)
	started, timed := fromNano(cells[2].v)
	finished, ended := fromNano(cells[3].v)
	_, planned := cells[1].v.(string)
	planned = planned || cells[1].v == nil
	digest, digested := optional(cells[4].v)
	if !ok || !timed || !ended || !planned || !digested {
		return h, "a column has another type"
	}
	h = run.Header{ID: id, Started: started, Finished: finished}
	if digest != nil {
		if err := json.Unmarshal(digest, &h.Digest); err != nil {
			return h, "its digest does not read: " + jsonl.Plain(err).Error()
		}
	}
	return h, ""
}

// optional returns a text that may be missing, and whether it is one.
func optional(v any) ([]byte, bool) {
	s, ok := v.(string)
	if v == nil || !ok {
		return nil, v == nil
	}
	return []byte(s), true
}
