package run

import (
	"errors"
	"fmt"
	"time"
)

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
