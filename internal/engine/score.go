package engine

import (
	"errors"
	"fmt"
	"slices"

	"hallmark/internal/engine/kernel"
)

// A Query is a prompt with continuations to score.
type Query struct {
	Prompt        []int32 // at least one token, as the first token of all has no probability
	Continuations [][]int32
}

// ScoreBatch returns for each query the log-probability, in nats, of every token of each continuation given the prompt
// and the continuation's tokens before it, to the same bits as for the query alone. The queries are one trie: what
// their prompts and continuations share is computed once, whatever their order. So a batch of questions after the same
// demonstrations pays for the demonstrations once; and as a batch also goes on from where the one before it ended, it
// is best to keep queries that begin alike near each other. Beside the queries and the scores, memory is that of one
// sequence.
func (m *Model) ScoreBatch(queries []Query) ([][][]float64, error) {
	type place struct{ query, continuation int }
	var branches []branch
	var places []place
	out := make([][][]float64, len(queries))
	for i, q := range queries {
		if err := m.checkQuery(q); err != nil {
			if len(queries) > 1 {
				err = fmt.Errorf("query %d: %w", i, err)
			}
			return nil, err
		}
		out[i] = make([][]float64, len(q.Continuations))
		for j, c := range q.Continuations {
			if out[i][j] = make([]float64, len(c)); len(c) > 0 {
				tokens := slices.Concat(q.Prompt, c[:len(c)-1]) // the last token is predicted, never read
				branches = append(branches, branch{tokens: tokens, from: len(q.Prompt) - 1})
				places = append(places, place{i, j})
			}
		}
	}
	scratch := make([]float32, m.cfg.Vocab)
	err := m.walk(branches, func(i, pos int, logits []float32) error {
		normalizer := logSumExp(logits, scratch)
		if !finite(normalizer) {
			return errBroken
		}
		at, k := places[i], pos-branches[i].from
		token := queries[at.query].Continuations[at.continuation][k]
		out[at.query][at.continuation][k] = float64(logits[token]) - normalizer
		return nil
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

func (m *Model) checkQuery(q Query) error {
	if len(q.Prompt) == 0 {
		return fmt.Errorf("transformer: the prompt is empty; begin it with a token such as the beginning of text")
	}
	if err := m.check(q.Prompt); err != nil {
		return err
	}
	for i, c := range q.Continuations {
		if err := m.check(c); err != nil {
			return fmt.Errorf("continuation %d: %w", i, err)
		}
		if n := len(q.Prompt) + len(c) - 1; n > m.cfg.MaxContext {
			return fmt.Errorf("transformer: prompt of %d tokens and continuation %d of %d; the model takes %d",
				len(q.Prompt), i, len(c), m.cfg.MaxContext+1)
		}
	}
	return nil
}

// logSumExp returns ln Σ exp(logits); scratch has at least their length.
func logSumExp(logits, scratch []float32) float64 {
	top := kernel.Max(logits)
	return float64(top) + kernel.Log(float64(kernel.ExpSum(scratch, logits, 1, top)))
}

var errBroken = errors.New("transformer: the logits are not finite; the weights are broken")

func finite(x float64) bool { return x-x == 0 }

// Logits returns the logits after each token, len(tokens) rows of the vocabulary's size.
func (m *Model) Logits(tokens []int32) ([][]float32, error) {
	logits, _, err := m.States(tokens)
	return logits, err
}

// States returns the logits after each token and the last hidden states, from which the head computes them (after
// the last norm, as Hugging Face's last_hidden_state).
func (m *Model) States(tokens []int32) (logits, hidden [][]float32, err error) {
	if err := m.check(tokens); err != nil {
		return nil, nil, err
	}
	if len(tokens) > m.cfg.MaxContext {
		return nil, nil, fmt.Errorf("transformer: %d tokens; the model takes %d", len(tokens), m.cfg.MaxContext)
	}
	if len(tokens) == 0 {
		return nil, nil, nil
	}
	b := m.get()
	defer m.put(b)
	b.tokens = append(b.tokens, tokens...)
	b.segments = append(b.segments, segment{n: len(tokens), parent: -1})
	for i := range tokens {
		b.out = append(b.out, i)
	}
	b.forward(nil)
	all := b.head(0, len(tokens))
	for i := range tokens {
		logits = append(logits, slices.Clone(all[i*m.cfg.Vocab:(i+1)*m.cfg.Vocab]))
		hidden = append(hidden, slices.Clone(b.normed[i*m.cfg.Hidden:(i+1)*m.cfg.Hidden]))
	}
	return logits, hidden, nil
}
