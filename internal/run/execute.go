package run

import (
	"cmp"
	"container/heap"
	"context"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
	"time"

	"hallmark/internal/base/seed"
	"hallmark/internal/model"
)

// Execute asks the models, which are by identity, for those calls that have no record in the store, and commits
// what comes back. Equal calls are asked once. Calls are admitted in the order given, and in the order of the plan
// a budget runs out; which of those in flight answers first decides nothing. The sequence is gone through twice,
// for the keys and for what is asked, and must yield the same each time; of its calls only those are held that are
// in flight.
//
// A call ends in a record, also where it failed: the model's final error, its panic, a response that holds a float
// that is no number, or tries that ran out (Transient). It ends in none, to be asked again by the next Execute, if it
// was skipped, or if the run was stopped before it was answered. The run stops
//
//   - when ctx is done: calls in flight get Options.Grace, what arrives is committed, and the error wraps ctx's;
//   - when a model is gone: calls in flight are awaited and committed, but not tried again, and the error, which
//     wraps model.ErrGone, names the model;
//   - when a model refuses in a way that may speak of the whole model (model.ErrDenied), or asks for a wait of more
//     than ten minutes, and nothing has worked yet, in this Execute or by the records of the calls, or what worked
//     works no more: a request that worked is sent once more, and its answer thrown away. If it works still, the
//     refusal is the call's failure;
//   - when the store fails: its error; what it had committed stays.
//
// Counts are valid also beside an error.
func Execute(ctx context.Context, store Store, models map[string]model.Model, calls iter.Seq[Call],
	opt Options) (counts Counts, err error) {
	x := &execution{
		opt:      opt.withDefaults(),
		jitter:   seed.Stream(opt.Seed, "run", "retry"),
		controls: map[string]*control{},
		before:   map[int]Cost{},
	}
	if x.admission = opt.Admission; x.admission == nil {
		x.admission = InProcess(opt.Session)
	}
	x.account = x.admission.Account(opt.Budget, opt.Spent)
	defer func() { counts.Spent = x.account.Spent() }()
	if err := x.plan(ctx, store, calls); err != nil {
		return x.counts, err
	}
	if x.opt.Offline && len(x.pending) > 0 {
		x.counts.Skipped, x.counts.Reason = len(x.pending), SkippedOffline
		x.pending = nil
	}
	for _, identity := range x.asked {
		m, ok := models[identity]
		if !ok && len(x.pending) > 0 {
			return x.counts, fmt.Errorf("no model with the identity %q to ask", identity)
		}
		if ok {
			x.control(identity).setModel(m)
		}
	}
	x.report()
	if len(x.pending) == 0 {
		return x.counts, nil
	}
	if err := ctx.Err(); err != nil {
		return x.counts, fmt.Errorf("interrupted: %w", err)
	}
	next, stop := iter.Pull(calls)
	defer stop()
	x.pull = next
	return x.ask(ctx, store)
}

// An execution is the state of one Execute. Its loop runs in one goroutine and owns all of it; the workers only try
// jobs, and the committer only commits.
type execution struct {
	opt       Options
	jitter    *rand.Rand
	controls  map[string]*control
	admission Admission
	account   *Account
	before    map[int]Cost // by their places, what the failures took that are stored of calls that are asked again
	asked     []string     // the models that are asked, in order
	pending   []int        // the places of the calls to be admitted, in order
	pull      func() (Call, bool)
	pulled    int    // how many calls were pulled
	first     *Call  // the first pending call, once it was pulled
	waiting   jobs   // admitted, to be sent when they are due
	starved   []*job // of one call each, admitted, to be tried again when the budget has room
	aside     []*job // admitted, to be sent when the admission lets them in
	seq       int
	sends     int // jobs sent

	committer  *committer
	admitted   int // calls without an outcome
	flying     int // of those, how many are on their way
	handed     int // records that the committer was given
	counts     Counts
	unrecorded Cost // of tries that no record shows, and not yet handed to the committer
	paid       Cost // of calls that have ended, and not yet handed to the committer
	started    time.Time
	stop       error // why nothing more is sent
}

