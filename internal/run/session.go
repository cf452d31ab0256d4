package run

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"hallmark/internal/model"
)

// A Session is one process's part in the budget of a run: the store knows of all that it sends before it is sent.
// Two limits hold for each request, of which each sees what the other may miss:
//
//   - what the records and the usage show, what sessions held of it when this one began, what they took since, and
//     what this one spent and set aside is under the cap;
//   - so is what all sessions of the run ever took, also where a record is gone or another process's answer was
//     stored first.
//
// Where the session is of a Leased admission, it sets aside about a second's requests ahead in one write, and no more
// than a sixteenth of what is left, and waits for what other processes that live hold and may give back.
//
// What another process takes while this one runs may count twice, as a hold and as a record: that is never too
// little. It is safe for concurrent use.
type Session struct {
	ctx   context.Context
	store Store
	run   string // whose usage is noted
	now   func() time.Time

	// writing is held while the store is written. Who waits for it mostly finds that his need was written with that
	// of others.
	writing sync.Mutex
	row     Hold // as it is stored
	written time.Time
	shown   Cost // of own, in committed records and usage

	mu     sync.Mutex
	own    Cost // spent and set aside by this session
	aside  int  // requests of that, which are set aside
	opened Cost // by the others, when it began
	others Cost // and when the store was last asked
	alive  Cost // of that, what those that live hold and may give back
	lapsed Cost // of opened, what those held that do not live
	apart  Cost // by sessions of single runs that share the budget, before they shared it
	err    error

	block time.Duration // so much is set aside ahead; 0 where nothing is
	begun time.Time     // when a request was first covered
	short bool          // something waits for what others hold
}

// OpenSession begins a session of the run with this id. Where several runs share the budget these are all of them, of
// which the first keeps it: what sessions hold stands in the store under its id. It returns what was spent before, but
// for the records. The context is for its values: what is held is never cut short.
func OpenSession(ctx context.Context, store Store, runID string, now func() time.Time, sharing ...string) (*Session,
	Cost, error) {
	if len(sharing) == 0 {
		sharing = []string{runID}
	}
	s := &Session{ctx: context.WithoutCancel(ctx), store: store, run: runID, now: now, row: Hold{Run: sharing[0]}}
	// The holds are read before what they become, so that nothing is missed that another process stores meanwhile.
	holds, err := store.Holds(ctx, s.row.Run)
	if err != nil {
		return nil, Cost{}, err
	}
	var spent Cost
	for _, id := range sharing {
		of, err := UsageCost(ctx, store, id)
		if err != nil {
			return nil, Cost{}, err
		}
		spent = spent.Plus(of)
	}
	for _, id := range sharing[1:] {
		of, err := store.Holds(ctx, id)
		if err != nil {
			return nil, Cost{}, err
		}
		for i := range of {
			s.apart = s.apart.Plus(of[i].Total)
		}
	}
	for _, h := range holds {
		if h.Life == Lives { // what it holds counts among what others took since, until it is given back
			s.opened = s.opened.Plus(h.Total.Minus(h.Held))
			continue
		}
		spent, s.opened = spent.Plus(h.Held), s.opened.Plus(h.Total)
		if h.Life == Lapsed {
			s.lapsed = s.lapsed.Plus(h.Held)
		}
	}
	s.see(holds)
	return s, spent, nil
}

// Lapsed returns what processes held, when this session began, that ended without giving it back. It counts as spent:
// it may have been sent.
func (s *Session) Lapsed() Cost {
	if s == nil {
		return Cost{}
	}
	return s.lapsed
}

// see takes note of what the other sessions hold.
func (s *Session) see(holds []Hold) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.others, s.alive = Cost{}, Cost{}
	for _, h := range holds {
		s.others = s.others.Plus(h.Total)
		if h.Life == Lives && !h.Firm {
			s.alive = s.alive.Plus(h.Held)
		}
	}
}

// returnable returns what others hold and may give back, as far as it is worth to wait for that.
func (s *Session) returnable() Cost {
	if s == nil {
		return Cost{}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.block == 0 {
		return Cost{}
	}
	return s.alive
}

// wait says whether something waits for what others hold.
func (s *Session) wait(short bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.short = short
}

// renewal is how often the store is told that the process lives, where nothing else is written.
const renewal = Term / 4

// due says whether the store is to be told that the process lives, or asked what others hold.
func (s *Session) due() bool {
	if s == nil {
		return false
	}
	s.writing.Lock()
	defer s.writing.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err == nil && (s.short || s.row.ID != 0 && time.Since(s.written) >= renewal)
}

// waits says whether something waits for what others hold.
func (s *Session) waits() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.short
}

// setAside has what is taken within that time be set aside ahead; nothing for 0.
func (s *Session) setAside(block time.Duration) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.block = block
}

// ahead returns how much to set aside beside what the session took: about what it takes in the time of a block, on
// average, and a sixteenth of what is left at most, so that no process is left without.
func (s *Session) ahead(left Cost) Cost {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.block == 0 {
		return Cost{}
	}
	if s.begun.IsZero() {
		s.begun = time.Now()
	}
	share := s.block.Seconds() / max(time.Since(s.begun), time.Second).Seconds()
	part := func(own, left int) int { return max(0, min(int(share*float64(own)), left/16)) }
	return Cost{max(0, min(share*s.own.USD, left.USD/16)), part(s.own.Tokens, left.Tokens),
		part(s.own.Calls, left.Calls)}
}

