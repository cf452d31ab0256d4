package hosted

import (
	"cmp"
	"context"
	"strings"

	"hallmark/internal/model"
)

const completionsPath = "/completions"

type completionRequest struct {
	Model     string `json:"model"`
	Prompt    any    `json:"prompt"` // a text, or a list of texts
	MaxTokens *int   `json:"max_tokens,omitempty"`
	sampling
	Stop           []string `json:"stop,omitempty"`
	Echo           bool     `json:"echo,omitempty"`
	LogProbs       int      `json:"logprobs,omitempty"`
	PromptLogProbs *int     `json:"prompt_logprobs,omitempty"`
}

// plainText is the text that a completion continues: the parts of a request, with blank lines between them. A server
// applies no chat template to it.
func plainText(req model.Request) string {
	var parts []string
	if req.System != "" {
		parts = append(parts, req.System)
	}
	for _, m := range req.Messages {
		parts = append(parts, m.Text)
	}
	return strings.Join(append(parts, req.Prompt), "\n\n")
}

// beforeOption is the text that an option continues. Without Raw an option is a part of its own, not the end of the
// question.
func beforeOption(req model.Request) string {
	if req.Raw {
		return plainText(req)
	}
	return plainText(req) + "\n\n"
}

func (m *Model) complete(ctx context.Context, req model.Request) (model.Response, error) {
	return m.answer(ctx, completionsPath, req, decodeChoice[completionChoice], func(q quirks) any {
		r := completionRequest{Model: m.o.Name, Prompt: plainText(req), sampling: samplingOf(req, q), Stop: req.Stop}
		if req.MaxTokens > 0 { // else the server's default, which is 16 tokens
			r.MaxTokens = &req.MaxTokens
		}
		if req.LogProbs || req.TopLogProbs > 0 {
			r.LogProbs = cmp.Or(req.TopLogProbs, 1) // some servers take 0 for none
		}
		return r
	})
}

func (c completionChoice) answer() (model.Response, logProbs) {
	out := model.Response{Text: c.Text, Finish: finish(c.FinishReason)}
	if c.LogProbs == nil {
		return out, nil
	}
	return out, c.LogProbs
}
