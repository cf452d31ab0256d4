// Package stub is an OpenAI-compatible and Anthropic server that runs in memory, for tests and measurements. It answers
// by a hash of the prompt, so the same request gets the same answer on every machine, and it fails on request in the
// ways that servers fail in the field: see Fault.
package stub

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"hallmark/internal/base/seed"
)

// Options say how the server behaves. The zero Options answer everything at once.
type Options struct {
	Latency time.Duration // wait before each answer
	// Answer gives the text for a prompt; nil answers by hash. The prompt is the text of all turns, joined by newlines.
	Answer func(prompt string) string
	// Script is the fault of the first, second, … POST request; "" is none. After its end, Rates are drawn.
	Script []Fault
	Rates  map[Fault]float64 // probability of each fault, by the number of the request
	Seed   uint64            // of the draws of Rates

	Key   string // the key that requests must carry; "" takes any
	Model string // the only model there is; "" takes any
	Says  string // the name in every answer; "" is the one that was asked for
	// Refuse lists what the server answers with 400, by parameter: temperature, max_tokens, seed, logprobs, or
	// "max_tokens=0", "prompt list", "prompt_logprobs", "echo".
	Refuse []string
	// Ignore lists parameters that the server overlooks: echo, logprobs, prompt_logprobs.
	Ignore         []string
	NoCompletions  bool   // no /v1/completions
	MaxTopLogProbs int    // most alternatives; 0 is 20
	ContextTokens  int    // told by /v1/models; 0 tells none
	BOS            string // a begin mark before the prompt in echoed tokens, as vLLM shows it
	// Offsets is the unit of text_offset: "" runes, "bytes", or "none" for -1 everywhere, as SGLang writes it.
	Offsets string
	// Record keeps the requests for Seen.
	Record bool
}

// A Seen is one request as it came.
type Seen struct {
	Path   string
	Header http.Header
	Body   map[string]any
}

// A Server is an http.Handler. It is safe for concurrent use.
type Server struct {
	o        Options
	requests atomic.Int64
	tokens   atomic.Int64
	mu       sync.Mutex
	seen     []Seen
}

// New returns a server.
func New(o Options) *Server {
	if o.MaxTopLogProbs == 0 {
		o.MaxTopLogProbs = 20
	}
	return &Server{o: o}
}

// Requests returns the number of POST requests so far.
func (s *Server) Requests() int { return int(s.requests.Load()) }

// Tokens returns the tokens that all answers so far took, prompts and answers, also those that were spoiled on
// their way.
func (s *Server) Tokens() int { return int(s.tokens.Load()) }

// Seen returns the requests so far, where Options.Record is set.
func (s *Server) Seen() []Seen {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.seen)
}

// request is the union of the bodies of all endpoints.
type request struct {
	Model               string          `json:"model"`
	System              string          `json:"system"` // Anthropic
	Messages            []message       `json:"messages"`
	Prompt              json.RawMessage `json:"prompt"`
	MaxTokens           *int            `json:"max_tokens"`
	MaxCompletionTokens *int            `json:"max_completion_tokens"`
	Temperature         *float64        `json:"temperature"`
	Seed                *int64          `json:"seed"`
	Stop                []string        `json:"stop"`
	StopSequences       []string        `json:"stop_sequences"`
	Echo                bool            `json:"echo"`
	LogProbs            json.RawMessage `json:"logprobs"` // a bool for chat, a number for completions
	TopLogProbs         int             `json:"top_logprobs"`
	PromptLogProbs      *int            `json:"prompt_logprobs"`
}

type message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

// ServeHTTP answers /v1/chat/completions, /v1/completions, /v1/messages and /v1/models; the /v1 may be missing.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	path := strings.TrimPrefix(r.URL.Path, "/v1")
	if path == "/models" && r.Method == http.MethodGet {
		s.models(w)
		return
	}
	if r.Method != http.MethodPost {
		refuse(w, http.StatusMethodNotAllowed, "", "", "POST only")
		return
	}
	n := int(s.requests.Add(1)) - 1
	body, err := io.ReadAll(io.LimitReader(r.Body, 64<<20))
	if err != nil {
		return
	}
	var req request
	if err := json.Unmarshal(body, &req); err != nil {
		refuse(w, http.StatusBadRequest, "", "", "body is no JSON: "+err.Error())
		return
	}
	if s.o.Record {
		var m map[string]any
		_ = json.Unmarshal(body, &m) // it parsed just above
		s.mu.Lock()
		s.seen = append(s.seen, Seen{path, r.Header.Clone(), m})
		s.mu.Unlock()
	}
	if s.o.Latency > 0 {
		select {
		case <-time.After(s.o.Latency):
		case <-r.Context().Done():
			return
		}
	}
	key := r.Header.Get("x-api-key")
	if key == "" {
		key = strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
	}
	if s.o.Key != "" && key != s.o.Key {
		refuse(w, http.StatusUnauthorized, "invalid_api_key", "", "Incorrect API key provided: "+key)
		return
	}
	if s.o.Model != "" && req.Model != s.o.Model {
		refuse(w, http.StatusNotFound, "model_not_found", "model",
			fmt.Sprintf("The model `%s` does not exist", req.Model))
		return
	}
	fault := s.fault(n)
	if fault.before(w, r, key) {
		return
	}
	if s.o.Says != "" {
		req.Model = s.o.Says
	}
	reply := map[string]func(request, Fault) (any, *refusal){"/chat/completions": s.chat,
		"/completions": s.completions, "/messages": s.anthropic}[path]
	if reply == nil || path == "/completions" && s.o.NoCompletions {
		http.NotFound(w, r)
		return
	}
	var answer any
	bad := s.refuses(req)
	if bad == nil {
		answer, bad = reply(req, fault)
	}
	if bad != nil {
		refuse(w, http.StatusBadRequest, bad.code, bad.param, bad.message)
		return
	}
	b, err := json.Marshal(answer)
	if err != nil {
		panic("stub: " + err.Error()) // no float here is NaN before fault.after
	}
	fault.after(w, b)
}

