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
	"hallmark/internal/run"
	"hallmark/internal/run/store/inmemory"
)

// A dammed store takes nothing until it is opened.
type dammed struct {
	run.Store
	opened chan struct{}
}

func (d dammed) Add(ctx context.Context, records []run.Record) error {
	<-d.opened
	return d.Store.Add(ctx, records)
}

// While the store takes nothing, no more is asked than Uncommitted lets wait: beside it one batch that is being
// committed, of what was answered within CommitDelay, what is in flight, and an answer that is about to wait.
func TestUncommitted(t *testing.T) {
	const all, inFlight, latency, delay, most = 400, 4, 10 * time.Millisecond, 15 * time.Millisecond, 5
	synctest.Test(t, func(t *testing.T) {
		var asked atomic.Int64
		m := fake{"m", func(context.Context, model.Request) (model.Response, error) {
			asked.Add(1)
			time.Sleep(latency)
			return text("yes"), nil
		}}
		calls := make([]run.Call, all)
		for i := range calls {
			calls[i] = run.Call{Model: "m", Request: model.Request{Prompt: fmt.Sprint(i)}}
		}
		store := dammed{inmemory.New(), make(chan struct{})}
		var counts run.Counts
		var err error
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			counts, err = run.Execute(t.Context(), store, map[string]model.Model{"m": m}, slices.Values(calls), run.Options{
				Concurrency: inFlight, CommitDelay: delay, Uncommitted: most})
		}()
		time.Sleep(time.Minute) // of the bubble's clock
		const batch = 2 * inFlight
		if n, least := asked.Load(), int64(batch+most); n < least || n > least+inFlight+1 {
			t.Errorf("%d were asked while nothing was stored, want %d to %d", n, least, least+inFlight+1)
		}
		close(store.opened)
		<-ended
		if err != nil || counts.Asked != all {
			t.Errorf("%+v, %v", counts, err)
		}
	})
}
