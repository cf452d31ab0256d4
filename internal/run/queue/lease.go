package queue

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"hallmark/internal/model"
	"hallmark/internal/run"
)

// A Lease is a worker's hold on a shard.
type Lease struct {
	run          string
	wave, number int
	holder       string
	before       int       // calls that were asked under earlier leases of it
	created      time.Time // when the run was put on the queue
	calls        []run.Call
	mark         Mark // of a shard that plans: how far whoever had it before has come

	mu       sync.Mutex
	said     time.Time // when it was last renewed, by a clock that does not stop where the process does
	progress run.Counts
	answered int
	lost     bool
	without  []byte
}

// Mark returns how far the wave was planned by whoever had the shard before.
func (l *Lease) Mark() Mark { return l.mark }

// Skip notes a call that is not asked, as the budget is spent.
func (l *Lease) Skip(k run.Key) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.without = append(l.without, k[:16]...)
}

// May returns an error where the lease does not hold any more: then nothing more is to be asked. The error wraps
// model.ErrGone, which ends an Execute. While the server does not answer, so that it is not known whether the lease
// holds, May waits: what is asked meanwhile could not be stored either.
func (l *Lease) May() error {
	for {
		l.mu.Lock()
		since, lost := time.Since(l.said), l.lost
		l.mu.Unlock()
		switch {
		case lost || since > leaseTime-leaseTime/margin:
			return fmt.Errorf("%w: %w", model.ErrGone, errLost)
		case since < 2*leaseTime/renewals:
			return nil
		}
		time.Sleep(leaseTime / 500)
	}
}

// holds reports whether the lease does.
func (l *Lease) holds() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return !l.lost && time.Since(l.said) <= leaseTime-leaseTime/margin
}

// errLost says that a lease ran out or was taken back.
var errLost = errors.New("the lease of the shard ran out")

// Update notes how far the calls of the shard have come.
func (l *Lease) Update(p run.Progress) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.progress, l.answered = p.Counts, p.Done()
}

// sofar is how far they have come, and the calls that are not asked.
func (l *Lease) sofar() (c run.Counts, answered int, without []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.progress, l.answered, l.without
}

const (
	margin   = 5 // a worker stops before its lease runs out, by one part of so many
	renewals = 5 // while a lease would run out it is renewed so often
)

func (l *Lease) renewed(sent time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.said = sent
}

func (l *Lease) lose() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lost = true
}

// What became of a job that brought a shard.
type outcome int

const (
	taken   outcome = iota
	useless         // the shard is done, or its run
	busy            // another worker has the shard
	paused          // the run is
)

// take leases a shard.
func (q *Queue) take(ctx context.Context, args shardArgs, holder string) (l *Lease, what outcome, err error) {
	err = q.change(ctx, func(tx pgx.Tx) error {
		l, what = nil, taken
		sent := time.Now()
		var body, digest []byte
		x := &Lease{run: args.Run, wave: args.Wave, number: args.Number, holder: holder}
		err := tx.QueryRow(ctx, "UPDATE queue_shard s SET holder = $4, lease = now() FROM queue_run r "+
			"WHERE r.id = s.run AND s.run = $1 AND s.wave = $2 AND s.number = $3 AND NOT s.done AND r.state = $5 "+
			"AND r.wave = s.wave AND (s.lease IS NULL OR s.lease < now() - make_interval(secs => $6)) "+
			"RETURNING s.body, s.digest, s.asked, r.created", args.Run, args.Wave, args.Number, holder, Active,
			leaseTime.Seconds()).Scan(&body, &digest, &x.before, &x.created)
		if err == nil {
			x.renewed(sent)
			if x.mark = markOf(body); x.number > 0 {
				if x.calls, err = unpack(body, digest); err != nil {
					return fmt.Errorf("run %s, wave %d, shard %d: %w; cancel the run and detach it again", x.run,
						x.wave, x.number, err)
				}
			}
			l = x
			return nil
		}
		if !errors.Is(err, pgx.ErrNoRows) {
			return err
		}
		var done bool
		var state string
		var wave int
		err = tx.QueryRow(ctx, "SELECT s.done, r.state, r.wave FROM queue_shard s JOIN queue_run r ON r.id = s.run "+
			"WHERE s.run = $1 AND s.wave = $2 AND s.number = $3", args.Run, args.Wave, args.Number).Scan(&done, &state,
			&wave)
		switch {
		case errors.Is(err, pgx.ErrNoRows):
			what = useless
			return nil
		case done || state == Cancelled || state == Finished || wave != args.Wave:
			what = useless
		case state == Paused:
			what = paused
		default:
			what = busy
		}
		return err
	})
	return l, what, err
}

// renew says that the worker still has the shard. It returns an error that wraps errLost where it has not, or where the
// run is stopped.
func (q *Queue) renew(ctx context.Context, l *Lease) error {
	sent := time.Now()
	c, answered, _ := l.sofar()
	var state string
	err := q.pool.QueryRow(ctx, "UPDATE queue_shard s SET lease = now(), answered = $5, asked = $6, reused = $7, "+
		"failed = $8, skipped = $9 FROM queue_run r WHERE r.id = s.run AND s.run = $1 AND s.wave = $2 "+
		"AND s.number = $3 AND s.holder = $4 AND NOT s.done RETURNING r.state", l.run, l.wave, l.number, l.holder,
		answered, l.before+c.Asked, max(c.Reused-l.before, 0), c.Failed, c.Skipped).Scan(&state)
	switch {
	case errors.Is(err, pgx.ErrNoRows), err == nil && state != Active:
		return errLost
	case err != nil:
		return err
	}
	l.renewed(sent)
	return nil
}

// keep renews the lease until ctx is done. It cancels the work where the lease is lost, or ran out while the server was
// away or the process stopped.
func (q *Queue) keep(ctx context.Context, l *Lease, cancel context.CancelCauseFunc) {
	tick := time.NewTicker(leaseTime / renewals)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		try, stop := context.WithTimeout(ctx, leaseTime/renewals)
		err := q.renew(try, l)
		stop()
		if ctx.Err() != nil {
			return
		}
		if errors.Is(err, errLost) || !l.holds() {
			l.lose()
			cancel(errLost)
			return
		}
	}
}
