package run_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"hallmark/internal/model"
	"hallmark/internal/model/modeltest"
	"hallmark/internal/run"
	"hallmark/internal/run/store/inmemory"
)

func text(s string) model.Response { return model.Response{Text: &s, Finish: model.FinishStop} }

func echo(id string) modeltest.Func {
	return modeltest.Func{ID: id, Answer: func(_ context.Context, r model.Request) (model.Response, error) {
		return text("re: " + r.Prompt), nil
	}}
}

func plan(id string, n int) []run.Call {
	calls := make([]run.Call, n)
	for i := range calls {
		calls[i] = run.Call{Model: id, Request: model.Request{Prompt: fmt.Sprintf("question %d", i)}}
	}
	return calls
}

// bounded gives the calls a longest answer, without which a budget in tokens has no worst case.
func bounded(calls []run.Call) []run.Call {
	for i := range calls {
		calls[i].Request.MaxTokens = 9
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

// execute runs Execute and fails unless its counts are the wanted ones.
func execute(t testing.TB, store run.Store, m model.Model, calls []run.Call, opt run.Options, want run.Counts) {
	t.Helper()
	got, err := run.Execute(context.Background(), store, by(m), slices.Values(calls), opt)
	if err != nil {
		t.Fatal(err)
	}
	if got.Spent.Calls < want.Reused+want.Asked {
		t.Fatalf("%d calls count as spent, %d have a record", got.Spent.Calls, want.Reused+want.Asked)
	}
	got.Spent = want.Spent
	if d := cmp.Diff(want, got, money); d != "" {
		t.Fatalf("counts (-want +got):\n%s", d)
	}
}

// money compares sums of prices, which depend on their order in the last bits.
var money = cmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) < 1e-9 })

// outcomes returns what is stored of the calls, times left out: "" for nothing.
func outcomes(t interface {
	Helper()
	Fatal(...any)
}, store run.Store, calls []run.Call) []string {
	t.Helper()
	recs, err := run.Records(context.Background(), store, calls)
	if err != nil {
		t.Fatal(err)
	}
	out := make([]string, len(recs))
	for i, r := range recs {
		switch {
		case r == nil:
		case r.Response == nil:
			out[i] = fmt.Sprintf("failed after %d: %s (transient %v)", r.Attempts, r.Failure, r.Transient)
		default:
			out[i] = fmt.Sprintf("after %d: %s", r.Attempts, *r.Response.Text)
		}
	}
	return out
}

func TestKeyIsStable(t *testing.T) {
	seed := int64(-1)
	full := run.Call{Model: "m<1>", Repeat: 2, Request: model.Request{
		System: "s", Messages: []model.Message{{Role: "user", Text: "é"}}, Prompt: "p", Raw: true, Options: []string{"a"},
		MaxTokens: 3, Temperature: 0.7, TopP: 0.9, Stop: []string{"\n"}, Seed: &seed, LogProbs: true, TopLogProbs: 5,
	}}
	// By coreutils: printf %s '{"model":"m","request":{"prompt":"p","temperature":0},"repeat":0}' | sha256sum, and the
	// same of {"model":"m\u003c1\u003e","request":{"system":"s","messages":[{"role":"user","text":"é"}],"prompt":"p",
	// "raw":true,"options":["a"],"max_tokens":3,"temperature":0.7,"top_p":0.9,"stop":["\n"],"seed":-1,"logprobs":true,
	// "top_logprobs":5},"repeat":2} in one line, with \u003c, \u003e and \n as written. Stores in use hold such keys:
	// a change here makes all their records unknown.
	for want, c := range map[string]run.Call{
		"fa5bcc66b10d2dd8d9d221c86c97b75ae37fbab0b1d4389d3df1b19bbcaa620b": {Model: "m", Request: model.Request{Prompt: "p"}},
		"f497f1ad56710f50ec6a51631abaed0d80a645a13b909f3410958133dec354e0": full,
	} {
		if got := c.Key().String(); got != want {
			t.Errorf("key of %+v is %s, want %s", c, got, want)
		}
	}
}

