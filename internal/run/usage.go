package run

import (
	"errors"
	"fmt"
	"math"
	"time"
)

// A Usage is what tries cost that left no record: those of a call that was given up without an outcome, and those of the check of what a model
// can do. It counts in a budget; no result rests on it.
type Usage struct {
	Run    string    // the whole id of the run
	Key    Key       // of the call; the zero Key where it was none of the plan, such as the check of a model's abilities
	Tries  int       // requests that were sent
	Tokens int       // prompt and answer, counted or estimated
	USD    float64   // what they cost
	At     time.Time // when it was stored; in no result
}

// Check returns an error if the usage is none that a store takes: it names no run, a number is negative or none, or nothing was sent.
func (u *Usage) Check() error {
	switch {
	case u.Run == "":
		return errors.New("a usage needs a run")
	case u.Tries < 1 || u.Tokens < 0 || !(u.USD >= 0) || math.IsInf(u.USD, 1):
		return fmt.Errorf("a usage of %d tries, %d tokens and %v USD cannot be: want 1 try or more, and no number below 0", u.Tries, u.Tokens, u.USD)
	}
	return nil
}

// Cost returns what the usage takes of a budget, in which every try is a call.
func (u *Usage) Cost() Cost { return Cost{USD: u.USD, Tokens: u.Tokens, Calls: u.Tries} }
