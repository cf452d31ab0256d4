package run

import (
	"container/heap"
	"errors"
	"math"
	"slices"
	"time"

	"hallmark/internal/model"
)

// A control (rate controller) decides when the next request may go to one model, and learns from what comes back. Only
// Execute's loop touches it.
type control struct {
	model    model.Model
	batcher  model.Batcher // nil if the model is none
	batch    int           // calls handed to it together
	identity string

	line Line // who keeps the limits that are set for the model

	admitted int // calls admitted and without an outcome
	active   int // of those, on their way now
	// limit is how many calls may be on their way: additive increase on success, halved when the server refuses for
	// its rate limit, at most once for the requests that were under way together.
	limit, ceiling float64
	cut            time.Time // when limit was last halved
	until          time.Time // nothing is sent before: the server asked for a wait

	ratio float64 // tokens an answered call took in all, per estimated prompt token
	price price

	worked       *Call // the cheapest that is known to work, now or, by its record, earlier
	workedTokens int   // that it takes at most
	trial        trial // of refusals that may speak of the model
}

// A price is what a model's tokens cost, in USD for one.
type price struct {
	in, out float64
	given   bool // before any answer; else it is that of the dearest answer
	known   bool
}

// newControl returns the rate control of the model with the identity; the model itself is added where it is asked.
func newControl(identity string, l Line, opt Options) *control {
	return &control{identity: identity, line: l, limit: float64(opt.Concurrency), ceiling: float64(opt.Concurrency),
		ratio: 1,
		batch: min(leastBatch, opt.Batch)}
}

// setModel enters the model where it is asked.
func (p *control) setModel(m model.Model) {
	p.model = m
	p.batcher, _ = m.(model.Batcher)
	if in, out, known := model.PriceOf(m); known {
		p.price = price{in: in, out: out, given: true, known: true}
	}
}

// PromptTokens estimates the prompt's tokens from its bytes, four to a token as is usual for English; ratio corrects
// it from the first answer on. A scored option is sent with the prompt.
func PromptTokens(r model.Request) int {
	n := len(r.System) + len(r.Prompt)
	for _, m := range r.Messages {
		n += len(m.Text)
	}
	for _, o := range r.Options {
		n += len(o)
	}
	if k := len(r.Options); k > 1 {
		n += (k - 1) * (len(r.System) + len(r.Prompt))
	}
	return n/4 + 1
}

// cost returns what a request costs that takes so many tokens.
func (p price) cost(u model.Usage) Cost {
	in, out := tokensOf(u)
	c := costOf(u)
	c.USD = max(c.USD, p.in*float64(in)+p.out*float64(out))
	return c
}

// charge is the number of tokens a call takes from the rate limit before its usage is known.
func (p *control) charge(prompt int) int { return int(math.Ceil(p.ratio * float64(prompt))) }

// full says that n more calls may not be sent until some that are under way come back.
func (p *control) full(n int) bool { return p.active > 0 && float64(p.active+n) > p.limit }

// A batch grows from leastBatch while it is answered fast, for larger ones share more, and shrinks again while it is
// slow, for what is not answered is not committed.
const (
	leastBatch = 32
	fastBatch  = time.Second
	slowBatch  = 8 * time.Second
)

// answerBatch takes note of how long a batch of n calls took.
func (p *control) answerBatch(n int, took time.Duration, most int) {
	switch {
	case n < p.batch: // says nothing about a full one
	case took < fastBatch:
		p.batch = min(2*p.batch, most)
	case took > slowBatch:
		p.batch = max(p.batch/2, min(leastBatch, most))
	}
}

// answer takes note of a call that was answered: there is room for more, unless it took more tokens than it was
// charged for.
func (p *control) answer(now time.Time, prompt int, u model.Usage) {
	p.limit = min(p.limit+1/p.limit, p.ceiling)
	if over := costOf(u).Tokens - p.charge(prompt); over > 0 {
		p.line.Owe(now, over) // a debt: later calls wait for it
	}
	p.learn(prompt, u)
}

// learn learns from an answer, also a stored one, how many tokens a call takes and what they cost.
func (p *control) learn(prompt int, u model.Usage) {
	used := costOf(u)
	if used.Tokens > 0 {
		p.ratio += 0.1 * (float64(used.Tokens)/float64(prompt) - p.ratio)
	}
	if p.price.given {
		return
	}
	if p.price.known = true; used.Tokens > 0 {
		p.price.in = max(p.price.in, used.USD/float64(used.Tokens))
		p.price.out = p.price.in
	}
}

