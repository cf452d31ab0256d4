package queue

import (
	"context"
	"testing"
	"time"
)

// only takes the runs of one program.
type only struct {
	waves
	program string
}

func (o *only) Takes(_ context.Context, r *Run) (string, error) {
	if r.Program != o.program {
		return "another build planned it", nil
	}
	return "", nil
}

// A run that a worker leaves to others is looked at again where it was cancelled and detached again, however soon.
func TestDetachedAgain(t *testing.T) {
	said := 0
	w := &worker{stop: t.Context(), runs: map[string]*Run{}, refused: map[string]string{}, resting: map[string]rest{},
		troubled: map[string]string{}, opt: Options{Handler: &only{program: "new"}, Say: func(string) { said++ }}}
	begun := time.Now()
	for i, c := range []struct {
		program string
		created time.Time
		takes   bool
	}{{"old", begun, false}, {"old", begun, false}, {"new", begun.Add(time.Second), true},
		{"old", begun.Add(2 * time.Second), false}} {
		r := &Run{ID: "aa", Program: c.program, Created: c.created}
		if got := w.takes(r); got != c.takes || w.mine([]*Run{r}) != c.takes {
			t.Errorf("look %d at a run of the %s build: taken %v, want %v", i, c.program, got, c.takes)
		}
	}
	if said != 2 {
		t.Errorf("said %d times that the run is left to others, want once each time that it was detached", said)
	}
}

// Trouble that all shards of a worker meet at once is one.
func TestRestsGrow(t *testing.T) {
	now := time.Unix(1e9, 0)
	var at rest
	for i, c := range []struct{ after, want time.Duration }{{0, leastRest}, {time.Second, leastRest},
		{leastRest, 2 * leastRest}, {leastRest, 2 * leastRest}, {time.Hour, 4 * leastRest}} {
		now = now.Add(c.after)
		if at = at.longer(now); at.next != c.want {
			t.Errorf("trouble %d: a rest of %v, want %v", i, at.next, c.want)
		}
	}
}
