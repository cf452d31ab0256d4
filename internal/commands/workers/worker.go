package workers

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"hallmark/internal/assay"
	"hallmark/internal/commands/driver"
	"hallmark/internal/commands/spec"
	"hallmark/internal/commands/telemetry"
	"hallmark/internal/commands/undertest"
	"hallmark/internal/run"
	"hallmark/internal/run/queue"
	"hallmark/internal/run/store/postgres"
	"hallmark/internal/text/retrieve"
)

// A Worker asks calls of runs that others detached.
type Worker struct {
	Open    func(context.Context) (run.Store, error)
	Models  *undertest.Builder
	Driver  *driver.Driver
	Program string // this one, as runs on the queue name theirs
	Version string // that results name
	Allow   undertest.Allowance
	Reach   spec.Reach // keys, what programs get, calls in flight
	Drain   bool
	Say     func(string)

	Store    run.Store // which Work opens
	gathered *gathered
	queue    *queue.Queue
	stop     context.Context
	slots    int

	building sync.Mutex // a builder is of one goroutine
	mu       sync.Mutex
	held     map[string]*held
}

// grace is how long calls under way may still answer where a worker is told to end: below the 30 s that Kubernetes and
// Docker leave a process, and above what most answers take.
const grace = 20 * time.Second

// Work takes shards until ctx is done, or, to drain the queue, until no run is left that it takes.
func (w *Worker) Work(ctx context.Context) (err error) {
	defer func() { // also where it was told so before it reached the server
		if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
			err = nil
		}
	}()
	if err := w.there(ctx, func() (err error) {
		w.Store, err = w.Open(ctx)
		return err
	}); err != nil {
		return err
	}
	defer w.Store.Close()
	var q *queue.Queue
	if err := w.there(ctx, func() (err error) {
		q, err = queue.Open(ctx, w.Store)
		return err
	}); err != nil {
		return err
	}
	defer q.Close()
	shared := w.Store.(*postgres.Store) // as the queue is in one
	w.gathered = gather(shared)
	d := *w.Driver
	d.Now, w.Driver = shared.Now, &d // a failure is told from one of before the run was detached by its time
	w.queue, w.stop, w.held, w.slots = q, ctx, map[string]*held{}, mostSlots
	if j := w.Reach.Concurrency; j > 0 {
		w.slots = min(max(j/2, 1), mostSlots)
	}
	defer w.drop(0)
	return q.Work(ctx, queue.Options{Handler: w, Slots: w.slots, Drain: w.Drain, Grace: grace, Say: w.Say})
}

// mostSlots is how many shards a worker has at most at a time, among which it parts its calls in flight: while one is
// fetched or ended the others are asked.
const mostSlots = 4

// startTime is how long a worker waits for a server that may be about to start.
const startTime = time.Minute

// there does something that takes the server, again for a while where no server answers yet.
func (w *Worker) there(ctx context.Context, do func() error) error {
	begun := time.Now()
	for {
		err := do()
		if !postgres.Lost(err) || time.Since(begun) > startTime {
			return err
		}
		w.Say(err.Error() + "; trying again")
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(2 * time.Second):
		}
	}
}

// A held run is one that this worker has models for.
type held struct {
	id       string
	created  time.Time // when it was put on the queue
	told     *spec.Run
	trace    string // under which its spans stand
	limit    run.Budget
	sharing  []string  // the runs that share it, the one first that keeps it; none where it is this one's own
	since    time.Time // failures that were stored before it are asked again; zero: none are
	subjects *undertest.Models
	passages *retrieve.Index // of a run whose paraphrases are searched once a model made them; else nil
	uses     int
	used     time.Time

	planning sync.Mutex
	walk     *walk

	mu     sync.Mutex
	worked map[string]run.Call // of each model a call that has a response
	purses []*purse            // by slot
}

// A purse is what one slot has of the budget of a run.
type purse struct {
	*undertest.Purse
	spent run.Cost
}

// mostHeld is how many runs' models a worker keeps that it does not use.
const mostHeld = 2

// Takes implements queue.Handler.
func (w *Worker) Takes(ctx context.Context, r *queue.Run) (why string, err error) {
	if r.Program != w.Program {
		return fmt.Sprintf("hallmark %s planned it and this is %s: let the same release work that planned it, or "+
			"cancel the run and detach it again", r.Program, w.Program), nil
	}
	h, err := w.hold(ctx, r)
	if l, ok := errors.AsType[left](err); ok {
		return l.Error(), nil
	}
	if err == nil {
		w.release(h)
	}
	return "", err
}

