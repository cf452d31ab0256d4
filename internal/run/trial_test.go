package run_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"hallmark/internal/model"
	"hallmark/internal/run"
	"hallmark/internal/run/store/inmemory"
)

// A refuser answers after a second, but refuses bad prompts, and everything once so many requests were sent.
type refuser struct {
	bad     func(prompt string) bool
	wait    time.Duration     // that it asks for where it refuses a bad prompt; 0: it refuses by its policy
	credit  int               // requests that it has credit for; 0 is no end
	failing func(n int) error // of request n, before all else; nil is none

	mu      sync.Mutex
	prompts []string
}

func (r *refuser) Identity() string { return "m" }

func (r *refuser) Generate(_ context.Context, req model.Request) (model.Response, error) {
	r.mu.Lock()
	r.prompts = append(r.prompts, req.Prompt)
	n := len(r.prompts)
	r.mu.Unlock()
	time.Sleep(time.Second)
	if r.failing != nil {
		if err := r.failing(n); err != nil {
			return model.Response{}, err
		}
	}
	switch {
	case r.credit > 0 && n > r.credit:
		return model.Response{}, fmt.Errorf("%w: status 402: no credit", model.ErrDenied)
	case r.bad != nil && r.bad(req.Prompt) && r.wait > 0:
		return model.Response{}, &model.Transient{After: r.wait, Limited: true, Err: errors.New("status 429: later")}
	case r.bad != nil && r.bad(req.Prompt):
		return model.Response{}, fmt.Errorf("%w: status 403: policy", model.ErrDenied)
	}
	return text("re: " + req.Prompt), nil
}

// ends returns a test for prompts that end in one of the digits.
func ends(digits string) func(string) bool {
	return func(p string) bool { return strings.ContainsRune(digits, rune(p[len(p)-1])) }
}

// A prompt that the server refuses, while it answers others, costs its own answer and no other, at one more request for
// each at most.
func TestBadPromptStopsNothing(t *testing.T) {
	for _, concurrency := range []int{1, 16} {
		synctest.Test(t, func(t *testing.T) {
			m := &refuser{bad: ends("37")}
			store, calls := inmemory.New(), plan("m", 100)
			// The first question is answered, or under way with the first that is refused.
			execute(t, store, m, calls, run.Options{Concurrency: concurrency}, run.Counts{Planned: 100, Asked: 100, Failed: 20})
			for i, o := range outcomes(t, store, calls) {
				want := "after 1: re: " + calls[i].Request.Prompt
				if m.bad(calls[i].Request.Prompt) {
					want = "failed after 1: the server refuses: status 403: policy (transient false)"
				}
				if o != want {
					t.Errorf("call %d: %q, want %q", i, o, want)
				}
			}
			trials := len(m.prompts) - 100
			if trials < 1 || trials > 20 {
				t.Errorf("%d trials at %d in flight for 20 refusals", trials, concurrency)
			}
			// Those refused in the same moment share one: 16 in flight hold 3 or 4 refused ones.
			if concurrency == 16 && trials > 12 {
				t.Errorf("%d trials for 20 refusals of 16 in flight", trials)
			}
		})
	}
}

// A prompt for which the server asks for hours costs its own answer and no other either; where nothing has worked, or
// nothing does any more, the run stops.
func TestLongWaitStopsNothing(t *testing.T) {
	for _, concurrency := range []int{1, 16} {
		synctest.Test(t, func(t *testing.T) {
			m := &refuser{bad: ends("37"), wait: 27 * time.Hour}
			store, calls := inmemory.New(), plan("m", 100)
			begun := time.Now()
			execute(t, store, m, calls, run.Options{Concurrency: concurrency}, run.Counts{Planned: 100, Asked: 100, Failed: 20})
			if took := time.Since(begun); took > time.Hour {
				t.Errorf("it took %v", took)
			}
			const want = "failed after 1: asks for a wait of 27h0m0s: run the same command again then: status 429: later (transient true)"
			if o := outcomes(t, store, calls)[3]; o != want {
				t.Errorf("%q, want %q", o, want)
			}
			all := &refuser{bad: func(string) bool { return true }, wait: time.Hour}
			got, err := run.Execute(t.Context(), inmemory.New(), by(all), slices.Values(calls),
				run.Options{Concurrency: concurrency})
			if err == nil || !strings.Contains(err.Error(), "asks for a wait of 1h0m0s: run the same command again then") ||
				got.Asked != 0 {
				t.Errorf("%+v, %v", got, err)
			}
		})
	}
}

