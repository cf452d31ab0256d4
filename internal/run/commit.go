package run

import (
	"context"
	"fmt"
	"time"
)

// Records are committed when so many are waiting, or the first of them has waited so long.
const (
	commitRows  = 256
	commitDelay = 50 * time.Millisecond
)

// An entry is something to commit: a record, or what tries took that no record shows.
type entry struct {
	record *Record
	cost   Cost
}

// A committer adds records to the store in batches, in its own goroutine, so that a slow disk holds back no worker
// until its queue is full.
type committer struct {
	queue  chan entry
	failed chan struct{} // closed when a commit failed; later records are dropped
	done   chan struct{} // closed when all is committed
	counts Counts        // of the records committed
	err    error         // why a commit failed
}

// commit starts a committer. The context is only for its values: a commit is never cut short.
func commit(ctx context.Context, store Store, opt Options) *committer {
	c := &committer{queue: make(chan entry, commitRows), failed: make(chan struct{}), done: make(chan struct{})}
	go c.run(context.WithoutCancel(ctx), store, opt)
	return c
}

// close waits until everything queued is committed, and returns what was and why not all.
func (c *committer) close() (Counts, error) {
	close(c.queue)
	<-c.done
	return c.counts, c.err
}

func (c *committer) run(ctx context.Context, store Store, opt Options) {
	defer close(c.done)
	batch := make([]Record, 0, commitRows)
	var cost Cost
	fail := func(err error) {
		c.err = err
		close(c.failed)
	}
	flush := func() {
		if cost != (Cost{}) && c.err == nil && opt.Unrecorded != nil {
			if err := opt.Unrecorded(ctx, cost); err != nil {
				fail(fmt.Errorf("store what tries took: %w", err))
			}
		}
		cost = Cost{}
		if len(batch) == 0 || c.err != nil {
			batch = batch[:0]
			return
		}
		at := opt.Now()
		for i := range batch {
			batch[i].At = at
		}
		if err := store.Add(ctx, batch); err != nil {
			fail(fmt.Errorf("store %d records: %w", len(batch), err))
		} else {
			for i := range batch {
				c.counts.add(&batch[i])
			}
		}
		clear(batch) // lets go of the responses
		batch = batch[:0]
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
			if len(batch) == 0 && cost == (Cost{}) {
				timer.Reset(commitDelay)
			}
			cost = cost.Plus(e.cost)
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
