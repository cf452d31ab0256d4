package engine

import (
	"container/heap"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"

	"hallmark/internal/engine/kernel"
)

// GenerateOptions say how to continue a prompt.
type GenerateOptions struct {
	MaxTokens   int     // at most so many tokens; less where the model's context ends
	Temperature float64 // 0 takes the likeliest token, the lowest id among equals
	// sample from the likeliest tokens that together have this probability; 0 and 1 mean all
	TopP float64
	Seed uint64  // of the sequence's own random stream
	Stop []int32 // tokens that end the text; the one that does is the last of Tokens
	// ends the text after a token, given all so far; may be nil; must not keep them
	StopWhen    func(tokens []int32) bool
	TopLogprobs int // report so many of the likeliest tokens at each step
}

// A Generation is the continuation of one prompt.
type Generation struct {
	Tokens   []int32
	LogProbs []float64        // of the tokens, in nats, under the model itself: at temperature 1, without TopP
	Top      [][]TokenLogProb // likeliest first, if asked for
	Finish   string           // FinishStop or FinishLength
}

// Why a generation ended.
const (
	FinishStop   = "stop"   // a stop token or StopWhen
	FinishLength = "length" // MaxTokens or the end of the context
)

// A TokenLogProb is a token and its log-probability in nats.
type TokenLogProb struct {
	Token   int32
	LogProb float64
}

// Generate continues the prompt, which has at least one token. Beside an error is what came before it.
func (m *Model) Generate(prompt []int32, opt GenerateOptions) (Generation, error) {
	s := m.GenerateBatch([]Ask{{Prompt: prompt, Generate: opt}})[0]
	return s.Generation(), s.Err
}

// GenerateBatch continues prompts to their ends, each to the same bits as Generate. What cannot be met sets its
// sequence's Err and does not touch the others. Prefixes that prompts share are computed once, and each step reads the
// weights once for all.
func (m *Model) GenerateBatch(asks []Ask) []*Sequence {
	d := m.NewDecoder()
	all := d.Join(asks)
	for d.Active() > 0 {
		d.Step()
	}
	return all
}

func (s *Sequence) start(m *Model) error {
	prompt := s.Ask.Prompt
	switch o := s.Ask.Generate; {
	case len(prompt) == 0:
		return errors.New("transformer: the prompt is empty; begin it with a token such as the beginning of text")
	case len(prompt) > m.cfg.MaxContext:
		return fmt.Errorf("transformer: prompt of %d tokens; the model takes %d", len(prompt), m.cfg.MaxContext)
	case !(o.Temperature >= 0) || o.Temperature > 1e6:
		return fmt.Errorf("transformer: temperature %g, want 0 to 10⁶", o.Temperature)
	case !(o.TopP >= 0 && o.TopP <= 1):
		return fmt.Errorf("transformer: top-p %g, want 0 to 1", o.TopP)
	case o.MaxTokens < 0 || o.TopLogprobs < 0:
		return fmt.Errorf("transformer: %d tokens and %d top log-probabilities, want none below 0", o.MaxTokens,
			o.TopLogprobs)
	}
	if err := m.check(prompt); err != nil {
		return err
	}
	// The last token chosen need not be read, so it may lie one past the context.
	s.room = min(s.Ask.Generate.MaxTokens, m.cfg.MaxContext-len(prompt)+1)
	if s.room > 0 {
		s.cache = m.newCache(len(prompt)+min(s.room-1, 32), len(prompt)+s.room-1)
	}
	s.random = rand.New(rand.NewPCG(s.Ask.Generate.Seed, 0x67656e6572617465))
	return nil
}

// A sampler holds buffers.
type sampler struct {
	scratch []float32
	order   []int32 // of a heap
	best    []int32
	probs   []float64
}

