package run

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"

	"hallmark/internal/model"
)

// A Cost is what calls took, or are expected to.
type Cost struct {
	USD    float64
	Tokens int // prompt and answer
	Calls  int // requests sent, whatever came of them
}

// mostCost is where sums of costs stop, above all that a budget can be: so a sum is never below its parts.
const mostCost = 1 << 60

// Plus returns c and d together.
func (c Cost) Plus(d Cost) Cost {
	add := func(a, b int) int { return min(min(a, mostCost)+min(b, mostCost), mostCost) }
	return Cost{min(c.USD+d.USD, mostCost), add(c.Tokens, d.Tokens), add(c.Calls, d.Calls)}
}

// isCost reports whether no part is negative or no number.
func (c Cost) isCost() bool {
	return c.USD >= 0 && !math.IsInf(c.USD, 1) && c.Tokens >= 0 && c.Calls >= 0
}

// beyond returns what of c is above d, never less than 0.
func (c Cost) beyond(d Cost) Cost {
	return Cost{max(c.USD-d.USD, 0), max(c.Tokens-d.Tokens, 0), max(c.Calls-d.Calls, 0)}
}

// Minus returns c without d, also where that is below 0.
func (c Cost) Minus(d Cost) Cost { return Cost{c.USD - d.USD, c.Tokens - d.Tokens, c.Calls - d.Calls} }

// most returns the larger of each part.
func (c Cost) most(d Cost) Cost {
	return Cost{max(c.USD, d.USD), max(c.Tokens, d.Tokens), max(c.Calls, d.Calls)}
}

// least returns the smaller of each part.
func (c Cost) least(d Cost) Cost {
	return Cost{min(c.USD, d.USD), min(c.Tokens, d.Tokens), min(c.Calls, d.Calls)}
}

// mostTokens is more than any call has: counts that servers send may be anything.
const mostTokens = 100_000_000

func tokensOf(u model.Usage) (in, out int) {
	return min(max(u.PromptTokens, 0), mostTokens), min(max(u.CompletionTokens, 0), mostTokens)
}

// costOf returns what an answer cost. Counts that no call can have, which servers do send, are cut to what one can.
func costOf(u model.Usage) Cost {
	in, out := tokensOf(u)
	return Cost{USD: max(u.USD, 0), Tokens: in + out, Calls: 1}
}

// RecordCost returns what a record counts against a budget: a call for each of its tries, and the tokens and the
// price of its answer. Where the server did not count the tokens, it is the most that the request can have taken.
func RecordCost(r *Record) Cost {
	c := Cost{Calls: max(r.Attempts, 1)}
	if r.Response == nil {
		return c
	}
	of := costOf(r.Response.Usage)
	c.USD, c.Tokens = of.USD, of.Tokens
	if r.Response.Usage.Estimated {
		most, _ := model.Most(r.Call.Request)
		c.Tokens = max(c.Tokens, costOf(most).Tokens)
	}
	return c
}

// An Account keeps what was spent of a budget and what is set aside for requests under way. It is safe for
// concurrent use.
type Account struct {
	cap             Budget
	session         *Session // that the store knows; nil where this process alone keeps the budget
	mu              sync.Mutex
	spent, reserved Cost
	settled         func() // may be nil
}

// Spent returns what was spent so far, without what is set aside.
func (a *Account) Spent() Cost {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.spent
}

// reserve sets c aside if it fits under the cap now, and says whether it does, and whether it ever can: what is set
// aside may turn out cheaper.
func (a *Account) reserve(c Cost) (now, ever bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	since, all := a.session.beside()
	spent := a.spent.Plus(since)
	now = a.under(spent.Plus(a.reserved), c) && a.under(all, c)
	back := a.session.returnable()
	ever = a.under(spent.Minus(back), c) && a.under(all.Minus(a.reserved).Minus(back), c)
	if back != (Cost{}) {
		a.session.wait(!now)
	}
	if now {
		a.reserved = a.reserved.Plus(c)
		a.session.take(c, c.Calls)
	}
	return now, ever
}

// cover has the store know of what is set aside, c of it for a request about to be sent. Where that fails, c is
// given back: other processes left no room (model.ErrBudget), or the store cannot be written.
func (a *Account) cover(c Cost) error {
	err := a.session.cover(func() (Cost, bool) {
		a.mu.Lock()
		defer a.mu.Unlock()
		since, all := a.session.beside()
		taken := a.spent.Plus(a.reserved).Plus(since)
		return a.left(taken.most(all)), a.within(taken) && a.within(all)
	})
	if err != nil {
		a.settle(c, Cost{})
	}
	if errors.Is(err, model.ErrBudget) {
		return fmt.Errorf("%w; other processes run the same plan", noRoom(c, a))
	}
	return err
}

// within says whether so much is no more than the cap.
func (a *Account) within(c Cost) bool {
	return (a.cap.USD <= 0 || c.USD <= a.cap.USD*(1+1e-9)) &&
		(a.cap.Tokens <= 0 || c.Tokens <= a.cap.Tokens) &&
		(a.cap.Calls <= 0 || c.Calls <= a.cap.Calls)
}

