package local

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"

	"hallmark/internal/base/parallel"
	"hallmark/internal/engine"
	"hallmark/internal/engine/token"
	"hallmark/internal/model"
)

// The most requests that run as one. More read the weights less often and, scored, compute less twice; fewer share the
// work better, and each that is continued holds a cache.
const (
	mostScored    = 256
	mostGenerated = 32
)

// Generate answers one request. Every error is final: the request cannot be answered as it is.
func (m *Model) Generate(ctx context.Context, r model.Request) (model.Response, error) {
	out := m.GenerateBatch(ctx, []model.Request{r})
	return out[0].Response, out[0].Err
}

// GenerateBatch answers the requests, each to the same bits as Generate. What prompts and options share is computed
// once, in whatever order they come, and so is what they share with the end of the batch before: hand over requests
// that begin alike near each other.
func (m *Model) GenerateBatch(ctx context.Context, requests []model.Request) []model.Result {
	out := make([]model.Result, len(requests))
	prepared := make([]*job, len(requests))
	workers := runtime.GOMAXPROCS(0)
	parallel.Do(workers, len(requests), func(i int) {
		prepared[i], out[i].Err = m.prepare(ctx, requests[i])
	})
	var scored, hidden, generated []*job
	for i, j := range prepared {
		switch {
		case j == nil:
			continue
		case j.request.Hidden:
			hidden = append(hidden, j)
		case len(j.options) > 0:
			scored = append(scored, j)
		default:
			generated = append(generated, j)
		}
		j.result = &out[i]
	}
	pieces := slices.Concat(split(scored, workers, mostScored), split(hidden, workers, mostScored),
		split(generated, workers, mostGenerated))
	parallel.Do(workers, len(pieces), func(k int) {
		m.run(ctx, pieces[k])
	})
	return out
}

// split sorts the jobs by prompt, so that those which share most run together, and cuts them into pieces of at most so
// many, one for each worker at least.
func split(jobs []*job, workers, most int) (pieces [][]*job) {
	slices.SortStableFunc(jobs, func(a, b *job) int { return slices.Compare(a.prompt, b.prompt) })
	size := min(most, (len(jobs)+workers-1)/workers)
	for piece := range slices.Chunk(jobs, max(1, size)) {
		pieces = append(pieces, piece)
	}
	return pieces
}

// A job is one request, read and ready to run.
type job struct {
	request model.Request
	prompt  []int32
	options [][]int32
	opt     engine.GenerateOptions
	result  *model.Result
}

func (m *Model) prepare(ctx context.Context, r model.Request) (*job, error) {
	parts, err := m.template.render(r, m.begin)
	if err != nil {
		return nil, err
	}
	j := &job{request: r}
	room := m.net.Config().MaxContext
	j.prompt, err = m.encode(parts, room)
	var long *token.TooLong
	switch {
	case errors.As(err, &long):
		return nil, &overlong{
			fmt.Sprintf("the prompt has at least %d tokens; the model's context holds %d, answer included",
				long.Least, room)}
	case err != nil:
		return nil, err
	case len(j.prompt) == 0:
		return nil, fmt.Errorf("the prompt is empty, and the model has no token to begin with")
	case r.Hidden && len(r.Options) == 0:
		return nil, errors.New("hidden states are asked of options, and the request has none")
	case len(j.prompt) >= room:
		return nil, &overlong{fmt.Sprintf("the prompt has %d tokens; the model's context holds %d, answer included",
			len(j.prompt), room)}
	}
	lead := m.template.lead
	if r.Raw {
		lead = ""
	}
	for _, o := range r.Options {
		tokens, err := m.tokens.EncodeNext(lead + o)
		switch {
		case err != nil:
			return nil, err
		case len(tokens) == 0:
			return nil, fmt.Errorf("option %q has no tokens to score", o)
		case len(j.prompt)+len(tokens) > room:
			return nil, fmt.Errorf("the prompt has %d tokens and the option %q %d; the model's context holds %d",
				len(j.prompt), o, len(tokens), room)
		}
		j.options = append(j.options, tokens)
	}
	j.opt = engine.GenerateOptions{
		MaxTokens: r.MaxTokens, Temperature: r.Temperature, TopP: r.TopP, Stop: m.stops, TopLogprobs: r.TopLogProbs,
	}
	if r.MaxTokens <= 0 {
		j.opt.MaxTokens = room - len(j.prompt)
	}
	if r.Seed != nil {
		j.opt.Seed = uint64(*r.Seed)
	}
	j.opt.StopWhen = m.StopWhen(ctx, r.Stop)
	return j, nil
}

