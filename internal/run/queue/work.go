package queue

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"

	"hallmark/internal/run"
)

// A Handler does what a worker does with the runs that it takes. Its methods are called by several goroutines.
type Handler interface {
	// Takes returns why this worker does not take a run, "" if it does. An error is of now and not of the run.
	Takes(ctx context.Context, r *Run) (why string, err error)
	// Plan has the calls of the next wave put on the queue that has any to be asked. Put returns how many calls these
	// are. Where there is none it concludes the run and returns false.
	Plan(ctx context.Context, r *Run, wave int, put Put, l *Lease) (more bool, err error)
	// Ask has calls asked that have no record, as long as the lease lets it.
	Ask(ctx context.Context, r *Run, calls []run.Call, slot int, l *Lease) (run.Counts, error)
}

// Put puts calls on the queue, of which there are so many at most, each with the mark that is after it.
type Put func(purpose string, most int, calls iter.Seq2[run.Call, Mark]) (int, error)

// Options say how a worker works.
type Options struct {
	Handler Handler
	Slots   int           // shards at a time
	Drain   bool          // end when no open run is left
	Grace   time.Duration // how long calls under way may still answer once the worker is stopped
	Say     func(string)  // what its operator may want to know, a line each
}

// A worker takes shards of one run at a time.
type worker struct {
	*Queue
	opt    Options
	name   string
	stop   context.Context // done when the worker is told to end
	client *river.Client[pgx.Tx]
	slots  chan int

	mu       sync.Mutex
	runs     map[string]*Run // that were seen open
	refused  map[string]string
	resting  map[string]rest // runs that this worker met trouble with
	working  int
	troubled map[string]string // what was said of a run
}

// A rest is a time in which a worker leaves a run to others.
type rest struct {
	until time.Time
	next  time.Duration
}

// longer is the rest that follows trouble: twice the one before, or that one where it is not over, as all shards of a
// worker may meet the same trouble.
func (r rest) longer(now time.Time) rest {
	if now.Before(r.until) {
		return r
	}
	next := min(max(2*r.next, leastRest), mostRest)
	return rest{now.Add(next), next}
}

const (
	leastRest = 2 * time.Second
	mostRest  = 2 * time.Minute
	look      = time.Second // how often a worker looks for other runs
)

// Work takes shards from the queue until ctx is done, which is no error.
func (q *Queue) Work(ctx context.Context, opt Options) error {
	w := &worker{Queue: q, opt: opt, stop: ctx, slots: make(chan int, opt.Slots), runs: map[string]*Run{},
		refused: map[string]string{}, resting: map[string]rest{}, troubled: map[string]string{}}
	host, _ := os.Hostname()
	var id [6]byte
	_, _ = rand.Read(id[:]) // it never fails
	w.name = fmt.Sprintf("%s:%d:%s", strings.ReplaceAll(host, "/", "_"), os.Getpid(), hex.EncodeToString(id[:]))
	if len(w.name) > 100 {
		w.name = w.name[len(w.name)-100:]
	}
	for slot := range opt.Slots {
		w.slots <- slot
	}
	workers := river.NewWorkers()
	river.AddWorker(workers, &jobWorker{w: w})
	var err error
	w.client, err = river.NewClient(riverpgxv5.New(q.pool), &river.Config{
		ID: w.name, Workers: workers, Queues: map[string]river.QueueConfig{idle: {MaxWorkers: 1}},
		Logger:        slog.New(slog.DiscardHandler),
		FetchCooldown: 20 * time.Millisecond, FetchPollInterval: 500 * time.Millisecond,
		JobTimeout: -1, MaxAttempts: mostAttempts, CompletedJobRetentionPeriod: time.Hour,
		CancelledJobRetentionPeriod: time.Hour,
	})
	if err != nil {
		return err
	}
	if err := q.read(ctx, func() error { return w.client.Start(context.WithoutCancel(ctx)) }); err != nil {
		return err
	}
	rescuing, drained := context.WithCancel(ctx)
	var rescued sync.WaitGroup
	rescued.Go(func() { w.rescueOthers(rescuing) })
	w.follow()
	drained()
	rescued.Wait()
	end, cancel := context.WithTimeout(context.WithoutCancel(ctx), opt.Grace+patience)
	defer cancel()
	return q.explain(w.client.Stop(end))
}

