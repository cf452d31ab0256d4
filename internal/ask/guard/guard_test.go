package guard

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"testing"

	"hallmark/internal/model"
	"hallmark/internal/model/modeltest"
	"hallmark/internal/text/evidence"
)

// A script answers by the last line of the prompt, or by a part of it. It notes what it was asked.
type script struct {
	answers   map[string]string // the longest key that the prompt holds decides
	otherwise string
	fail      func(model.Request) error
	mu        sync.Mutex
	asked     []model.Request
}

func (s *script) Identity() string { return "script" }

func (s *script) Generate(ctx context.Context, req model.Request) (model.Response, error) {
	if err := ctx.Err(); err != nil {
		return model.Response{}, err
	}
	s.mu.Lock()
	s.asked = append(s.asked, req)
	s.mu.Unlock()
	if s.fail != nil {
		if err := s.fail(req); err != nil {
			return model.Response{}, err
		}
	}
	text, longest := s.otherwise, 0
	for part, answer := range s.answers {
		if strings.Contains(req.Prompt, part) && len(part) > longest {
			text, longest = answer, len(part)
		}
	}
	resp := model.Response{Text: &text, Finish: model.FinishStop, Usage: model.Usage{PromptTokens: 3, CompletionTokens: 2}}
	for range req.Options {
		resp.Options = append(resp.Options, model.OptionScore{LogProbs: []float64{-1}})
	}
	return resp, nil
}

// A batcher is a script that answers batches, and notes their sizes.
type batcher struct {
	*script
	mu    sync.Mutex
	sizes []int
}

func (b *batcher) GenerateBatch(ctx context.Context, reqs []model.Request) []model.Result {
	b.mu.Lock()
	b.sizes = append(b.sizes, len(reqs))
	b.mu.Unlock()
	results := make([]model.Result, len(reqs))
	for i, r := range reqs {
		results[i].Response, results[i].Err = b.Generate(ctx, r)
	}
	return results
}

func (b *batcher) Probe(context.Context) (model.Capabilities, error) {
	return model.Capabilities{Temperature0: true, Sampling: true, LogProbs: true, TopLogProbs: 5, OptionScores: true,
		HiddenStates: true, ContextTokens: 512}, nil
}

// town is a small index.
func town() *Inventory {
	return &Inventory{
		Name: "town",
		Entities: []Entity{
			{Name: "Ada Ralel", Kind: "person"}, {Name: "Edgar Ralel", Kind: "person"}, {Name: "Nora Selwil", Kind: "person"},
			{Name: "Velmoria", Kind: "country"}, {Name: "Zantelwick", Kind: "city"},
			{Name: "Dorlaric", Kind: "language"}, {Name: "meljorka", Kind: "currency"},
			{Name: "The Silver Lantern", Kind: "book"}, {Name: "The Open Door", Kind: "book"},
			{Name: "Mercury", Kind: "planet", About: "the planet"}, {Name: "Mercury", Kind: "metal", About: "the metal"},
		},
		Identifiers: []Identifier{{ID: "F-811", Kind: "catalogue number", Of: "The Silver Lantern"},
			{ID: "G-204", Kind: "catalogue number", Of: "The Open Door"}, {ID: "10.1000/182", Kind: "doi"}},
		Passages: []evidence.Passage{{ID: "P1", Text: "The founder of the Kelman Institute is Nora Selwil."}},
	}
}

func TestGuard(t *testing.T) {
	for _, tt := range rows {
		t.Run(tt.name, func(t *testing.T) {
			inner := &script{answers: map[string]string{}, otherwise: tt.says}
			for k, v := range tt.answers {
				inner.answers[k] = v
			}
			c := Defaults()
			c.Off, c.Inventory = tt.off, town()
			m, err := New(inner, c)
			if err != nil {
				t.Fatal(err)
			}
			resp, err := m.Generate(t.Context(), model.Request{Prompt: tt.prompt})
			if err != nil {
				t.Fatal(err)
			}
			var trace Trace
			if err := json.Unmarshal(resp.Raw, &trace); err != nil {
				t.Fatal(err)
			}
			failed := ""
			if len(trace.Failed) > 0 {
				failed = trace.Failed[0]
			}
			if trace.Act != tt.act || failed != tt.failed {
				t.Errorf("act %s, failed %q, want %s and %q\n%s", trace.Act, failed, tt.act, tt.failed, resp.Raw)
			}
			switch want := tt.answer; {
			case tt.act == Abstained:
				if r := evidence.Read(*resp.Text); !strings.HasPrefix(*resp.Text, "I cannot verify an answer: ") {
					t.Errorf("answer %q", *resp.Text)
				} else if _, ok := r.Declines(); !ok {
					t.Errorf("%q does not read as a decline", *resp.Text)
				}
			case want == "" && *resp.Text != tt.says, want != "" && *resp.Text != want:
				t.Errorf("answer %q, want %q", *resp.Text, want)
			}
			if trace.Calls != len(inner.asked) || trace.Calls > c.MostCalls() {
				t.Errorf("%d calls told, %d made, at most %d", trace.Calls, len(inner.asked), c.MostCalls())
			}
			if want := (model.Usage{PromptTokens: 3 * trace.Calls, CompletionTokens: 2 * trace.Calls}); resp.Usage != want {
				t.Errorf("usage %+v, want %+v", resp.Usage, want)
			}
		})
	}
}

