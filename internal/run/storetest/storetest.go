// Package storetest is the contract of run.Store as tests: every store passes it.
package storetest

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"hallmark/internal/base/lists"
	"hallmark/internal/model"
	"hallmark/internal/run"
)

// Test runs the contract against stores that open makes, each empty and apart from the others. The tests close them.
func Test(t *testing.T, open func(t testing.TB) run.Store) {
	for name, test := range map[string]func(*testing.T, run.Store){
		"lookup":         testLookup,
		"exact":          testExact,
		"apart":          testApart,
		"sums":           testSums,
		"failures":       testFailures,
		"first response": testFirstResponse,
		"all or none":    testAllOrNone,
		"alias":          testAlias,
		"large":          testLarge,
		"concurrent":     testConcurrent,
		"runs":           testRuns,
		"prefix":         testPrefix,
		"canceled":       testCanceled,
		"closed":         testClosed,
		"annotations":    testAnnotations,
		"usage":          testUsage,
		"holds":          testHolds,
		"holds at once":  testHoldsAtOnce,
		"texts":          testTexts,
	} {
		t.Run(name, func(t *testing.T) {
			s := open(t)
			defer s.Close()
			test(t, s)
		})
	}
	t.Run("like a map", func(t *testing.T) { testModel(t, open) })
}

var at = time.Date(2026, 11, 20, 1, 2, 3, 456789012, time.UTC)

func call(prompt string) run.Call {
	return run.Call{Model: "m", Request: model.Request{Prompt: prompt}}
}

func answered(c run.Call, text string) run.Record {
	return run.Record{Call: c, Response: &model.Response{Text: &text}, Attempts: 1, At: at}
}

func failed(c run.Call, why string) run.Record {
	return run.Record{Call: c, Failure: why, Attempts: 3, At: at}
}

// must ends a test where there is an error.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// of is what something returned, if it returned no error.
func of[T any](v T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		must(t, err)
		return v
	}
}

// refused fails where there is no error.
func refused(t testing.TB, what string, err error) {
	t.Helper()
	if err == nil {
		t.Errorf("%s: no error", what)
	}
}

// same fails where two values differ.
func same(t testing.TB, what string, want, got any, opts ...cmp.Option) {
	t.Helper()
	if d := cmp.Diff(want, got, opts...); d != "" {
		t.Errorf("%s (-want +got):\n%s", what, d)
	}
}

func add(t testing.TB, s run.Store, records ...run.Record) {
	t.Helper()
	must(t, s.Add(context.Background(), records))
}

// unsummed leaves out of a comparison what a store says of its rows.
var unsummed = cmpopts.IgnoreFields(run.Record{}, "Sum")

func get(t testing.TB, s run.Store, c run.Call) (run.Record, bool) {
	t.Helper()
	r, ok := of(s.Lookup(context.Background(), []run.Key{c.Key()}))(t)[c.Key()]
	return r, ok
}

func want(t testing.TB, s run.Store, want run.Record) {
	t.Helper()
	got, ok := get(t, s, want.Call)
	if !ok {
		t.Fatalf("record of %q is missing", want.Call.Request.Prompt)
	}
	same(t, "record of "+want.Call.Request.Prompt, want, got, unsummed)
}

func testLookup(t *testing.T, s run.Store) {
	if _, ok := get(t, s, call("a")); ok {
		t.Fatal("an empty store has a record")
	}
	add(t, s)
	add(t, s, answered(call("a"), "A"), answered(call("b"), "B"))
	a, b, c := call("a").Key(), call("b").Key(), call("c").Key()
	found := of(s.Lookup(context.Background(), []run.Key{a, c, b, a}))(t)
	if len(found) != 2 || *found[a].Response.Text != "A" || *found[b].Response.Text != "B" {
		t.Fatalf("got %v", found)
	}
	if found := of(s.Lookup(context.Background(), nil))(t); len(found) != 0 {
		t.Fatalf("no keys: got %v", found)
	}
	// Everything in a call tells its record from others.
	for _, other := range []run.Call{
		{Model: "n", Request: model.Request{Prompt: "a"}},
		{Model: "m", Request: model.Request{Prompt: "a"}, Repeat: 1},
		{Model: "m", Request: model.Request{Prompt: "a", System: "s"}},
		{Model: "m", Request: model.Request{Prompt: "a", Temperature: 0.5}},
		{Model: "m", Request: model.Request{Prompt: "a", Seed: new(int64(0))}},
	} {
		if _, ok := get(t, s, other); ok {
			t.Errorf("%+v has the record of another call", other)
		}
	}
}

