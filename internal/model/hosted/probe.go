package hosted

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"hallmark/internal/model"
)

// Probe asks the server what it can do: its list of models, one short answer with log-probabilities, and where the API
// has options to score, one scored text. What is refused is asked once more without. Its errors are those of Generate.
// Nothing depends on a probe: Generate learns the same from what the server refuses.
func (m *Model) Probe(ctx context.Context) (model.Capabilities, error) {
	c, err := m.probe(ctx)
	c.Note = m.o.Secrets.Text(c.Note)
	return c, model.Redacted(err, m.o.Secrets)
}

func (m *Model) probe(ctx context.Context) (model.Capabilities, error) {
	c := model.Capabilities{Sampling: true, ContextTokens: m.contextTokens(ctx)}
	var notes []string
	if err := m.probeAnswer(ctx, &c); err != nil {
		return model.Capabilities{}, err
	}
	w, err := m.scoring(ctx)
	switch {
	case err != nil:
		return model.Capabilities{}, err
	case w.why == "":
		c.OptionScores = true
		notes = append(notes, "options scored by "+w.name)
	default:
		notes = append(notes, "no option scores ("+w.why+")")
	}
	q := m.known()
	c.Temperature0 = !q.has(noTemperature)
	if q.has(noTemperature) {
		notes = append(notes,
			"the model refuses temperature 0: no temperature is sent, so answers are drawn at its own")
	}
	if q.has(maxCompletionTokens) {
		notes = append(notes, "max_completion_tokens in place of max_tokens")
	}
	if q.has(noSeed) {
		notes = append(notes, "the model takes no seed")
	}
	c.Note = strings.Join(notes, "; ")
	return c, nil
}

// probeAnswer fills in what one answer shows.
func (m *Model) probeAnswer(ctx context.Context, c *model.Capabilities) error {
	// 16 tokens, as reasoning models refuse to stop earlier; 20 alternatives are the most that hosted APIs give, 5 what
	// older ones do.
	req := model.Request{Prompt: "Answer with one word: what colour is a clear sky by day?", MaxTokens: 16}
	if m.o.API == Messages {
		_, err := m.generate(ctx, req)
		return err
	}
	for _, k := range []int{20, 5, 0} {
		req.LogProbs, req.TopLogProbs = k > 0, k
		out, err := m.generate(ctx, req)
		if _, ok := errors.AsType[*refused](err); ok && k > 0 {
			continue
		}
		if err != nil {
			return fmt.Errorf("probe: %w", err)
		}
		for _, t := range out.Tokens {
			c.LogProbs = true
			c.TopLogProbs = max(c.TopLogProbs, len(t.Top))
		}
		break
	}
	return nil
}

// contextTokens returns the context length that a server tells in its list of models (vLLM: max_model_len), or 0. No
// error of this request matters: it only serves a note.
func (m *Model) contextTokens(ctx context.Context) int {
	if m.o.API == Messages {
		return 0
	}
	body, err := m.c.metered(ctx, http.MethodGet, "/models", nil, model.Usage{})
	if err != nil {
		return 0
	}
	var list struct {
		Data []struct {
			ID          string `json:"id"`
			MaxModelLen int    `json:"max_model_len"`
		} `json:"data"`
	}
	if decode(body, &list) != nil {
		return 0
	}
	for _, d := range list.Data {
		if d.ID == m.o.Name {
			return max(d.MaxModelLen, 0)
		}
	}
	return 0
}
