package row

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"hallmark/internal/run"
)

// Beside has the tables of a store beside that of records: annotations, usage and holds. They are small, and read
// whole, so that a row which is damaged or gone shows. A store embeds it.
type Beside struct {
	Notes Notes // what reading met
	DB    Database

	mu     sync.Mutex
	models map[int64]Model // their rows as they were last read for a lookup; it is not changed
}

// A Database is what is done otherwise from one database to the other.
type Database interface {
	// Change does something in a transaction and commits it. It may be begun more than once.
	Change(ctx context.Context, do func(*sql.Tx) error) error
	// ReadAll passes the rows of a table, as ReadTable does, in order, each time from begin on. Of a file of an earlier
	// version, which lacks the table, it passes none.
	ReadAll(ctx context.Context, table, columns string, begin func(), take func(id any, cells []Cell) string) error
	// Lock keeps others from writing to a table until the transaction ends.
	Lock(ctx context.Context, tx *sql.Tx, table string) error
	// AddWith adds records, but for those whose places it returns, and does something more in the same transaction.
	AddWith(ctx context.Context, records []run.Record, more func(*sql.Tx) error) (left []int, err error)
	// Query returns the rows of a query, with texts as they were before they were stored.
	Query(ctx context.Context, q Queries, text string, args ...any) (Rows, error)
	// Put returns values as they are stored.
	Put(values []any) []any
	// Table is a table in a query that reads its rows and no index.
	Table(name string) string
	// Alive are the columns of a hold by which the store knows that its process lives, and what they are set to with
	// parameters from $n on.
	Alive(h *run.Hold, n int) (columns, values string, args []any)
	// Lives says of each hold of a run whether its process does, where the store knows; without q it asks by itself.
	Lives(ctx context.Context, q Queries, runID string, holds []run.Hold) error
	// Finding returns an error about the store that says all there is to say.
	Finding(what string) error
}

// Queries is what a connection and a transaction have in common.
type Queries interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// Damages implements run.Checker.
func (b *Beside) Damages() []run.Damage { return b.Notes.Damages() }

// ReadTable passes the rows of a table that is small, selected as id, columns and hash, as ReadRows does. It notes
// where the table is tallied and has fewer rows than were written.
func (b *Beside) ReadTable(ctx context.Context, q Queries, rows Rows, table string, mayLack, tallied bool,
	take func(id any, cells []Cell) string) error {
	n, err := b.ReadRows(rows, table, mayLack, take)
	if err != nil || !tallied {
		return err
	}
	t, err := b.ReadTally(ctx, q, table)
	if lost := t.N - n; lost > 0 {
		b.Notes.Add(run.Damage{Table: table, What: fmt.Sprintf("%d of its %d rows are gone", lost, t.N)})
	}
	return err
}

// ReadRows passes the cells of the columns of rows whose hash holds, which those of an earlier version lack, and
// returns how many rows there are. It notes those whose hash does not, and those of which take says what is wrong.
func (b *Beside) ReadRows(rows Rows, table string, mayLack bool, take func(id any, cells []Cell) string) (n int64,
	err error) {
	seen, h := map[Sum]bool{}, new(Hasher)
	err = Each(rows, func(cells []Cell) error {
		n++
		last := len(cells) - 1
		sum := h.Row(table, Values(cells[1:last])...)
		what := Sealed(cells[last].V, sum, mayLack)
		// annotations have their time: a second one alike is a copy in the place of another
		if table == "annotation" {
			if what == "" && seen[sum] {
				what = "it is a copy of another row"
			}
			seen[sum] = true
		}
		if what == "" {
			what = take(cells[0].V, cells[1:last])
		}
		if what != "" {
			b.Notes.Add(run.Damage{Table: table, Row: fmt.Sprint(cells[0].V), What: what})
		}
		return nil
	})
	return n, err
}

// ReadTally reads the tally of a table. One that is damaged or lost is noted, and zero.
func (b *Beside) ReadTally(ctx context.Context, q Queries, name string) (Tally, error) {
	t, there := Tally{Name: name}, false
	rows, err := b.DB.Query(ctx, q, "SELECT name, n, older, hash FROM tally WHERE name = $1", name)
	if err != nil {
		return t, err
	}
	err = Each(rows, func(cells []Cell) error {
		t, there = tallyOf(name, cells, &b.Notes), true
		return nil
	})
	if err == nil && !there {
		b.Notes.Add(run.Damage{Table: "tally", Row: name, What: "it is gone"})
	}
	return t, err
}

