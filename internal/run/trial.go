package run

import (
	"context"
	"errors"
	"fmt"
	"time"

	"hallmark/internal/model"
)

// A trial finds out whether a refusal that may speak of the whole model (model.ErrDenied, a wait that is too long)
// speaks of one request: a request that worked before is sent once more, and its answer thrown away. Refusals that
// come in meanwhile wait for the same verdict.
type trial struct {
	refused []refusal
	running bool // its request is under way, or waits to be tried again
	cleared int  // a trial sent with this number worked: what was refused of those sent before speaks of them alone
}

// A refusal is a refused call that waits for the verdict.
type refusal struct {
	item   item
	err    error
	number int // of its request, among those sent
}

// waits says that nothing is sent until those under way come back: the model refused, and nothing has worked yet.
func (p *control) waits() bool { return len(p.trial.refused) > 0 && p.worked == nil }

// works takes note of a call that worked, and keeps the one whose like costs least.
func (p *control) works(c *Call) {
	most, _ := model.Most(c.Request)
	if n := most.PromptTokens + most.CompletionTokens; p.worked == nil || n < p.workedTokens {
		p.worked, p.workedTokens = new(*c), n
	}
}

// refuse takes in a refusal of the job, which ends in a record if the model is known to have worked since, and else
// waits.
func (x *execution) refuse(j *job, it item, err error) (r Record, ended bool) {
	transient := errors.Is(err, model.ErrTransient)
	if t := (*model.Transient)(nil); errors.As(err, &t) {
		err = fmt.Errorf("asks for a wait of %v: run the same command again then: %w", t.After, err)
	}
	switch t := &j.control.trial; {
	case x.stop != nil:
		x.drop(j.control, it)
	case j.number < t.cleared:
		return x.end(j.control, it, Record{Failure: oneLine(err), Transient: transient}), true
	default:
		t.refused = append(t.refused, refusal{it, err, j.number})
	}
	return r, false
}

// decide begins the trial of a model that refused, once something has worked, or stops the run where nothing has or
// the budget has no room.
func (x *execution) decide(p *control) {
	t := &p.trial
	switch {
	case x.stop != nil || len(t.refused) == 0 || t.running:
		return
	case p.worked == nil && p.active == 0:
		x.halt(fmt.Errorf("model %q: %w", p.identity, t.refused[0].err))
		return
	case p.worked == nil:
		return // what is under way may work
	}
	it := item{call: p.worked, place: -1, prompt: PromptTokens(p.worked.Request)}
	x.admitted++
	p.admitted++
	t.running = true
	x.line(&job{control: p, items: []item{it}, due: time.Now(), trial: true})
}

// endTrial takes in the outcome of a trial, and returns the records of the refusals that it cleared.
func (x *execution) endTrial(j *job, res *model.Result, landed bool) []Record {
	p, it := j.control, &j.items[0]
	it.tries++
	if landed || x.stop != nil {
		x.drop(p, *it)
		return nil
	}
	if res.Err == nil {
		p.answer(time.Now(), it.prompt, res.Response.Usage)
		x.drop(p, *it)
		return x.clear(p, j.number)
	}
	asked, ended := x.pass(j, *it, res.Err)
	if errors.Is(res.Err, model.ErrTransient) && !ended && asked <= maxWait {
		x.line(&job{control: p, items: j.items, due: time.Now().Add(x.backoff(it.tries, asked)), trial: true})
		return nil
	}
	x.drop(p, *it)
	first := p.trial.refused[0].err
	if errors.Is(res.Err, model.ErrGone) {
		x.halt(fmt.Errorf("model %q: %w", p.identity, first))
	} else {
		x.halt(fmt.Errorf("model %q: %w; a request that worked before was sent again and failed, too: %s", p.identity,
			first, oneLine(res.Err)))
	}
	return nil
}

// clear ends the refusals of requests that were sent before a trial that worked. Those sent later wait for the
// next: credit may have run out behind the trial.
func (x *execution) clear(p *control, number int) (records []Record) {
	refused := p.trial.refused
	p.trial = trial{cleared: number}
	for _, r := range refused {
		if r.number < number {
			records = append(records, x.end(p, r.item,
				Record{Failure: oneLine(r.err), Transient: errors.Is(r.err, model.ErrTransient)}))
		} else {
			p.trial.refused = append(p.trial.refused, r)
		}
	}
	return records
}

// noTrial stops the run where the budget has no room for a trial.
func (x *execution) noTrial(p *control, it item) {
	first := p.trial.refused[0].err
	x.drop(p, it)
	x.halt(fmt.Errorf(
		"model %q: %w; the budget has no room to find out by a request that worked whether that holds for all",
		p.identity, first))
}

type freshKey struct{}

// fresh returns a context in which models of Recorded ask, whatever is stored, and store nothing.
func fresh(ctx context.Context) context.Context { return context.WithValue(ctx, freshKey{}, true) }

func isFresh(ctx context.Context) bool { return ctx.Value(freshKey{}) != nil }