func TestExecuteAsksOnce(t *testing.T) {
	store := inmemory.New()
	calls := plan("m", 1000)
	calls = append(calls, calls[:10]...)
	execute(t, store, echo("m"), calls, run.Options{Concurrency: 7}, run.Counts{Planned: 1000, Asked: 1000})
	execute(t, store, echo("m"), calls, run.Options{Concurrency: 7}, run.Counts{Planned: 1000, Reused: 1000})
	for i, o := range outcomes(t, store, calls) {
		if o != "after 1: re: "+calls[i].Request.Prompt {
			t.Fatalf("outcome %d is %q", i, o)
		}
	}
}

func TestRecordsOfMissingCalls(t *testing.T) {
	store := inmemory.New()
	calls := plan("m", 600)
	execute(t, store, echo("m"), calls[300:400], run.Options{}, run.Counts{Planned: 100, Asked: 100})
	for i, o := range outcomes(t, store, calls) {
		if has := i >= 300 && i < 400; (o != "") != has {
			t.Fatalf("outcome %d is %q", i, o)
		}
	}
	stop := errors.New("enough")
	n := 0
	err := run.Each(t.Context(), store, calls, func(i int, _ *run.Record) error {
		if n++; i == 301 {
			return stop
		}
		return nil
	})
	if err != stop || n != 302 {
		t.Errorf("Each made %d visits and returned %v", n, err)
	}
}

func TestOrderAndConcurrency(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, concurrency := range []int{1, 16} {
			var mu sync.Mutex
			var order []string
			var now, most int
			m := modeltest.Func{ID: "m", Answer: func(_ context.Context, r model.Request) (model.Response, error) {
				mu.Lock()
				order = append(order, r.Prompt)
				now++
				most = max(most, now)
				mu.Unlock()
				time.Sleep(time.Second)
				mu.Lock()
				now--
				mu.Unlock()
				return text("x"), nil
			}}
			calls := plan("m", 100)
			start := time.Now()
			execute(t, inmemory.New(), m, calls, run.Options{Concurrency: concurrency}, run.Counts{Planned: 100, Asked: 100})
			if most != concurrency {
				t.Errorf("%d calls at once, want %d", most, concurrency)
			}
			seconds := (100 + concurrency - 1) / concurrency
			if got := time.Since(start).Truncate(time.Second); got != time.Duration(seconds)*time.Second {
				t.Errorf("took %v, want %d s", got, seconds)
			}
			for i, p := range order { // calls sent in the same moment race for the lock
				if want := i / concurrency; !slices.ContainsFunc(calls[want*concurrency:min(100, (want+1)*concurrency)],
					func(c run.Call) bool {
						return c.Request.Prompt == p
					}) {
					t.Fatalf("%q was asked as number %d", p, i)
				}
			}
		}
	})
}

func TestOffline(t *testing.T) {
	store := inmemory.New()
	calls := plan("m", 10)
	none := modeltest.Func{ID: "m", Answer: func(context.Context, model.Request) (model.Response, error) {
		t.Error("asked")
		return model.Response{}, nil
	}}
	want := run.Counts{Planned: 10, Skipped: 10, Reason: run.SkippedOffline}
	execute(t, store, none, calls, run.Options{Offline: true}, want)
	execute(t, store, echo("other"), calls, run.Options{Offline: true}, want) // the model may be out of reach
	execute(t, store, echo("m"), calls[:4], run.Options{}, run.Counts{Planned: 4, Asked: 4})
	execute(t, store, none, calls, run.Options{Offline: true, RetryErrors: true}, run.Counts{Planned: 10, Reused: 4,
		Skipped: 6, Reason: run.SkippedOffline})
	if _, err := run.Execute(t.Context(), store, by(echo("other")), slices.Values(calls), run.Options{}); err == nil ||
		!strings.Contains(err.Error(), `"m"`) {
		t.Errorf("a model that is not there: got %v", err)
	}
}

