package run_test

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"hallmark/internal/model"
	"hallmark/internal/model/modeltest"
	"hallmark/internal/run"
	"hallmark/internal/run/store/inmemory"
)

// A dammed store takes nothing until it is opened.
type dammed struct {
	run.Store
	opened              chan struct{}
	asked, stored, most *atomic.Int64 // calls, and the most that were asked and not stored
}

func (d dammed) Add(ctx context.Context, records []run.Record) error {
	<-d.opened
	d.most.Store(max(d.most.Load(), d.asked.Load()-d.stored.Load()))
	d.stored.Add(int64(len(records)))
	return d.Store.Add(ctx, records)
}

// While the store takes nothing, Unstored calls are asked and no more; once it does, all are, never more at a time.
func TestUnstored(t *testing.T) {
	const all, latency, delay = 400, 10 * time.Millisecond, 15 * time.Millisecond
	for _, c := range []struct{ inFlight, unstored int }{{4, 4}, {4, 5}, {4, 1}, {8, 30}} {
		synctest.Test(t, func(t *testing.T) {
			var asked atomic.Int64
			m := modeltest.Func{ID: "m", Answer: func(context.Context, model.Request) (model.Response, error) {
				asked.Add(1)
				time.Sleep(latency)
				return text("yes"), nil
			}}
			calls := make([]run.Call, all)
			for i := range calls {
				calls[i] = run.Call{Model: "m", Request: model.Request{Prompt: fmt.Sprint(i)}}
			}
			store := dammed{inmemory.New(), make(chan struct{}), &asked, &atomic.Int64{}, &atomic.Int64{}}
			var counts run.Counts
			var err error
			ended := make(chan struct{})
			go func() {
				defer close(ended)
				counts, err = run.Execute(t.Context(), store, map[string]model.Model{"m": m}, slices.Values(calls),
					run.Options{Concurrency: c.inFlight, CommitDelay: delay, Unstored: c.unstored})
			}()
			time.Sleep(time.Minute) // of the bubble's clock
			if n := asked.Load(); n != int64(c.unstored) {
				t.Errorf("%+v: %d were asked while nothing was stored", c, n)
			}
			close(store.opened)
			<-ended
			if most := store.most.Load(); err != nil || counts.Asked != all || most > int64(c.unstored) {
				t.Errorf("%+v: %+v, %v, and %d were asked and not stored", c, counts, err, most)
			}
		})
	}
}
