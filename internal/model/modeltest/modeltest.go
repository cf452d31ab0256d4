// Package modeltest is the contract of model.Model as tests: every backend
// passes Run, so that what is built on one holds on all.
package modeltest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"sync"
	"testing"
	"time"

	"hallmark/internal/model"
)

// Options say what to expect of a backend.
type Options struct {
	// Prompts are at least two that the model answers with a text; the default asks for colours.
	Prompts []string
	// Greedy says that the same request at temperature 0 gives the same bytes, also beside other requests.
	Greedy bool
	// Sampled says that draws of one seed are alike and that draws of 20 seeds are not all alike.
	Sampled bool
	// LogProbs says that the log-probabilities of the answer's tokens are available; TopLogProbs asks for that many
	// alternatives.
	LogProbs    bool
	TopLogProbs int
	// Score are options whose scores are available for each of Prompts; nil says that scores are not available.
	Score []string
	// ScoreAlone says that the score of an option does not depend on the other options.
	ScoreAlone bool
	// Hidden says that the cosines of last hidden states are available.
	Hidden bool
	// Raw sets Request.Raw on all requests.
	Raw bool
	// Errors are requests that fail, by name, with the class of their error.
	Errors map[string]ErrorCase
}

// An ErrorCase is a request that must fail.
type ErrorCase struct {
	New     func(t *testing.T) model.Model // nil: the model under test
	Request model.Request
	Class   Class
}

// A Class is what an error says about the next try.
type Class string

// The classes of errors.
const (
	OK        Class = "ok"
	Transient Class = "transient" // wraps model.ErrTransient
	Gone      Class = "gone"      // wraps model.ErrGone
	Final     Class = "final"     // neither
	Cancelled Class = "cancelled" // the context's, and neither
)

// ClassOf returns the class of an error. An error that claims two of them is of none.
func ClassOf(err error) Class {
	transient, gone := errors.Is(err, model.ErrTransient), errors.Is(err, model.ErrGone)
	cancelled := errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
	switch {
	case err == nil:
		return OK
	case transient && !gone && !cancelled:
		return Transient
	case gone && !transient && !cancelled:
		return Gone
	case cancelled && !transient && !gone:
		return Cancelled
	case !transient && !gone:
		return Final
	}
	return Class(fmt.Sprintf("several at once (transient %v, gone %v, cancelled %v)", transient, gone, cancelled))
}

// Run tests the model that open returns. It is opened once for most tests; open closes it in a cleanup of t.
func Run(t *testing.T, open func(t *testing.T) model.Model, o Options) {
	if len(o.Prompts) == 0 {
		o.Prompts = []string{"Name a colour.", "Name another colour.", "Name a colour of the sea."}
	}
	m := open(t)
	s := suite{o, open, m}
	t.Run("identity", s.identity)
	t.Run("answers", s.answers)
	t.Run("empty prompt", s.emptyPrompt)
	t.Run("concurrent", s.concurrent)
	t.Run("cancelled", s.cancelled)
	if o.Greedy {
		t.Run("greedy", s.greedy)
	}
	if o.Sampled {
		t.Run("sampled", s.sampled)
	}
	if o.LogProbs {
		t.Run("log-probabilities", s.logProbs)
	}
	t.Run("options", s.options)
	t.Run("hidden states", s.hidden)
	if b, ok := m.(model.Batcher); ok {
		t.Run("batch", func(t *testing.T) { s.batch(t, b) })
	}
	if p, ok := m.(model.Prober); ok {
		t.Run("probe", func(t *testing.T) { s.probe(t, p) })
	}
	for name, e := range o.Errors {
		t.Run("error/"+name, func(t *testing.T) {
			m := m
			if e.New != nil {
				m = e.New(t)
			}
			out, err := m.Generate(t.Context(), e.Request)
			if got := ClassOf(err); got != e.Class {
				t.Errorf("class %s (%v), want %s", got, err, e.Class)
			}
			if err != nil && out.Text != nil {
				t.Errorf("an error comes with text %q", *out.Text)
			}
		})
	}
}

type suite struct {
	o    Options
	open func(*testing.T) model.Model
	m    model.Model
}

func (s suite) request(i int) model.Request {
	return model.Request{Prompt: s.o.Prompts[i%len(s.o.Prompts)], MaxTokens: 8, Raw: s.o.Raw}
}

