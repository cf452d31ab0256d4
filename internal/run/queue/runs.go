package queue

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"
)

// The states of a run on the queue.
const (
	Active    = "open"
	Paused    = "paused"
	Cancelled = "cancelled"
	Finished  = "finished"
)

// A Run is one on the queue.
type Run struct {
	ID      string
	Program string          // the release and build by which its waves are planned
	Suites  []Suite         // by which a worker knows that it reads them as they were
	Told    json.RawMessage // limits and prices that workers keep; no key and no program
	State   string
	Wave    int
	Created time.Time
	Trouble string // what a worker last met; "" for nothing
}

// A Suite is one of a run.
type Suite struct {
	Name string `json:"name"`
	Hash string `json:"hash"`
}

// ErrAbsent is wrapped where a run is not on the queue.
var ErrAbsent = errors.New("is not on the queue")

// Enqueue puts a run on the queue: the planning of its first wave. One that is there and did not end stays as it is,
// and is resumed where it was paused; added is false then.
func (q *Queue) Enqueue(ctx context.Context, r *Run) (added bool, err error) {
	suites, err := json.Marshal(r.Suites)
	if err != nil {
		return false, err
	}
	err = q.change(ctx, func(tx pgx.Tx) error {
		added = false
		if _, err := tx.Exec(ctx, "DELETE FROM queue_run WHERE id = $1 AND state IN ($2, $3)", r.ID, Cancelled,
			Finished); err != nil {
			return err
		}
		made, err := tx.Exec(ctx, "INSERT INTO queue_run (id, program, suites, told, state, wave, planned, open) "+
			"VALUES ($1, $2, $3, $4, $5, 0, FALSE, 0) ON CONFLICT DO NOTHING", r.ID, r.Program, string(suites),
			string(r.Told), Active)
		if err != nil {
			return err
		}
		if added = made.RowsAffected() == 1; added {
			// what is left of a run that was cancelled
			const left = "DELETE FROM river_job WHERE queue = $1 AND state <> 'running'"
			if _, err := tx.Exec(ctx, left, r.ID); err != nil {
				return err
			}
			return q.toPlan(ctx, tx, r.ID, 0)
		}
		_, err = tx.Exec(ctx, "UPDATE queue_run SET state = $2 WHERE id = $1 AND state = $3", r.ID, Active, Paused)
		return err
	})
	return added, err
}

// toPlan enqueues the planning of a wave.
func (q *Queue) toPlan(ctx context.Context, tx pgx.Tx, id string, wave int) error {
	_, err := q.insert(ctx, tx, id, wave, []shardRow{{purpose: Planning}})
	return err
}

// Planning is the purpose of the shard that plans a wave.
const Planning = "planning"

// A shardRow is a shard as it is enqueued.
type shardRow struct {
	number  int
	purpose string
	calls   int
	digest  []byte
	body    []byte
}

// insert enqueues those of the shards that are not there, and returns how many these are.
func (q *Queue) insert(ctx context.Context, tx pgx.Tx, id string, wave int, rows []shardRow) (int, error) {
	var params []river.InsertManyParams
	var numbers []int
	for i := range rows {
		s := &rows[i]
		made, err := tx.Exec(ctx, "INSERT INTO queue_shard (run, wave, number, purpose, calls, digest, body) "+
			"VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING", id, wave, s.number, s.purpose, s.calls,
			s.digest, s.body)
		if err != nil {
			return 0, err
		}
		if made.RowsAffected() == 0 { // made before, where a connection was lost as it was committed
			var same bool
			if err := tx.QueryRow(ctx, "SELECT digest IS NOT DISTINCT FROM $4 FROM queue_shard WHERE run = $1 AND "+
				"wave = $2 AND number = $3", id, wave, s.number, s.digest).Scan(&same); err != nil {
				return 0, err
			}
			if !same { // by another worker
				return 0, errFenced
			}
		} else {
			params = append(params, river.InsertManyParams{Args: shardArgs{id, wave, s.number},
				InsertOpts: &river.InsertOpts{Queue: id, MaxAttempts: mostAttempts}})
			numbers = append(numbers, s.number)
		}
	}
	if len(params) == 0 {
		return 0, nil
	}
	results, err := q.client.InsertManyTx(ctx, tx, params)
	if err != nil {
		return 0, err
	}
	jobs := make([]int64, len(results))
	for i, r := range results {
		jobs[i] = r.Job.ID
	}
	_, err = tx.Exec(ctx, "UPDATE queue_shard s SET job = x.job FROM unnest($3::bigint[], $4::bigint[]) x (number, "+
		"job) WHERE s.run = $1 AND s.wave = $2 AND s.number = x.number", id, wave, numbers, jobs)
	return len(params), err
}

const columns = "id, program, suites, told, state, wave, created, coalesce(trouble, '')"

func scan(row pgx.CollectableRow) (*Run, error) {
	r := &Run{}
	var suites, told string
	if err := row.Scan(&r.ID, &r.Program, &suites, &told, &r.State, &r.Wave, &r.Created, &r.Trouble); err != nil {
		return nil, err
	}
	r.Told = json.RawMessage(told)
	if err := json.Unmarshal([]byte(suites), &r.Suites); err != nil {
		return nil, fmt.Errorf("run %s on the queue: its suites do not read: %w", r.ID, err)
	}
	return r, nil
}

