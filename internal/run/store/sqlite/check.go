package sqlite

import (
	"context"
	"fmt"
	"slices"

	"hallmark/internal/run"
	"hallmark/internal/run/store/row"
)

var _ run.Checker = (*Store)(nil)

// Check implements run.Checker. It reads the tables and not the indices, so that nothing that is there is missed.
func (s *Store) Check(ctx context.Context) (run.Checked, error) {
	out := run.Checked{Rows: map[string]int{}, Damages: []run.Damage{}, Notes: []string{}}
	if err := s.check(ctx, &out); err != nil {
		return out, s.explain(err)
	}
	out.Damages = append(out.Damages, s.Damages()...)
	return out, nil
}

func (s *Store) check(ctx context.Context, out *run.Checked) error {
	now, err := s.learn(ctx, s.reader)
	if err != nil {
		return err
	}
	out.Unhashed = int(now.unhashed)
	// Where the database itself is damaged, the rest of a table cannot be read; the others can.
	stopped := func(table string, err error) error {
		if code(err) != corrupt {
			return err
		}
		out.Notes = append(out.Notes, fmt.Sprintf("the table %s cannot be read to its end: %v", table, err))
		return nil
	}
	if err := stopped("record", s.checkRecords(ctx, now, out)); err != nil {
		return err
	}
	for _, t := range []struct {
		name, id, columns string
		since             int // the version that added the table
	}{{"model", "id", row.ModelColumns, 1}, {"run", "id", runColumns, 1},
		{"annotation", "id", row.AnnotationColumns, 2},
		{"usage", "id", row.UsageColumns, 3}, {"hold", "id", row.HoldColumns, 3}} {
		if now.version < t.since {
			continue
		}
		if err := stopped(t.name, s.checkTable(ctx, now, t.name, t.id, t.columns, out)); err != nil {
			return err
		}
	}
	if err := stopped("tally", s.checkTally(ctx, now, out)); err != nil {
		return err
	}
	rows, err := s.reader.QueryContext(ctx, "PRAGMA integrity_check")
	if err != nil {
		return err
	}
	return row.Each(rows, func(cells []row.Cell) error {
		if said := fmt.Sprint(cells[0].V); said != "ok" {
			out.Notes = append(out.Notes, said)
		}
		return nil
	})
}

// checkTable reads a small table, and the results of runs.
func (s *Store) checkTable(ctx context.Context, now state, name, id, columns string, out *run.Checked) error {
	if name == "run" {
		all, err := s.runs(ctx)
		if err != nil {
			return err
		}
		for i := range all {
			if err := s.result(ctx, &all[i]); err != nil {
				return err
			}
		}
		out.Rows[name] = len(all)
		return nil
	}
	counted := name == "annotation" || name == "usage" || name == "hold"
	return s.readAll(ctx, now, name, id, columns, counted, func(any, []row.Cell) string {
		out.Rows[name]++
		return ""
	})
}

// checkTally reads every tally, and holds the rows that were read against them.
func (s *Store) checkTally(ctx context.Context, now state, out *run.Checked) error {
	if now.version < version {
		return nil
	}
	rows, err := s.reader.QueryContext(ctx, "SELECT name FROM tally NOT INDEXED")
	if err != nil {
		return err
	}
	err = row.Each(rows, func(cells []row.Cell) error {
		if name, _ := cells[0].V.(string); name != row.MarkName && !slices.Contains(row.Tallied, name) {
			s.notes.Add(run.Damage{Table: "tally", Row: fmt.Sprintf("%.60q", cells[0].V),
				What: "Hallmark makes no such row"})
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, name := range append([]string{row.MarkName}, row.Tallied...) {
		t, err := s.tally(ctx, s.reader, name)
		if err != nil {
			return err
		}
		damaged := slices.ContainsFunc(s.Damages(), func(d run.Damage) bool {
			return d.Table == "tally" && d.Row == name
		})
		if more := int64(out.Rows[name]) - t.N; more > 0 && !damaged && slices.Contains(row.Tallied[1:], name) {
			s.notes.Add(run.Damage{Table: name, What: fmt.Sprintf("it has %d rows more than were written", more)})
		}
	}
	return nil
}

// checkRecords reads every record.
func (s *Store) checkRecords(ctx context.Context, now state, out *run.Checked) error {
	tx, err := s.reader.BeginTx(ctx, nil) // records and their models are of one moment
	if err != nil {
		return err
	}
	defer tx.Rollback()
	models, err := s.readModels(ctx, tx, now)
	if err != nil {
		return err
	}
	rows, err := tx.QueryContext(ctx, selectAll(form{version: now.version}))
	if err != nil {
		return err
	}
	r := row.Reader{Older: now.older, Models: models, All: true}
	out.Rows["record"], err = r.CheckRecords(rows, &s.notes)
	return err
}
