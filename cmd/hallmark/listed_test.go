package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync/atomic"
	"testing"

	"hallmark/internal/base/exit"
	"hallmark/internal/metric/posterior/language"
	"hallmark/internal/metric/posterior/predictive"
	"hallmark/internal/model"
	"hallmark/internal/model/endpoint"
	"hallmark/internal/model/local"
	"hallmark/internal/model/pocket"
)

// chatUrn is a chat endpoint with a known belief: it counts the labels of the message. Of an answer's first token it
// lists " red" and "red", " blue" and " green", together .95 of the mass, for it has 5 % on tokens that it does not
// list; top says how many it lists at most, window the tokens that it takes.
func chatUrn(top, window int) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var req struct {
			Messages    []struct{ Role, Content string }
			MaxTokens   int `json:"max_tokens"`
			Seed        int64
			LogProbs    bool `json:"logprobs"`
			TopLogProbs int  `json:"top_logprobs"`
		}
		if r.URL.Path == "/v1/models" {
			fmt.Fprintf(w, `{"data": [{"id": "m", "max_model_len": %d}]}`, window)
			return
		}
		if err := json.NewDecoder(r.Body).Decode(&req); r.URL.Path != "/v1/chat/completions" || err != nil ||
			len(req.Messages) == 0 {
			http.Error(w, `{"error": {"message": "no such endpoint"}}`, http.StatusBadRequest)
			return
		}
		if req.TopLogProbs > top || req.LogProbs && top == 0 {
			http.Error(w, `{"error": {"message": "top_logprobs is too large", "param": "top_logprobs"}}`, http.StatusBadRequest)
			return
		}
		text := req.Messages[len(req.Messages)-1].Content
		red, blue := 1+strings.Count(text, "\nLabel: red\n\n"), 1+strings.Count(text, "\nLabel: blue\n\n")
		p := float64(red) / float64(red+blue)
		answer := "red"
		if req.MaxTokens > 1 { // a pair
			label := "red"
			if rand.New(rand.NewPCG(uint64(req.Seed), 1)).Float64() >= p {
				label = "blue"
			}
			answer = "Input: something\nLabel: " + label
		}
		var list []string
		if req.TopLogProbs > 0 {
			for token, share := range map[string]float64{" red": .6 * p, "red": .3 * p, " blue": .9 * (1 - p), " green": .05} {
				list = append(list, fmt.Sprintf(`{"token": %q, "logprob": %v}`, token, math.Log(share)))
			}
		}
		content, _ := json.Marshal(answer)
		fmt.Fprintf(w,
			`{"choices": [{"message": {"role": "assistant", "content": %s}, "finish_reason": "stop", "logprobs": {"content": [{"token": %s, "logprob": %v, "top_logprobs": [%s]}]}}]}`,
			content, content, math.Log(.3*p), strings.Join(list, ","))
	})
}

const urnRows = `{"input": "a", "label": "red"}
{"input": "b", "label": "red"}
{"input": "c", "label": "blue"}
{"input": "d"}
`

// analyzed runs analyze posterior on urnRows and returns its result, or fails unless the exit status is as wanted.
func analyzed(t *testing.T, code int, args ...string) (language.Result, string) {
	t.Helper()
	if err := os.WriteFile("rows.jsonl", []byte(urnRows), 0o644); err != nil {
		t.Fatal(err)
	}
	var out, messages bytes.Buffer
	if got := hallmark(append([]string{"analyze", "posterior", "rows.jsonl", "--quiet"}, args...), strings.NewReader(""),
		&out, &messages); got != code {
		t.Fatalf("exit %d, want %d: %s", got, code, messages.String())
	}
	var r language.Result
	if code == 0 {
		if err := json.Unmarshal(out.Bytes(), &r); err != nil {
			t.Fatal(err)
		}
	}
	return r, messages.String()
}

