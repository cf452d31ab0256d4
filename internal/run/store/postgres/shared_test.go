package postgres

import (
	"context"
	"os"
	"testing"

	"hallmark/internal/run"
	"hallmark/internal/run/storetest"
)

func openRef(ref string) (run.Store, error) { return Open(context.Background(), ref) }

func TestMain(m *testing.M) {
	storetest.Child(openRef)
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
