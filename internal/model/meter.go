package model

import (
	"context"
	"errors"
)

// ErrBudget marks an error of a request that was not sent, as the budget has no room for what it may cost.
var ErrBudget = errors.New("the budget has no room for the request")

// A Meter is asked before a request is sent. Take sets aside what the request may cost at most. It returns a
// function to call once, with what the request took, or an error wrapping ErrBudget: then nothing may be sent. It
// is safe for concurrent use.
type Meter interface {
	Take(most Usage) (took func(Usage), err error)
}

type meterKey struct{}

// WithMeter returns a context whose requests are counted by the meter.
func WithMeter(ctx context.Context, m Meter) context.Context {
	return context.WithValue(ctx, meterKey{}, m)
}

// Take asks the meter of the context before a request is sent, as Meter.Take says; without a meter everything may
// be sent. Backends that talk to servers and programs call it for each request, as one Generate or Probe may send
// several. Others need not: theirs is one.
func Take(ctx context.Context, most Usage) (took func(Usage), err error) {
	if m, ok := ctx.Value(meterKey{}).(Meter); ok {
		return m.Take(most)
	}
	return func(Usage) {}, nil
}

// A Pricer is a Model that may know its prices before it answers: in USD for a token of the prompt and of the answer.
type Pricer interface {
	Price() (in, out float64, known bool)
}

// PriceOf returns the prices of a model, or false where they are not known before it answers.
func PriceOf(m Model) (in, out float64, known bool) {
	if p, ok := m.(Pricer); ok {
		return p.Price()
	}
	return 0, 0, false
}

// What templates and marks may add to a text, in tokens; those of common models add fewer than half.
const (
	messageTokens = 16
	requestTokens = 64
)

// MostTokens returns how many tokens a text of so many bytes in so many messages makes at most: a tokenizer makes
// no token of less than a byte, and its chat template adds at most 16 tokens to a message and 64 to a request.
func MostTokens(messages, bytes int) int { return bytes + messageTokens*messages + requestTokens }

// Most returns the tokens that a request takes at most, where the server keeps to MaxTokens, and false where it has
// no MaxTokens and so no bound. Each option is sent with the whole prompt, and one token is asked for behind it.
func Most(r Request) (u Usage, bounded bool) {
	one := MostTokens(len(r.Messages)+2, r.Size())
	if len(r.Options) == 0 {
		return Usage{PromptTokens: one, CompletionTokens: max(r.MaxTokens, 0)}, r.MaxTokens > 0
	}
	u = Usage{PromptTokens: one * len(r.Options), CompletionTokens: len(r.Options)}
	if r.Hidden {
		u.PromptTokens += one // the prompt alone, too
	}
	for _, o := range r.Options {
		u.PromptTokens += len(o)
	}
	return u, true
}
