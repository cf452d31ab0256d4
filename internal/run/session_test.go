package run_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"hallmark/internal/model"
	"hallmark/internal/run"
	"hallmark/internal/run/store/inmemory"
)

var errKilled = errors.New("the process was killed")

// A mortal store takes so many writes and then none, as if its process had been killed: what was not stored is lost.
type mortal struct {
	*inmemory.Store
	left *atomic.Int64
}

func (m mortal) alive() error {
	if m.left.Add(-1) < 0 {
		return errKilled
	}
	return nil
}

func (m mortal) Add(ctx context.Context, r []run.Record) error {
	return errors.Join(m.alive(), errors.New("records under a budget go with their hold"))
}

func (m mortal) PutHold(ctx context.Context, h *run.Hold, fits func(*run.Hold, []run.Hold) error) error {
	if err := m.alive(); err != nil {
		return err
	}
	return m.Store.PutHold(ctx, h, fits)
}

func (m mortal) AddHeld(ctx context.Context, h *run.Hold, r []run.Record, u []run.Usage) ([]int, error) {
	if err := m.alive(); err != nil {
		return nil, err
	}
	return m.Store.AddHeld(ctx, h, r, u)
}

// process runs the calls as one process does: what it asks before them, and then the calls.
func process(store run.Store, m model.Model, calls []run.Call, opt run.Options, probes int) error {
	ctx := context.Background()
	s, spent, err := run.OpenSession(ctx, store, "r", func() time.Time { return time.Unix(0, 0) })
	if err != nil {
		return err
	}
	account := s.Account(opt.Budget, spent)
	metered := account.Meter(ctx, m)
	if srv, ok := m.(interface {
		request(context.Context, model.Request, bool) (model.Response, error)
	}); ok {
		for range probes {
			srv.request(metered, calls[0].Request, true)
		}
	}
	now := account.Spent()
	if more := (run.Cost{USD: now.USD - spent.USD, Tokens: now.Tokens - spent.Tokens,
		Calls: now.Calls - spent.Calls}); more != (run.Cost{}) {
		if err := s.Spend(more); err != nil {
			return err
		}
	}
	opt.Session, opt.Spent = s, now
	_, err = run.Execute(ctx, store, by(m), slices.Values(calls), opt)
	if closing := s.Close(); err == nil {
		err = closing
	}
	return err
}

// Runs that share a budget spend no more than it together, also where one of them was asked by itself before.
func TestSharedBudget(t *testing.T) { synctest.Test(t, sharedBudget) }

func sharedBudget(t *testing.T) {
	ctx, store := t.Context(), inmemory.New()
	now := func() time.Time { return time.Unix(0, 0) }
	ask := func(id string, calls, cap int, sharing ...string) (asked int) {
		t.Helper()
		s, spent, err := run.OpenSession(ctx, store, id, now, sharing...)
		if err != nil {
			t.Fatal(err)
		}
		var list []run.Call
		for i := range calls {
			list = append(list, run.Call{Model: "m", Repeat: i, Request: model.Request{Prompt: id, MaxTokens: 5}})
		}
		counts, err := run.Execute(ctx, store, by(&server{script: []int{answers}, extra: []int{0}}), slices.Values(list),
			run.Options{Concurrency: 1, Session: s, Spent: spent, Budget: run.Budget{Calls: cap}})
		if err := errors.Join(err, s.Close()); err != nil {
			t.Fatal(err)
		}
		return counts.Asked
	}
	if n := ask("b", 3, 10); n != 3 {
		t.Fatal(n)
	}
	both := []string{"a", "b"}
	if n := ask("a", 4, 8, both...); n != 4 {
		t.Errorf("the first asks %d, want 4", n)
	}
	if n := ask("b", 9, 8, both...); n != 1 { // 3 of its 9 are answered
		t.Errorf("of 8 calls 7 are spent, and the second asks %d", n)
	}
}

