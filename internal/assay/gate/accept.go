package gate

import (
	"fmt"
	"math"
	"slices"
	"sort"
	"strings"

	"hallmark/internal/stat"
	"hallmark/internal/stat/figure"
)

// A Threshold is what a user declares before they look: a figure has to be below a number, or above it.
type Threshold struct {
	Source string   // as written: incorrect <= 5%
	Path   []string // of a figure with an interval, or its last key alone
	Below  bool     // the figure has to be below
	Strict bool     // and not at it
	Bound  float64
}

// An Acceptance says of a threshold whether it is met, by the interval of its figure.
type Acceptance struct {
	Expr  string `json:"expr"`
	Path  string `json:"path"` // of the figure
	Model string `json:"model,omitempty"`
	Suite string `json:"suite,omitempty"`
	// Verdict is met where the whole interval is on the side that was declared, not_met where it is on the other, else
	// undecided: it cannot be said with so many cases.
	Verdict  string      `json:"verdict"`
	Estimate *float64    `json:"estimate"`        // null where it is a range, or there is none
	Range    *stat.Range `json:"range,omitempty"` // as some answers could not be graded
	stat.Bounds
	N int `json:"n,omitempty"`
	// Needed is how many cases would do, with Power, if the figure is as it was seen; null where it is decided, and
	// where no number of cases would.
	Needed *int    `json:"needed"`
	Power  float64 `json:"power,omitempty"` // of Needed
	Why    string  `json:"why,omitempty"`   // there is no verdict, or no number of cases that would do
	Share  bool    `json:"share"`           // the figure is a share
}

// The verdicts on a threshold.
const (
	Met       = "met"
	NotMet    = "not_met"
	Undecided = "undecided"
)

// enough is the power with which Needed cases decide, as plans have it, and confidence the level of intervals.
const (
	enough     = .8
	confidence = .95
)

// places are where a figure is looked for that is named by its last key: of a run, and of a comparison.
var (
	OfRun        = []string{"rubric.outcomes", "rubric", "consistency"}
	OfComparison = []string{"outcomes.other", "other"}
)

// ParseThresholds reads those of --accept: FIGURE OP NUMBER, where the number may be in percent.
func ParseThresholds(exprs []string) (all []Threshold, err error) {
	for _, expr := range exprs {
		number, percent := strings.CutSuffix(strings.TrimSpace(expr), "%")
		g, err := Parse(number)
		if err != nil {
			return nil, fmt.Errorf("--accept %q: write FIGURE OP NUMBER with one of < <= > >=, such as "+
				"'incorrect <= 5%%'", expr)
		}
		t := Threshold{Source: strings.Join(strings.Fields(expr), " "), Path: g.Path, Below: g.Op[0] == '<',
			Strict: len(g.Op) == 1, Bound: g.Bound}
		if percent {
			t.Bound /= 100
		}
		last := t.Path[len(t.Path)-1]
		switch {
		case g.Op == "==" || g.Op == "!=":
			return nil, fmt.Errorf("--accept %q: no sample shows that a figure is a number: use one of < <= > >=", expr)
		case slices.Contains([]string{"lo", "hi", "rate", "estimate"}, last) && len(t.Path) > 1:
			return nil, fmt.Errorf("--accept %q: name the figure and not its %s, as its interval decides", expr, last)
		}
		all = append(all, t)
	}
	return all, nil
}

// At returns the path of the figure in a document of this shape, which has to have an interval; a figure that is named
// by its last key is looked for at the places. The error names what would be right. A share has to have a bound within
// [0, 1].
func (t Threshold) At(shape any, places []string) ([]string, error) {
	paths := [][]string{t.Path}
	if len(t.Path) == 1 {
		paths = nil
		for _, p := range places {
			paths = append(paths, append(strings.Split(p, "."), t.Path...))
		}
	}
	var first error
	for _, path := range paths {
		err := Gate{Source: t.Source, Path: append(slices.Clone(path), "hi"), Op: "<"}.Check(shape)
		if err == nil {
			return path, t.inRange(path)
		}
		if first == nil {
			first = err
		}
	}
	says := strings.TrimPrefix(first.Error(), "gate ")
	// its interval is asked for, not its bound
	return nil, fmt.Errorf("--accept %s", strings.Replace(says, ".hi?", "?", 1))
}

// inRange refuses a bound of an outcome that no share can have.
func (t Threshold) inRange(path []string) error {
	least := 0.
	if slices.Contains(path, "difference") {
		least = -1
	}
	if slices.Contains(path, "outcomes") && !(t.Bound >= least && t.Bound <= 1) {
		return fmt.Errorf("--accept %q: a share is between 0 and 1: write 5%% or .05", t.Source)
	}
	return nil
}

