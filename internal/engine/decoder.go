package engine

import (
	"math/rand/v2"
	"slices"
)

// A Decoder continues many prompts together, one token each at a step, and takes in further prompts between steps
// (continuous batching). What a prompt is given is the same bits as alone: it depends on no other prompt. A Decoder is
// for one goroutine.
type Decoder struct {
	m       *Model
	sampler sampler
	active  []*Sequence
}

// An Ask is a prompt and what is wanted of it.
type Ask struct {
	Prompt   []int32         // at least one token
	Generate GenerateOptions // MaxTokens 0 continues nothing
	LogProbs bool            // the log-probabilities of the prompt's own tokens, with Generate.TopLogprobs alternatives
}

// A Sequence is a prompt that a Decoder has taken in. Its fields are settled by Join; its Generation grows by a token
// with every Step until the sequence is Done.
type Sequence struct {
	Ask      Ask
	LogProbs []float64        // by token of the prompt, in nats; 0 for the first, which has no probability
	Top      [][]TokenLogProb // by token of the prompt, likeliest first; nil for the first
	Err      error            // why nothing is available, or no more

	out    Generation
	cache  *cache
	random *rand.Rand
	room   int // tokens the continuation may have
}

// Generation returns what the prompt was continued by so far; its slices grow and are not to be changed.
func (s *Sequence) Generation() Generation { return s.out }

// Done reports whether nothing more will come.
func (s *Sequence) Done() bool { return s.Err != nil || s.out.Finish != "" }

// NewDecoder returns a decoder without prompts.
func (m *Model) NewDecoder() *Decoder {
	return &Decoder{m: m, sampler: sampler{scratch: make([]float32, m.cfg.Vocab)}}
}

// Active returns the number of sequences that a Step continues.
func (d *Decoder) Active() int { return len(d.active) }

// Join takes in prompts, computing what they share once, and gives each that is continued its first token. An ask that
// cannot be met sets its sequence's Err and does not touch the others.
func (d *Decoder) Join(asks []Ask) []*Sequence {
	all := make([]*Sequence, len(asks))
	var reading []*Sequence
	var branches []branch
	for i, a := range asks {
		s := &Sequence{Ask: a}
		all[i] = s
		if s.Err = s.start(d.m); s.Err != nil {
			continue
		}
		if a.LogProbs {
			s.LogProbs, s.Top = make([]float64, len(a.Prompt)), make([][]TokenLogProb, len(a.Prompt))
		}
		if b := s.branch(); len(b.tokens) > 0 {
			reading, branches = append(reading, s), append(branches, b)
		}
	}
	err := d.m.walk(branches, func(i, pos int, logits []float32) error {
		if s := reading[i]; s.Err == nil { // one sequence's failure is not the others'
			s.Err = d.read(s, pos, logits)
		}
		return nil
	})
	for _, s := range all {
		switch {
		case s.Err != nil:
		case err != nil:
			s.Err = err
		case s.room == 0:
			s.out.Finish = FinishLength
		case s.out.Finish == "":
			s.cache.n = len(s.Ask.Prompt)
			d.active = append(d.active, s)
		}
	}
	return all
}

// branch is what must be run for the sequence to be read; without tokens if nothing must.
func (s *Sequence) branch() branch {
	n := len(s.Ask.Prompt)
	b := branch{tokens: s.Ask.Prompt, from: n - 1}
	if s.Ask.LogProbs {
		b.from = 0
	}
	switch s.room {
	case 0:
		b.tokens = b.tokens[:n-1] // the last token is predicted, never read
		if !s.Ask.LogProbs {
			b.tokens = nil
		}
	case 1: // no step will read the past
	default:
		b.keep = s.cache
	}
	return b
}

// read takes in the logits after a token of the prompt: the probability of the next, or after the last, a choice.
func (d *Decoder) read(s *Sequence, pos int, logits []float32) error {
	at := pos + 1
	if at == len(s.Ask.Prompt) {
		return d.sampler.choose(s, logits)
	}
	normalizer := logSumExp(logits, d.sampler.scratch)
	if !finite(normalizer) {
		return errBroken
	}
	s.LogProbs[at] = float64(logits[s.Ask.Prompt[at]]) - normalizer
	s.Top[at] = d.sampler.top(logits, s.Ask.Generate.TopLogprobs, normalizer)
	return nil
}

// Step gives each active sequence its next token and returns these sequences; those that are Done have left.
func (d *Decoder) Step() []*Sequence {
	stepped := slices.Clone(d.active)
	if len(stepped) == 0 {
		return nil
	}
	b := d.m.get()
	defer d.m.put(b)
	for row, s := range stepped {
		cache, tokens := s.cache, s.out.Tokens
		cache.reserve(cache.n + 1)
		b.tokens = append(b.tokens, tokens[len(tokens)-1])
		b.segments = append(b.segments, segment{row: row, n: 1, pos: cache.n, parent: -1, cache: cache})
		b.out = append(b.out, row)
	}
	b.forward(nil)
	for i, logits := range b.heads {
		s := stepped[i]
		s.cache.n++
		s.Err = d.sampler.choose(s, logits)
	}
	d.active = slices.DeleteFunc(d.active, (*Sequence).Done)
	return stepped
}

// Hidden returns the last hidden state after a token sequence, from which the head computes the logits: as States gives
// it for the last token.
func (m *Model) Hidden(tokens []int32) ([]float32, error) {
	s := Sequence{Ask: Ask{Prompt: tokens}}
	if err := s.start(m); err != nil {
		return nil, err
	}
	b := m.get()
	defer m.put(b)
	b.tokens = append(b.tokens, tokens...)
	b.segments = append(b.segments, segment{n: len(tokens), parent: -1})
	b.out = append(b.out, len(tokens)-1)
	b.forward(nil)
	return slices.Clone(b.normed[:m.cfg.Hidden]), nil
}
