package run

import (
	"time"

	"golang.org/x/time/rate"
)

// An Admission decides what Execute may send: how fast, how many calls at once, and for how much. The one of this
// process alone is InProcess; a Leased shares its limits with all processes that use the same store. It is used by one
// Execute at a time, whose loop never waits for it: what cannot be said yet is asked again once Changed tells.
type Admission interface {
	// Account returns the account that requests are paid from, of a budget of which some is spent.
	Account(b Budget, spent Cost) *Account
	// Line returns who keeps the limits of the model with the identity; the same for the same.
	Line(identity string, l Limits) Line
	// Changed receives where an answer may be another one than before. It is nil where answers change only by what is
	// asked.
	Changed() <-chan struct{}
	// Err returns why nothing more can be let in; nil where it can.
	Err() error
}

// Limits are those of the requests to one model. 0 is none.
type Limits struct {
	RPM, TPM int // requests and tokens a minute
	InFlight int // calls in flight
}

// A Line keeps the limits of one model: it is the controller of its rates and of its calls in flight. It is safe for
// concurrent use.
type Line interface {
	// Want says how many calls would be in flight now if there were no limits.
	Want(calls int)
	// Enter takes n places of calls in flight, and says whether there were as many. One batch of more calls than there
	// can be is let in alone.
	Enter(n int) bool
	// Leave gives n of them back.
	Leave(n int)
	// Throttle takes requests and their tokens from the rates, and returns how long to wait before they are sent. It
	// takes nothing, and is asked again after a change, where it cannot say.
	Throttle(now time.Time, requests, tokens int) (wait time.Duration, ok bool)
	// Owe takes tokens that were used already. Later calls wait for them.
	Owe(now time.Time, tokens int)
}

// InProcess is the Admission of this process alone. Its budget is that of the session, which the store may know.
func InProcess(s *Session) Admission { return &inProcess{session: s, lines: map[string]*line{}} }

type inProcess struct {
	session *Session
	lines   map[string]*line
}

func (a *inProcess) Account(b Budget, spent Cost) *Account { return a.session.Account(b, spent) }
func (a *inProcess) Changed() <-chan struct{}              { return nil }
func (a *inProcess) Err() error                            { return nil }

func (a *inProcess) Line(identity string, l Limits) Line {
	if a.lines[identity] == nil {
		a.lines[identity] = &line{requests: perMinute(l.RPM), tokens: perMinute(l.TPM), most: l.InFlight}
	}
	return a.lines[identity]
}

// A line is a Line of this process alone. Only the loop of one Execute uses it.
type line struct {
	requests, tokens *rate.Limiter // nil without a limit
	most, inside     int
}

func perMinute(n int) *rate.Limiter {
	if n <= 0 {
		return nil
	}
	// A second's worth at once: smooth, and no minute sees more than a sixtieth beyond the limit.
	return rate.NewLimiter(rate.Limit(float64(n)/60), max(1, n/60))
}

func (l *line) Want(int) {}

func (l *line) Enter(n int) bool {
	if l.most > 0 && l.inside > 0 && l.inside+n > l.most {
		return false
	}
	l.inside += n
	return true
}

func (l *line) Leave(n int) { l.inside -= n }

func (l *line) Throttle(now time.Time, requests, tokens int) (wait time.Duration, ok bool) {
	return max(take(l.requests, now, requests), take(l.tokens, now, tokens)), true
}

func (l *line) Owe(now time.Time, tokens int) { take(l.tokens, now, tokens) }

// take reserves n from the limiter, in pieces as large as it allows at once, an hour's worth at most: what a server
// says of its tokens may be anything.
func take(l *rate.Limiter, now time.Time, n int) (wait time.Duration) {
	if l == nil {
		return 0
	}
	n = min(n, 3600*l.Burst())
	for n > 0 {
		k := min(n, l.Burst())
		wait = l.ReserveN(now, k).DelayFrom(now)
		n -= k
	}
	return wait
}
