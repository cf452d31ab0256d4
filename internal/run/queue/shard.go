package queue

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"iter"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/klauspost/compress/zstd"

	"hallmark/internal/run"
)

// shardArgs name the shard that a job brings.
type shardArgs struct {
	Run    string `json:"run"`
	Wave   int    `json:"wave"`
	Number int    `json:"number"`
}

// Kind implements river.JobArgs.
func (shardArgs) Kind() string { return "hallmark_shard" }

// mostAttempts is as often as River can count: how often a shard is brought to a worker says nothing of it.
const mostAttempts = 32_767

// The sizes of shards: each has one part of so many of the calls that are left, so that a long wave has few, and its
// last ones are short: then no worker has a long one while the others have none. A shard ends early where its requests
// are long.
const (
	leastCalls = 16
	mostCalls  = 512
	parts      = 32
	mostBytes  = 4 << 20
	mostBody   = 256 << 20 // of a shard that is read
)

// A packer makes the body of a shard.
type packer struct {
	to     *zstd.Encoder
	out    bytes.Buffer
	sum    hash.Hash
	calls  int
	length int
}

func newPacker() (*packer, error) {
	to, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	if err != nil {
		return nil, err
	}
	p := &packer{to: to}
	p.reset()
	return p, nil
}

func (p *packer) reset() {
	p.out.Reset()
	p.to.Reset(&p.out)
	p.sum, p.calls, p.length = sha256.New(), 0, 0
}

func (p *packer) add(c run.Call, k run.Key) error {
	line, err := json.Marshal(c)
	if err != nil {
		return err
	}
	p.sum.Write(k[:])
	p.calls++
	p.length += len(line) + 1
	_, err = p.to.Write(append(line, '\n'))
	return err
}

// take returns the shard, and begins the next.
func (p *packer) take(number int, purpose string) (shardRow, error) {
	if err := p.to.Close(); err != nil {
		return shardRow{}, err
	}
	s := shardRow{number: number, purpose: purpose, calls: p.calls, digest: p.sum.Sum(nil),
		body: bytes.Clone(p.out.Bytes())}
	p.reset()
	return s, nil
}

// unpack returns the calls of a shard.
func unpack(body, digest []byte) ([]run.Call, error) {
	from, err := zstd.NewReader(bytes.NewReader(body), zstd.WithDecoderConcurrency(1),
		zstd.WithDecoderMaxMemory(mostBody))
	if err != nil {
		return nil, err
	}
	defer from.Close()
	lines := json.NewDecoder(io.LimitReader(from, mostBody))
	var calls []run.Call
	sum := sha256.New()
	for {
		var c run.Call
		if err := lines.Decode(&c); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, fmt.Errorf("its calls do not read: %w", err)
		}
		k := c.Key()
		sum.Write(k[:])
		calls = append(calls, c)
	}
	if !bytes.Equal(sum.Sum(nil), digest) {
		return nil, errors.New("its calls are not those that were planned")
	}
	return calls, nil
}

// errFenced says that another worker has the shard by now, or that the run is stopped.
var errFenced = errors.New("the shard is another worker's by now, or its run was stopped")

// put enqueues the calls of a wave, under the lease of the shard that plans it, and returns how many there are. Where a
// worker was lost that planned the same wave, those that it enqueued and that are not asked yet are there already, and
// those that were given up, as the budget is spent, are none of them. Most is how many there are at most.
func (q *Queue) put(ctx context.Context, l *Lease, purpose string, most int, calls iter.Seq2[run.Call, Mark]) (int,
	error) {
	p, err := newPacker()
	if err != nil {
		return 0, err
	}
	seen, err := q.sieve(ctx, l)
	if err != nil {
		return 0, q.explain(err)
	}
	defer seen.close()
	number := seen.number
	var rows []shardRow
	fresh, bytes := 0, 0
	var mark Mark
	cut := func() error {
		number++
		row, err := p.take(number, purpose)
		rows, bytes = append(rows, row), bytes+len(row.body)
		return err
	}
	flush := func() error {
		err := q.fenced(ctx, l, func(tx pgx.Tx) error {
			made, err := q.insert(ctx, tx, l.run, l.wave, rows)
			if err == nil {
				_, err = tx.Exec(ctx, "UPDATE queue_run SET open = open + $2 WHERE id = $1", l.run, made)
			}
			if err == nil {
				_, err = tx.Exec(ctx, "UPDATE queue_shard SET body = $4 WHERE run = $1 AND wave = $2 AND number = $3",
					l.run, l.wave, l.number, mark.bytes())
			}
			return err
		})
		rows, bytes = nil, 0
		return err
	}
	for c := range seen.fresh(ctx, calls) {
		fresh++
		mark = c.mark
		if err := p.add(c.Call, mark.Key); err != nil {
			return 0, err
		}
		size := min(max((most-fresh+p.calls)/parts, leastCalls), mostCalls)
		if p.calls < size && p.length < mostBytes {
			continue
		}
		if err := cut(); err != nil {
			return 0, err
		}
		if len(rows) < 16 && bytes < mostBytes {
			continue
		}
		if err := flush(); err != nil {
			return 0, err
		}
	}
	if seen.err != nil {
		return 0, q.explain(seen.err)
	}
	if p.calls > 0 {
		if err := cut(); err != nil {
			return 0, err
		}
	}
	if len(rows) == 0 {
		return cmp.Or(seen.open, seen.waiting), nil
	}
	return seen.open, flush()
}

