package endpoint

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"hallmark/internal/model"
)

// A parrot answers with what it was asked, as JSON, and gives an account of it.
type parrot struct {
	answer func(model.Request) (model.Response, error)
}

func (p *parrot) Identity() string { return "parrot@1" }

func (p *parrot) Generate(_ context.Context, req model.Request) (model.Response, error) {
	if p.answer != nil {
		return p.answer(req)
	}
	b, err := json.Marshal(req)
	text := string(b)
	return model.Response{Text: &text, Finish: model.FinishStop, Usage: model.Usage{PromptTokens: 4, CompletionTokens: 3},
		Raw: []byte(`{"act":"passed"}`)}, err
}

func proxyServer(t *testing.T, p *parrot, o Options) *httptest.Server {
	t.Helper()
	o.ID = "bird"
	s := NewProxy(p, "guard", o)
	server := httptest.NewServer(s)
	t.Cleanup(func() { server.Close(); s.Close() })
	return server
}

func postTo(t *testing.T, server *httptest.Server, path, body string) (int, http.Header, string) {
	t.Helper()
	resp, err := http.Post(server.URL+path, "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, resp.Header, string(b)
}

func TestProxyChat(t *testing.T) {
	server := proxyServer(t, &parrot{}, Options{})
	status, header, body := postTo(t, server, "/v1/chat/completions",
		`{"model": "bird", "temperature": 0, "max_tokens": 9, "stop": "x", "messages": [
		{"role": "system", "content": "Be brief."}, {"role": "developer", "content": "And kind."}, {"role": "user", "content": "Hello"},
		{"role": "assistant", "content": "Hi"}, {"role": "user", "content": "Who?"}]}`)
	var got struct {
		Object  string
		Model   string
		Choices []struct {
			Message struct{ Role, Content string }
			Finish  string `json:"finish_reason"`
		}
		Usage map[string]int
		Guard map[string]string
	}
	if err := json.Unmarshal([]byte(body), &got); err != nil || status != 200 {
		t.Fatal(status, body, err)
	}
	want := `{"system":"Be brief.\n\nAnd kind.","messages":[{"role":"user","text":"Hello"},{"role":"assistant","text":"Hi"}],"prompt":"Who?","max_tokens":9,"temperature":0,"stop":["x"]}`
	if c := got.Choices[0]; c.Message.Content != want || c.Message.Role != "assistant" || c.Finish != "stop" ||
		got.Object != "chat.completion" || got.Model != "bird" {
		t.Errorf("%s", body)
	}
	if got.Usage["total_tokens"] != 7 || got.Guard["act"] != "passed" || header.Get(seedHeader) == "" {
		t.Errorf("%s", body)
	}
	// A draw has a seed, which the header tells.
	_, header, body = postTo(t, server, "/chat/completions",
		`{"model": "bird", "seed": 41, "top_p": 0.5, "messages": [{"role": "user", "content": "Who?"}]}`)
	if !strings.Contains(body, `\"temperature\":1,\"top_p\":0.5,\"seed\":41`) || header.Get(seedHeader) != "41" {
		t.Errorf("%s %v", body, header)
	}
}

func TestProxyStream(t *testing.T) {
	long := strings.Repeat("añ字 ", 60)
	server := proxyServer(t, &parrot{answer: func(model.Request) (model.Response, error) {
		return model.Response{Text: &long, Raw: []byte(`{"act":"passed"}`)}, nil
	}}, Options{})
	status, header, body := postTo(t, server, "/v1/chat/completions",
		`{"model": "bird", "stream": true, "stream_options": {"include_usage": true}, "messages": [{"role": "user", "content": "Who?"}]}`)
	if status != 200 || !strings.HasPrefix(header.Get("Content-Type"), "text/event-stream") {
		t.Fatal(status, header)
	}
	var text strings.Builder
	var events []string
	guard, parts, ended := false, 0, false
	for lines := bufio.NewScanner(strings.NewReader(body)); lines.Scan(); {
		data, ok := strings.CutPrefix(lines.Text(), "data: ")
		if !ok {
			continue
		}
		events = append(events, data)
		if data == "[DONE]" {
			ended = true
			continue
		}
		var e struct {
			Choices []struct {
				Delta  struct{ Content string }
				Finish *string `json:"finish_reason"`
			}
			Guard *map[string]string
			Usage *map[string]int
		}
		if err := json.Unmarshal([]byte(data), &e); err != nil {
			t.Fatalf("%v: %s", err, data)
		}
		for _, c := range e.Choices {
			text.WriteString(c.Delta.Content)
			parts++
			if (c.Finish != nil) != (e.Guard != nil) {
				t.Errorf("the account stands in the last event: %s", data)
			}
			guard = guard || e.Guard != nil
		}
	}
	if text.String() != long || !guard || !ended || parts < 5 || !strings.Contains(events[len(events)-2], `"usage":{`) {
		t.Errorf("%d parts, ended %v: %q", parts, ended, text.String())
	}
}

func TestProxyProblems(t *testing.T) {
	fails := map[string]error{
		"limited": &model.Transient{Limited: true, After: 3 * time.Second, Err: errors.New("slow down, secret-host")},
		"gone":    fmt.Errorf("secret-host: %w", model.ErrGone),
		"long":    fmt.Errorf("5,000 tokens: %w", model.ErrTooLong),
		"busy":    fmt.Errorf("secret-host: %w", model.ErrTransient), "final": errors.New("the context\nis too long"),
		"panics": nil, "null": nil,
		"named": errors.New("https://secret-host:8443/v1 answered with status 101"),
	}
	server := proxyServer(t, &parrot{answer: func(r model.Request) (model.Response, error) {
		switch r.Prompt {
		case "panics":
			panic("broken")
		case "null":
			return model.Response{}, nil
		}
		return model.Response{}, fails[r.Prompt]
	}}, Options{MaxBody: 1000})
	ask := func(prompt string) string {
		return fmt.Sprintf(`{"model": "bird", "messages": [{"role": "user", "content": %q}]}`, prompt)
	}
	for _, tt := range []struct {
		path, body string
		status     int
		want       string
	}{
		{"/v1/chat/completions", ask("limited"), 429, "rate_limit_exceeded"},
		{"/v1/chat/completions", ask("gone"), 502, "upstream_unavailable"},
		{"/v1/chat/completions", ask("busy"), 502, "upstream_unavailable"},
		{"/v1/chat/completions", ask("long"), 400, `"context_length_exceeded"`},
		{"/v1/chat/completions", ask("final"), 502, "The model refused or failed: the context is too long"},
		{"/v1/chat/completions", ask("named"), 502, "The model refused or failed: (the model's server) answered with " +
			"status 101"},
		{"/v1/chat/completions", ask("panics"), 500, "The model failed on this request."},
		{"/v1/chat/completions", ask("null"), 502, "no_text"},
		{"/v1/chat/completions", `{"model": "cat", "messages": [{"role": "user", "content": "x"}]}`, 404, "model_not_found"},
		{"/v1/chat/completions", `{"model": "bird", "n": 2, "messages": [{"role": "user", "content": "x"}]}`, 400,
			`"param":"n"`},
		{"/v1/chat/completions", `{"model": "bird", "logprobs": true, "messages": [{"role": "user", "content": "x"}]}`, 400,
			`"param":"logprobs"`},
		{"/v1/chat/completions", `{"model": "bird", "tools": [{}], "messages": [{"role": "user", "content": "x"}]}`, 400,
			`"param":"tools"`},
		{"/v1/chat/completions", `{"model": "bird", "wat": 1, "messages": [{"role": "user", "content": "x"}]}`, 400,
			"unknown_parameter"},
		{"/v1/chat/completions", `{"model": "bird"}`, 400, `"param":"messages"`},
		{"/v1/chat/completions", `{`, 400, "invalid_value"},
		{"/v1/chat/completions", ask(strings.Repeat("x", 2000)), 413, "request_too_large"},
		{"/v1/completions", `{}`, 404, "There are /v1/chat/completions, /v1/models and /health."},
		{"/v1/embeddings", `{}`, 404, "unknown_url"},
		{"/tokenize", `{}`, 404, "unknown_url"},
	} {
		status, header, body := postTo(t, server, tt.path, tt.body)
		if status != tt.status || !strings.Contains(body, tt.want) {
			t.Errorf("%s %s: %d %s, want %d with %s", tt.path, tt.body[:min(len(tt.body), 80)], status, body, tt.status, tt.want)
		}
		if strings.Contains(body, "secret-host") {
			t.Errorf("the answer tells of the server behind: %s", body)
		}
		if after := header.Get("Retry-After"); (status == 429) != (after == "3") {
			t.Errorf("%s: Retry-After %q", tt.want, after)
		}
	}
	for path, want := range map[string]string{"/v1/models": `"root":"parrot@1"`, "/v1/models/bird": `"id":"bird"`,
		"/health": `"ok"`} {
		resp, err := http.Get(server.URL + path)
		if err != nil {
			t.Fatal(err)
		}
		b, _ := io.ReadAll(resp.Body)
		resp.Body.Close()
		if resp.StatusCode != 200 || !strings.Contains(string(b), want) {
			t.Errorf("%s: %d %s", path, resp.StatusCode, b)
		}
	}
}

// What is more than the server takes at a time is told to come again, and a key is asked for.
func TestProxyLimits(t *testing.T) {
	hold, held := make(chan struct{}), make(chan struct{})
	server := proxyServer(t, &parrot{answer: func(r model.Request) (model.Response, error) {
		held <- struct{}{}
		<-hold
		text := "late"
		return model.Response{Text: &text}, nil
	}}, Options{Requests: 1})
	body := `{"model": "bird", "messages": [{"role": "user", "content": "x"}]}`
	first := make(chan string)
	go func() {
		resp, err := http.Post(server.URL+"/v1/chat/completions", "application/json", strings.NewReader(body))
		if err != nil {
			first <- err.Error()
			return
		}
		defer resp.Body.Close()
		b, _ := io.ReadAll(resp.Body)
		first <- string(b)
	}()
	<-held
	if status, _, answer := postTo(t, server, "/v1/chat/completions", body); status != 429 {
		t.Errorf("%d %s", status, answer)
	}
	close(hold)
	if answer := <-first; !strings.Contains(answer, "late") || strings.Contains(answer, `"guard"`) {
		t.Errorf("%s", answer) // and there is no account where the model gives none
	}
	locked := proxyServer(t, &parrot{}, Options{Key: "k"})
	if status, _, answer := postTo(t, locked, "/v1/chat/completions", body); status != 401 {
		t.Errorf("%d %s", status, answer)
	}
}