// TestRefusalBeforeAnythingWorked: the run stops, unless what was sent at the same time works, or a stored record shows
// that something did.
func TestRefusalBeforeAnythingWorked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		all := &refuser{bad: func(string) bool { return true }}
		store, calls := inmemory.New(), plan("m", 100)
		got, err := run.Execute(t.Context(), store, by(all), slices.Values(calls), run.Options{Concurrency: 4, MaxRetries: 3})
		if !errors.Is(err, model.ErrGone) || !strings.Contains(err.Error(), "status 403: policy") || got.Asked != 0 ||
			len(all.prompts) != 4 {
			t.Errorf("%+v, %v after %d requests; want none beyond the 4 in flight", got, err, len(all.prompts))
		}
		first := &refuser{bad: ends("0")}
		got, err = run.Execute(t.Context(), store, by(first), slices.Values(calls[:10]), run.Options{})
		if !errors.Is(err, model.ErrDenied) || got.Asked != 0 || len(first.prompts) != 1 {
			t.Errorf("%+v, %v after %d requests; want 1", got, err, len(first.prompts))
		}
		execute(t, store, echo("m"), calls[1:3], run.Options{}, run.Counts{Planned: 2, Asked: 2})
		execute(t, store, first, calls[:10], run.Options{}, run.Counts{Planned: 10, Reused: 2, Asked: 8, Failed: 1})
		if first.prompts[2] != "question 1" { // after the second refusal: the stored one again
			t.Errorf("asked %q", first.prompts)
		}
	})
}

// A server that refuses everything from some request on stops the run at the next trial.
func TestCreditRunsOut(t *testing.T) {
	for _, concurrency := range []int{1, 16} {
		for _, bad := range []string{"", "37"} {
			synctest.Test(t, func(t *testing.T) {
				m := &refuser{credit: 50, bad: ends(bad)}
				store, calls := inmemory.New(), plan("m", 1000)
				got, err := run.Execute(t.Context(), store, by(m), slices.Values(calls), run.Options{Concurrency: concurrency,
					MaxRetries: 3})
				if !errors.Is(err, model.ErrGone) || !strings.Contains(err.Error(), "status 40") {
					t.Errorf("%+v, %v", got, err)
				}
				// Those in flight with the first refusal, those sent while its trial is under way, and the trial.
				if n := len(m.prompts); n > 50+3*concurrency+1 {
					t.Errorf("%d requests at %d in flight, of a credit of 50", n, concurrency)
				}
				recs, _ := run.Records(t.Context(), store, calls)
				wrong := 0
				for _, r := range recs {
					if r != nil && r.Response == nil && strings.Contains(r.Failure, "402") {
						wrong++
					}
				}
				if wrong > concurrency-1 { // the server may take a trial before what was sent with it
					t.Errorf("%d calls are stored as failures though nothing worked any more", wrong)
				}
				if bad == "" { // with credit, the same calls again end
					execute(t, store, echo("m"), calls, run.Options{Concurrency: 9}, run.Counts{Planned: 1000, Reused: got.Asked,
						Asked: 1000 - got.Asked})
				}
			})
		}
	}
}