// Whatever a backend does ends in a record that says so, and none of it stops the others.
func TestFailures(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(-1)
	long := strings.Repeat("é", 5000)
	answers := map[string]func(ctx context.Context) (model.Response, error){
		"fine":  func(context.Context) (model.Response, error) { return text("x"), nil },
		"final": func(context.Context) (model.Response, error) { return text("x"), errors.New("line 1\nline 2\t\xff") },
		"empty": func(context.Context) (model.Response, error) { return text("x"), errors.New(" ") },
		"long":  func(context.Context) (model.Response, error) { return text("x"), errors.New(long) },
		"panic": func(context.Context) (model.Response, error) { panic("out of\nrange") },
		"transient": func(context.Context) (model.Response, error) {
			return text("x"), fmt.Errorf("503: %w", model.ErrTransient)
		},
		"hangs": func(ctx context.Context) (model.Response, error) { <-ctx.Done(); return text("x"), ctx.Err() },
		"token": func(context.Context) (model.Response, error) {
			return model.Response{Tokens: []model.Token{{}, {LogProb: &nan}}}, nil
		},
		"top": func(context.Context) (model.Response, error) {
			return model.Response{Tokens: []model.Token{{Top: []model.TopToken{{LogProb: inf}}}}}, nil
		},
		"option": func(context.Context) (model.Response, error) {
			return model.Response{Options: []model.OptionScore{{}, {LogProbs: []float64{0, nan}}}}, nil
		},
		"usd": func(context.Context) (model.Response, error) {
			return model.Response{Usage: model.Usage{USD: nan}}, nil
		},
	}
	want := map[string]string{
		"fine":      "after 1: x",
		"final":     "failed after 1: line 1 line 2 \uFFFD (transient false)",
		"empty":     "failed after 1: error without a text (transient false)",
		"long":      "failed after 1: " + strings.Repeat("é", 500) + " … (transient false)",
		"panic":     "failed after 1: backend panicked: out of range (transient false)",
		"transient": "failed after 3: 503: transient failure (transient true)",
		"hangs":     "failed after 3: no response within 5s (transient true)",
		"token":     "failed after 1: log-probability of token 1 is NaN (transient false)",
		"top":       "failed after 1: log-probability of an alternative to token 0 is -Inf (transient false)",
		"option":    "failed after 1: log-probability of token 1 of option 1 is NaN (transient false)",
		"usd":       "failed after 1: cost in USD is NaN (transient false)",
	}
	m := modeltest.Func{ID: "m"}
	m.Answer = func(ctx context.Context, r model.Request) (model.Response, error) { return answers[r.Prompt](ctx) }
	for _, concurrency := range []int{1, 5} {
		synctest.Test(t, func(t *testing.T) {
			store := inmemory.New()
			var calls []run.Call
			for name := range answers {
				calls = append(calls, run.Call{Model: "m", Request: model.Request{Prompt: name}})
			}
			opt := run.Options{Concurrency: concurrency, MaxRetries: 2, Timeout: 5 * time.Second}
			n := len(calls)
			execute(t, store, m, calls, opt, run.Counts{Planned: n, Asked: n, Failed: n - 1, Retries: 4})
			for i, o := range outcomes(t, store, calls) {
				if w := want[calls[i].Request.Prompt]; o != w {
					t.Errorf("%s:\ngot  %s\nwant %s", calls[i].Request.Prompt, o, w)
				}
			}
			// A failure is not asked for again, unless it is wanted.
			execute(t, store, m, calls, opt, run.Counts{Planned: n, Reused: n, Failed: n - 1})
			opt.RetryErrors = true
			execute(t, store, echo("m"), calls, opt, run.Counts{Planned: n, Reused: 1, Asked: n - 1})
		})
	}
}

// A batcher is a model that also answers in batches, by one function for all.
type batcher struct {
	modeltest.Func
	batch func(ctx context.Context, reqs []model.Request) []model.Result
}

func (b batcher) GenerateBatch(ctx context.Context, reqs []model.Request) []model.Result {
	return b.batch(ctx, reqs)
}

