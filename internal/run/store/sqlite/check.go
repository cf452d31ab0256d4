package sqlite

import (
	"context"
	"fmt"

	"hallmark/internal/run"
	"hallmark/internal/run/store/row"
)

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
	for _, t := range []struct{ name, columns string }{{"model", row.ModelColumns}, {"run", runColumns},
		{"annotation", row.AnnotationColumns}, {"usage", row.UsageColumns}, {"hold", row.HoldColumns}, {"kept", row.TextColumns}} {
		if now.version < since[t.name] {
			continue
		}
		if err := stopped(t.name, s.checkTable(ctx, now, t.name, t.columns, out)); err != nil {
			return err
		}
	}
	if !now.unhashedRows() {
		names := append([]string{row.MarkName}, row.Tallied...)
		if err := stopped("tally", s.CheckTallies(ctx, s.reader, names, out)); err != nil {
			return err
		}
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
func (s *Store) checkTable(ctx context.Context, now state, name, columns string, out *run.Checked) error {
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
	if name == "kept" {
		rows, err := s.reader.QueryContext(ctx, "SELECT "+columns+", hash FROM kept NOT INDEXED")
		if err != nil {
			return err
		}
		out.Rows[name], err = s.CheckTexts(rows)
		return err
	}
	return s.readAll(ctx, now, name, columns, func(any, []row.Cell) string {
		out.Rows[name]++
		return ""
	})
}

// checkRecords reads every record.
func (s *Store) checkRecords(ctx context.Context, now state, out *run.Checked) error {
	tx, err := s.reader.BeginTx(ctx, nil) // records and their models are of one moment
	if err != nil {
		return err
	}
	defer tx.Rollback()
	models, err := s.ReadModels(ctx, tx, now.unhashedRows())
	if err != nil {
		return err
	}
	rows, err := tx.QueryContext(ctx, selectAll(form{version: now.version}))
	if err != nil {
		return err
	}
	r := row.Reader{Older: now.older, Models: models, All: true}
	out.Rows["record"], err = r.CheckRecords(rows, &s.Notes)
	return err
}
