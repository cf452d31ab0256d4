package endpoint

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"hallmark/internal/base/pattern"
	"hallmark/internal/model"
)

// proxied is what a proxy asks.
type proxied struct {
	m     model.Model
	field string
}

// NewProxy returns a server of any model, with the chat endpoint alone. An answer's Response.Raw, where it is JSON,
// stands in the answer under the name of the field. A model may answer as a whole only, so a stream sends the text
// once it is there, in parts. What a model outside refuses or fails at is told as 429, 502 or 504.
func NewProxy(m model.Model, field string, o Options) *Server {
	s := plain(o)
	s.proxy = &proxied{m, field}
	return s
}

// streamPart is how many characters a part of a proxy's stream has.
const streamPart = 64

func (s *Server) proxyChat(w http.ResponseWriter, r *http.Request, f *form) error {
	g := &generation{model: s.modelName(f)}
	req := f.conversation()
	_, seeded := f.members["seed"]
	f.sampling(g)
	limit, _ := f.limit()
	if f.flag("logprobs", false) {
		f.fail(unsupported("logprobs", ": an answer may be no answer of the model's"))
	}
	if g.n != 1 {
		f.fail(unsupported("n", ", except as 1"))
	}
	if p := f.done(); p != nil {
		return p
	}
	for len(req.Messages) > 0 && req.Messages[0].Role == "system" { // one system text, as models outside take it
		req.System = strings.TrimPrefix(req.System+"\n\n"+req.Messages[0].Text, "\n\n")
		req.Messages = req.Messages[1:]
	}
	req.Temperature, req.MaxTokens, req.Stop = g.temperature, int(limit), g.stops
	if g.topP < 1 {
		req.TopP = g.topP
	}
	if seeded || g.temperature > 0 {
		req.Seed = &g.seed
	}
	resp, err := s.generate(r.Context(), req)
	if err != nil {
		return err
	}
	if resp.Text == nil && resp.Finish != model.FinishContentFilter {
		return refusal(http.StatusBadGateway, "no_text", "The model gave no text.")
	}
	return s.answerProxied(w, g, resp)
}

// generate asks the model. A panic of it is its failure, not the server's end.
func (s *Server) generate(ctx context.Context, req model.Request) (resp model.Response, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = refusal(http.StatusInternalServerError, "", "The model failed on this request.")
			s.o.Log.Error("the model panicked", "panic", fmt.Sprint(p))
		}
	}()
	resp, err = s.proxy.m.Generate(ctx, req)
	var wait *model.Transient
	switch {
	case err == nil || ctx.Err() != nil:
	case errors.As(err, &wait) && wait.Limited:
		p := refusal(http.StatusTooManyRequests, "rate_limit_exceeded",
			"The model's server is at its limit; try again later.")
		p.after = max(wait.After, time.Second)
		err = p
	case errors.Is(err, model.ErrTransient), errors.Is(err, model.ErrGone):
		s.o.Log.Warn("the model is not available", "error", err)
		err = refusal(http.StatusBadGateway, "upstream_unavailable", "The model is not available at the moment.")
	case errors.Is(err, model.ErrTooLong):
		err = invalid("messages", "%s", inner(err)).as("context_length_exceeded")
	default:
		s.o.Log.Warn("the model refused", "error", err)
		err = refusal(http.StatusBadGateway, "upstream_error", "The model refused or failed: %s", inner(err))
	}
	return resp, err
}

// answerProxied sends an answer, whole or as a stream.
func (s *Server) answerProxied(w http.ResponseWriter, g *generation, resp model.Response) error {
	text, finish := *cmp.Or(resp.Text, new(string)), cmp.Or(resp.Finish, model.FinishStop)
	u := usageOf(resp.Usage.PromptTokens, resp.Usage.CompletionTokens)
	head := s.envelope("chatcmpl-", "chat.completion", g)
	if !g.stream {
		a := chatAnswer{envelope: head, Usage: &u,
			Choices: []chatChoice{{Message: &chatMessage{Role: "assistant", Content: text}, Finish: &finish}}}
		return s.answer(w, g, u, s.explained(a, resp.Raw))
	}
	head.Object = "chat.completion.chunk"
	out := &stream{w: w, g: g}
	send := func(d *chatDelta, finish *string) {
		out.send(chatAnswer{envelope: head, Choices: []chatChoice{{Delta: d, Finish: finish}}})
	}
	send(&chatDelta{Role: "assistant", Content: new(string)}, nil)
	for part := range slices.Chunk([]rune(text), streamPart) {
		send(&chatDelta{Content: new(string(part))}, nil)
	}
	out.send(s.explained(chatAnswer{envelope: head, Choices: []chatChoice{{Delta: &chatDelta{}, Finish: &finish}}},
		resp.Raw))
	return out.end(nil, u, chatAnswer{envelope: head, Choices: []chatChoice{}, Usage: &u})
}

// explained is an answer with the model's account of it, if there is one.
func (s *Server) explained(a chatAnswer, raw []byte) any {
	if !json.Valid(raw) {
		return a
	}
	b, err := json.Marshal(a)
	if err != nil || len(b) < 2 {
		return a
	}
	b = append(b[:len(b)-1], ',')
	b = strconv.AppendQuote(b, s.proxy.field)
	return json.RawMessage(append(append(append(b, ':'), raw...), '}'))
}

// address finds the address of a server in a text.
var address = pattern.New(`(?i)\bhttps?://[^\s"'<>]+`)

// inner is what a client is told of an error of the model inside: its first words in one line, without the addresses
// in them.
func inner(err error) string {
	text := shortened(address.ReplaceAllString(err.Error(), "(the model's server)"), 300)
	return strings.Join(strings.Fields(strings.ToValidUTF8(text, "")), " ")
}
