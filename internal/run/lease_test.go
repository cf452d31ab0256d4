package run_test

import (
	"fmt"
	"math"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"hallmark/internal/run"
	"hallmark/internal/run/store/inmemory"
	"hallmark/internal/run/storetest"
)

// Both admissions keep one contract: that of this process alone, and one that many processes lease of a store.
func TestAdmission(t *testing.T) {
	t.Run("in process", func(t *testing.T) {
		storetest.TestAdmission(t, 1, synctest.Test, func(t testing.TB) storetest.Desk {
			store := inmemory.New()
			return storetest.Desk{Store: store, Admission: func(s *run.Session) (run.Admission, func() error) {
				return run.InProcess(s), func() error { return nil }
			}}
		})
	})
	t.Run("leased", func(t *testing.T) {
		storetest.TestAdmission(t, 10, synctest.Test, func(t testing.TB) storetest.Desk {
			store := inmemory.New()
			return storetest.Desk{Store: store, Admission: func(s *run.Session) (run.Admission, func() error) {
				l := run.Lease(t.Context(), store, s)
				return l, l.Close
			}}
		})
	})
}

// Whatever is asked, and by the clocks of whichever machine: no moment's grants are beyond the rate, and none is lost
// but for what nobody asked for.
func TestGrants(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		perMinute := rapid.IntRange(1, 1e6).Draw(t, "a minute")
		unit := float64(time.Minute) / float64(perMinute)
		now := time.Unix(1e9, 0)
		at := now.Add(-time.Duration(rapid.Int64Range(0, int64(time.Hour)).Draw(t, "idle")))
		begun, granted, idle := now, 0, time.Duration(0)
		for range rapid.IntRange(1, 50).Draw(t, "asks") {
			step := time.Duration(rapid.Int64Range(0, int64(2*time.Second)).Draw(t, "later"))
			if free := now.Add(step).Sub(at); free > 0 {
				idle += min(step, free)
			}
			now = now.Add(step)
			if at.Sub(now) > time.Hour { // as no processes are
				break
			}
			s := run.Share{PerMinute: perMinute, Need: rapid.IntRange(0, 5).Draw(t, "need"), Want: rapid.IntRange(0, 1e5).Draw(t,
				"want")}
			before := at
			sessions := rapid.IntRange(0, 20).Draw(t, "sessions")
			g := s.Grant(&at, now, sessions)
			granted += g.N
			share := int(math.Ceil(float64(perMinute) / 60 / float64(max(sessions, 1))))
			switch {
			case g.N < s.Need, g.N > max(s.Need, s.Want), g.N > max(s.Need, share):
				t.Fatalf("%d of %+v for %d sessions", g.N, s, sessions)
			case g.After < 0, g.N > 0 && now.Add(g.After).Before(before):
				t.Fatalf("from %v on, and others until %v", now.Add(g.After), before)
			case g.N > 0 && !g.End.Equal(at):
				t.Fatalf("they end at %v, and not at %v", g.End, at)
			}
			end := now
			if at.After(now) {
				end = at
			}
			if took := float64(end.Sub(begun)-idle) + 2e3*50; float64(granted)*unit > took+unit {
				t.Fatalf("%d units in %v", granted, end.Sub(begun)-idle)
			}
		}
		// the end of what was granted last is given back, once
		s := run.Share{PerMinute: perMinute, Need: 3}
		g := s.Grant(&at, now, 1)
		back := run.Share{PerMinute: perMinute, Back: 3, End: g.End}
		back.Grant(&at, now, 1)
		if d := g.End.Sub(at) - time.Duration(3*unit); d < -2*time.Microsecond || d > 2*time.Microsecond {
			t.Errorf("given back: %v, want %v", g.End.Sub(at), time.Duration(3*unit))
		}
		was := at
		if back.Grant(&at, now, 1); at != was {
			t.Errorf("given back twice")
		}
	})
}

// A server whose clock was set back grants again soon.
func TestGrantsOfClockSetBack(t *testing.T) {
	now := time.Unix(1e9, 0)
	at := now.Add(5 * time.Hour)
	if g := (&run.Share{PerMinute: 60, Need: 1}).Grant(&at, now, 1); g.N != 1 || g.After != 0 {
		t.Errorf("%+v", g)
	}
}

// Seats are never more than there are, no session is left without for long, and none are free where they are wanted.
func TestSeats(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		most := rapid.IntRange(1, 30).Draw(t, "most")
		sessions := make([]run.Seat, rapid.IntRange(1, 12).Draw(t, "sessions"))
		for i := range sessions {
			sessions[i] = run.Seat{Session: fmt.Sprint(i), Wanted: rapid.IntRange(0, 20).Draw(t, "wanted")}
		}
		wanted := 0
		for _, s := range sessions {
			wanted += s.Wanted
		}
		now := time.Unix(1e9, 0)
		got := make([]int, len(sessions))
		round := func(busy bool) (sum int) {
			for i := range sessions {
				own := sessions[i]
				if busy { // some calls are in flight still
					own.Held = rapid.IntRange(0, own.Held).Draw(t, "keeps")
				} else {
					own.Held = 0
				}
				var others []run.Seat
				for j, o := range sessions {
					if j != i {
						others = append(others, o)
					}
				}
				keeps := own.Held
				sessions[i].Held = run.Seats(most, own, others, now)
				if sessions[i].Held < keeps || sessions[i].Held > max(keeps, own.Wanted) {
					t.Fatalf("%d of %d wanted, %d are in flight", sessions[i].Held, own.Wanted, keeps)
				}
				sum = 0
				for _, s := range sessions {
					sum += s.Held
				}
				if sum > most {
					t.Fatalf("%d of %d", sum, most)
				}
			}
			return sum
		}
		for range 3 {
			round(true)
		}
		for range 60 {
			round(false)
			if sum := round(false); sum != min(most, wanted) {
				t.Fatalf("%d of %d where %d are wanted", sum, most, wanted)
			}
			for i, s := range sessions {
				got[i] += s.Held
			}
			now = now.Add(5 * time.Second)
		}
		for i, s := range sessions {
			if s.Wanted > 0 && got[i] == 0 {
				t.Errorf("session %d of %d got no seat of %d in five minutes", i, len(sessions), most)
			}
		}
	})
}