// idle is a queue of no run, as a client of River works on one at least.
const idle = "hallmark-idle"

// follow has the worker on the queue of one run after the other: the oldest of which shards wait.
func (w *worker) follow() {
	current := ""
	var away time.Time
	for {
		open, waits, err := w.Waiting(w.stop)
		switch {
		case w.stop.Err() != nil:
			return
		case err != nil && away.IsZero():
			away = time.Now()
			w.opt.Say(fmt.Sprintf("the queue does not answer: %v; trying again", w.explain(err)))
		case err == nil && !away.IsZero():
			w.opt.Say(fmt.Sprintf("the queue answers again, after %v", time.Since(away).Round(time.Second)))
			away = time.Time{}
		}
		if err == nil {
			next := w.choose(open, waits, current)
			if w.opt.Drain && next == "" && w.idle() && !w.mine(open) {
				return
			}
			if next != current && w.turn(&current, next) != nil {
				away = time.Now()
			}
		}
		select {
		case <-w.stop.Done():
			return
		case <-time.After(look):
		}
	}
}

// mine reports whether any of the runs is one that this worker takes.
func (w *worker) mine(open []*Run) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.ContainsFunc(open, func(r *Run) bool { return w.refused[r.ID] == "" })
}

func (w *worker) idle() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.working == 0
}

// choose returns the run whose shards to take; "" for none. The current one stays as long as its shards wait, or those
// of no other do.
func (w *worker) choose(open []*Run, waits map[string]bool, current string) string {
	first, stays := "", false
	is := map[string]bool{}
	for _, r := range open {
		is[r.ID] = true
		if !w.takes(r) {
			continue
		}
		if r.ID == current {
			if waits[r.ID] {
				return current
			}
			stays = true
		}
		if first == "" && waits[r.ID] {
			first = r.ID
		}
	}
	w.mu.Lock()
	for id := range w.runs { // a run that comes back is looked at again
		if !is[id] {
			delete(w.runs, id)
			delete(w.refused, id)
			delete(w.troubled, id)
		}
	}
	w.mu.Unlock()
	if first == "" && stays {
		return current
	}
	return first
}

// takes reports whether this worker takes a run now. It says once why not.
func (w *worker) takes(r *Run) bool {
	w.mu.Lock()
	seen, known := w.runs[r.ID]
	if known && !seen.Created.Equal(r.Created) { // it was detached again since, by another build perhaps
		known = false
		delete(w.refused, r.ID)
	}
	why, rests := w.refused[r.ID], w.resting[r.ID]
	w.runs[r.ID] = r
	w.mu.Unlock()
	if rest := time.Now().Before(rests.until); rest || known {
		if rest && !known {
			w.forget(r.ID)
		}
		return why == "" && !rest
	}
	why, err := w.opt.Handler.Takes(w.stop, r)
	if err != nil {
		w.forget(r.ID)
	} else {
		w.mu.Lock()
		w.refused[r.ID] = why
		w.mu.Unlock()
	}
	switch {
	case w.stop.Err() != nil:
		return false
	case err != nil:
		w.trouble(r, err)
		return false
	case why != "":
		w.opt.Say(fmt.Sprintf("run %s is left to other workers: %s", r.ID, why))
	}
	return why == ""
}

// forget has a run looked at again.
func (w *worker) forget(id string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.runs, id)
}

// turn goes from the queue of one run to that of another, "" for none. Where the server is away it is done again.
func (w *worker) turn(current *string, to string) error {
	if *current != "" {
		// calls under way come to their end first
		var none *river.QueueNotFoundError
		if err := w.client.Queues().Remove(w.stop, *current); err != nil && !errors.As(err, &none) {
			return err
		}
		*current = ""
	}
	if to == "" || w.stop.Err() != nil {
		return nil
	}
	if err := w.client.Queues().Add(to, river.QueueConfig{MaxWorkers: w.opt.Slots}); err != nil {
		_ = w.client.Queues().Remove(w.stop, to) // it is there, and not at work
		return err
	}
	*current = to
	return nil
}

