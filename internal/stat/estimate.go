// Package stat turns counts and values per case into estimates with intervals, and holds the tests, agreement measures and
// sample sizes that every method of Hallmark shares. Cases are the unit of inference throughout.
//
// Functions panic where the programmer misuses them (k > n, a level outside (0, 1), values outside their stated range); too
// little data is never a panic, but an Estimate with N = 0, a wide interval, or a warning.
package stat

import (
	"fmt"
	"math"
)

// An Estimate is a number with all that is needed to judge it. N = 0 means that there is no value: print null.
type Estimate struct {
	Value, Lo, Hi float64  // Lo and Hi bound Value at Level
	Level         float64  // confidence asked for, such as .95; the Method reaches it or says so in Warnings
	N, Unscored   int      // cases counted; cases left out, as they could not be evaluated
	Method        string   // such as "wilson"
	Warnings      []string // reasons for doubt, shown beside the number
}

// OK reports whether there is a value.
func (e Estimate) OK() bool { return e.N > 0 }

// An Interval is the public JSON form of an estimate.
type Interval struct {
	Estimate float64 `json:"estimate"`
	Lo       float64 `json:"lo"`
	Hi       float64 `json:"hi"`
}

// A Rate is the public JSON form of an estimate of the rubric, which says rate for estimate.
type Rate struct {
	Rate float64 `json:"rate"`
	Lo   float64 `json:"lo"`
	Hi   float64 `json:"hi"`
}

// Interval returns the JSON form of e, nil (null) if e has no value.
func (e Estimate) Interval() *Interval {
	if !e.OK() {
		return nil
	}
	return &Interval{e.Value, e.Lo, e.Hi}
}

// Rate returns the JSON form of e under the name rate, nil (null) if e has no value.
func (e Estimate) Rate() *Rate {
	if !e.OK() {
		return nil
	}
	return &Rate{e.Value, e.Lo, e.Hi}
}

// Z returns the two-sided normal quantile of a confidence level,
//
//	Z = Phi^-1((1 + level)/2) = sqrt(2) erfinv(level)
//
// in (0, ∞): 1.959964 at .95. It panics if level is not inside (0, 1).
func Z(level float64) float64 {
	if !(level > 0 && level < 1) {
		panic(fmt.Sprintf("stat: level %v is not inside (0, 1)", level))
	}
	return math.Sqrt2 * math.Erfinv(level)
}
