package run_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hallmark/internal/run"
	"hallmark/internal/run/store/inmemory"
	"hallmark/internal/run/store/sqlite"
)

// TestNotes: names and baselines are there again in another process, the last of each counts, one of a run that has
// annotations is none of them, and what is said again is not stored again.
func TestNotes(t *testing.T) {
	ctx := t.Context()
	path := filepath.Join(t.TempDir(), "a.db")
	open := func() run.Store {
		s, err := sqlite.Open(ctx, path)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	at := time.Unix(1, 0)
	for _, again := range []func(run.Store) run.Store{
		func(s run.Store) run.Store { return s },
		func(s run.Store) run.Store {
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			return open()
		},
	} {
		s := run.Store(inmemory.New())
		if again(s) != s {
			s = open()
		}
		put := func(err error) {
			t.Helper()
			if err != nil {
				t.Fatal(err)
			}
		}
		for _, id := range []string{"abc0", "abc1"} {
			put(s.PutRun(ctx, run.Header{ID: id}))
		}
		put(run.Name(ctx, s, "abc0", "first round", nil, at))
		put(run.Name(ctx, s, "abc0", "monday", nil, at))
		put(run.Name(ctx, s, "abc0", "monday", nil, at))
		put(run.Name(ctx, s, "abc0", "", map[string]string{"openai gpt": "gpt", "b": "c"}, at))
		put(run.SetBaseline(ctx, s, "abc0", []string{"one", "my suite"}, at))
		put(run.SetBaseline(ctx, s, "", []string{"one"}, at))
		s = again(s)
		n, err := run.ReadNotes(ctx, s)
		put(err)
		got := fmt.Sprint(n.Run("abc0"), n.Run("abc1"), "|", n.Model("abc0", "openai gpt"), n.Model("abc1", "openai gpt"),
			"|",
			n.Baseline("one"), n.Baseline("my suite"), n.Baselines(), "|", n.Named("monday"), n.Named("first round"),
			n.Named(""))
		if want := "monday|gpt|abc0[my suite]|abc0"; got != want {
			t.Errorf("%q, want %q", got, want)
		}
		for _, what := range []string{"monday", "abc0"} {
			if h, err := run.Find(ctx, s, what); err != nil || h.ID != "abc0" {
				t.Errorf("%s: %q, %v", what, h.ID, err)
			}
		}
		if _, err := run.Find(ctx, s, "tuesday"); err == nil {
			t.Error("a run of no name is found")
		}
		list, err := s.(run.AnnotationStore).Annotations(ctx, "notes")
		put(err)
		if len(list) != 7 {
			t.Errorf("%d notes are stored, want 7", len(list))
		}
		if own, err := s.(run.AnnotationStore).Annotations(ctx, "abc0"); err != nil || len(own) > 0 {
			t.Errorf("the run has annotations %v, %v", own, err)
		}
		put(s.Close())
	}
}

func TestCheckName(t *testing.T) {
	for name, ok := range map[string]bool{
		"monday": true, "gpt-4o": true, "Größe_2": true, "v2": true, "x": true, "日曜": true,
		"": false, "latest": false, "baseline": false, "abc": false, "2026": false, "DEAD": false, "a.b": false, "a b": false,
		"../x": false, "-x": false, "a\x1b": false, "a\u202eb": false, strings.Repeat("x", 41): false, "\xff": false,
	} {
		if err := run.CheckName(name); (err == nil) != ok {
			t.Errorf("%q: %v", name, err)
		}
	}
}
