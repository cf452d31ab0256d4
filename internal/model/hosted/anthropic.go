package hosted

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"

	"hallmark/internal/model"
)

const messagesPath = "/messages"

type messagesRequest struct {
	Model         string    `json:"model"`
	System        string    `json:"system,omitempty"`
	Messages      []message `json:"messages"`
	MaxTokens     int       `json:"max_tokens"`
	Temperature   *float64  `json:"temperature,omitempty"`
	TopP          float64   `json:"top_p,omitempty"`
	StopSequences []string  `json:"stop_sequences,omitempty"`
}

type messagesResponse struct {
	Content    json.RawMessage `json:"content"`
	StopReason string          `json:"stop_reason"`
	Model      name            `json:"model"`
	Usage      tokenUsage      `json:"usage"`
}

// anthropic asks the Messages API, which has no seed and no log-probabilities.
func (m *Model) anthropic(ctx context.Context, req model.Request) (model.Response, error) {
	const most = 4096 // tokens of an answer where the request has no bound, as the API demands one
	req.MaxTokens = cmp.Or(req.MaxTokens, most)
	return m.answer(ctx, messagesPath, req, decodeMessages, func(q quirks) any {
		r := messagesRequest{Model: m.o.Name, System: req.System, MaxTokens: req.MaxTokens, TopP: req.TopP,
			StopSequences: req.Stop}
		if !q.has(noTemperature) {
			r.Temperature = &req.Temperature
		}
		for _, t := range req.Messages {
			if t.Role != "system" {
				r.Messages = append(r.Messages, message{t.Role, t.Text})
			} else if r.System == "" { // the API knows no such turn
				r.System = t.Text
			} else {
				r.System += "\n\n" + t.Text
			}
		}
		r.Messages = append(r.Messages, message{"user", req.Prompt})
		return r
	})
}

func decodeMessages(body []byte, req model.Request, raw []byte) (model.Response, error) {
	var r messagesResponse
	if err := decode(body, &r); err != nil {
		return model.Response{}, err
	}
	if r.Content == nil && r.StopReason == "" {
		return model.Response{}, errors.New("response is no message: it has neither content nor stop_reason")
	}
	var c content
	if err := decode(r.Content, &c); len(r.Content) > 0 && err != nil {
		return model.Response{}, err
	}
	out := model.Response{Text: c.text, Finish: finish(r.StopReason), Model: string(r.Model), Raw: raw}
	if string(r.Content) == "[]" && out.Finish != model.FinishContentFilter {
		out.Text = new(string) // the model ended its turn without a word
	}
	if out.Finish == model.FinishContentFilter && out.Text != nil && *out.Text == "" {
		out.Text = nil
	}
	return answered(out, nil, req, r.Usage)
}
