package hosted

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"hallmark/internal/model"
)

const embeddingsPath = "/embeddings"

type embeddingsRequest struct {
	Model  string   `json:"model"`
	Input  []string `json:"input"`
	Format string   `json:"encoding_format"`
}

type embeddingsResponse struct {
	Data []struct {
		Index     int       `json:"index"`
		Embedding []float32 `json:"embedding"`
	} `json:"data"`
	Model name       `json:"model"`
	Usage tokenUsage `json:"usage"`
}

// states compares the last hidden states before and after each option, as the server's embeddings of the request's
// plain text, laid out as for scored options. They are those states only if the server pools by the last token
// (vLLM's default for such models; llama-server with
// --pooling last): no API says how it pools.
func (m *Model) states(ctx context.Context, req model.Request) (model.Response, error) {
	if m.o.API == Messages {
		return model.Response{}, errors.New("the Messages API has no embeddings")
	}
	if len(req.Options) == 0 {
		return model.Response{}, errors.New("hidden states are asked of options, and the request has none")
	}
	inputs := []string{plainText(req)}
	for _, o := range req.Options {
		inputs = append(inputs, beforeOption(req)+o)
	}
	sent := len(strings.Join(inputs, ""))
	most := model.Usage{PromptTokens: len(inputs)*model.MostTokens(1, 0) + sent}
	body, err := m.post(ctx, embeddingsPath, most, func(quirks) any {
		return embeddingsRequest{m.o.Name, inputs, "float"}
	})
	if err != nil {
		return model.Response{}, err
	}
	var r embeddingsResponse
	if err := decode(body, &r); err != nil {
		return model.Response{}, err
	}
	if len(r.Data) != len(inputs) {
		return model.Response{}, fmt.Errorf("response has %d embeddings for %d texts", len(r.Data), len(inputs))
	}
	states := make([][]float32, len(inputs))
	for _, d := range r.Data {
		if d.Index < 0 || d.Index >= len(states) || states[d.Index] != nil {
			return model.Response{}, fmt.Errorf("response has not one embedding for each text: index %d", d.Index)
		}
		states[d.Index] = d.Embedding
	}
	// without the body: vectors are large, and their cosines are what was asked for
	out := model.Response{Usage: r.Usage.of(sent, 0), Model: string(r.Model)}
	for i, s := range states[1:] {
		c, ok := model.Cosine(states[0], s)
		if !ok {
			return model.Response{}, fmt.Errorf(
				"the embeddings of the prompt and of option %q have no cosine: %d and %d numbers, or all 0",
				model.Excerpt(req.Options[i]), len(states[0]), len(s))
		}
		out.Cosines = append(out.Cosines, c)
	}
	return out, nil
}

// ProbeHidden tries the embeddings of a short text.
func (m *Model) ProbeHidden(ctx context.Context) (ok bool, note string, err error) {
	_, err = m.states(ctx, model.Request{Prompt: "one, two, three", Raw: true, Options: []string{", four"}})
	switch {
	case err == nil:
		return true, "last hidden states by " + embeddingsPath + ", taken to be pooled by the last token", nil
	case errors.Is(err, model.ErrTransient), errors.Is(err, model.ErrBudget), ctx.Err() != nil:
		return false, "", model.Redacted(err, m.o.Secrets)
	}
	return false, fmt.Sprintf("no hidden states (by %s: %v)", embeddingsPath, model.Redacted(err, m.o.Secrets)), nil
}
