// Package postgres keeps records and runs in a schema of a Postgres database, which many machines may use at once.
// docs/store.md describes the format. What a row holds, and when it is damaged, is that of store/row, as in SQLite.
//
// The first response to a call wins by a unique index and not by a single writer. A transaction whose connection is
// lost as it commits is looked up by its number before anything is done again, so that nothing is stored twice.
package postgres

import (
	"context"
	"database/sql"
	"embed"
	"fmt"
	"io/fs"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"

	"hallmark/internal/run"
	"hallmark/internal/run/store/row"
)

//go:embed schema*.sql
var schemas embed.FS

// migrations bring a schema from each version to the next, from none on.
var migrations = []string{statements("schema1.sql"), statements("schema2.sql"), statements("schema3.sql")}

func statements(name string) string {
	b, err := schemas.ReadFile(name)
	if err != nil {
		panic(err) // it is embedded
	}
	return string(b)
}

var (
	// lockTimeout is how long to wait for the locks of other processes.
	lockTimeout = 10 * time.Second
	// patience is how long to try to reach a server again that was reached before.
	patience = 20 * time.Second
	// now is the clock of this machine.
	now = time.Now
)

const (
	connections = 4
	// clockOff is how far the clocks of this machine and of the server may be apart without a warning.
	clockOff   = time.Minute
	oldest     = 130000 // the first version of the server that is known to do, as it numbers itself
	lockNumber = 0x48414c4d
)

// A Store is a run.Store in a schema of a Postgres database.
type Store struct {
	row.Beside
	ref     string // as it was named; it holds no password
	schema  string
	user    string
	db      *sql.DB
	reached bool      // the server was, once
	looked  time.Time // at the server's clock, by that of this machine
	clock   time.Time // of the server then

	mu     sync.Mutex
	life   string           // of the server, as it was last seen: see lifeOf
	models map[string]int64 // numbers of the identities known to be stored
}

var (
	_ run.Store   = (*Store)(nil)
	_ run.Checker = (*Store)(nil)
)

// Open opens the store that a reference names, postgres://[USER@]HOST[:PORT]/DATABASE or postgres:FILE, and makes
// its schema where there is none. One of an earlier version is brought to this one.
func Open(ctx context.Context, ref string) (*Store, error) { return open(ctx, ref, true) }

// Read is Open for reading what is there: it makes and changes nothing. Where there is no store it returns an error
// that wraps fs.ErrNotExist.
func Read(ctx context.Context, ref string) (*Store, error) { return open(ctx, ref, false) }

func open(ctx context.Context, ref string, write bool) (*Store, error) {
	s, err := connect(ref)
	if err != nil {
		return nil, err
	}
	if err := s.prepare(ctx, write); err != nil {
		s.db.Close()
		return nil, s.Explain(err)
	}
	s.reached = true
	return s, nil
}

// connect returns a store that is not looked at yet.
func connect(ref string) (*Store, error) {
	c, err := config(ref)
	if err != nil {
		return nil, err
	}
	s := &Store{ref: ref, user: c.ConnConfig.User, models: map[string]int64{}}
	s.DB = database{s}
	if s.schema, err = schemaOf(c.ConnConfig); err != nil {
		return nil, &finding{ref, err.Error()}
	}
	s.db = stdlib.OpenDB(*c.ConnConfig, stdlib.OptionAfterConnect(s.session))
	s.db.SetMaxOpenConns(connections)
	s.db.SetMaxIdleConns(connections)
	return s, nil
}

// prepare makes sure that the server does, and that the schema is ours and of this version.
func (s *Store) prepare(ctx context.Context, write bool) error {
	var number int
	var encoding string
	err := s.db.QueryRowContext(ctx, "SELECT current_setting('server_version_num')::int, "+
		"current_setting('server_encoding'), clock_timestamp()").Scan(&number, &encoding, &s.clock)
	s.looked = now()
	switch {
	case err != nil:
		return err
	case number < oldest:
		return &finding{s.ref, fmt.Sprintf("the server is Postgres %d: want %d or later", number/10000, oldest/10000)}
	case encoding != "UTF8":
		return &finding{s.ref, fmt.Sprintf("the database keeps text in %s: make one with `createdb -E UTF8 -T "+
			"template0`", encoding)}
	}
	if off := s.clock.Sub(s.looked); write && (off < -clockOff || off > clockOff) {
		slog.WarnContext(ctx, fmt.Sprintf("the clock of this machine and that of the store's server are %v apart: "+
			"the times of runs, and which of them is the latest, are not to be relied on",
			off.Abs().Round(time.Second)))
	}
	if _, err := s.lives(ctx); err != nil {
		return err
	}
	have, err := s.version(ctx, s.db)
	switch want := len(migrations); {
	case err != nil:
		return err
	case have > want:
		return &finding{s.ref, fmt.Sprintf("was written by a newer hallmark (store version %d, this one knows up to "+
			"%d): update hallmark, or name another store with --store", have, want)}
	case have < want && write:
		switch err := s.migrate(ctx); {
		case have > 0 && code(err) == "42501":
			return &finding{s.ref, fmt.Sprintf("was written by an older hallmark (store version %d, this one needs "+
				"%d), and the user %s may not change it (%s): the next `hallmark run` of its owner brings it to that",
				have, want, s.user, why(err))}
		case err != nil:
			return err
		}
	case have == 0:
		return fmt.Errorf("%w: %w", fs.ErrNotExist, &finding{s.ref, "there is no store in the schema " + s.schema})
	case have < want:
		return &finding{s.ref, fmt.Sprintf("was written by an older hallmark (store version %d, this one reads %d): "+
			"the next `hallmark run` brings it to that", have, want)}
	}
	return s.altered(ctx)
}

