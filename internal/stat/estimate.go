// Package stat turns counts and values per case into estimates with intervals, and holds the tests, agreement
// measures and sample sizes that every method of Hallmark shares. Cases are the unit of inference throughout.
//
// Functions panic where the programmer misuses them (k > n, a level outside (0, 1), values outside their stated
// range); too little data is never a panic, but an Estimate with N = 0, a wide interval, or a warning.
package stat

import (
	"fmt"
	"math"
	"slices"
)

// An Estimate is a number with all that is needed to judge it. N = 0 means that there is no value: print null, as
// Known does. Its JSON is {"estimate": …, "lo": …, "hi": …}; one that was read from JSON has no more than these,
// and N = 0.
type Estimate struct {
	Value    float64  `json:"estimate"`
	Lo       float64  `json:"lo"` // Lo and Hi bound Value at Level
	Hi       float64  `json:"hi"`
	Level    float64  `json:"-"` // confidence asked for, such as .95; the Method reaches it or says so in Warnings
	N        int      `json:"-"` // cases counted
	Unscored int      `json:"-"` // cases left out, as they could not be evaluated
	Method   string   `json:"-"` // such as "wilson"
	Warnings []string `json:"-"` // reasons for doubt, shown beside the number
}

// A Rate is an estimate whose JSON says rate for estimate, as that of the rubric does.
type Rate struct {
	Value    float64  `json:"rate"`
	Lo       float64  `json:"lo"`
	Hi       float64  `json:"hi"`
	Level    float64  `json:"-"`
	N        int      `json:"-"`
	Unscored int      `json:"-"`
	Method   string   `json:"-"`
	Warnings []string `json:"-"`
}

// An Average is an estimate whose JSON says mean for estimate.
type Average struct {
	Value    float64  `json:"mean"`
	Lo       float64  `json:"lo"`
	Hi       float64  `json:"hi"`
	Level    float64  `json:"-"`
	N        int      `json:"-"`
	Unscored int      `json:"-"`
	Method   string   `json:"-"`
	Warnings []string `json:"-"`
}

// An Interval is an estimate whose JSON has its bounds alone: its value stands beside them under a name of its own, or
// a range in its place.
type Interval struct {
	Value    float64  `json:"-"`
	Lo       float64  `json:"lo"`
	Hi       float64  `json:"hi"`
	Level    float64  `json:"-"`
	N        int      `json:"-"`
	Unscored int      `json:"-"`
	Method   string   `json:"-"`
	Warnings []string `json:"-"`
}

// Bounds are an Interval that may not be there: its JSON is null then. All it has leads into Of; Estimate.Bounds makes
// it.
type Bounds struct {
	Lo *float64  `json:"lo"`
	Hi *float64  `json:"hi"`
	Of *Estimate `json:"-"`
}

// A Range is what a figure lies between for certain, whatever is not known of it, such as what answers that could not
// be graded are. It holds no sampling error.
type Range struct {
	Lo float64 `json:"lo"`
	Hi float64 `json:"hi"`
}

// OK reports whether there is a value.
func (e Estimate) OK() bool { return e.N > 0 }

// Known returns e, nil (null) if it has no value.
func (e Estimate) Known() *Estimate {
	if !e.OK() {
		return nil
	}
	return &e
}

// Between returns what lies between the lower bound of the least that a figure can be and the upper one of the most,
// with the value of the least and the warnings of both.
func Between(least, most Estimate) Interval {
	least.Hi = most.Hi
	for _, w := range most.Warnings {
		if !slices.Contains(least.Warnings, w) {
			least.Warnings = append(slices.Clip(least.Warnings), w)
		}
	}
	return Interval(least)
}

// Rate returns e under the name rate, nil (null) if it has no value.
func (e Estimate) Rate() *Rate {
	if !e.OK() {
		return nil
	}
	return new(Rate(e))
}

// Bounds returns e as what JSON has of it beside other members, its value and its bounds, all nil (null) if it has no
// value.
func (e Estimate) Bounds() (value *float64, b Bounds) {
	if !e.OK() {
		return nil, b
	}
	return &e.Value, Bounds{&e.Lo, &e.Hi, &e}
}

// As returns e with its value and bounds as at has them, and with all else that it rests on. Where at falls, the bounds
// change places; it must not do both.
func (e Estimate) As(at func(float64) float64) Estimate {
	e.Value, e.Lo, e.Hi = at(e.Value), at(e.Lo), at(e.Hi)
	e.Lo, e.Hi = min(e.Lo, e.Hi), max(e.Lo, e.Hi)
	return e
}

// Times returns e of figures that are so many times as large.
func (e Estimate) Times(by float64) Estimate {
	return e.As(func(x float64) float64 { return float64(by * x) })
}

// Rest returns 1 - e, the share of all else.
func (e Estimate) Rest() Estimate { return e.As(func(x float64) float64 { return 1 - x }) }

// Bit is 1 for true and 0 for false, so that the mean of bits is a share.
func Bit(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// Sum adds values in their order.
func Sum[T int | float64](values []T) (sum T) {
	for _, v := range values {
		sum += v
	}
	return sum
}

// Warn adds a warning, a reason for doubt that is shown beside an estimate.
func Warn(to *[]string, format string, args ...any) { *to = append(*to, fmt.Sprintf(format, args...)) }

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