// choose appends the sequence's next token.
func (p *sampler) choose(s *Sequence, logits []float32) error {
	opt := &s.Ask.Generate
	normalizer := logSumExp(logits, p.scratch)
	if !finite(normalizer) {
		return errBroken
	}
	if top := p.top(logits, opt.TopLogprobs, normalizer); top != nil {
		s.out.Top = append(s.out.Top, top)
	}
	var token int32
	if opt.Temperature == 0 {
		for i, v := range logits {
			if v > logits[token] {
				token = int32(i)
			}
		}
	} else {
		token = p.sample(s, logits)
	}
	s.out.Tokens = append(s.out.Tokens, token)
	s.out.LogProbs = append(s.out.LogProbs, float64(logits[token])-normalizer)
	switch {
	case slices.Contains(opt.Stop, token) || opt.StopWhen != nil && opt.StopWhen(s.out.Tokens):
		s.out.Finish = FinishStop
	case len(s.out.Tokens) == s.room:
		s.out.Finish = FinishLength
	}
	return nil
}

// top are the likeliest k tokens, likeliest first; nil for none.
func (p *sampler) top(logits []float32, k int, normalizer float64) (top []TokenLogProb) {
	if k = min(k, len(logits)); k > 0 {
		top = make([]TokenLogProb, 0, k)
		for t := range p.likeliest(logits) {
			if top = append(top, TokenLogProb{t, float64(logits[t]) - normalizer}); len(top) == k {
				break
			}
		}
	}
	return top
}

// A tokenHeap is a heap of tokens, the likeliest first, equals by id.
type tokenHeap struct {
	tokens []int32
	logits []float32
}

func (h *tokenHeap) Len() int      { return len(h.tokens) }
func (h *tokenHeap) Swap(i, j int) { h.tokens[i], h.tokens[j] = h.tokens[j], h.tokens[i] }
func (h *tokenHeap) Push(any)      {}
func (h *tokenHeap) Pop() any      { return nil }
func (h *tokenHeap) Less(i, j int) bool {
	a, b := h.tokens[i], h.tokens[j]
	return h.logits[a] > h.logits[b] || h.logits[a] == h.logits[b] && a < b
}

// likeliest returns the tokens, likeliest first, equals by id. Of a large vocabulary few are asked for, so it is not
// sorted.
func (p *sampler) likeliest(logits []float32) iter.Seq[int32] {
	return func(yield func(int32) bool) {
		h := &tokenHeap{p.order[:0], logits}
		for i := range logits {
			h.tokens = append(h.tokens, int32(i))
		}
		p.order = h.tokens
		heap.Init(h)
		for last := len(logits) - 1; last >= 0 && yield(h.tokens[0]); last-- {
			h.tokens[0] = h.tokens[last]
			h.tokens = h.tokens[:last]
			heap.Fix(h, 0)
		}
	}
}

// sample draws a token from softmax(logits/Temperature), cut to the smallest set of likeliest tokens that has TopP.
func (p *sampler) sample(s *Sequence, logits []float32) int32 {
	top := float64(kernel.Max(logits))
	p.probs = p.probs[:0]
	sum := 0.0
	for _, v := range logits {
		e := kernel.Exp((float64(v) - top) / s.Ask.Generate.Temperature)
		p.probs = append(p.probs, e)
		sum += e
	}
	u := s.random.Float64()
	if s.Ask.Generate.TopP == 0 || s.Ask.Generate.TopP == 1 {
		return draw(float64(u*sum), len(logits), func(i int) (int32, float64) { return int32(i), p.probs[i] })
	}
	p.best = p.best[:0]
	mass := 0.0
	for t := range p.likeliest(logits) {
		p.best = append(p.best, t)
		if mass += p.probs[t]; mass >= float64(s.Ask.Generate.TopP*sum) {
			break
		}
	}
	return draw(float64(u*mass), len(p.best), func(i int) (int32, float64) { return p.best[i], p.probs[p.best[i]] })
}

// draw returns the first of n tokens at which the running mass exceeds u, or the last that has any.
func draw(u float64, n int, at func(i int) (int32, float64)) int32 {
	var last int32
	mass := 0.0
	for i := range n {
		token, p := at(i)
		if p == 0 {
			continue
		}
		last = token
		if mass += p; mass > u {
			break
		}
	}
	return last
}
