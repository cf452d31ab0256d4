package run_test

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"hallmark/internal/model"
	"hallmark/internal/model/modeltest"
	"hallmark/internal/run"
	"hallmark/internal/run/store/inmemory"
)

// priced answers with 10 prompt and 10 completion tokens for 0.02 USD.
func priced() modeltest.Func {
	return modeltest.Func{ID: "m", Answer: func(context.Context, model.Request) (model.Response, error) {
		time.Sleep(time.Second)
		r := text("x")
		r.Usage = model.Usage{PromptTokens: 10, CompletionTokens: 10, USD: 0.02}
		return r, nil
	}}
}

func TestBudget(t *testing.T) {
	for name, c := range map[string]struct {
		budget run.Budget
		asked  int
	}{
		"calls":  {run.Budget{Calls: 30}, 30},
		"tokens": {run.Budget{Tokens: 405}, 14}, // the 14th fits: 13 took 20, and it may take 40 bytes, 96 of layout and 9
		"usd":    {run.Budget{USD: 0.5}, 18},    // the 18th fits, at 145 tokens of 0.001 USD on top of 0.34
		"least":  {run.Budget{Calls: 40, USD: 0.5, Tokens: 1000}, 18},
		"ample":  {run.Budget{Calls: 1000, USD: 1000, Tokens: 1e6}, 100},
	} {
		for _, concurrency := range []int{1, 16} {
			synctest.Test(t, func(t *testing.T) {
				store, calls := inmemory.New(), plan("m", 100)
				for i := range calls {
					calls[i].Request.Prompt = fmt.Sprintf("%040d", i)
					calls[i].Request.MaxTokens = 9
				}
				opt := run.Options{Concurrency: concurrency, Budget: c.budget}
				got, err := run.Execute(t.Context(), store, by(priced()), slices.Values(calls), opt)
				if err != nil {
					t.Fatal(err)
				}
				want := run.Counts{Planned: 100, Asked: c.asked, Skipped: 100 - c.asked,
					PromptTokens: 10 * c.asked, CompletionTokens: 10 * c.asked, USD: 0.02 * float64(c.asked),
					Spent: run.Cost{USD: 0.02 * float64(c.asked), Tokens: 20 * c.asked, Calls: c.asked}}
				if c.asked < 100 {
					want.Reason = run.SkippedBudget
				}
				if d := cmp.Diff(want, got, money); d != "" {
					t.Fatalf("%s at %d: counts (-want +got):\n%s", name, concurrency, d)
				}
				for i, o := range outcomes(t, store, calls) { // in the order of the plan, and nothing for a skipped call
					if (o != "") != (i < c.asked) {
						t.Fatalf("%s at %d: outcome %d is %q", name, concurrency, i, o)
					}
				}
				// The same cap again admits nothing more.
				execute(t, store, priced(), calls, opt, run.Counts{Planned: 100, Reused: c.asked, Skipped: 100 - c.asked,
					Reason: want.Reason})
			})
		}
	}
}

// What earlier calls of a run took counts against its budget, whether they were asked now or before, and a stored
// answer is used however much is spent.
func TestBudgetOverWaves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store, calls := inmemory.New(), plan("m", 30)
		first, second := calls[:10], calls[10:]
		for _, again := range []bool{false, true} {
			opt := run.Options{Budget: run.Budget{Calls: 15}}
			a, err := run.Execute(t.Context(), store, by(priced()), slices.Values(first), opt)
			if err != nil {
				t.Fatal(err)
			}
			opt.Spent = a.Spent
			b, err := run.Execute(t.Context(), store, by(priced()), slices.Values(second), opt)
			if err != nil {
				t.Fatal(err)
			}
			if b.Spent.Calls != 15 || b.Asked+b.Reused != 5 || (b.Reused == 5) != again || b.Skipped != 15 ||
				b.Reason != run.SkippedBudget {
				t.Errorf("again %v: %+v; want 5 answers of 20, and 15 calls spent in all", again, b)
			}
		}
		// With the whole budget spent elsewhere, what is stored is used still.
		got, err := run.Execute(t.Context(), store, by(priced()), slices.Values(second),
			run.Options{Budget: run.Budget{Calls: 15}, Spent: run.Cost{Calls: 99}})
		if err != nil || got.Reused != 5 || got.Asked != 0 || got.Skipped != 15 {
			t.Errorf("%+v, %v; want 5 reused and 15 skipped", got, err)
		}
	})
}

// A model whose price is unknown cannot run through the cap with all its first calls at once.
func TestBudgetFirstCallAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := modeltest.Func{ID: "m", Answer: func(context.Context, model.Request) (model.Response, error) {
			time.Sleep(time.Second)
			r := text("x")
			r.Usage = model.Usage{PromptTokens: 10, USD: 4}
			return r, nil
		}}
		got, err := run.Execute(t.Context(), inmemory.New(), by(m), slices.Values(bounded(plan("m", 100))),
			run.Options{Concurrency: 50, Budget: run.Budget{USD: 5}})
		if err != nil || got.USD != 4 || got.Reason != run.SkippedBudget {
			t.Errorf("got %+v, %v, want one call for 4 of 5 USD", got, err)
		}
	})
}

// A server that counts its tokens wildly costs no time and breaks no sum.
func TestAbsurdUsage(t *testing.T) {
	usages := []model.Usage{{PromptTokens: math.MinInt, CompletionTokens: -1, USD: -1e300},
		{PromptTokens: math.MaxInt, CompletionTokens: math.MaxInt, USD: 1e-9}}
	synctest.Test(t, func(t *testing.T) {
		n := 0
		m := modeltest.Func{ID: "m", Answer: func(context.Context, model.Request) (model.Response, error) {
			r := text("x")
			r.Usage = usages[n%2]
			n++
			return r, nil
		}}
		got, err := run.Execute(t.Context(), inmemory.New(), by(m), slices.Values(bounded(plan("m", 6))),
			run.Options{TPM: 1, Budget: run.Budget{USD: 1e9, Tokens: math.MaxInt}})
		if err != nil || got.Asked != 6 || got.Failed != 6 || got.PromptTokens != 0 || got.USD != 0 {
			t.Errorf("got %+v, %v, want 6 failures", got, err)
		}
	})
}

// Sums of costs stop where they would overflow, and are never below their parts: a store that came from elsewhere may
// say anything.
func TestCostSums(t *testing.T) {
	most := run.Cost{USD: math.MaxFloat64, Tokens: math.MaxInt, Calls: math.MaxInt}
	sum := most.Plus(most).Plus(most)
	if sum.Tokens < 1<<60 || sum.Calls < 1<<60 || !(sum.USD >= 1<<60) || math.IsInf(sum.USD, 1) {
		t.Errorf("sum is %+v", sum)
	}
	if got := (run.Cost{USD: .5, Tokens: 2, Calls: 3}).Plus(run.Cost{USD: 1, Tokens: 4,
		Calls: 5}); got != (run.Cost{USD: 1.5, Tokens: 6, Calls: 8}) {
		t.Errorf("sum is %+v", got)
	}
}
