package storetest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"hallmark/internal/model"
	"hallmark/internal/run"
)

// A Desk is where processes are let in: their store, and the admission of each, with what closes it.
type Desk struct {
	Store     run.Store
	Admission func(*run.Session) (run.Admission, func() error)
}

// TestAdmission runs what the contract says of an Admission, for so many processes that share its limits, each an
// Execute of its own calls. It runs in a bubble, where time may stand for nothing.
func TestAdmission(t *testing.T, processes int, bubble func(*testing.T, func(*testing.T)),
	desk func(testing.TB) Desk) {
	for name, test := range map[string]func(*testing.T, int, Desk){
		"requests": testRequests, "tokens": testTokens, "in flight": testInFlight, "calls": testCalls, "usd": testUSD,
		"calls that fail":     testFailing,
		"one after the other": testTurns, "stopped": testStopped, "small": testSmall,
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) { test(t, processes, desk(t)) })
		})
	}
}

// An endpoint is a model that notes what it is sent.
type endpoint struct {
	takes  time.Duration
	fails  int // one of so many tries
	answer model.Usage

	mu           sync.Mutex
	sent         []time.Time
	inside, most int
}

func (e *endpoint) Identity() string { return "endpoint" }

func (e *endpoint) Price() (in, out float64) { return 1e-3, 1e-3 }

func (e *endpoint) Generate(ctx context.Context, _ model.Request) (model.Response, error) {
	e.mu.Lock()
	e.sent = append(e.sent, time.Now())
	failed := e.fails > 0 && len(e.sent)%e.fails == 0
	e.inside++
	e.most = max(e.most, e.inside)
	e.mu.Unlock()
	defer func() {
		e.mu.Lock()
		e.inside--
		e.mu.Unlock()
	}()
	select {
	case <-time.After(e.takes):
	case <-ctx.Done():
		return model.Response{}, ctx.Err()
	}
	if failed {
		return model.Response{}, &model.Transient{Err: errors.New("not now")}
	}
	return model.Response{Text: new("yes"), Finish: model.FinishStop, Usage: e.answer}, nil
}

// kept fails where more were sent in any time than so many a second and the beginning's, each of so many units.
func (e *endpoint) kept(t *testing.T, perSecond, beginning, units float64) {
	t.Helper()
	slices.SortFunc(e.sent, time.Time.Compare)
	for i := range e.sent {
		for j := i; j < len(e.sent); j++ {
			span := e.sent[j].Sub(e.sent[i]).Seconds()
			if n := float64(j-i+1) * units; n > perSecond*span+beginning {
				t.Fatalf("%v in %.3f s, at %v a second", n, span, perSecond)
			}
		}
	}
}

// together has processes execute n calls each, and returns how long that took and what each counted.
func (d *Desk) together(t *testing.T, e *endpoint, processes, n int, opt run.Options) (time.Duration, []run.Counts) {
	t.Helper()
	counts := make([]run.Counts, processes)
	var wg sync.WaitGroup
	begun := time.Now()
	for p := range processes {
		wg.Go(func() {
			var err error
			if counts[p], err = d.execute(t.Context(), e, fmt.Sprint("process ", p), n, opt); err != nil {
				t.Errorf("process %d: %v", p, err)
			}
		})
	}
	wg.Wait()
	return time.Since(begun), counts
}

func (d *Desk) execute(ctx context.Context, e *endpoint, name string, n int, opt run.Options) (c run.Counts,
	err error) {
	if opt.Budget != (run.Budget{}) {
		if opt.Session, opt.Spent, err = run.OpenSession(ctx, d.Store, "r", time.Now); err != nil {
			return c, err
		}
	}
	a, end := d.Admission(opt.Session)
	opt.Admission = a
	calls := func(yield func(run.Call) bool) {
		for i := range n {
			if !yield(run.Call{Model: e.Identity(), Request: model.Request{Prompt: fmt.Sprint(name, ", call ", i),
				MaxTokens: 10}}) {
				return
			}
		}
	}
	c, err = run.Execute(ctx, d.Store, map[string]model.Model{e.Identity(): e}, calls, opt)
	err = errors.Join(err, end())
	if opt.Session != nil {
		err = errors.Join(err, opt.Session.Close())
	}
	return c, err
}

func asked(counts []run.Counts) (n, skipped int) {
	for _, c := range counts {
		n, skipped = n+c.Asked, skipped+c.Skipped
	}
	return n, skipped
}

// A rate holds for all of them together, in every second, and is used.
func testRequests(t *testing.T, processes int, d Desk) {
	e := &endpoint{takes: 10 * time.Millisecond}
	const rate, calls = 100, 300
	took, _ := d.together(t, e, processes, calls/processes, run.Options{Concurrency: 8, RPM: rate * 60})
	e.kept(t, rate, 2*rate, 1)
	if len(e.sent) != calls || took > 6*time.Second || took < 2*time.Second-50*time.Millisecond {
		t.Errorf("%d calls at %d a second take %v", len(e.sent), rate, took)
	}
}

// So it is with tokens, also where answers take more than was expected.
func testTokens(t *testing.T, processes int, d Desk) {
	e := &endpoint{takes: 10 * time.Millisecond, answer: model.Usage{PromptTokens: 30, CompletionTokens: 20}}
	const rate, calls = 2000, 200
	took, _ := d.together(t, e, processes, calls/processes, run.Options{Concurrency: 4, TPM: rate * 60})
	if len(e.sent) != calls || took > 9*time.Second || took < 2*time.Second {
		t.Errorf("%d calls of 50 tokens at %d tokens a second take %v", len(e.sent), rate, took)
	}
	// until the first answers come in, what they take is not known
	e.kept(t, rate, 2*rate+float64(processes*4*50), 50)
}

