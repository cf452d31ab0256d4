package workers

import (
	"context"
	"slices"
	"testing"
	"time"

	"hallmark/internal/model"
	"hallmark/internal/run"
	"hallmark/internal/run/queue"
	"hallmark/internal/run/store/inmemory"
)

// lookups counts the keys that are looked up.
type lookups struct {
	run.Store
	n int
}

func (s *lookups) Lookup(ctx context.Context, keys []run.Key) (map[run.Key]run.Record, error) {
	s.n += len(keys)
	return s.Store.Lookup(ctx, keys)
}

// Who plans a wave on looks up no call before the mark, misses none after it, and begins anew where the calls before it
// are others.
func TestPlanningGoesOnFromTheMark(t *testing.T) {
	var calls []run.Call
	for i := range 1000 {
		calls = append(calls, run.Call{Model: "m", Repeat: i, Request: model.Request{Prompt: "p", MaxTokens: 5}})
	}
	store := inmemory.New()
	created := time.Unix(1e9, 0)
	var records []run.Record // the last since the run was put on the queue
	for place, at := range map[int]time.Time{3: created.Add(-1), 700: created.Add(-1), 900: created} {
		records = append(records, run.Record{Call: calls[place], Response: &model.Response{Text: new("a")}, Attempts: 1,
			At: at})
	}
	if err := store.Add(t.Context(), records); err != nil {
		t.Fatal(err)
	}
	// from plans up to a call, and returns those that are to be asked, the last mark, and how many were looked up.
	from := func(calls []run.Call, planned queue.Mark, end int) (asked []run.Call, last queue.Mark, n int) {
		s := &lookups{Store: store}
		m := &missing{ctx: t.Context(), store: s, lease: &queue.Lease{}, created: created}
		most, begin := m.begin(slices.Values(calls), planned)
		if most != len(calls) {
			t.Fatal(most)
		}
		for c, mark := range m.of(slices.Values(calls), begin) {
			if asked, last = append(asked, c), mark; mark.Calls == end {
				break
			}
		}
		return asked, last, s.n
	}
	half, mark, _ := from(calls, queue.Mark{}, 600)
	if len(half) != 599 || mark.Calls != 600 || mark.Reused != 1 {
		t.Fatal(len(half), mark.Calls, mark.Reused)
	}
	rest, last, n := from(calls, mark, 1000)
	if len(rest) != 398 || rest[0].Repeat != 600 || last.Calls != 1000 || last.Reused != 2 || n != 400 {
		t.Error(len(rest), last.Calls, last.Reused, n)
	}
	other := slices.Delete(slices.Clone(calls), 1, 2) // each place is another call's
	if rest, last, n = from(other, mark, 999); len(rest) != 996 || last.Reused != 2 || n != 999 {
		t.Error("of other calls:", len(rest), last.Reused, n)
	}
	if rest, _, n = from(calls[:500], mark, 500); len(rest) != 499 || n != 500 {
		t.Error("of fewer calls:", len(rest), n)
	}
}