// WriteTally stores a tally.
func WriteTally(ctx context.Context, tx *sql.Tx, t Tally) error {
	hash := t.Hash()
	_, err := tx.ExecContext(ctx, "INSERT INTO tally (name, n, older, hash) VALUES ($1, $2, $3, $4) ON CONFLICT "+
		"(name) DO UPDATE SET n = excluded.n, older = excluded.older, hash = excluded.hash", t.Name, t.N, t.Older,
		hash[:])
	return err
}

// Adding has rows added to a table, which nobody else writes meanwhile, and counted: how many is what add returns. A
// tally that is damaged is made anew from the rows that are there.
func (b *Beside) Adding(ctx context.Context, tx *sql.Tx, table string, add func() (int, error)) error {
	if err := b.DB.Lock(ctx, tx, table); err != nil {
		return err
	}
	t, err := b.ReadTally(ctx, tx, table)
	if err != nil {
		return err
	}
	n, err := add()
	if err != nil || n == 0 {
		return err
	}
	if t.N += int64(n); t.N == int64(n) {
		if err := tx.QueryRowContext(ctx, "SELECT count(*) FROM "+b.DB.Table(table)).Scan(&t.N); err != nil {
			return err
		}
	}
	return WriteTally(ctx, tx, t)
}

// CheckTallies reads the tallies of these names, and holds the rows that were read against those that count.
func (b *Beside) CheckTallies(ctx context.Context, q Queries, names []string, out *run.Checked) error {
	rows, err := b.DB.Query(ctx, q, "SELECT name FROM "+b.DB.Table("tally"))
	if err != nil {
		return err
	}
	if err := Each(rows, func(cells []Cell) error {
		if name, _ := cells[0].V.(string); !slices.Contains(names, name) {
			b.Notes.Add(run.Damage{Table: "tally", Row: fmt.Sprintf("%.60q", cells[0].V),
				What: "Hallmark makes no such row"})
		}
		return nil
	}); err != nil {
		return err
	}
	for _, name := range names {
		t, err := b.ReadTally(ctx, q, name)
		if err != nil {
			return err
		}
		damaged := slices.ContainsFunc(b.Damages(), func(d run.Damage) bool {
			return d.Table == "tally" && d.Row == name
		})
		if more := int64(out.Rows[name]) - t.N; more > 0 && !damaged && slices.Contains(Tallied[1:], name) {
			b.Notes.Add(run.Damage{Table: name, What: fmt.Sprintf("it has %d rows more than were written", more)})
		}
	}
	return nil
}

// NoRun is why no run has a prefix of its id: as one that is damaged was passed over, or err.
func (b *Beside) NoRun(prefix string, err error) error {
	for _, d := range b.Damages() {
		if d.Table == "run" && prefix != "" && strings.HasPrefix(d.Row, prefix) {
			return fmt.Errorf("%w: %s", run.ErrNoRun, DamagedRun(d.Row, d.What))
		}
	}
	return err
}

// Insert adds a row with its hash, and returns its number.
func (b *Beside) Insert(ctx context.Context, tx *sql.Tx, table, columns string, values ...any) (id int64, err error) {
	return b.insert(ctx, tx, table, columns, values, "", "")
}

// insert is Insert with more columns, which the hash does not cover: args are beyond values.
func (b *Beside) insert(ctx context.Context, tx *sql.Tx, table, columns string, values []any, moreColumns,
	moreValues string, args ...any) (id int64, err error) {
	hash := new(Hasher).Row(table, values...)
	values = append(values, hash[:])
	err = tx.QueryRowContext(ctx, "INSERT INTO "+table+" ("+columns+", hash"+moreColumns+") VALUES ("+
		places(len(values))+moreValues+") RETURNING id", b.DB.Put(append(values, args...))...).Scan(&id)
	return id, err
}

// places are $1 to $n.
func places(n int) string {
	list := make([]string, n)
	for i := range list {
		list[i] = fmt.Sprint("$", i+1)
	}
	return strings.Join(list, ", ")
}

// checked returns the first error of rows that cannot be stored.
func checked[T any](b *Beside, list []T, check func(*T) error) error {
	for i := range list {
		if err := check(&list[i]); err != nil {
			return b.DB.Finding(err.Error())
		}
	}
	return nil
}

// list returns the rows of a run. It reads the whole table: a row that is damaged counts in no run.
func list[T any](ctx context.Context, b *Beside, table, columns string, read func(id any, cells []Cell) (T, string),
	wanted func(*T) bool) (all []T, err error) {
	err = b.DB.ReadAll(ctx, table, columns, func() { all = nil }, func(id any, cells []Cell) string {
		r, what := read(id, cells)
		if what == "" && wanted(&r) {
			all = append(all, r)
		}
		return what
	})
	return all, err
}

// TextColumns are those of a text.
const TextColumns = "name, content"

