package hosted

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	"hallmark/internal/model"
)

// A way is how a server gives the log-probabilities of a text that it did not write.
type way struct {
	name      string
	maxTokens int  // tokens it must be asked to write after the text
	prompt    bool // by vLLM's prompt_logprobs; else by echo and logprobs
	// one is set once the server has refused a list of prompts: then each option is a request.
	one *atomic.Bool
	// why says, in the way that does not exist, what each tried one failed with.
	why string
}

// ways are tried in this order. Servers that refuse to write nothing are asked for one token, which is left out.
func ways() []way {
	return []way{
		{name: "echo", one: new(atomic.Bool)},
		{name: "echo with one token", maxTokens: 1, one: new(atomic.Bool)},
		{name: "prompt_logprobs", maxTokens: 1, prompt: true, one: new(atomic.Bool)},
	}
}

// score returns the log-probabilities of the options as continuations of the request's plain text, without a chat
// template: no API scores the turn of an assistant.
func (m *Model) score(ctx context.Context, req model.Request) (model.Response, error) {
	if slices.Contains(req.Options, "") {
		return model.Response{}, errors.New("an option is empty, and so has no log-probability")
	}
	w, err := m.scoring(ctx)
	if err != nil {
		return model.Response{}, err
	}
	if w.why != "" {
		return model.Response{}, fmt.Errorf("%s cannot score options: %s; options need a server with "+
			"/v1/completions that gives echo with logprobs or prompt_logprobs, such as vLLM, or an in-process "+
			"model (hf:DIR)", m.c.base, w.why)
	}
	return m.scoreBy(ctx, *w, beforeOption(req), req.Options)
}

// scoring returns the server's way of scoring, found by trying on the first call. An error says that trying failed
// for a reason that has nothing to do with scoring, and is not remembered.
func (m *Model) scoring(ctx context.Context) (*way, error) {
	if w := m.way.Load(); w != nil {
		return w, nil
	}
	if m.o.API == Messages {
		return &way{why: "the Messages API has no log-probabilities"}, nil
	}
	m.scoringMu.Lock()
	defer m.scoringMu.Unlock()
	if w := m.way.Load(); w != nil {
		return w, nil
	}
	var why []string
	for _, w := range ways() {
		_, err := m.scoreBy(ctx, w, "one, two, three", []string{", four"})
		switch {
		case err == nil:
			m.way.Store(&w)
			return &w, nil
		case errors.Is(err, model.ErrTransient), errors.Is(err, model.ErrGone), errors.Is(err, model.ErrBudget),
			ctx.Err() != nil:
			return nil, err
		}
		why = append(why, fmt.Sprintf("by %s: %v", w.name, err))
	}
	none := &way{why: strings.Join(why, "; ")}
	m.way.Store(none)
	return none, nil
}

func (m *Model) scoreBy(ctx context.Context, w way, prefix string, options []string) (model.Response, error) {
	if len(options) == 1 || w.one.Load() {
		return m.scoreEach(ctx, w, prefix, options)
	}
	out, _, err := m.read(ctx, w, prefix, options)
	var r *refused
	if !errors.As(err, &r) && !errors.Is(err, errChoices) {
		return out, err
	}
	// Perhaps it was the list.
	each, eachErr := m.scoreEach(ctx, w, prefix, options)
	if eachErr == nil {
		w.one.Store(true)
	}
	return each, eachErr
}

// scoreEach sends a request for each option.
func (m *Model) scoreEach(ctx context.Context, w way, prefix string, options []string) (model.Response, error) {
	var all model.Response
	for _, o := range options {
		one, _, err := m.read(ctx, w, prefix, []string{o})
		if err != nil {
			return model.Response{}, err
		}
		all.Options = append(all.Options, one.Options...)
		all.Usage = all.Usage.Plus(one.Usage)
		all.Model = one.Model
		all.Raw = append(append(all.Raw, one.Raw...), '\n')
	}
	all.Raw = m.raw(all.Raw)
	return all, nil
}

// read sends all options as one list of prompts, and returns their scores and the text of the token that each begins
// with.
func (m *Model) read(ctx context.Context, w way, prefix string, options []string) (model.Response, []string, error) {
	var texts []string
	for _, o := range options {
		texts = append(texts, prefix+o)
	}
	sent := len(strings.Join(texts, ""))
	most := model.Usage{PromptTokens: len(texts)*model.MostTokens(1, 0) + sent,
		CompletionTokens: len(texts) * w.maxTokens}
	body, err := m.post(ctx, completionsPath, most, func(q quirks) any {
		r := completionRequest{Model: m.o.Name, Prompt: texts, MaxTokens: &w.maxTokens,
			sampling: samplingOf(model.Request{}, q)}
		if len(texts) == 1 {
			r.Prompt = texts[0]
		}
		if w.prompt {
			r.PromptLogProbs = new(int) // 0: of the prompt's own tokens, and of no others
		} else {
			r.Echo, r.LogProbs = true, 1
		}
		return r
	})
	if err != nil {
		return model.Response{}, nil, err
	}
	out, first, err := decodeScores(body, w, prefix, options, sent)
	if err != nil {
		return model.Response{}, nil, err
	}
	out.Raw = m.raw(body)
	return out, first, nil
}

// FirstTokens returns the text of the token that each option begins with behind the prompt, as the server's
// tokenizer has it. A token that joins the prompt's end and the option's begin counts whole. It asks for each
// option once; an error says why the tokens could not be seen.
func (m *Model) FirstTokens(ctx context.Context, prompt string, options []string) ([]string, error) {
	first, err := m.firstTokens(ctx, prompt, options)
	for i := range first {
		first[i] = m.o.Secrets.Text(first[i])
	}
	return first, model.Redacted(err, m.o.Secrets)
}

