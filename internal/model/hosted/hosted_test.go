package hosted

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"hallmark/internal/model"
	"hallmark/internal/model/modeltest"
	"hallmark/internal/model/stub"
)

const testKey = "sk-SECRET123"

// serve starts a stub server and returns a model of it.
func serve(t *testing.T, so stub.Options, o Options) (*Model, *stub.Server) {
	t.Helper()
	s := stub.New(so)
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	if o.BaseURL == "" {
		o.BaseURL = server.URL + "/v1"
	}
	if o.Name == "" {
		o.Name = "stub"
	}
	m, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	return m, s
}

// Every fault of the stub server, in each API: what the caller is told, and that the key never shows.
func TestFaults(t *testing.T) {
	for _, tt := range []struct {
		fault   stub.Fault
		class   modeltest.Class
		message string // part of the error
		limited bool
		lo, hi  time.Duration // of the wait asked for
	}{
		{fault: stub.HTML, class: "transient", message: "page in place of JSON: <!DOCTYPE html>"},
		{fault: stub.Truncated, class: "transient", message: "no whole JSON document"},
		{fault: stub.Cut, class: "transient", message: "failed: "},
		{fault: stub.EmptyChoices, class: "final", message: "no choices"},
		{fault: stub.NullContent, class: "ok"},
		{fault: stub.WrongLength, class: "final", message: "tokens"},
		{fault: stub.NaN, class: "final", message: "NaN, which is no number"},
		{fault: stub.Infinity, class: "final", message: "Infinity, which is no number"},
		{fault: stub.StringProb, class: "final", message: `log-probability "-0.5" is no number`},
		{fault: stub.PositiveProb, class: "final", message: "log-probability 0.75 is above 0"},
		{fault: stub.Limited, class: "transient", message: "Rate limit reached", limited: true},
		{fault: stub.LimitedAfter, class: "transient", limited: true, lo: 2 * time.Second, hi: 2 * time.Second},
		{fault: stub.LimitedDate, class: "transient", limited: true, hi: 3 * time.Second},
		{fault: stub.Quota, class: "gone", message: "no credit left"},
		{fault: stub.ServerError, class: "transient", message: "status 500: internal error"},
		{fault: stub.Unavailable, class: "transient", lo: time.Second, hi: time.Second},
		{fault: stub.Timeout, class: "transient", message: "status 408"},
		{fault: stub.Overloaded, class: "transient", limited: true},
		{fault: stub.Reset, class: "transient", message: "failed: "},
		{fault: stub.Hang, class: "transient", message: "no answer within 150ms"},
		{fault: stub.EchoKey, class: "final", message: "bad request with key [key]"},
		{fault: stub.Forbidden, class: "gone", message: "check the key in STUB_KEY"},
		{fault: stub.TooLong, class: "final", message: "maximum context length is 128 tokens"},
		{fault: stub.Redirect, class: "gone", message: `redirects to "http://elsewhere.example/v1"`},
		{fault: stub.ErrorIn200, class: "transient", message: "status 502: upstream failed"},
		{fault: stub.Switch, class: "final", message: "status 101: it speaks another protocol"},
		{fault: stub.Huge, class: "final", message: "longer than 1048576 bytes"},
	} {
		for _, api := range []API{Chat, Completions, Messages} {
			t.Run(string(tt.fault)+"/"+string(api), func(t *testing.T) {
				t.Parallel()
				class := tt.class
				if api == Messages && (tt.fault == stub.EmptyChoices || strings.Contains("wrong-length nan infinity string-prob "+
					"positive-prob", string(tt.fault))) {
					class = "ok" // it has no choices and no log-probabilities
				}
				m, s := serve(t, stub.Options{Script: []stub.Fault{tt.fault}, Key: testKey},
					Options{API: api, Key: testKey, KeyName: "STUB_KEY", Timeout: 150 * time.Millisecond, MaxBody: 1 << 20})
				if tt.fault != stub.Hang {
					m.c.Timeout = time.Hour
				}
				out, err := m.Generate(t.Context(), model.Request{Prompt: "a b c", MaxTokens: 20, LogProbs: true, TopLogProbs: 2})
				if got := modeltest.ClassOf(err); got != class {
					t.Fatalf("%s: %v; want %s", got, err, class)
				}
				if s.Requests() != 1 {
					t.Errorf("%d requests for one call", s.Requests())
				}
				if b := fmt.Sprint(err, string(out.Raw)); strings.Contains(b, testKey) {
					t.Errorf("the key shows: %s", b)
				}
				if class == "ok" {
					return
				}
				if !strings.Contains(err.Error(), tt.message) || strings.Contains(err.Error(), "\n") {
					t.Errorf("error %q, want one line with %q", err, tt.message)
				}
				var tr *model.Transient
				if errors.As(err, &tr) && (tr.Limited != tt.limited || tr.After < tt.lo || tr.After > tt.hi) {
					t.Errorf("limited %v, after %v; want %v, %v to %v", tr.Limited, tr.After, tt.limited, tt.lo, tt.hi)
				}
				// The next request meets no fault.
				if _, err := m.Generate(t.Context(), model.Request{Prompt: "a b c", MaxTokens: 20}); err != nil {
					t.Errorf("after the fault: %v", err)
				}
			})
		}
	}
}