// Now is the time by the server's clock, which who shares the store goes by where the order of times matters.
func (s *Store) Now() time.Time { return s.clock.Add(now().Sub(s.looked)) }

// version returns the version of the schema; 0 where there is no store in it.
func (s *Store) version(ctx context.Context, q row.Queries) (n int, err error) {
	name := pgx.Identifier{s.schema}.Sanitize()
	var there bool
	err = q.QueryRowContext(ctx, "SELECT EXISTS (SELECT FROM pg_class WHERE relname = 'migration' AND "+
		"relnamespace = to_regnamespace($1))", name).Scan(&there)
	if err != nil || !there {
		return 0, err
	}
	return n, q.QueryRowContext(ctx, "SELECT coalesce(max(version), 0) FROM "+name+".migration").Scan(&n)
}

// migrate brings the schema to this version, unless another process is faster.
func (s *Store) migrate(ctx context.Context) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.ExecContext(ctx, "SELECT pg_advisory_xact_lock($1)", int64(lockNumber)); err != nil {
		return err
	}
	have, err := s.version(ctx, tx)
	if err != nil {
		return err
	}
	name := pgx.Identifier{s.schema}.Sanitize()
	var there bool
	if err := tx.QueryRowContext(ctx, "SELECT to_regnamespace($1) IS NOT NULL", name).Scan(&there); err != nil {
		return err
	}
	if !there {
		if _, err := tx.ExecContext(ctx, "CREATE SCHEMA "+name); err != nil {
			return err
		}
	}
	for i := have; i < len(migrations); i++ {
		if _, err := tx.ExecContext(ctx, migrations[i]); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, "INSERT INTO migration (version, at) VALUES ($1, $2)", i+1,
			time.Now().UnixNano()); err != nil {
			return err
		}
	}
	for _, name := range tallied {
		hash := row.Tally{Name: name}.Hash()
		if _, err := tx.ExecContext(ctx, "INSERT INTO tally (name, n, older, hash) VALUES ($1, 0, 0, $2) "+
			"ON CONFLICT DO NOTHING", name, hash[:]); err != nil {
			return err
		}
	}
	return tx.Commit()
}

// altered returns an error where somebody put a trigger, a rule or a policy on a table, which could change what is
// stored, or what is read of it.
func (s *Store) altered(ctx context.Context) error {
	var what sql.NullString
	tables := append([]string{"model", "record", "tally", "migration", "pace", "seat", "kept"}, tallied...)
	err := s.db.QueryRowContext(ctx, "SELECT min(what) FROM (SELECT 'the trigger ' || tgname AS what, "+
		"tgrelid AS on_table FROM pg_trigger WHERE NOT tgisinternal UNION ALL SELECT 'the rule ' || rulename, "+
		"ev_class FROM pg_rewrite UNION ALL SELECT 'the policy ' || polname, polrelid FROM pg_policy UNION ALL "+
		"SELECT 'row security', oid FROM pg_class WHERE relrowsecurity) w JOIN pg_class c ON c.oid = on_table "+
		"WHERE relkind <> 'v' AND relnamespace = to_regnamespace($1) AND relname = ANY($2)",
		pgx.Identifier{s.schema}.Sanitize(), tables).Scan(&what)
	if err == nil && what.Valid {
		err = &finding{s.ref, fmt.Sprintf("the schema %s holds %s, which hallmark does not make and which could "+
			"change what is stored: name another one with ?search_path=NAME", s.schema, what.String)}
	}
	return err
}

// again does something until the connection holds, or patience ends, which begins where it is lost.
func (s *Store) again(ctx context.Context, do func() error) error {
	var begun time.Time
	for wait := 10 * time.Millisecond; ; wait = min(2*wait, time.Second) {
		err := do()
		if !Passing(err) || !begun.IsZero() && time.Since(begun) > patience {
			return s.Explain(err)
		}
		if begun.IsZero() {
			begun = time.Now()
		}
		select {
		case <-ctx.Done():
			return s.Explain(ctx.Err())
		case <-time.After(wait):
		}
	}
}

