package run

import (
	"math"
	"time"

	"hallmark/internal/model"
)

// A control (rate controller) decides when the next request may go to one model, and learns from what comes back. Only
// Execute's loop touches it.
type control struct {
	model    model.Model
	batcher  model.Batcher // nil if the model is none
	batch    int           // calls handed to it together
	identity string

	line Line // who keeps the limits that are set for the model

	admitted int // calls admitted and without an outcome
	active   int // of those, on their way now
	// limit is how many calls may be on their way: additive increase on success, halved when the server refuses for
	// its rate limit, at most once for the requests that were under way together.
	limit, ceiling float64
	cut            time.Time // when limit was last halved
	until          time.Time // nothing is sent before: the server asked for a wait

	ratio float64 // tokens an answered call took in all, per estimated prompt token
	price price

	worked       *Call // the cheapest that is known to work, now or, by its record, earlier
	workedTokens int   // that it takes at most
	trial        trial // of refusals that may speak of the model
}

// A price is what a model's tokens cost, in USD for one.
type price struct {
	in, out float64
	given   bool // before any answer; else it is that of the dearest answer
	known   bool
}

// newControl returns the rate control of the model with the identity; the model itself is added where it is asked.
func newControl(identity string, l Line, opt Options) *control {
	return &control{identity: identity, line: l, limit: float64(opt.Concurrency), ceiling: float64(opt.Concurrency),
		ratio: 1,
		batch: min(leastBatch, opt.Batch)}
}

// setModel enters the model where it is asked.
func (p *control) setModel(m model.Model) {
	p.model = m
	p.batcher, _ = m.(model.Batcher)
	if in, out, known := model.PriceOf(m); known {
		p.price = price{in: in, out: out, given: true, known: true}
	}
}

// PromptTokens estimates the prompt's tokens from its bytes, four to a token as is usual for English; ratio corrects
// it from the first answer on. A scored option is sent with the prompt.
func PromptTokens(r model.Request) int {
	n := len(r.System) + len(r.Prompt)
	for _, m := range r.Messages {
		n += len(m.Text)
	}
	for _, o := range r.Options {
		n += len(o)
	}
	if k := len(r.Options); k > 1 {
		n += (k - 1) * (len(r.System) + len(r.Prompt))
	}
	return n/4 + 1
}

// cost returns what a request costs that takes so many tokens.
func (p price) cost(u model.Usage) Cost {
	in, out := tokensOf(u)
	c := costOf(u)
	c.USD = max(c.USD, p.in*float64(in)+p.out*float64(out))
	return c
}

// charge is the number of tokens a call takes from the rate limit before its usage is known.
func (p *control) charge(prompt int) int { return int(math.Ceil(p.ratio * float64(prompt))) }

// full says that n more calls may not be sent until some that are under way come back.
func (p *control) full(n int) bool { return p.active > 0 && float64(p.active+n) > p.limit }

// A batch grows from leastBatch while it is answered fast, for larger ones share more, and shrinks again while it is
// slow, for what is not answered is not committed.
const (
	leastBatch = 32
	fastBatch  = time.Second
	slowBatch  = 8 * time.Second
)

// answerBatch takes note of how long a batch of n calls took.
func (p *control) answerBatch(n int, took time.Duration, most int) {
	switch {
	case n < p.batch: // says nothing about a full one
	case took < fastBatch:
		p.batch = min(2*p.batch, most)
	case took > slowBatch:
		p.batch = max(p.batch/2, min(leastBatch, most))
	}
}

// answer takes note of a call that was answered: there is room for more, unless it took more tokens than it was
// charged for.
func (p *control) answer(now time.Time, prompt int, u model.Usage) {
	p.limit = min(p.limit+1/p.limit, p.ceiling)
	if over := costOf(u).Tokens - p.charge(prompt); over > 0 {
		p.line.Owe(now, over) // a debt: later calls wait for it
	}
	p.learn(prompt, u)
}

// learn learns from an answer, also a stored one, how many tokens a call takes and what they cost.
func (p *control) learn(prompt int, u model.Usage) {
	used := costOf(u)
	if used.Tokens > 0 {
		p.ratio += 0.1 * (float64(used.Tokens)/float64(prompt) - p.ratio)
	}
	if p.price.given {
		return
	}
	if p.price.known = true; used.Tokens > 0 {
		p.price.in = max(p.price.in, used.USD/float64(used.Tokens))
		p.price.out = p.price.in
	}
}

// slow slows down after a refusal for the rate limit of a request that was sent at the given time.
func (p *control) slow(now, sent time.Time, wait time.Duration) {
	if sent.After(p.cut) {
		p.limit = max(1, p.limit/2)
		p.cut = now
	}
	if t := now.Add(wait); t.After(p.until) {
		p.until = t
	}
}
