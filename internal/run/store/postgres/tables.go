package postgres

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

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
		return s.explain(err)
	}
	err = s.change(ctx, func(tx *sql.Tx) error {
		t, err := s.lock(ctx, tx, "run")
		if err != nil {
			return err
		}
		plan, result := row.Text(h.Plan), row.Text(h.Result)
		planHash, there, err := s.planHash(ctx, tx, &h)
		if err != nil {
			return err
		}
		columns := []any{h.ID, row.Nano(h.Started), row.Nano(h.Finished), digest,
			row.Text(h.Listed), planHash, row.DocumentHash("run.result", result)}
		hash := new(row.Hasher).Row("run", columns...)
		kept := "run.plan"
		if h.Plan != nil {
			kept = "excluded.plan"
		}
		_, err = tx.ExecContext(ctx, "INSERT INTO run ("+runColumns+", hash, result, plan) VALUES ($1, $2, $3, $4, "+
			"$5, $6, $7, $8, $9, $10) ON CONFLICT (id) DO UPDATE SET started = excluded.started, "+
			"finished = excluded.finished, digest = excluded.digest, listed = excluded.listed, "+
			"plan_hash = excluded.plan_hash, result_hash = excluded.result_hash, "+
			"hash = excluded.hash, result = excluded.result, plan = "+kept,
			putAll(append(columns, hash[:], result, plan))...)
		if err != nil || there {
			return err
		}
		return s.count(ctx, tx, t, 1)
	})
	if err == nil {
		s.notes.Forget("run", h.ID)
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
			for _, d := range s.Damages() {
				if d.Table == "run" && prefix != "" && strings.HasPrefix(d.Row, prefix) {
					return run.Header{}, fmt.Errorf("%w: %s", run.ErrNoRun, row.DamagedRun(d.Row, d.What))
				}
			}
			return run.Header{}, err
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
				s.notes.Add(run.Damage{Table: "run", Row: id, What: "its " + name + " " + what})
			}
			whole = what == ""
			return nil
		})
	})
	return text, whole, err
}

