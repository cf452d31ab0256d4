package endpoint

import (
	"context"
	"slices"
	"sync"

	"hallmark/internal/transformer"
)

const (
	unitSize  = 32 // sequences of one request that are taken in together
	laneSlots = 64 // sequences a lane continues at a time
)

// A scheduler shares the engine among requests. Its lanes, one a core, each continue a batch of sequences step by step
// and take in what waits between steps (continuous batching). Which lane takes a sequence, and beside what it runs,
// changes no bit of it. Requests hand in a unit at a time and wait their turn for the next, so that a large one does
// not hold up the others.
type scheduler struct {
	units chan unit
	quit  chan struct{}
	lanes sync.WaitGroup
}

// A unit is what a lane takes at once: sequences to continue, or other work with the engine.
type unit struct {
	tasks []*task
	work  func()
}

// A task is one sequence of a request.
type task struct {
	ctx   context.Context // its end stops the sequence
	ask   transformer.Ask
	index int // of the choice in its request
	to    *mailbox
	told  int // tokens that the mailbox has
}

// An event is what a step brought to one choice.
type event struct {
	index  int
	prompt []generated // in the first event, where asked for: the prompt's tokens with their log-probabilities
	tokens []generated
	finish string // "" while there is more
	err    error
}

// A generated token, or one of the prompt's, with its log-probability and alternatives.
type generated struct {
	id      int32
	logProb float64 // nats; of no meaning for the first token of a prompt
	top     []transformer.TokenLogProb
}

func newScheduler(lanes int, decoder func() *transformer.Decoder) *scheduler {
	s := &scheduler{units: make(chan unit), quit: make(chan struct{})}
	for range lanes {
		s.lanes.Go(func() { s.lane(decoder()) })
	}
	return s
}

// close ends the lanes once what they run is done or given up; nothing may be submitted any more.
func (s *scheduler) close() {
	close(s.quit)
	s.lanes.Wait()
}

// submit hands in the tasks, in units, until the context ends.
func (s *scheduler) submit(ctx context.Context, tasks []*task) {
	for part := range slices.Chunk(tasks, unitSize) {
		if s.hand(ctx, unit{tasks: part}) != nil {
			return
		}
	}
}

// do runs work on a lane, and waits for it.
func (s *scheduler) do(ctx context.Context, work func()) error {
	done := make(chan struct{})
	if err := s.hand(ctx, unit{work: func() { defer close(done); work() }}); err != nil {
		return err
	}
	<-done
	return nil
}

func (s *scheduler) hand(ctx context.Context, u unit) error {
	select {
	case s.units <- u:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (s *scheduler) lane(d *transformer.Decoder) {
	running := map[*transformer.Sequence]*task{}
	for s.takeIn(d, running) {
		for _, q := range d.Step() {
			report(running, q)
		}
	}
}

// takeIn has the decoder join what waits: while it is idle it waits for something, else it takes what is there. It
// returns false once the lane has to end.
func (s *scheduler) takeIn(d *transformer.Decoder, running map[*transformer.Sequence]*task) bool {
	var tasks []*task
	take := func(u unit) {
		if u.work != nil {
			u.work()
		}
		tasks = append(tasks, u.tasks...)
	}
	if d.Active() == 0 {
		select {
		case u := <-s.units:
			take(u)
		case <-s.quit:
			return false
		}
	}
more:
	for d.Active()+len(tasks) < laneSlots {
		select {
		case u := <-s.units:
			take(u)
		default:
			break more
		}
	}
	tasks = slices.DeleteFunc(tasks, func(t *task) bool { return t.ctx.Err() != nil })
	asks := make([]transformer.Ask, len(tasks))
	for i, t := range tasks {
		asks[i] = t.ask
	}
	for i, q := range d.Join(asks) {
		running[q] = tasks[i]
		report(running, q)
	}
	return true
}

// report tells a task what its sequence has got since the last time.
func report(running map[*transformer.Sequence]*task, q *transformer.Sequence) {
	t, g := running[q], q.Generation()
	e := event{index: t.index, finish: g.Finish, err: q.Err}
	if t.told == 0 {
		for i, lp := range q.LogProbs {
			e.prompt = append(e.prompt, generated{t.ask.Prompt[i], lp, q.Top[i]})
		}
	}
	for ; t.told < len(g.Tokens); t.told++ {
		one := generated{id: g.Tokens[t.told], logProb: g.LogProbs[t.told]}
		if g.Top != nil {
			one.top = g.Top[t.told]
		}
		e.tokens = append(e.tokens, one)
	}
	if q.Done() {
		delete(running, q)
	}
	t.to.post(e)
}

// A mailbox holds the events of a request until its handler reads them. Posting never waits, so that a slow client holds
// up no lane; a request's tokens are bounded.
type mailbox struct {
	mu     sync.Mutex
	events []event
	ready  chan struct{}
}

func newMailbox() *mailbox { return &mailbox{ready: make(chan struct{}, 1)} }

func (m *mailbox) post(e event) {
	m.mu.Lock()
	m.events = append(m.events, e)
	m.mu.Unlock()
	select {
	case m.ready <- struct{}{}:
	default: // the handler has been told
	}
}

// wait returns the events since the last call, at least one.
func (m *mailbox) wait(ctx context.Context) ([]event, error) {
	select {
	case <-m.ready:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	events := m.events
	m.events = nil
	return events, nil
}
