package rubric

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"

	"hallmark/internal/base/parallel"
	"hallmark/internal/grade/oracle"
	"hallmark/internal/suite"
	"hallmark/internal/text/program"
	"hallmark/internal/text/quantity"
)

// A Rubric grades answers to the cases of one suite. It makes a case ready when it is asked about it, and holds few
// that are: made ready, a case takes some 10 kB. So ask for all of one case in a row. It is safe for concurrent
// use.
type Rubric struct {
	Bench // the judges; none unless it is set, before the first answer is graded
	// Contract says that the prompts asked for a last line with the answer, which then decides what was answered;
	// to be set before as well.
	Contract bool

	suite *suite.Suite
	cases suite.List // its
	today quantity.Date
	steps int64   // that a module has for an answer
	byID  []int32 // the cases in the order of their ids

	mu     sync.Mutex
	briefs []brief             // by case
	recent [maxReady]*compiled // the last that were made ready
	turn   int
}

// maxReady bounds the cases that are held ready, at one for each core and as many that wait.
const maxReady = 64

// A brief is what is kept of every case.
type brief struct {
	Brief
	settings *suite.Settings // shared by the cases that have the same; nil: not made ready yet
	err      error           // why it cannot be made ready
}

// A Brief is what is asked of a case once the answers to it are graded.
type Brief struct {
	Golds      []string `json:"golds,omitempty"`      // what it accepts
	Gradable   bool     `json:"gradable,omitempty"`   // it has an oracle or a gold, or declining is right
	Answerable bool     `json:"answerable,omitempty"` // an answer is called for
	Acts       bool     `json:"acts,omitempty"`       // not answering can be right
}

// New returns the rubric of a suite of which every oracle that can be at fault was made ready once. asOf is today,
// as 2026-11-01, or "". The error starts with the place of the first case at fault.
func New(s *suite.Suite, asOf string) (*Rubric, error) {
	r, err := Of(s, asOf)
	if err != nil {
		return nil, err
	}
	parallel.Do(runtime.GOMAXPROCS(0), r.cases.Len(), func(i int) {
		if c := r.cases.At(i); !oracle.Plain(c) {
			r.of(c)
		}
	})
	return r, r.Err()
}

// Of is New for a suite whose oracles were checked before: a fault of one shows where the case is asked about, and
// in Err.
func Of(s *suite.Suite, asOf string) (*Rubric, error) {
	today, ok := quantity.ParseDate(asOf)
	if asOf != "" && (!ok || today.Day == 0) {
		return nil, fmt.Errorf("as-of date %q is no date; write it as 2026-11-01", asOf)
	}
	cases := s.Cases
	r := &Rubric{suite: s, cases: cases, today: today, byID: make([]int32, cases.Len()),
		briefs: make([]brief, cases.Len())}
	modules := 0
	for i, c := range cases.Pass() {
		r.byID[i] = int32(i)
		for o := range c.Oracle.All() {
			if o.Code != "" {
				modules++
			}
		}
	}
	slices.SortStableFunc(r.byID, func(a, b int32) int { return strings.Compare(cases.ID(int(a)), cases.ID(int(b))) })
	r.steps = program.Share(modules)
	return r, nil
}

// Err returns the fault of the first case that could not be made ready, of those that were asked about.
func (r *Rubric) Err() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i := range r.briefs {
		if err := r.briefs[i].err; err != nil {
			return err
		}
	}
	return nil
}

// foreign is the brief of a case that is not of the suite: nothing can grade it.
var foreign = brief{settings: &standard}

// standard are the settings of nearly every case.
var standard = suite.Settings{Weights: suite.DefaultWeights}

// shared returns settings that many cases hold.
func shared(set suite.Settings) *suite.Settings {
	if set == standard {
		return &standard
	}
	return &set
}

// of returns what is kept of a case.
func (r *Rubric) of(c *suite.Case) *brief {
	i, ok := r.find(c.ID)
	r.mu.Lock()
	made := ok && r.briefs[i].settings != nil
	r.mu.Unlock()
	if !made {
		return &r.ready(c).brief
	}
	return &r.briefs[i]
}

// Brief returns what is kept of a case.
func (r *Rubric) Brief(c *suite.Case) Brief { return r.of(c).Brief }

// Recall has a case be as a Brief of it says. It is made ready where an answer to it is graded all the same.
func (r *Rubric) Recall(c *suite.Case, b Brief) {
	if i, ok := r.find(c.ID); ok {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.briefs[i] = brief{b, shared(r.suite.Settings(c)), nil}
	}
}

// find returns the place of the case with an id, false where the suite has none.
func (r *Rubric) find(id string) (int, bool) {
	at, ok := slices.BinarySearchFunc(r.byID, id, func(i int32, id string) int {
		return strings.Compare(r.cases.ID(int(i)), id)
	})
	if !ok {
		return 0, false
	}
	return int(r.byID[at]), true
}

// ready returns a case made ready, and one that nothing can grade where it is not of the suite or cannot be made ready.
func (r *Rubric) ready(c *suite.Case) *compiled {
	i, ok := r.find(c.ID)
	if !ok {
		return &compiled{brief: foreign}
	}
	r.mu.Lock()
	for _, k := range r.recent {
		if k != nil && k.at == i {
			r.mu.Unlock()
			return k
		}
	}
	r.mu.Unlock()
	own := r.cases.At(i)
	k, err := compile(r.suite, own, r.today, r.steps) // twice where two ask at once
	if err != nil {
		k = &compiled{brief: brief{settings: foreign.settings, err: err}, c: own}
	}
	k.at = i
	r.mu.Lock()
	defer r.mu.Unlock()
	r.recent[r.turn%maxReady], r.turn = k, r.turn+1
	if r.briefs[i].settings == nil {
		r.briefs[i] = k.brief
	}
	return k
}
