package storetest

import (
	"context"
	"testing"

	"hallmark/internal/run"
)

func testTexts(t *testing.T, s run.Store) {
	ctx := context.Background()
	if text := of(s.Text(ctx, "none"))(t); text != nil {
		t.Errorf("a text that is not there: %q", text)
	}
	texts := map[string]string{"suite 1": "\x00\xff\x00a", "readings ab 1": "", "": "nameless", "\x00é": "b"}
	for name, text := range texts {
		mine := []byte(text)
		must(t, s.PutText(ctx, name, mine))
		clear(mine) // which is the caller's
	}
	for name, text := range texts {
		got := of(s.Text(ctx, name))(t)
		if string(got) != text || got == nil {
			t.Errorf("text %q: %q, want %q", name, got, text)
		}
		clear(got)
	}
	must(t, s.PutText(ctx, "suite 1", []byte("another")))
	if got := of(s.Text(ctx, "suite 1"))(t); string(got) != "another" {
		t.Errorf("a text that was put again: %q", got)
	}
}
