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
	store run.Store
	id    string // of the run

	closing sync.Mutex
	stored  run.Cost // spent, and in the store
}

// openPurse reads what the store knows to be spent.
func openPurse(ctx context.Context, store run.Store, id string, b run.Budget) (*purse, error) {
	list, err := store.Usage(ctx, id)
	if err != nil {
		return nil, err
	}
	var spent run.Cost
	for i := range list {
		spent = spent.Plus(list[i].Cost())
	}
	return &purse{Budget: b, Account: run.NewAccount(b, spent), store: store, id: id, stored: spent}, nil
}

// keep has the cost of each request before the calls stored as soon as it is known, so that a kill loses no more than those under way. What hinders
// it shows when the purse is closed.
func (p *purse) keep(ctx context.Context, now func() time.Time) {
	p.OnSettle(func() { _ = p.close(ctx, now) })
}

// close stores what was spent of the account and is not stored yet.
func (p *purse) close(ctx context.Context, now func() time.Time) error {
	p.closing.Lock()
	defer p.closing.Unlock()
	spent := p.Spent()
	more := run.Cost{USD: spent.USD - p.stored.USD, Tokens: spent.Tokens - p.stored.Tokens, Calls: spent.Calls - p.stored.Calls}
	if more == (run.Cost{}) {
		return nil
	}
	if err := p.keeper(now)(context.WithoutCancel(ctx), more); err != nil {
		return err
	}
	p.stored = spent
	return nil
}

// keeper returns what stores the cost of tries without a record.
func (p *purse) keeper(now func() time.Time) func(context.Context, run.Cost) error {
	return func(ctx context.Context, c run.Cost) error {
		return p.store.AddUsage(ctx, []run.Usage{{Run: p.id, Tries: c.Calls, Tokens: c.Tokens, USD: c.USD, At: now()}})
	}
}

// spentBy explains an error that a budget without room caused.
func spentBy(err error) error {
	if errors.Is(err, model.ErrBudget) {
		return fmt.Errorf("%w; every request counts, the check of what a model can do, too: raise --budget", err)
	}
	return err
}
