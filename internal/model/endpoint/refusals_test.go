package endpoint

import (
	"bytes"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
)

// refusals are bodies that no answer is given to, with the parameter that is named and the error's code.
var refusals = []struct{ path, body, param, code string }{
	{"chat/completions", `{"model":"tiny"}`, "messages", "invalid_value"},
	{"chat/completions", `{"messages":[{"role":"user","content":"a"}]}`, "model", "invalid_value"},
	{"chat/completions", `{CHAT,"temperature":NaN}`, "temperature", "invalid_value"},
	{"chat/completions", `{CHAT,"temperature":-Infinity}`, "temperature", "invalid_value"},
	{"chat/completions", `{CHAT,"temperature":1e999}`, "temperature", "invalid_value"},
	{"chat/completions", `{CHAT,"temperature":"hot"}`, "temperature", "invalid_value"},
	{"chat/completions", `{CHAT,"temperature":-0.1}`, "temperature", "invalid_value"},
	{"chat/completions", `{CHAT,"top_p":0}`, "top_p", "invalid_value"},
	{"chat/completions", `{CHAT,"top_p":[1]}`, "top_p", "invalid_value"},
	{"chat/completions", `{CHAT,"n":0}`, "n", "invalid_value"},
	{"chat/completions", `{CHAT,"n":1.5}`, "n", "invalid_value"},
	{"chat/completions", `{CHAT,"n":99999999999999999999}`, "n", "invalid_value"},
	{"chat/completions", `{CHAT,"seed":99999999999999999999}`, "seed", "invalid_value"},
	{"chat/completions", `{CHAT,"max_tokens":-1}`, "max_tokens", "invalid_value"},
	{"chat/completions", `{CHAT,"max_tokens":1,"max_completion_tokens":2}`, "max_tokens", "invalid_value"},
	{"chat/completions", `{CHAT,"stop":[1]}`, "stop", "invalid_value"},
	{"chat/completions", `{CHAT,"stop":["a",null]}`, "stop", "invalid_value"},
	{"chat/completions", `{CHAT,"stop":{}}`, "stop", "invalid_value"},
	{"chat/completions", `{CHAT,"stream":1}`, "stream", "invalid_value"},
	{"chat/completions", `{CHAT,"stream_options":{"include_usage":true}}`, "stream_options", "invalid_value"},
	{"chat/completions", `{CHAT,"stream":true,"stream_options":{"usage":true}}`, "stream_options.usage",
		"unknown_parameter"},
	{"chat/completions", `{CHAT,"stream":true,"stream_options":7}`, "stream_options", "invalid_value"},
	{"chat/completions", `{CHAT,"top_logprobs":3}`, "top_logprobs", "invalid_value"},
	{"chat/completions", `{CHAT,"logprobs":true,"top_logprobs":21}`, "top_logprobs", "invalid_value"},
	{"chat/completions", `{CHAT,"logprobs":2}`, "logprobs", "invalid_value"},
	{"chat/completions", `{CHAT,"tools":[{"type":"function"}]}`, "tools", "unsupported_parameter"},
	{"chat/completions", `{CHAT,"frequency_penalty":0.5}`, "frequency_penalty", "unsupported_parameter"},
	{"chat/completions", `{CHAT,"logit_bias":{"5":1}}`, "logit_bias", "unsupported_parameter"},
	{"chat/completions", `{CHAT,"response_format":{"type":"json_object"}}`, "response_format", "unsupported_parameter"},
	{"chat/completions", `{CHAT,"frobnicate":1}`, "frobnicate", "unknown_parameter"},
	{"chat/completions", "{CHAT,\"user\":\"\xff\"}", "user", "invalid_value"},
	{"chat/completions", "{CHAT,\"\xff\":1}", "\uFFFD", "unknown_parameter"},
	{"chat/completions", `{"model":7,"messages":[{"role":"user","content":"a"}]}`, "model", "invalid_value"},
	{"chat/completions", `{"model":"tiny","messages":[]}`, "messages", "invalid_value"},
	{"chat/completions", `{"model":"tiny","messages":"a"}`, "messages", "invalid_value"},
	{"chat/completions", `{"model":"tiny","messages":[null]}`, "messages[0]", "invalid_value"},
	{"chat/completions", `{"model":"tiny","messages":[{"role":"user"}]}`, "messages[0].content", "invalid_value"},
	{"chat/completions", `{"model":"tiny","messages":[{"role":"tool","content":"a"}]}`, "messages[0].role",
		"invalid_value"},
	{"chat/completions", `{"model":"tiny","messages":[{"role":"user","content":"a","name":"b"}]}`, "messages[0].name",
		"unsupported_parameter"},
	{"chat/completions", `{"model":"tiny","messages":[{"role":"user","content":[{"type":"image_url","image_url":{}}]}]}`,
		"messages[0].content", "invalid_value"},
	{"chat/completions", `{"model":"tiny","messages":[{"role":"assistant","content":"a"}]}`, "messages", "invalid_value"},
	{"chat/completions",
		`{"model":"tiny","messages":[{"role":"user","content":"a"},{"role":"system","content":"a"},{"role":"user","content":"a"}]}`, "messages", "invalid_value"},
	{"chat/completions", `{"model":"tiny","messages":[{"role":"user","content":"LONG"}]}`, "messages",
		"context_length_exceeded"},
	{"completions", `{"model":"tiny","prompt":"LONG"}`, "prompt", "context_length_exceeded"},
	{"completions", `{"model":"tiny"}`, "prompt", "invalid_value"},
	{"completions", `{"model":"tiny","prompt":[]}`, "prompt", "invalid_value"},
	{"completions", `{"model":"tiny","prompt":[[]]}`, "prompt", "invalid_value"},
	{"completions", `{"model":"tiny","prompt":[1,"a"]}`, "prompt", "invalid_value"},
	{"completions", `{"model":"tiny","prompt":[1,null]}`, "prompt", "invalid_value"},
	{"completions", `{"model":"tiny","prompt":[300]}`, "prompt", "invalid_value"},
	{"completions", `{"model":"tiny","prompt":[[-1]]}`, "prompt", "invalid_value"},
	{"completions", `{"model":"tiny","prompt":[1.5]}`, "prompt", "invalid_value"},
	{"completions", `{"model":"tiny","prompt":[99999999999]}`, "prompt", "invalid_value"},
	{"completions", `{"model":"tiny","prompt":{"a":1}}`, "prompt", "invalid_value"},
	{"completions", `{"model":"tiny","prompt":"a","suffix":"b"}`, "suffix", "unsupported_parameter"},
	{"completions", `{"model":"tiny","prompt":"a","best_of":3}`, "best_of", "unsupported_parameter"},
	{"completions", `{"model":"tiny","prompt":"a","logprobs":true}`, "logprobs", "invalid_value"},
	{"completions", `{"model":"tiny","prompt":["a","b"],"n":2000}`, "n", "invalid_value"},
	{"completions", `{"model":"tiny","prompt":[MANY]}`, "prompt", "invalid_value"},
	{"completions", `{"model":"tiny","prompt":"a","stop":[MANY]}`, "stop", "invalid_value"},
	{"completions", `{"model":"tiny","prompt":"a","max_tokens":1e3}`, "max_tokens", "invalid_value"},
	{"completions", `{"model":"tiny","prompt":"a","echo":"yes"}`, "echo", "invalid_value"},
	{"embeddings", `{"model":"tiny"}`, "input", "invalid_value"},
	{"embeddings", `{"model":"tiny","input":"a","dimensions":2}`, "dimensions", "unsupported_parameter"},
	{"embeddings", `{"model":"tiny","input":"a","encoding_format":"hex"}`, "encoding_format", "invalid_value"},
	{"embeddings", `{"model":"tiny","input":"LONG"}`, "input", "context_length_exceeded"},
	{"tokenize", `{}`, "prompt", "invalid_value"},
	{"tokenize", `{"prompt":7}`, "prompt", "invalid_value"},
	{"detokenize", `{"tokens":"a"}`, "tokens", "invalid_value"},
	{"detokenize", `{"tokens":[-5]}`, "tokens", "invalid_value"},
	{"completions", ``, "", "invalid_value"},
	{"completions", `null`, "", "invalid_value"},
	{"completions", `[1]`, "", "invalid_value"},
	{"completions", `{"model":"tiny","prompt":`, "", "invalid_value"},
	{"completions", `DEEP`, "", "invalid_value"},
}