// rescueOthers brings back the shards of workers that are gone.
func (w *worker) rescueOthers(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(leaseTime / renewals):
		}
		if n, err := w.rescue(ctx); err == nil && n > 0 {
			w.opt.Say(fmt.Sprintf("brought back %d shards of workers that are gone", n))
		}
	}
}

// A jobWorker is what River hands jobs to.
type jobWorker struct {
	river.WorkerDefaults[shardArgs]
	w *worker
}

// Timeout implements river.Worker: a shard takes as long as it is leased.
func (*jobWorker) Timeout(*river.Job[shardArgs]) time.Duration { return -1 }

// Work implements river.Worker. What it returns says only when the job is to be brought again: what counts of the
// shard is in its row.
func (j *jobWorker) Work(ctx context.Context, job *river.Job[shardArgs]) error {
	w := j.w
	w.mu.Lock()
	r := w.runs[job.Args.Run]
	w.working++
	w.mu.Unlock()
	defer func() {
		w.mu.Lock()
		w.working--
		w.mu.Unlock()
	}()
	if r == nil || w.stop.Err() != nil {
		return river.JobSnooze(0)
	}
	slot := <-w.slots
	defer func() { w.slots <- slot }()
	l, what, err := w.take(ctx, job.Args, fmt.Sprintf("%s/%d", w.name, slot))
	switch {
	case err != nil:
		w.trouble(r, err)
		return river.JobSnooze(look)
	case what == useless:
		return nil
	case what == paused:
		return river.JobSnooze(look)
	case what == busy:
		return river.JobSnooze(leaseTime / 2)
	}
	kept, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	if !l.created.Equal(r.Created) { // the run was detached again since it was looked at, by other limits perhaps
		w.forget(r.ID)
		_ = w.free(kept, l)
		return river.JobSnooze(look)
	}
	err = w.shard(ctx, r, l, slot)
	switch {
	case err == nil:
		w.well(r)
		return nil
	case l.holds() || w.stop.Err() != nil:
		if freed := w.free(kept, l); freed != nil {
			err = freed
		}
	}
	if w.stop.Err() != nil || errors.Is(err, errLost) || errors.Is(err, errFenced) {
		return river.JobSnooze(0)
	}
	w.trouble(r, err)
	return river.JobSnooze(leastRest)
}

// shard does what a shard takes, under its lease.
func (w *worker) shard(ctx context.Context, r *Run, l *Lease, slot int) error {
	work, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(w.stop, func() { cancel(w.stop.Err()) })()
	kept := make(chan struct{})
	keeping, release := context.WithCancel(context.WithoutCancel(ctx))
	go func() {
		defer close(kept)
		w.keep(keeping, l, cancel)
	}()
	ended := false
	var err error
	if l.number == 0 {
		var more bool
		put := func(purpose string, most int, calls iter.Seq2[run.Call, Mark]) (int, error) {
			return w.put(work, l, purpose, most, calls)
		}
		more, err = w.opt.Handler.Plan(work, r, l.wave, put, l)
		ended = !more
	} else {
		var c run.Counts
		if c, err = w.opt.Handler.Ask(work, r, l.calls, slot, l); err == nil {
			l.Update(run.Progress{Counts: c})
		}
	}
	release()
	<-kept
	if err == nil {
		err = w.done(context.WithoutCancel(ctx), l, ended)
	}
	if lost := context.Cause(work); lost != nil && errors.Is(lost, errLost) {
		return errLost
	}
	return err
}

// trouble notes what a worker met with a run, which it leaves to others for a while.
func (w *worker) trouble(r *Run, err error) {
	what := err.Error()
	w.mu.Lock()
	at := w.resting[r.ID].longer(time.Now())
	w.resting[r.ID] = at
	say := w.troubled[r.ID] != what
	w.troubled[r.ID] = what
	w.mu.Unlock()
	if say {
		w.opt.Say(fmt.Sprintf("run %s: %s; trying again in %v", r.ID, what, at.next))
	}
	note, cancel := context.WithTimeout(context.WithoutCancel(w.stop), leastRest)
	defer cancel()
	_ = w.Trouble(note, r.ID, what) // it is said here too
}

// well notes that a shard of a run came to its end.
func (w *worker) well(r *Run) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.resting, r.ID)
	delete(w.troubled, r.ID)
}