// UsageCost returns what the store knows to be spent of a run beside the records.
func UsageCost(ctx context.Context, store Store, runID string) (Cost, error) {
	var spent Cost
	list, err := store.Usage(ctx, runID)
	for i := range list {
		spent = spent.Plus(list[i].Cost())
	}
	return spent, err
}

// Account returns the account of a budget of which some is spent, by this session and before. A session has one at a
// time; a nil one keeps the budget for this process alone.
func (s *Session) Account(b Budget, spent Cost) *Account {
	return &Account{cap: b, spent: spent, session: s}
}

// take notes what is set aside, with so many requests, or, below 0, given back. A nil Session does nothing, here and
// below.
func (s *Session) take(c Cost, aside int) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.own, s.aside = s.own.Plus(c), s.aside+aside
}

// beside returns what the other sessions took since this one began, and what all took.
func (s *Session) beside() (since, all Cost) {
	if s == nil {
		return Cost{}, Cost{}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.others.Minus(s.opened), s.others.Plus(s.own).Plus(s.apart)
}

// failed returns why the store could not be written.
func (s *Session) failed() error {
	if s == nil {
		return nil
	}
	_, err := s.taken()
	return err
}

// taken returns what the session spent and set aside, and why the store could not be written.
func (s *Session) taken() (own Cost, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.own, s.err
}

// hold returns the hold as it is to be stored where the session took so much in all. The caller has the lock for
// writing.
func (s *Session) hold(total Cost) Hold {
	h := s.row
	h.At = s.now()
	h.Total = total.beyond(Cost{})
	h.Held = total.beyond(s.shown)
	s.mu.Lock()
	h.Firm = s.aside <= 0 && total.beyond(s.own) == (Cost{})
	s.mu.Unlock()
	if h.Held.Calls == 0 && h.Held.Tokens == 0 && h.Held.USD < 1e-9*h.Total.USD {
		h.Held.USD = 0 // sums of prices are off in their last bits
	}
	return h
}

// cover makes sure that the store knows of all that is set aside. An error that wraps model.ErrBudget says that the
// others left no room: left says how much there is, and whether that does.
func (s *Session) cover(left func() (Cost, bool)) error {
	if s == nil {
		return nil
	}
	s.writing.Lock()
	defer s.writing.Unlock()
	own, err := s.taken()
	if err != nil || own.beyond(s.row.Total) == (Cost{}) {
		return err
	}
	h := s.hold(own)
	err = s.store.PutHold(s.ctx, &h, func(put *Hold, others []Hold) error {
		s.see(others)
		room, ok := left()
		if !ok {
			return model.ErrBudget
		}
		*put = s.hold(own.Plus(s.ahead(room)))
		return nil
	})
	return s.wrote(h, err)
}

// refresh has the store know that the process lives, and learns what the others hold. It gives back what was set aside
// ahead where that is asked for.
func (s *Session) refresh(back bool) error {
	s.writing.Lock()
	defer s.writing.Unlock()
	own, err := s.taken()
	if err != nil {
		return err
	}
	if s.row.ID == 0 && own == (Cost{}) { // it has nothing to give back
		holds, err := s.store.Holds(s.ctx, s.row.Run)
		if err == nil {
			s.see(holds)
		}
		return s.wrote(s.row, err)
	}
	h := s.hold(s.row.Total)
	if back { // and takes nothing: what is reserved and not covered has yet to be asked for
		h = s.hold(own.least(s.row.Total))
	}
	err = s.store.PutHold(s.ctx, &h, func(_ *Hold, others []Hold) error {
		s.see(others)
		return nil
	})
	return s.wrote(h, err)
}

// wrote takes note of what was stored, or why not.
func (s *Session) wrote(h Hold, err error) error {
	switch {
	case err == nil:
		s.row, s.written = h, time.Now()
	case !errors.Is(err, model.ErrBudget):
		err = fmt.Errorf("store what is held of the budget: %w", err)
		s.mu.Lock()
		s.err = err
		s.mu.Unlock()
	}
	return err
}

// commit stores records, what requests took that no record shows, and that so much of what the session took is now
// in the store.
func (s *Session) commit(records []Record, unrecorded, paid Cost) error {
	s.writing.Lock()
	defer s.writing.Unlock()
	s.shown = s.shown.Plus(paid)
	h := s.hold(s.row.Total)
	left, err := s.store.AddHeld(s.ctx, &h, records, s.usage(unrecorded))
	if err != nil {
		s.shown = s.shown.Minus(paid)
	}
	if err := s.wrote(h, err); err != nil || len(left) == 0 {
		return err
	}
	var lost Cost // another process was answered first: no record shows what this one took
	for _, i := range left {
		lost = lost.Plus(RecordCost(&records[i]))
	}
	h = s.hold(s.row.Total)
	_, err = s.store.AddHeld(s.ctx, &h, nil, s.usage(lost))
	return s.wrote(h, err)
}

func (s *Session) usage(c Cost) []Usage {
	if c == (Cost{}) {
		return nil
	}
	return []Usage{{Run: s.run, Tries: c.Calls, Tokens: c.Tokens, USD: c.USD, At: s.now()}}
}

// Spend stores what requests took that no Execute makes.
func (s *Session) Spend(c Cost) error { return s.commit(nil, c, c) }

// Close gives back what was set aside and not spent. A session that is not closed keeps it.
func (s *Session) Close() error {
	s.writing.Lock()
	defer s.writing.Unlock()
	if s.row.ID == 0 {
		return nil
	}
	own, _ := s.taken()
	h := s.hold(own)
	return s.wrote(h, s.store.PutHold(s.ctx, &h, nil))
}
