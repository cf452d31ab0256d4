package workers

import (
	"context"
	"errors"
	"iter"
	"time"

	"hallmark/internal/assay"
	"hallmark/internal/commands/driver"
	"hallmark/internal/commands/heap"
	"hallmark/internal/run"
	"hallmark/internal/run/queue"
)

// A walk goes through the waves of a plan: each is planned from what those before left in the store. Where more is
// stored than it has come to, a wave may hold calls of several.
type walk struct {
	plan *assay.Plan
	next func() (assay.Wave, bool)
	stop func()
	last int // the wave that was planned last
	// calls so far that had a record, of before the run was put on the queue
	reused int
	err    error
}

func newWalk(ctx context.Context, store run.Store, plan *assay.Plan, retry bool) *walk {
	w := &walk{plan: plan, last: -1}
	w.next, w.stop = iter.Pull(func(yield func(assay.Wave) bool) {
		ended := errors.New("ended")
		w.err = plan.Ask(ctx, store, retry, func(wave assay.Wave) error {
			if !yield(wave) {
				return ended
			}
			return nil
		})
	})
	return w
}

// leave ends the walk through the waves of a run, if there is one.
func (h *held) leave() {
	if h.walk != nil {
		h.walk.stop()
		h.walk = nil
	}
}

// Plan implements queue.Handler.
func (w *Worker) Plan(ctx context.Context, r *queue.Run, wave int, put queue.Put, l *queue.Lease) (more bool,
	err error) {
	h, err := w.hold(ctx, r)
	if err != nil {
		return false, err
	}
	defer w.release(h)
	h.planning.Lock()
	defer h.planning.Unlock()
	defer func() {
		if err != nil {
			h.leave()
		}
	}()
	if h.walk == nil || h.walk.last >= wave {
		h.leave()
		plan, err := w.plan(ctx, r)
		if err != nil {
			return false, err
		}
		if h.passages != nil {
			if err := plan.Retrieval.Searches(h.passages); err != nil {
				return false, err
			}
		}
		heap.Spare(plan, heap.WhileRun)
		h.walk = newWalk(w.stop, w.Store, plan, h.told.RetryErrors)
	}
	m := &missing{ctx: ctx, store: w.Store, lease: l, since: h.since, created: h.created, reused: h.walk.reused}
	for {
		next, ok := h.walk.next()
		if !ok {
			break
		}
		if next.For == assay.ForVariants {
			if err := w.keepFound(ctx, h); err != nil {
				return false, err
			}
		}
		most, from := m.begin(next.Calls, l.Mark())
		n, err := put(next.For, most, m.of(next.Calls, from))
		h.walk.reused = m.reused
		switch {
		case err != nil || m.err != nil:
			return false, errors.Join(m.err, err)
		case n > 0:
			h.walk.last = wave
			return true, nil
		}
	}
	if h.walk.err != nil {
		return false, h.walk.err
	}
	return false, w.conclude(ctx, h)
}

// keepFound stores what was found for the paraphrases of a run, which is known once they are made.
func (w *Worker) keepFound(ctx context.Context, h *held) error {
	if h.passages == nil {
		return nil
	}
	header, err := w.Store.Run(ctx, h.id)
	if err != nil {
		return err
	}
	return driver.KeepFound(ctx, w.Store, h.walk.plan, &header)
}

// missing tells which calls of waves are to be asked.
type missing struct {
	ctx   context.Context
	store run.Store
	lease *queue.Lease
	since time.Time // failures that were stored before it are asked again; zero: none are
	// when the run was put on the queue: what is stored since is asked and not reused
	created time.Time
	reused  int
	err     error
}

// lookup is how many keys are looked up at once.
const lookup = 256

// begin counts the calls of a wave, and tells from where on they are still to be planned: from a mark if it is of them,
// or from the first. Of the calls before it one key alone is computed, or who is lost every so often would never come
// to those behind it.
func (m *missing) begin(calls iter.Seq[run.Call], planned queue.Mark) (most int, from queue.Mark) {
	for c := range calls {
		if most++; most == planned.Calls && c.Key() == planned.Key {
			from = planned
		}
	}
	return most, from
}

// of returns those of the calls from a mark on that have no record, each with the mark after it.
func (m *missing) of(calls iter.Seq[run.Call], from queue.Mark) iter.Seq2[run.Call, queue.Mark] {
	return func(yield func(run.Call, queue.Mark) bool) {
		var few []run.Call
		var keys []run.Key
		mark, before := from, 0
		m.reused = max(m.reused, from.Reused)
		look := func() bool {
			going := true
			m.err = run.EachKey(run.Bare(m.ctx, true), m.store, keys, func(i int, r *run.Record) error {
				mark = mark.After(keys[i])
				switch {
				case !toAsk(r, m.since):
					if r.At.Before(m.created) {
						m.reused++
					}
				case going:
					mark.Reused = m.reused
					going = yield(few[i], mark)
				}
				return nil
			})
			few, keys = few[:0], keys[:0]
			m.lease.Update(run.Progress{Counts: run.Counts{Reused: m.reused}})
			return going && m.err == nil
		}
		for c := range calls {
			if before++; before <= from.Calls {
				continue
			}
			if few, keys = append(few, c), append(keys, c.Key()); len(few) == lookup && !look() {
				return
			}
		}
		look()
	}
}

// toAsk says that a call is to be asked which has that record, or nil: not where it is asked already.
func toAsk(r *run.Record, since time.Time) bool {
	return r == nil || r.Response == nil && r.At.Before(since)
}
