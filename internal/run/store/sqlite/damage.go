package sqlite

import (
	"cmp"
	"context"
	"crypto/sha256"
	"database/sql"
	"fmt"
	"maps"
	"slices"
	"strings"

	"hallmark/internal/run"
)

// note remembers what reading met.
func (s *Store) note(d run.Damage) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.noted[d.Table+" "+d.Row] = d
}

// Damages implements run.Checker.
func (s *Store) Damages() []run.Damage {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.SortedFunc(maps.Values(s.noted), func(a, b run.Damage) int {
		return cmp.Or(cmp.Compare(a.Table, b.Table), cmp.Compare(len(a.Row), len(b.Row)), cmp.Compare(a.Row, b.Row))
	})
}

// readAll passes the rows of a table that is small, in order, with their ids and the cells of the columns, where
// their hashes hold. It notes those that do not, those of which take says what is wrong and, where the table is
// tallied, how many are gone.
func (s *Store) readAll(ctx context.Context, now state, table, id, columns string, tallied bool,
	take func(id any, cells []cell) string) error {
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
	h := new(hasher)
	n := int64(0)
	// annotations have their time: a second one alike is a copy in the place of another
	seen := map[[sha256.Size]byte]bool{}
	err = eachRow(rows, func(cells []cell) error {
		n++
		last := len(cells) - 1
		sum := h.row(table, values(cells[1:last])...)
		what := sealed(cells[last].v, sum, now.version < version)
		if table == "annotation" && what == "" && seen[sum] {
			what = "it is a copy of another row"
		}
		seen[sum] = true
		if what == "" {
			what = take(cells[0].v, cells[1:last])
		}
		if what != "" {
			s.note(run.Damage{Table: table, Row: fmt.Sprint(cells[0].v), What: what})
		}
		return nil
	})
	if err != nil || now.version < version || !tallied {
		return err
	}
	return s.counted(ctx, tx, table, n)
}

// list returns the rows of a run, of a table that a version added. It reads the whole table, which is small: a row
// that an index lost is found, and one that is damaged counts in no run.
func list[T any](ctx context.Context, s *Store, since int, table, columns string,
	read func(id any, cells []cell) (T, string), wanted func(*T) bool) ([]T, error) {
	now, err := s.state(ctx)
	if err != nil || now.version < since {
		return nil, s.explain(err)
	}
	var all []T
	err = s.readAll(ctx, now, table, "id", columns, true, func(id any, cells []cell) string {
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

// unreadable says what is wrong with a row, which failed a check or has a column of another type; "" where nothing is.
func unreadable(err error, typed bool) string {
	if err == nil && typed {
		return ""
	}
	return fmt.Sprintf("it does not read: %v", err)
}

// insert adds a row with its hash.
func insert(ctx context.Context, tx *sql.Tx, table, columns string, values ...any) (sql.Result, error) {
	hash := new(hasher).row(table, values...)
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
