package storetest

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"time"

	"hallmark/internal/run"
)

// testAnnotations holds a store that keeps annotations to run.AnnotationStore; one that keeps none has nothing to show.
func testAnnotations(t *testing.T, s run.Store) {
	ctx := context.Background()
	a, ok := s.(run.AnnotationStore)
	if !ok {
		t.Skip("the store keeps no annotations")
	}
	all := func(id string) []run.Annotation { return of(a.Annotations(ctx, id))(t) }
	if got := all("r"); len(got) != 0 {
		t.Fatalf("an empty store has annotations %v", got)
	}
	first := run.Annotation{Run: "r", Unit: "u", Rater: "ann",
		Label: json.RawMessage(`{"truth": "pass",  "note": "é<\u001b"}`), At: at}
	again := run.Annotation{Run: "r", Unit: "u", Rater: "ann", Label: json.RawMessage(`{"truth":"fail"}`),
		At: at.Add(1)}
	other := run.Annotation{Run: "r2", Unit: "u", Rater: "ann", Label: json.RawMessage(`{}`),
		At: at.In(time.FixedZone("UTC+9", 9*3600))}
	must(t, a.Annotate(ctx, []run.Annotation{first, other, again}))
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
		refused(t, name, a.Annotate(ctx, []run.Annotation{first, bad}))
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
	canceled, cancel := context.WithCancel(ctx)
	cancel()
	if err := a.Annotate(canceled, []run.Annotation{again}); !errors.Is(err, context.Canceled) {
		t.Errorf("Annotate: got %v, want context.Canceled", err)
	}
	must(t, s.Close())
	_, err := a.Annotations(ctx, "r")
	refused(t, "a closed store gives annotations", err)
	refused(t, "a closed store takes annotations", a.Annotate(ctx, []run.Annotation{again}))
}