// left is a reason for which a run is left to other workers.
type left struct{ error }

// hold returns a run with its models, which are built where they are not at hand. It is to be released.
func (w *Worker) hold(ctx context.Context, r *queue.Run) (*held, error) {
	w.building.Lock()
	defer w.building.Unlock()
	w.mu.Lock()
	h := w.held[r.ID]
	again := h != nil && !h.created.Equal(r.Created) // it was detached again, with other limits perhaps
	busy := again && h.uses > 0
	switch {
	case again && !busy:
		delete(w.held, r.ID)
	case h != nil && !again:
		h.uses++
	}
	w.mu.Unlock()
	switch {
	case busy:
		return nil, errors.New("its calls of before it was detached again come to their end first")
	case again:
		h.close(w.Say)
	case h != nil:
		return h, nil
	}
	h, err := w.load(ctx, r)
	if err != nil {
		return nil, err
	}
	w.drop(mostHeld - 1)
	w.mu.Lock()
	defer w.mu.Unlock()
	h.uses++
	w.held[r.ID] = h
	return h, nil
}

func (w *Worker) release(h *held) {
	w.mu.Lock()
	defer w.mu.Unlock()
	h.uses--
	h.used = time.Now()
}

// drop lets go of runs that are not in use, but for so many that were last.
func (w *Worker) drop(keep int) {
	w.mu.Lock()
	var unused []*held
	for _, h := range w.held {
		if h.uses == 0 {
			unused = append(unused, h)
		}
	}
	slices.SortFunc(unused, func(a, b *held) int { return b.used.Compare(a.used) })
	unused = unused[min(keep, len(unused)):]
	for _, h := range unused {
		delete(w.held, h.id)
	}
	w.mu.Unlock()
	for _, h := range unused {
		h.close(w.Say)
	}
}

func (h *held) close(say func(string)) {
	h.leave()
	for _, p := range h.purses {
		if p == nil {
			continue
		}
		if err := p.End(); err != nil {
			say(fmt.Sprintf("run %s: what was set aside of the budget stays spent: %v", h.id, err))
		}
	}
	h.subjects.Close()
}

// load reads the plan of a run and builds its models.
func (w *Worker) load(ctx context.Context, r *queue.Run) (*held, error) {
	plan, err := w.plan(ctx, r)
	if err != nil {
		return nil, err
	}
	var tells told
	if err := json.Unmarshal(r.Told, &tells); err != nil {
		return nil, left{fmt.Errorf("what it tells its workers does not read: %w", err)}
	}
	h := &held{id: r.ID, created: r.Created, told: tells.run(w.Reach), trace: tells.Trace, sharing: tells.Sharing,
		worked: map[string]run.Call{}, purses: make([]*purse, w.slots)}
	if h.limit, err = spec.ParseBudget(tells.Budget); err != nil {
		return nil, left{err}
	}
	if tells.RetryErrors {
		h.since = r.Created
	}
	if plan.Retrieval != nil && plan.Late() {
		s := &plan.Retrieval.Searched
		h.passages, err = retrieve.Build(retrieve.Paths(s.Files...), retrieve.Options{Forbidden: s.Forbidden})
		if err == nil {
			err = plan.Retrieval.Searches(h.passages)
		}
		if err != nil {
			return nil, left{fmt.Errorf("its --retrieve %s: %w; a worker needs them where the run was detached",
				strings.Join(s.Files, ", "), err)}
		}
	}
	if h.subjects, err = w.Models.Again(ctx, w.Store, plan, h.told, &w.Allow); err != nil {
		return nil, left{err}
	}
	return h, nil
}

// plan reads the plan of a run, as it was when the run was put on the queue.
func (w *Worker) plan(ctx context.Context, r *queue.Run) (*assay.Plan, error) {
	stored, err := w.Store.Plan(ctx, r.ID)
	switch {
	case err != nil:
		return nil, err
	case stored == nil:
		return nil, left{errors.New("its plan is not in the store: detach it again")}
	}
	plan, err := assay.LoadPlan(ctx, w.Store, stored)
	if err != nil {
		return nil, left{err}
	}
	if id, suites := plan.ID(), Suites(plan); id != r.ID || !slices.Equal(suites, r.Suites) {
		return nil, left{fmt.Errorf("its stored plan reads as run %s of the suites %v here, and was put on the queue "+
			"with %v: it was changed, or another build planned it", id, suites, r.Suites)}
	}
	return plan, nil
}

