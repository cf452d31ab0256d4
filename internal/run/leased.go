package run

import (
	"context"
	"crypto/rand"
	"maps"
	"math"
	"slices"
	"sync"
	"time"
)

// blockTime is for how long a lease is taken: about a second, so that ten processes ask the store some ten times a
// second.
const blockTime = time.Second

// A Leased is an Admission that shares its limits, and the budget of its session, with all processes that use the same
// store, which lends it a part for about a second at a time. While it cannot reach the store it lets in less and less,
// and soon nothing.
type Leased struct {
	store   LeaseStore
	session *Session // nil without a budget
	id      string
	ctx     context.Context
	end     context.CancelFunc
	ended   chan struct{}
	kick    chan struct{} // something is short: the store is to be asked soon
	changed chan struct{}

	mu    sync.Mutex
	lines map[string]*leasedLine
	err   error
}

var _ Admission = (*Leased)(nil)

// Lease returns an admission for a process and its session, which may be nil. It is to be closed; the context is for
// its values.
func Lease(ctx context.Context, store LeaseStore, s *Session) *Leased {
	l := &Leased{store: store, session: s, id: rand.Text(), ended: make(chan struct{}), kick: make(chan struct{}, 1),
		changed: make(chan struct{}, 1), lines: map[string]*leasedLine{}}
	l.ctx, l.end = context.WithCancel(context.WithoutCancel(ctx))
	s.setAside(blockTime)
	go l.keep()
	return l
}

// Account implements Admission.
func (l *Leased) Account(b Budget, spent Cost) *Account { return l.session.Account(b, spent) }

// Changed implements Admission.
func (l *Leased) Changed() <-chan struct{} { return l.changed }

// Err implements Admission.
func (l *Leased) Err() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.err
}

// Line implements Admission.
func (l *Leased) Line(identity string, limits Limits) Line {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.lines[identity] == nil {
		l.lines[identity] = &leasedLine{of: l, limits: limits, requests: slots{perMinute: limits.RPM},
			tokens: slots{perMinute: limits.TPM}}
	}
	return l.lines[identity]
}

// Close gives back what is leased.
func (l *Leased) Close() error {
	l.end()
	<-l.ended
	l.mu.Lock()
	defer l.mu.Unlock()
	l.session.setAside(0)
	if l.err != nil {
		return nil // it was told
	}
	var asks []Ask
	now := time.Now()
	for _, identity := range slices.Sorted(maps.Keys(l.lines)) {
		if p := l.lines[identity]; !p.renewed.IsZero() {
			asks = append(asks, Ask{Model: identity, InFlight: p.limits.InFlight, Requests: p.requests.back(now),
				Tokens: p.tokens.back(now)})
		}
	}
	if len(asks) == 0 {
		return nil
	}
	_, err := l.store.Lease(context.WithoutCancel(l.ctx), l.id, asks)
	return err
}

// keep asks the store for what is short, and has it know that the process lives, until the end.
func (l *Leased) keep() {
	defer close(l.ended)
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-l.ctx.Done():
			return
		case <-l.kick:
		case <-timer.C:
		}
		wait, err := l.renew()
		if l.ctx.Err() != nil {
			return
		}
		if err != nil {
			l.mu.Lock()
			l.err = err
			l.mu.Unlock()
			tell(l.changed)
			return
		}
		timer.Reset(wait)
	}
}

// tell sends a signal, unless one is under way.
func tell(to chan<- struct{}) {
	select {
	case to <- struct{}{}:
	default:
	}
}

// renew asks the store for what is due, and returns when something is again.
func (l *Leased) renew() (wait time.Duration, err error) {
	if l.session.due() {
		back := l.session.waits()
		if err := l.session.refresh(back); err != nil {
			return 0, err
		}
		if back {
			tell(l.changed)
		}
	}
	l.mu.Lock()
	now := time.Now()
	wait = blockTime
	var asks []Ask
	var asking []*leasedLine
	for _, identity := range slices.Sorted(maps.Keys(l.lines)) {
		p := l.lines[identity]
		a, due := p.ask(now)
		if due <= 0 {
			a.Model, p.held = identity, true
			asks, asking = append(asks, a), append(asking, p)
		} else {
			wait = min(wait, due)
		}
	}
	l.mu.Unlock()
	if len(asks) == 0 {
		return wait, nil
	}
	grants, err := l.store.Lease(l.ctx, l.id, asks)
	if err != nil {
		return 0, err
	}
	l.mu.Lock()
	then := time.Now()
	for i, p := range asking {
		p.grant(now, then, &asks[i], &grants[i])
	}
	l.mu.Unlock()
	tell(l.changed)
	return wait, nil
}

// A leasedLine is the Line of a Leased, whose lock it uses.
type leasedLine struct {
	of     *Leased
	limits Limits

	want, inside int
	seats        int       // that inside may be
	renewed      time.Time // when they were asked for
	held         bool      // the store is being asked: until it answers no more are in flight than it was told
	told         int

	requests, tokens         slots
	needRequests, needTokens int // that somebody waits for
}

// Want implements Line.
func (p *leasedLine) Want(calls int) {
	p.of.mu.Lock()
	defer p.of.mu.Unlock()
	p.want = calls
}

// Enter implements Line.
func (p *leasedLine) Enter(n int) bool {
	p.of.mu.Lock()
	defer p.of.mu.Unlock()
	if p.limits.InFlight > 0 {
		seats := p.seats
		if p.held {
			seats = min(seats, p.told)
		}
		if past(p.renewed, time.Now()) >= Term {
			seats = 0
		}
		if alone := n > 1 && p.inside == 0 && seats > 0; p.inside+n > seats && !alone {
			if past(p.renewed, time.Now()) >= blockTime {
				tell(p.of.kick)
			}
			return false
		}
	}
	p.inside += n
	return true
}

