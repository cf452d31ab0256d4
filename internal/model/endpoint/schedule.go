package endpoint

import (
	"context"
	"slices"
	"sync"

	"hallmark/internal/engine"
	"hallmark/internal/model/local"
)

const (
	unitSize  = 32 // sequences of one request that are taken in together
	laneSlots = 64 // sequences a lane continues at a time
)

// A scheduler shares the engine among requests. Its lanes, one a core, each continue a batch of sequences step by
// step and take in what waits between steps (continuous batching), as much as there is memory for. Which lane takes
// a sequence, and beside what it runs, changes no bit of it. Requests hand in a unit at a time and wait their turn
// for the next, so that a large one does not hold up the others.
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
	ask   engine.Ask
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
	top     []engine.TokenLogProb
}

func newScheduler(m *local.Model, lanes int, cacheBytes int64) *scheduler {
	s := &scheduler{units: make(chan unit), quit: make(chan struct{})}
	for range lanes {
		l := &lane{s: s, m: m, d: m.NewDecoder(), running: map[*engine.Sequence]*task{},
			room: cacheBytes / int64(lanes)}
		s.lanes.Go(l.run)
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

// A lane continues one batch.
type lane struct {
	s       *scheduler
	m       *local.Model
	d       *engine.Decoder
	running map[*engine.Sequence]*task
	waiting []*task // taken and not yet joined, for want of room
	room    int64   // bytes that the keys and values of further sequences may take
}

func (l *lane) run() {
	for l.take() {
		l.join()
		for _, q := range l.d.Step() {
			l.report(q)
		}
	}
}

// take takes what requests hand in, unless earlier tasks wait for room: while the lane is idle it waits for something,
// else it takes what is there. It returns false once the lane has to end.
func (l *lane) take() bool {
	if len(l.waiting) > 0 {
		return true
	}
	if l.d.Active() == 0 {
		select {
		case u := <-l.s.units:
			l.accept(u)
		case <-l.s.quit:
			return false
		}
	}
	for l.d.Active()+len(l.waiting) < laneSlots {
		select {
		case u := <-l.s.units:
			l.accept(u)
		default:
			return true
		}
	}
	return true
}

func (l *lane) accept(u unit) {
	if u.work != nil {
		u.work()
	}
	l.waiting = append(l.waiting, u.tasks...)
}

// join has the decoder take in those that wait, in their order and as many as there is room for, but one at least if it
// has nothing else to do.
func (l *lane) join() {
	l.waiting = slices.DeleteFunc(l.waiting, func(t *task) bool { return t.ctx.Err() != nil })
	n := 0
	for ; n < len(l.waiting); n++ {
		need := l.need(l.waiting[n].ask)
		if need > 0 && need > l.room && l.d.Active()+n > 0 {
			break
		}
		l.room -= need
	}
	tasks := l.waiting[:n]
	asks := make([]engine.Ask, n)
	for i, t := range tasks {
		asks[i] = t.ask
	}
	for i, q := range l.d.Join(asks) {
		l.running[q] = tasks[i]
		l.report(q)
	}
	l.waiting = slices.Clone(l.waiting[n:])
}

// need is the bytes that the keys and values of a sequence may come to take.
func (l *lane) need(a engine.Ask) int64 {
	further := min(a.Generate.MaxTokens, l.m.ContextTokens()-len(a.Prompt)+1)
	if further < 2 { // nothing is read a second time
		return 0
	}
	return int64(len(a.Prompt)+further) * l.m.CacheBytes()
}

// report tells a task what its sequence has got since the last time.
func (l *lane) report(q *engine.Sequence) {
	t, g := l.running[q], q.Generation()
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
		delete(l.running, q)
		l.room += l.need(t.ask)
	}
	t.to.post(e)
}

// A mailbox holds the events of a request until its handler reads them. Posting never waits, so that a slow client
// holds up no lane; a request's tokens are bounded.
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