// Decide holds the figure at a path of a document against the threshold.
//
// Formula: by the 95 % interval [lo, hi] that the document has, met where hi <= bound (for >=: lo >= bound), not met
// where lo > bound (hi < bound). The number of cases that would do is that of stat.SizeThreshold at the share as it was
// seen, of a range at its end that is nearer; where the interval is wider than Wilson's of as many cases, as of
// clusters, as many times as many as the interval has fewer cases by its width. Of other figures, whose error falls
// with the root of n, it is n ((hi - x)/(bound - x))², which is approximate. None would do where the share is the bound
// itself, or the bound lies between the ends of a range, which only grading narrows; where labels correct, the labels
// decide.
func (t Threshold) Decide(doc figure.Tree, path []string) Acceptance {
	at := doc.Sub(path...)
	a := Acceptance{Expr: t.Source, Path: strings.Join(path, "."), Verdict: Undecided, N: casesOf(doc, path)}
	e, ok := at.Interval()
	if !ok {
		a.Why = "it was not measured"
		return a
	}
	a.Bounds = stat.Bounds{Lo: &e.Lo, Hi: &e.Hi, Of: &e}
	x, isRate := at.Number("rate")
	if !isRate {
		x, isRate = at.Number("estimate")
	}
	least, ranged := at.Number("range", "lo")
	most, _ := at.Number("range", "hi")
	a.Share = at.Has("rate") || ranged || slices.Contains(path, "outcomes")
	switch {
	case isRate:
		e.Value, a.Estimate, least, most = x, &x, x, x
	case ranged:
		a.Range = &stat.Range{Lo: least, Hi: most}
	default: // an interval alone
		least, most = e.Lo, e.Hi
	}
	far, near := e.Hi, e.Lo
	if !t.Below {
		far, near = near, far
	}
	switch {
	case t.holds(far):
		a.Verdict = Met
	case !t.holds(near):
		a.Verdict = NotMet
	default:
		t.would(&a, least, most, corrected(doc, path))
	}
	return a
}

// holds reports whether a value is on the side of the threshold that was declared.
func (t Threshold) holds(x float64) bool {
	if x == t.Bound {
		return !t.Strict
	}
	return (x < t.Bound) == t.Below
}

// would says how many cases would decide what these could not.
func (t Threshold) would(a *Acceptance, least, most float64, corrected bool) {
	near := least // the end that is nearer to the threshold
	if t.Bound >= most {
		near = most
	}
	switch {
	case corrected:
		a.Why = "the figure is corrected by labels, and more labels would make it narrower"
	case least < t.Bound && t.Bound < most:
		a.Why = "no number of cases decides it: the share is a range, as some answers could not be graded, and the " +
			"threshold is in it"
	case a.Share && (t.Bound == 0 || t.Bound == 1) && *a.Lo >= 0:
		a.Why = "no number of cases decides it: a sample does not show that a share is 0 or 1"
	case near == t.Bound:
		a.Why = "no number of cases decides it: what was seen is the threshold itself"
	default:
		needed := t.needed(a, least, most, near)
		if needed > stat.MostPaired {
			a.Why = "over a million cases would be needed"
			return
		}
		a.Needed, a.Power = new(max(int(math.Ceil(needed-1e-9)), a.N+1)), enough
	}
}

// needed is how many cases would decide, infinity where that is not known.
func (t Threshold) needed(a *Acceptance, least, most, near float64) float64 {
	if a.Share && *a.Lo >= 0 && near >= 0 && near <= 1 && t.Bound > 0 && t.Bound < 1 &&
		!strings.Contains(a.Path, "difference") {
		if s, ok := stat.SizeThreshold(near, t.Bound, confidence, enough); ok {
			return float64(s.N) * widened(*a.Lo, *a.Hi, least, most, a.N)
		}
		return math.Inf(1)
	}
	if a.N < 1 {
		return math.Inf(1)
	}
	room := *a.Hi - most
	if t.Bound < least {
		room = least - *a.Lo
	}
	return float64(a.N) * math.Pow(room/math.Abs(t.Bound-near), 2)
}

// widened is how many times as many cases an interval takes as Wilson's of the same width: 1 where it is that.
func widened(lo, hi, least, most float64, n int) float64 {
	width, p := (hi-lo)-(most-least), (least+most)/2
	if n < 1 || least < most || width <= 0 {
		return 1
	}
	few := 1 + sort.Search(n-1, func(i int) bool { // the least number of cases at which Wilson's is no wider
		return 2*stat.HalfWidth(p, i+1, confidence) <= width*(1+1e-9)
	})
	return float64(n) / float64(few)
}

