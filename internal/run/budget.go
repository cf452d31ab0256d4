package run

import "hallmark/internal/model"

// A Cost is what calls took, or are expected to.
type Cost struct {
	USD    float64
	Tokens int // prompt and answer
	Calls  int
}

func (c *Cost) add(d Cost, sign int) {
	c.USD += float64(sign) * d.USD
	c.Tokens += sign * d.Tokens
	c.Calls += sign * d.Calls
}

// costOf returns what an answer cost. Counts that no call can have, which servers do send, are cut to what one can.
func costOf(u model.Usage) Cost {
	const most = 100_000_000 // tokens
	return Cost{
		USD:    max(u.USD, 0),
		Tokens: min(max(u.PromptTokens, 0), most) + min(max(u.CompletionTokens, 0), most),
		Calls:  1,
	}
}

// A ledger keeps what was spent and what is set aside for calls in flight.
type ledger struct {
	cap             Budget
	spent, reserved Cost
}

// fits says whether c can be admitted now, and whether it ever can: what is set aside may turn out cheaper.
func (l *ledger) fits(c Cost) (now, ever bool) {
	under := func(held Cost) bool {
		// Sums of prices are off in their last bits; a call that fits exactly is to fit.
		return (l.cap.USD <= 0 || l.spent.USD < l.cap.USD && l.spent.USD+held.USD+c.USD <= l.cap.USD*(1+1e-9)) &&
			(l.cap.Tokens <= 0 || l.spent.Tokens+held.Tokens+c.Tokens <= l.cap.Tokens) &&
			(l.cap.Calls <= 0 || l.spent.Calls+held.Calls+c.Calls <= l.cap.Calls)
	}
	return under(l.reserved), under(Cost{})
}
