package run

import "hallmark/internal/model"

// cost is what calls cost, or are expected to.
type cost struct {
	usd    float64
	tokens int
	calls  int
}

func (c *cost) add(d cost, sign int) {
	c.usd += float64(sign) * d.usd
	c.tokens += sign * d.tokens
	c.calls += sign * d.calls
}

// costOf returns what an answer cost. Counts that no call can have, which servers do send, are cut to what one can.
func costOf(u model.Usage) cost {
	const most = 100_000_000 // tokens
	return cost{
		usd:    max(u.USD, 0),
		tokens: min(max(u.PromptTokens, 0), most) + min(max(u.CompletionTokens, 0), most),
		calls:  1,
	}
}

// A ledger keeps what was spent and what is set aside for calls in flight.
type ledger struct {
	cap             Budget
	spent, reserved cost
}

// fits says whether c can be admitted now, and whether it ever can: what is set aside may turn out cheaper.
func (l *ledger) fits(c cost) (now, ever bool) {
	under := func(held cost) bool {
		// Sums of prices are off in their last bits; a call that fits exactly is to fit.
		return (l.cap.USD <= 0 || l.spent.usd < l.cap.USD && l.spent.usd+held.usd+c.usd <= l.cap.USD*(1+1e-9)) &&
			(l.cap.Tokens <= 0 || l.spent.tokens+held.tokens+c.tokens <= l.cap.Tokens) &&
			(l.cap.Calls <= 0 || l.spent.calls+held.calls+c.calls <= l.cap.Calls)
	}
	return under(l.reserved), under(cost{})
}
