package run_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"hallmark/internal/model"
	"hallmark/internal/model/modeltest"
	"hallmark/internal/run"
	"hallmark/internal/run/store/inmemory"
)

func TestRetryAfter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var sent []time.Duration
		start := time.Now()
		m := modeltest.Func{ID: "m", Answer: func(_ context.Context, r model.Request) (model.Response, error) {
			sent = append(sent, time.Since(start))
			if len(sent) == 1 {
				return model.Response{}, &model.Transient{After: 20 * time.Second, Limited: true, Err: errors.New("429")}
			}
			return text("x"), nil
		}}
		execute(t, inmemory.New(), m, plan("m", 2), run.Options{MaxRetries: 1}, run.Counts{Planned: 2, Asked: 2, Retries: 1})
		// The one call in flight waits as asked, plus at most the first step of the jitter, and the next call behind
		// it.
		if len(sent) != 3 || sent[1] < 20*time.Second || sent[1] > 20500*time.Millisecond || sent[2] < sent[1] {
			t.Errorf("sent at %v", sent)
		}
	})
}

func TestBackoffDoublesAndIsCapped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var longest [8]time.Duration
		for seed := range uint64(200) {
			var last time.Time
			n := 0
			m := modeltest.Func{ID: "m", Answer: func(context.Context, model.Request) (model.Response, error) {
				if n > 0 {
					longest[n-1] = max(longest[n-1], time.Since(last))
				}
				n, last = n+1, time.Now()
				return model.Response{}, model.ErrTransient
			}}
			execute(t, inmemory.New(), m, plan("m", 1), run.Options{MaxRetries: 8, Backoff: 10 * time.Second, Seed: seed},
				run.Counts{Planned: 1, Asked: 1, Failed: 1, Retries: 8})
		}
		// The longest of 200 uniform waits below a bound is above 9/10 of it, but for a chance of 0.9^200 < 1e-9.
		for i, bound := range []float64{10, 20, 40, 60, 60, 60, 60, 60} {
			if s := longest[i].Seconds(); s > bound || s < 0.9*bound {
				t.Errorf("longest wait before retry %d is %.2f s, want just below %v s", i+1, s, bound)
			}
		}
	})
}

// A server that refuses more than five at a time gets its work done, with few refusals and no failure.
func TestSlowsDownForALimitedServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var now, refused atomic.Int32
		m := modeltest.Func{ID: "m", Answer: func(context.Context, model.Request) (model.Response, error) {
			defer now.Add(-1)
			if now.Add(1) > 5 {
				refused.Add(1)
				return model.Response{}, &model.Transient{Limited: true, Err: errors.New("429")}
			}
			time.Sleep(100 * time.Millisecond)
			return text("x"), nil
		}}
		got, err := run.Execute(t.Context(), inmemory.New(), by(m), slices.Values(plan("m", 500)),
			run.Options{Concurrency: 64, MaxRetries: 10})
		if err != nil || got.Asked != 500 || got.Failed != 0 {
			t.Fatalf("got %+v, %v", got, err)
		}
		if n := refused.Load(); n > 250 {
			t.Errorf("%d refusals of 500 calls", n)
		}
	})
}

func TestRequestsPerMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var sent []time.Time
		m := modeltest.Func{ID: "m", Answer: func(context.Context, model.Request) (model.Response, error) {
			mu.Lock()
			defer mu.Unlock()
			if sent = append(sent, time.Now()); len(sent)%10 == 0 {
				return model.Response{}, model.ErrTransient // retries count
			}
			return text("x"), nil
		}}
		execute(t, inmemory.New(), m, plan("m", 300), run.Options{Concurrency: 16, RPM: 120, MaxRetries: 9},
			run.Counts{Planned: 300, Asked: 300, Retries: 33})
		for i := range sent {
			j := i
			for j < len(sent) && sent[j].Sub(sent[i]) < time.Minute {
				j++
			}
			if j-i > 122 {
				t.Fatalf("%d requests in the minute from number %d", j-i, i)
			}
		}
		if took := sent[len(sent)-1].Sub(sent[0]); took > 170*time.Second {
			t.Errorf("333 requests at 120 a minute took %v", took)
		}
	})
}

func TestTokensPerMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		// A prompt of 400 bytes is estimated at 101 tokens and takes 300: the limit must learn that.
		calls := make([]run.Call, 200)
		for i := range calls {
			calls[i] = run.Call{Model: "m", Request: model.Request{Prompt: strings.Repeat("x", 400)}, Repeat: i}
		}
		m := modeltest.Func{ID: "m", Answer: func(context.Context, model.Request) (model.Response, error) {
			r := text("x")
			r.Usage = model.Usage{PromptTokens: 200, CompletionTokens: 100}
			return r, nil
		}}
		start := time.Now()
		execute(t, inmemory.New(), m, calls, run.Options{Concurrency: 4, TPM: 6000},
			run.Counts{Planned: 200, Asked: 200, PromptTokens: 40_000, CompletionTokens: 20_000})
		if took := time.Since(start).Minutes(); took < 9.5 || took > 11 {
			t.Errorf("60,000 tokens at 6,000 a minute took %.1f minutes", took)
		}
	})
}

func TestWaitBeyondTheLongest(t *testing.T) {
	m := modeltest.Func{ID: "m", Answer: func(context.Context, model.Request) (model.Response, error) {
		return model.Response{}, &model.Transient{After: 3 * time.Hour, Limited: true, Err: errors.New("429")}
	}}
	got, err := run.Execute(t.Context(), inmemory.New(), by(m), slices.Values(plan("m", 20)),
		run.Options{Concurrency: 2, MaxRetries: 3})
	if err == nil || !strings.Contains(err.Error(), "3h") || got.Asked != 0 {
		t.Errorf("got %+v, %v", got, err)
	}
}
