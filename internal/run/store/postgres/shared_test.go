package postgres

import (
	"context"
	"fmt"
	"os"
	"testing"

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