// left returns what the cap leaves beside c; much where there is none.
func (a *Account) left(c Cost) Cost {
	left := Cost{mostCost, mostCost, mostCost}
	if a.cap.USD > 0 {
		left.USD = a.cap.USD - c.USD
	}
	if a.cap.Tokens > 0 {
		left.Tokens = a.cap.Tokens - c.Tokens
	}
	if a.cap.Calls > 0 {
		left.Calls = a.cap.Calls - c.Calls
	}
	return left
}

// rest gives back what was set aside ahead, as nothing is sent for a while.
func (a *Account) rest() error {
	s := a.session
	if s == nil {
		return nil
	}
	s.mu.Lock()
	rested := s.block == 0 || s.err != nil
	s.short = false
	s.mu.Unlock()
	if rested {
		return nil
	}
	return s.refresh(true)
}

// under says whether c fits under the cap on top of what is held.
func (a *Account) under(held, c Cost) bool {
	// Sums of prices are off in their last bits; a call that fits exactly is to fit.
	return (a.cap.USD <= 0 || held.USD < a.cap.USD) && a.within(held.Plus(c))
}

// settle replaces what was set aside by what was spent.
func (a *Account) settle(held, spent Cost) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.reserved = a.reserved.Minus(held)
	a.spent = a.spent.Plus(spent)
	a.session.take(spent.Minus(held), -held.Calls)
}

// found counts what a record shows to be spent.
func (a *Account) found(c Cost) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.spent = a.spent.Plus(c)
}

// OnSettle has a function called after each request that a Meter paid, with the cost known. It may be called by
// several goroutines.
func (a *Account) OnSettle(f func()) { a.settled = f }

// Meter returns a context in which every request that the model sends to a server or a program is paid from the
// account, each as it is sent: for those that no Execute makes, such as a check of abilities. A request that finds
// no room is an error wrapping model.ErrBudget.
func (a *Account) Meter(ctx context.Context, m model.Model) context.Context {
	p := newControl(m.Identity(), nil, Options{})
	p.setModel(m)
	return model.WithMeter(ctx, &freeMeter{a, p.price})
}

// A freeMeter pays each request on its own.
type freeMeter struct {
	account *Account
	price   price
}

func (m *freeMeter) Take(most model.Usage) (func(model.Usage), error) {
	held := m.price.cost(most)
	if now, _ := m.account.reserve(held); !now {
		return nil, noRoom(held, m.account)
	}
	if err := m.account.cover(held); err != nil {
		return nil, err
	}
	return func(u model.Usage) {
		m.account.settle(held, m.price.cost(u))
		if m.account.settled != nil {
			m.account.settled()
		}
	}, nil
}

func noRoom(c Cost, a *Account) error {
	return fmt.Errorf("%w, of at most %d tokens: %d calls and %d tokens are spent", model.ErrBudget, c.Tokens,
		a.Spent().Calls, a.Spent().Tokens)
}

// A meter pays the requests of one try of a call. The first is paid from what was set aside for the try, and so are
// others that what is left of it covers; the rest from the account.
type meter struct {
	account *Account
	cost    func(model.Usage) Cost

	mu   sync.Mutex
	held Cost // set aside in all
	free Cost // of it, for requests that are not yet sent
	open Cost // of it, for requests under way
	used Cost // what the others took
	sent bool // the backend asks before it sends
}

func (m *meter) Take(most model.Usage) (func(model.Usage), error) {
	c := m.cost(most)
	m.mu.Lock()
	defer m.mu.Unlock()
	if more := c.beyond(m.free); more != (Cost{}) {
		if now, _ := m.account.reserve(more); !now {
			return nil, noRoom(c, m.account)
		}
		if err := m.account.cover(more); err != nil {
			return nil, err
		}
		m.held, m.free = m.held.Plus(more), m.free.Plus(more)
	}
	m.free = m.free.beyond(c)
	m.open = m.open.Plus(c)
	m.sent = true
	return func(u model.Usage) {
		m.mu.Lock()
		defer m.mu.Unlock()
		used := m.cost(u)
		m.open = m.open.beyond(c)
		m.used = m.used.Plus(used)
		m.free = m.free.Plus(c.beyond(used))
	}, nil
}

// close returns what was set aside for the try, and what it took: requests still under way count with the most.
func (m *meter) close() (held, used Cost, sent bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.held, m.used.Plus(m.open), m.sent
}

// took returns what a try took whose backend does not say what it sends, from what was set aside for it: what the
// answer counts, where the server counted; a call and no tokens where it refused before any work; and else all, as
// the work may have been done and billed.
func took(held Cost, res *model.Result) Cost {
	var t *model.Transient
	switch err := res.Err; {
	case err == nil && res.Response.Usage.Estimated:
		return held.most(costOf(res.Response.Usage))
	case err == nil:
		return costOf(res.Response.Usage)
	case errors.As(err, &t) && t.Limited, errors.Is(err, model.ErrGone), errors.Is(err, model.ErrTooLong):
		return Cost{Calls: 1}
	}
	return held
}
