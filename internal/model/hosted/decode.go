package hosted

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"hallmark/internal/base/jsonl"
	"hallmark/internal/model"
)

// decode reads a body into v. A body that is cut, empty or no JSON is transient, as a proxy or a dying server sends
// such; NaN and Infinity, which Python servers write though JSON has neither, wrong types and keys that are there
// twice are final.
func decode(body []byte, v any) error {
	err := json.Unmarshal(body, v)
	var syntax *json.SyntaxError
	var shape *json.UnmarshalTypeError
	switch {
	case err == nil:
		if err = jsonl.Strict(body, false); err == nil {
			return nil
		}
	case errors.As(err, &syntax):
		if at := int(syntax.Offset) - 1; at >= 0 && at < len(body) {
			for _, literal := range []string{"NaN", "Infinity"} {
				if bytes.HasPrefix(body[at:], []byte(literal)) {
					return fmt.Errorf(
						"response holds %s, which is no number: the server's log-probabilities cannot be used", literal)
				}
			}
		}
		return &model.Transient{Err: fmt.Errorf("response is no whole JSON document (%v): %s", syntax,
			model.Excerpt(string(body)))}
	case errors.As(err, &shape) && shape.Field == "":
		return fmt.Errorf("response is a JSON %s: want an object", shape.Value)
	case errors.As(err, &shape):
		return fmt.Errorf("response has a %s for %q: want %v", shape.Value, model.Excerpt(shape.Field),
			jsonl.Kind(shape.Type))
	}
	return fmt.Errorf("response cannot be used: %w", err)
}

// A logProb is a log-probability in nats, or nil where the server had none.
type logProb struct{ v *float64 }

func (l *logProb) UnmarshalJSON(b []byte) error {
	if string(b) == "null" {
		return nil
	}
	var v float64
	if err := json.Unmarshal(b, &v); err != nil {
		return fmt.Errorf("log-probability %s is no number", model.Excerpt(string(b)))
	}
	// Servers compute in single precision or less, so a certain token may come out just above 0.
	const rounding = 1e-3
	if v > rounding {
		return fmt.Errorf("log-probability %v is above 0", v)
	}
	l.v = new(min(v, 0))
	return nil
}

// content is a message's text: a string, null, or a list of parts of which those of type text count.
type content struct{ text *string }

func (c *content) UnmarshalJSON(b []byte) error {
	if len(b) == 0 || b[0] != '[' {
		return json.Unmarshal(b, &c.text)
	}
	var parts []struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	if err := json.Unmarshal(b, &parts); err != nil {
		return err
	}
	for _, p := range parts {
		if p.Type == "text" {
			c.text = new(*cmp.Or(c.text, new(string)) + p.Text)
		}
	}
	return nil
}

// name is the name of a model in a response; "" where it is missing, or no text.
type name string

func (n *name) UnmarshalJSON(b []byte) error {
	var s string
	_ = json.Unmarshal(b, &s) // a response is not worth less without it
	*n = name(s)
	return nil
}

// tokenUsage counts tokens in the words of either API. A count that is missing, no whole number, or more than an
// answer can have is nil.
type tokenUsage struct{ in, out *int }

func (u *tokenUsage) UnmarshalJSON(b []byte) error {
	var f map[string]json.RawMessage
	if json.Unmarshal(b, &f) != nil {
		return nil // no object: as good as missing
	}
	count := func(names ...string) *int {
		for _, name := range names {
			var n *int
			if json.Unmarshal(f[name], &n) == nil && n != nil && (model.Usage{PromptTokens: *n}).Plausible() {
				return n
			}
		}
		return nil
	}
	u.in, u.out = count("prompt_tokens", "input_tokens"), count("completion_tokens", "output_tokens")
	return nil
}

// of returns the usage of a request, estimated where the server did not count.
func (u tokenUsage) of(prompt, answer int) model.Usage {
	if u.in != nil && u.out != nil {
		return model.Usage{PromptTokens: *u.in, CompletionTokens: *u.out}
	}
	return model.EstimatedUsage(prompt, answer)
}

// finish returns the finish reason in the words of package model, or the server's own, bounded.
func finish(reason string) string {
	switch reason {
	case "stop", "eos", "eos_token", "end_turn", "stop_sequence":
		return model.FinishStop
	case "length", "max_tokens", "model_length", "model_context_window_exceeded":
		return model.FinishLength
	case "content_filter", "refusal", "safety":
		return model.FinishContentFilter
	}
	return reason
}

// chatLogProbs are the log-probabilities of a chat answer; llama-server writes them for completions, too.
type chatLogProbs struct {
	Content []struct {
		Token   string  `json:"token"`
		LogProb logProb `json:"logprob"`
		Top     []struct {
			Token   string  `json:"token"`
			LogProb logProb `json:"logprob"`
		} `json:"top_logprobs"`
	} `json:"content"`
}

// logProbs are the log-probabilities of an answer in either shape.
type logProbs interface {
	check() error
	tokens(k int) []model.Token
}