func TestNullAndFilter(t *testing.T) {
	for _, tt := range []struct {
		fault  stub.Fault
		api    API
		text   string // "nil" for none
		finish string
	}{
		{stub.NullContent, Chat, "nil", "stop"},
		{stub.NullContent, Completions, "nil", "stop"},
		{stub.NullContent, Messages, "", "stop"}, // content [] and end_turn: an empty answer
		{stub.Filter, Chat, "nil", "content_filter"},
		{stub.Refusal, Chat, "nil", "content_filter"},
		{stub.Refusal, Messages, "nil", "content_filter"},
	} {
		m, _ := serve(t, stub.Options{Script: []stub.Fault{tt.fault}}, Options{API: tt.api})
		out, err := m.Generate(t.Context(), model.Request{Prompt: "x", MaxTokens: 30})
		if err != nil {
			t.Errorf("%s/%s: %v", tt.fault, tt.api, err)
			continue
		}
		text := "nil"
		if out.Text != nil {
			text = *out.Text
		}
		if text != tt.text || out.Finish != tt.finish {
			t.Errorf("%s/%s: text %q, finish %q; want %q, %q", tt.fault, tt.api, text, out.Finish, tt.text, tt.finish)
		}
	}
}

func TestLength(t *testing.T) {
	for _, api := range []API{Chat, Completions, Messages} {
		m, _ := serve(t, stub.Options{Answer: func(string) string { return "one two three" }}, Options{API: api})
		out, err := m.Generate(t.Context(), model.Request{Prompt: "x", MaxTokens: 2})
		if err != nil || *out.Text != "one two" || out.Finish != model.FinishLength || out.Usage.CompletionTokens != 2 {
			t.Errorf("%s: %+v, %v", api, out, err)
		}
	}
}

// What goes over the wire, for each API.
func TestRequestOnTheWire(t *testing.T) {
	seed := int64(7)
	req := model.Request{System: "S", Messages: []model.Message{{Role: "user", Text: "u"}, {Role: "assistant", Text: "a"}},
		Prompt:    "P",
		MaxTokens: 9, Temperature: .5, TopP: .9, Stop: []string{"\n"}, Seed: &seed, LogProbs: true, TopLogProbs: 3}
	for api, want := range map[API]string{
		Chat:        `{"logprobs":true,"max_tokens":9,"messages":[{"content":"S","role":"system"},{"content":"u","role":"user"},{"content":"a","role":"assistant"},{"content":"P","role":"user"}],"model":"stub","seed":7,"stop":["\n"],"temperature":0.5,"top_logprobs":3,"top_p":0.9}`,
		Completions: `{"logprobs":3,"max_tokens":9,"model":"stub","prompt":"S\n\nu\n\na\n\nP","seed":7,"stop":["\n"],"temperature":0.5,"top_p":0.9}`,
		Messages:    `{"max_tokens":9,"messages":[{"content":"u","role":"user"},{"content":"a","role":"assistant"},{"content":"P","role":"user"}],"model":"stub","stop_sequences":["\n"],"system":"S","temperature":0.5,"top_p":0.9}`,
	} {
		m, s := serve(t, stub.Options{Record: true}, Options{API: api, Key: testKey})
		if _, err := m.Generate(t.Context(), req); err != nil {
			t.Fatal(err)
		}
		seen := s.Seen()[0]
		got, _ := json.Marshal(seen.Body)
		if string(got) != want {
			t.Errorf("%s sends\n%s\nwant\n%s", api, got, want)
		}
		auth := seen.Header.Get("Authorization") + seen.Header.Get("x-api-key")
		if strings.TrimPrefix(auth, "Bearer ") != testKey {
			t.Errorf("%s: key is sent as %q", api, auth)
		}
		if v := seen.Header.Get("anthropic-version"); (v != "") != (api == Messages) {
			t.Errorf("%s: anthropic-version %q", api, v)
		}
	}
	// Greedy is said, not left to the server's default of 1; and no request without a key carries a header for one.
	m, s := serve(t, stub.Options{Record: true}, Options{})
	if _, err := m.Generate(t.Context(), model.Request{Prompt: "P"}); err != nil {
		t.Fatal(err)
	}
	if v, ok := s.Seen()[0].Body["temperature"]; !ok || v != 0.0 {
		t.Errorf("greedy sends temperature %v", v)
	}
	if h := s.Seen()[0].Header; h.Get("Authorization") != "" {
		t.Error("a key is sent where there is none")
	}
}

