package postgres

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"hallmark/internal/base/seed"
	"hallmark/internal/model"
	"hallmark/internal/run"
	"hallmark/internal/run/storetest"
)

func openRef(ref string) (run.Store, error) { return Open(context.Background(), ref) }

func TestMain(m *testing.M) {
	storetest.Child(openRef)
	if args := os.Getenv(workerEnv); args != "" {
		if err := worker(args, os.Getenv(workerRef)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func TestShared(t *testing.T) {
	server(t)
	storetest.TestShared(t, func(t testing.TB) storetest.Place {
		ref := place(t)
		return storetest.Place{Ref: ref, Change: func(t testing.TB, statement string) {
			t.Helper()
			do(t, ref, statement)
		}}
	}, openRef)
}

func BenchmarkStore(b *testing.B) {
	server(b)
	storetest.Benchmark(b, func(t testing.TB) run.Store { return opened(t, place(t)) })
}

// A long model answers with a body of 700 bytes that no compression makes smaller.
type long struct{}

const longBody = 700

func (long) Identity() string { return "m" }

func (long) Generate(_ context.Context, r model.Request) (model.Response, error) {
	var n int
	fmt.Sscan(strings.TrimPrefix(r.Prompt, "What is the capital of country "), &n)
	text, body := "The capital is "+r.Prompt, make([]byte, longBody)
	for i, random := 0, seed.Stream(uint64(n), "body"); i < len(body); i++ {
		body[i] = byte(random.IntN(256))
	}
	return model.Response{Text: &text, Finish: model.FinishStop, Raw: body,
		Usage: model.Usage{PromptTokens: 12, CompletionTokens: 9}}, nil
}

func longCalls(n int) iter.Seq[run.Call] {
	return func(yield func(run.Call) bool) {
		for i := range n {
			if !yield(run.Call{Model: "m", Request: model.Request{Prompt: fmt.Sprint("What is the capital of country ", i),
				MaxTokens: 64}}) {
				return
			}
		}
	}
}

// So does a call of a run that keeps a budget and leases its limits, with all that the server has not cleared away yet.
func TestSmallRun(t *testing.T) {
	const calls, processes = 4000, 2
	s := opened(t, place(t))
	defer s.Close()
	var wg sync.WaitGroup
	for p := range processes {
		wg.Go(func() {
			session, spent, err := run.OpenSession(t.Context(), s, "r", time.Now)
			if err != nil {
				t.Error(err)
				return
			}
			lease := run.Lease(t.Context(), s, session)
			own := func(yield func(run.Call) bool) {
				i := 0
				for c := range longCalls(calls) {
					if i++; i%processes == p && !yield(c) {
						return
					}
				}
			}
			_,
				err = run.Execute(t.Context(), s, map[string]model.Model{"m": long{}}, own,
				run.Options{Concurrency: 8, InFlight: 12,
					RPM: 60000, Budget: run.Budget{Calls: 2 * calls}, Spent: spent, Session: session, Admission: lease})
			if err := errors.Join(err, lease.Close(), session.Close()); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if n := number(t, s, "SELECT count(*) FROM record"); n != calls {
		t.Fatalf("%d of %d calls are stored", n, calls)
	}
	size := number(t, s, "SELECT sum(pg_total_relation_size(oid)) FROM pg_class WHERE relkind = 'r' AND "+
		"relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = current_schema())")
	beside := size/calls - longBody
	t.Logf("%d bytes a call beside a body of %d", beside, longBody)
	if beside > 1000 {
		t.Errorf("a call takes %d bytes beside its body of %d, want at most 1000", beside, longBody)
	}
}

// A call takes less than a kilobyte beside its body.
func TestSmall(t *testing.T) {
	const calls = 4000
	for _, body := range []int{0, 700} {
		s := opened(t, place(t))
		defer s.Close()
		for i := 0; i < calls; i += 250 {
			if err := s.Add(t.Context(), storetest.Calls(i, i+250, body)); err != nil {
				t.Fatal(err)
			}
		}
		size := number(t, s, "SELECT sum(pg_total_relation_size(oid)) FROM pg_class WHERE relkind = 'r' AND "+
			"relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = current_schema())")
		beside := size/calls - number(t, s, "SELECT coalesce(sum(length(raw)), 0) / 4000 FROM record")
		t.Logf("%d bytes a call beside a body of %d", beside, body)
		if beside > 1000 {
			t.Errorf("a call takes %d bytes beside its body of %d, want at most 1000", beside, body)
		}
	}
}
