package queue

import (
	"context"
	"iter"

	"github.com/jackc/pgx/v5"

	"hallmark/internal/base/lists"
	"hallmark/internal/run"
)

// A sieve lets through the calls of a wave that are neither on the queue yet nor given up. What it saw is in a table of
// the server that is of its connection alone, by half their keys: nobody finds two calls that share it. So who plans
// holds the same memory however many calls there are.
type sieve struct {
	conn   *pgx.Conn
	number int  // of the last shard of the wave that is there already
	gave   bool // some calls of the run were given up
	open   int  // calls that came and were not given up
	// calls of the wave that are on the queue since before
	waiting int
	err     error
}

// atOnce is how many calls are looked up at once.
const atOnce = 256

// sieve opens that of the wave which the lease's shard plans. It is to be closed.
func (q *Queue) sieve(ctx context.Context, l *Lease) (*sieve, error) {
	conn, err := q.pool.Acquire(ctx)
	if err != nil {
		return nil, err
	}
	s := &sieve{conn: conn.Hijack()}
	if err = s.fill(ctx, l); err != nil {
		s.close()
		return nil, err
	}
	return s, nil
}

// close ends the connection, and with it the table.
func (s *sieve) close() {
	within, cancel := context.WithTimeout(context.Background(), leastRest)
	defer cancel()
	_ = s.conn.Close(within) // the server ends one that is lost
}

// fill takes in what is there: the calls that were given up in any wave, and those of this one that are to be asked.
func (s *sieve) fill(ctx context.Context, l *Lease) error {
	// The table grows from nothing under the same statements, and nobody else counts its rows.
	if _, err := s.conn.Exec(ctx, "SET plan_cache_mode = force_custom_plan"); err != nil {
		return err
	}
	if _, err := s.conn.Exec(ctx,
		"CREATE TEMPORARY TABLE seen (key BYTEA PRIMARY KEY, gave BOOLEAN NOT NULL)"); err != nil {
		return err
	}
	gave, err := s.conn.Exec(ctx, "INSERT INTO seen SELECT DISTINCT substring(without FROM 16 * i + 1 FOR 16), "+
		"TRUE FROM queue_shard, generate_series(0, length(without) / 16 - 1) i WHERE run = $1 AND without IS NOT NULL",
		l.run)
	if err != nil {
		return err
	}
	s.gave = gave.RowsAffected() > 0
	var open []int
	if err := s.conn.QueryRow(ctx, "SELECT coalesce(max(number), 0), coalesce(array_agg(number) FILTER (WHERE body IS "+
		"NOT NULL), '{}') FROM queue_shard WHERE run = $1 AND wave = $2 AND number > 0", l.run, l.wave).Scan(&s.number,
		&open); err != nil {
		return err
	}
	for _, number := range open {
		var body, digest []byte
		if err := s.conn.QueryRow(ctx, "SELECT body, digest FROM queue_shard WHERE run = $1 AND wave = $2 "+
			"AND number = $3", l.run, l.wave, number).Scan(&body, &digest); err != nil {
			return err
		}
		if body == nil { // asked since
			continue
		}
		calls, err := unpack(body, digest)
		if err != nil {
			return err
		}
		keys := lists.Map(calls, run.Call.Key)
		if _, err := s.conn.Exec(ctx, note, halves(keys)); err != nil {
			return err
		}
		s.waiting += len(keys)
	}
	return nil
}

// note takes in halves of keys.
const note = "INSERT INTO seen SELECT DISTINCT k, FALSE FROM unnest($1::bytea[]) k ON CONFLICT DO NOTHING"

func halves(keys []run.Key) [][]byte {
	return lists.Map(keys, func(k run.Key) []byte { return k[:16] })
}

// A marked call has the place after it.
type marked struct {
	run.Call
	mark Mark
}

// fresh returns those of the calls that come for the first time. Where it stops early, err says why.
func (s *sieve) fresh(ctx context.Context, calls iter.Seq2[run.Call, Mark]) iter.Seq[marked] {
	return func(yield func(marked) bool) {
		var few []marked
		var keys []run.Key
		look := func() bool {
			var isNew []bool
			if isNew, s.err = s.look(ctx, keys); s.err != nil {
				return false
			}
			for i, c := range few {
				if isNew[i] && !yield(c) {
					return false
				}
			}
			few, keys = few[:0], keys[:0]
			return true
		}
		for c, mark := range calls {
			few, keys = append(few, marked{c, mark}), append(keys, mark.Key)
			if len(few) == atOnce && !look() {
				return
			}
		}
		look()
	}
}

// look tells which of the keys are new, notes them, and counts those that are open.
func (s *sieve) look(ctx context.Context, keys []run.Key) ([]bool, error) {
	list := halves(keys)
	s.open += len(list)
	if s.gave {
		var gave int
		if err := s.conn.QueryRow(ctx, "SELECT count(*) FROM unnest($1::bytea[]) k JOIN seen ON key = k WHERE gave",
			list).Scan(&gave); err != nil {
			return nil, err
		}
		s.open -= gave
	}
	rows, err := s.conn.Query(ctx, note+" RETURNING key", list)
	if err != nil {
		return nil, err
	}
	made := map[[16]byte]bool{}
	var key []byte
	if _, err := pgx.ForEachRow(rows, []any{&key}, func() error {
		made[[16]byte(key)] = true
		return nil
	}); err != nil {
		return nil, err
	}
	isNew := make([]bool, len(keys))
	for i := range list {
		k := [16]byte(list[i])
		isNew[i] = made[k]
		delete(made, k)
	}
	return isNew, nil
}
