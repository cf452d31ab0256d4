package storetest

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"sync"
	"testing"
	"time"

	"hallmark/internal/run"
)

// testAnnotations holds a store to run.AnnotationStore.
func testAnnotations(t *testing.T, s run.Store) {
	ctx := context.Background()
	all := func(id string) []run.Annotation { return of(s.Annotations(ctx, id))(t) }
	if got := all("r"); len(got) != 0 {
		t.Fatalf("an empty store has annotations %v", got)
	}
	first := run.Annotation{Run: "r", Unit: "u", Rater: "ann",
		Label: json.RawMessage(`{"truth": "pass",  "note": "é<\u001b"}`), At: at}
	again := run.Annotation{Run: "r", Unit: "u", Rater: "ann", Label: json.RawMessage(`{"truth":"fail"}`),
		At: at.Add(1)}
	other := run.Annotation{Run: "r2", Unit: "u", Rater: "ann", Label: json.RawMessage(`{}`),
		At: at.In(time.FixedZone("UTC+9", 9*3600))}
	must(t, s.Annotate(ctx, []run.Annotation{first, other, again}))
	// What was said before stays, to the byte and in order.
	same(t, "annotations", []run.Annotation{first, again}, all("r"))
	if got := all("r2"); len(got) != 1 || !got[0].At.Equal(at) || got[0].At.Location() != time.UTC {
		t.Errorf("the other run has %v", got)
	}
	// All or none.
	for name, bad := range map[string]run.Annotation{
		"no run":   {Unit: "u", Rater: "x", Label: json.RawMessage("{}")},
		"no unit":  {Run: "r", Rater: "x", Label: json.RawMessage("{}")},
		"no rater": {Run: "r", Unit: "u", Label: json.RawMessage("{}")}, "no label": {Run: "r", Unit: "u", Rater: "x"},
		"no JSON": {Run: "r", Unit: "u", Rater: "x", Label: json.RawMessage("{")},
	} {
		refused(t, name, s.Annotate(ctx, []run.Annotation{first, bad}))
	}
	if got := all("r"); len(got) != 2 {
		t.Errorf("%d annotations after refused ones, want 2", len(got))
	}
	// Callers may change what they passed in and what they got.
	first.Label[2] = 'X'
	all("r")[0].Label[2] = 'Y'
	if got := all("r")[0].Label[2]; got != 't' {
		t.Errorf("the store shares memory with its callers: %c", got)
	}
	// Records stand beside them.
	add(t, s, answered(call("p"), "x"))
	want(t, s, answered(call("p"), "x"))
	canceled(t, "Annotate", func(ctx context.Context) error { return s.Annotate(ctx, []run.Annotation{again}) })
	must(t, s.Close())
	_, err := s.Annotations(ctx, "r")
	refused(t, "a closed store gives annotations", err)
	refused(t, "a closed store takes annotations", s.Annotate(ctx, []run.Annotation{again}))
}

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
	canceled(t, "AddUsage", func(ctx context.Context) error { return s.AddUsage(ctx, []run.Usage{probe}) })
	must(t, s.Close())
	_, err := s.Usage(ctx, "r")
	refused(t, "a closed store gives usage", err)
	refused(t, "a closed store takes usage", s.AddUsage(ctx, []run.Usage{probe}))
}