// fault returns the fault of request n.
func (s *Server) fault(n int) Fault {
	if n < len(s.o.Script) {
		return s.o.Script[n]
	}
	if len(s.o.Rates) == 0 {
		return None
	}
	u := seed.Stream(s.o.Seed, "stub", "fault", strconv.Itoa(n)).Float64()
	for _, f := range Faults {
		if u -= s.o.Rates[f]; u < 0 {
			return f
		}
	}
	return None
}

// A refusal is a 400.
type refusal struct{ code, param, message string }

func (s *Server) refuses(req request) *refusal {
	maxTokens := req.MaxTokens
	sent := map[string]bool{
		"temperature":     req.Temperature != nil && *req.Temperature != 1,
		"max_tokens":      maxTokens != nil,
		"max_tokens=0":    maxTokens != nil && *maxTokens == 0,
		"seed":            req.Seed != nil,
		"logprobs":        len(req.LogProbs) > 0 && string(req.LogProbs) != "false",
		"prompt_logprobs": req.PromptLogProbs != nil,
		"prompt list":     len(req.Prompt) > 0 && req.Prompt[0] == '[',
		"echo":            req.Echo,
	}
	for _, p := range s.o.Refuse {
		if !sent[p] {
			continue
		}
		param, _, _ := strings.Cut(p, "=")
		param, _, _ = strings.Cut(param, " ")
		msg := fmt.Sprintf("Unsupported parameter: '%s' is not supported with this model.", param)
		if p == "max_tokens" {
			msg += " Use 'max_completion_tokens' instead."
		}
		return &refusal{"unsupported_parameter", param, msg}
	}
	if s.o.ignores("logprobs") {
		return nil
	}
	if n := max(req.TopLogProbs, number(req.LogProbs)); n > s.o.MaxTopLogProbs {
		return &refusal{"invalid_value", "top_logprobs", fmt.Sprintf("at most %d logprobs", s.o.MaxTopLogProbs)}
	}
	return nil
}

func (o *Options) ignores(p string) bool { return slices.Contains(o.Ignore, p) }

func number(raw json.RawMessage) int {
	var n int
	_ = json.Unmarshal(raw, &n) // a bool is no number and counts as 0
	return n
}

func refuse(w http.ResponseWriter, status int, code, param, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]any{"error": map[string]any{ // the client may be gone
		"message": message, "type": "invalid_request_error", "code": code, "param": param}})
}

func joined(system string, messages []message) string {
	var parts []string
	if system != "" {
		parts = append(parts, system)
	}
	for _, m := range messages {
		parts = append(parts, m.Content)
	}
	return strings.Join(parts, "\n")
}

var words = strings.Fields("amber birch cedar delta ember fjord grove heron iris jade kestrel larch maple nectar " +
	"opal pine quartz river slate thyme")

// generate returns the tokens of the answer and the reason of its end.
func (s *Server) generate(prompt string, req request, limit *int) (tokens []string, finish string) {
	name := []string{"stub", "answer", prompt}
	if req.Temperature != nil && *req.Temperature > 0 && req.Seed != nil {
		name = append(name, strconv.FormatInt(*req.Seed, 10))
	}
	var text string
	if s.o.Answer != nil {
		text = s.o.Answer(prompt)
	} else {
		r := seed.Stream(1, name...)
		var answer []string
		for range 1 + r.IntN(5) {
			answer = append(answer, words[r.IntN(len(words))])
		}
		text = strings.Join(answer, " ")
	}
	for _, stop := range req.Stop {
		if before, _, found := strings.Cut(text, stop); found && stop != "" {
			text = before
		}
	}
	tokens, finish = tokenize(text), "stop"
	if limit != nil && len(tokens) > max(*limit, 0) {
		tokens, finish = tokens[:max(*limit, 0)], "length"
	}
	return tokens, finish
}

// tokenize splits text into words, each with the white space before it; trailing space is a token of its own. So a
// word that follows a prompt ending in a space shares its token with that space, as it does with real vocabularies.
func tokenize(text string) []string {
	var tokens []string
	start, inWord := 0, false
	for i, r := range text {
		space := r == ' ' || r == '\n' || r == '\t'
		if inWord && space {
			tokens, start = append(tokens, text[start:i]), i
		}
		inWord = !space
	}
	if start < len(text) {
		tokens = append(tokens, text[start:])
	}
	return tokens
}

// logProbs gives each token a log-probability in [-4, -0.001] that depends on it and all before it.
func logProbs(prefix string, tokens []string) []float64 {
	h := fnv.New64a()
	_, _ = io.WriteString(h, prefix)
	out := make([]float64, len(tokens))
	for i, t := range tokens {
		_, _ = io.WriteString(h, t)
		out[i] = -float64(1+h.Sum64()%4000) / 1000
	}
	return out
}

type alternative struct {
	text string
	lp   float64
}

// alternatives lists the token and k-1 less likely ones.
func alternatives(token string, lp float64, k int) []alternative {
	out := []alternative{{token, lp}}
	for i := 1; i < k; i++ {
		out = append(out, alternative{" " + words[i%len(words)] + strconv.Itoa(i),
			math.Round((lp-float64(i))*1000) / 1000})
	}
	return out[:max(k, 0)]
}