func testExact(t *testing.T, s run.Store) {
	floats := []float64{-0.1, -1e-300, math.SmallestNonzeroFloat64, -math.MaxFloat64, 1.0 / 3, math.Copysign(0, -1),
		math.Nextafter(1, 2)}
	raw := make([]byte, 256)
	for i := range raw {
		raw[i] = byte(i)
	}
	nasty := "<b>&amp;</b> \x00\x1b[31m \u2028 \"'\\ naïve 日本 \U0001F600 \r\n"
	r := run.Record{
		Call: run.Call{
			Model: "http://host/v1#" + nasty,
			Request: model.Request{
				System: nasty, Messages: []model.Message{{Role: "user", Text: nasty}, {Role: "assistant"}},
				Prompt: nasty, Raw: true,
				Options: []string{"", nasty}, MaxTokens: 7, Temperature: 1.0 / 3, TopP: math.Nextafter(1, 0),
				Stop: []string{nasty},
				Seed: new(int64(math.MinInt64)), LogProbs: true, TopLogProbs: 5,
			},
			Repeat: 12,
		},
		Response: &model.Response{
			Text: &nasty, Finish: model.FinishLength, Retrieved: []string{"d1", nasty},
			Usage: model.Usage{PromptTokens: 1, CompletionTokens: 2, Estimated: true, USD: 1.0 / 3, Attempts: 2},
			Raw:   raw,
		},
		Attempts: 4, At: at,
	}
	for _, f := range floats {
		r.Response.Tokens = append(r.Response.Tokens,
			model.Token{Text: nasty, LogProb: &f, Top: []model.TopToken{{Text: "t", LogProb: f}}})
	}
	r.Response.Tokens = append(r.Response.Tokens, model.Token{Text: "no log-probability"})
	r.Response.Options = []model.OptionScore{{LogProbs: floats}}
	add(t, s, r)
	want(t, s, r)
	got, _ := get(t, s, r.Call)
	for i, f := range floats {
		if g := *got.Response.Tokens[i].LogProb; math.Float64bits(g) != math.Float64bits(f) {
			t.Errorf("log-probability %v came back as %v", f, g)
		}
	}
	if got.Call.Key() != r.Call.Key() {
		t.Error("the call that came back has another key")
	}

	// Times come back in UTC, the zero time as such, and invalid UTF-8 as U+FFFD.
	r = answered(call("zero"), "a\xff\xfeb")
	r.At = time.Time{}
	add(t, s, r)
	r.Response.Text = new("a\uFFFD\uFFFDb")
	want(t, s, r)
	r = failed(call("zone"), "x\xffy")
	r.At = at.In(time.FixedZone("UTC+9", 9*3600))
	r.Transient = true
	add(t, s, r)
	r.At, r.Failure = at, "x\uFFFDy"
	want(t, s, r)
	if got, _ := get(t, s, r.Call); got.At.Location() != time.UTC {
		t.Errorf("time came back in %v", got.At.Location())
	}
}

// A sum is of one record: it stays while the record counts, and another record has another.
func testSums(t *testing.T, s run.Store) {
	a, b, c := answered(call("a"), "x"), answered(call("b"), "x"), failed(call("a"), "why")
	add(t, s, c)
	first, _ := get(t, s, c.Call)
	add(t, s, a, b)
	second, _ := get(t, s, a.Call)
	third, _ := get(t, s, b.Call)
	again, _ := get(t, s, a.Call)
	if second.Sum != again.Sum || first.Sum == second.Sum || second.Sum == third.Sum || first.Sum == (run.Sum{}) ||
		first.Unhashed {
		t.Errorf("sums %x, %x, %x, again %x", first.Sum, second.Sum, third.Sum, again.Sum)
	}
}