// No cap is overrun by a request or a token by processes that run at the same time and are killed between any two
// writes, and by those that go on after them, whatever the server does.
func TestBudgetOfManyProcesses(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s, m, budget := limited(rt, 1)
		opt := run.Options{
			Concurrency: rapid.SampledFrom([]int{1, 4, 32}).Draw(rt, "concurrency"), Batch: rapid.IntRange(1, 12).Draw(rt,
				"batch"),
			MaxRetries: rapid.IntRange(0, 4).Draw(rt, "retries"), RetryErrors: rapid.Bool().Draw(rt, "again"), Budget: budget,
			Seed: rapid.Uint64().Draw(rt, "seed"),
		}
		rounds := rapid.SliceOfN(rapid.SliceOfN(rapid.Int64Range(0, 60), 1, 3), 1, 4).Draw(rt, "writes before the kills")
		var fault string
		synctest.Test(t, func(t *testing.T) {
			store, calls := inmemory.New(), bounded(plan("m", 40))
			for round, processes := range rounds {
				var wg sync.WaitGroup
				for i, writes := range processes {
					left := &atomic.Int64{}
					left.Store(writes)
					wg.Go(func() {
						time.Sleep(time.Duration(i*100) * time.Millisecond)
						err := process(mortal{store, left}, m, calls, opt, i)
						if err != nil && !errors.Is(err, errKilled) && !errors.Is(err, model.ErrGone) &&
							!strings.Contains(err.Error(), "the server refuses") {
							fault = err.Error()
						}
					})
				}
				wg.Wait()
				usd := s.price * float64(s.tok)
				if s.requests > budget.Calls || budget.Tokens > 0 && s.tok > budget.Tokens || budget.USD > 0 &&
					usd > budget.USD*(1+1e-6) {
					fault = fmt.Sprintf("round %d: %d requests, %d tokens, %v USD overrun %+v", round, s.requests, s.tok, usd, budget)
				}
				if fault != "" {
					return
				}
			}
		})
		if fault != "" {
			rt.Fatal(fault)
		}
	})
}

// Of what one process spends under a session nothing is lost: all that fits is asked, in one go or in several, also
// beside others that ask the same; and after a kill no more is missing than was under way.
func TestBudgetIsUsed(t *testing.T) {
	for _, concurrency := range []int{1, 4, 32} {
		synctest.Test(t, func(t *testing.T) {
			s := &server{script: []int{answers}, extra: []int{0}}
			store, calls := inmemory.New(), bounded(plan("m", 100))
			forever := &atomic.Int64{}
			forever.Store(1 << 40)
			opt := run.Options{Concurrency: concurrency}
			for _, cap := range []int{10, 10, 55, 60} {
				opt.Budget.Calls = cap
				if err := process(mortal{store, forever}, s, calls, opt, 1); err != nil || s.requests != cap {
					t.Errorf("%d in flight: %d requests of %d, %v", concurrency, s.requests, cap, err)
				}
			}
			for kill := range int64(12) {
				s, store := &server{script: []int{answers}, extra: []int{0}}, inmemory.New()
				opt.Budget.Calls = 80
				left := &atomic.Int64{}
				left.Store(kill)
				if err := process(mortal{store, left}, s, calls, opt, 0); err == nil && kill < 3 {
					t.Errorf("kill after %d writes: the process was not killed", kill)
				}
				if err := process(mortal{store, forever}, s, calls, opt, 0); err != nil || s.requests < 80-concurrency ||
					s.requests > 80 {
					t.Errorf("%d in flight, kill after %d writes: %d requests of 80, %v", concurrency, kill, s.requests, err)
				}
			}
			for kill := range int64(12) { // answers that were paid without a budget count beside what a kill lost
				s, store := &server{script: []int{answers}, extra: []int{0}}, inmemory.New()
				if _, err := run.Execute(t.Context(), store, by(s), slices.Values(calls[:20]),
					run.Options{Concurrency: concurrency}); err != nil {
					t.Fatal(err)
				}
				left := &atomic.Int64{}
				left.Store(kill)
				for _, left := range []*atomic.Int64{left, forever} {
					process(mortal{store, left}, s, calls, opt, 0)
				}
				if s.requests < 80-concurrency || s.requests > 80 {
					t.Errorf("%d in flight, kill after %d writes, after a run without a budget: %d requests of 80", concurrency, kill,
						s.requests)
				}
			}
			for _, cap := range []int{1, 60, 150} { // each of two processes may pay for an answer
				s, store := &server{script: []int{answers}, extra: []int{0}}, inmemory.New()
				opt.Budget.Calls = cap
				var wg sync.WaitGroup
				for range 2 {
					wg.Go(func() {
						if err := process(mortal{store, forever}, s, calls, opt, 0); err != nil {
							t.Error(err)
						}
					})
				}
				wg.Wait()
				holds, err := store.Holds(t.Context(), "r")
				spent := 0
				for _, h := range holds {
					spent += h.Total.Calls
					if h.Held != (run.Cost{}) {
						t.Errorf("a session that has ended holds %+v", h.Held)
					}
				}
				if err != nil || spent != s.requests || s.requests != min(cap, 150) {
					t.Errorf("%d in flight, two processes: %d requests of %d, %d known, %v", concurrency, s.requests, cap, spent, err)
				}
			}
		})
	}
}

// A session costs nothing where there is no budget.
func TestNoSession(t *testing.T) {
	var none *run.Session
	account := none.Account(run.Budget{Calls: 1}, run.Cost{})
	if _, err := model.Take(account.Meter(t.Context(), echo("m")), model.Usage{}); err != nil {
		t.Error(err)
	}
}
