package sqlite

import (
	"context"
	"database/sql"
	"strings"

	"hallmark/internal/run"
	"hallmark/internal/run/store/row"
)

// Damages implements run.Checker.
func (s *Store) Damages() []run.Damage { return s.notes.Damages() }

// readAll passes the rows of a table that is small, in order, with their ids and the cells of the columns, where
// their hashes hold. It notes those that do not, those of which take says what is wrong and, where the table is
// tallied, how many are gone.
func (s *Store) readAll(ctx context.Context, now state, table, id, columns string, tallied bool,
	take func(id any, cells []row.Cell) string) error {
	tx, err := s.reader.BeginTx(ctx, nil) // rows and their tally are of one moment
	if err != nil {
		return err
	}
	defer tx.Rollback()
	hash := "hash"
	if now.version < version {
		hash = "NULL"
	}
	rows, err := tx.QueryContext(ctx, "SELECT "+id+", "+columns+", "+hash+" FROM "+table+" NOT INDEXED ORDER BY "+id)
	if err != nil {
		return err
	}
	scan := row.Scan{Table: table, MayLack: now.version < version, Notes: &s.notes}
	err = row.Each(rows, func(cells []row.Cell) error {
		scan.Row(cells, take)
		return nil
	})
	if err != nil || now.version < version || !tallied {
		return err
	}
	t, err := s.tally(ctx, tx, table)
	scan.Counted(t.N)
	return err
}

// list returns the rows of a run, of a table that a version added. It reads the whole table, which is small: a row
// that an index lost is found, and one that is damaged counts in no run.
func list[T any](ctx context.Context, s *Store, since int, table, columns string,
	read func(id any, cells []row.Cell) (T, string), wanted func(*T) bool) ([]T, error) {
	now, err := s.state(ctx)
	if err != nil || now.version < since {
		return nil, s.explain(err)
	}
	var all []T
	err = s.readAll(ctx, now, table, "id", columns, true, func(id any, cells []row.Cell) string {
		row, what := read(id, cells)
		if what == "" && wanted(&row) {
			all = append(all, row)
		}
		return what
	})
	if err != nil {
		return nil, s.explain(err)
	}
	return all, nil
}

// insert adds a row with its hash.
func insert(ctx context.Context, tx *sql.Tx, table, columns string, values ...any) (sql.Result, error) {
	hash := new(row.Hasher).Row(table, values...)
	return tx.ExecContext(ctx, "INSERT INTO "+table+" ("+columns+", hash) VALUES (?"+
		strings.Repeat(", ?", len(values))+")", append(values, hash[:])...)
}

// change does something in a transaction, in a file of this version.
func (s *Store) change(ctx context.Context, do func(*sql.Tx) error) error {
	if err := s.upgrade(ctx); err != nil {
		return err
	}
	return s.locked(ctx, do)
}