// No more calls are in flight than may be, and as many are.
func testInFlight(t *testing.T, processes int, d Desk) {
	e := &endpoint{takes: 30 * time.Millisecond}
	const most, calls = 4, 300
	took, _ := d.together(t, e, processes, calls/processes, run.Options{Concurrency: 8, InFlight: most})
	ideal := calls / most * e.takes
	if len(e.sent) != calls || e.most != most || took > 2*ideal+4*time.Second {
		t.Errorf("%d calls, %d of them in flight at once of %d, in %v, want %v", len(e.sent), e.most, most, took, ideal)
	}
}

// A cap holds for all of them together, and all of it is spent.
func testCalls(t *testing.T, processes int, d Desk) {
	e := &endpoint{takes: 10 * time.Millisecond, answer: model.Usage{PromptTokens: 5, CompletionTokens: 5}}
	const calls, budget = 400, 230
	_, counts := d.together(t, e, processes, calls/processes,
		run.Options{Concurrency: 4, Budget: run.Budget{Calls: budget}})
	if n, skipped := asked(counts); len(e.sent) != budget || n != budget || skipped != calls-budget {
		t.Errorf("%d requests under a budget of %d; %d calls are asked and %d skipped", len(e.sent), budget, n, skipped)
	}
}

// A call that failed once waits for the budget with what its first try took: nobody waits for that.
func testFailing(t *testing.T, processes int, d Desk) {
	e := &endpoint{takes: 10 * time.Millisecond, fails: 3}
	const calls, budget = 400, 230
	d.together(t, e, processes, calls/processes, run.Options{Concurrency: 4, MaxRetries: 2, Backoff: time.Millisecond,
		InFlight: 6, Budget: run.Budget{Calls: budget}})
	if len(e.sent) != budget {
		t.Errorf("%d requests under a budget of %d", len(e.sent), budget)
	}
}

// What a call may cost at most is more than what it costs: no process gives up while others may give back.
func testUSD(t *testing.T, processes int, d Desk) {
	e := &endpoint{takes: 10 * time.Millisecond, answer: model.Usage{PromptTokens: 2, CompletionTokens: 3, USD: 0.005}}
	const calls, budget = 400, 1.0 // each costs 0.005 and 0.1 or so at most
	_, counts := d.together(t, e, processes, calls/processes,
		run.Options{Concurrency: 4, Budget: run.Budget{USD: budget}})
	n, skipped := asked(counts)
	spent := float64(len(e.sent)) * 0.005
	if spent > budget || spent < budget-0.13 || n+skipped != calls || n != len(e.sent) {
		t.Errorf("%d requests for %v USD under a budget of %v; %d calls are asked and %d skipped", len(e.sent), spent,
			budget, n, skipped)
	}
}

// A process has all of what is there where no other wants it, as soon as the one before has ended.
func testTurns(t *testing.T, processes int, d Desk) {
	for p := range 3 {
		e := &endpoint{takes: 20 * time.Millisecond}
		begun := time.Now()
		if _, err := d.execute(t.Context(), e, fmt.Sprint("turn ", p), 100, run.Options{Concurrency: 10, InFlight: 10,
			RPM: 60 * 1000, Budget: run.Budget{Calls: 100 * (p + 1)}}); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(begun); len(e.sent) != 100 || e.most != 10 || took > 2*time.Second {
			t.Errorf("turn %d: %d calls, %d in flight, in %v", p, len(e.sent), e.most, took)
		}
	}
}

// What is stopped ends, also where it waits to be let in, and leaves the others what they had.
func testStopped(t *testing.T, processes int, d Desk) {
	e := &endpoint{takes: 10 * time.Second}
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	for p := range processes {
		wg.Go(func() {
			_, err := d.execute(ctx, e, fmt.Sprint("stopped ", p), 20, run.Options{Concurrency: 4, InFlight: 3, RPM: 60,
				Budget: run.Budget{Calls: 1000}})
			if !errors.Is(err, context.Canceled) {
				t.Errorf("process %d: %v", p, err)
			}
		})
	}
	time.Sleep(1500 * time.Millisecond)
	cancel()
	begun := time.Now()
	wg.Wait()
	if took := time.Since(begun); took > time.Second {
		t.Errorf("it takes %v to stop", took)
	}
	again := &endpoint{}
	if _, err := d.execute(t.Context(), again, "again", 4, run.Options{Concurrency: 4, InFlight: 3}); err != nil {
		t.Fatal(err)
	}
	if took := time.Since(begun); len(again.sent) != 4 || took > 3*time.Second {
		t.Errorf("%d calls afterwards, in %v", len(again.sent), took)
	}
}

// A budget of a few calls is spent to the last, by however many.
func testSmall(t *testing.T, processes int, d Desk) {
	e := &endpoint{takes: 5 * time.Millisecond}
	_, counts := d.together(t, e, processes, 3, run.Options{Concurrency: 2, Budget: run.Budget{Calls: 2}})
	if n, skipped := asked(counts); n != 2 || len(e.sent) != 2 || skipped != 3*processes-2 {
		t.Errorf("%d requests, %d calls are asked and %d skipped", len(e.sent), n, skipped)
	}
}
