package run

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"
	"unicode/utf8"

	"hallmark/internal/base/lists"
	"hallmark/internal/model"
)

// An item is one admitted call.
type item struct {
	call   *Call
	place  int // in the plan; -1 of a trial
	tries  int
	prompt int  // estimated tokens
	held   Cost // set aside for the try to come, or under way
	cost   Cost // of the tries so far
}

// A job is what a worker is handed: calls of one model that are sent together.
type job struct {
	control *control
	items   []item
	due     time.Time
	seq     int  // among jobs due together, the order of the plan
	paced   bool // has its share of the rate limits
	trial   bool // of a model that refused, by a call that worked

	sent    time.Time
	number  int // of the job, among those sent
	may     func() error
	account *Account
	meter   *meter // of a job of one call, while it is tried
}

// cover has the store know of what is set aside for the job, or gives it back.
func (j *job) cover() error {
	var held Cost
	for _, it := range j.items {
		held = held.Plus(it.held)
	}
	err := j.account.cover(held)
	if err == nil {
		return nil
	}
	for i := range j.items {
		j.items[i].held = Cost{}
	}
	if j.meter != nil {
		j.meter.held, j.meter.free = Cost{}, Cost{}
	}
	return err
}

// An outcome is what one try of a job gave, a result for each of its items.
type outcome struct {
	job     *job
	results []model.Result
}

// errTimeout is the cause of a try that ran out of its time.
var errTimeout = errors.New("timeout")

// try sends the job once. Whatever the backend does, a result for each item comes back.
func (j *job) try(ctx context.Context, timeout time.Duration) (results []model.Result) {
	results = make([]model.Result, len(j.items))
	all := func(err error) {
		for i := range results {
			results[i] = model.Result{Err: err}
		}
	}
	if err := j.may(); err != nil {
		all(err)
		return results
	}
	if err := j.cover(); err != nil {
		all(err)
		return results
	}
	if timeout > 0 {
		timeout *= time.Duration(len(j.items))
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, timeout, errTimeout)
		defer cancel()
	}
	if j.meter != nil {
		ctx = model.WithMeter(ctx, j.meter)
	}
	if j.trial {
		ctx = fresh(ctx)
	}
	defer func() {
		if p := recover(); p != nil {
			all(fmt.Errorf("backend panicked: %v", p))
		}
		for i := range results {
			if results[i].Err != nil && errors.Is(context.Cause(ctx), errTimeout) {
				results[i].Err = &model.Transient{Err: fmt.Errorf("no response within %v", timeout)}
			}
		}
	}()
	if len(j.items) == 1 {
		results[0].Response, results[0].Err = j.control.model.Generate(ctx, j.items[0].call.Request)
		return results
	}
	reqs := lists.Map(j.items, func(it item) model.Request { return it.call.Request })
	got := j.control.batcher.GenerateBatch(ctx, reqs)
	if len(got) != len(reqs) {
		all(fmt.Errorf("backend gave %d results for a batch of %d", len(got), len(reqs)))
		return results
	}
	copy(results, got)
	return results
}

// checkNumbers returns an error that names a float in the response that is no finite number: JSON has no word for it,
// and no estimate can use it. So does a usage that cannot be.
func checkNumbers(r *model.Response) error {
	bad := func(x float64) bool { return math.IsNaN(x) || math.IsInf(x, 0) }
	for i, t := range r.Tokens {
		if t.LogProb != nil && bad(*t.LogProb) {
			return fmt.Errorf("log-probability of token %d is %v", i, *t.LogProb)
		}
		for _, top := range t.Top {
			if bad(top.LogProb) {
				return fmt.Errorf("log-probability of an alternative to token %d is %v", i, top.LogProb)
			}
		}
	}
	for i, o := range r.Options {
		for j, lp := range o.LogProbs {
			if bad(lp) {
				return fmt.Errorf("log-probability of token %d of option %d is %v", j, i, lp)
			}
		}
	}
	for i, c := range r.Cosines {
		if bad(c) {
			return fmt.Errorf("cosine of option %d is %v", i, c)
		}
	}
	if bad(r.Usage.USD) {
		return fmt.Errorf("cost in USD is %v", r.Usage.USD)
	}
	if u := r.Usage; !u.Plausible() {
		return fmt.Errorf("no answer takes %d and %d tokens and %v USD", u.PromptTokens, u.CompletionTokens, u.USD)
	}
	return nil
}

// maxFailure bounds a failure's text in bytes: servers answer with whole pages.
const maxFailure = 1000

// oneLine returns the error's text as one line of at most maxFailure bytes, and never empty.
func oneLine(err error) string {
	s := err.Error()
	cut := len(s) > maxFailure
	if cut {
		s = s[:maxFailure]
		for len(s) > 0 { // drop what is left of a character that the cut went through
			if r, n := utf8.DecodeLastRuneInString(s); r != utf8.RuneError || n != 1 {
				break
			}
			s = s[:len(s)-1]
		}
	}
	s = strings.Join(strings.Fields(strings.ToValidUTF8(s, "\uFFFD")), " ")
	switch {
	case s == "":
		return "error without a text"
	case cut:
		return s + " …"
	}
	return s
}

// An Observer is told what Execute sends and what becomes of it, for metrics and traces; it changes nothing. It is safe
// for concurrent use, and quick.
type Observer interface {
	// Try is told of a try of so many calls of a model, after so many before it; the context is that of the requests
	// from then on. The function that it returns is told how each ended.
	Try(ctx context.Context, identity string, calls, before int) (context.Context, func([]model.Result))
	// Ended is told of a call that ended in a record.
	Ended(r *Record)
}

// observed tries the job before the eyes of an observer, which may be nil.
func (j *job) observed(ctx context.Context, o *Options) []model.Result {
	if o.Observer == nil {
		return j.try(ctx, o.Timeout)
	}
	ctx, end := o.Observer.Try(ctx, j.control.identity, len(j.items), j.items[0].tries)
	results := j.try(ctx, o.Timeout)
	end(results)
	return results
}