// ask returns the answer, checked for what holds of every response.
func (s suite) ask(t *testing.T, m model.Model, req model.Request) (model.Response, bool) {
	t.Helper()
	out, err := m.Generate(t.Context(), req)
	if err != nil {
		t.Errorf("%+v: %v", req, err)
		return out, false
	}
	check(t, req, out)
	return out, true
}

func check(t *testing.T, req model.Request, out model.Response) {
	t.Helper()
	if len(req.Options) == 0 && out.Text == nil {
		t.Errorf("%+v: no text", req)
	}
	if u := out.Usage; u.PromptTokens < 0 || u.CompletionTokens < 0 || u.USD < 0 || math.IsNaN(u.USD) {
		t.Errorf("usage %+v", u)
	}
	b, err := json.Marshal(out)
	if err != nil {
		t.Errorf("response cannot be stored: %v", err)
		return
	}
	var back model.Response
	if err := json.Unmarshal(b, &back); err != nil {
		t.Errorf("stored response does not read: %v", err)
	} else if b2, err := json.Marshal(back); err != nil || !bytes.Equal(b, b2) {
		t.Errorf("response changes in the store:\n%s\n%s", b, b2)
	}
}

func (s suite) identity(t *testing.T) {
	before := s.m.Identity()
	if before == "" {
		t.Error("identity is empty")
	}
	if other := s.open(t).Identity(); other != before {
		t.Errorf("the same model opened twice is %q and %q", before, other)
	}
	s.ask(t, s.m, s.request(0))
	if after := s.m.Identity(); after != before {
		t.Errorf("identity %q became %q by an answer", before, after)
	}
}

func (s suite) answers(t *testing.T) {
	for i := range s.o.Prompts {
		out, ok := s.ask(t, s.m, s.request(i))
		if ok && len(out.Options) > 0 {
			t.Errorf("scores %v where none were asked for", out.Options)
		}
	}
	// Earlier turns are part of what may be asked.
	req := s.request(0)
	req.System = "Answer in one word."
	req.Messages = []model.Message{{Role: "user", Text: s.o.Prompts[1%len(s.o.Prompts)]},
		{Role: "assistant", Text: "Blue."}}
	if _, err := s.m.Generate(t.Context(), req); err != nil && ClassOf(err) != Final {
		t.Errorf("with earlier turns: %v", err)
	}
}

// An empty prompt may be answered or refused for good; it is no reason to try again, to stop, or to panic.
func (s suite) emptyPrompt(t *testing.T) {
	req := s.request(0)
	req.Prompt = ""
	out, err := s.m.Generate(t.Context(), req)
	switch c := ClassOf(err); c {
	case OK:
		check(t, req, out)
	case Final:
	default:
		t.Errorf("class %s: %v", c, err)
	}
}

func (s suite) concurrent(t *testing.T) {
	var wg sync.WaitGroup
	var mu sync.Mutex
	texts := map[int]string{}
	for g := range 8 {
		wg.Go(func() {
			for i := range s.o.Prompts {
				n := (g + i) % len(s.o.Prompts)
				out, err := s.m.Generate(t.Context(), s.request(n))
				if err != nil || out.Text == nil {
					t.Errorf("prompt %d: %+v, %v", n, out, err)
					return
				}
				mu.Lock()
				if before, ok := texts[n]; ok && s.o.Greedy && before != *out.Text {
					t.Errorf("prompt %d: %q and %q at the same time", n, before, *out.Text)
				}
				texts[n] = *out.Text
				mu.Unlock()
				_ = s.m.Identity()
			}
		})
	}
	wg.Wait()
}

func (s suite) cancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.m.Generate(ctx, s.request(0)); ClassOf(err) != Cancelled {
		t.Errorf("a context that was over gives %v (%s)", err, ClassOf(err))
	}
	// One that ends at any later moment gives an answer, or the context's error.
	for _, after := range []time.Duration{0, 100 * time.Microsecond, 2 * time.Millisecond} {
		ctx, cancel := context.WithTimeout(t.Context(), after)
		_, err := s.m.Generate(ctx, s.request(0))
		if c := ClassOf(err); c != OK && c != Cancelled {
			t.Errorf("a context of %v gives %v (%s)", after, err, c)
		}
		cancel()
	}
	s.ask(t, s.m, s.request(0)) // the model is as good as before
}

// stable is what must repeat: all but the body as it came, which may hold times and numbers.
func stable(out model.Response) string {
	out.Raw = nil
	b, err := json.Marshal(out)
	if err != nil {
		return err.Error()
	}
	return string(b)
}

