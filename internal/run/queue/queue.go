// Package queue spreads the calls of runs over processes, on River in the store's own schema. A run is planned wave by
// wave; the calls of a wave are cut into shards, and a job of River brings each shard to a worker. Whoever finishes the
// last shard of a wave enqueues the planning of the next.
//
// River delivers, and may deliver twice. That a shard has one worker at a time is held by a lease in its own row, which
// the worker renews by the clock of the server; a worker that cannot renew it in time asks nothing more.
package queue

import (
	"context"
	_ "embed" // of the schema
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"

	"hallmark/internal/run"
	"hallmark/internal/run/store/postgres"
)

//go:embed schema1.sql
var schema1 string

// migrations bring the tables of the queue from each version to the next. Those of River have versions of their own.
var migrations = []string{schema1}

// lockNumber is of the lock under which a queue is made.
const lockNumber = 0x48414c51

// ErrNone is wrapped where there is no queue in the store's schema.
var ErrNone = errors.New("no run was ever detached here: `hallmark run --detach` makes the queue")

// A Queue is that of one store.
type Queue struct {
	store  *postgres.Store
	pool   *pgxpool.Pool
	client *river.Client[pgx.Tx] // which only inserts
}

// Open opens the queue of a store, and makes it where there is none.
func Open(ctx context.Context, s run.Store) (*Queue, error) { return open(ctx, s, true) }

// Read is Open for a queue that is there already: it makes and changes no table. Where there is none the error wraps
// ErrNone.
func Read(ctx context.Context, s run.Store) (*Queue, error) { return open(ctx, s, false) }

func open(ctx context.Context, s run.Store, write bool) (*Queue, error) {
	p, ok := s.(*postgres.Store)
	if !ok {
		return nil, errors.New("a queue needs a store that many machines reach: name one with --store " +
			"postgres://HOST/DATABASE")
	}
	pool, err := p.Pool(ctx, connections)
	if err != nil {
		return nil, err
	}
	q := &Queue{store: p, pool: pool}
	if err := q.prepare(ctx, write); err != nil {
		pool.Close()
		return nil, q.explain(err)
	}
	if q.client, err = river.NewClient(riverpgxv5.New(pool), &river.Config{Logger: slog.New(slog.DiscardHandler),
		SkipUnknownJobCheck: true}); err != nil {
		pool.Close()
		return nil, err
	}
	return q, nil
}

// connections is how many a process has beside those of its store.
const connections = 6

// Close ends the connections.
func (q *Queue) Close() { q.pool.Close() }

// version is that of the tables which one of them tells of; 0 where there is none.
func (q *Queue) version(ctx context.Context, from string) (n int, err error) {
	err = q.pool.QueryRow(ctx, "SELECT coalesce(max(version), 0)::int FROM "+from).Scan(&n)
	if e, ok := errors.AsType[*pgconn.PgError](err); ok && (e.Code == "42P01" || e.Code == "3F000") {
		err = nil // there is no such table, or no schema
	}
	return n, err
}

// prepare makes sure that the tables are there and of this version.
func (q *Queue) prepare(ctx context.Context, write bool) error {
	quiet := &rivermigrate.Config{Logger: slog.New(slog.DiscardHandler)}
	migrator, err := rivermigrate.New(riverpgxv5.New(q.pool), quiet)
	if err != nil {
		return err
	}
	newest := 0
	for _, m := range migrator.AllVersions() {
		newest = max(newest, m.Version)
	}
	have, err := q.version(ctx, "queue_version")
	if err != nil {
		return err
	}
	// which has no column "line" where River's first tables were made and the rest is still to come
	rivers, err := q.version(ctx, "river_migration m WHERE coalesce(to_jsonb(m)->>'line', 'main') = 'main'")
	switch {
	case err != nil:
		return err
	case have > len(migrations) || rivers > newest:
		return q.store.Finding(fmt.Sprintf("its queue was made by a newer hallmark (version %d.%d, this one knows "+
			"up to %d.%d): update hallmark here", have, rivers, len(migrations), newest))
	case have == len(migrations) && rivers == newest:
		return nil
	case !write && have == 0:
		return ErrNone
	case !write:
		return q.store.Finding(fmt.Sprintf("its queue was made by an older hallmark (version %d.%d, this one reads "+
			"%d.%d): the next `hallmark run --detach` or `hallmark worker` brings it to that", have, rivers,
			len(migrations), newest))
	}
	return q.migrate(ctx, migrator)
}

// migrate brings the tables to this version, unless another process is faster.
func (q *Queue) migrate(ctx context.Context, migrator *rivermigrate.Migrator[pgx.Tx]) error {
	conn, err := q.pool.Acquire(ctx)
	if err != nil {
		return err
	}
	defer conn.Release()
	if _, err := conn.Exec(ctx, "SELECT pg_advisory_lock($1)", int64(lockNumber)); err != nil {
		return err
	}
	defer func() { // a lock that is not given back ends with its connection
		_, _ = conn.Exec(context.WithoutCancel(ctx), "SELECT pg_advisory_unlock($1)", int64(lockNumber))
	}()
	if _, err := migrator.Migrate(ctx, rivermigrate.DirectionUp, nil); err != nil {
		return err
	}
	return pgx.BeginFunc(ctx, q.pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "CREATE TABLE IF NOT EXISTS queue_version (version BIGINT PRIMARY KEY, "+
			"at TIMESTAMPTZ NOT NULL DEFAULT now())"); err != nil {
			return err
		}
		have := 0
		if err := tx.QueryRow(ctx, "SELECT coalesce(max(version), 0)::int FROM queue_version").Scan(&have); err != nil {
			return err
		}
		for i := have; i < len(migrations); i++ {
			if _, err := tx.Exec(ctx, migrations[i]); err != nil {
				return err
			}
			if _, err := tx.Exec(ctx, "INSERT INTO queue_version (version) VALUES ($1)", i+1); err != nil {
				return err
			}
		}
		return nil
	})
}

// patience is how long a change is tried while the server is away.
const patience = 20 * time.Second

// change does something in a transaction, again while the connection is lost. What it does may be done twice.
func (q *Queue) change(ctx context.Context, do func(pgx.Tx) error) error {
	begun := time.Now()
	for wait := 50 * time.Millisecond; ; wait = min(2*wait, time.Second) {
		err := pgx.BeginFunc(ctx, q.pool, do)
		if !postgres.Passing(err) || time.Since(begun) > patience {
			return q.explain(err)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(wait):
		}
	}
}

// explain is what a user is told of an error.
func (q *Queue) explain(err error) error {
	for _, own := range []error{ErrNone, errFenced, errLost, pgx.ErrNoRows} {
		if errors.Is(err, own) {
			return err
		}
	}
	return q.store.Explain(err)
}
