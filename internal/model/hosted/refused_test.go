package hosted

import (
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

func TestGone(t *testing.T) {
	t.Run("unknown model", func(t *testing.T) {
		m, _ := serve(t, stub.Options{Model: "other"}, Options{})
		_, err := m.Generate(t.Context(), model.Request{Prompt: "x"})
		if modeltest.ClassOf(err) != modeltest.Gone || !strings.Contains(err.Error(), `has no model "stub"`) ||
			!strings.Contains(err.Error(), "/v1/models lists what the server has; no key was sent; --key-env") {
			t.Error(err)
		}
	})
	t.Run("unknown model with a key", func(t *testing.T) {
		m, _ := serve(t, stub.Options{Model: "other"}, Options{Key: testKey, KeyName: "MY_KEY"})
		_, err := m.Generate(t.Context(), model.Request{Prompt: "x"})
		if modeltest.ClassOf(err) != modeltest.Gone || !strings.Contains(err.Error(), "the key in MY_KEY was sent") ||
			strings.Contains(err.Error(), testKey) {
			t.Error(err)
		}
	})
	t.Run("wrong key", func(t *testing.T) {
		m, _ := serve(t, stub.Options{Key: "right"}, Options{Key: testKey, KeyName: "OPENAI_API_KEY"})
		_, err := m.Generate(t.Context(), model.Request{Prompt: "x"})
		if modeltest.ClassOf(err) != modeltest.Gone ||
			!strings.Contains(err.Error(), `check the key in OPENAI_API_KEY, which was sent for the model "stub"; --key-env`) ||
			strings.Contains(err.Error(), testKey) {
			t.Error(err)
		}
	})
	t.Run("no key", func(t *testing.T) {
		m, _ := serve(t, stub.Options{Key: "right"}, Options{})
		if _, err := m.Generate(t.Context(), model.Request{Prompt: "x"}); modeltest.ClassOf(err) != modeltest.Gone ||
			!strings.Contains(err.Error(),
				`no key was sent for the model "stub": name its environment variable with --key-env`) {
			t.Error(err)
		}
	})
	t.Run("no completions is final, not gone", func(t *testing.T) {
		m, _ := serve(t, stub.Options{NoCompletions: true}, Options{})
		if _, err := m.Generate(t.Context(), model.Request{Prompt: "x",
			Raw: true}); modeltest.ClassOf(err) != modeltest.Final {
			t.Error(err)
		}
	})
	t.Run("wrong path", func(t *testing.T) {
		server := httptest.NewServer(http.NotFoundHandler())
		defer server.Close()
		m, _ := serve(t, stub.Options{}, Options{BaseURL: server.URL})
		if _, err := m.Generate(t.Context(), model.Request{Prompt: "x"}); modeltest.ClassOf(err) != modeltest.Gone {
			t.Error(err)
		}
	})
	t.Run("certificate", func(t *testing.T) {
		server := httptest.NewUnstartedServer(http.NotFoundHandler())
		server.Config.ErrorLog = quiet
		server.StartTLS()
		defer server.Close()
		m, _ := serve(t, stub.Options{}, Options{BaseURL: server.URL})
		if _, err := m.Generate(t.Context(), model.Request{Prompt: "x"}); modeltest.ClassOf(err) != modeltest.Gone ||
			!strings.Contains(err.Error(), "certificate") {
			t.Error(err)
		}
	})
	t.Run("no TLS", func(t *testing.T) {
		server := httptest.NewUnstartedServer(http.NotFoundHandler())
		server.Config.ErrorLog = quiet
		server.Start()
		defer server.Close()
		m, _ := serve(t, stub.Options{}, Options{BaseURL: strings.Replace(server.URL, "http:", "https:", 1)})
		if _, err := m.Generate(t.Context(), model.Request{Prompt: "x"}); modeltest.ClassOf(err) != modeltest.Gone ||
			!strings.Contains(err.Error(), "want http://") {
			t.Error(err)
		}
	})
	t.Run("nobody listens", func(t *testing.T) {
		server := httptest.NewServer(http.NotFoundHandler())
		server.Close()
		m, _ := serve(t, stub.Options{}, Options{BaseURL: server.URL})
		if _, err := m.Generate(t.Context(), model.Request{Prompt: "x"}); modeltest.ClassOf(err) != modeltest.Transient { // it may be starting
			t.Error(err)
		}
	})
}

// A refused setting is left out or renamed, once for all later requests.
func TestQuirks(t *testing.T) {
	seed := int64(1)
	m, s := serve(t, stub.Options{Refuse: []string{"temperature", "max_tokens", "seed"}, Record: true}, Options{})
	for range 2 {
		if _, err := m.Generate(t.Context(), model.Request{Prompt: "x", MaxTokens: 8, Seed: &seed}); err != nil {
			t.Fatal(err)
		}
	}
	if s.Requests() != 5 { // three refusals, two answers
		t.Errorf("%d requests, want 5", s.Requests())
	}
	last := s.Seen()[4].Body
	if _, ok := last["temperature"]; ok || last["max_completion_tokens"] != 8.0 || last["max_tokens"] != nil ||
		last["seed"] != nil {
		t.Errorf("last request %v", last)
	}
	// A refusal that the quirk does not cure is passed on, and the quirk forgotten.
	m, s = serve(t, stub.Options{}, Options{BaseURL: refuser(t,
		`{"error":{"message":"not allowed: temperature","param":"temperature"}}`)})
	if _, err := m.Generate(t.Context(), model.Request{Prompt: "x"}); modeltest.ClassOf(err) != modeltest.Final ||
		m.known() != 0 || s.Requests() != 0 {
		t.Errorf("%v, learned %+v", err, m.known())
	}
	// A value that is merely out of range teaches nothing.
	if q, learned := quirks(0).learn(&refused{status: 400, param: "temperature",
		message: "temperature must be between 0 and 2"}); learned {
		t.Errorf("learned %+v", q)
	}
	// Of a server without codes, the message names the parameter.
	if q, _ := quirks(0).learn(&refused{status: 400,
		message: "`temperature` is deprecated for this model."}); !q.has(noTemperature) {
		t.Error("a message alone teaches nothing")
	}
}

// refuser returns the address of a server that answers everything with 400 and the body.
func refuser(t *testing.T, body string) string {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusBadRequest)
		fmt.Fprint(w, body)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

func TestProbe(t *testing.T) {
	for _, tt := range []struct {
		name string
		so   stub.Options
		api  API
		want model.Capabilities
	}{
		{"all", stub.Options{ContextTokens: 4096}, Chat,
			model.Capabilities{Temperature0: true, Sampling: true, LogProbs: true, TopLogProbs: 20, OptionScores: true,
				ContextTokens: 4096, Note: "options scored by echo"}},
		{"chat only", stub.Options{NoCompletions: true, MaxTopLogProbs: 5}, Chat,
			model.Capabilities{Temperature0: true, Sampling: true, LogProbs: true, TopLogProbs: 5,
				Note: "no option scores (by echo: status 404"}},
		{"no log-probabilities", stub.Options{Refuse: []string{"logprobs", "prompt_logprobs"}}, Chat,
			model.Capabilities{Temperature0: true, Sampling: true, Note: "no option scores"}},
		{"overlooked", stub.Options{Ignore: []string{"logprobs", "echo", "prompt_logprobs"}}, Completions,
			model.Capabilities{Temperature0: true, Sampling: true, Note: "the server does not echo the prompt"}},
		{"one token", stub.Options{Refuse: []string{"max_tokens=0"}}, Completions,
			model.Capabilities{Temperature0: true, Sampling: true, LogProbs: true, TopLogProbs: 20, OptionScores: true,
				Note: "options scored by echo with one token"}},
		{"vLLM without echo", stub.Options{Ignore: []string{"echo"}}, Chat,
			model.Capabilities{Temperature0: true, Sampling: true, LogProbs: true, TopLogProbs: 20, OptionScores: true,
				Note: "options scored by prompt_logprobs"}},
		{"own temperature", stub.Options{Refuse: []string{"temperature", "max_tokens"}, NoCompletions: true}, Chat,
			model.Capabilities{Sampling: true, LogProbs: true, TopLogProbs: 20, Note: "the model refuses temperature 0"}},
		{"anthropic", stub.Options{}, Messages,
			model.Capabilities{Temperature0: true, Sampling: true, Note: "the Messages API has no log-probabilities"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m, s := serve(t, tt.so, Options{API: tt.api})
			got, err := m.Probe(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(got.Note, tt.want.Note) {
				t.Errorf("note %q, want %q in it", got.Note, tt.want.Note)
			}
			got.Note = tt.want.Note
			if got != tt.want {
				t.Errorf("got  %+v\nwant %+v", got, tt.want)
			}
			if s.Requests() > 8 {
				t.Errorf("%d requests", s.Requests())
			}
		})
	}
	t.Run("gone", func(t *testing.T) {
		m, _ := serve(t, stub.Options{Key: "right"}, Options{})
		if _, err := m.Probe(t.Context()); modeltest.ClassOf(err) != modeltest.Gone {
			t.Error(err)
		}
	})
}

func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	c := client{Options: Options{Now: func() time.Time { return now }}}
	for v, want := range map[string]time.Duration{
		"": 0, "3": 3 * time.Second, " 1.5 ": 1500 * time.Millisecond, "-4": 0, "1e300": time.Hour, "NaN": 0,
		"Inf": time.Hour, "soon": 0,
		"Fri, 20 Nov 2026 12:00:07 GMT": 7 * time.Second, "Fri, 20 Nov 2026 11:00:00 GMT": 0,
		"Fri, 20 Nov 2036 11:00:00 GMT": time.Hour,
	} {
		if got := c.retryAfter(http.Header{"Retry-After": {v}}); got != want {
			t.Errorf("Retry-After %q: %v, want %v", v, got, want)
		}
	}
}

func TestNewRefuses(t *testing.T) {
	for _, tt := range []struct {
		o    Options
		want string
	}{
		{Options{BaseURL: "http://h/v1"}, "no name"},
		{Options{BaseURL: "http://u:SECRET@h/v1", Name: "m"}, "user name or password"},
		{Options{BaseURL: "ftp://h", Name: "m"}, "no base address"},
		{Options{BaseURL: "http://u:SECRET@h:x", Name: "m"}, "no URL"},
		{Options{BaseURL: "http://h?key=SECRET", Name: "m"}, "no base address"},
		{Options{BaseURL: "http://h", Name: "m", API: "soap"}, `unknown API "soap"`},
		{Options{BaseURL: "http://h", Name: "m", Key: "SECRET\r\nX: y", KeyName: "K"}, "the key in K"},
	} {
		_, err := New(tt.o)
		if err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "SECRET") {
			t.Errorf("%+v: %v, want %q", tt.o, err, tt.want)
		}
	}
}

