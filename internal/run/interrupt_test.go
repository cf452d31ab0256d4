package run_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"hallmark/internal/model"
	"hallmark/internal/model/modeltest"
	"hallmark/internal/run"
	"hallmark/internal/run/store/inmemory"
)

func TestGone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := modeltest.Func{ID: "m", Answer: func(_ context.Context, r model.Request) (model.Response, error) {
			switch r.Prompt {
			case "question 3":
				time.Sleep(time.Second)
				return model.Response{}, fmt.Errorf("%w: the key is refused", model.ErrGone)
			case "question 2":
				time.Sleep(2 * time.Second)
				return model.Response{}, model.ErrTransient // would be tried again
			}
			time.Sleep(5 * time.Second)
			return text("in flight"), nil
		}}
		store, calls := inmemory.New(), plan("m", 20)
		got, err := run.Execute(t.Context(), store, by(m), slices.Values(calls), run.Options{Concurrency: 4, MaxRetries: 3})
		if !errors.Is(err, model.ErrGone) || !strings.Contains(err.Error(), `"m"`) {
			t.Errorf("got %v", err)
		}
		if d := cmp.Diff(run.Counts{Planned: 20, Asked: 2, Spent: run.Cost{Calls: 4, Tokens: 106}}, got); d != "" {
			t.Errorf("counts (-want +got):\n%s", d)
		}
		if d := cmp.Diff([]string{"after 1: in flight", "after 1: in flight", "", "", ""},
			outcomes(t, store, calls[:5])); d != "" {
			t.Errorf("stored (-want +got):\n%s", d)
		}
		execute(t, store, echo("m"), calls, run.Options{}, run.Counts{Planned: 20, Reused: 2, Asked: 18})
	})
}

func TestInterrupt(t *testing.T) {
	for _, grace := range []time.Duration{0, 3 * time.Second} {
		synctest.Test(t, func(t *testing.T) {
			m := modeltest.Func{ID: "m", Answer: func(ctx context.Context, r model.Request) (model.Response, error) {
				d := 2 * time.Second
				if r.Prompt == "question 1" {
					d = 10 * time.Second
				}
				select {
				case <-time.After(d):
					return text("x"), nil
				case <-ctx.Done():
					return model.Response{}, errors.New("signal: killed") // as a program says it
				}
			}}
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			store, calls := inmemory.New(), plan("m", 20)
			start := time.Now()
			got, err := run.Execute(ctx, store, by(m), slices.Values(calls), run.Options{Concurrency: 4, Grace: grace})
			if !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("got %v", err)
			}
			if took := time.Since(start); took != time.Second+grace {
				t.Errorf("took %v", took)
			}
			want := run.Counts{Planned: 20}
			if grace > 0 {
				want.Asked = 3 // the fourth is too slow
			}
			want.Spent = run.Cost{Calls: 4, Tokens: (4 - want.Asked) * 106} // what was cut off may be billed
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("counts (-want +got):\n%s", d)
			}
			execute(t, store, echo("m"), calls, run.Options{}, run.Counts{Planned: 20, Reused: want.Asked,
				Asked: 20 - want.Asked})
		})
	}
}

func TestInterruptEndsWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := modeltest.Func{ID: "m", Answer: func(context.Context, model.Request) (model.Response, error) {
			return model.Response{}, &model.Transient{After: 5 * time.Minute, Err: errors.New("503")}
		}}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		start := time.Now()
		_, err := run.Execute(ctx, inmemory.New(), by(m), slices.Values(plan("m", 20)),
			run.Options{MaxRetries: 5, Grace: time.Hour})
		if !errors.Is(err, context.DeadlineExceeded) || time.Since(start) != time.Second {
			t.Errorf("got %v after %v", err, time.Since(start))
		}
	})
}

// failing is a store whose Add fails from some call on.
type failing struct {
	run.Store
	good atomic.Int32
}

var errDisk = errors.New("a.db: the disk is full")

func (f *failing) Add(ctx context.Context, rs []run.Record) error {
	if f.good.Add(-1) < 0 {
		return errDisk
	}
	return f.Store.Add(ctx, rs)
}

func TestStoreFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var asked atomic.Int32
		m := modeltest.Func{ID: "m", Answer: func(ctx context.Context, _ model.Request) (model.Response, error) {
			asked.Add(1)
			select {
			case <-time.After(time.Second):
				return text("x"), nil
			case <-ctx.Done():
				return model.Response{}, ctx.Err()
			}
		}}
		store := &failing{Store: inmemory.New()}
		store.good.Store(2)
		got, err := run.Execute(t.Context(), store, by(m), slices.Values(plan("m", 10_000)), run.Options{Concurrency: 10})
		if !errors.Is(err, errDisk) {
			t.Errorf("got %v", err)
		}
		got.Spent = run.Cost{} // of what arrived, committed or not
		if want := (run.Counts{Planned: 10_000, Asked: 20}); got != want || asked.Load() != 40 {
			t.Errorf("got %+v, want %+v; asked %d", got, want, asked.Load())
		}
	})
}