// slow slows down after a refusal for the rate limit of a request that was sent at the given time.
func (p *control) slow(now, sent time.Time, wait time.Duration) {
	if sent.After(p.cut) {
		p.limit = max(1, p.limit/2)
		p.cut = now
	}
	if t := now.Add(wait); t.After(p.until) {
		p.until = t
	}
}

// admit takes the next pending call, or the next few for a model that answers them faster together, if concurrency,
// the model's rate control and the budget let it in.
func (x *execution) admit() *job {
	if x.stop != nil || len(x.pending) == 0 || x.admitted >= x.opt.Concurrency || len(x.starved) > 0 {
		return nil
	}
	p := x.control(x.head().Model)
	unpriced := x.opt.Budget.USD > 0 && !p.price.known
	if p.admitted > 0 && (unpriced || p.admitted >= int(p.limit)) {
		return nil
	}
	size := 1
	if p.batcher != nil && !unpriced {
		if size = p.batch; x.opt.InFlight > 0 {
			size = min(size, x.opt.InFlight)
		}
	}
	var items []item
	for len(items) < size && len(x.pending) > 0 && x.head().Model == p.identity {
		c := x.head()
		it := item{call: c, place: x.pending[0], prompt: PromptTokens(c.Request), held: p.worst(c)}
		now, ever := x.account.reserve(it.held)
		if !now {
			if !ever && len(items) == 0 && x.admitted == 0 {
				x.counts.Skipped, x.counts.Reason = x.counts.Skipped+len(x.pending), SkippedBudget
				x.pending = nil
			}
			break
		}
		items = append(items, it)
		x.pending, x.first = x.pending[1:], nil
	}
	if len(items) == 0 {
		return nil
	}
	x.admitted += len(items)
	p.admitted += len(items)
	return &job{control: p, items: items}
}

// worst returns what one try of the call costs at most, at the price that is known.
func (p *control) worst(c *Call) Cost {
	most, _ := model.Most(c.Request)
	return p.price.cost(most)
}

// enter takes what the limits of its model have for the first job, and says whether it can be sent now. If not, it
// waits for its time, or aside.
func (x *execution) enter(j *job, now time.Time) bool {
	n, line := len(j.items), j.control.line
	if !line.Enter(n) {
		x.aside = append(x.aside, heap.Pop(&x.waiting).(*job))
		return false
	}
	if j.paced {
		return true
	}
	tokens := 0
	for _, it := range j.items {
		tokens += j.control.charge(it.prompt)
	}
	wait, ok := line.Throttle(now, n, tokens)
	if j.paced = ok; ok && wait <= 0 {
		return true
	}
	line.Leave(n)
	if ok {
		x.postpone(j, now.Add(wait))
	} else {
		x.aside = append(x.aside, heap.Pop(&x.waiting).(*job))
	}
	return false
}

// recall lines up the jobs that wait aside, in their order.
func (x *execution) recall() {
	now := time.Now()
	for _, j := range x.aside {
		j.due = now
		x.push(j)
	}
	x.aside = x.aside[:0]
}

// changed takes in that the admission may let in others now.
func (x *execution) changed() {
	if err := x.admission.Err(); err != nil {
		x.halt(err)
		return
	}
	x.recall()
	x.feed()
}

// want tells the lines how many calls would be in flight.
func (x *execution) want() {
	if x.admission.Changed() == nil {
		return
	}
	for _, p := range x.controls {
		n := p.admitted
		if len(x.pending) > 0 && x.stop == nil && x.head().Model == p.identity {
			n += min(len(x.pending), max(x.opt.Concurrency-x.admitted, 0))
		}
		p.line.Want(n)
	}
}

// line sets aside what the calls of the job cost at most and lines up those that fit under the budget. One that
// does not waits for those under way to turn out cheaper; one that never will is skipped.
func (x *execution) line(j *job) {
	fit := j.items[:0:0]
	for _, it := range j.items {
		it.held = j.control.worst(it.call)
		now, ever := x.account.reserve(it.held)
		if now {
			fit = append(fit, it)
			continue
		}
		it.held = Cost{}
		alone := &job{control: j.control, items: []item{it}, due: j.due, trial: j.trial}
		if ever {
			x.starved = append(x.starved, alone)
		} else {
			x.skip(alone)
		}
	}
	if j.items = fit; len(fit) > 0 {
		x.push(j)
	}
}

