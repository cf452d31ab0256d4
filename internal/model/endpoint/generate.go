package endpoint

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"strconv"

	"hallmark/internal/base/seed"
	"hallmark/internal/engine"
	"hallmark/internal/model/local"
)

// Bounds on what one request may ask for.
const (
	maxPrompts  = 2048    // texts in a request
	maxChoices  = 2048    // continuations in a request, over all its prompts
	maxStops    = 16      // stop strings
	maxTop      = 20      // alternatives listed per token
	maxListed   = 4 << 20 // log-probabilities in an answer, alternatives included
	maxInt      = 1<<31 - 1
	seedBits    = 53 // of a seed that the server draws: what every JSON reader holds exactly
	maxSeed     = 1<<63 - 1
	defaultSize = 16 // tokens of a completion that names no max_tokens, as in the OpenAI API
)

// A generation is what a request for text asks of the engine, in the terms of both endpoints.
type generation struct {
	model       string
	prompts     [][]int32
	n           int
	maxTokens   int // 0 generates nothing, as does a prompt that fills the context
	temperature float64
	topP        float64
	seed        int64
	stops       []string
	lead        string
	echo        bool // also the log-probabilities of the prompts, if logProbs
	logProbs    bool
	top         int
	stream      bool
	usage       bool // at the end of a stream
}

// sampling reads the parameters that chat and completions share.
func (f *form) sampling(g *generation) {
	n, _ := f.integer("n", 1, 1, maxChoices)
	g.n = int(n)
	g.temperature = f.number("temperature", 1, 0, 2)
	g.topP = f.number("top_p", 1, 0, 1)
	if g.topP == 0 {
		f.fail(
			invalid("top_p",
				"'top_p' is 0; it must be above 0 and at most 1; for the likeliest token set temperature to 0."))
	}
	drawn, given := f.integer("seed", 0, -maxSeed-1, maxSeed)
	if g.seed = drawn; !given {
		g.seed = freshSeed()
	}
	g.stops = f.texts("stop", maxStops)
	g.stream = f.flag("stream", false)
	options := f.take("stream_options")
	switch {
	case options == nil:
	case !g.stream:
		f.fail(invalid("stream_options", "'stream_options' is only allowed when 'stream' is true."))
	default:
		inner, p := parse(options)
		if p != nil {
			f.fail(invalid("stream_options", "'stream_options' must be an object."))
			return
		}
		g.usage = inner.flag("include_usage", false)
		inner.take("include_obfuscation") // pads chunks against eavesdroppers; nothing is padded here
		if p := inner.done(); p != nil {
			p.param = "stream_options." + p.param
			f.fail(p)
		}
	}
}

// freshSeed is the seed of a request that names none.
func freshSeed() int64 {
	var b [8]byte
	rand.Read(b[:]) // never fails
	return int64(binary.LittleEndian.Uint64(b[:]) >> (64 - seedBits))
}

// choiceSeed is the seed of a prompt's choice k: the request's own for the first, which so is what the request
// gives with n = 1, and one derived from it by name for each other.
func choiceSeed(s int64, k int) uint64 {
	if k == 0 {
		return uint64(s)
	}
	return seed.Derive(uint64(s), "choice", strconv.Itoa(k))
}

// check reports what is too large; param is the name of the prompt's parameter.
func (g *generation) check(m *local.Model, param string) *problem {
	context, listed := m.ContextTokens(), 0
	if len(g.prompts)*g.n > maxChoices {
		return invalid("n",
			"%d prompts with %d choices each are %d continuations; at most %d are given in one request.",
			len(g.prompts), g.n, len(g.prompts)*g.n, maxChoices)
	}
	for _, p := range g.prompts {
		switch {
		case len(p) == 0:
			return invalid(param, "'%s' is empty, and the model has no token to begin with.", param)
		case len(p) > context:
			return overflow(param, len(p), context)
		}
		listed += g.n * min(g.maxTokens, context-len(p)+1)
		if g.echo {
			listed += g.n * len(p)
		}
	}
	if g.logProbs && listed*(1+g.top) > maxListed {
		return invalid("logprobs", "The answer might list %d log-probabilities; at most %d are given in one request.",
			listed*(1+g.top), maxListed)
	}
	return nil
}

// tasks are the sequences to run: choice k of prompt p has the index p·n + k.
func (g *generation) tasks(ctx context.Context, m *local.Model, to *mailbox) []*task {
	var all []*task
	stops := m.StopTokens()
	for p, prompt := range g.prompts {
		for k := range g.n {
			all = append(all, &task{ctx: ctx, index: p*g.n + k, to: to, ask: engine.Ask{
				Prompt:   prompt,
				LogProbs: g.echo && g.logProbs,
				Generate: engine.GenerateOptions{
					MaxTokens: g.maxTokens, Temperature: g.temperature, TopP: g.topP, Seed: choiceSeed(g.seed, k),
					Stop: stops, TopLogprobs: g.top,
					StopWhen: m.StopWhen(ctx, g.stops),
				},
			}})
		}
	}
	return all
}

// run has the engine answer, and calls each with a choice whenever it has grown. It returns the choices once all are
// finished. The context's end, or an error of each, stops all of them.
func (s *Server) run(ctx context.Context, g *generation, each func(i int, c *choice) error) ([]*choice, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	choices := make([]*choice, len(g.prompts)*g.n)
	for i := range choices {
		// Whoever scores an echoed text takes off the one token that some servers insist on writing after it,
		// whichever it is.
		choices[i] = &choice{m: s.m, stops: g.stops, lead: g.lead, ending: g.echo}
	}
	box := newMailbox()
	go s.engine.submit(ctx, g.tasks(ctx, s.m, box))
	for left := len(choices); left > 0; {
		events, err := box.wait(ctx)
		if err != nil {
			return nil, err
		}
		for _, e := range events {
			if e.err != nil {
				return nil, failed(e.err)
			}
			c := choices[e.index]
			c.take(e)
			if e.finish != "" {
				left--
			}
			if err := each(e.index, c); err != nil {
				return nil, err
			}
		}
	}
	return choices, nil
}

// counts are the tokens of an answer: each prompt once, whatever its number of choices.
func (g *generation) counts(choices []*choice) usage {
	prompts, completions := 0, 0
	for _, p := range g.prompts {
		prompts += len(p)
	}
	for _, c := range choices {
		completions += c.count
	}
	return usageOf(prompts, completions)
}

func usageOf(prompts, completions int) usage {
	return usage{prompts, completions, prompts + completions}
}

// usage is the count of an answer's tokens, as the API writes it.
type usage struct {
	PromptTokens     int `json:"prompt_tokens"`
	CompletionTokens int `json:"completion_tokens"`
	TotalTokens      int `json:"total_tokens"`
}
