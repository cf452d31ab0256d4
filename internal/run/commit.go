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

// A committer adds records to the store in batches, in its own goroutine, so that a slow disk holds back no worker
// until its queue is full.
type committer struct {
	queue  chan Record
	failed chan struct{} // closed when a commit failed; later records are dropped
	done   chan struct{} // closed when all is committed
	counts Counts        // of the records committed
	err    error         // why a commit failed
}

// commit starts a committer. The context is only for its values: a commit is never cut short.
func commit(ctx context.Context, store Store, now func() time.Time) *committer {
	c := &committer{queue: make(chan Record, commitRows), failed: make(chan struct{}), done: make(chan struct{})}
	go c.run(context.WithoutCancel(ctx), store, now)
	return c
}

// close waits until everything queued is committed, and returns what was and why not all.
func (c *committer) close() (Counts, error) {
	close(c.queue)
	<-c.done
	return c.counts, c.err
}

func (c *committer) run(ctx context.Context, store Store, now func() time.Time) {
	defer close(c.done)
	batch := make([]Record, 0, commitRows)
	flush := func() {
		if len(batch) == 0 || c.err != nil {
			batch = batch[:0]
			return
		}
		at := now()
		for i := range batch {
			batch[i].At = at
		}
		if err := store.Add(ctx, batch); err != nil {
			c.err = fmt.Errorf("store %d records: %w", len(batch), err)
			close(c.failed)
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
		case r, ok := <-c.queue:
			if !ok {
				flush()
				return
			}
			if len(batch) == 0 {
				timer.Reset(commitDelay)
			}
			if batch = append(batch, r); len(batch) == commitRows {
				timer.Stop()
				flush()
			}
		case <-timer.C:
			flush()
		}
	}
}
