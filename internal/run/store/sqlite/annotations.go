package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"hallmark/internal/run"
	"hallmark/internal/run/store/row"
)

// annotations is the part of the schema that version 2 added. A file of version 1 gets it when something is first
// written to it.
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
	return s.explain(s.change(ctx, func(tx *sql.Tx) error {
		var last sql.NullInt64
		if err := tx.QueryRowContext(ctx, "SELECT max(at) FROM annotation").Scan(&last); err != nil {
			return err
		}
		for _, a := range list {
			// Times order what a rater said, so that none goes back where a clock was set back.
			if at, _ := row.Nano(a.At).(int64); last.Valid && !a.At.IsZero() && at <= last.Int64 {
				a.At = time.Unix(0, last.Int64+1)
			}
			if _, err := insert(ctx, tx, "annotation", row.AnnotationColumns, row.AnnotationValues(&a)...); err != nil {
				return err
			}
		}
		return s.count(ctx, tx, "annotation", len(list))
	}))
}

// Annotations implements run.AnnotationStore.
func (s *Store) Annotations(ctx context.Context, runID string) ([]run.Annotation, error) {
	all, err := list(ctx, s, 2, "annotation", row.AnnotationColumns, row.ReadAnnotation,
		func(a *run.Annotation) bool { return a.Run == runID })
	row.InOrder(all)
	return all, err
}
