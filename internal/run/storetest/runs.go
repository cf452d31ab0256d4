package storetest

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"hallmark/internal/run"
)

func testRuns(t *testing.T, s run.Store) {
	ctx := context.Background()
	if all := of(s.Runs(ctx))(t); len(all) != 0 {
		t.Fatalf("an empty store has runs %v", all)
	}
	if _, err := s.Run(ctx, "latest"); !errors.Is(err, run.ErrNoRun) {
		t.Fatalf("latest of none: got %v, want ErrNoRun", err)
	}
	old := run.Header{ID: "0aaa", Plan: json.RawMessage(`{"b": 1,  "a": "é<"}`), Started: at}
	late := run.Header{ID: "0bbb", Plan: json.RawMessage(`{}`), Started: at.Add(time.Nanosecond),
		Listed: json.RawMessage(`{"models": ["m"]}`)}
	for _, h := range []run.Header{late, old} { // the later one is put first
		must(t, s.PutRun(ctx, h))
	}
	check := func(name string, want run.Header) {
		t.Helper()
		got := of(s.Run(ctx, name))(t)
		if got.Listed == nil { // as a store may keep none
			want.Listed = nil
		}
		same(t, "run "+name, want, got)
	}
	check("latest", late)
	check("0aaa", old)
	old.Finished, old.Result = at.Add(time.Hour), json.RawMessage("{\n  \"n\": 0.1\n}\n")
	old.Digest = &run.Digest{Records: 3, Answered: 2, SHA256: "ab", Version: "1"}
	must(t, s.PutRun(ctx, old))
	check("0a", old)
	check("latest", late)
	finished := late
	finished.Plan, finished.Finished = nil, at.Add(time.Hour) // its plan stays
	must(t, s.PutRun(ctx, finished))
	late.Finished = finished.Finished
	check("latest", late)
	all := of(s.Runs(ctx))(t)
	for _, h := range []run.Header{late, old, {ID: "none"}} {
		same(t, "plan of "+h.ID, string(h.Plan), string(of(s.Plan(ctx, h.ID))(t)))
	}
	old.Plan, old.Result, late.Plan = nil, nil, nil
	if len(all) > 0 && all[0].Listed == nil {
		late.Listed = nil
	}
	same(t, "runs", []run.Header{late, old}, all)
}

func testPrefix(t *testing.T, s run.Store) {
	ctx := context.Background()
	for i, id := range []string{"ab12", "ab34", "ab", "cd", "c%", "C_"} {
		must(t, s.PutRun(ctx, run.Header{ID: id, Started: at.Add(time.Duration(i))}))
	}
	for prefix, want := range map[string]string{
		"ab1": "ab12", "ab3": "ab34", "ab": "ab", "cd": "cd", "c%": "c%", "C": "C_", "latest": "C_",
		"a": "", "c": "", "": "", "x": "", "_": "", "%": "", "AB12": "", "ab123": "",
	} {
		h, err := s.Run(ctx, prefix)
		if want == "" {
			if !errors.Is(err, run.ErrNoRun) {
				t.Errorf("prefix %q: got run %q, %v, want ErrNoRun", prefix, h.ID, err)
			}
		} else if err != nil || h.ID != want {
			t.Errorf("prefix %q: got run %q, %v, want %q", prefix, h.ID, err, want)
		}
	}
	_, err := s.Run(ctx, "a")
	if err == nil || !strings.Contains(err.Error(), "ab12") || !strings.Contains(err.Error(), "ab34") {
		t.Errorf("the error for an ambiguous prefix names no ids: %v", err)
	}
}
