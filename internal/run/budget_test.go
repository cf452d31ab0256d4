package run_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"hallmark/internal/model"
	"hallmark/internal/run"
	"hallmark/internal/run/store/inmemory"
)

// A server counts what it was sent and what it bills. It fails by a script, and sends several requests for a call where
// it is told so, which it asks the meter for.
type server struct {
	script []int // what each request meets, in turn, again and again
	extra  []int // requests before the answer of each call, in turn
	price  float64
	priced bool // known before the answer

	mu                   sync.Mutex
	requests, calls, tok int
}

func (s *server) Identity() string { return "m" }

func (s *server) Price() (in, out float64, known bool) { return s.price, s.price, s.priced }

// bill counts a request and returns what it meets and what it bills.
func (s *server) bill(req model.Request) (meets int, u model.Usage) {
	s.mu.Lock()
	defer s.mu.Unlock()
	most, _ := model.Most(req)
	meets = s.script[s.requests%len(s.script)]
	u = model.Usage{PromptTokens: most.PromptTokens, CompletionTokens: most.CompletionTokens}
	switch {
	case meets == answers && s.requests%3 > 0: // an honest server rarely bills the most
		u = model.Usage{PromptTokens: u.PromptTokens / 4, CompletionTokens: u.CompletionTokens / 2}
	case meets == limits, meets == refuses, meets == denies, meets == isGone:
		u = model.Usage{}
	}
	s.requests++
	s.tok += u.PromptTokens + u.CompletionTokens
	u.USD = s.price * float64(u.PromptTokens+u.CompletionTokens)
	return meets, u
}

// What a request meets.
const (
	answers   = iota
	uncounted // answered, without a count of tokens
	hangs     // billed, and lost
	breaks
	limits
	refuses
	denies
	isGone
	final // billed, and of no use
	kinds
)

// request sends one request, through the meter.
func (s *server) request(ctx context.Context, req model.Request, metered bool) (model.Response, error) {
	took := func(model.Usage) {}
	most, _ := model.Most(req)
	if metered {
		var err error
		if took, err = model.Take(ctx, most); err != nil {
			return model.Response{}, err
		}
	}
	meets, u := s.bill(req)
	time.Sleep(time.Second)
	r := text("re: " + req.Prompt)
	var err error
	paid := most
	switch r.Usage = u; meets {
	case answers:
		paid = u
	case uncounted:
		r.Usage = model.Usage{PromptTokens: 1, CompletionTokens: 1, Estimated: true, USD: 2 * s.price}
	case hangs, breaks:
		err = &model.Transient{Err: errors.New("lost")}
	case limits:
		paid, err = model.Usage{}, &model.Transient{Limited: true, Err: errors.New("429")}
	case refuses:
		paid, err = model.Usage{}, model.ErrTooLong
	case denies:
		paid, err = model.Usage{}, model.ErrDenied
	case isGone:
		paid, err = model.Usage{}, model.ErrGone
	case final:
		err = errors.New("no choices")
	}
	took(paid)
	return r, err
}

func (s *server) Generate(ctx context.Context, req model.Request) (r model.Response, err error) {
	s.mu.Lock()
	n := s.extra[s.calls%len(s.extra)]
	s.calls++
	s.mu.Unlock()
	for range n {
		if _, err := s.request(ctx, req, true); errors.Is(err, model.ErrBudget) {
			return model.Response{}, err
		}
	}
	return s.request(ctx, req, n > 0)
}

// A batching server has no meter: a call is a request.
type batching struct{ *server }

func (b batching) GenerateBatch(ctx context.Context, reqs []model.Request) []model.Result {
	results := make([]model.Result, len(reqs))
	for i, req := range reqs {
		results[i].Response, results[i].Err = b.request(ctx, req, false)
	}
	return results
}

func (b batching) Generate(ctx context.Context, req model.Request) (model.Response, error) {
	return b.request(ctx, req, false)
}

// limited draws a server, a model that asks it, and a budget of calls, tokens and dollars, with this many calls at
// least; 0 is no cap.
func limited(rt *rapid.T, least int) (*server, model.Model, run.Budget) {
	s := &server{
		script: rapid.SliceOfN(rapid.IntRange(0, kinds-1), 1, 40).Draw(rt, "script"),
		extra:  rapid.SliceOfN(rapid.IntRange(0, 3), 1, 5).Draw(rt, "extra"),
		price:  1e-3,
		priced: rapid.Bool().Draw(rt, "priced"),
	}
	var m model.Model = s
	if rapid.Bool().Draw(rt, "batches") {
		m = batching{s}
	}
	budget := run.Budget{Calls: rapid.IntRange(least, 80).Draw(rt, "calls"),
		Tokens: rapid.IntRange(0, 8000).Draw(rt, "tokens")}
	if s.priced {
		budget.USD = float64(rapid.IntRange(0, 8000).Draw(rt, "usd")) * 1e-3
	}
	return s, m, budget
}

