package endpoint

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"hallmark/internal/model"
	"hallmark/internal/model/local"
)

type chatAnswer = textAnswer[chatChoice]

type chatChoice struct {
	Index    int           `json:"index"`
	Message  *chatMessage  `json:"message,omitempty"`
	Delta    *chatDelta    `json:"delta,omitempty"`
	LogProbs *chatLogProbs `json:"logprobs"`
	Finish   *string       `json:"finish_reason"`
}

type chatMessage struct {
	Role    string  `json:"role"`
	Content string  `json:"content"`
	Refusal *string `json:"refusal"`
}

type chatDelta struct {
	Role    string  `json:"role,omitempty"`
	Content *string `json:"content,omitempty"`
}

type chatLogProbs struct {
	Content []chatToken `json:"content"`
	Refusal []chatToken `json:"refusal"`
}

type chatToken struct {
	tokenLogProb
	Top []tokenLogProb `json:"top_logprobs"`
}

type tokenLogProb struct {
	Token   string  `json:"token"`
	LogProb float64 `json:"logprob"`
	Bytes   []int   `json:"bytes"`
}

func (s *Server) chat(w http.ResponseWriter, r *http.Request, f *form) error {
	g := &generation{model: s.modelName(f), lead: s.m.Lead()}
	request := f.conversation()
	f.sampling(g)
	g.logProbs = f.flag("logprobs", false)
	top, asked := f.integer("top_logprobs", 0, 0, maxTop)
	if g.top = int(top); asked && top > 0 && !g.logProbs {
		f.fail(invalid("top_logprobs", "'top_logprobs' needs 'logprobs' to be true."))
	}
	limit, limited := f.limit()
	if p := f.done(); p != nil {
		return p
	}
	prompt, p := s.laidOut(request, s.m.ContextTokens())
	if p != nil {
		return p
	}
	g.prompts = [][]int32{prompt}
	if g.maxTokens = s.m.ContextTokens() - len(prompt); limited {
		g.maxTokens = int(limit)
	}
	g.maxTokens = max(g.maxTokens, 1)
	if p := g.check(s.m, "messages"); p != nil {
		return p
	}
	return answerText(s, w, r, g, s.envelope("chatcmpl-", "chat.completion", g), "chat.completion.chunk",
		func(i int, c *choice) chatChoice {
			return chatChoice{Index: i, Message: &chatMessage{Role: "assistant", Content: c.text()},
				LogProbs: g.chatTokens(c), Finish: &c.finish}
		}, func(i int, c *choice, send func(chatChoice)) {
			if !c.started {
				c.started = true
				send(chatChoice{Index: i, Delta: &chatDelta{Role: "assistant", Content: new(string)}})
			}
			if text := c.next(); text != "" || g.logProbs && c.told < len(c.tokens) {
				send(chatChoice{Index: i, Delta: &chatDelta{Content: &text}, LogProbs: g.chatTokens(c)})
			}
			if c.finish != "" {
				send(chatChoice{Index: i, Delta: &chatDelta{}, Finish: &c.finish})
			}
		})
}

// laidOut returns the tokens of a conversation, of which most, if not 0, bounds how much is read.
func (s *Server) laidOut(request model.Request, most int) ([]int32, *problem) {
	tokens, err := s.m.ChatTokens(request, most)
	if p := tooLong("messages", err, most); p != nil || err == nil {
		return tokens, p
	}
	return nil, invalid("messages", "'messages' cannot be laid out for this model: %v.", err)
}

// chatTokens lists the tokens that a choice has not told yet.
func (g *generation) chatTokens(c *choice) *chatLogProbs {
	if !g.logProbs {
		return nil
	}
	list := &chatLogProbs{Content: []chatToken{}}
	for _, t := range c.nextTokens() {
		one := chatToken{tokenLogProb: logProbOf(c.m, t.id, t.logProb), Top: []tokenLogProb{}}
		for _, alternative := range t.top {
			one.Top = append(one.Top, logProbOf(c.m, alternative.Token, alternative.LogProb))
		}
		list.Content = append(list.Content, one)
	}
	return list
}

func logProbOf(m *local.Model, id int32, lp float64) tokenLogProb {
	text, b := tokenText(m, id)
	t := tokenLogProb{Token: text, LogProb: lp, Bytes: make([]int, len(b))}
	for i, c := range b {
		t.Bytes[i] = int(c)
	}
	return t
}

// conversation reads messages: system and developer messages first, then turns, of which the last is the user's.
func (f *form) conversation() model.Request {
	var r model.Request
	var list []json.RawMessage
	if raw := f.take("messages"); raw == nil || json.Unmarshal(raw, &list) != nil || len(list) == 0 {
		f.fail(invalid("messages", "'messages' must be a list of at least one message."))
		return r
	}
	for i, raw := range list {
		m, p := message(raw, fmt.Sprintf("messages[%d]", i))
		if p != nil {
			f.fail(p)
			return r
		}
		r.Messages = append(r.Messages, m)
	}
	last := r.Messages[len(r.Messages)-1]
	if last.Role != "user" {
		f.fail(
			invalid("messages",
				"The last of 'messages' is of role '%s'; it must be the user's, which the model answers.", last.Role))
	}
	r.Messages, r.Prompt = r.Messages[:len(r.Messages)-1], last.Text
	return r
}

// message reads one message; at is its place, for problems.
func message(raw json.RawMessage, at string) (m model.Message, p *problem) {
	f, p := parse(raw)
	if p != nil {
		return m, invalid(at, "'%s' must be an object with a role and content.", at)
	}
	switch m.Role = f.text("role", ""); m.Role {
	case "developer": // what newer clients call the system's
		m.Role = "system"
	case "system", "user", "assistant":
	default:
		f.fail(invalid("role", "'%s.role' is '%s'; it must be system, developer, user or assistant.", at, m.Role))
	}
	m.Text = f.content(at)
	for _, name := range slices.Sorted(maps.Keys(f.members)) { // clients send an answer back with all its fields
		if string(f.members[name]) != "[]" {
			f.fail(unsupported(name, " in a message"))
		}
	}
	if f.problem != nil {
		f.problem.param = at + "." + f.problem.param
	}
	return m, f.problem
}

// content reads a message's text: a string, or a list of parts of type text, which are joined.
func (f *form) content(at string) string {
	raw := f.take("content")
	bad := invalid("content", "'%s.content' must be a string or a list of parts of type text.", at)
	if raw == nil {
		f.fail(bad)
		return ""
	}
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	var parts []struct {
		Type string  `json:"type"`
		Text *string `json:"text"`
	}
	if json.Unmarshal(raw, &parts) != nil {
		f.fail(bad)
		return ""
	}
	var all strings.Builder
	for _, part := range parts {
		if part.Type != "text" && part.Type != "input_text" || part.Text == nil {
			f.fail(bad)
			return ""
		}
		all.WriteString(*part.Text)
	}
	return all.String()
}