// testHolds holds a store to run.HoldStore.
func testHolds(t *testing.T, s run.Store) {
	ctx := context.Background()
	all := func(id string) []run.Hold { return alive(t, s, of(s.Holds(ctx, id))(t)) }
	if got := all("r"); len(got) != 0 {
		t.Fatalf("an empty store has holds %v", got)
	}
	first := run.Hold{Run: "r", Held: run.Cost{Calls: 1, Tokens: 2, USD: 1.0 / 3},
		Total: run.Cost{Calls: 3, Tokens: 4, USD: 0.5}, At: at}
	other := run.Hold{Run: "r2", Total: run.Cost{Calls: 9}}
	second := run.Hold{Run: "r", Total: run.Cost{Calls: 7}, At: at.In(time.FixedZone("UTC+9", 9*3600))}
	for _, x := range []*run.Hold{&first, &other, &second} {
		must(t, s.PutHold(ctx, x, nil))
	}
	if first.ID == 0 || second.ID <= first.ID || other.ID == first.ID || other.ID == second.ID {
		t.Errorf("sessions %d, %d and %d", first.ID, second.ID, other.ID)
	}
	first.Held = run.Cost{}
	var seen []run.Hold
	must(t, s.PutHold(ctx, &first, func(_ *run.Hold, others []run.Hold) error {
		seen = alive(t, s, others)
		return nil
	}))
	second.At = at
	same(t, "the other sessions", []run.Hold{second}, seen)
	same(t, "holds", []run.Hold{first, second}, all("r"))
	// What does not fit is not stored, and leaves its caller's hold as it is.
	full := errors.New("full")
	late := run.Hold{Run: "r", Total: run.Cost{Calls: 1}}
	if err := s.PutHold(ctx, &late, func(*run.Hold, []run.Hold) error { return full }); !errors.Is(err, full) ||
		late.ID != 0 {
		t.Errorf("what does not fit: %v, session %d", err, late.ID)
	}
	testAddHeld(t, s, first, full)
	for name, bad := range map[string]run.Hold{
		"no run": {}, "negative": {Run: "r", Held: run.Cost{Calls: -1}},
		"NaN":  {Run: "r", Total: run.Cost{USD: math.NaN()}},
		"gone": {Run: "r", ID: 99},
	} {
		refused(t, name, s.PutHold(ctx, &bad, nil))
	}
	if got := all("r"); len(got) != 2 {
		t.Errorf("%d holds after refused ones, want 2", len(got))
	}
	must(t, s.Close())
	_, err := s.Holds(ctx, "r")
	refused(t, "a closed store gives holds", err)
	refused(t, "a closed store takes a hold", s.PutHold(ctx, &first, nil))
}

// alive fails unless the sessions of holds that were just written live, where the store can know, and returns the holds
// without that.
func alive(t testing.TB, s run.Store, list []run.Hold) []run.Hold {
	t.Helper()
	want := run.Unknown
	if _, knows := s.(run.LeaseStore); knows {
		want = run.Lives
	}
	for i := range list {
		if list[i].Life != want {
			t.Errorf("hold %d: life %d, want %d", list[i].ID, list[i].Life, want)
		}
		list[i].Life = run.Unknown
	}
	return list
}

// testAddHeld stores a hold with records and usage, and none of them where one cannot be.
func testAddHeld(t *testing.T, s run.Store, hold run.Hold, full error) {
	ctx := context.Background()
	add(t, s, answered(call("taken"), "first"))
	hold.Total.Calls++
	spent := []run.Usage{{Run: "r", Tries: 2, At: at}}
	left, err := s.AddHeld(ctx, &hold, []run.Record{failed(call("a"), full.Error()),
		answered(call("taken"), "second"), answered(call("b"), "B")}, spent)
	if err != nil || len(left) != 1 || left[0] != 1 {
		t.Errorf("left out %v, %v, want the second", left, err)
	}
	want(t, s, answered(call("taken"), "first"))
	want(t, s, answered(call("b"), "B"))
	same(t, "usage", spent, of(s.Usage(ctx, "r"))(t))
	now := hold
	now.Total.Calls++
	nan := answered(call("nan"), "x")
	nan.Response.Usage.USD = math.NaN()
	_, err = s.AddHeld(ctx, &now, []run.Record{answered(call("c"), "C"), nan}, nil)
	refused(t, "a record with a float that is no number was taken", err)
	_, err = s.AddHeld(ctx, &now, []run.Record{answered(call("c"), "C")}, []run.Usage{{}})
	refused(t, "a usage of nothing was taken", err)
	_, err = s.AddHeld(ctx, &run.Hold{}, []run.Record{answered(call("c"), "C")}, spent)
	refused(t, "a hold of no run was taken", err)
	if _, ok := get(t, s, call("c")); ok {
		t.Error("a record was stored beside what was refused")
	}
	if list := of(s.Holds(ctx, "r"))(t); list[0].Total != hold.Total {
		t.Errorf("holds %v", list)
	}
}

// testHoldsAtOnce has many sessions take one each of what has room for a few.
func testHoldsAtOnce(t *testing.T, s run.Store) {
	const room, sessions, tries = 20, 8, 5
	full := errors.New("full")
	var wg sync.WaitGroup
	for range sessions {
		wg.Go(func() {
			own := run.Hold{Run: "r"}
			for range tries {
				next := own
				next.Total.Calls++
				err := s.PutHold(context.Background(), &next, func(put *run.Hold, others []run.Hold) error {
					n := next.Total.Calls
					for _, o := range others {
						n += o.Total.Calls
					}
					if n > room {
						return full
					}
					return nil
				})
				switch {
				case err == nil:
					own = next
				case !errors.Is(err, full):
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	list, err := s.Holds(context.Background(), "r")
	n := 0
	for _, o := range list {
		n += o.Total.Calls
	}
	if err != nil || n != room {
		t.Errorf("%d of %d are taken, %v", n, room, err)
	}
}