// answered fills in the tokens of an answer, where they were asked for and l is not nil, and its usage.
func answered(out model.Response, l logProbs, req model.Request, u tokenUsage) (model.Response, error) {
	text := *cmp.Or(out.Text, new(string))
	if l != nil && (req.LogProbs || req.TopLogProbs > 0) {
		if err := l.check(); err != nil {
			return model.Response{}, err
		}
		out.Tokens = l.tokens(req.TopLogProbs)
		if err := checkSpelling(out.Tokens, text); err != nil {
			return model.Response{}, err
		}
	}
	out.Usage = u.of(req.Size(), len(text))
	return out, nil
}

// maxTokens bounds the tokens of an answer that are read: each takes some 2 kB until it is stored.
const maxTokens = 1 << 17

// check reports more tokens than are read.
func (l *chatLogProbs) check() error {
	if n := len(l.Content); n > maxTokens {
		return fmt.Errorf("response lists %d tokens, and at most %d are read", n, maxTokens)
	}
	return nil
}

func (l *chatLogProbs) tokens(k int) []model.Token {
	tokens := make([]model.Token, len(l.Content))
	for i, c := range l.Content {
		tokens[i] = model.Token{Text: c.Token, LogProb: c.LogProb.v}
		for _, t := range c.Top {
			if t.LogProb.v != nil {
				tokens[i].Top = append(tokens[i].Top, model.TopToken{Text: t.Token, LogProb: *t.LogProb.v})
			}
		}
		tokens[i].Top = best(tokens[i].Top, k)
	}
	return tokens
}

// legacyLogProbs are the log-probabilities of /v1/completions: parallel arrays over the tokens.
type legacyLogProbs struct {
	Tokens        []string             `json:"tokens"`
	TokenLogProbs []logProb            `json:"token_logprobs"`
	TopLogProbs   []map[string]logProb `json:"top_logprobs"`
	TextOffset    []int                `json:"text_offset"`
	chatLogProbs
}

// check reports arrays that do not fit each other, as no value can then be given to a token.
func (l *legacyLogProbs) check() error {
	for _, a := range []struct {
		name string
		n    int
	}{{"token_logprobs", len(l.TokenLogProbs)}, {"top_logprobs", len(l.TopLogProbs)},
		{"text_offset", len(l.TextOffset)}} {
		if a.n != len(l.Tokens) && (a.n > 0 || a.name == "token_logprobs") {
			return fmt.Errorf("response lists %d tokens but %d %s", len(l.Tokens), a.n, a.name)
		}
	}
	if n := len(l.Tokens); n > maxTokens {
		return fmt.Errorf("response lists %d tokens, and at most %d are read", n, maxTokens)
	}
	return l.chatLogProbs.check()
}

func (l *legacyLogProbs) tokens(k int) []model.Token {
	if len(l.Tokens) == 0 {
		return l.chatLogProbs.tokens(k)
	}
	tokens := make([]model.Token, len(l.Tokens))
	for i, text := range l.Tokens {
		tokens[i] = model.Token{Text: text, LogProb: l.TokenLogProbs[i].v}
		if i < len(l.TopLogProbs) {
			for t, lp := range l.TopLogProbs[i] {
				if lp.v != nil {
					tokens[i].Top = append(tokens[i].Top, model.TopToken{Text: t, LogProb: *lp.v})
				}
			}
			tokens[i].Top = best(tokens[i].Top, k)
		}
	}
	return tokens
}

// best sorts by falling log-probability, ties by text, and keeps k.
func best(top []model.TopToken, k int) []model.TopToken {
	if k == 0 {
		return nil
	}
	slices.SortStableFunc(top, func(a, b model.TopToken) int {
		return cmp.Or(cmp.Compare(b.LogProb, a.LogProb), strings.Compare(a.Text, b.Text))
	})
	return top[:min(len(top), k)]
}

// checkSpelling reports tokens that cannot spell text: their visible characters are fewer. There may be more, of begin
// marks, of hidden reasoning and of characters that are split over tokens.
func checkSpelling(tokens []model.Token, text string) error {
	visible := func(s string) (n int) {
		for _, r := range s {
			if !unicode.IsSpace(r) {
				n++
			}
		}
		return n
	}
	spelled := 0
	for _, t := range tokens {
		spelled += visible(t.Text)
	}
	if want := visible(text); spelled < want {
		return fmt.Errorf("response lists log-probabilities for %d tokens with %d of the answer's %d characters",
			len(tokens), spelled, want)
	}
	return nil
}

// firstEntry reads the first entry of a JSON object, and false from null or an empty one. In vLLM's prompt_logprobs
// it is the prompt's own token; a Go map would lose the order.
func firstEntry(raw json.RawMessage, v any) (bool, error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	if t, err := d.Token(); err != nil || t != json.Delim('{') || !d.More() {
		return false, err
	}
	if _, err := d.Token(); err != nil { // the token's number
		return false, err
	}
	return true, d.Decode(v)
}
