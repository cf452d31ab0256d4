package storetest

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hallmark/internal/run"
)

// testAnnotations holds a store that keeps annotations to run.AnnotationStore; one that keeps none has nothing to show.
func testAnnotations(t *testing.T, s run.Store) {
	ctx := context.Background()
	a, ok := s.(run.AnnotationStore)
	if !ok {
		t.Skip("the store keeps no annotations")
	}
	all := func(id string) []run.Annotation {
		t.Helper()
		list, err := a.Annotations(ctx, id)
		if err != nil {
			t.Fatal(err)
		}
		return list
	}
	if got := all("r"); len(got) != 0 {
		t.Fatalf("an empty store has annotations %v", got)
	}
	first := run.Annotation{Run: "r", Unit: "u", Rater: "ann",
		Label: json.RawMessage(`{"truth": "pass",  "note": "é<\u001b"}`), At: at}
	again := run.Annotation{Run: "r", Unit: "u", Rater: "ann", Label: json.RawMessage(`{"truth":"fail"}`),
		At: at.Add(1)}
	other := run.Annotation{Run: "r2", Unit: "u", Rater: "ann", Label: json.RawMessage(`{}`),
		At: at.In(time.FixedZone("UTC+9", 9*3600))}
	if err := a.Annotate(ctx, []run.Annotation{first, other, again}); err != nil {
		t.Fatal(err)
	}
	// What was said before stays, to the byte and in order.
	if d := cmp.Diff([]run.Annotation{first, again}, all("r")); d != "" {
		t.Errorf("annotations (-want +got):\n%s", d)
	}
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
		if err := a.Annotate(ctx, []run.Annotation{first, bad}); err == nil {
			t.Errorf("%s: no error", name)
		}
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
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := a.Annotations(ctx, "r"); err == nil {
		t.Error("a closed store gives annotations")
	}
	if err := a.Annotate(ctx, []run.Annotation{again}); err == nil {
		t.Error("a closed store takes annotations")
	}
}