// Leave implements Line.
func (p *leasedLine) Leave(n int) {
	p.of.mu.Lock()
	defer p.of.mu.Unlock()
	p.inside -= n
}

// Throttle implements Line.
func (p *leasedLine) Throttle(now time.Time, requests, tokens int) (wait time.Duration, ok bool) {
	p.of.mu.Lock()
	defer p.of.mu.Unlock()
	p.needRequests, p.needTokens = p.requests.lacks(now, requests), p.tokens.lacks(now, tokens)
	if p.needRequests > 0 || p.needTokens > 0 {
		tell(p.of.kick)
		return 0, false
	}
	due := p.requests.take(requests)
	if t := p.tokens.take(tokens); t.After(due) {
		due = t
	}
	return max(due.Sub(now), 0), true
}

// Owe implements Line.
func (p *leasedLine) Owe(_ time.Time, tokens int) {
	p.of.mu.Lock()
	defer p.of.mu.Unlock()
	p.tokens.owed = min(p.tokens.owed+tokens, p.tokens.most())
}

// past returns how long ago it was, by the clock that is further: one stands still while the machine sleeps.
func past(t, now time.Time) time.Duration { return max(now.Sub(t), now.Round(0).Sub(t.Round(0))) }

// ask returns what to ask the store for, and when that is due.
func (p *leasedLine) ask(now time.Time) (a Ask, due time.Duration) {
	a = Ask{InFlight: p.limits.InFlight, Keep: p.inside, Want: max(p.want, p.inside)}
	due = math.MaxInt64
	if p.limits.InFlight > 0 && (a.Want > 0 || p.seats > 0) {
		due = blockTime - past(p.renewed, now)
	}
	if p.needRequests > 0 || p.needTokens > 0 {
		soon := p.requests.last(now)
		if t := p.tokens.last(now); t.After(soon) {
			soon = t
		}
		due = min(due, soon.Sub(now)-blockTime/2)
	}
	if due > 0 {
		return a, due
	}
	p.told = p.inside
	a.Requests = Share{PerMinute: p.limits.RPM, Need: p.needRequests}
	if p.needRequests > 0 {
		a.Requests.Want = a.Want
	}
	a.Tokens = Share{PerMinute: p.limits.TPM, Need: p.needTokens, Want: p.needTokens * min(a.Want, 1<<10)}
	return a, due
}

// grant takes in what was granted: asked for at now, answered at then.
func (p *leasedLine) grant(now, then time.Time, a *Ask, g *Grant) {
	p.held = false
	p.renewed, p.seats = now, g.Seats
	if a.Want == 0 {
		p.seats = 0
	}
	p.requests.add(then, g.Requests)
	p.tokens.add(then, g.Tokens)
	p.needRequests, p.needTokens = 0, 0
}

// slots are units of a rate that are granted and not taken, in their order.
type slots struct {
	perMinute int // 0 is no limit
	owed      int
	runs      []slotRun
	end       time.Time // of the last, by the store's clock
}

type slotRun struct {
	at time.Time // of the first
	n  int
}

// most is how much is asked for at once at most: an hour's worth, as what a server says of its tokens may be anything.
func (s *slots) most() int { return 60 * s.perMinute }

// lacks returns how many units are to be granted before n can be taken. Those that nobody took within the time of a
// block are lost: else many of them could be taken at once.
func (s *slots) lacks(now time.Time, n int) int {
	if s.perMinute == 0 || n <= 0 {
		return 0
	}
	have, unit := 0, every(s.perMinute)
	for len(s.runs) > 0 {
		r := &s.runs[0]
		late := min(r.n, max(0, int(math.Ceil(float64(now.Sub(r.at)-blockTime)/unit))))
		r.at, r.n = r.at.Add(time.Duration(float64(late)*unit)), r.n-late
		if r.n > 0 {
			break
		}
		s.runs = s.runs[1:]
	}
	for _, r := range s.runs {
		have += r.n
	}
	return max(0, min(n, s.most())+s.owed-have)
}

// take takes n units, which are there, and what is owed, and returns when the last is due.
func (s *slots) take(n int) (due time.Time) {
	if s.perMinute == 0 || n <= 0 {
		return due
	}
	n, s.owed = min(n, s.most())+s.owed, 0
	for n > 0 {
		r := &s.runs[0]
		k := min(n, r.n)
		r.at = r.at.Add(time.Duration(float64(k) * every(s.perMinute)))
		due = r.at.Add(-time.Duration(every(s.perMinute)))
		if r.n -= k; r.n == 0 {
			s.runs = s.runs[1:]
		}
		n -= k
	}
	return due
}

// last returns when the last unit is due, or now.
func (s *slots) last(now time.Time) time.Time {
	if len(s.runs) == 0 {
		return now
	}
	r := s.runs[len(s.runs)-1]
	return r.at.Add(time.Duration(float64(r.n) * every(s.perMinute)))
}

func (s *slots) add(then time.Time, g Slots) {
	if g.N > 0 {
		s.runs, s.end = append(s.runs, slotRun{then.Add(g.After), g.N}), g.End
	}
}

// back returns what to give back: the last units, which are not due yet.
func (s *slots) back(now time.Time) Share {
	share := Share{PerMinute: s.perMinute, End: s.end}
	if len(s.runs) > 0 {
		r := s.runs[len(s.runs)-1]
		gone := 0
		if s.perMinute > 0 && now.After(r.at) {
			gone = int(math.Ceil(float64(now.Sub(r.at)) / every(s.perMinute)))
		}
		share.Back = max(0, r.n-gone)
	}
	return share
}
