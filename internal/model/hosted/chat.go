package hosted

import (
	"context"
	"errors"
	"fmt"

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
	if !q.has(noTemperature) {
		s.Temperature = &req.Temperature
	}
	if !q.has(noSeed) {
		s.Seed = req.Seed
	}
	return s
}

// A choice is one answer among those to a request.
type choice interface {
	number() *int // that it has among them, where the server gives it
	answer() (model.Response, logProbs)
}

// A choices is the body of an answer of either OpenAI endpoint.
type choices[C choice] struct {
	Choices []C        `json:"choices"`
	Model   name       `json:"model"`
	Usage   tokenUsage `json:"usage"`
}

type chatChoice struct {
	place
	Message struct {
		Content content `json:"content"`
		Refusal *string `json:"refusal"`
	} `json:"message"`
	FinishReason string        `json:"finish_reason"`
	LogProbs     *chatLogProbs `json:"logprobs"`
}

func (m *Model) chat(ctx context.Context, req model.Request) (model.Response, error) {
	return m.answer(ctx, chatPath, req, decodeChoice[chatChoice], func(q quirks) any {
		r := chatRequest{Model: m.o.Name, sampling: samplingOf(req, q), Stop: req.Stop, LogProbs: req.LogProbs ||
			req.TopLogProbs > 0, TopLogProbs: req.TopLogProbs}
		if req.System != "" {
			r.Messages = append(r.Messages, message{"system", req.System})
		}
		for _, t := range req.Messages {
			r.Messages = append(r.Messages, message{t.Role, t.Text})
		}
		r.Messages = append(r.Messages, message{"user", req.Prompt})
		if q.has(maxCompletionTokens) {
			r.MaxCompletionTokens = req.MaxTokens
		} else {
			r.MaxTokens = req.MaxTokens
		}
		return r
	})
}

// decodeChoice reads the first answer.
func decodeChoice[C choice](body []byte, req model.Request, raw []byte) (model.Response, error) {
	var r choices[C]
	if err := decode(body, &r); err != nil {
		return model.Response{}, err
	}
	at, err := firstOf(r.Choices)
	if err != nil {
		return model.Response{}, err
	}
	out, l := r.Choices[at].answer()
	out.Model, out.Raw = string(r.Model), raw
	return answered(out, l, req, r.Usage)
}

func (c chatChoice) answer() (model.Response, logProbs) {
	out := model.Response{Text: c.Message.Content.text, Finish: finish(c.FinishReason)}
	if c.Message.Refusal != nil && *c.Message.Refusal != "" && (out.Text == nil || *out.Text == "") {
		out.Text, out.Finish = nil, model.FinishContentFilter
	}
	if c.LogProbs == nil {
		return out, nil
	}
	return out, c.LogProbs
}

// place is the number that a choice has among the answers to a request, where the server gives it.
type place struct {
	Index *int `json:"index"`
}

func (p place) number() *int { return p.Index }

// firstOf returns where the first answer stands among choices, which may come in any order. One answer is asked for: a
// server that sends others has to number all of them, each once, or none.
func firstOf[C choice](choices []C) (first int, err error) {
	if len(choices) < 2 {
		if len(choices) == 0 {
			err = errNoChoice
		}
		return 0, err
	}
	seen := make([]bool, len(choices))
	numbered := 0
	for i, c := range choices {
		n := c.number()
		if n == nil {
			continue
		}
		if *n < 0 || *n >= len(seen) || seen[*n] {
			return 0, fmt.Errorf("response has %d choices that are not numbered from 0, each once: index %d",
				len(choices), *n)
		}
		seen[*n] = true
		if numbered++; *n == 0 {
			first = i
		}
	}
	if numbered > 0 && numbered < len(choices) {
		return 0, fmt.Errorf("response has %d choices of which %d have no index", len(choices), len(choices)-numbered)
	}
	return first, nil
}

// errNoChoice is final: asked again, a server that sends no choices sends none.
var errNoChoice = errors.New("response has no choices")