func TestLogProbs(t *testing.T) {
	for _, api := range []API{Chat, Completions} {
		m, _ := serve(t, stub.Options{}, Options{API: api})
		out, err := m.Generate(t.Context(), model.Request{Prompt: "hello", MaxTokens: 20, LogProbs: true, TopLogProbs: 3})
		if err != nil {
			t.Fatal(err)
		}
		var text strings.Builder
		for _, tok := range out.Tokens {
			text.WriteString(tok.Text)
			if tok.LogProb == nil || *tok.LogProb > 0 || len(tok.Top) != 3 || tok.Top[0].LogProb < tok.Top[1].LogProb {
				t.Errorf("%s: token %+v", api, tok)
			}
		}
		if text.String() != *out.Text {
			t.Errorf("%s: tokens spell %q, text is %q", api, text.String(), *out.Text)
		}
		out, err = m.Generate(t.Context(), model.Request{Prompt: "hello", MaxTokens: 20, LogProbs: true})
		if err != nil || len(out.Tokens) == 0 || out.Tokens[0].Top != nil {
			t.Errorf("%s: without alternatives: %+v, %v", api, out.Tokens, err)
		}
	}
}

// A null log-probability is missing, not 0, which would be certainty.
func TestNullLogProbIsMissing(t *testing.T) {
	out, err := decodeChoice[completionChoice]([]byte(`{"choices":[{"text":"ab","logprobs":{"tokens":["a","b"],"token_logprobs":[null,-0.5],"top_logprobs":[null,{"b":-0.5,"c":null}]}}]}`),
		model.Request{LogProbs: true, TopLogProbs: 2}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if out.Tokens[0].LogProb != nil || *out.Tokens[1].LogProb != -.5 || len(out.Tokens[1].Top) != 1 {
		t.Errorf("tokens %+v", out.Tokens)
	}
}

func TestCancel(t *testing.T) {
	m, _ := serve(t, stub.Options{Rates: map[stub.Fault]float64{stub.Hang: 1}}, Options{})
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(20*time.Millisecond, cancel)
	_, err := m.Generate(ctx, model.Request{Prompt: "x"})
	if modeltest.ClassOf(err) != modeltest.Cancelled {
		t.Error(err)
	}
}

func TestFromRef(t *testing.T) {
	env := map[string]string{"OPENAI_API_KEY": "ko", "ANTHROPIC_API_KEY": "ka", "MINE": "km"}
	for _, tt := range []struct {
		ref, base, keyEnv   string
		identity, key, fail string
	}{
		{ref: "openai:gpt", identity: "https://api.openai.com/v1#gpt chat", key: "ko"},
		{ref: "openai:gpt", base: "http://localhost:1/v1/", identity: "http://localhost:1/v1#gpt chat", key: "ko"},
		{ref: "openai:gpt", keyEnv: "MINE", identity: "https://api.openai.com/v1#gpt chat", key: "km"},
		{ref: "anthropic:c", identity: "https://api.anthropic.com/v1#c messages", key: "ka"},
		{ref: "http://h/v1#m", identity: "http://h/v1#m chat"}, // never the key of another
		{ref: "https://h/v1#m", keyEnv: "MINE", identity: "https://h/v1#m chat", key: "km"},
		{ref: "http://127.0.0.1:1/v1#m", keyEnv: "MINE", identity: "http://127.0.0.1:1/v1#m chat", key: "km"},
		{ref: "http://[::1]:1/v1#m", keyEnv: "MINE", identity: "http://[::1]:1/v1#m chat", key: "km"},
		{ref: "http://h/v1#m", keyEnv: "MINE", fail: "the key in MINE is not sent to h over plain http"},
		{ref: "http://127.0.0.1.elsewhere.example/v1#m", keyEnv: "MINE", fail: "not sent to 127.0.0.1.elsewhere.example"},
		{ref: "openai:gpt", base: "http://localhost.elsewhere.example/v1", fail: "the key in OPENAI_API_KEY is not sent"},
		{ref: "http://h/v1#m", keyEnv: "NONE", fail: "set the environment variable NONE"},
		{ref: "exec:cat", fail: "not behind an HTTP API"},
	} {
		ref, err := model.ParseRef(tt.ref)
		if err != nil {
			t.Fatal(err)
		}
		m, err := FromRef(ref, func(k string) string {
			if k == "OPENAI_BASE_URL" {
				return tt.base
			}
			return env[k]
		}, tt.keyEnv, Options{})
		if tt.fail != "" {
			if err == nil || !strings.Contains(err.Error(), tt.fail) {
				t.Errorf("%s: %v, want %q", tt.ref, err, tt.fail)
			}
			continue
		}
		if err != nil || m.Identity() != tt.identity || m.o.Key != tt.key {
			t.Errorf("%s: %v: identity %q, key %q", tt.ref, err, m.Identity(), m.o.Key)
		}
	}
	ref, _ := model.ParseRef("openai:gpt")
	if _, err := FromRef(ref, func(string) string {
		return ""
	}, "", Options{}); err == nil || !strings.Contains(err.Error(), "OPENAI_API_KEY") {
		t.Errorf("without a key: %v", err)
	}
}

func TestUsageIsEstimatedWhereUncounted(t *testing.T) {
	for body, want := range map[string]model.Usage{
		`{"choices":[{"message":{"content":"12345"}}],"usage":{"prompt_tokens":3,"completion_tokens":4}}`:                   {PromptTokens: 3, CompletionTokens: 4},
		`{"choices":[{"message":{"content":"12345"}}]}`:                                                                     {PromptTokens: 3, CompletionTokens: 2, Estimated: true},
		`{"choices":[{"message":{"content":"12345"}}],"usage":{"prompt_tokens":-3,"completion_tokens":4}}`:                  {PromptTokens: 3, CompletionTokens: 2, Estimated: true},
		`{"choices":[{"message":{"content":"12345"}}],"usage":{"prompt_tokens":3,"completion_tokens":9223372036854775807}}`: {PromptTokens: 3, CompletionTokens: 2, Estimated: true},
		`{"choices":[{"message":{"content":"12345"}}],"usage":{"prompt_tokens":1000000000001,"completion_tokens":4}}`:       {PromptTokens: 3, CompletionTokens: 2, Estimated: true},
		`{"choices":[{"message":{"content":"12345"}}],"usage":"none"}`:                                                      {PromptTokens: 3, CompletionTokens: 2, Estimated: true},
	} {
		out, err := decodeChoice[chatChoice]([]byte(body), model.Request{Prompt: "123456789"}, nil)
		if err != nil || out.Usage != want {
			t.Errorf("%s: %+v, %v", body, out.Usage, err)
		}
	}
}

// No answer is taken for another: the choice of index 0 is the answer, wherever it stands, and choices that are
// numbered otherwise are none.
func TestChoicesInAnyOrder(t *testing.T) {
	const twice, numbered = "is there twice", "not numbered from 0, each once"
	for choices, want := range map[string]string{
		`[{"index":0,T"a"F}]`:                               "a",
		`[{"index":7,T"a"F}]`:                               "a",
		`[{T"a"F},{T"b"F}]`:                                 "a",
		`[{"index":0,T"a"F},{"index":1,T"b"F}]`:             "a",
		`[{"index":1,T"b"F},{"index":0,T"a"F}]`:             "a",
		`[{"index":0,T"a"F},{"index":0,T"b"F}]`:             numbered,
		`[{"index":1,T"a"F},{"index":2,T"b"F}]`:             numbered,
		`[{"index":-1,T"a"F},{"index":0,T"b"F}]`:            numbered,
		`[{"index":1,T"a"F},{T"b"F}]`:                       "of which 1 have no index",
		`[{"index":0,T"a"F}],"choices":[{"index":0,T"b"F}]`: twice,
		`[{"index":0,"index":1,T"a"F}]`:                     twice,
		`[]`:                                                "no choices",
	} {
		for _, api := range []struct {
			open, end string
			decode    func([]byte, model.Request, []byte) (model.Response, error)
		}{{`"message":{"content":`, `}`, decodeChoice[chatChoice]}, {`"text":`, ``, decodeChoice[completionChoice]}} {
			body := `{"choices":` + strings.NewReplacer("T", api.open, "F", api.end).Replace(choices) + `}`
			out, err := api.decode([]byte(body), model.Request{}, nil)
			got := fmt.Sprint(err)
			if err == nil {
				got = *out.Text
			}
			if !strings.Contains(got, want) || err == nil && got != want || errors.Is(err, model.ErrTransient) {
				t.Errorf("%s: %s, want %s", body, got, want)
			}
		}
	}
}

func TestContentParts(t *testing.T) {
	for body, want := range map[string]string{
		`[{"type":"thinking","thinking":"…"},{"type":"text","text":"a"},{"type":"text","text":"b"}]`: "ab",
		`"x"`: "x",
	} {
		out, err := decodeChoice[chatChoice]([]byte(`{"choices":[{"message":{"content":`+body+`}}]}`), model.Request{}, nil)
		if err != nil || out.Text == nil || *out.Text != want {
			t.Errorf("%s: %+v, %v", body, out, err)
		}
	}
}

func TestWrongShape(t *testing.T) {
	for body, want := range map[string]string{
		`[1]`:             "response is a JSON array: want an object",
		`{"choices":{}}`:  `response has a object for "choices"`,
		`{"choices":[1]}`: `response has a number for "choices"`,
		`{}`:              "no choices",
	} {
		_, err := decodeChoice[chatChoice]([]byte(body), model.Request{}, nil)
		if modeltest.ClassOf(err) != modeltest.Final || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", body, err, want)
		}
	}
}