func TestErrorShapes(t *testing.T) {
	for body, want := range map[string]refused{
		`{"error":{"message":"m","type":"t","code":"c","param":"p"}}`:   {400, "c", "p", "m"},
		`{"error":{"message":"m","type":"t","code":null,"param":null}}`: {400, "t", "", "m"},
		`{"error":{"code":400,"message":"m","type":"t"}}`:               {400, "400", "", "m"},
		`{"error":"model is required"}`: {400, "", "",
			"model is required"},
		`{"object":"error","message":"m","code":400,"param":"x"}`: {400, "400", "x", "m"},
		`{"detail":"Not here"}`:                                   {400, "", "", "Not here"},
		`{"type":"error","error":{"type":"invalid_request_error","message":"max_tokens: wanted"}}`: {400,
			"invalid_request_error", "", "max_tokens: wanted"},
		"plain\n\x1b[31mtext":         {400, "", "", "plain text"},
		`{"error":{"message":["a"]}}`: {400, "", "", `["a"]`},
	} {
		err := (&client{Options: Options{Now: time.Now}}).status(&http.Response{StatusCode: 400}, []byte(body))
		var got *refused
		if !errors.As(err, &got) || *got != want {
			t.Errorf("%s: %#v, want %+v", body, err, want)
		}
	}
}

// Servers say in their own ways that a prompt is too long.
func TestTooLong(t *testing.T) {
	for body, want := range map[string]bool{
		`{"error":{"message":"m","code":"context_length_exceeded"}}`:                                                 true,
		`{"error":{"message":"This model's maximum context length is 512 tokens."}}`:                                 true,
		`{"error":{"code":400,"message":"the request exceeds the available context size, try increasing it"}}`:       true,
		`{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 9 tokens > 8 max"}}`: true,
		`{"error":{"message":"max_tokens is too large"}}`:                                                            false,
	} {
		err := (&client{Options: Options{Now: time.Now}}).status(&http.Response{StatusCode: 400}, []byte(body))
		if errors.Is(err, model.ErrTooLong) != want {
			t.Errorf("%s: too long is %v, want %v", body, !want, want)
		}
	}
}
