package postgres

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"slices"

	"hallmark/internal/run"
	"hallmark/internal/run/store/row"
)

// tallied are the tables that have a tally: every record carries its hash here.
var tallied = row.Tallied[1:]

// runColumns are what the hash of a run covers. Its plan and its result, which are long, are covered by hashes of
// their own, so that runs are listed without them.
const runColumns = "id, started, finished, digest, listed, plan_hash, result_hash"

// PutRun implements run.Store.
func (s *Store) PutRun(ctx context.Context, h run.Header) error {
	digest, err := row.Digest(h.Digest)
	if err != nil {
		return s.Explain(err)
	}
	err = s.DB.Change(ctx, func(tx *sql.Tx) error {
		return s.Adding(ctx, tx, "run", func() (int, error) {
			plan, result := row.Text(h.Plan), row.Text(h.Result)
			planHash, there, err := s.planHash(ctx, tx, &h)
			if err != nil {
				return 0, err
			}
			columns := []any{h.ID, row.Nano(h.Started), row.Nano(h.Finished), digest,
				row.Text(h.Listed), planHash, row.DocumentHash("run.result", result)}
			hash := new(row.Hasher).Row("run", columns...)
			kept := "run.plan"
			if h.Plan != nil {
				kept = "excluded.plan"
			}
			_, err = tx.ExecContext(ctx, "INSERT INTO run ("+runColumns+", hash, result, plan) VALUES ($1, $2, $3, "+
				"$4, $5, $6, $7, $8, $9, $10) ON CONFLICT (id) DO UPDATE SET started = excluded.started, "+
				"finished = excluded.finished, digest = excluded.digest, listed = excluded.listed, "+
				"plan_hash = excluded.plan_hash, result_hash = excluded.result_hash, "+
				"hash = excluded.hash, result = excluded.result, plan = "+kept,
				putAll(append(columns, hash[:], result, plan))...)
			if there {
				return 0, err
			}
			return 1, err
		})
	})
	if err == nil {
		s.Notes.Forget("run", h.ID)
	}
	return err
}

// planHash returns the hash of the plan that a run is to have, which is that of the stored one where the header has
// none, and whether the run is there.
func (s *Store) planHash(ctx context.Context, tx *sql.Tx, h *run.Header) (hash any, there bool, err error) {
	rows, err := query(ctx, tx, "SELECT "+runColumns+", hash FROM run WHERE id = $1", put(h.ID))
	if err != nil {
		return nil, false, err
	}
	hash = row.DocumentHash("run.plan", row.Text(h.Plan))
	return hash, there, row.Each(rows, func(cells []row.Cell) error {
		there = true
		if h.Plan != nil {
			return nil
		}
		if what := row.Sealed(cells[7].V, new(row.Hasher).Row("run", row.Values(cells[:7])...), false); what != "" {
			return &finding{s.ref, row.DamagedRun(h.ID, what)}
		}
		hash = cells[5].V
		return nil
	})
}

// Run implements run.Store. A run whose row or plan is damaged is passed over, and named in the error.
func (s *Store) Run(ctx context.Context, prefix string) (run.Header, error) {
	all, err := s.Runs(ctx)
	if err != nil {
		return run.Header{}, err
	}
	for {
		h, err := run.Pick(all, prefix)
		if err != nil {
			return run.Header{}, s.NoRun(prefix, err)
		}
		whole := true
		if h.Plan, whole, err = s.document(ctx, h.ID, "plan"); err == nil && whole {
			h.Result, _, err = s.document(ctx, h.ID, "result")
			return h, err
		}
		if err != nil {
			return run.Header{}, err
		}
		all = slices.DeleteFunc(all, func(o run.Header) bool { return o.ID == h.ID })
	}
}

// document reads the plan or the result of a run, and whether it is whole. One that is damaged is none, and noted: a
// result is computed again from the records wherever it is needed.
func (s *Store) document(ctx context.Context, id, name string) (text json.RawMessage, whole bool, err error) {
	err = s.again(ctx, func() error {
		rows, err := query(ctx, s.db, "SELECT "+name+", "+name+"_hash FROM run WHERE id = $1", put(id))
		if err != nil {
			return err
		}
		return row.Each(rows, func(cells []row.Cell) error {
			var what string
			if text, what = row.Document("run."+name, cells[0].V, cells[1].V, false); what != "" {
				s.Notes.Add(run.Damage{Table: "run", Row: id, What: "its " + name + " " + what})
			}
			whole = what == ""
			return nil
		})
	})
	return text, whole, err
}

// Runs implements run.Store. It reads no plan and no result.
func (s *Store) Runs(ctx context.Context) (all []run.Header, err error) {
	err = s.DB.ReadAll(ctx, "run", runColumns, func() { all = nil }, func(_ any, cells []row.Cell) string {
		h, what := row.Header(cells[0].V, cells[1].V, cells[2].V, cells[3].V)
		if h.Listed, _ = row.Optional(cells[4].V); what == "" {
			all = append(all, h)
		}
		return what
	})
	row.Newest(all)
	return all, err
}

// Plan implements run.Store.
func (s *Store) Plan(ctx context.Context, runID string) (json.RawMessage, error) {
	plan, _, err := s.document(ctx, runID, "plan")
	return plan, err
}

// Text implements run.TextStore.
func (s *Store) Text(ctx context.Context, name string) (text []byte, err error) {
	err = s.again(ctx, func() error {
		rows, err := query(ctx, s.db, "SELECT "+row.TextColumns+", hash FROM kept WHERE name = $1", put(row.Valid(name)))
		if err == nil {
			text, err = s.TextOf(rows)
		}
		return err
	})
	return text, err
}

// database implements row.Database.
type database struct{ *Store }

func (s database) ReadAll(ctx context.Context, table, columns string, begin func(),
	take func(id any, cells []row.Cell) string) error {
	return s.reading(ctx, func(tx *sql.Tx) error { // rows and their tally are of one moment
		begin()
		rows, err := query(ctx, tx, "SELECT id, "+columns+", hash FROM "+table+" ORDER BY id")
		if err != nil {
			return err
		}
		return s.ReadTable(ctx, tx, rows, table, false, slices.Contains(tallied, table), take)
	})
}

// Lock has the rows of a table be in the order of their commits.
func (database) Lock(ctx context.Context, tx *sql.Tx, table string) error {
	_, err := tx.ExecContext(ctx, "LOCK TABLE "+table+" IN SHARE ROW EXCLUSIVE MODE")
	return err
}

func (database) Query(ctx context.Context, q row.Queries, text string, args ...any) (row.Rows, error) {
	return query(ctx, q, text, args...)
}

func (database) Put(values []any) []any   { return putAll(values) }
func (database) Table(name string) string { return name }

func (database) Alive(h *run.Hold, n int) (columns, values string, args []any) {
	return ", until, firm", fmt.Sprintf(", clock_timestamp() + $%d * INTERVAL '1 microsecond', $%d", n, n+1),
		[]any{term.Microseconds(), h.Firm && h.ID != 0}
}
