package sqlite

import (
	"context"
	"database/sql"
	"fmt"

	"hallmark/internal/run"
)

// annotations is the part of the schema that version 2 added. A file of version 1 gets it when something is first annotated, so that older
// programs go on reading files that nobody annotates, and a file that cannot be written can be read.
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
	err := s.locked(ctx, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, annotations+fmt.Sprintf("PRAGMA user_version = %d;", version)); err != nil {
			return err
		}
		for _, a := range list {
			if _, err := tx.ExecContext(ctx, "INSERT INTO annotation (run, unit, rater, label, at) VALUES (?, ?, ?, ?, ?)",
				a.Run, valid(a.Unit), valid(a.Rater), valid(string(a.Label)), nano(a.At)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return s.explain(err)
	}
	return nil
}

// Annotations implements run.AnnotationStore.
func (s *Store) Annotations(ctx context.Context, runID string) ([]run.Annotation, error) {
	var tables int
	if err := s.reader.QueryRowContext(ctx, "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = 'annotation'").Scan(&tables); err != nil {
		return nil, s.explain(err)
	}
	if tables == 0 {
		return nil, nil
	}
	rows, err := s.reader.QueryContext(ctx, "SELECT unit, rater, label, at FROM annotation WHERE run = ? ORDER BY id", runID)
	if err != nil {
		return nil, s.explain(err)
	}
	defer rows.Close()
	var list []run.Annotation
	for rows.Next() {
		a := run.Annotation{Run: runID}
		var label string
		var at sql.NullInt64
		if err := rows.Scan(&a.Unit, &a.Rater, &label, &at); err != nil {
			return nil, s.explain(err)
		}
		a.Label, a.At = []byte(label), fromNano(at)
		list = append(list, a)
	}
	if err := rows.Err(); err != nil {
		return nil, s.explain(err)
	}
	return list, nil
}
