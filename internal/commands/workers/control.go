package workers

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"hallmark/internal/base/exit"
	"hallmark/internal/commands/console"
	"hallmark/internal/run"
	"hallmark/internal/run/queue"
)

// A Verb is what is done to a run on the queue from anywhere.
type Verb struct {
	Name  string
	state string // that it brings the run to
	Done  string // what is then said of the run
}

// Verbs are all of them.
var Verbs = []Verb{
	{"pause", queue.Paused, "is paused: calls under way come to their end, and no more are asked"},
	{"resume", queue.Active, "goes on"},
	{"cancel", queue.Cancelled, "is off the queue; what was answered stays in the store"},
}

// Apply does it to the run that a name, the beginning of an id or latest means, and returns the run's id.
func (v *Verb) Apply(ctx context.Context, s run.Store, name string) (id string, err error) {
	q, id, err := find(ctx, s, name)
	if err != nil {
		return "", err
	}
	defer q.Close()
	before, err := q.Bring(ctx, id, v.state)
	if errors.Is(err, queue.ErrAbsent) {
		return "", exit.Usage(err)
	}
	if err != nil {
		return "", err
	}
	if slices.Contains(queue.From[v.state], before.State) {
		return id, nil
	}
	return "", exit.Usagef("run %s is %s: there is nothing to %s", id, before.State, v.Name)
}

// find opens the queue and returns the id of a run.
func find(ctx context.Context, s run.Store, name string) (*queue.Queue, string, error) {
	h, err := run.Find(ctx, s, name)
	if errors.Is(err, run.ErrNoRun) {
		return nil, "", exit.Usagef("%w; `hallmark show` lists the runs", err)
	}
	if err != nil {
		return nil, "", err
	}
	q, err := queue.Read(ctx, s)
	if errors.Is(err, queue.ErrNone) {
		return nil, "", exit.Usagef("run %s is not on a queue: %w", h.ID, err)
	}
	return q, h.ID, err
}

// look is how often a run that is followed is looked at.
const look = 500 * time.Millisecond

// Follow shows how a detached run goes until it is finished.
func Follow(ctx context.Context, s run.Store, name string, line *console.Line) error {
	q, id, err := find(ctx, s, name)
	if err != nil {
		return err
	}
	defer q.Close()
	for {
		p, err := q.Progress(ctx, id)
		switch {
		case errors.Is(err, queue.ErrAbsent):
			return exit.Usage(err)
		case err != nil:
			return err
		case p.State == queue.Finished:
			line.Write(text(p), true)
			return nil
		case p.State == queue.Cancelled:
			return exit.With(exit.Failed, fmt.Errorf("run %s was cancelled; what was answered is in the store, and "+
				"the same command goes on from there", id))
		}
		line.Write(text(p), false)
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(look):
		}
	}
}

// text says in a line how far a run has come.
func text(p *queue.Progress) string {
	var b strings.Builder
	switch {
	case p.State == queue.Finished:
		fmt.Fprintf(&b, "run %s: finished, %d calls asked", p.ID, p.Asked)
	case p.Purpose == queue.Planning:
		fmt.Fprintf(&b, "run %s: wave %d is planned, %d calls asked", p.ID, p.Wave+1, p.Asked)
	default:
		more := ""
		if !p.Planned {
			more = " or more"
		}
		fmt.Fprintf(&b, "run %s: wave %d, %s: %d of %d%s calls answered", p.ID, p.Wave+1, p.Purpose, p.Answered,
			p.Calls, more)
	}
	for _, n := range []struct {
		n    int
		what string
	}{{p.Reused, "had an answer"}, {p.Failed, "failed"}, {p.Skipped, "skipped"}} {
		if n.n > 0 {
			fmt.Fprintf(&b, ", %d %s", n.n, n.what)
		}
	}
	switch {
	case p.State == queue.Paused:
		b.WriteString("; paused")
	case p.State == queue.Active && p.Workers == 0:
		b.WriteString("; no worker has any of it")
	case p.State == queue.Active:
		fmt.Fprintf(&b, "; %d at work", p.Workers)
	}
	if p.Trouble != "" {
		b.WriteString("; last trouble: " + p.Trouble)
	}
	return b.String()
}