// fenced does something in a transaction as long as the lease holds, while nobody else changes the run.
func (q *Queue) fenced(ctx context.Context, l *Lease, do func(pgx.Tx) error) error {
	return q.change(ctx, func(tx pgx.Tx) error {
		var state string
		var wave int
		if err := tx.QueryRow(ctx, "SELECT state, wave FROM queue_run WHERE id = $1 FOR UPDATE", l.run).Scan(&state,
			&wave); err != nil && !errors.Is(err, pgx.ErrNoRows) {
			return err
		}
		// whoever takes the shard next waits for this transaction, and sees what it did
		holds, err := tx.Exec(ctx, "SELECT FROM queue_shard WHERE run = $1 AND wave = $2 AND number = $3 "+
			"AND holder = $4 AND NOT done FOR UPDATE", l.run, l.wave, l.number, l.holder)
		if err != nil {
			return err
		}
		if state != Active || wave != l.wave || holds.RowsAffected() == 0 {
			return errFenced
		}
		return do(tx)
	})
}

// done notes that a shard is done, and enqueues the planning of the next wave where it was the last of its wave. With
// ended there is no next one.
func (q *Queue) done(ctx context.Context, l *Lease, ended bool) error {
	return q.change(ctx, func(tx pgx.Tx) error {
		var state string
		var wave, open int
		var planned bool
		err := tx.QueryRow(ctx, "SELECT state, wave, open, planned FROM queue_run WHERE id = $1 FOR UPDATE",
			l.run).Scan(&state, &wave, &open, &planned)
		if err != nil {
			if errors.Is(err, pgx.ErrNoRows) {
				return nil
			}
			return err
		}
		c, _, without := l.sofar()
		made, err := tx.Exec(ctx, "UPDATE queue_shard SET done = TRUE, body = NULL, holder = NULL, lease = NULL, "+
			"answered = calls, asked = $5, reused = $6, failed = $7, skipped = $8, without = $9 WHERE run = $1 AND "+
			"wave = $2 AND number = $3 AND NOT done AND ($3 > 0 OR holder = $4)", l.run, l.wave, l.number, l.holder,
			l.before+c.Asked, max(c.Reused-l.before, 0), c.Failed, c.Skipped, without)
		if err != nil || made.RowsAffected() == 0 || wave != l.wave {
			return err
		}
		if l.number == 0 {
			planned = true
		} else {
			open--
		}
		switch {
		case ended:
			state = map[bool]string{true: Finished, false: state}[state == Active]
			_, err = tx.Exec(ctx, "UPDATE queue_run SET state = $2, planned = TRUE, trouble = NULL, ended = now() "+
				"WHERE id = $1", l.run, state)
		case planned && open == 0:
			_, err = tx.Exec(ctx, "UPDATE queue_run SET wave = wave + 1, planned = FALSE, open = 0, trouble = NULL "+
				"WHERE id = $1", l.run)
			if err == nil && state != Cancelled {
				err = q.toPlan(ctx, tx, l.run, wave+1)
			}
		default:
			_, err = tx.Exec(ctx, "UPDATE queue_run SET open = $2, planned = $3, trouble = NULL WHERE id = $1", l.run,
				open, planned)
		}
		return err
	})
}

// free gives a shard back, with what was answered of it.
func (q *Queue) free(ctx context.Context, l *Lease) error {
	c, _, _ := l.sofar()
	return q.exec(ctx, "UPDATE queue_shard SET holder = NULL, lease = NULL, asked = $5 WHERE run = $1 AND wave = $2 "+
		"AND number = $3 AND holder = $4 AND NOT done", l.run, l.wave, l.number, l.holder, l.before+c.Asked)
}

// rescue makes the jobs of shards available again whose worker is gone.
func (q *Queue) rescue(ctx context.Context) (n int64, err error) {
	done, err := q.pool.Exec(ctx, "UPDATE river_job j SET state = 'available', scheduled_at = now(), "+
		"finalized_at = NULL, attempt = 0 FROM queue_shard s JOIN queue_run r ON r.id = s.run WHERE j.id = s.job AND "+
		"NOT s.done AND "+
		"r.state = $1 AND r.wave = s.wave AND (s.lease IS NULL OR s.lease < now() - make_interval(secs => $2)) AND "+
		"(j.state = 'running' AND j.attempted_at < now() - make_interval(secs => $2) OR "+
		"j.state IN ('completed', 'discarded', 'cancelled'))", Active, leaseTime.Seconds())
	return done.RowsAffected(), err
}

// leaseTime is how long a worker has a shard without saying that it still does.
var leaseTime = 10 * time.Second
