package run

import (
	"cmp"
	"context"
	"crypto/sha256"
	"math"
	"slices"
	"strconv"
	"time"
)

// A LeaseStore is a Store that keeps the limits of models for all processes that use it, by its own clock. What it
// grants is leased: it is of use for about a second, and a process that does not ask again within a Term has none.
type LeaseStore interface {
	Store
	// Lease asks for what a session, which is one process, may send to models, all or none. Of the answers, which are
	// in the order of what is asked, times count from the answer on.
	Lease(ctx context.Context, session string, asks []Ask) ([]Grant, error)
}

// An Ask is for what may be sent to one model. One that keeps and wants no calls in flight ends the lease.
type Ask struct {
	Model            string // its identity
	Requests, Tokens Share
	InFlight         int // calls of all sessions at most; 0 is no limit
	Keep, Want       int // calls that are in flight now, and that would be without limits
}

// A Share is asked of a rate.
type Share struct {
	PerMinute  int // of all sessions; 0 is no limit
	Need, Want int // units: no fewer than Need, and no more than Want where that is more
	// Back units of the last Slots, which ended at End, are given back, if nobody was granted others since.
	Back int
	End  time.Time
}

// A Grant is the answer to an Ask.
type Grant struct {
	Requests, Tokens Slots
	Seats            int // calls in flight; of no meaning without a limit
}

// Slots are N units, one after the other at the rate, the first of them After the answer. They end at End by the
// store's clock.
type Slots struct {
	N     int
	After time.Duration
	End   time.Time
}

// A RateState is the state of a model's rate controller: until when, by the clock of the store, all is granted that may
// be sent to it.
type RateState struct{ Requests, Tokens time.Time }

// mostAhead is how far ahead such a state is believed: one that is further was made before the server's clock was set
// back.
const mostAhead = 2 * time.Hour

func every(perMinute int) float64 { return float64(time.Minute) / float64(perMinute) }

// Grant grants units of a rate that is granted until at, which it moves on, where so many sessions share it: a second's
// worth for all of them together.
func (s *Share) Grant(at *time.Time, now time.Time, sessions int) Slots {
	if s.PerMinute <= 0 {
		return Slots{}
	}
	unit := every(s.PerMinute)
	if at.Sub(now) > mostAhead {
		*at = now
	}
	if s.Back > 0 && at.Equal(s.End) {
		*at = at.Add(-time.Duration(float64(s.Back) * unit))
	}
	if s.Need <= 0 && s.Want <= 0 {
		return Slots{}
	}
	from := now
	if at.After(now) {
		from = *at
	}
	share := int(math.Ceil(float64(s.PerMinute) / 60 / float64(max(sessions, 1))))
	n := max(s.Need, min(s.Want, share))
	*at = from.Add(time.Duration(math.Ceil(float64(n)*unit/1000)) * time.Microsecond).Truncate(time.Microsecond)
	return Slots{N: n, After: from.Sub(now), End: *at}
}

// A Seat is what one session has of the calls in flight to a model.
type Seat struct {
	Session      string
	Held, Wanted int
	Until        time.Time // by the store's clock; it has none later
}

// turn is how long the same sessions have the places that do not go round.
const turn = 5 * time.Second

// Seats returns how many of the calls in flight a session may have, beside others that live: its share of them where
// all get as many as they want or else the same, as far as the others do not hold them still, and never fewer than it
// keeps. Where there are fewer than sessions, they take turns.
func Seats(most int, own Seat, others []Seat, now time.Time) int {
	all := append(slices.Clone(others), own)
	order := func(s Seat) string {
		h := sha256.Sum256(strconv.AppendInt([]byte(s.Session+" "), now.Unix()/int64(turn.Seconds()), 10))
		return string(h[:])
	}
	slices.SortFunc(all, func(a, b Seat) int { return cmp.Compare(a.Wanted, b.Wanted) })
	left, level := most, -1
	for i := range all {
		if all[i].Held = max(0, all[i].Wanted); level < 0 && all[i].Held > left/(len(all)-i) {
			level = left / (len(all) - i) // for all that want more
		}
		if level >= 0 {
			all[i].Held = level
		}
		left -= all[i].Held
	}
	slices.SortFunc(all, func(a, b Seat) int { return cmp.Compare(order(a), order(b)) })
	share := 0
	for _, s := range all {
		if left > 0 && s.Held < s.Wanted {
			s.Held, left = s.Held+1, left-1
		}
		if s.Session == own.Session {
			share = s.Held
		}
	}
	for _, s := range others {
		most -= s.Held
	}
	return max(own.Held, min(share, most))
}

// Grant returns what a session is granted beside others that live, and its own seat from then on. It moves the
// state of the rate controller on.
func (a *Ask) Grant(p *RateState, session string, others []Seat, now time.Time) (g Grant, own Seat) {
	own = Seat{Session: session, Held: a.Keep, Wanted: a.Want, Until: now.Add(Term)}
	if a.Keep == 0 && a.Want == 0 {
		own.Until = now
	}
	if a.InFlight > 0 {
		own.Held = Seats(a.InFlight, own, others, now)
	}
	g.Seats = own.Held
	g.Requests = a.Requests.Grant(&p.Requests, now, len(others)+1)
	g.Tokens = a.Tokens.Grant(&p.Tokens, now, len(others)+1)
	return g, own
}