func expand(body string) string {
	return strings.NewReplacer("CHAT", `"model":"tiny","messages":[{"role":"user","content":"a"}]`, "LONG",
		strings.Repeat("xyz ", 90),
		"MANY", strings.TrimSuffix(strings.Repeat(`"a",`, 3000), ","),
		"DEEP", strings.Repeat("[", 1e5)).Replace(body)
}

func TestRefusals(t *testing.T) {
	_, base := serve(t, tiny(), Options{})
	for _, c := range refusals {
		status, header, b := post(t, base+"/"+c.path, expand(c.body))
		var a struct {
			Error struct {
				Message, Type string
				Param, Code   *string
			}
		}
		if err := json.Unmarshal(b, &a); err != nil {
			t.Fatalf("%s %s: %v in %s", c.path, c.body, err, b)
		}
		param := ""
		if a.Error.Param != nil {
			param = *a.Error.Param
		}
		if status != http.StatusBadRequest || a.Error.Type != "invalid_request_error" || param != c.param ||
			a.Error.Code == nil || *a.Error.Code != c.code || a.Error.Message == "" {
			t.Errorf("%s %s: %d %s, want a 400 about %q with code %s", c.path, c.body, status, b, c.param, c.code)
		}
		if header.Get("X-Request-Id") == "" || header.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("header %v", header)
		}
	}
}