func TestBatches(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var sizes []int
		var failedOnce sync.Map
		m := batcher{Func: echo("m"), batch: func(ctx context.Context, reqs []model.Request) []model.Result {
			sizes = append(sizes, len(reqs))
			time.Sleep(time.Second)
			results := make([]model.Result, len(reqs))
			for i, r := range reqs {
				results[i].Response = text("re: " + r.Prompt)
				if strings.HasSuffix(r.Prompt, "7") {
					if _, again := failedOnce.LoadOrStore(r.Prompt, true); !again {
						results[i] = model.Result{Err: model.ErrTransient}
					}
				}
			}
			return results
		}}
		store, calls := inmemory.New(), plan("m", 100)
		execute(t, store, m, calls, run.Options{MaxRetries: 1, Batch: 32}, run.Counts{Planned: 100, Asked: 100, Retries: 10})
		if slices.Max(sizes) != 32 || len(sizes) > 8 {
			t.Errorf("batches of %v", sizes)
		}
		for i, o := range outcomes(t, store, calls) {
			if !strings.HasSuffix(o, ": re: "+calls[i].Request.Prompt) {
				t.Fatalf("outcome %d is %q", i, o)
			}
		}
	})
	for want, batch := range map[string]func(context.Context, []model.Request) []model.Result{
		"backend panicked: no": func(context.Context, []model.Request) []model.Result { panic("no") },
		"backend gave 1 results for a batch of 4": func(context.Context, []model.Request) []model.Result {
			return make([]model.Result, 1)
		},
	} {
		store, calls := inmemory.New(), plan("m", 4)
		execute(t, store, batcher{echo("m"), batch}, calls, run.Options{}, run.Counts{Planned: 4, Asked: 4, Failed: 4})
		for _, o := range outcomes(t, store, calls) {
			if o != "failed after 1: "+want+" (transient false)" {
				t.Errorf("got %q, want %q", o, want)
			}
		}
	}
}

// TestBatchesFitTheModel: a model that answers fast gets larger batches, one that is slow small ones.
func TestBatchesFitTheModel(t *testing.T) {
	small := func(n int) []int { return slices.Repeat([]int{32}, n) }
	for name, c := range map[string]struct {
		took func(batch int) time.Duration
		want []int
	}{
		"fast":       {func(int) time.Duration { return time.Second / 2 }, []int{32, 64, 128, 256, 100}},
		"slow":       {func(int) time.Duration { return time.Minute }, append(small(18), 4)},
		"in between": {func(int) time.Duration { return 2 * time.Second }, append(small(18), 4)},
		"fast, then not": {func(i int) time.Duration {
			return time.Duration(i) * 10 * time.Second / 2
		}, slices.Concat([]int{32, 64, 64, 32}, small(12), []int{4})},
	} {
		synctest.Test(t, func(t *testing.T) {
			var sizes []int
			m := batcher{Func: echo("m"), batch: func(ctx context.Context, reqs []model.Request) []model.Result {
				time.Sleep(c.took(len(sizes)))
				sizes = append(sizes, len(reqs))
				return make([]model.Result, len(reqs))
			}}
			execute(t, inmemory.New(), m, plan("m", 580), run.Options{}, run.Counts{Planned: 580, Asked: 580})
			if !slices.Equal(sizes, c.want) {
				t.Errorf("%s: batches of %v, want %v", name, sizes, c.want)
			}
		})
	}
}

func TestProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var seen []run.Progress
		store, calls := inmemory.New(), plan("m", 100)
		execute(t, store, priced(), calls[:20], run.Options{Concurrency: 20}, run.Counts{Planned: 20, Asked: 20,
			PromptTokens: 200, CompletionTokens: 200, USD: 0.4})
		_, err := run.Execute(t.Context(), store, by(priced()), slices.Values(calls),
			run.Options{Concurrency: 8, Progress: func(p run.Progress) {
				seen = append(seen, p)
			}})
		if err != nil {
			t.Fatal(err)
		}
		first, last := seen[0], seen[len(seen)-1]
		if first.Done() != 20 || first.Planned != 100 || last.Done() != 100 || last.InFlight != 0 ||
			last.CompletionTokens != 800 {
			t.Errorf("from %+v to %+v", first, last)
		}
		half := seen[1+40-1] // after 40 outcomes, in 5 rounds of a second
		if half.Asked != 40 || half.Rate != 8 || half.ETA != 5*time.Second ||
			half.InFlight != 7 /* the eighth is about to be admitted */ {
			t.Errorf("half-way: %+v", half)
		}
		for i := 1; i < len(seen); i++ {
			if seen[i].Done() < seen[i-1].Done() || seen[i].InFlight > 8 {
				t.Errorf("from %+v to %+v", seen[i-1], seen[i])
			}
		}
	})
}

