package sqlite

import (
	"context"
	"database/sql"
	"os"
	"path/filepath"
	"testing"

	"hallmark/internal/run"
	"hallmark/internal/run/storetest"
)

func openRef(path string) (run.Store, error) { return Open(context.Background(), path) }

func TestMain(m *testing.M) {
	storetest.Child(openRef)
	os.Exit(m.Run())
}

func TestShared(t *testing.T) {
	storetest.TestShared(t, func(t testing.TB) storetest.Place {
		path := filepath.Join(t.TempDir(), "a.db")
		return storetest.Place{Ref: path, Change: func(t testing.TB, statement string) {
			t.Helper()
			db, err := sql.Open("sqlite", path)
			if err != nil {
				t.Fatal(err)
			}
			defer db.Close()
			if _, err := db.Exec(statement); err != nil {
				t.Fatalf("%s: %v", statement, err)
			}
		}}
	}, openRef)
}

func BenchmarkStore(b *testing.B) {
	storetest.Benchmark(b, func(t testing.TB) run.Store { return open(t, filepath.Join(t.TempDir(), "a.db")) })
}
