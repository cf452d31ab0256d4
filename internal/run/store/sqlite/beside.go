package sqlite

import (
	"context"
	"database/sql"

	"hallmark/internal/run"
	"hallmark/internal/run/store/row"
)

// since are the versions that added tables.
var since = map[string]int{"annotation": 2, "usage": 3, "hold": 3, "kept": 4}

// database implements row.Database.
type database struct{ *Store }

func (s database) Change(ctx context.Context, do func(*sql.Tx) error) error {
	return s.explain(s.change(ctx, do))
}

func (s database) ReadAll(ctx context.Context, table, columns string, begin func(),
	take func(id any, cells []row.Cell) string) error {
	now, err := s.state(ctx)
	if begin(); err == nil && now.version >= since[table] {
		err = s.readAll(ctx, now, table, columns, take)
	}
	return s.explain(err)
}

func (database) Query(ctx context.Context, q row.Queries, text string, args ...any) (row.Rows, error) {
	return q.QueryContext(ctx, text, args...)
}

func (database) Lock(context.Context, *sql.Tx, string) error { return nil } // of the file, since its transaction began
func (database) Put(values []any) []any                      { return values }
func (database) Table(name string) string                    { return name + " NOT INDEXED" }
func (s database) Finding(what string) error                 { return &finding{s.path, what} }

// Text implements run.TextStore.
func (s *Store) Text(ctx context.Context, name string) ([]byte, error) {
	now, err := s.state(ctx)
	if err != nil || now.version < since["kept"] {
		return nil, s.explain(err)
	}
	rows, err := s.reader.QueryContext(ctx, "SELECT "+row.TextColumns+", hash FROM kept WHERE name = ?", row.Valid(name))
	if err != nil {
		return nil, s.explain(err)
	}
	text, err := s.TextOf(rows)
	return text, s.explain(err)
}

func (database) Alive(*run.Hold, int) (columns, values string, args []any)    { return "", "", nil }
func (database) Lives(context.Context, row.Queries, string, []run.Hold) error { return nil }

// readAll passes the rows of a table that is small, in order, with their ids and the cells of the columns, where
// their hashes hold. It notes those that do not, those of which take says what is wrong and, where the table is
// tallied, how many are gone.
func (s *Store) readAll(ctx context.Context, now state, table, columns string,
	take func(id any, cells []row.Cell) string) error {
	tx, err := s.reader.BeginTx(ctx, nil) // rows and their tally are of one moment
	if err != nil {
		return err
	}
	defer tx.Rollback()
	rows, err := tx.QueryContext(ctx, "SELECT id, "+columns+", "+now.hash()+" FROM "+table+" NOT INDEXED ORDER BY id")
	if err != nil {
		return err
	}
	older := now.unhashedRows()
	return s.ReadTable(ctx, tx, rows, table, older, !older && table != "model", take)
}

// change does something in a transaction, in a file of this version.
func (s *Store) change(ctx context.Context, do func(*sql.Tx) error) error {
	if err := s.upgrade(ctx); err != nil {
		return err
	}
	return s.locked(ctx, do)
}
