package sqlite

import (
	"context"
	"database/sql"
	"fmt"

	"hallmark/internal/run"
)

const annotationColumns = "run, unit, rater, label, at"

// annotations is the part of the schema that version 2 added. A file of version 1 gets it when something is first written to it.
const annotations = `
CREATE TABLE IF NOT EXISTS annotation (
	id    INTEGER PRIMARY KEY, -- the order in which they were added
	run   TEXT NOT NULL,       -- id of the run
	unit  TEXT NOT NULL,       -- the answer within it
	rater TEXT NOT NULL,
	label TEXT NOT NULL,       -- JSON
	at    INTEGER              -- when it was added, in nanoseconds since 1970, UTC
) STRICT;

CREATE INDEX IF NOT EXISTS annotation_run ON annotation (run);
`

var _ run.AnnotationStore = (*Store)(nil)

// Annotate implements run.AnnotationStore.
func (s *Store) Annotate(ctx context.Context, list []run.Annotation) error {
	for i := range list {
		if err := list[i].Check(); err != nil {
			return fmt.Errorf("%s: %w", s.path, err)
		}
	}
	err := s.change(ctx, func(tx *sql.Tx) error {
		h := new(hasher)
		for _, a := range list {
			columns := []any{a.Run, valid(a.Unit), valid(a.Rater), valid(string(a.Label)), nano(a.At)}
			hash := h.row("annotation", columns...)
			if _, err := tx.ExecContext(ctx, "INSERT INTO annotation ("+annotationColumns+", hash) VALUES (?, ?, ?, ?, ?, ?)", append(columns, hash[:])...); err != nil {
				return err
			}
		}
		return s.count(ctx, tx, "annotation", len(list))
	})
	if err != nil {
		return s.explain(err)
	}
	return nil
}

// Annotations implements run.AnnotationStore. It reads the whole table, which people fill: a row that an index lost is found.
func (s *Store) Annotations(ctx context.Context, runID string) ([]run.Annotation, error) {
	now, err := s.state(ctx)
	if err != nil {
		return nil, s.explain(err)
	}
	if now.version == 1 {
		return nil, nil
	}
	var list []run.Annotation
	err = s.readAll(ctx, now, "annotation", "id", annotationColumns, true, func(_ any, cells []cell) string {
		id, _ := cells[0].v.(string)
		unit, known := cells[1].v.(string)
		rater, named := cells[2].v.(string)
		label, said := cells[3].v.(string)
		at, timed := fromNano(cells[4].v)
		a := run.Annotation{Run: id, Unit: unit, Rater: rater, Label: []byte(label), At: at}
		if err := a.Check(); err != nil || !known || !named || !said || !timed {
			return fmt.Sprintf("it does not read: %v", err)
		}
		if id == runID {
			list = append(list, a)
		}
		return ""
	})
	if err != nil {
		return nil, s.explain(err)
	}
	return list, nil
}
