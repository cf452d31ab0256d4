package run_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"hallmark/internal/model"
	"hallmark/internal/run"
	"hallmark/internal/run/store/inmemory"
)

// A counter answers with the number of its calls, so that an answer that was asked twice shows.
type counter struct {
	mu    sync.Mutex
	calls int
	fail  map[string]error
}

func (c *counter) Identity() string { return "counter" }

func (c *counter) Generate(_ context.Context, req model.Request) (model.Response, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.calls++
	if err := c.fail[req.Prompt]; err != nil {
		return model.Response{}, err
	}
	text := fmt.Sprintf("%s %d", req.Prompt, c.calls)
	return model.Response{Text: &text}, nil
}

func (c *counter) GenerateBatch(ctx context.Context, reqs []model.Request) []model.Result {
	results := make([]model.Result, len(reqs))
	for i, r := range reqs {
		results[i].Response, results[i].Err = c.Generate(ctx, r)
	}
	return results
}

// one hides that a counter answers batches.
type one struct{ model.Model }

func TestRecorded(t *testing.T) {
	store := inmemory.New()
	inner := &counter{fail: map[string]error{
		"later": fmt.Errorf("busy: %w", model.ErrTransient), "gone": fmt.Errorf("away: %w", model.ErrGone),
		"never": errors.New("too\nlong"),
	}}
	m := run.Recorded(store, inner, run.Options{}).(model.Batcher)
	if m.Identity() != inner.Identity() {
		t.Errorf("identity %q", m.Identity())
	}
	ask := func(m model.Batcher, prompts ...string) (out []string) {
		var reqs []model.Request
		for _, p := range prompts {
			reqs = append(reqs, model.Request{Prompt: p})
		}
		for _, r := range m.GenerateBatch(t.Context(), reqs) {
			if r.Err != nil {
				out = append(out, "error: "+r.Err.Error())
				continue
			}
			out = append(out, *r.Response.Text)
		}
		return out
	}
	same := func(got []string, want ...string) {
		t.Helper()
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	same(ask(m, "a", "b", "a"), "a 1", "b 2", "a 1") // each once
	same(ask(m, "b", "c"), "b 2", "c 3")
	same(ask(m, "later", "a"), "error: busy: transient failure", "a 1")
	same(ask(m, "never", "gone"), "error: too long", "error: away: model is gone")
	inner.fail = nil
	// What may pass was not stored, what is final was.
	calls := inner.calls
	same(ask(m, "later", "gone", "never"), fmt.Sprintf("later %d", calls+1), fmt.Sprintf("gone %d", calls+2),
		"error: too long")
	same(ask(run.Recorded(store, inner, run.Options{RetryErrors: true}).(model.Batcher), "never"),
		fmt.Sprintf("never %d", calls+3))

	// Alone, and around a model that answers no batches, it reads the same records.
	alone := run.Recorded(store, one{inner}, run.Options{})
	if _, ok := alone.(model.Batcher); ok {
		t.Error("around a model that is no Batcher it is one")
	}
	resp, err := alone.Generate(t.Context(), model.Request{Prompt: "a"})
	if err != nil || *resp.Text != "a 1" {
		t.Errorf("%v, %v", resp, err)
	}
	// The records are those of plain calls to the model.
	recs, err := run.Records(t.Context(), store, []run.Call{{Model: "counter", Request: model.Request{Prompt: "b"}}})
	if err != nil || recs[0] == nil || *recs[0].Response.Text != "b 2" || recs[0].Attempts != 1 || recs[0].At.IsZero() {
		t.Errorf("%+v, %v", recs[0], err)
	}
}

// A racer answers while another process stores another answer to the same call.
type racer struct {
	counter
	store run.Store
}

func (r *racer) Generate(ctx context.Context, req model.Request) (model.Response, error) {
	text := "first"
	rec := run.Record{Call: run.Call{Model: r.Identity(), Request: req}, Response: &model.Response{Text: &text},
		Attempts: 1}
	if err := r.store.Add(ctx, []run.Record{rec}); err != nil {
		return model.Response{}, err
	}
	return r.counter.Generate(ctx, req)
}

// The answer that the store kept counts, not the one that came back here.
func TestRecordedFirstCounts(t *testing.T) {
	store := inmemory.New()
	m := run.Recorded(store, one{&racer{store: store}}, run.Options{})
	for range 2 {
		resp, err := m.Generate(t.Context(), model.Request{Prompt: "a"})
		if err != nil || *resp.Text != "first" {
			t.Errorf("%v, %v", resp.Text, err)
		}
	}
}

// faulty is a store whose one method fails.
type faulty struct {
	run.Store
	add, lookup error
}

func (f *faulty) Add(ctx context.Context, r []run.Record) error {
	if f.add != nil {
		return f.add
	}
	return f.Store.Add(ctx, r)
}

func (f *faulty) Lookup(ctx context.Context, k []run.Key) (map[run.Key]run.Record, error) {
	if f.lookup != nil {
		return nil, f.lookup
	}
	return f.Store.Lookup(ctx, k)
}

// A store that fails ends the run, so that nothing is stored about what was answered.
func TestRecordedStoreFails(t *testing.T) {
	full := errors.New("disk full")
	for _, f := range []*faulty{{Store: inmemory.New(), add: full}, {Store: inmemory.New(), lookup: full}} {
		_, err := run.Recorded(f, &counter{}, run.Options{}).Generate(t.Context(), model.Request{Prompt: "a"})
		if !errors.Is(err, full) || !errors.Is(err, model.ErrGone) {
			t.Errorf("%v", err)
		}
	}
}