// casesOf is how many cases a figure is of: the n that stands nearest above it; 0 where none does.
func casesOf(doc figure.Tree, path []string) int {
	for i := len(path) - 1; i >= 0; i-- {
		for _, key := range [][]string{{"n"}, {"base", "n"}, {"questions"}} {
			if n, ok := doc.Number(append(slices.Clone(path[:i]), key...)...); ok {
				return int(n)
			}
		}
	}
	return 0
}

// corrected reports whether labels or a check correct a figure of outcomes.
func corrected(doc figure.Tree, path []string) bool {
	i := slices.Index(path, "outcomes")
	if i < 0 {
		return false
	}
	for _, of := range [][]string{path[:len(path)-1], path[:i+1]} {
		if s := doc.Text(append(slices.Clone(of), "grading", "state")...); s != "" {
			return s != "as_read"
		}
	}
	return false
}

// shareWords are what a share of answers is called in a sentence.
var shareWords = map[string]string{"incorrect": "wrong", "correct": "right", "not_attempted": "not attempted",
	"ungradable": "not gradable"}

// boundWords are the words for the operators.
var boundWords = map[bool]map[bool]string{true: {true: "less than ", false: "at most "},
	false: {true: "more than ", false: "at least "}} // by Below and Strict

// asked is the threshold in words: at most 5 % wrong. A figure that has no words of its own is named by its key, and
// one that stands elsewhere than where it is looked for by its path.
func (a *Acceptance) asked() string {
	all, err := ParseThresholds([]string{a.Expr})
	if err != nil {
		return a.Expr
	}
	t, at := all[0], strings.Split(a.Path, ".")
	last := at[len(at)-1]
	word, in := shareWords[last], strings.TrimSuffix(a.Path, "."+last)
	share := a.Share || slices.Contains(at, "outcomes")
	number := figure.Digits(t.Bound, 6)
	if share {
		number = figure.Digits(100*t.Bound, 6)
	}
	number = boundWords[t.Below][t.Strict] + strings.Replace(number, "-", "−", 1)
	of := ""
	if a.Model != "" {
		of = ", " + a.Model + " on " + a.Suite
	}
	switch {
	case in == "outcomes.difference" && word != "":
		return "a change of " + number + " points in what is " + word + of
	case !share:
		number = strings.ReplaceAll(last, "_", " ") + " " + number
	case word == "":
		number = strings.ReplaceAll(last, "_", " ") + " " + number + " %"
	default:
		number += " % " + word
	}
	switch {
	case slices.Contains(OfRun, in):
	case slices.Contains(OfComparison, in):
		number += " in other"
	default:
		number += " (" + a.Path + ")"
	}
	return number + of
}

// measured says what was seen: the figure, its interval, and of how many cases.
func (a *Acceptance) measured() string {
	unit := ""
	number := figure.Decimal
	if a.Share {
		number = figure.Tenths
		if unit = " %"; strings.Contains(a.Path, "difference") {
			unit = " points"
		}
	}
	is := fmt.Sprintf("95 %% interval %s to %s%s", number(*a.Lo), number(*a.Hi), unit)
	switch {
	case a.Estimate != nil:
		is = number(*a.Estimate) + unit + ", " + is
	case a.Range != nil:
		is = fmt.Sprintf("%s to %s%s as read, %s", number(a.Range.Lo), number(a.Range.Hi), unit, is)
	}
	if a.N > 0 {
		is += ", of " + figure.Counted(a.N, "case")
	}
	return "Measured: " + is + "."
}

// Says is the acceptance in sentences, its verdict first, up to the first colon. What is not decided says there what
// would decide it.
func (a *Acceptance) Says() string {
	what := a.asked()
	switch {
	case a.Lo == nil:
		return fmt.Sprintf("Not decided: %s. There is no figure: %s.", what, a.Why)
	case a.Verdict == Met:
		return fmt.Sprintf("Met: %s. %s", what, a.measured())
	case a.Verdict == NotMet:
		return fmt.Sprintf("Not met: %s. %s", what, a.measured())
	case a.Needed != nil:
		return fmt.Sprintf("Not decided, about %s in all would be needed: %s. %s The interval has the threshold in "+
			"it. Where the true share is what was measured, as many cases decide it in %s of 100 runs.",
			figure.Counted(*a.Needed, "case"), what, a.measured(), figure.Trimmed(100*a.Power))
	}
	return fmt.Sprintf("Not decided: %s. %s Why: %s.", what, a.measured(), a.Why)
}