// PutText implements run.TextStore.
func (b *Beside) PutText(ctx context.Context, name string, text []byte) error {
	if text == nil {
		text = []byte{}
	}
	values := []any{Valid(name), text}
	hash := new(Hasher).Row("kept", values...)
	err := b.DB.Change(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, "INSERT INTO kept ("+TextColumns+", hash) VALUES ($1, $2, $3) ON CONFLICT (name) "+
			"DO UPDATE SET content = excluded.content, hash = excluded.hash", b.DB.Put(append(values, hash[:]))...)
		return err
	})
	if err == nil {
		b.Notes.Forget("kept", name)
	}
	return err
}

// TextOf returns the text of a row, whose cells are those of TextColumns and the hash; of no row nil. One that is
// damaged is none, and noted.
func (b *Beside) TextOf(rows Rows) (text []byte, err error) {
	_, err = b.texts(rows, func(of []byte) { text = of })
	return text, err
}

// CheckTexts reads all texts, notes those that are damaged, and returns how many there are.
func (b *Beside) CheckTexts(rows Rows) (n int, err error) { return b.texts(rows, func([]byte) {}) }

func (b *Beside) texts(rows Rows, take func([]byte)) (n int, err error) {
	err = Each(rows, func(cells []Cell) error {
		n++
		if what := Sealed(cells[2].V, new(Hasher).Row("kept", Values(cells[:2])...), false); what != "" {
			b.Notes.Add(run.Damage{Table: "kept", Row: fmt.Sprint(cells[0].V), What: what})
			return nil
		}
		text, _ := cells[1].V.([]byte)
		take(append([]byte{}, text...))
		return nil
	})
	return n, err
}

// Annotate implements run.AnnotationStore.
func (b *Beside) Annotate(ctx context.Context, list []run.Annotation) error {
	if err := checked(b, list, (*run.Annotation).Check); err != nil {
		return err
	}
	return b.DB.Change(ctx, func(tx *sql.Tx) error {
		return b.Adding(ctx, tx, "annotation", func() (int, error) {
			var last sql.NullInt64
			if err := tx.QueryRowContext(ctx, "SELECT max(at) FROM annotation").Scan(&last); err != nil {
				return 0, err
			}
			for _, a := range list {
				// Times order what a rater said, so that none goes back where a clock is behind.
				if at, _ := Nano(a.At).(int64); last.Valid && !a.At.IsZero() && at <= last.Int64 {
					a.At = time.Unix(0, last.Int64+1)
				}
				if _, err := b.Insert(ctx, tx, "annotation", AnnotationColumns, a.Run, Valid(a.Unit), Valid(a.Rater),
					Valid(string(a.Label)), Nano(a.At)); err != nil {
					return 0, err
				}
			}
			return len(list), nil
		})
	})
}

// Annotations implements run.AnnotationStore.
func (b *Beside) Annotations(ctx context.Context, runID string) ([]run.Annotation, error) {
	all, err := list(ctx, b, "annotation", AnnotationColumns, ReadAnnotation,
		func(a *run.Annotation) bool { return a.Run == runID })
	// The last of a rater counts, and a row's hash is not of its number: what is in the hash orders.
	slices.SortStableFunc(all, func(a, b run.Annotation) int { return a.At.Compare(b.At) })
	return all, err
}

// AddUsage implements run.Store.
func (b *Beside) AddUsage(ctx context.Context, list []run.Usage) error {
	if err := checked(b, list, (*run.Usage).Check); err != nil || len(list) == 0 {
		return err
	}
	return b.DB.Change(ctx, func(tx *sql.Tx) error { return b.insertUsage(ctx, tx, list) })
}

func (b *Beside) insertUsage(ctx context.Context, tx *sql.Tx, list []run.Usage) error {
	if len(list) == 0 {
		return nil
	}
	return b.Adding(ctx, tx, "usage", func() (int, error) {
		for _, u := range list {
			var key any
			if u.Key != (run.Key{}) {
				key = u.Key[:]
			}
			if _, err := b.Insert(ctx, tx, "usage", UsageColumns, Valid(u.Run), key, u.Tries, u.Tokens, u.USD,
				Nano(u.At)); err != nil {
				return 0, err
			}
		}
		return len(list), nil
	})
}

// Usage implements run.Store.
func (b *Beside) Usage(ctx context.Context, runID string) ([]run.Usage, error) {
	return list(ctx, b, "usage", UsageColumns, ReadUsage, func(u *run.Usage) bool { return u.Run == runID })
}

// Holds implements run.HoldStore. A row that is damaged may be of any run.
func (b *Beside) Holds(ctx context.Context, runID string) ([]run.Hold, error) {
	holds, err := list(ctx, b, "hold", HoldColumns, ReadHold, func(h *run.Hold) bool { return h.Run == runID })
	if err != nil {
		return nil, err
	}
	if d, damaged := b.Notes.Hold(); damaged {
		return nil, b.unknownHold(d)
	}
	return holds, b.DB.Lives(ctx, nil, runID, holds)
}

