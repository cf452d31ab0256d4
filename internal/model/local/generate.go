package local

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"

	"hallmark/internal/model"
	"hallmark/internal/transformer"
	"hallmark/internal/transformer/token"
)

// batchSize is the number of requests that run as one. More reads the weights less often, fewer share the work better.
const batchSize = 32

// Generate answers one request. Every error is final: the request cannot be answered as it is.
func (m *Model) Generate(ctx context.Context, r model.Request) (model.Response, error) {
	out := m.GenerateBatch(ctx, []model.Request{r})
	return out[0].Response, out[0].Err
}

// GenerateBatch answers the requests, each to the same bits as Generate. What prompts share is computed once among
// those that run together, so keep the variants of a case near each other.
func (m *Model) GenerateBatch(ctx context.Context, requests []model.Request) []model.Result {
	out := make([]model.Result, len(requests))
	jobs := make([]*job, 0, len(requests))
	for i, r := range requests {
		j, err := m.prepare(ctx, r)
		if err != nil {
			out[i].Err = err
			continue
		}
		j.result = &out[i]
		jobs = append(jobs, j)
	}
	chunks := (len(jobs) + batchSize - 1) / batchSize
	transformer.Parallel(runtime.GOMAXPROCS(0), chunks, func(k int) {
		chunk := jobs[k*batchSize : min(len(jobs), (k+1)*batchSize)]
		if err := ctx.Err(); err != nil {
			for _, j := range chunk {
				j.result.Err = err
			}
			return
		}
		m.run(chunk)
		if err := ctx.Err(); err != nil { // what was cut off is no answer
			for _, j := range chunk {
				*j.result = model.Result{Err: err}
			}
		}
	})
	return out
}

// A job is one request, read and ready to run.
type job struct {
	request model.Request
	prompt  []int32
	options [][]int32
	opt     transformer.GenerateOptions
	result  *model.Result
}

func (m *Model) prepare(ctx context.Context, r model.Request) (*job, error) {
	parts, err := m.template.render(r, m.begin)
	if err != nil {
		return nil, err
	}
	j := &job{request: r}
	if j.prompt, err = m.encode(parts); err != nil {
		return nil, err
	}
	room := m.net.Config().MaxContext
	switch {
	case len(j.prompt) == 0:
		return nil, fmt.Errorf("the prompt is empty, and the model has no token to begin with")
	case len(j.prompt) >= room:
		return nil, fmt.Errorf("the prompt has %d tokens; the model's context holds %d, answer included", len(j.prompt), room)
	}
	lead := m.template.lead
	if r.Raw {
		lead = ""
	}
	for _, o := range r.Options {
		tokens, err := m.tokens.EncodeText(lead + o)
		switch {
		case err != nil:
			return nil, err
		case len(tokens) == 0:
			return nil, fmt.Errorf("option %q has no tokens to score", o)
		case len(j.prompt)+len(tokens) > room:
			return nil, fmt.Errorf("the prompt has %d tokens and the option %q %d; the model's context holds %d", len(j.prompt), o, len(tokens), room)
		}
		j.options = append(j.options, tokens)
	}
	j.opt = transformer.GenerateOptions{
		MaxTokens: r.MaxTokens, Temperature: r.Temperature, TopP: r.TopP, Stop: m.stops, TopLogprobs: r.TopLogProbs,
	}
	if r.MaxTokens <= 0 {
		j.opt.MaxTokens = room - len(j.prompt)
	}
	if r.Seed != nil {
		j.opt.Seed = uint64(*r.Seed)
	}
	j.opt.StopWhen = func(tokens []int32) bool {
		if ctx.Err() != nil {
			return true
		}
		if len(r.Stop) == 0 {
			return false
		}
		_, found := cut(m.tokens.Decode(tokens), r.Stop)
		return found
	}
	return j, nil
}