// Whatever a server sends: no panic, and what is returned can be stored.
func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{"choices":[{"message":{"content":"a b"},"finish_reason":"stop","logprobs":{"content":[{"token":"a b","logprob":-0.1,"top_logprobs":[{"token":"a","logprob":-0.1}]}]}}],"usage":{"prompt_tokens":1,"completion_tokens":2}}`))
	f.Add([]byte(`{"choices":[{"index":0,"text":"one, two, three, four","logprobs":{"tokens":["one,"," two,"," three,"," four"],"token_logprobs":[null,-1,-1,-1],"top_logprobs":[null,{},{},{}],"text_offset":[0,4,9,16]}}]}`))
	f.Add([]byte(`{"choices":[{"index":0,"text":"","prompt_logprobs":[null,{"7":{"logprob":-1,"decoded_token":" two,"},"1":{"logprob":-2}},{"8":{"logprob":-1,"decoded_token":" three, four"}}]}]}`))
	f.Add([]byte(`{"content":[{"type":"text","text":"a"}],"stop_reason":"end_turn","usage":{"input_tokens":1,"output_tokens":1}}`))
	f.Add([]byte(`{"choices":[{"logprobs":{"content":[{"logprob":NaN}]}}]}`))
	f.Add([]byte(`{"choices":[]}`))
	f.Add([]byte(`{"error":{"message":"m"},"detail":[1]}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		req := model.Request{Prompt: "p", LogProbs: true, TopLogProbs: 2}
		for _, decode := range []func([]byte, model.Request, []byte) (model.Response, error){decodeChoice[chatChoice],
			decodeChoice[completionChoice], decodeMessages} {
			out, err := decode(body, req, nil)
			if err == nil {
				if _, err := json.Marshal(out); err != nil {
					t.Fatalf("response cannot be stored: %v", err)
				}
			}
		}
		for _, w := range ways() {
			out, _, err := decodeScores(body, w, "one, two, three", []string{", four"}, 0)
			if err != nil {
				continue
			}
			if sum := out.Options[0].Sum(); len(out.Options[0].LogProbs) == 0 || math.IsNaN(sum) || sum > 0 {
				t.Fatalf("score %+v", out.Options)
			}
		}
		if err := (&client{Options: Options{Now: time.Now}}).status(&http.Response{StatusCode: 400}, body); err == nil ||
			strings.Contains(err.Error(), "\n") {
			t.Fatalf("error %q", err)
		}
	})
}
