package postgres

import (
	"context"
	"database/sql"
	"fmt"

	"hallmark/internal/run"
	"hallmark/internal/run/store/row"
)

// Check implements run.Checker. It reads the tables, so that nothing that is there is missed, superseded rows too.
func (s *Store) Check(ctx context.Context) (run.Checked, error) {
	out := run.Checked{Rows: map[string]int{}, Damages: []run.Damage{}, Notes: []string{}}
	if err := s.checkRecords(ctx, &out); err != nil {
		return out, err
	}
	for _, t := range []struct{ name, columns string }{{"model", row.ModelColumns},
		{"annotation", row.AnnotationColumns}, {"usage", row.UsageColumns}, {"hold", row.HoldColumns}} {
		begin := func() { out.Rows[t.name] = 0 }
		if err := s.DB.ReadAll(ctx, t.name, t.columns, begin, func(any, []row.Cell) string {
			out.Rows[t.name]++
			return ""
		}); err != nil {
			return out, err
		}
	}
	if err := s.reading(ctx, func(tx *sql.Tx) error {
		rows, err := query(ctx, tx, "SELECT "+row.TextColumns+", hash FROM kept")
		if err == nil {
			out.Rows["kept"], err = s.CheckTexts(rows)
		}
		return err
	}); err != nil {
		return out, err
	}
	runs, err := s.Runs(ctx)
	if err != nil {
		return out, err
	}
	out.Rows["run"] = len(runs)
	for _, h := range runs {
		for _, name := range []string{"plan", "result"} {
			if _, _, err := s.document(ctx, h.ID, name); err != nil {
				return out, err
			}
		}
	}
	if err := s.reading(ctx, func(tx *sql.Tx) error { return s.CheckTallies(ctx, tx, tallied, &out) }); err != nil {
		return out, err
	}
	out.Damages = append(out.Damages, s.Damages()...)
	return out, nil
}

// checkRecords reads every record. One that is marked as superseded, by what is in no hash, has to be damaged.
func (s *Store) checkRecords(ctx context.Context, out *run.Checked) error {
	return s.reading(ctx, func(tx *sql.Tx) error { // records and their models are of one moment
		models, err := s.ReadModels(ctx, tx, false)
		if err != nil {
			return err
		}
		rows, err := query(ctx, tx, selectAll(true)+" ORDER BY id")
		if err != nil {
			return err
		}
		r := row.Reader{Models: models, All: true}
		if out.Rows["record"], err = r.CheckRecords(rows, &s.Notes); err != nil {
			return err
		}
		damaged := map[string]bool{}
		for _, d := range s.Damages() {
			damaged[d.Row] = damaged[d.Row] || d.Table == "record"
		}
		if rows, err = query(ctx, tx, "SELECT id, encode(key, 'hex') FROM record WHERE superseded"); err != nil {
			return err
		}
		return row.Each(rows, func(cells []row.Cell) error {
			key, _ := cells[1].V.(string)
			if id := fmt.Sprint(cells[0].V); !damaged[id] {
				s.Notes.Add(run.Damage{Table: "record", Row: id, Key: key,
					What: "it is marked as superseded, and is whole"})
			}
			return nil
		})
	})
}