// control returns the rate control of the model with the identity.
func (x *execution) control(identity string) *control {
	p := x.controls[identity]
	if p == nil {
		limits := Limits{RPM: x.opt.RPM, TPM: x.opt.TPM, InFlight: x.opt.InFlight}
		p = newControl(identity, x.admission.Line(identity, limits), x.opt)
		x.controls[identity] = p
	}
	return p
}

// plan drops repeated calls and those that have a record, and counts what the records cost.
func (x *execution) plan(ctx context.Context, store Store, calls iter.Seq[Call]) error {
	seen := map[Key]struct{}{}
	keys := make([]Key, 0, lookupChunk)
	distinct := make([]Call, 0, lookupChunk)
	places := make([]int, 0, lookupChunk)
	bytes := 0
	look := func() error {
		found, err := store.Lookup(ctx, keys)
		if err != nil {
			return fmt.Errorf("look up records: %w", err)
		}
		for i, k := range keys {
			c, place := &distinct[i], places[i]
			r, ok := found[k]
			again := ok && r.Response == nil && x.opt.RetryErrors && !x.opt.Offline
			if !ok || again {
				if err := x.bounded(c); err != nil {
					return err
				}
				x.pending = append(x.pending, place)
				if !slices.Contains(x.asked, c.Model) {
					x.asked = append(x.asked, c.Model)
				}
			}
			switch {
			case !ok:
				continue
			case again:
				x.before[place] = RecordCost(&r)
			case r.Response == nil:
				x.counts.Failed++
				x.counts.Reused++
			default:
				x.counts.Reused++
				p := x.control(c.Model)
				p.learn(PromptTokens(c.Request), r.Response.Usage)
				p.works(c)
			}
			x.account.found(RecordCost(&r))
		}
		clear(distinct)
		keys, distinct, places, bytes = keys[:0], distinct[:0], places[:0], 0
		return nil
	}
	place := -1
	for c := range calls {
		place++
		k := c.Key()
		if _, ok := seen[k]; ok {
			continue
		}
		seen[k] = struct{}{}
		x.counts.Planned++
		keys, distinct, places, bytes = append(keys, k), append(distinct, c), append(places, place),
			bytes+held(c.Request)
		if len(keys) == lookupChunk || bytes > lookupBytes {
			if err := look(); err != nil {
				return err
			}
		}
	}
	return look()
}

// head returns the first pending call. There must be one.
func (x *execution) head() *Call {
	for x.first == nil {
		c, ok := x.pull()
		if !ok {
			panic("run: a sequence of calls yields fewer of them the second time")
		}
		if x.pulled == x.pending[0] {
			x.first = &c
		}
		x.pulled++
	}
	return x.first
}

// bounded refuses a call whose cost has no bound where the budget needs one.
func (x *execution) bounded(c *Call) error {
	if _, ok := model.Most(c.Request); ok || x.opt.Budget.Tokens <= 0 && x.opt.Budget.USD <= 0 || x.opt.Offline {
		return nil
	}
	return fmt.Errorf("a budget in tokens or USD needs a longest answer: a call of model %q has no max_tokens", c.Model)
}