// feed lines up those calls that wait for room in the budget and fit now, in their order.
func (x *execution) feed() {
	for len(x.starved) > 0 && x.stop == nil {
		j := x.starved[0]
		held := j.control.worst(j.items[0].call)
		now, ever := x.account.reserve(held)
		if !now && ever {
			return
		}
		x.starved = x.starved[1:]
		if now {
			j.items[0].held = held
			x.push(j)
		} else {
			x.skip(j)
		}
	}
}

// skip gives up a job of one call for the budget.
func (x *execution) skip(j *job) {
	if j.trial {
		x.noTrial(j.control, j.items[0])
		return
	}
	x.drop(j.control, j.items[0])
	x.counts.Skipped, x.counts.Reason = x.counts.Skipped+1, SkippedBudget
}

// unfunded takes in a call for which other processes left no room in the budget, or a request of it. It is given up
// for the budget, but where nothing of it was sent and they may give back what they hold.
func (x *execution) unfunded(j *job, it item) {
	alone := &job{control: j.control, items: []item{it}, due: time.Now(), paced: true}
	if j.meter != nil {
		if _, _, sent := j.meter.close(); sent {
			x.skip(alone)
			return
		}
	}
	if x.account.session.returnable() == (Cost{}) {
		x.skip(alone)
		return
	}
	alone.items[0].tries--
	x.line(alone)
}

// settle replaces what was set aside for the job by what its tries took.
func (x *execution) settle(j *job, results []model.Result) {
	for i := range results {
		it, res := &j.items[i], &results[i]
		held, used := it.held, took(it.held, res)
		if j.meter != nil {
			var metered Cost
			var sent bool
			held, metered, sent = j.meter.close()
			switch {
			case sent && res.Err == nil:
				used = metered.most(costOf(res.Response.Usage))
			case sent, errors.Is(res.Err, model.ErrBudget):
				used = metered
			}
		}
		x.account.settle(held, used)
		it.cost, it.held = it.cost.Plus(used), Cost{}
	}
}

// drop lets go of a call without a record: it is asked for again another time. What its tries took stays spent.
func (x *execution) drop(p *control, it item) {
	x.admitted--
	p.admitted--
	if it.held != (Cost{}) { // it was not sent
		x.account.settle(it.held, Cost{})
	}
	x.unrecorded = x.unrecorded.Plus(it.cost)
	x.pay(it)
}

// pay notes that what a call took is in what is handed to the committer, where a session has to know that.
func (x *execution) pay(it item) {
	if x.opt.Session != nil {
		x.paid = x.paid.Plus(it.cost)
	}
}

// end lets go of a call with its record.
func (x *execution) end(p *control, it item, r Record) Record {
	r.Call, r.Attempts = *it.call, it.tries
	x.admitted--
	p.admitted--
	x.counts.add(&r)
	x.unrecorded = x.unrecorded.Plus(x.before[it.place]).Plus(it.cost.beyond(RecordCost(&r)))
	x.pay(it)
	if x.opt.Observer != nil {
		x.opt.Observer.Ended(&r)
	}
	return r
}

// halt stops the sending; the first reason stays. Calls that wait are given up.
func (x *execution) halt(why error) {
	if x.stop != nil {
		return
	}
	x.stop = why
	for _, j := range slices.Concat(x.waiting, x.starved, x.aside) {
		for _, it := range j.items {
			x.drop(j.control, it)
		}
	}
	x.waiting, x.starved, x.aside = nil, nil, nil
	for _, p := range x.controls {
		for _, r := range p.trial.refused {
			x.drop(p, r.item)
		}
		p.trial.refused = nil
	}
}

// send takes the first job out of the queue.
func (x *execution) send(now time.Time) *job {
	j := heap.Pop(&x.waiting).(*job)
	x.sends++
	j.sent, j.number = now, x.sends
	j.control.active += len(j.items)
	x.flying += len(j.items)
	j.meter, j.account, j.may = nil, x.account, x.opt.May
	if len(j.items) == 1 { // a batch is for models in process, which send nothing
		j.meter = &meter{account: x.account, cost: j.control.price.cost, held: j.items[0].held, free: j.items[0].held}
	}
	return j
}