// Under random failures, interruptions and concurrency, Execute run to its end leaves what a map of the models'
// answers says, and never asks for what is stored.
func TestExecuteLikeAMap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 60).Draw(t, "calls")
		scripts := make([][]int, n) // of each call: what its tries give, in order; beyond the end it is answered
		for i := range scripts {
			scripts[i] = rapid.SliceOfN(rapid.IntRange(0, 4), 0, 4).Draw(t, "script")
		}
		// After so many microseconds each round is interrupted; 0 is not at all. The last round is left alone.
		interrupts := rapid.SliceOfN(rapid.IntRange(0, 100), 0, 10).Draw(t, "interrupts")
		retries := rapid.IntRange(0, 3).Draw(t, "retries")
		var mu sync.Mutex
		tries := make([]int, n)
		store := inmemory.New()
		calls := plan("m", n)
		m := modeltest.Func{ID: "m", Answer: func(ctx context.Context, r model.Request) (model.Response, error) {
			var i int
			fmt.Sscanf(r.Prompt, "question %d", &i)
			if found, _ := store.Lookup(context.Background(), []run.Key{calls[i].Key()}); len(found) > 0 {
				t.Errorf("call %d is asked for, and stored", i)
			}
			mu.Lock()
			defer mu.Unlock()
			try := tries[i]
			tries[i]++
			if try < len(scripts[i]) {
				switch scripts[i][try] {
				case 0:
					return model.Response{}, errors.New("final")
				case 1:
					return model.Response{}, &model.Transient{Limited: true, Err: errors.New("429")}
				case 2:
					return model.Response{}, model.ErrGone
				case 3:
					panic("panic")
				}
				return model.Response{}, model.ErrTransient
			}
			return text(r.Prompt), nil
		}}
		opt := run.Options{Concurrency: rapid.IntRange(1, 8).Draw(t, "concurrency"), MaxRetries: retries,
			Backoff: time.Nanosecond}
		stored, last := 0, run.Counts{}
		for round := 0; ; round++ {
			if round > 5*n+len(interrupts) { // an interrupted round may do nothing
				t.Fatal("no end")
			}
			ctx, cancel := context.WithCancel(context.Background())
			if round < len(interrupts) && interrupts[round] > 0 {
				time.AfterFunc(time.Duration(interrupts[round])*time.Microsecond, cancel)
			}
			got, err := run.Execute(ctx, store, by(m), slices.Values(calls), opt)
			cancel()
			before := stored
			stored = n
			for _, o := range outcomes(t, store, calls) {
				if o == "" {
					stored--
				}
			}
			if stored != before+got.Asked {
				t.Fatalf("%d records were stored, and now %d, after %+v", before, stored, got)
			}
			if last = got; err == nil {
				break
			}
			if !errors.Is(err, model.ErrGone) && !errors.Is(err, context.Canceled) {
				t.Fatal(err)
			}
		}
		if last.Reused+last.Asked != n {
			t.Fatalf("ended with %+v", last)
		}
		for i, o := range outcomes(t, store, calls) {
			// The last try decides; how many went into the record depends on the interruptions.
			script := scripts[i]
			var want string
			if k := tries[i]; k > len(script) {
				want = calls[i].Request.Prompt
			} else {
				want = []string{"final", "429", "", "backend panicked", "transient failure"}[script[k-1]]
			}
			if want == "" || !strings.Contains(o, want) {
				t.Errorf("call %d with script %v after %d tries: %q", i, script, tries[i], o)
			}
		}
	})
}