// A trial that fails in a way that may pass is tried again; one that goes on failing, or fails otherwise, stops the run
// with the words of the refusal.
func TestTrialFails(t *testing.T) {
	for name, c := range map[string]struct {
		err   error
		until int // requests that fail, from the third, which is the trial
		stops bool
	}{
		"passes":   {model.ErrTransient, 4, false},
		"limited":  {&model.Transient{Limited: true, After: time.Minute, Err: errors.New("429")}, 3, false},
		"goes on":  {model.ErrTransient, 99, true},
		"too long": {&model.Transient{After: time.Hour, Err: errors.New("503")}, 3, true},
		"final":    {errors.New("400"), 3, true},
		"gone":     {model.ErrGone, 3, true},
	} {
		synctest.Test(t, func(t *testing.T) {
			m := &refuser{bad: ends("1"), failing: func(n int) error {
				if n >= 3 && n <= c.until {
					return c.err
				}
				return nil
			}}
			store, calls := inmemory.New(), plan("m", 4)
			got, err := run.Execute(t.Context(), store, by(m), slices.Values(calls), run.Options{MaxRetries: 2})
			stopped := got.Asked == 1 && err != nil && strings.Contains(err.Error(), "status 403: policy")
			if wentOn := got.Asked == 4 && got.Failed == 1 && err == nil; c.stops && !stopped || !c.stops && !wentOn {
				t.Errorf("%s: %+v, %v", name, got, err)
			}
			if got.Spent.Calls != len(m.prompts) {
				t.Errorf("%s: %d calls are spent, %d were sent", name, got.Spent.Calls, len(m.prompts))
			}
		})
	}
}

// Without room for the trial the run stops with the server's words, and the cap holds.
func TestTrialNeedsRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &refuser{bad: ends("3")}
		got, err := run.Execute(t.Context(), inmemory.New(), by(m), slices.Values(plan("m", 10)),
			run.Options{Budget: run.Budget{Calls: 4}})
		words := err != nil && strings.Contains(err.Error(), "status 403: policy") &&
			strings.Contains(err.Error(), "the budget has no room")
		if !words || len(m.prompts) != 4 || got.Spent.Calls != 4 {
			t.Errorf("%+v, %v after %d requests", got, err, len(m.prompts))
		}
	})
}

// The trial of a model that asks another behind a store asks anew: what is stored shows nothing.
func TestTrialAsksAnew(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		inner := &refuser{credit: 3}
		store, calls := inmemory.New(), plan("m", 10)
		got, err := run.Execute(t.Context(), inmemory.New(), by(run.Recorded(store, inner, run.Options{})),
			slices.Values(calls), run.Options{})
		if !errors.Is(err, model.ErrGone) || got.Asked != 3 || len(inner.prompts) != 5 {
			t.Errorf("%+v, %v after %d requests; want 3 answers, a refusal and a trial", got, err, len(inner.prompts))
		}
	})
}

// Under random refusals a run ends, with a record for every call or with the server's words, and with at most one trial
// for each refusal.
func TestRefusalsAtRandom(t *testing.T) {
	for seed := range uint64(200) {
		synctest.Test(t, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(seed, 18))
			refused := map[string]bool{}
			for i := range 60 {
				if rng.IntN(4) == 0 {
					refused[fmt.Sprintf("question %d", i)] = true
				}
			}
			m := &refuser{bad: func(p string) bool { return refused[p] }}
			if rng.IntN(2) == 0 {
				m.credit = 1 + rng.IntN(80)
			}
			store, calls := inmemory.New(), plan("m", 60)
			opt := run.Options{Concurrency: 1 + rng.IntN(12)}
			got, err := run.Execute(t.Context(), store, by(m), slices.Values(calls), opt)
			// A server may take a call that was sent before a trial after it: then the credit can run out between them.
			late := got.Failed - len(refused)
			if err == nil && (got.Asked != 60 || late != 0 && (m.credit == 0 || late < 0 || late >= opt.Concurrency)) ||
				err != nil && !strings.Contains(err.Error(), "status 40") {
				t.Fatalf("seed %d: %+v, %v", seed, got, err)
			}
			if m.credit == 0 && err != nil && got.Asked > 0 {
				t.Errorf("seed %d: stopped by a bad prompt after %d answers", seed, got.Asked)
			}
			if n := len(m.prompts); n > 60+len(refused)+1 || got.Spent.Calls != n {
				t.Errorf("seed %d: %d requests for 60 calls and %d refusals, %d spent", seed, n, len(refused), got.Spent.Calls)
			}
		})
	}
}