// Ask implements queue.Handler.
func (w *Worker) Ask(ctx context.Context, r *queue.Run, calls []run.Call, slot int, l *queue.Lease) (run.Counts,
	error) {
	h, err := w.hold(ctx, r)
	if err != nil {
		return run.Counts{}, err
	}
	defer w.release(h)
	p, err := w.purse(ctx, h, slot)
	if err != nil {
		return run.Counts{}, err
	}
	with := h.withWorked(calls)
	more := len(with) - len(calls)
	d := *w.Driver
	d.May, d.Grace, d.Delay, d.Unstored = l.May, grace, slotWait, w.share(h, slot)
	d.Watch = func(p run.Progress) {
		p.Planned, p.Reused = p.Planned-more, p.Reused-more
		l.Update(p)
	}
	f := *h.told
	f.Concurrency = w.share(h, slot) // the store keeps the other limits, for all slots of all workers
	within, end := w.Driver.Shown.Span(telemetry.Under(ctx, h.trace), "shard", "run", h.id)
	counts, err := d.Execute(within, w.gathered, h.subjects, slices.Values(with), &f, p.Purse, p.spent)
	end(err)
	p.spent = counts.Spent
	counts.Planned, counts.Reused = counts.Planned-more, counts.Reused-more
	if err != nil {
		return counts, err
	}
	if counts.Skipped > 0 {
		if err := skip(ctx, w.Store, calls, h.since, l); err != nil {
			return counts, err
		}
	}
	return counts, h.learn(ctx, w.Store, calls)
}

// skip notes the calls that were not asked, so that they are not planned again.
func skip(ctx context.Context, store run.Store, calls []run.Call, since time.Time, l *queue.Lease) error {
	return run.Each(run.Bare(ctx, true), store, calls, func(i int, r *run.Record) error {
		if toAsk(r, since) {
			l.Skip(calls[i].Key())
		}
		return nil
	})
}

// share is how many calls of a slot are in flight.
func (w *Worker) share(h *held, slot int) int {
	n := cmp.Or(w.Reach.Concurrency, h.subjects.Concurrency())
	return max(1, (n+w.slots-1-slot)/w.slots)
}

// purse returns what a slot has of the budget.
func (w *Worker) purse(ctx context.Context, h *held, slot int) (*purse, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.purses[slot] == nil {
		p, err := undertest.OpenPurse(ctx, w.Store, h.id, h.limit, w.Driver.Now, h.sharing...)
		if err != nil {
			return nil, err
		}
		h.purses[slot] = &purse{p, p.Spent()}
	}
	return h.purses[slot], nil
}

// withWorked puts before the calls of a shard one of each of their models that is known to have worked, where there is
// one: a refusal that may speak of the whole model is then told from one that speaks of one request.
func (h *held) withWorked(calls []run.Call) []run.Call {
	h.mu.Lock()
	defer h.mu.Unlock()
	var first []run.Call
	of := map[string]bool{}
	for i := range calls {
		m := calls[i].Model
		if c, ok := h.worked[m]; ok && !of[m] {
			first = append(first, c)
		}
		of[m] = true
	}
	return append(first, calls...)
}

// fewWorked is how many calls of a shard are looked at for one that worked.
const fewWorked = 16

// learn notes calls that worked, of models of which none is known.
func (h *held) learn(ctx context.Context, store run.Store, calls []run.Call) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	var few []run.Call
	for i := range calls {
		if _, known := h.worked[calls[i].Model]; !known && len(few) < fewWorked {
			few = append(few, calls[i])
		}
	}
	if len(few) == 0 {
		return nil
	}
	return run.Each(run.Bare(ctx, true), store, few, func(i int, r *run.Record) error {
		if r != nil && r.Response != nil {
			h.worked[few[i].Model] = few[i]
		}
		return nil
	})
}

// conclude stores the result of a run whose calls are asked.
func (w *Worker) conclude(ctx context.Context, h *held) error {
	p, err := w.queue.Progress(ctx, h.id)
	if err != nil {
		return err
	}
	header, err := w.Store.Run(ctx, h.id)
	if err != nil {
		return err
	}
	result, _, err := driver.Evaluate(ctx, w.Store, h.walk.plan, &header, w.Version, func() string { return w.Program })
	if err != nil {
		return err
	}
	return w.Driver.Conclude(ctx, w.Store, &header, result, p.Skipped == 0)
}