// No cap is overrun by a request or a token, whatever the server does, at any concurrency, in batches, with retries,
// trials and requests beyond one a try, and over runs that go on from each other with what the store and Unrecorded
// kept.
func TestNoBudgetIsOverrun(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s, m, budget := limited(rt, 0)
		opt := run.Options{
			Concurrency: rapid.IntRange(1, 12).Draw(rt, "concurrency"), Batch: rapid.IntRange(1, 12).Draw(rt, "batch"),
			MaxRetries: rapid.IntRange(0, 4).Draw(rt, "retries"), RetryErrors: rapid.Bool().Draw(rt, "again"), Budget: budget,
			Seed: rapid.Uint64().Draw(rt, "seed"),
		}
		rounds := rapid.IntRange(1, 4).Draw(rt, "rounds")
		var fault string
		synctest.Test(t, func(t *testing.T) {
			store, calls := inmemory.New(), bounded(plan("m", 40))
			var kept run.Cost
			opt.Unrecorded = func(_ context.Context, c run.Cost) error {
				kept = kept.Plus(c)
				return nil
			}
			for round := range rounds {
				opt.Spent = kept // as another process knows it
				got, err := run.Execute(context.Background(), store, by(m), slices.Values(calls), opt)
				if err != nil && !errors.Is(err, model.ErrGone) && !strings.Contains(err.Error(), "the server refuses") {
					fault = err.Error()
				}
				usd := s.price * float64(s.tok)
				switch {
				case got.Spent.Calls < s.requests, got.Spent.Tokens < s.tok, s.priced && got.Spent.USD < usd*(1-1e-9):
					fault = fmt.Sprintf("round %d: %d requests, %d tokens, %v USD were sent, and %+v counts as spent", round,
						s.requests, s.tok, usd, got.Spent)
				case budget.Calls > 0 && s.requests > budget.Calls, budget.Tokens > 0 && s.tok > budget.Tokens, budget.USD > 0 &&
					usd > budget.USD*(1+1e-6):
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

// A server that always fails is asked as often as the budget says, and again no more when the run goes on from what was
// kept.
func TestBudgetOfAFailingServer(t *testing.T) {
	for _, concurrency := range []int{1, 16} {
		synctest.Test(t, func(t *testing.T) {
			s := &server{script: []int{breaks}, extra: []int{0}}
			store, calls := inmemory.New(), bounded(plan("m", 40))
			var kept run.Cost
			opt := run.Options{Concurrency: concurrency, MaxRetries: 6, Budget: run.Budget{Calls: 10},
				Unrecorded: func(_ context.Context, c run.Cost) error {
					kept = kept.Plus(c)
					return nil
				}}
			got, err := run.Execute(t.Context(), store, by(s), slices.Values(calls), opt)
			if err != nil || s.requests != 10 || got.Spent.Calls != 10 || got.Reason != run.SkippedBudget ||
				got.Asked+got.Skipped != 40 {
				t.Errorf("%d in flight: %+v, %v after %d requests", concurrency, got, err, s.requests)
			}
			opt.Spent = kept
			again, err := run.Execute(t.Context(), store, by(s), slices.Values(calls), opt)
			if err != nil || s.requests != 10 || again.Spent.Calls != 10 || again.Skipped != got.Skipped {
				t.Errorf("%d in flight, again: %+v, %v after %d requests", concurrency, again, err, s.requests)
			}
			// With more, what was skipped is asked.
			s.script = []int{answers}
			opt.Spent, opt.Budget.Calls = kept, 1000
			if got, err := run.Execute(t.Context(), store, by(s), slices.Values(calls), opt); err != nil || got.Skipped != 0 ||
				got.Reused+got.Asked != 40 {
				t.Errorf("%d in flight, with more: %+v, %v", concurrency, got, err)
			}
		})
	}
}

func TestBudgetNeedsALongestAnswer(t *testing.T) {
	for _, b := range []run.Budget{{Tokens: 1000}, {USD: 1}} {
		_, err := run.Execute(t.Context(), inmemory.New(), by(echo("m")), slices.Values(plan("m", 3)), run.Options{Budget: b})
		if err == nil || !strings.Contains(err.Error(), "needs a longest answer") {
			t.Errorf("%+v: %v", b, err)
		}
	}
	execute(t, inmemory.New(), echo("m"), plan("m", 3), run.Options{Budget: run.Budget{Calls: 3}},
		run.Counts{Planned: 3, Asked: 3})
}

// What is asked outside Execute is paid from the same budget.
func TestAccountMeter(t *testing.T) {
	var alone *run.Session
	l := alone.Account(run.Budget{Calls: 3, Tokens: 1000}, run.Cost{Calls: 1, Tokens: 100})
	ctx := l.Meter(t.Context(), echo("m"))
	took, err := model.Take(ctx, model.Usage{PromptTokens: 500, CompletionTokens: 300})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := model.Take(ctx, model.Usage{PromptTokens: 101}); !errors.Is(err, model.ErrBudget) {
		t.Errorf("beside 800 tokens under way, 101 of 900 fit: %v", err)
	}
	took(model.Usage{PromptTokens: 50, CompletionTokens: 5})
	if want := (run.Cost{Calls: 2, Tokens: 155}); l.Spent() != want {
		t.Errorf("spent %+v, want %+v", l.Spent(), want)
	}
	if _, err := model.Take(ctx, model.Usage{PromptTokens: 845}); err != nil {
		t.Errorf("what is left does not fit: %v", err)
	}
	if _, err := model.Take(ctx, model.Usage{}); !errors.Is(err, model.ErrBudget) {
		t.Errorf("a fourth of 3 calls fits: %v", err)
	}
}
