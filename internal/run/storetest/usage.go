package storetest

import (
	"context"
	"errors"
	"math"
	"testing"
	"time"

	"hallmark/internal/run"
)

// testUsage holds a store to AddUsage and Usage.
func testUsage(t *testing.T, s run.Store) {
	ctx := context.Background()
	all := func(id string) []run.Usage { return of(s.Usage(ctx, id))(t) }
	if got := all("r"); len(got) != 0 {
		t.Fatalf("an empty store has usage %v", got)
	}
	probe := run.Usage{Run: "r", Tries: 2, Tokens: 7, USD: 0.1, At: at}
	lost := run.Usage{Run: "r", Key: call("a").Key(), Tries: 6, USD: 3, At: at}
	other := run.Usage{Run: "r2", Key: call("a").Key(), Tries: 1, USD: 1.0 / 3,
		At: at.In(time.FixedZone("UTC+9", 9*3600))}
	for _, list := range [][]run.Usage{{probe, other}, nil, {lost, lost}} {
		must(t, s.AddUsage(ctx, list))
	}
	// All of it stays, in order: equal tries cost twice.
	same(t, "usage", []run.Usage{probe, lost, lost}, all("r"))
	if got := all("r2"); len(got) != 1 || math.Float64bits(got[0].USD) != math.Float64bits(1.0/3) ||
		got[0].At.Location() != time.UTC {
		t.Errorf("the other run has %v", got)
	}
	for name, bad := range map[string]run.Usage{
		"no run": {Tries: 1}, "no try": {Run: "r"}, "negative tokens": {Run: "r", Tries: 1, Tokens: -1},
		"negative USD": {Run: "r", Tries: 1, USD: -1},
		"NaN":          {Run: "r", Tries: 1, USD: math.NaN()}, "infinite": {Run: "r", Tries: 1, USD: math.Inf(1)},
	} {
		refused(t, name, s.AddUsage(ctx, []run.Usage{probe, bad}))
	}
	if got := all("r"); len(got) != 3 {
		t.Errorf("%d usages after refused ones, want 3", len(got))
	}
	if _, ok := get(t, s, call("a")); ok {
		t.Error("a usage is taken for a record")
	}
	canceled, cancel := context.WithCancel(ctx)
	cancel()
	if err := s.AddUsage(canceled, []run.Usage{probe}); !errors.Is(err, context.Canceled) {
		t.Errorf("AddUsage: got %v, want context.Canceled", err)
	}
	must(t, s.Close())
	_, err := s.Usage(ctx, "r")
	refused(t, "a closed store gives usage", err)
	refused(t, "a closed store takes usage", s.AddUsage(ctx, []run.Usage{probe}))
}
