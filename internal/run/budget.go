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

func costOf(u model.Usage) cost {
	return cost{usd: u.USD, tokens: u.PromptTokens + u.CompletionTokens, calls: 1}
}

// A ledger keeps what was spent and what is set aside for calls in flight.
type ledger struct {
	cap             Budget
	spent, reserved cost
}

// fits says whether c can be admitted now, and whether it ever can: what is set aside may turn out cheaper.
func (l *ledger) fits(c cost) (now, ever bool) {
	under := func(held cost) bool {
		return (l.cap.USD <= 0 || l.spent.usd+held.usd+c.usd <= l.cap.USD) &&
			(l.cap.Tokens <= 0 || l.spent.tokens+held.tokens+c.tokens <= l.cap.Tokens) &&
			(l.cap.Calls <= 0 || l.spent.calls+held.calls+c.calls <= l.cap.Calls)
	}
	return under(l.reserved), under(cost{})
}
