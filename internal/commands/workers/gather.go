package workers

import (
	"context"
	"slices"
	"sync"
	"time"

	"hallmark/internal/run"
	"hallmark/internal/run/store/postgres"
)

// An answer holds its place among the calls of its slot until it is committed, which is soon: a slot waits a little for
// more answers, and for other slots.
const (
	slotWait   = time.Millisecond
	gatherWait = 6 * time.Millisecond
)

// A gathered store commits what the slots of a worker have to store in one transaction: four a worker would be most of
// what Postgres does, and a part of what the worker does, where answers come within 100 ms.
type gathered struct {
	*postgres.Store
	add  func(context.Context, []run.Record) error // of the store
	wait func()
	mu   sync.Mutex
	next *gathering
}

func gather(s *postgres.Store) *gathered {
	return &gathered{Store: s, add: s.Add, wait: func() { time.Sleep(gatherWait) }}
}

// A gathering is a commit that others may still join.
type gathering struct {
	parts [][]run.Record
	done  chan struct{}
	err   error
}

// Add implements run.Store.
func (g *gathered) Add(ctx context.Context, records []run.Record) error {
	if len(records) == 0 {
		return nil
	}
	g.mu.Lock()
	b := g.next
	first := b == nil
	if first {
		b = &gathering{done: make(chan struct{})}
		g.next = b
	}
	b.parts = append(b.parts, records)
	g.mu.Unlock()
	if first {
		g.wait()
		g.mu.Lock()
		g.next = nil
		g.mu.Unlock()
		b.err = g.add(ctx, slices.Concat(b.parts...))
		close(b.done)
	}
	<-b.done
	if b.err != nil && len(b.parts) > 1 && !postgres.Lost(b.err) { // it may be of records of another slot
		return g.add(ctx, records)
	}
	return b.err
}
