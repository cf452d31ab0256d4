package run_test

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"hallmark/internal/model"
	"hallmark/internal/model/modeltest"
	"hallmark/internal/run"
	"hallmark/internal/run/store/inmemory"
	"hallmark/internal/run/store/sqlite"
)

// slow answers after a latency, with a body such as a server sends.
func slow(latency time.Duration) modeltest.Func {
	return modeltest.Func{ID: "slow", Answer: func(ctx context.Context, r model.Request) (model.Response, error) {
		select {
		case <-time.After(latency):
		case <-ctx.Done():
			return model.Response{}, ctx.Err()
		}
		resp := text("an answer of usual length to the question")
		resp.Usage = model.Usage{PromptTokens: 30, CompletionTokens: 10}
		resp.Raw = make([]byte, 700)
		return resp, nil
	}}
}

// BenchmarkExecute measures calls a second at 50 ms latency and 128 in flight, where 2,560 is ideal, and reports the
// share of it. With a budget the store knows of each request before it is sent.
func BenchmarkExecute(b *testing.B) {
	const latency, concurrency = 50 * time.Millisecond, 128
	for _, kind := range []string{"memory", "sqlite", "memory with a budget", "sqlite with a budget"} {
		b.Run(kind, func(b *testing.B) {
			var store run.Store = inmemory.New()
			if strings.HasPrefix(kind, "sqlite") {
				s, err := sqlite.Open(b.Context(), filepath.Join(b.TempDir(), "bench.db"))
				if err != nil {
					b.Fatal(err)
				}
				store = s
			}
			defer store.Close()
			calls := make([]run.Call, b.N)
			for i := range calls {
				calls[i] = run.Call{Model: "slow", Request: model.Request{System: "You answer briefly.",
					Prompt: fmt.Sprintf("question %d?", i), MaxTokens: 64}}
			}
			opt := run.Options{Concurrency: concurrency}
			if strings.HasSuffix(kind, "budget") {
				session, _, err := run.OpenSession(b.Context(), store, "r", time.Now)
				if err != nil {
					b.Fatal(err)
				}
				opt.Session, opt.Budget = session, run.Budget{Calls: 2 * b.N, Tokens: 1000 * b.N}
			}
			b.ResetTimer()
			start := time.Now()
			if _, err := run.Execute(b.Context(), store, by(slow(latency)), slices.Values(calls), opt); err != nil {
				b.Fatal(err)
			}
			b.ReportMetric(float64(b.N)/time.Since(start).Seconds(), "calls/s")
			b.ReportMetric(float64(b.N)/time.Since(start).Seconds()/(concurrency/latency.Seconds()), "of-ideal")
		})
	}
}

// BenchmarkReuse measures how fast a run that was finished before is found to be so, and its records read.
func BenchmarkReuse(b *testing.B) {
	store, err := sqlite.Open(b.Context(), filepath.Join(b.TempDir(), "bench.db"))
	if err != nil {
		b.Fatal(err)
	}
	defer store.Close()
	calls := plan("slow", 20_000)
	if _, err := run.Execute(b.Context(), store, by(slow(0)), slices.Values(calls),
		run.Options{Concurrency: 64}); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := run.Execute(b.Context(), store, nil, slices.Values(calls), run.Options{}); err != nil {
			b.Fatal(err)
		}
		if _, err := run.Records(b.Context(), store, calls); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N*len(calls))/b.Elapsed().Seconds(), "calls/s")
}