// Every test, layer and part has rows that fail by it and hold without it.
func TestRowsCoverEveryPart(t *testing.T) {
	seen := map[string]bool{}
	for _, tt := range rows {
		seen[tt.failed] = true
	}
	for _, name := range append(append([]string{}, Tests...), ChainLayer, Adjudication) {
		if !seen[name] {
			t.Errorf("no row fails by %s", name)
		}
	}
}

// What an abstention says quotes nothing of the answer or the question, so that it asserts nothing.
func TestAbstentionsQuoteNothing(t *testing.T) {
	for _, why := range []string{wrongKind, contradicts, notFound, unknownName, unstable, wrongSum, noEvidence, noChain,
		undetermined} {
		text := "I cannot verify an answer: " + why + "."
		r := evidence.Read(text)
		if _, ok := r.Declines(); !ok {
			t.Errorf("%q does not read as a decline", text)
		}
		if _, ok := r.Asks(); ok {
			t.Errorf("%q asks", text)
		}
		if strings.ContainsAny(why, "“”\"%0123456789") {
			t.Errorf("%q quotes", why)
		}
	}
}

func TestContract(t *testing.T) {
	open := func(t *testing.T) model.Model {
		m, err := New(&batcher{script: &script{otherwise: "Blue."}}, Defaults())
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	modeltest.Run(t, open, modeltest.Options{Greedy: true, Score: []string{"a", "b"},
		Errors: map[string]modeltest.ErrorCase{
			"transient": {New: failing(model.ErrTransient), Request: model.Request{Prompt: "x"}, Class: modeltest.Transient},
			"gone":      {New: failing(model.ErrGone), Request: model.Request{Prompt: "x"}, Class: modeltest.Gone},
			"final":     {New: failing(errors.New("refused")), Request: model.Request{Prompt: "x"}, Class: modeltest.Final},
		}})
}

func failing(err error) func(*testing.T) model.Model {
	return func(t *testing.T) model.Model {
		m, e := New(&script{fail: func(model.Request) error { return err }}, Defaults())
		if e != nil {
			t.Fatal(e)
		}
		return m
	}
}

// A final failure of a side call is that call's answer; one that may pass fails the whole, to be tried again.
func TestFailuresOfSideCalls(t *testing.T) {
	for _, tt := range []struct {
		err  error
		pass bool
	}{{errors.New("too long"), true}, {fmt.Errorf("slow: %w", model.ErrTransient), false},
		{fmt.Errorf("bye: %w", model.ErrGone), false}} {
		inner := &script{otherwise: "green", fail: func(r model.Request) error {
			if strings.HasPrefix(r.Prompt, "Question: ") || strings.Contains(r.Prompt, "chain") {
				return tt.err
			}
			return nil
		}}
		m, err := New(inner, Defaults())
		if err != nil {
			t.Fatal(err)
		}
		resp, err := m.Generate(t.Context(), model.Request{Prompt: "What is the colour of grass?"})
		switch {
		case tt.pass && (err != nil || *resp.Text != "green"):
			t.Errorf("%v: %v", tt.err, err)
		case !tt.pass && !errors.Is(err, tt.err):
			t.Errorf("%v: got %v", tt.err, err)
		}
	}
}

// A batch gives what its requests give one by one, and asks the model in few batches.
func TestBatch(t *testing.T) {
	var reqs []model.Request
	for _, tt := range rows {
		reqs = append(reqs, model.Request{Prompt: tt.prompt})
	}
	inner := &batcher{script: &script{otherwise: "Corpalstead [L2]", answers: map[string]string{"plus": "17",
		"That answer does not hold": "16"}}}
	c := Defaults()
	c.Inventory = town()
	m, err := New(inner, c)
	if err != nil {
		t.Fatal(err)
	}
	together := m.(model.Batcher).GenerateBatch(t.Context(), reqs)
	if len(inner.sizes) > 3 {
		t.Errorf("%d batches of %v: want the first calls in one, and one for each repair", len(inner.sizes), inner.sizes)
	}
	for i, r := range reqs {
		alone, err := m.Generate(t.Context(), r)
		if err != nil || together[i].Err != nil {
			t.Fatal(err, together[i].Err)
		}
		if !reflect.DeepEqual(alone, together[i].Response) {
			t.Errorf("%q: alone %s, together %s", r.Prompt, alone.Raw, together[i].Response.Raw)
		}
	}
	if _, ok := mustNew(t, &script{}, c).(model.Batcher); ok {
		t.Error("a guard around a model that is no Batcher is one: it would ask for many at once")
	}
}

// A model that panics takes the batch with it, as it does alone, and leaves no goroutine waiting.
func TestBatchPanics(t *testing.T) {
	inner := &batcher{script: &script{otherwise: "x", fail: func(r model.Request) error {
		if strings.Contains(r.Prompt, "That answer") {
			panic("broken")
		}
		return nil
	}}}
	m := mustNew(t, inner, Defaults())
	defer func() {
		if p := recover(); p != "broken" {
			t.Errorf("recovered %v", p)
		}
	}()
	m.(model.Batcher).GenerateBatch(t.Context(), []model.Request{{Prompt: "What is 1 plus 1?"},
		{Prompt: "What is 2 plus 2?"}})
	t.Error("no panic")
}

func mustNew(t *testing.T, inner model.Model, c Config) model.Model {
	t.Helper()
	m, err := New(inner, c)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// Scored options and texts to continue pass through as they are.
func TestPassThrough(t *testing.T) {
	inner := &script{otherwise: "17"}
	m := mustNew(t, inner, Defaults())
	for _, req := range []model.Request{{Prompt: "What is 3 plus 13?", Options: []string{"16", "17"}},
		{Prompt: "Q: What is 3 plus 13?\nA:", Raw: true}} {
		inner.asked = nil
		resp, err := m.Generate(t.Context(), req)
		if err != nil || len(inner.asked) != 1 || !reflect.DeepEqual(inner.asked[0], req) || *resp.Text != "17" ||
			len(resp.Options) != len(req.Options) {
			t.Errorf("%+v: %+v, asked %+v, %v", req, resp, inner.asked, err)
		}
	}
}

// Every inner call keeps the system text, the turns before and the passages; draws have seeds of their own.
func TestInnerCalls(t *testing.T) {
	inner := &script{otherwise: "Corpalstead [L2]"}
	seed := int64(7)
	req := model.Request{System: "Be brief.", Messages: []model.Message{{Role: "user", Text: "Hello"},
		{Role: "assistant", Text: "Hi"}}, Prompt: cited + "Cite the line. What is the capital of Firgilmark?", MaxTokens: 9,
		LogProbs: true, Seed: &seed}
	c := Defaults()
	if _, err := mustNew(t, inner, c).Generate(t.Context(), req); err != nil {
		t.Fatal(err)
	}
	if len(inner.asked) != c.MostCalls()-1 { // there is no claim to ask outright
		t.Fatalf("%d calls, want %d", len(inner.asked), c.MostCalls()-1)
	}
	seeds := map[int64]bool{}
	for i, r := range inner.asked {
		if r.System != req.System || len(r.Messages) < 2 || r.Messages[0] != req.Messages[0] ||
			!strings.HasPrefix(r.Prompt, cited) || r.MaxTokens != 9 || r.LogProbs {
			t.Errorf("call %d: %+v", i, r)
		}
		if r.Temperature > 0 {
			seeds[*r.Seed] = true
		}
	}
	if len(seeds) != c.Candidates-1 || seeds[seed] {
		t.Errorf("seeds %v", seeds)
	}
	last := inner.asked[len(inner.asked)-1]
	if n := len(last.Messages); n != 4 || last.Messages[3].Text != "Corpalstead [L2]" ||
		!strings.Contains(last.Prompt, "line L2 does not say “Corpalstead”") {
		t.Errorf("the repair is asked for as %+v", last)
	}
}

// The identity tells every setting that changes answers, and the index by content.
func TestIdentity(t *testing.T) {
	seen := map[string]string{}
	for name, change := range map[string]func(*Config){
		"defaults": func(*Config) {}, "off": func(c *Config) { c.Off = []string{Logical} }, "candidates": func(c *Config) {
			c.Candidates = 5
		},
		"phrasings": func(c *Config) { c.Phrasings = 2 }, "agreement": func(c *Config) {
			c.Agreement = .75
		}, "repairs": func(c *Config) {
			c.Repairs = 2
		},
		"seed": func(c *Config) { c.Seed = 2 }, "index": func(c *Config) { c.Inventory = town() },
		"part of the index": func(c *Config) { c.Inventory = town().Cover(50, 1) }, "complete": func(c *Config) {
			c.Inventory = &Inventory{Complete: true}
		},
	} {
		c := Defaults()
		change(&c)
		id := mustNew(t, &script{}, c).Identity()
		if other, twice := seen[id]; twice {
			t.Errorf("%s and %s are both %q", name, other, id)
		}
		seen[id] = name
		if !strings.HasSuffix(id, " over script") {
			t.Errorf("%q does not name the model inside", id)
		}
	}
	a, b := Defaults(), Defaults()
	a.Off, b.Off = []string{Logical, Empirical}, []string{Empirical, Logical, Logical}
	if a.String() != b.String() {
		t.Errorf("%q and %q act alike", a, b)
	}
}

func TestConfigErrors(t *testing.T) {
	for want, change := range map[string]func(*Config){
		`off "oracle" is no part of the guard: use tests`: func(c *Config) { c.Off = []string{"oracle"} },
		"candidates 0: want a number from 1 to 32":        func(c *Config) { c.Candidates = 0 },
		"phrasings -1":                          func(c *Config) { c.Phrasings = -1 },
		"repairs 9":                             func(c *Config) { c.Repairs = 9 },
		"agreement 2: want a share from 0 to 1": func(c *Config) { c.Agreement = 2 },
	} {
		c := Defaults()
		change(&c)
		if _, err := New(&script{}, c); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