func (m *Model) firstTokens(ctx context.Context, prompt string, options []string) ([]string, error) {
	w, err := m.scoring(ctx)
	if err != nil {
		return nil, err
	}
	if w.why != "" {
		return nil, errors.New(w.why)
	}
	var first []string
	for _, o := range options {
		_, one, err := m.read(ctx, *w, prompt, []string{o})
		if err != nil {
			return nil, err
		}
		first = append(first, one...)
	}
	return first, nil
}

type completionChoice struct {
	place
	Text           *string           `json:"text"`
	FinishReason   string            `json:"finish_reason"`
	LogProbs       *legacyLogProbs   `json:"logprobs"`
	PromptLogProbs []json.RawMessage `json:"prompt_logprobs"`
}

// errChoices says that a list of prompts came back with another number of choices.
var errChoices = errors.New("response has not one choice for each option")

// decodeScores reads the scores of options, of which so many bytes were sent, and their first tokens.
func decodeScores(body []byte, w way, prefix string, options []string, sent int) (out model.Response, first []string,
	err error) {
	var r choices[completionChoice]
	if err := decode(body, &r); err != nil {
		return out, nil, err
	}
	if len(r.Choices) != len(options) {
		return out, nil, fmt.Errorf("%w: %d for %d", errChoices, len(r.Choices), len(options))
	}
	read := echoed
	if w.prompt {
		read = prompted
	}
	out = model.Response{Options: make([]model.OptionScore, len(options)), Usage: r.Usage.of(sent, 0),
		Model: string(r.Model)}
	first = make([]string, len(options))
	for _, c := range r.Choices {
		n := 0 // as some servers leave it out
		if c.Index != nil {
			n = *c.Index
		}
		if n < 0 || n >= len(options) || out.Options[n].LogProbs != nil {
			return out, nil, fmt.Errorf("%w: index %d", errChoices, n)
		}
		if out.Options[n].LogProbs, first[n], err = read(c, prefix, options[n]); err != nil {
			return out, nil, fmt.Errorf("option %q: %w", model.Excerpt(options[n]), err)
		}
	}
	return out, first, nil
}

// echoed reads the option's log-probabilities from a choice that repeats the prompt.
func echoed(c completionChoice, prefix, option string) (lps []float64, first string, err error) {
	whole := prefix + option
	switch {
	case c.Text == nil || !strings.HasPrefix(*c.Text, whole):
		return nil, "", errors.New("the server does not echo the prompt")
	case len(*c.Text) > len(whole)+1024: // far more than one token
		return nil, "", errors.New("the server goes on beyond the one token it was asked for")
	case c.LogProbs == nil || len(c.LogProbs.Tokens) == 0:
		return nil, "", errors.New("the server gives no log-probabilities for an echoed prompt")
	}
	l := c.LogProbs
	if err := l.check(); err != nil {
		return nil, "", err
	}
	spans, ok := align(*c.Text, l.Tokens)
	if !ok {
		spans, ok = alignOffsets(*c.Text, l.Tokens, l.TextOffset)
	}
	if !ok {
		return nil, "", errors.New(
			"the tokens of the response do not spell the prompt, so the option's cannot be told from the prompt's")
	}
	return optionLogProbs(spans, l.TokenLogProbs, prefix, whole)
}

// prompted reads them from vLLM's prompt_logprobs: an object for each token of the prompt, null for the first.
func prompted(c completionChoice, prefix, option string) (lps []float64, first string, err error) {
	if len(c.PromptLogProbs) == 0 {
		return nil, "", errors.New("the server gives no prompt_logprobs")
	}
	type entry struct {
		LogProb logProb `json:"logprob"`
		Token   string  `json:"decoded_token"`
	}
	whole := prefix + option
	var tokens []string
	var all []logProb
	for i, raw := range c.PromptLogProbs {
		var e entry
		ok, err := firstEntry(raw, &e)
		switch {
		case err != nil:
			return nil, "", fmt.Errorf("prompt_logprobs[%d]: %w", i, err)
		case !ok && i > 0:
			return nil, "", fmt.Errorf("prompt_logprobs[%d] is empty", i)
		}
		tokens, all = append(tokens, e.Token), append(all, e.LogProb)
	}
	// The first token is not shown: it is a begin mark, which covers nothing, or the first piece of the prompt.
	tokens[0] = "\x00" // spells no text
	const longest = 64 // bytes of a first piece; the entries of common vocabularies are shorter
	for n := range min(len(prefix), longest) + 1 {
		spans, ok := align(whole[n:], tokens)
		if !ok {
			continue
		}
		for i := range spans {
			if spans[i].start >= 0 {
				spans[i].start, spans[i].end = spans[i].start+n, spans[i].end+n
			}
		}
		return optionLogProbs(spans, all, prefix, whole)
	}
	return nil, "", errors.New(
		"the tokens of prompt_logprobs do not spell the prompt, so the option's cannot be told from the prompt's")
}

func optionLogProbs(spans []span, of []logProb, prefix, whole string) (lps []float64, first string, err error) {
	from, to, ok := within(spans, len(prefix), len(whole))
	if !ok {
		return nil, "", errors.New("no token can be given to the option")
	}
	for i, lp := range of[from:to] {
		if lp.v == nil {
			return nil, "", fmt.Errorf("its token %d has no log-probability", i+1)
		}
		lps = append(lps, *lp.v)
	}
	return lps, whole[spans[from].start:min(spans[from].end, len(whole))], nil
}
