package sqlite

import (
	"path/filepath"
	"testing"

	"hallmark/internal/run"
	"hallmark/internal/run/storetest"
)

func open(t testing.TB, path string) *Store {
	t.Helper()
	s, err := Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestContract(t *testing.T) {
	storetest.Test(t, func(t testing.TB) run.Store {
		return open(t, filepath.Join(t.TempDir(), "a folder", "100% #1?.db"))
	})
}
