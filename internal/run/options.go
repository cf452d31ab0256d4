package run

import (
	"cmp"
	"context"
	"time"
)

// Options say how Execute asks. None of them changes an answer, so none is part of a key or of a run's id. The zero
// value asks one call at a time, without limits, retries or timeout.
type Options struct {
	Concurrency int // calls in flight at most; 0 is 1. A batch counts as its calls, but one batch is always let through
	// calls handed to a model.Batcher together, at most; 0 is 1,024. A slow model gets fewer, so that little is
	// lost in a crash
	Batch int

	MaxRetries int // tries after the first that a call gets where the failure is transient
	// the first retry waits a random time below it, each later one below twice as much, up to a minute; 0 is 500 ms
	Backoff time.Duration
	Timeout time.Duration // of one try of one call; 0 is none. A try that runs out is a transient failure

	RPM int // requests a minute to each model, retries included; 0 is no limit
	TPM int // tokens a minute to each model, prompt and answer; 0 is no limit
	// InFlight is how many calls to each model are in flight at most, of all that share the Admission; 0 is no limit
	// beside Concurrency, which is of this Execute.
	InFlight int
	// Admission keeps these limits and the budget; nil is InProcess. Its session is that below.
	Admission Admission
	Budget    Budget
	Spent     Cost // counts against the budget already: what the calls of earlier Executes of the same run took
	// Unrecorded is told, soon after, what requests took that no record shows: tries of calls that were skipped or
	// stopped, those beyond one a try, failed tries whose work may be billed, trials. It is called from one
	// goroutine; its error ends the run. With it Spent is kept over the end of the process. Nil is none.
	Unrecorded func(context.Context, Cost) error
	// Session has the store know of each request before it is sent, so that Budget is kept over a kill and by all
	// processes that run the same plan. It keeps what Unrecorded would be told. Nil is none.
	Session *Session

	// May is asked before each try: its error, which is to wrap model.ErrGone, leaves the try unsent and ends the run.
	// It may be called by several goroutines; nil is always.
	May func() error

	Offline     bool // ask nothing: calls without a record are skipped
	RetryErrors bool // ask again for calls whose record is a failure

	// Grace is how long calls in flight may still answer after the context is done. What arrives is committed.
	Grace time.Duration

	Observer Observer // nil is none

	// CommitDelay is how long an answer waits for others that are committed with it, at most; 0 is 50 ms.
	CommitDelay time.Duration
	// Unstored is how many calls may be asked and not yet stored: those in flight, and those answered that are not
	// committed. It is what a kill can cost at most. 0 is no bound but that of the committer's queue, 256.
	Unstored int

	// Progress is called from one goroutine at the start, after every outcome and at the end. It must be quick:
	// drawing at most so many times a second is the caller's part.
	Progress func(Progress)
	Now      func() time.Time // stamps the records; nil is time.Now
	Seed     uint64           // of the jitter of the waits
}

// A Budget caps what a run costs. 0 is no cap.
//
// Every request counts when it is sent, whatever comes of it: each try, each request that a backend sends beyond
// one a try, the trial of a model that refused. The stored records of the calls count too, each of their tries,
// whoever asked for them, and so does Options.Spent: so resuming a run does not double its cap.
//
// A try is sent only if what was spent, the most that requests under way may cost and the most that it may cost
// itself fit under the cap. The most is a call, the tokens of model.Most (a request without MaxTokens is refused
// where tokens or USD are capped), and their price. What was set aside is replaced by what the server counts; where
// it refused before any work, by a call without tokens. An answer that is not counted, or that did not come, is
// charged at the most, as it may be billed.
//
// So no cap is overrun by a server that keeps to MaxTokens and bills no more than a token for a byte and what
// model.MostTokens adds. Two things cannot be bounded: the price of a model that is no model.Pricer, before its
// first answer (its calls go one by one until then; a failed one counts no USD), and an answer dearer than the
// dearest before.
type Budget struct {
	USD    float64
	Tokens int // prompt and answer
	Calls  int
}

// Counts say what one Execute did. Planned = Reused + Asked + Skipped if it ran to the end; fewer if it was stopped.
type Counts struct {
	Planned int // distinct calls
	Reused  int // had a record, which was not asked for again
	Asked   int // got a record now: committed, not merely answered
	Failed  int // of those reused and asked: the record is a failure
	Skipped int // have no record, on purpose
	// Reason says why calls were skipped: SkippedOffline or SkippedBudget; "" if none was.
	Reason  string
	Retries int // tries beyond the first, of the calls asked now

	// What the answers of the calls asked now cost.
	PromptTokens, CompletionTokens int
	USD                            float64

	// Spent is what counts against a budget: Options.Spent, what the records of the calls took, whoever asked for
	// them, and every request of this Execute.
	Spent Cost
}

// Add adds the counts of an Execute that followed, with Spent in its options.
func (c *Counts) Add(next Counts) {
	c.Planned += next.Planned
	c.Reused += next.Reused
	c.Asked += next.Asked
	c.Failed += next.Failed
	c.Skipped += next.Skipped
	c.Reason = cmp.Or(next.Reason, c.Reason)
	c.Retries += next.Retries
	c.PromptTokens += next.PromptTokens
	c.CompletionTokens += next.CompletionTokens
	c.USD += next.USD
	c.Spent = next.Spent
}

// Why calls were skipped.
const (
	SkippedOffline = "not stored"
	SkippedBudget  = "budget spent"
)

// Progress is a picture of an Execute under way. Its counts are of outcomes as they arrive, a moment ahead of their
// commit.
type Progress struct {
	Counts
	InFlight int           // admitted and without an outcome, those that wait for a retry included
	Elapsed  time.Duration // since the first call was admitted
	Rate     float64       // outcomes a second since then; 0 while unknown
	ETA      time.Duration // at that rate; 0 while unknown
}

// Done returns how many of the planned calls have an outcome or are skipped.
func (p Progress) Done() int { return p.Reused + p.Asked + p.Skipped }

// add counts a record of this very Execute.
func (c *Counts) add(r *Record) {
	c.Asked++
	c.Retries += r.Attempts - 1
	if r.Response == nil {
		c.Failed++
		return
	}
	c.PromptTokens += r.Response.Usage.PromptTokens
	c.CompletionTokens += r.Response.Usage.CompletionTokens
	c.USD += r.Response.Usage.USD
}

// withDefaults returns o with its zero fields that mean a default replaced by it.
func (o Options) withDefaults() Options {
	o.Concurrency = max(o.Concurrency, 1)
	o.Batch = cmp.Or(max(o.Batch, 0), 1024)
	o.MaxRetries = max(o.MaxRetries, 0)
	o.Backoff = cmp.Or(max(o.Backoff, 0), 500*time.Millisecond)
	o.CommitDelay = cmp.Or(max(o.CommitDelay, 0), commitDelay)
	if o.May == nil {
		o.May = func() error { return nil }
	}
	if o.Progress == nil {
		o.Progress = func(Progress) {}
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return o
}