func (s suite) greedy(t *testing.T) {
	for i := range s.o.Prompts {
		req := s.request(i)
		req.LogProbs, req.TopLogProbs = s.o.LogProbs, s.o.TopLogProbs
		first, ok := s.ask(t, s.m, req)
		second, ok2 := s.ask(t, s.m, req)
		if ok && ok2 && stable(first) != stable(second) {
			t.Errorf("%q:\n%s\nthen\n%s", req.Prompt, stable(first), stable(second))
		}
	}
}

func (s suite) sampled(t *testing.T) {
	seen := map[string]bool{}
	for i := range s.o.Prompts {
		for seed := range int64(20) {
			req := s.request(i)
			req.Temperature, req.Seed = 1, &seed
			out, ok := s.ask(t, s.m, req)
			again, ok2 := s.ask(t, s.m, req)
			if !ok || !ok2 {
				return
			}
			if stable(out) != stable(again) {
				t.Errorf("%q with seed %d:\n%s\nthen\n%s", req.Prompt, seed, stable(out), stable(again))
			}
			seen[fmt.Sprint(i, *out.Text)] = true
		}
	}
	if len(seen) <= len(s.o.Prompts) {
		t.Error("20 seeds give one answer to each prompt")
	}
}

func (s suite) batch(t *testing.T, b model.Batcher) {
	var reqs []model.Request
	for i := range 2*len(s.o.Prompts) + 1 {
		req := s.request(i)
		switch {
		case i%3 == 1 && s.o.Score != nil:
			req.Options, req.Hidden = s.o.Score, s.o.Hidden && i%2 == 0
		case i%3 == 2 && s.o.Sampled:
			seed := int64(i)
			req.Temperature, req.Seed = 1, &seed
		default:
			req.LogProbs, req.TopLogProbs = s.o.LogProbs, s.o.TopLogProbs
		}
		reqs = append(reqs, req)
	}
	results := b.GenerateBatch(t.Context(), reqs)
	if len(results) != len(reqs) {
		t.Fatalf("%d results of %d requests", len(results), len(reqs))
	}
	for i, r := range results {
		one, err := b.Generate(t.Context(), reqs[i])
		if ClassOf(err) != ClassOf(r.Err) {
			t.Errorf("request %d: %v in the batch, %v alone", i, r.Err, err)
		} else if err == nil && stable(one) != stable(r.Response) {
			t.Errorf("request %d:\n%s in the batch\n%s alone", i, stable(r.Response), stable(one))
		}
	}
	if n := len(b.GenerateBatch(t.Context(), nil)); n != 0 {
		t.Errorf("%d results of no requests", n)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for i, r := range b.GenerateBatch(ctx, reqs) {
		if ClassOf(r.Err) != Cancelled {
			t.Errorf("request %d under a context that was over: %v", i, r.Err)
		}
	}
}

// probeHidden checks what a probe says of hidden states, which may take one of its own.
func (s suite) probeHidden(t *testing.T, p model.Prober, c model.Capabilities) {
	if h, ok := p.(model.HiddenProber); ok {
		can, note, err := h.ProbeHidden(t.Context())
		if err != nil || can != s.o.Hidden || note == "" {
			t.Errorf("probe says hidden states: %v (%s), %v; want %v", can, note, err, s.o.Hidden)
		}
	} else if c.HiddenStates != s.o.Hidden {
		t.Errorf("probe says hidden states: %v; want %v", c.HiddenStates, s.o.Hidden)
	}
}

// A probe promises no more than the model does.
func (s suite) probe(t *testing.T, p model.Prober) {
	c, err := p.Probe(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	s.probeHidden(t, p, c)
	if c.OptionScores != (s.o.Score != nil) {
		t.Errorf("probe says option scores: %v; want %v (%s)", c.OptionScores, s.o.Score != nil, c.Note)
	}
	if s.o.LogProbs && !c.LogProbs {
		t.Error("probe knows of no log-probabilities")
	}
	if c.TopLogProbs >= 0 && c.TopLogProbs < s.o.TopLogProbs {
		t.Errorf("probe knows of %d alternatives, want %d", c.TopLogProbs, s.o.TopLogProbs)
	}
	if c.ContextTokens < 0 || c.TopLogProbs < -1 {
		t.Errorf("capabilities %+v", c)
	}
	again, err := p.Probe(t.Context())
	if err != nil || again != c {
		t.Errorf("probed twice: %+v and %+v, %v", c, again, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := p.Probe(ctx); err != nil && ClassOf(err) != Cancelled {
		t.Errorf("a probe under a context that was over: %v", err)
	}
}
