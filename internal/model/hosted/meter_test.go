package hosted

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"hallmark/internal/model"
	"hallmark/internal/model/modeltest"
	"hallmark/internal/model/stub"
)

// answering returns a model whose server answers all with a status and a body.
func answering(t *testing.T, status int, body string) *Model {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		fmt.Fprint(w, body)
	}))
	t.Cleanup(server.Close)
	m, _ := serve(t, stub.Options{}, Options{BaseURL: server.URL})
	return m
}

// An error that says nothing is none beside an answer; one that says something is an error whatever stands beside it.
func TestErrorBesideAnAnswer(t *testing.T) {
	const choices = `"choices":[{"message":{"content":"Paris"},"finish_reason":"stop"%s}]`
	for errorText, class := range map[string]modeltest.Class{
		`false`: "ok", `null`: "ok", `""`: "ok", `" "`: "ok", `0`: "ok", `{}`: "ok", `[]`: "ok",
		`{"message":"","code":null,"detail":[{}]}`: "ok",
		`"overloaded"`: "final", `true`: "final", `{"message":"broken off"}`: "final", `{"code":502}`: "transient",
		`[{"message":"x"}]`:                  "final",
		`{"code":429,"message":"slow down"}`: "transient", `{"code":401,"message":"no"}`: "gone",
		`{"code":403,"message":"policy"}`: "gone",
	} {
		for shape, body := range map[string]string{
			"beside":    `{"error":` + errorText + `,` + fmt.Sprintf(choices, "") + `}`,
			"in choice": `{` + fmt.Sprintf(choices, `,"error":`+errorText) + `}`,
			"detail":    `{"detail":` + errorText + `,` + `"error":false,` + fmt.Sprintf(choices, "") + `}`,
		} {
			if shape == "detail" && class != "ok" {
				continue
			}
			m := answering(t, 200, body)
			out, err := m.Generate(t.Context(), model.Request{Prompt: "x", MaxTokens: 5})
			if got := modeltest.ClassOf(err); got != class {
				t.Errorf("%s: %s: %s (%v), want %s", shape, body, got, err, class)
			}
			if err == nil && *out.Text != "Paris" {
				t.Errorf("%s: %q", body, *out.Text)
			}
		}
	}
	// Without an answer nothing changes: an error is one, and an empty body has no choices.
	for body, want := range map[string]string{`{"error":{"message":"m"}}`: "status 400: m",
		`{"error":false}`: "no choices", `{"error":{}}`: "no choices"} {
		if _, err := answering(t, 200, body).Generate(t.Context(), model.Request{Prompt: "x", MaxTokens: 5}); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", body, err, want)
		}
	}
}

// Only 402, 403, 404, a spent quota and a redirect may speak of one request.
func TestDenied(t *testing.T) {
	for _, c := range []struct {
		status       int
		body         string
		gone, denied bool
	}{
		{401, `{"error":{"message":"no"}}`, true, false},
		{402, `{"error":{"message":"no"}}`, true, true},
		{403, `{"error":{"message":"no"}}`, true, true},
		{404, `{"error":{"message":"no"}}`, true, true},
		{429, `{"error":{"message":"no","code":"insufficient_quota"}}`, true, true},
		{400, `{"error":{"message":"Your credit balance is too low"}}`, true, true},
		{429, `{"error":{"message":"no"}}`, false, false},
		{400, `{"error":{"message":"no"}}`, false, false},
		{307, ``, false, false}, // without an address it is no redirect
	} {
		_, err := answering(t, c.status, c.body).Generate(t.Context(), model.Request{Prompt: "x", MaxTokens: 5})
		if errors.Is(err, model.ErrGone) != c.gone || errors.Is(err, model.ErrDenied) != c.denied {
			t.Errorf("%d %s: %v; want gone %v, denied %v", c.status, c.body, err, c.gone, c.denied)
		}
	}
}

func TestModelName(t *testing.T) {
	for _, api := range []API{Chat, Completions, Messages} {
		m, _ := serve(t, stub.Options{Says: "other-1"}, Options{API: api})
		out, err := m.Generate(t.Context(), model.Request{Prompt: "x", MaxTokens: 5})
		if err != nil || out.Model != "other-1" {
			t.Errorf("%s: %q, %v", api, out.Model, err)
		}
		if api == Messages {
			continue
		}
		if out, err = m.Generate(t.Context(), model.Request{Prompt: "x", Options: []string{"a", "b"}}); err != nil ||
			out.Model != "other-1" {
			t.Errorf("%s, options: %q, %v", api, out.Model, err)
		}
	}
	for _, name := range []string{`5`, `null`, `{"a":1}`, `["x"]`} { // a response is not worth less without it
		m := answering(t, 200, `{"model":`+name+`,"choices":[{"message":{"content":"Paris"}}]}`)
		if out, err := m.Generate(t.Context(), model.Request{Prompt: "x", MaxTokens: 5}); err != nil || out.Model != "" {
			t.Errorf("%s: %q, %v", name, out.Model, err)
		}
	}
}