// StopWhen returns what ends a generation: the end of the context, or one of the stop strings in its text.
func (m *Model) StopWhen(ctx context.Context, stops []string) func(tokens []int32) bool {
	return func(tokens []int32) bool {
		if ctx.Err() != nil || len(stops) == 0 {
			return ctx.Err() != nil
		}
		_, found := Cut(m.tokens.Decode(tokens), stops)
		return found
	}
}

// run answers the jobs together, all of one kind, unless the context is done: what was cut off is no answer.
func (m *Model) run(ctx context.Context, jobs []*job) {
	err := ctx.Err()
	if err == nil {
		switch {
		case jobs[0].request.Hidden:
			m.hidden(ctx, jobs)
		case len(jobs[0].options) > 0:
			m.score(jobs)
		default:
			m.generate(jobs)
		}
		err = ctx.Err()
	}
	if err != nil {
		for _, j := range jobs {
			*j.result = model.Result{Err: err}
		}
	}
}

func (m *Model) generate(jobs []*job) {
	asks := make([]engine.Ask, len(jobs))
	for i, j := range jobs {
		asks[i] = engine.Ask{Prompt: j.prompt, Generate: j.opt}
	}
	for i, s := range m.net.GenerateBatch(asks) {
		if jobs[i].result.Err = s.Err; s.Err == nil {
			jobs[i].result.Response = m.response(jobs[i], s.Generation())
		}
	}
}

func (m *Model) score(jobs []*job) {
	queries := make([]engine.Query, len(jobs))
	for i, j := range jobs {
		queries[i] = engine.Query{Prompt: j.prompt, Continuations: j.options}
	}
	scores, err := m.net.ScoreBatch(queries)
	for i, j := range jobs {
		if err != nil {
			j.result.Err = err // of the weights: prepare has read the requests
			continue
		}
		r := model.Response{Usage: model.Usage{PromptTokens: len(j.prompt)}}
		for _, s := range scores[i] {
			r.Options = append(r.Options, model.OptionScore{LogProbs: s})
			r.Usage.CompletionTokens += len(s)
		}
		j.result.Response = r
	}
}

// hidden compares the last hidden state after each option with that before it.
func (m *Model) hidden(ctx context.Context, jobs []*job) {
	for _, j := range jobs {
		if ctx.Err() != nil {
			return
		}
		before, err := m.net.Hidden(j.prompt)
		r := model.Response{Usage: model.Usage{PromptTokens: len(j.prompt)}}
		for i := 0; i < len(j.options) && err == nil; i++ {
			var after []float32
			if after, err = m.net.Hidden(slices.Concat(j.prompt, j.options[i])); err != nil {
				break
			}
			c, ok := model.Cosine(before, after)
			if !ok {
				err = fmt.Errorf("the hidden states of option %q have no cosine; the weights are broken",
					j.request.Options[i])
			}
			r.Cosines = append(r.Cosines, c)
			r.Usage.CompletionTokens += len(j.options[i])
		}
		if j.result.Err = err; err == nil {
			j.result.Response = r
		}
	}
}

func (m *Model) response(j *job, g engine.Generation) model.Response {
	tokens := g.Tokens
	if n := len(tokens); n > 0 && slices.Contains(m.stops, tokens[n-1]) {
		tokens = tokens[:n-1]
	}
	text, _ := Cut(m.tokens.Decode(tokens), j.request.Stop)
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
		tok := model.Token{Text: m.tokens.Text(t), LogProb: new(g.LogProbs[i])}
		if g.Top != nil {
			for _, top := range g.Top[i] {
				tok.Top = append(tok.Top, model.TopToken{Text: m.tokens.Text(top.Token), LogProb: top.LogProb})
			}
		}
		r.Tokens = append(r.Tokens, tok)
	}
	return r
}

// Cut ends text before the first of the stop strings, and reports whether there was one: what Generate does with
// Request.Stop.
func Cut(text string, stops []string) (string, bool) {
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

// An overlong is the error of a prompt that does not fit into the context: model.ErrTooLong, with its figures.
type overlong struct{ text string }

func (e *overlong) Error() string        { return e.text }
func (e *overlong) Is(target error) bool { return target == model.ErrTooLong }
