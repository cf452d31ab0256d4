package run

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"
)

// Records are committed when so many are waiting, or the first of them has waited so long.
const (
	commitRows  = 256
	commitDelay = 50 * time.Millisecond // where Options do not say otherwise
)

// An entry is something to commit: a record, or what tries took that no record shows.
type entry struct {
	record *Record
	cost   Cost
	paid   Cost // of what a session took, what this and the entries before it show
}

// A committer adds records to the store in batches, in its own goroutine, so that a slow disk holds back no worker
// until its queue is full.
type committer struct {
	queue  chan entry
	stored chan struct{} // told of commits
	rows   atomic.Int64  // how many were committed
	failed chan struct{} // closed when a commit failed; later records are dropped
	done   chan struct{} // closed when all is committed
	counts Counts        // of the records committed
	err    error         // why a commit failed
}

// commit starts a committer. The context is only for its values: a commit is never cut short.
func commit(ctx context.Context, store Store, opt Options) *committer {
	c := &committer{queue: make(chan entry, commitRows), stored: make(chan struct{}, 1),
		failed: make(chan struct{}), done: make(chan struct{})}
	go c.run(context.WithoutCancel(ctx), store, opt)
	return c
}

// close waits until everything queued is committed, and returns what was and why not all.
func (c *committer) close() (Counts, error) {
	close(c.queue)
	<-c.done
	return c.counts, c.err
}

// keep stores a batch.
func (o *Options) keep(ctx context.Context, store Store, batch []Record, sum entry) error {
	if o.Session != nil {
		if err := o.Session.commit(batch, sum.cost, sum.paid); err != nil {
			return fmt.Errorf("store %d records: %w", len(batch), err)
		}
		return nil
	}
	if sum.cost != (Cost{}) && o.Unrecorded != nil {
		if err := o.Unrecorded(ctx, sum.cost); err != nil {
			return fmt.Errorf("store what tries took: %w", err)
		}
	}
	if len(batch) == 0 {
		return nil
	}
	if err := store.Add(ctx, batch); err != nil {
		return fmt.Errorf("store %d records: %w", len(batch), err)
	}
	return nil
}

func (c *committer) run(ctx context.Context, store Store, opt Options) {
	defer close(c.done)
	batch := make([]Record, 0, commitRows)
	var sum entry // of those that are no record
	flush := func() {
		if c.err == nil && (len(batch) > 0 || sum != (entry{})) {
			at := opt.Now()
			for i := range batch {
				batch[i].At = at
			}
			if c.err = opt.keep(ctx, store, batch, sum); c.err != nil {
				close(c.failed)
			} else {
				for i := range batch {
					c.counts.add(&batch[i])
				}
				c.rows.Add(int64(len(batch)))
				select {
				case c.stored <- struct{}{}:
				default: // the loop has yet to hear of one before
				}
			}
		}
		clear(batch) // lets go of the responses
		batch, sum = batch[:0], entry{}
	}
	timer := time.NewTimer(time.Hour)
	timer.Stop()
	for {
		select {
		case e, ok := <-c.queue:
			if !ok {
				flush()
				return
			}
			if len(batch) == 0 && sum == (entry{}) {
				timer.Reset(opt.CommitDelay)
			}
			sum.cost, sum.paid = sum.cost.Plus(e.cost), sum.paid.Plus(e.paid)
			if e.record == nil {
				continue
			}
			if batch = append(batch, *e.record); len(batch) == commitRows {
				timer.Stop()
				flush()
			}
		case <-timer.C:
			flush()
		}
	}
}
