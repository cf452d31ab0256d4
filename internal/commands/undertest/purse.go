package undertest

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
	"time"

	"hallmark/internal/model"
	"hallmark/internal/run"
	"hallmark/internal/stat/figure"
)

// A Purse is the budget of a run, and what was spent of it that no record shows. What is asked before the calls is
// paid from its account.
type Purse struct {
	run.Budget
	*run.Account
	Session *run.Session // nil without a budget: then nothing is set aside in the store
	store   run.Store
	id      string // of the run
	now     func() time.Time

	closing sync.Mutex
	stored  run.Cost // spent, and in the store
	before  run.Cost // spent by other runs that share the budget
}

// After has what runs before this one spent of the same budget count against it. It is called before anything is asked.
func (p *Purse) After(spent run.Cost) {
	p.before = spent
	p.Account = p.Session.Account(p.Budget, p.stored.Plus(spent))
}

// OpenPurse reads what the store knows to be spent. Where several runs share the budget it is given the ids of all, the
// one first that keeps it.
func OpenPurse(ctx context.Context, store run.Store, id string, b run.Budget, now func() time.Time,
	sharing ...string) (*Purse, error) {
	p := &Purse{Budget: b, store: store, id: id, now: now}
	var err error
	if b == (run.Budget{}) {
		p.stored, err = run.UsageCost(ctx, store, id)
	} else {
		p.Session, p.stored, err = run.OpenSession(ctx, store, id, now, sharing...)
	}
	p.Account = p.Session.Account(b, p.stored)
	return p, err
}

// Lost says what processes that ended without giving it back had set aside of the budget, as far as the store knows;
// "" where nothing is.
func (p *Purse) Lost() string {
	c := p.Session.Lapsed()
	if c == (run.Cost{}) {
		return ""
	}
	return fmt.Sprintf("processes that ended without giving it back had set aside %d calls, %d tokens and %s USD of "+
		"the budget: it counts as spent, as it may have been sent", c.Calls, c.Tokens, figure.Digits(c.USD, 4))
}

// Keep has the cost of each request before the calls stored as soon as it is known, so that a kill loses no more
// than those under way. What hinders it shows when the purse is closed.
func (p *Purse) Keep(ctx context.Context) { p.OnSettle(func() { _ = p.Close(ctx) }) }

// Close stores what was spent of the account and is not stored yet.
func (p *Purse) Close(ctx context.Context) error {
	p.closing.Lock()
	defer p.closing.Unlock()
	spent := p.Spent().Minus(p.before)
	more := spent.Minus(p.stored)
	if math.Abs(more.USD) < 1e-9*p.before.USD { // sums of prices are off in their last bits
		more.USD = 0
	}
	if more == (run.Cost{}) {
		return nil
	}
	add := p.Keeper
	if p.Session != nil {
		add = func(_ context.Context, c run.Cost) error { return p.Session.Spend(c) }
	}
	if err := add(context.WithoutCancel(ctx), more); err != nil {
		return err
	}
	p.stored = spent
	return nil
}

// Keeper stores the cost of tries without a record.
func (p *Purse) Keeper(ctx context.Context, c run.Cost) error {
	return p.store.AddUsage(ctx, []run.Usage{{Run: p.id, Tries: c.Calls, Tokens: c.Tokens, USD: c.USD, At: p.now()}})
}

// SpentBy explains an error that a budget without room caused.
func SpentBy(err error) error {
	if errors.Is(err, model.ErrBudget) {
		return fmt.Errorf("%w; every request counts, the check of what a model can do, too: raise --budget", err)
	}
	return err
}

// End gives back what was set aside of the budget and not spent.
func (p *Purse) End() error {
	if p.Session == nil {
		return nil
	}
	return p.Session.Close()
}