// reading does something in a transaction that sees one moment.
func (s *Store) reading(ctx context.Context, do func(*sql.Tx) error) error {
	return s.again(ctx, func() error {
		tx, err := s.db.BeginTx(ctx, &sql.TxOptions{Isolation: sql.LevelRepeatableRead, ReadOnly: true})
		if err != nil {
			return err
		}
		defer tx.Rollback()
		return do(tx)
	})
}

// Change does something in a transaction and commits it, once. It may be begun more than once.
func (s database) Change(ctx context.Context, do func(*sql.Tx) error) error {
	return s.again(ctx, func() error {
		s.mu.Lock()
		life := s.life
		s.mu.Unlock()
		number, err := s.try(ctx, do)
		if number == "" || !Lost(err) {
			return err
		}
		return s.outcome(ctx, number, life, err)
	})
}

// try does something in a transaction. It returns the number of the transaction once its commit was sent.
func (s *Store) try(ctx context.Context, do func(*sql.Tx) error) (number string, err error) {
	if err := ctx.Err(); err != nil {
		return "", err
	}
	tx, err := s.db.BeginTx(context.WithoutCancel(ctx), nil) // a commit is not cut short
	if err != nil {
		return "", err
	}
	defer tx.Rollback()
	if err := tx.QueryRowContext(ctx, "SELECT pg_current_xact_id()::text").Scan(&number); err != nil {
		return "", err
	}
	if err := do(tx); err != nil {
		return "", err
	}
	if err := ctx.Err(); err != nil {
		return "", err
	}
	return number, tx.Commit()
}

// lives returns what tells one life of the server from the next, which begins where it is restarted or recovers from a
// crash, and notes it.
func (s *Store) lives(ctx context.Context) (life string, err error) {
	err = s.db.QueryRowContext(ctx, "SELECT pg_postmaster_start_time()::text || ' ' || "+
		"coalesce((SELECT stats_reset::text FROM pg_stat_bgwriter), '')").Scan(&life)
	if err == nil {
		s.mu.Lock()
		s.life = life
		s.mu.Unlock()
	}
	return life, err
}

// outcome asks what became of a transaction whose connection was lost as it was committed, in a life of the server: nil
// where it was, and else the cause, by which it is begun anew. A server that crashed gives the numbers of transactions
// that were lost to others, so that a number which was committed need not be this one's: then it is a doubt.
func (s *Store) outcome(ctx context.Context, number, life string, cause error) error {
	var status sql.NullString
	now := ""
	err := s.again(ctx, func() (err error) {
		if now, err = s.lives(ctx); err != nil {
			return err
		}
		for begun := time.Now(); ; time.Sleep(20 * time.Millisecond) {
			err := s.db.QueryRowContext(ctx, "SELECT pg_xact_status($1::text::xid8)", number).Scan(&status)
			if err != nil || status.String != "in progress" || time.Since(begun) > patience {
				return err
			}
		}
	})
	switch {
	case err != nil || status.String == "committed" && now == life:
		return err
	case status.String == "aborted":
		return cause
	}
	return &doubt{&finding{s.ref, fmt.Sprintf("the connection was lost (%s), and the server does not say whether the "+
		"last change was stored: run the same command again, which asks only for what is missing", why(cause))}}
}

// Close implements run.Store.
func (s *Store) Close() error { return s.db.Close() }

// The server keeps no byte 0 in a text. A text that holds one, or that begins with the mark of such a text, is
// stored behind the mark, with the byte written as two.
const escaped = "\x01"

var (
	escape   = strings.NewReplacer("\x02", "\x022", "\x00", "\x020")
	unescape = strings.NewReplacer("\x022", "\x02", "\x020", "\x00")
)

// put returns a value as it is stored.
func put(v any) any {
	if text, ok := v.(string); ok && (strings.IndexByte(text, 0) >= 0 || strings.HasPrefix(text, escaped)) {
		return escaped + escape.Replace(text)
	}
	return v
}

// putAll returns values as they are stored.
func putAll(values []any) []any {
	for i, v := range values {
		values[i] = put(v)
	}
	return values
}

// texts are rows whose texts are as they were before they were stored.
type texts struct{ *sql.Rows }

func (t texts) Scan(to ...any) error {
	err := t.Rows.Scan(to...)
	for _, v := range to {
		if c, ok := v.(*row.Cell); ok {
			if text, ok := c.V.(string); ok && strings.HasPrefix(text, escaped) {
				c.V = unescape.Replace(text[len(escaped):])
			}
		}
	}
	return err
}

// query returns the rows of a query.
func query(ctx context.Context, q row.Queries, text string, args ...any) (row.Rows, error) {
	rows, err := q.QueryContext(ctx, text, args...)
	return texts{rows}, err
}