// What an answer may list is bounded before anything is computed.
func TestListedLogProbsAreBounded(t *testing.T) {
	g := &generation{prompts: [][]int32{{5}}, n: 2000, maxTokens: 4000, logProbs: true, top: 20}
	if p := g.check(mustOpen(4096), "prompt"); p == nil || p.param != "logprobs" {
		t.Errorf("168 million log-probabilities: %v", p)
	}
	g.maxTokens = 10
	if p := g.check(mustOpen(4096), "prompt"); p != nil {
		t.Errorf("420 thousand log-probabilities: %v", p)
	}
}

// Values at which a parameter changes nothing are taken, as clients send them without being asked.
func TestNeutralValues(t *testing.T) {
	_, base := serve(t, tiny(), Options{})
	plain := `{CHAT,"max_tokens":3,"seed":1`
	var want, got chatAnswer
	answered(t, base+"/chat/completions", expand(plain+`}`), &want)
	answered(t, base+"/chat/completions", expand(plain+
		`,"tools":[],"tool_choice":"none","parallel_tool_calls":true,"logit_bias":{},"presence_penalty":0.0,
		"frequency_penalty":0,"response_format":{"type": "text"},"store":false,"user":"me","metadata":{"a":"b"},"top_k":-1,"repetition_penalty":1.0,"stop":null,
		"logprobs":null,"top_logprobs":null,"n":null,"service_tier":"auto","stream":null,"stream_options":null,"min_p":0}`), &got)
	if got.Choices[0].Message.Content != want.Choices[0].Message.Content {
		t.Errorf("%q, want %q", got.Choices[0].Message.Content, want.Choices[0].Message.Content)
	}
	// A conversation with an answer sent back as it came, and content in parts.
	answered(t, base+"/chat/completions",
		expand(`{"model":"tiny","max_tokens":2,"messages":[{"role":"developer","content":[{"type":"text","text":"the "},{"type":"text","text":"city"}]},
		{"role":"user","content":"a"},{"role":"assistant","content":"b","refusal":null,"annotations":[],"tool_calls":null},{"role":"user","content":"c"}]}`), &got)
}