// Runs implements run.Store. It reads no plan and no result.
func (s *Store) Runs(ctx context.Context) (all []run.Header, err error) {
	err = s.readAll(ctx, "run", "id", runColumns, func() { all = nil }, func(_ any, cells []row.Cell) string {
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

// readAll passes the rows of a table that is small, as row.Scan does, in order. It may begin anew.
func (s *Store) readAll(ctx context.Context, table, id, columns string, begin func(),
	take func(id any, cells []row.Cell) string) error {
	return s.reading(ctx, func(tx *sql.Tx) error { // rows and their tally are of one moment
		begin()
		rows, err := query(ctx, tx, "SELECT "+id+", "+columns+", hash FROM "+table+" ORDER BY "+id)
		if err != nil {
			return err
		}
		scan := row.Scan{Table: table, Notes: &s.notes}
		if err := row.Each(rows, func(cells []row.Cell) error {
			scan.Row(cells, take)
			return nil
		}); err != nil || !slices.Contains(tallied, table) {
			return err
		}
		t, err := s.tally(ctx, tx, table, "")
		scan.Counted(t.N)
		return err
	})
}

// list returns the rows of a run. It reads the whole table, which is small: a row that is damaged counts in no run.
func list[T any](ctx context.Context, s *Store, table, columns string, read func(id any, cells []row.Cell) (T, string),
	wanted func(*T) bool) (all []T, err error) {
	return all, s.readAll(ctx, table, "id", columns, func() { all = nil }, func(id any, cells []row.Cell) string {
		r, what := read(id, cells)
		if what == "" && wanted(&r) {
			all = append(all, r)
		}
		return what
	})
}

// tally reads the tally of a table, with FOR UPDATE behind the query where it is to be written. One that is damaged
// or lost is noted, and zero.
func (s *Store) tally(ctx context.Context, q queries, name, lock string) (row.Tally, error) {
	rows, err := query(ctx, q, "SELECT name, n, older, hash FROM tally WHERE name = $1"+lock, name)
	if err != nil {
		return row.Tally{}, err
	}
	t, there := row.Tally{Name: name}, false
	err = row.Each(rows, func(cells []row.Cell) error {
		t, there = row.ReadTally(name, cells, &s.notes), true
		return nil
	})
	if err == nil && !there {
		s.notes.Add(run.Damage{Table: "tally", Row: name, What: "it is gone"})
	}
	return t, err
}

// lock keeps others from writing to a table, so that its rows are in the order of their commits, and returns its
// tally.
func (s *Store) lock(ctx context.Context, tx *sql.Tx, table string) (row.Tally, error) {
	if _, err := tx.ExecContext(ctx, "LOCK TABLE "+table+" IN SHARE ROW EXCLUSIVE MODE"); err != nil {
		return row.Tally{}, err
	}
	return s.tally(ctx, tx, table, " FOR UPDATE")
}

// count notes that rows were added to a table. A tally that is damaged is made anew from the rows that are there.
func (s *Store) count(ctx context.Context, tx *sql.Tx, t row.Tally, added int) error {
	if t.N += int64(added); t.N == int64(added) {
		if err := tx.QueryRowContext(ctx, "SELECT count(*) FROM "+t.Name).Scan(&t.N); err != nil {
			return err
		}
	}
	hash := t.Hash()
	_, err := tx.ExecContext(ctx, "INSERT INTO tally (name, n, older, hash) VALUES ($1, $2, $3, $4) ON CONFLICT "+
		"(name) DO UPDATE SET n = excluded.n, older = excluded.older, hash = excluded.hash", t.Name, t.N, t.Older,
		hash[:])
	return err
}

// insertRow adds a row with its hash, and returns its number.
func insertRow(ctx context.Context, tx *sql.Tx, table, columns string, values []any) (id int64, err error) {
	hash := new(row.Hasher).Row(table, values...)
	places := make([]string, len(values)+1)
	for i := range places {
		places[i] = "$" + strconv.Itoa(i+1)
	}
	err = tx.QueryRowContext(ctx, "INSERT INTO "+table+" ("+columns+", hash) VALUES ("+
		strings.Join(places, ", ")+") RETURNING id", putAll(append(values, hash[:]))...).Scan(&id)
	return id, err
}

// checked returns the first error of rows that cannot be stored.
func checked[T any](s *Store, list []T, check func(*T) error) error {
	for i := range list {
		if err := check(&list[i]); err != nil {
			return &finding{s.ref, err.Error()}
		}
	}
	return nil
}

// Annotate implements run.AnnotationStore.
func (s *Store) Annotate(ctx context.Context, list []run.Annotation) error {
	if err := checked(s, list, (*run.Annotation).Check); err != nil {
		return err
	}
	return s.change(ctx, func(tx *sql.Tx) error {
		t, err := s.lock(ctx, tx, "annotation")
		if err != nil {
			return err
		}
		var last sql.NullInt64
		if err := tx.QueryRowContext(ctx, "SELECT max(at) FROM annotation").Scan(&last); err != nil {
			return err
		}
		for _, a := range list {
			// Times order what a rater said, so that none goes back where a clock is behind.
			if at, _ := row.Nano(a.At).(int64); last.Valid && !a.At.IsZero() && at <= last.Int64 {
				a.At = time.Unix(0, last.Int64+1)
			}
			if _, err := insertRow(ctx, tx, "annotation", row.AnnotationColumns,
				row.AnnotationValues(&a)); err != nil {
				return err
			}
		}
		return s.count(ctx, tx, t, len(list))
	})
}

// Annotations implements run.AnnotationStore.
func (s *Store) Annotations(ctx context.Context, runID string) ([]run.Annotation, error) {
	all, err := list(ctx, s, "annotation", row.AnnotationColumns, row.ReadAnnotation,
		func(a *run.Annotation) bool { return a.Run == runID })
	row.InOrder(all)
	return all, err
}

// AddUsage implements run.Store.
func (s *Store) AddUsage(ctx context.Context, list []run.Usage) error {
	if err := checked(s, list, (*run.Usage).Check); err != nil || len(list) == 0 {
		return err
	}
	return s.change(ctx, func(tx *sql.Tx) error { return s.insertUsage(ctx, tx, list) })
}

func (s *Store) insertUsage(ctx context.Context, tx *sql.Tx, list []run.Usage) error {
	if len(list) == 0 {
		return nil
	}
	t, err := s.lock(ctx, tx, "usage")
	if err != nil {
		return err
	}
	for i := range list {
		if _, err := insertRow(ctx, tx, "usage", row.UsageColumns, row.UsageValues(&list[i])); err != nil {
			return err
		}
	}
	return s.count(ctx, tx, t, len(list))
}

// Usage implements run.Store.
func (s *Store) Usage(ctx context.Context, runID string) ([]run.Usage, error) {
	return list(ctx, s, "usage", row.UsageColumns, row.ReadUsage, func(u *run.Usage) bool { return u.Run == runID })
}

// Holds implements run.HoldStore. A row that is damaged may be of any run.
func (s *Store) Holds(ctx context.Context, runID string) ([]run.Hold, error) {
	holds, err := list(ctx, s, "hold", row.HoldColumns, row.ReadHold, func(h *run.Hold) bool { return h.Run == runID })
	if err != nil {
		return nil, err
	}
	if d, damaged := s.notes.Hold(); damaged {
		return nil, &finding{s.ref, row.UnknownHold(d)}
	}
	return holds, s.again(ctx, func() error { return s.lives(ctx, s.db, runID, holds) })
}

// PutHold implements run.HoldStore.
func (s *Store) PutHold(ctx context.Context, h *run.Hold, fits func(put *run.Hold, others []run.Hold) error) error {
	put := *h
	var unfit error
	err := s.change(ctx, func(tx *sql.Tx) error {
		put = *h
		t, err := s.lock(ctx, tx, "hold")
		if err != nil {
			return err
		}
		if fits != nil {
			others, err := s.otherHolds(ctx, tx, h)
			if err != nil {
				return err
			}
			if unfit = fits(&put, others); unfit != nil {
				return &finding{s.ref, unfit.Error()}
			}
		}
		return s.writeHold(ctx, tx, t, &put)
	})
	switch {
	case err == nil:
		*h = put
		return nil
	case unfit != nil:
		return unfit
	}
	return err
}

// AddHeld implements run.HoldStore.
func (s *Store) AddHeld(ctx context.Context, h *run.Hold, records []run.Record, list []run.Usage) ([]int, error) {
	if err := checked(s, list, (*run.Usage).Check); err != nil {
		return nil, err
	}
	if err := h.Check(); err != nil {
		return nil, &finding{s.ref, err.Error()}
	}
	put := *h
	left, err := s.addWith(ctx, records, func(tx *sql.Tx) error {
		put = *h
		if err := s.insertUsage(ctx, tx, list); err != nil {
			return err
		}
		var t row.Tally
		if put.ID == 0 { // else who asks what fits waits for the row, and other commits for nothing
			var err error
			if t, err = s.lock(ctx, tx, "hold"); err != nil {
				return err
			}
		}
		return s.writeHold(ctx, tx, t, &put)
	})
	if err == nil {
		*h = put
	}
	return left, err
}

// otherHolds returns the holds of the run's other sessions.
func (s *Store) otherHolds(ctx context.Context, tx *sql.Tx, h *run.Hold) (list []run.Hold, err error) {
	rows, err := query(ctx, tx, "SELECT id, "+row.HoldColumns+
		", hash FROM hold WHERE run = $1 AND id <> $2 ORDER BY id", put(row.Valid(h.Run)), h.ID)
	if err != nil {
		return nil, err
	}
	notes := row.Notes{}
	scan := row.Scan{Table: "hold", Notes: &notes}
	err = row.Each(rows, func(cells []row.Cell) error {
		scan.Row(cells, func(id any, cells []row.Cell) string {
			other, what := row.ReadHold(id, cells)
			list = append(list, other)
			return what
		})
		return nil
	})
	if d, damaged := notes.Hold(); err == nil && damaged {
		s.notes.Add(d)
		err = &finding{s.ref, row.UnknownHold(d)}
	}
	if err == nil {
		err = s.lives(ctx, tx, h.Run, list)
	}
	return list, err
}

// writeHold replaces the row of a session, or adds it.
func (s *Store) writeHold(ctx context.Context, tx *sql.Tx, t row.Tally, h *run.Hold) (err error) {
	if err := h.Check(); err != nil {
		return &finding{s.ref, err.Error()}
	}
	values := row.HoldValues(h)
	if h.ID == 0 {
		if h.ID, err = insertRow(ctx, tx, "hold", row.HoldColumns, values); err != nil {
			return err
		}
		if err := live(ctx, tx, h.ID); err != nil {
			return err
		}
		return s.count(ctx, tx, t, 1)
	}
	hash := new(row.Hasher).Row("hold", values...)
	r, err := tx.ExecContext(ctx, "UPDATE hold SET ("+row.HoldColumns+
		", hash, until, firm) = ($1, $2, $3, $4, $5, $6, $7, $8, $9, "+
		"clock_timestamp() + $11 * INTERVAL '1 microsecond', $12) WHERE id = $10",
		putAll(append(values, hash[:], h.ID, term.Microseconds(), h.Firm))...)
	if err != nil {
		return err
	}
	if n, err := r.RowsAffected(); err != nil || n == 1 {
		return err
	}
	return &finding{s.ref, row.UnknownHold(run.Damage{Table: "hold", Row: fmt.Sprint(h.ID), What: "it is gone"})}
}
