package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"hallmark/internal/model"
	"hallmark/internal/run"
)

// A purse is the budget of a run, and what was spent of it that no record shows. What is asked before the calls is paid from its
// account.
type purse struct {
	run.Budget
	*run.Account
	session *run.Session // nil without a budget: then nothing is set aside in the store
	store   run.Store
	id      string // of the run
	now     func() time.Time

	closing sync.Mutex
	stored  run.Cost // spent, and in the store
}

// openPurse reads what the store knows to be spent.
func openPurse(ctx context.Context, store run.Store, id string, b run.Budget, now func() time.Time) (*purse, error) {
	p := &purse{Budget: b, store: store, id: id, now: now}
	var err error
	if b == (run.Budget{}) {
		p.stored, err = run.UsageCost(ctx, store, id)
	} else {
		p.session, p.stored, err = run.OpenSession(ctx, store, id, now)
	}
	p.Account = p.session.Account(b, p.stored)
	return p, err
}

// keep has the cost of each request before the calls stored as soon as it is known, so that a kill loses no more than those under way. What hinders
// it shows when the purse is closed.
func (p *purse) keep(ctx context.Context) { p.OnSettle(func() { _ = p.close(ctx) }) }

// close stores what was spent of the account and is not stored yet.
func (p *purse) close(ctx context.Context) error {
	p.closing.Lock()
	defer p.closing.Unlock()
	spent := p.Spent()
	more := run.Cost{USD: spent.USD - p.stored.USD, Tokens: spent.Tokens - p.stored.Tokens, Calls: spent.Calls - p.stored.Calls}
	if more == (run.Cost{}) {
		return nil
	}
	add := p.keeper
	if p.session != nil {
		add = func(_ context.Context, c run.Cost) error { return p.session.Spend(c) }
	}
	if err := add(context.WithoutCancel(ctx), more); err != nil {
		return err
	}
	p.stored = spent
	return nil
}

// keeper stores the cost of tries without a record.
func (p *purse) keeper(ctx context.Context, c run.Cost) error {
	return p.store.AddUsage(ctx, []run.Usage{{Run: p.id, Tries: c.Calls, Tokens: c.Tokens, USD: c.USD, At: p.now()}})
}

// end gives back what was set aside of a budget and not spent.
func (a *app) end(p *purse) {
	if p.session == nil {
		return
	}
	if err := p.session.Close(); err != nil {
		a.log.Warn(fmt.Sprintf("what was set aside of the budget stays spent: %s", oneLine(err.Error())))
	}
}

// spentBy explains an error that a budget without room caused.
func spentBy(err error) error {
	if errors.Is(err, model.ErrBudget) {
		return fmt.Errorf("%w; every request counts, the check of what a model can do, too: raise --budget", err)
	}
	return err
}
