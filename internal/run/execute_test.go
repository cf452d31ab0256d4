package run_test

import (
	"context"
	"fmt"
	"testing"

	"hallmark/internal/model"
	"hallmark/internal/run"
	"hallmark/internal/run/store/memory"
)

// A fake answers every prompt by a function.
type fake struct {
	id     string
	answer func(ctx context.Context, r model.Request) (model.Response, error)
}

func (f fake) Identity() string { return f.id }
func (f fake) Generate(ctx context.Context, r model.Request) (model.Response, error) {
	return f.answer(ctx, r)
}

func text(s string) model.Response { return model.Response{Text: &s, Finish: model.FinishStop} }

func echo(id string) fake {
	return fake{id, func(_ context.Context, r model.Request) (model.Response, error) { return text("re: " + r.Prompt), nil }}
}

func plan(id string, n int) []run.Call {
	calls := make([]run.Call, n)
	for i := range calls {
		calls[i] = run.Call{Model: id, Request: model.Request{Prompt: fmt.Sprintf("question %d", i)}}
	}
	return calls
}

func by(ms ...model.Model) map[string]model.Model {
	m := map[string]model.Model{}
	for _, x := range ms {
		m[x.Identity()] = x
	}
	return m
}

func TestExecuteAsksOnce(t *testing.T) {
	store := memory.New()
	calls := plan("m", 1000)
	calls = append(calls, calls[:10]...)
	for i, want := range []run.Counts{{Planned: 1000, Asked: 1000}, {Planned: 1000, Reused: 1000}} {
		got, err := run.Execute(t.Context(), store, by(echo("m")), calls, run.Options{Concurrency: 7})
		if err != nil || got != want {
			t.Fatalf("time %d: got %+v, %v, want %+v", i, got, err, want)
		}
	}
	recs, err := run.Records(t.Context(), store, calls)
	if err != nil {
		t.Fatal(err)
	}
	for i, r := range recs {
		if r == nil || r.Response == nil || *r.Response.Text != "re: "+calls[i].Request.Prompt {
			t.Fatalf("record %d is %+v", i, r)
		}
	}
}