// ask runs the loop with its workers and the committer until nothing is left to do, or to wait for.
func (x *execution) ask(ctx context.Context, store Store) (Counts, error) {
	base := x.counts
	// What is in flight outlives ctx by the grace.
	flight, land := context.WithCancel(context.WithoutCancel(ctx))
	defer land()
	workers := min(x.opt.Concurrency, len(x.pending))
	outbox, inbox := make(chan *job), make(chan outcome, workers)
	for range workers {
		go func() {
			for j := range outbox {
				inbox <- outcome{j, j.observed(flight, &x.opt)}
			}
		}()
	}
	defer close(outbox)
	x.committer = commit(ctx, store, x.opt)
	interrupted, broken := ctx.Done(), x.committer.failed
	x.started = time.Now()
	for {
		x.want()
		j, wait := x.next(time.Now())
		if j != nil { // there is a worker for it: each busy one holds an active job
			outbox <- j
			continue
		}
		if x.admitted == 0 && (len(x.pending) == 0 || x.stop != nil) {
			break
		}
		var due <-chan time.Time
		if wait > 0 {
			due = time.After(wait)
		}
		select {
		case o := <-inbox:
			for _, r := range x.receive(o, flight.Err() != nil) {
				x.committer.queue <- entry{record: &r}
				x.handed++
			}
			x.report()
		case <-due:
		case <-x.committer.stored:
		case <-x.admission.Changed():
			x.changed()
		case <-interrupted:
			x.halt(fmt.Errorf("interrupted: %w", ctx.Err()))
			interrupted = nil
			defer time.AfterFunc(x.opt.Grace, land).Stop()
		case <-broken:
			x.halt(errors.New("the store failed"))
			broken = nil
			land()
		}
		if x.unrecorded != (Cost{}) || x.paid != (Cost{}) {
			x.committer.queue <- entry{cost: x.unrecorded, paid: x.paid}
			x.unrecorded, x.paid = Cost{}, Cost{}
		}
	}
	x.want()
	done, err := x.committer.close()
	err = cmp.Or(err, x.account.rest())
	// The loop counted what arrived; what counts is what was committed.
	done.Planned, done.Reused, done.Skipped, done.Reason = base.Planned, base.Reused, x.counts.Skipped, x.counts.Reason
	done.Failed += base.Failed
	x.counts = done
	x.report()
	return x.counts, cmp.Or(err, x.stop)
}

// next returns the job to send now, if there is one. If not, something may become due after wait, where that is not 0,
// or when an outcome comes in.
func (x *execution) next(now time.Time) (j *job, wait time.Duration) {
	for {
		if len(x.waiting) > 0 && !x.waiting[0].due.After(now) {
			j := x.waiting[0]
			p := j.control
			if p.until.After(now) {
				x.postpone(j, p.until)
				continue
			}
			if p.full(len(j.items)) || p.waits() || x.crowded(len(j.items)) {
				return nil, 0
			}
			if x.enter(j, now) {
				return x.send(now), 0
			}
			continue
		}
		if j := x.admit(); j != nil {
			j.due = now
			x.push(j)
			continue
		}
		if len(x.waiting) > 0 {
			return nil, x.waiting[0].due.Sub(now)
		}
		return nil, 0
	}
}

// crowded reports whether with n calls more, too many would be asked and not stored.
func (x *execution) crowded(n int) bool {
	under := x.flying + x.handed - int(x.committer.rows.Load())
	return x.opt.Unstored > 0 && under > 0 && under+n > x.opt.Unstored
}

func (x *execution) push(j *job) {
	x.seq++
	j.seq = x.seq
	heap.Push(&x.waiting, j)
}

// postpone moves the job that is first to a later time.
func (x *execution) postpone(j *job, due time.Time) {
	j.due = due
	heap.Fix(&x.waiting, 0)
}