// unknownHold says that a budget cannot be kept, as nobody knows what a session took of it.
func (b *Beside) unknownHold(d run.Damage) error {
	return b.DB.Finding(fmt.Sprintf("is damaged (%s), so what was sent under a budget is not known, and no budget can "+
		"be kept: run without --budget, or name another store with --store", d))
}

// PutHold implements run.HoldStore.
func (b *Beside) PutHold(ctx context.Context, h *run.Hold, fits func(put *run.Hold, others []run.Hold) error) error {
	put := *h
	var unfit error
	err := b.DB.Change(ctx, func(tx *sql.Tx) error {
		put = *h
		return b.Adding(ctx, tx, "hold", func() (int, error) {
			if fits != nil {
				others, err := b.otherHolds(ctx, tx, h)
				if err != nil {
					return 0, err
				}
				if unfit = fits(&put, others); unfit != nil {
					return 0, b.DB.Finding(unfit.Error())
				}
			}
			return b.writeHold(ctx, tx, &put)
		})
	})
	switch {
	case err == nil:
		*h = put
	case unfit != nil:
		return unfit
	}
	return err
}

// AddHeld implements run.HoldStore.
func (b *Beside) AddHeld(ctx context.Context, h *run.Hold, records []run.Record, list []run.Usage) ([]int, error) {
	if err := checked(b, list, (*run.Usage).Check); err != nil {
		return nil, err
	}
	if err := checked(b, []run.Hold{*h}, (*run.Hold).Check); err != nil {
		return nil, err
	}
	put := *h
	left, err := b.DB.AddWith(ctx, records, func(tx *sql.Tx) error {
		put = *h
		if err := b.insertUsage(ctx, tx, list); err != nil {
			return err
		}
		write := func() (int, error) { return b.writeHold(ctx, tx, &put) }
		if put.ID == 0 { // else who asks what fits waits for the row, and other commits for nothing
			return b.Adding(ctx, tx, "hold", write)
		}
		_, err := write()
		return err
	})
	if err == nil {
		*h = put
	}
	return left, err
}

// otherHolds returns the holds of the run's other sessions.
func (b *Beside) otherHolds(ctx context.Context, tx *sql.Tx, h *run.Hold) (list []run.Hold, err error) {
	args := b.DB.Put([]any{Valid(h.Run), h.ID})
	rows, err := b.DB.Query(ctx, tx, "SELECT id, "+HoldColumns+", hash FROM "+b.DB.Table("hold")+
		" WHERE run = $1 AND id <> $2 ORDER BY id", args...)
	if err != nil {
		return nil, err
	}
	met := Beside{}
	_, err = met.ReadRows(rows, "hold", false, func(id any, cells []Cell) string {
		other, what := ReadHold(id, cells)
		list = append(list, other)
		return what
	})
	if d, damaged := met.Notes.Hold(); err == nil && damaged {
		b.Notes.Add(d)
		err = b.unknownHold(d)
	}
	if err == nil {
		err = b.DB.Lives(ctx, tx, h.Run, list)
	}
	return list, err
}

// writeHold replaces the row of a session, or adds it, and returns how many it added.
func (b *Beside) writeHold(ctx context.Context, tx *sql.Tx, h *run.Hold) (added int, err error) {
	if err := h.Check(); err != nil {
		return 0, b.DB.Finding(err.Error())
	}
	values := []any{Valid(h.Run), h.Held.Calls, h.Held.Tokens, h.Held.USD, h.Total.Calls, h.Total.Tokens, h.Total.USD,
		Nano(h.At)}
	n := len(values) + 1
	moreColumns, moreValues, args := b.DB.Alive(h, n+1)
	if h.ID == 0 {
		h.ID, err = b.insert(ctx, tx, "hold", HoldColumns, values, moreColumns, moreValues, args...)
		return 1, err
	}
	hash := new(Hasher).Row("hold", values...)
	args = append(args, h.ID)
	r, err := tx.ExecContext(ctx, "UPDATE hold SET ("+HoldColumns+", hash"+moreColumns+") = ("+places(n)+moreValues+
		") WHERE id = $"+fmt.Sprint(n+len(args)), b.DB.Put(slices.Concat(values, []any{hash[:]}, args))...)
	if err != nil {
		return 0, err
	}
	if n, err := r.RowsAffected(); err != nil || n == 1 {
		return 0, err
	}
	return 0, b.unknownHold(run.Damage{Table: "hold", Row: fmt.Sprint(h.ID), What: "it is gone"})
}