// A tally counts what Take was asked for, and what was said to be taken.
type tally struct {
	requests, most, took int
	room                 int // requests; 0 is no end
}

func (l *tally) Take(most model.Usage) (func(model.Usage), error) {
	if l.room > 0 && l.requests >= l.room {
		return nil, model.ErrBudget
	}
	l.requests++
	l.most += most.PromptTokens + most.CompletionTokens
	return func(u model.Usage) { l.took += u.PromptTokens + u.CompletionTokens }, nil
}

// Every request is counted at what the server says, at nothing where it refused, and at the most where nothing is
// known; it never takes more than was set aside.
func TestEveryRequestIsMetered(t *testing.T) {
	for _, fault := range append([]stub.Fault{stub.None}, stub.Faults...) {
		for _, api := range []API{Chat, Completions, Messages} {
			m, s := serve(t, stub.Options{Script: []stub.Fault{fault}}, Options{API: api, Timeout: 10 * time.Second,
				MaxBody: 1 << 20})
			if fault == stub.Hang {
				m.c.Timeout = 20 * time.Millisecond
			}
			l := &tally{}
			_, err := m.Generate(model.WithMeter(t.Context(), l), model.Request{Prompt: "a b c", System: "be brief",
				MaxTokens: 20, LogProbs: true})
			if l.requests != s.Requests() || l.requests != 1 {
				t.Errorf("%s, %s: %d requests are counted, %d came", fault, api, l.requests, s.Requests())
			}
			if l.took > l.most || l.took < s.Tokens() {
				t.Errorf("%s, %s: %d tokens are counted, of at most %d; the server counts %d (%v)", fault, api, l.took, l.most,
					s.Tokens(), err)
			}
			var limited *model.Transient
			switch refused := errors.Is(err, model.ErrGone) || errors.As(err, &limited) && limited.Limited ||
				fault == stub.TooLong || fault == stub.EchoKey; {
			case refused && l.took != 0:
				t.Errorf("%s, %s: a refusal is counted as %d tokens", fault, api, l.took)
			case errors.Is(err, model.ErrTransient) && !refused && l.took != l.most && fault != stub.Truncated:
				t.Errorf("%s, %s: what may be billed is counted as %d tokens, want %d", fault, api, l.took, l.most)
			}
		}
	}
}

// Requests beyond one a call count, too: settings that are refused, options one by one, the search for a way to score,
// the probe.
func TestExtraRequestsAreMetered(t *testing.T) {
	for name, o := range map[string]stub.Options{
		"quirks":    {Refuse: []string{"max_tokens", "temperature", "seed"}},
		"no list":   {Refuse: []string{"prompt list"}},
		"no scores": {Refuse: []string{"echo", "prompt_logprobs"}},
		"plain":     {},
	} {
		ask := map[string]func(ctx context.Context, m *Model) error{
			"options": func(ctx context.Context, m *Model) error {
				_, err := m.Generate(ctx, model.Request{Prompt: "x", Options: []string{"a", "b", "c"}})
				return err
			},
			"text": func(ctx context.Context, m *Model) error {
				_, err := m.Generate(ctx, model.Request{Prompt: "x", MaxTokens: 9})
				return err
			},
			"probe": func(ctx context.Context, m *Model) error { _, err := m.Probe(ctx); return err },
		}
		for what, f := range ask {
			m, s := serve(t, o, Options{})
			l := &tally{}
			_ = f(model.WithMeter(t.Context(), l), m) // a server that gives no scores may refuse
			lists := 0
			if what == "probe" {
				lists = 1 // of models, which the stub does not count
			}
			if l.requests != s.Requests()+lists || l.took > l.most || l.took < s.Tokens() {
				t.Errorf("%s, %s: %d requests and %d tokens of %d are counted, %d and %d came", name, what, l.requests, l.took,
					l.most, s.Requests(), s.Tokens())
			}
			if all := l.requests; all > 1 { // without room nothing more is sent, and nothing is learned from that
				m, s := serve(t, o, Options{})
				l := &tally{room: all - 1}
				if err := f(model.WithMeter(t.Context(), l), m); !errors.Is(err, model.ErrBudget) || s.Requests() > all-1 {
					t.Errorf("%s, %s: %v after %d requests, with room for %d", name, what, err, s.Requests(), all-1)
				}
				if err := f(t.Context(), m); errors.Is(err, model.ErrBudget) {
					t.Errorf("%s, %s: it is remembered that there was no room: %v", name, what, err)
				}
			}
		}
	}
}
