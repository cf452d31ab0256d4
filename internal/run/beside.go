package run

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// An Annotation is what one rater said of one answer of a run. It stands beside the run's records: it changes none.
type Annotation struct {
	Run   string          // the whole id of the run
	Unit  string          // names the answer within the run
	Rater string          // names the person
	Label json.RawMessage // what was said, as the package that reads it defines
	At    time.Time       // when it was stored; in no result
}

// Check returns an error if the annotation lacks what every annotation has.
func (a *Annotation) Check() error {
	switch {
	case a.Run == "" || a.Unit == "" || a.Rater == "":
		return errors.New("an annotation needs a run, a unit and a rater")
	case !json.Valid(a.Label):
		return errors.New("an annotation's label must be JSON")
	}
	return nil
}

// An AnnotationStore is the part of a Store that keeps annotations.
type AnnotationStore interface {
	// Annotate adds annotations, all or none, in order. It replaces nothing: what a rater said before stays, and
	// the reader decides which counts. One that lacks its run, unit, rater or label is an error.
	Annotate(ctx context.Context, list []Annotation) error
	// Annotations returns all annotations of the run with this id, in the order in which they were added; none is
	// no error.
	Annotations(ctx context.Context, runID string) ([]Annotation, error)
}

// A Usage is what tries cost that no record shows: those of a call that was given up without an outcome, those of
// the check of what a model can do, and what failed tries of a recorded call may have cost beyond a call each. It
// counts in a budget; no result rests on it.
type Usage struct {
	Run string // the whole id of the run
	// of the call; the zero Key where it was none of the plan, such as the check of a model's abilities
	Key    Key
	Tries  int       // requests that were sent; 0 where a record counts them
	Tokens int       // prompt and answer, counted or estimated
	USD    float64   // what they cost
	At     time.Time // when it was stored; in no result
}

// Check returns an error if the usage is none that a store takes: it names no run, a number is negative or none, or
// nothing was taken.
func (u *Usage) Check() error {
	switch {
	case u.Run == "":
		return errors.New("a usage needs a run")
	case !u.Cost().isCost() || u.Cost() == (Cost{}):
		return fmt.Errorf(
			"a usage of %d tries, %d tokens and %v USD cannot be: want one number above 0, and none below", u.Tries,
			u.Tokens, u.USD)
	}
	return nil
}

// Cost returns what the usage takes of a budget, in which every try is a call.
func (u *Usage) Cost() Cost { return Cost{USD: u.USD, Tokens: u.Tokens, Calls: u.Tries} }

// A Hold is what one session of a run, which is a process that asks under a budget, has taken of the budget. It is
// stored before a request is sent, so that a process that is killed and one that runs at the same time are known to
// those that come after it.
type Hold struct {
	ID  int64  // of the session; a store gives it when the hold is first put
	Run string // the whole id of the run
	// of Total, what no record and no Usage shows: requests under way or set aside, and answers that are not stored yet
	Held  Cost
	Total Cost      // all that the session spent, and what is set aside
	At    time.Time // when it was stored; in no result
	// Life says whether the session's process lives, by the clock of the store. Stores that know it set it where a hold
	// is read.
	Life Life `json:"-"`
	// Firm says that nothing of Held will be given back: it is spent, and waits for the end of its calls. Stores that
	// know Life keep it.
	Firm bool `json:"-"`
}

// A Life is what a store knows of a process.
type Life int

// What it knows. A process lives as long as it has told the store so within a Term; one that does not may have been
// killed, or stopped.
const (
	Unknown Life = iota
	Lives
	Lapsed
)

// Term is how long a store believes that a process lives which has told it so.
const Term = 20 * time.Second

// Check returns an error if the hold is none that a store takes: it names no run, or a number is negative or none.
func (h *Hold) Check() error {
	if h.Run == "" {
		return errors.New("a hold needs a run")
	}
	for _, c := range []Cost{h.Held, h.Total} {
		if !c.isCost() {
			return fmt.Errorf("a hold of %d calls, %d tokens and %v USD cannot be: want no number below 0", c.Calls,
				c.Tokens, c.USD)
		}
	}
	return nil
}

// A HoldStore is the part of a Store that keeps what the sessions of a run hold of its budget.
type HoldStore interface {
	// Holds returns what all sessions of the run with this id hold, by id; none is no error. One that is damaged,
	// or gone, is an error, as what it held is not known, and neither is which run's it was.
	Holds(ctx context.Context, runID string) ([]Hold, error)
	// PutHold stores a hold, which replaces that of the same session, and sets the ID of a new one. Nothing else is
	// written meanwhile. Before it, fits, which may be nil, is given the holds of the run's other sessions. It may
	// change what is put, and is called again where the store begins anew; if it returns an error nothing is stored,
	// and that is the error.
	PutHold(ctx context.Context, h *Hold, fits func(put *Hold, others []Hold) error) error
	// AddHeld is Add, AddUsage and PutHold at once, all or none. It returns the places of the records that are left
	// out, as their keys have a response already.
	AddHeld(ctx context.Context, h *Hold, records []Record, list []Usage) (left []int, err error)
}

// A TextStore is the part of a Store that keeps texts, by their names: what is long and belongs to no record.
type TextStore interface {
	// PutText stores a text, which takes the place of one of the same name.
	PutText(ctx context.Context, name string, text []byte) error
	// Text returns the text of a name; nil where there is none, or where it is not as it was written.
	Text(ctx context.Context, name string) ([]byte, error)
}