// encode turns the parts into tokens as Hugging Face does with the whole text: what stands between two special tokens is
// split as one, over the borders of parts. Special tokens are read in the template's own parts only.
func (m *Model) encode(parts []part) ([]int32, error) {
	var tokens []int32
	var run strings.Builder
	flush := func() error {
		more, err := m.tokens.EncodeText(run.String())
		tokens = append(tokens, more...)
		run.Reset()
		return err
	}
	for _, p := range parts {
		text := p.text
		for p.special && text != "" {
			at, special := m.nextSpecial(text)
			if at < 0 {
				break
			}
			run.WriteString(text[:at])
			if err := flush(); err != nil {
				return nil, err
			}
			tokens = append(tokens, special.ID)
			text = text[at+len(special.Content):]
		}
		run.WriteString(text)
	}
	return tokens, flush()
}

// nextSpecial returns the first special token in text, the longest of those at one place, and where; -1 if there is none.
func (m *Model) nextSpecial(text string) (at int, first token.Added) {
	at = -1
	for _, a := range m.specials {
		i := strings.Index(text, a.Content)
		if i >= 0 && (at < 0 || i < at || i == at && len(a.Content) > len(first.Content)) {
			at, first = i, a
		}
	}
	return at, first
}

// run answers the jobs together.
func (m *Model) run(jobs []*job) {
	var prompts [][]int32
	var opts []transformer.GenerateOptions
	var generating []*job
	for _, j := range jobs {
		if len(j.options) > 0 {
			m.score(j)
			continue
		}
		prompts, opts, generating = append(prompts, j.prompt), append(opts, j.opt), append(generating, j)
	}
	generations, err := m.net.GenerateBatch(prompts, opts)
	for i, j := range generating {
		g := transformer.Generation{}
		switch {
		case err == nil:
			g = generations[i]
		default: // one request spoils a batch, such as a temperature below 0; find whose fault it is
			if g, j.result.Err = m.net.Generate(j.prompt, j.opt); j.result.Err != nil {
				continue
			}
		}
		j.result.Response = m.response(j, g)
	}
}

func (m *Model) score(j *job) {
	scores, err := m.net.Score(j.prompt, j.options)
	if err != nil {
		j.result.Err = err
		return
	}
	r := model.Response{Usage: model.Usage{PromptTokens: len(j.prompt)}}
	for _, s := range scores {
		r.Options = append(r.Options, model.OptionScore{LogProbs: s})
		r.Usage.CompletionTokens += len(s)
	}
	j.result.Response = r
}

func (m *Model) response(j *job, g transformer.Generation) model.Response {
	tokens := g.Tokens
	if n := len(tokens); n > 0 && slices.Contains(m.stops, tokens[n-1]) {
		tokens = tokens[:n-1]
	}
	text, _ := cut(m.tokens.Decode(tokens), j.request.Stop)
	if !j.request.Raw {
		text = strings.TrimPrefix(text, m.template.lead)
	}
	r := model.Response{
		Text: &text, Finish: g.Finish,
		Usage: model.Usage{PromptTokens: len(j.prompt), CompletionTokens: len(g.Tokens)},
	}
	if !j.request.LogProbs && j.request.TopLogProbs == 0 {
		return r
	}
	for i, t := range tokens {
		lp := g.LogProbs[i]
		tok := model.Token{Text: m.tokens.Decode([]int32{t}), LogProb: &lp}
		if g.Top != nil {
			for _, top := range g.Top[i] {
				tok.Top = append(tok.Top, model.TopToken{Text: m.tokens.Decode([]int32{top.Token}), LogProb: top.LogProb})
			}
		}
		r.Tokens = append(r.Tokens, tok)
	}
	return r
}

// cut ends text before the first of the stop strings, and reports whether there was one.
func cut(text string, stops []string) (string, bool) {
	at := -1
	for _, s := range stops {
		if i := strings.Index(text, s); s != "" && i >= 0 && (at < 0 || i < at) {
			at = i
		}
	}
	if at < 0 {
		return text, false
	}
	return text[:at], true
}