// receive takes in an outcome: it returns the records to commit, and lines up the calls to try again. Once landed,
// calls in flight were cut off, so that an error says nothing about the call.
func (x *execution) receive(o outcome, landed bool) (records []Record) {
	j, p, now := o.job, o.job.control, time.Now()
	p.active -= len(j.items)
	x.flying -= len(j.items)
	p.line.Leave(len(j.items))
	x.recall()
	x.settle(j, o.results)
	broken := x.account.session.failed()
	if broken != nil {
		x.halt(broken)
	}
	defer x.feed()
	defer x.decide(p)
	if j.trial {
		return x.endTrial(j, &o.results[0], landed)
	}
	p.answerBatch(len(j.items), now.Sub(j.sent), x.opt.Batch)
	var again []item
	var wait time.Duration
	for i, res := range o.results {
		it := j.items[i]
		it.tries++
		switch err := res.Err; {
		case err == nil:
			p.answer(now, it.prompt, res.Response.Usage)
			p.works(it.call)
			r := Record{Response: &res.Response}
			if err := checkNumbers(&res.Response); err != nil {
				r = Record{Failure: oneLine(err)}
			}
			records = append(records, x.end(p, it, r))
		case landed, broken != nil:
			x.drop(p, it)
		case errors.Is(err, model.ErrBudget):
			x.unfunded(j, it)
		case errors.Is(err, model.ErrDenied), x.tooLong(j, err):
			if r, ended := x.refuse(j, it, err); ended {
				records = append(records, r)
			}
		case errors.Is(err, model.ErrGone):
			x.drop(p, it)
			x.halt(fmt.Errorf("model %q: %w", p.identity, err))
		case !errors.Is(err, model.ErrTransient):
			records = append(records, x.end(p, it, Record{Failure: oneLine(err)}))
		default:
			asked, ended := x.pass(j, it, err)
			switch wait = max(wait, asked); {
			case ended:
				records = append(records, x.end(p, it, Record{Failure: oneLine(err), Transient: true}))
			case x.stop != nil:
				x.drop(p, it)
			default:
				again = append(again, it)
			}
		}
	}
	switch {
	case x.stop != nil:
		for _, it := range again {
			x.drop(p, it)
		}
	case len(again) > 0:
		x.line(&job{control: p, items: again, due: now.Add(x.backoff(again[0].tries, wait))})
	}
	return records
}

// maxWait is the longest wait that a server may ask for (Retry-After): the same command does better later.
const maxWait = 10 * time.Minute

// tooLong reports whether a failure asks for a wait that is too long, which may speak of one request as a refusal does.
func (x *execution) tooLong(j *job, err error) bool {
	var t *model.Transient
	if !errors.As(err, &t) || t.After <= maxWait {
		return false
	}
	if t.Limited {
		j.control.slow(time.Now(), j.sent, 0)
	}
	return true
}

// pass takes in a failure that may pass. It returns the wait that the server asked for, and whether the tries have run
// out.
func (x *execution) pass(j *job, it item, err error) (asked time.Duration, ended bool) {
	if t, ok := errors.AsType[*model.Transient](err); ok {
		asked = t.After
		if t.Limited {
			j.control.slow(time.Now(), j.sent, t.After)
		}
	}
	return asked, x.stop == nil && it.tries > x.opt.MaxRetries
}

// backoff returns how long to wait before the try after the given number of tries: a random time below a doubling
// bound ("full jitter"), on top of what the server asked for, so that calls refused together do not return together.
//
// Source: M. Brooker, "Exponential backoff and jitter", AWS Architecture Blog, 2015.
func (x *execution) backoff(tries int, asked time.Duration) time.Duration {
	const most = time.Minute
	bound := x.opt.Backoff
	for ; tries > 1 && bound < most; tries-- {
		bound *= 2
	}
	if asked > 0 {
		bound = x.opt.Backoff // the server knows better how long
	}
	return asked + time.Duration(x.jitter.Int64N(int64(min(bound, most))+1))
}

// report passes the progress on.
func (x *execution) report() {
	p := Progress{Counts: x.counts, InFlight: x.admitted}
	if !x.started.IsZero() {
		p.Elapsed = time.Since(x.started)
		if p.Asked > 0 && p.Elapsed > 0 {
			p.Rate = float64(p.Asked) / p.Elapsed.Seconds()
			p.ETA = time.Duration(float64(p.Planned-p.Done()) / p.Rate * float64(time.Second))
		}
	}
	x.opt.Progress(p)
}

// jobs is a heap of jobs, the first due on top.
type jobs []*job

func (h jobs) Len() int { return len(h) }
func (h jobs) Less(a, b int) bool {
	return cmp.Or(h[a].due.Compare(h[b].due), cmp.Compare(h[a].seq, h[b].seq)) < 0
}
func (h jobs) Swap(a, b int) { h[a], h[b] = h[b], h[a] }
func (h *jobs) Push(j any)   { *h = append(*h, j.(*job)) }
func (h *jobs) Pop() any {
	last := len(*h) - 1
	j := (*h)[last]
	(*h)[last] = nil
	*h = (*h)[:last]
	return j
}