func testApart(t *testing.T, s run.Store) {
	missing, empty := answered(call("missing"), ""), answered(call("empty"), "")
	missing.Response.Text = nil
	failure := failed(call("failure"), "why")
	add(t, s, missing, empty, failure)
	if r, _ := get(t, s, missing.Call); r.Response == nil || r.Response.Text != nil || r.Failure != "" {
		t.Errorf("a missing text came back as %+v", r)
	}
	if r, _ := get(t, s, empty.Call); r.Response == nil || r.Response.Text == nil || *r.Response.Text != "" {
		t.Errorf("an empty text came back as %+v", r)
	}
	if r, _ := get(t, s, failure.Call); r.Response != nil || r.Failure != "why" {
		t.Errorf("a failure came back as %+v", r)
	}
	// Slices of length 0 and a raw body of length 0 are nil.
	r := answered(call("slices"), "x")
	r.Response.Tokens, r.Response.Raw = []model.Token{}, []byte{}
	add(t, s, r)
	r.Response.Tokens, r.Response.Raw = nil, nil
	want(t, s, r)
}

func testFailures(t *testing.T, s run.Store) {
	c := call("a")
	add(t, s, failed(c, "first"), failed(c, "second"))
	want(t, s, failed(c, "second"))
	add(t, s, failed(c, "third"))
	want(t, s, failed(c, "third"))
	add(t, s, answered(c, "at last"))
	want(t, s, answered(c, "at last"))
}

func testFirstResponse(t *testing.T, s run.Store) {
	c, d := call("a"), call("b")
	add(t, s, answered(c, "first"))
	add(t, s, failed(c, "late failure"), answered(c, "second"), answered(d, "of another"))
	want(t, s, answered(c, "first"))
	want(t, s, answered(d, "of another"))
	e := call("in one batch")
	add(t, s, failed(e, "why"), answered(e, "first"), answered(e, "second"), failed(e, "why not"))
	want(t, s, answered(e, "first"))
}

func testAllOrNone(t *testing.T, s run.Store) {
	nan := answered(call("nan"), "x")
	nan.Response.Tokens = []model.Token{{LogProb: new(math.NaN())}}
	both := failed(call("both"), "why")
	both.Response = &model.Response{}
	for name, bad := range map[string]run.Record{
		"NaN": nan, "neither": {Call: call("neither"), Attempts: 1}, "both": both,
	} {
		ok := answered(call("beside "+name), "x")
		refused(t, name, s.Add(context.Background(), []run.Record{ok, bad, ok}))
		for _, c := range []run.Call{ok.Call, bad.Call} {
			if _, found := get(t, s, c); found {
				t.Errorf("%s: %q was stored", name, c.Request.Prompt)
			}
		}
		add(t, s, ok) // the store still works
		want(t, s, ok)
	}
}

func testAlias(t *testing.T, s run.Store) {
	r := answered(call("a"), "before")
	r.Response.Raw = []byte("before")
	r.Response.Tokens = []model.Token{{Text: "before"}}
	add(t, s, r)
	*r.Response.Text, r.Response.Raw[0], r.Response.Tokens[0].Text = "after", 'X', "after"
	for range 2 {
		got, _ := get(t, s, r.Call)
		if *got.Response.Text != "before" || string(got.Response.Raw) != "before" ||
			got.Response.Tokens[0].Text != "before" {
			t.Fatalf("the store shares memory with its callers: %+v", got.Response)
		}
		*got.Response.Text, got.Response.Raw[0], got.Response.Tokens[0].Text = "after", 'X', "after"
	}
}

func testLarge(t *testing.T, s run.Store) {
	const n = 600 // beyond any chunk of keys or rows
	records, keys := make([]run.Record, n), make([]run.Key, n)
	for i := range records {
		records[i] = answered(run.Call{Model: fmt.Sprint("m", i%3), Request: model.Request{Prompt: "p"}, Repeat: i},
			fmt.Sprint(i))
		keys[i] = records[i].Call.Key()
	}
	records[0].Response.Raw = []byte(strings.Repeat("large ", 1<<17))
	add(t, s, records...)
	found := of(s.Lookup(context.Background(), keys))(t)
	for i, k := range keys {
		same(t, fmt.Sprint("record ", i), records[i], found[k], unsummed)
	}
}