// The rate of a chat endpoint that lists its likeliest tokens is that of the distribution over labels and one bucket
// for the rest, and what was not listed bounds the right answer's probability.
func TestLabelsFromTopLogProbs(t *testing.T) {
	t.Chdir(t.TempDir())
	server := httptest.NewServer(chatUrn(20, 4096))
	defer server.Close()
	if err := os.WriteFile("true.jsonl", []byte("{\"input\": \"d\", \"gold\": \"red\"}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	const m, eps = 150, .3
	args := []string{"--model", server.URL + "/v1#m", "--eps", ".3", "--m", fmt.Sprint(m), "--top-p", "1", "--eval",
		"true.jsonl", "-j", "8"}
	r, _ := analyzed(t, 0, args...)
	at := func(red, n float64) predictive.Categorical {
		p := red / n
		return predictive.Categorical{.9 * p, .9 * (1 - p), 1 - .9}
	}
	// Of the 5 pairs s are red by the Beta-binomial of 3 and 2.
	var want float64
	for s := 0.; s <= 5; s++ {
		lb := func(a, b float64) float64 {
			x, _ := math.Lgamma(a)
			y, _ := math.Lgamma(b)
			z, _ := math.Lgamma(a + b)
			return x + y - z
		}
		c, _ := math.Lgamma(6)
		d, _ := math.Lgamma(s + 1)
		e, _ := math.Lgamma(6 - s)
		want += math.Exp(c-d-e+lb(3+s, 7-s)-lb(3, 2)) * at(3, 5).Unlikely(at(3+s, 10), eps)
	}
	if math.Abs(r.PHR.Value-want) > 4*r.StandardError.Outer || r.Redrawn != 0 {
		t.Errorf("rate %.4f, want %.4f within four standard errors of %.4f; %d drawn again", r.PHR.Value, want,
			r.StandardError.Outer, r.Redrawn)
	}
	near := func(name string, got, want float64) {
		if math.Abs(got-want) > 1e-9 {
			t.Errorf("%s is %g, want %g", name, got, want)
		}
	}
	near("the unlisted mass", *r.UnlistedMass, .05)
	near("the least of the right answer", r.GoldMass.Lo, .54)
	near("the most of it", r.GoldMass.Hi, .59)
	near("the error", r.ErrorRate.Value, .46)
	near("the mass of others", *r.OtherMass, .1)
	near("the order's weight", *r.Exchangeability, 0)
	if all := strings.Join(r.Warnings, "\n"); !strings.Contains(all, "20 likeliest tokens") &&
		!strings.Contains(all, "4 likeliest tokens") || !strings.Contains(all, "the model takes turns") {
		t.Errorf("warnings %q", r.Warnings)
	}
}

// Without any log-probabilities, and where drawn answers would have to be scored, it says so and asks for nothing.
func TestNoLogProbs(t *testing.T) {
	t.Chdir(t.TempDir())
	server := httptest.NewServer(chatUrn(0, 4096))
	defer server.Close()
	if _, said := analyzed(t, exit.Mistake, "--model", server.URL+"/v1#m"); !strings.Contains(said,
		"gives no log-probabilities, neither of a given text nor of the tokens") {
		t.Errorf("%s", said)
	}
	listing := httptest.NewServer(chatUrn(5, 4096))
	defer listing.Close()
	if _, said := analyzed(t, exit.Mistake, "--model", listing.URL+"/v1#m", "--estimator",
		"published"); !strings.Contains(said, "the model only lists the likeliest tokens") {
		t.Errorf("%s", said)
	}
}

// servedPocket is the built-in model behind a server that shows path and body of every request to admit, and has no
// such endpoint where that says no.
func servedPocket(t *testing.T, admit func(path string, body []byte) bool) *httptest.Server {
	m, err := local.Open(pocket.Weights(), "pocket")
	if err != nil {
		t.Fatal(err)
	}
	served := endpoint.New(m, endpoint.Options{ID: "pocket"})
	t.Cleanup(func() { served.Close() })
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(body))
		if !admit(r.URL.Path, body) {
			http.Error(w, `{"error": {"message": "no such endpoint"}}`, http.StatusNotFound)
			return
		}
		served.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	return server
}

// Labels that begin with one token are refused before anything is drawn where a server shows its tokens.
func TestServedLabelsAlike(t *testing.T) {
	t.Chdir(t.TempDir())
	var drawn atomic.Bool
	server := servedPocket(t, func(_ string, body []byte) bool {
		if bytes.Contains(body, []byte(`Input: a`)) {
			drawn.Store(true)
		}
		return true
	})
	args := []string{"--model", server.URL + "/v1#pocket", "--api", "completions", "--estimator", "published", "--m", "2",
		"--k", "2", "--extend", "1"}
	if _, said := analyzed(t, exit.Mistake, append(args, "--labels", "redx,redy")...); !strings.Contains(said,
		`labels "redx" and "redy" begin with the same token`) || drawn.Load() {
		t.Errorf("drawn %v: %s", drawn.Load(), said)
	}
	if r, _ := analyzed(t, 0, args...); r.N != 1 || !drawn.Load() {
		t.Errorf("drawn %v: %+v", drawn.Load(), r)
	}
}

// A context longer than the window that a server tells is refused, by an estimate, before anything is asked.
func TestServedWindow(t *testing.T) {
	t.Chdir(t.TempDir())
	server := httptest.NewServer(chatUrn(20, 40))
	defer server.Close()
	_, said := analyzed(t, exit.Mistake, "--model", server.URL+"/v1#m")
	// Pairs of 21, 21 and 22 bytes are 16 tokens, 5 more of at most 6 are 30, the query's 15 bytes are 4.
	if want := "the longest prompt may have 50 tokens at 4 bytes a token, but the model takes 40"; !strings.Contains(said,
		want) {
		t.Errorf("%swant %s", said, want)
	}
}

// The built-in model behind the chat endpoint alone: what it gives the right answer in process lies within the bounds.
// It was made to answer questions and not to write pairs in a turn, so no extension need be had, and the status is 0 or
// 3.
func TestListedOfServedModel(t *testing.T) {
	t.Chdir(t.TempDir())
	rows := "{\"input\": \"bread meat good\", \"label\": \"red\"}\n{\"input\": \"pig dog some\", \"label\": \"blue\"}\n{\"input\": \"egg the rice\"}\n"
	prompt := "Input: bread meat good\nLabel: red\n\nInput: pig dog some\nLabel: blue\n\nInput: egg the rice\nLabel:"
	systems := make(chan string, 1)
	server := servedPocket(t, func(path string, body []byte) bool {
		var req struct {
			Messages []struct{ Role, Content string }
		}
		if json.Unmarshal(body, &req) == nil && len(req.Messages) == 2 && req.Messages[1].Content == prompt {
			select {
			case systems <- req.Messages[0].Content:
			default:
			}
		}
		return path != "/v1/completions"
	})
	for name, text := range map[string]string{"true.jsonl": "{\"input\": \"egg the rice\", \"gold\": \"red\"}\n",
		"rows.jsonl": rows} {
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	var out, messages bytes.Buffer
	code := hallmark([]string{"analyze", "posterior", "rows.jsonl", "--quiet", "--model", server.URL + "/v1#pocket",
		"--eval", "true.jsonl", "--m", "2", "--extend", "1"}, strings.NewReader(""), &out, &messages)
	if code != 0 && code != exit.Unscored {
		t.Fatalf("exit %d: %s", code, messages.String())
	}
	var r language.Result
	if err := json.Unmarshal(out.Bytes(), &r); err != nil {
		t.Fatal(err)
	}
	m, err := local.Open(pocket.Weights(), "pocket")
	if err != nil {
		t.Fatal(err)
	}
	scored, err := m.Generate(context.Background(), model.Request{System: <-systems, Prompt: prompt,
		Options: []string{"red"}})
	if err != nil {
		t.Fatal(err)
	}
	p := math.Exp(scored.Options[0].Sum())
	b := r.PerQuery[0].GoldMass
	if b == nil || p > b.Hi+1e-9 || b.Lo > b.Hi || b.Hi > 1 || b.Hi-b.Lo > *r.PerQuery[0].UnlistedMass+1e-9 ||
		*r.PerQuery[0].UnlistedMass > .9 {
		t.Errorf("in process p(red) is %g; through the server %+v with %v unlisted", p, b, r.PerQuery[0].UnlistedMass)
	}
}