func TestOtherRefusals(t *testing.T) {
	var log bytes.Buffer
	s, base := serve(t, tiny(), Options{Key: "sk-secret", MaxBody: 1000,
		Log: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))})
	for _, c := range []struct {
		method, path, key, kind, body string
		status                        int
		code                          string
	}{
		{"GET", "/models", "", "", "", 401, "invalid_api_key"},
		{"GET", "/models", "Bearer sk-wrong", "", "", 401, "invalid_api_key"},
		{"GET", "/models", "sk-secret", "", "", 401, "invalid_api_key"},
		{"GET", "/models", "Bearer sk-secret", "", "", 200, ""},
		{"GET", "/models/tiny", "Bearer sk-secret", "", "", 200, ""},
		{"GET", "/models/other", "Bearer sk-secret", "", "", 404, "model_not_found"},
		{"POST", "/models", "Bearer sk-secret", "", "", 405, "method_not_supported"},
		{"GET", "/health", "", "", "", 200, ""},
		{"GET", "/tokenizer_info", "Bearer sk-secret", "", "", 200, ""},
		{"GET", "/completions", "Bearer sk-secret", "", "", 405, "method_not_supported"},
		{"POST", "/nowhere", "Bearer sk-secret", "application/json", "{}", 404, "unknown_url"},
		{"POST", "/completions", "Bearer sk-secret", "text/plain", "{}", 415, "unsupported_media_type"},
		{"POST", "/completions", "Bearer sk-secret", "application/json; charset=utf-8", `{"model":"other","prompt":"a"}`, 404,
			"model_not_found"},
		{"POST", "/completions", "Bearer sk-secret", "application/json", `{"prompt":"` + strings.Repeat("a", 1000) + `"}`,
			413, "request_too_large"},
	} {
		req, err := http.NewRequest(c.method, base+c.path, strings.NewReader(c.body))
		if err != nil {
			t.Fatal(err)
		}
		if c.key != "" {
			req.Header.Set("Authorization", c.key)
		}
		req.Header.Set("Content-Type", c.kind)
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		b, _ := io.ReadAll(resp.Body)
		resp.Body.Close()
		if resp.StatusCode != c.status || !strings.Contains(string(b), c.code) {
			t.Errorf("%s %s: %d %s, want %d %s", c.method, c.path, resp.StatusCode, b, c.status, c.code)
		}
		if strings.Contains(string(b), "sk-") {
			t.Errorf("%s %s shows a key: %s", c.method, c.path, b)
		}
	}
	if s.Close(); strings.Contains(log.String(), "sk-") || strings.Count(log.String(), "msg=request") != 14 {
		t.Errorf("log:\n%s", log.String())
	}
	s.engine = newScheduler(s.m, 1, 1) // for the cleanup to close
}

// FuzzRequest sends any body to any endpoint: it is answered, or refused with a 400 or 404, and never a crash.
func FuzzRequest(f *testing.F) {
	paths := []string{"/chat/completions", "/completions", "/embeddings", "/tokenize", "/detokenize"}
	for _, c := range refusals {
		f.Add(uint8(slices.Index(paths, "/"+c.path)), []byte(expand(c.body)))
	}
	f.Add(uint8(1),
		[]byte(`{"model":"tiny","prompt":[1,2,3],"echo":true,"logprobs":3,"max_tokens":0,"stream":true,"stream_options":{"include_usage":true}}`))
	s := New(mustOpen(16), Options{ID: "tiny", Lanes: 1})
	f.Fuzz(func(t *testing.T, endpoint uint8, body []byte) {
		w := httptest.NewRecorder()
		r := httptest.NewRequest(http.MethodPost, paths[int(endpoint)%len(paths)], bytes.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		s.ServeHTTP(w, r)
		switch w.Code {
		case http.StatusOK:
			if strings.HasPrefix(w.Header().Get("Content-Type"), "text/event-stream") {
				return
			}
		case http.StatusBadRequest, http.StatusNotFound:
		default:
			t.Fatalf("%d %s", w.Code, w.Body)
		}
		if !json.Valid(w.Body.Bytes()) {
			t.Fatalf("the answer is no JSON: %s", w.Body)
		}
	})
}