func testConcurrent(t *testing.T, s run.Store) {
	const workers, each = 6, 8
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			for i := range each {
				own, shared := answered(call(fmt.Sprint(w, "/", i)), "own"),
					answered(call(fmt.Sprint(i)), fmt.Sprint(w))
				if err := s.Add(context.Background(), []run.Record{own, shared}); err != nil {
					t.Error(err)
					return
				}
				if r, ok := get(t, s, own.Call); !ok || *r.Response.Text != "own" {
					t.Errorf("worker %d does not read what it wrote: %+v", w, r)
				}
				first, _ := get(t, s, shared.Call)
				if again, _ := get(t, s, shared.Call); *again.Response.Text != *first.Response.Text {
					t.Errorf("a response changed from %q to %q", *first.Response.Text, *again.Response.Text)
				}
				if err := s.PutRun(context.Background(),
					run.Header{ID: fmt.Sprint("run", w), Started: at}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if all, err := s.Runs(context.Background()); err != nil || len(all) != workers {
		t.Errorf("got %d runs, %v", len(all), err)
	}
}

// canceled fails where something is done all the same whose context is done.
func canceled(t *testing.T, what string, do func(context.Context) error) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := do(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("%s: got %v, want context.Canceled", what, err)
	}
}

func testCanceled(t *testing.T, s run.Store) {
	canceled(t, "Add", func(ctx context.Context) error { return s.Add(ctx, []run.Record{answered(call("a"), "x")}) })
	canceled(t, "Lookup", func(ctx context.Context) error {
		_, err := s.Lookup(ctx, []run.Key{{}})
		return err
	})
	if _, ok := get(t, s, call("a")); ok {
		t.Error("a canceled Add stored its record")
	}
	add(t, s, answered(call("a"), "x"))
}

func testClosed(t *testing.T, s run.Store) {
	add(t, s, answered(call("a"), "x"))
	must(t, s.Close())
	ctx := context.Background()
	_, lookup := s.Lookup(ctx, []run.Key{{}})
	_, one := s.Run(ctx, "latest")
	_, all := s.Runs(ctx)
	for name, err := range map[string]error{
		"Lookup": lookup, "Add": s.Add(ctx, []run.Record{answered(call("b"), "x")}),
		"PutRun": s.PutRun(ctx, run.Header{ID: "a"}), "Run": one, "Runs": all,
	} {
		if err == nil || errors.Is(err, run.ErrNoRun) {
			t.Errorf("%s of a closed store: got %v, want an error that says so", name, err)
		}
	}
}

// testModel compares the store with a map under random adds, refused adds and lookups.
func testModel(t *testing.T, open func(t testing.TB) run.Store) {
	s := open(t)
	defer s.Close()
	round := 0
	rapid.Check(t, func(t *rapid.T) {
		round++ // other keys than those of earlier rounds: one store serves all
		reference := map[run.Key]run.Record{}
		calls := make([]run.Call, 5)
		for i := range calls {
			calls[i] = run.Call{Model: fmt.Sprint(i % 2), Request: model.Request{Prompt: fmt.Sprint(round, "/", i)}}
		}
		record := rapid.Custom(func(t *rapid.T) run.Record {
			c := rapid.SampledFrom(calls).Draw(t, "call")
			if rapid.Bool().Draw(t, "answered") {
				r := answered(c, rapid.String().Draw(t, "text"))
				r.Response.Usage.USD = rapid.Float64Range(0, model.MostUSD).Draw(t, "usd")
				return r
			}
			return failed(c, rapid.StringN(1, 20, -1).Draw(t, "failure"))
		})
		for range rapid.IntRange(1, 8).Draw(t, "steps") {
			batch := rapid.SliceOfN(record, 0, 6).Draw(t, "batch")
			if rapid.IntRange(0, 3).Draw(t, "refused") == 0 {
				at := rapid.IntRange(0, len(batch)).Draw(t, "at")
				if s.Add(context.Background(), slices.Insert(slices.Clone(batch), at,
					run.Record{Call: calls[0]})) == nil {
					t.Fatal("a record without an outcome was taken")
				}
			} else {
				if err := s.Add(context.Background(), batch); err != nil {
					t.Fatal(err)
				}
				for _, r := range batch {
					if k := r.Call.Key(); reference[k].Response == nil {
						reference[k] = r
					}
				}
			}
			found, err := s.Lookup(context.Background(), lists.Map(calls, run.Call.Key))
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(reference, found, unsummed); d != "" {
				t.Fatalf("records (-want +got):\n%s", d)
			}
		}
	})
}