// Run returns the run of an id.
func (q *Queue) Run(ctx context.Context, id string) (r *Run, err error) {
	err = q.read(ctx, func() error {
		rows, err := q.pool.Query(ctx, "SELECT "+columns+" FROM queue_run WHERE id = $1", id)
		if err != nil {
			return err
		}
		r, err = pgx.CollectExactlyOneRow(rows, scan)
		return err
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, fmt.Errorf("run %s %w", id, ErrAbsent)
	}
	return r, q.explain(err)
}

// read does something that only reads, again while the connection is lost.
func (q *Queue) read(ctx context.Context, do func() error) error {
	var found error
	err := q.change(ctx, func(pgx.Tx) error {
		found = do()
		if errors.Is(found, pgx.ErrNoRows) {
			return nil
		}
		return found
	})
	if err == nil {
		return found
	}
	return err
}

// Waiting returns the open runs, the oldest first, and of which of them shards wait for a worker.
func (q *Queue) Waiting(ctx context.Context) (open []*Run, waits map[string]bool, err error) {
	rows, err := q.pool.Query(ctx, "SELECT "+columns+" FROM queue_run WHERE state = $1 ORDER BY created, id", Active)
	if err != nil {
		return nil, nil, err
	}
	if open, err = pgx.CollectRows(rows, scan); err != nil {
		return nil, nil, err
	}
	waits = map[string]bool{}
	rows, err = q.pool.Query(ctx, "SELECT r.id FROM queue_run r WHERE r.state = $1 AND EXISTS (SELECT FROM "+
		"river_job j WHERE j.state = 'available' AND j.queue = r.id AND j.scheduled_at <= now())", Active)
	if err != nil {
		return nil, nil, err
	}
	ids, err := pgx.CollectRows(rows, pgx.RowTo[string])
	for _, id := range ids {
		waits[id] = true
	}
	return open, waits, err
}

// From are the states of which a run can be brought to another from anywhere. Paused keeps workers from it: calls under
// way are let end, and no more are asked until it is open again. Cancelled takes it off the queue; what was answered
// stays in the store.
var From = map[string][]string{Paused: {Active}, Active: {Paused}, Cancelled: {Active, Paused}}

// Bring brings a run to a state, if it is in one that From has of it, and returns the run as it was.
func (q *Queue) Bring(ctx context.Context, id, state string) (before *Run, err error) {
	if before, err = q.Run(ctx, id); err != nil {
		return nil, err
	}
	err = q.exec(ctx, "UPDATE queue_run SET state = $2 WHERE id = $1 AND state = ANY($3)", id, state, From[state])
	if err != nil || state != Cancelled {
		return before, err
	}
	return before, q.change(ctx, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "DELETE FROM river_job WHERE queue = $1 AND state <> 'running'", id); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, "UPDATE queue_shard SET body = NULL WHERE run = $1 AND EXISTS (SELECT FROM queue_run "+
			"WHERE id = $1 AND state = $2)", id, Cancelled)
		return err
	})
}

// exec is change for one statement.
func (q *Queue) exec(ctx context.Context, statement string, args ...any) error {
	return q.change(ctx, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, statement, args...)
		return err
	})
}

// Trouble notes what a worker met, for who follows the run.
func (q *Queue) Trouble(ctx context.Context, id, what string) error {
	return q.exec(ctx, "UPDATE queue_run SET trouble = $2 WHERE id = $1", id, what)
}

// A Progress is how far a run has come.
type Progress struct {
	*Run
	Planned bool   // the wave is; while it is not, its calls may become more
	Purpose string // what the calls of the wave are for; Planning while none is known
	// Of the wave.
	Calls, Answered int
	// Of all waves: calls that were asked, that had a record, that failed, that were skipped.
	Asked, Reused, Failed, Skipped int
	Workers                        int // that have a shard
}

// Progress returns how far a run has come.
func (q *Queue) Progress(ctx context.Context, id string) (*Progress, error) {
	r, err := q.Run(ctx, id)
	if err != nil {
		return nil, err
	}
	p := &Progress{Run: r}
	err = q.read(ctx, func() error {
		return q.pool.QueryRow(ctx, "SELECT r.planned, "+
			"coalesce(max(s.purpose) FILTER (WHERE s.wave = r.wave AND s.number > 0), $2), "+
			"coalesce(sum(s.calls) FILTER (WHERE s.wave = r.wave), 0)::bigint, "+
			"coalesce(sum(s.answered) FILTER (WHERE s.wave = r.wave), 0)::bigint, "+
			"coalesce(sum(s.asked), 0)::bigint, (coalesce(sum(s.reused) FILTER (WHERE s.number > 0), 0) + "+
			"coalesce(max(s.reused) FILTER (WHERE s.number = 0), 0))::bigint, coalesce(sum(s.failed), 0)::bigint, "+
			"coalesce(sum(s.skipped), 0)::bigint, "+
			"count(DISTINCT split_part(s.holder, '/', 1)) FILTER (WHERE s.lease > now() - make_interval(secs => $3)) "+
			"FROM queue_run r LEFT JOIN queue_shard s ON s.run = r.id WHERE r.id = $1 GROUP BY r.id", id, Planning,
			leaseTime.Seconds()).Scan(&p.Planned, &p.Purpose, &p.Calls, &p.Answered, &p.Asked, &p.Reused, &p.Failed,
			&p.Skipped, &p.Workers)
	})
	return p, q.explain(err)
}
