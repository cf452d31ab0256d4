package hosted

import (
	"context"
	"errors"

	"hallmark/internal/model"
)

const chatPath = "/chat/completions"

type message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

type chatRequest struct {
	Model               string    `json:"model"`
	Messages            []message `json:"messages"`
	MaxTokens           int       `json:"max_tokens,omitempty"`
	MaxCompletionTokens int       `json:"max_completion_tokens,omitempty"`
	sampling
	Stop        []string `json:"stop,omitempty"`
	LogProbs    bool     `json:"logprobs,omitempty"`
	TopLogProbs int      `json:"top_logprobs,omitempty"`
}

// sampling are the settings that both OpenAI endpoints share.
type sampling struct {
	Temperature *float64 `json:"temperature,omitempty"`
	TopP        float64  `json:"top_p,omitempty"`
	Seed        *int64   `json:"seed,omitempty"`
}

func samplingOf(req model.Request, q quirks) sampling {
	s := sampling{TopP: req.TopP}
	if !q.noTemperature {
		s.Temperature = &req.Temperature
	}
	if !q.noSeed {
		s.Seed = req.Seed
	}
	return s
}

type chatResponse struct {
	Choices []struct {
		Message struct {
			Content content `json:"content"`
			Refusal *string `json:"refusal"`
		} `json:"message"`
		FinishReason string        `json:"finish_reason"`
		LogProbs     *chatLogProbs `json:"logprobs"`
	} `json:"choices"`
	Model name       `json:"model"`
	Usage tokenUsage `json:"usage"`
}

func (m *Model) chat(ctx context.Context, req model.Request) (model.Response, error) {
	most, _ := model.Most(req)
	body, err := m.post(ctx, chatPath, most, func(q quirks) any {
		r := chatRequest{Model: m.o.Name, sampling: samplingOf(req, q), Stop: req.Stop, LogProbs: req.LogProbs || req.TopLogProbs > 0, TopLogProbs: req.TopLogProbs}
		if req.System != "" {
			r.Messages = append(r.Messages, message{"system", req.System})
		}
		for _, t := range req.Messages {
			r.Messages = append(r.Messages, message{t.Role, t.Text})
		}
		r.Messages = append(r.Messages, message{"user", req.Prompt})
		if q.maxCompletionTokens {
			r.MaxCompletionTokens = req.MaxTokens
		} else {
			r.MaxTokens = req.MaxTokens
		}
		return r
	})
	if err != nil {
		return model.Response{}, err
	}
	return decodeChat(body, req, m.raw(body))
}

func decodeChat(body []byte, req model.Request, raw []byte) (model.Response, error) {
	var r chatResponse
	if err := decode(body, &r); err != nil {
		return model.Response{}, err
	}
	if len(r.Choices) == 0 {
		return model.Response{}, errNoChoice
	}
	c := r.Choices[0]
	out := model.Response{Text: c.Message.Content.text, Finish: finish(c.FinishReason), Model: string(r.Model), Raw: raw}
	if c.Message.Refusal != nil && *c.Message.Refusal != "" && (out.Text == nil || *out.Text == "") {
		out.Text, out.Finish = nil, model.FinishContentFilter
	}
	text := ""
	if out.Text != nil {
		text = *out.Text
	}
	if (req.LogProbs || req.TopLogProbs > 0) && c.LogProbs != nil {
		if err := c.LogProbs.check(); err != nil {
			return model.Response{}, err
		}
		out.Tokens = c.LogProbs.tokens(req.TopLogProbs)
		if err := checkSpelling(out.Tokens, text); err != nil {
			return model.Response{}, err
		}
	}
	out.Usage = r.Usage.of(size(req), len(text))
	return out, nil
}

// errNoChoice is final: asked again, a server that sends no choices sends none.
var errNoChoice = errors.New("response has no choices")
