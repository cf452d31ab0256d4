package rate

import (
	"fmt"
	"maps"
	"slices"

	"hallmark/internal/grade"
	"hallmark/internal/metric/grading"
	"hallmark/internal/stat"
	"hallmark/internal/stat/figure"
)

// Outcomes say what the answers to the default prompt did: four shares of N that sum to 1, and two rates within
// them. A share over no answers is null.
type Outcomes struct {
	N       int    `json:"n"` // answers that came back
	Correct *Share `json:"correct"`
	// something was asserted and is wrong: the hallucination rate of every headline
	Incorrect    *Share `json:"incorrect"`
	NotAttempted *Share `json:"not_attempted"`
	Ungradable   *Share `json:"ungradable"` // no grader could tell; always a rate
	// Unsupported is among the correct: the answer is right, and evidence that was asked for is missing or a detail
	// beside it is made up.
	Unsupported             *Share  `json:"unsupported"`
	IncorrectGivenAttempted *Share  `json:"incorrect_given_attempted"` // incorrect over correct and incorrect
	Grading                 Grading `json:"grading"`
}

// A Share has a rate, or in its place a range while answers are ungradable: what was read, from as if none of them
// counted to as if each did. Lo and Hi are there always and bound what the share would be if they were graded: Lo as
// if each of them were none, Hi as if each were one.
type Share struct {
	Rate  *float64    `json:"rate,omitempty"` // the Value of the interval
	Range *stat.Range `json:"range,omitempty"`
	stat.Interval
}

// shareOf is an estimate as a share that is no range.
func shareOf(e stat.Estimate) *Share { return &Share{Rate: &e.Value, Interval: stat.Interval(e)} }

// Ends returns the least and the most that was read: the rate twice, where there is one.
func (s *Share) Ends() (lo, hi float64) { return endsOf(s.Rate, s.Range) }

func endsOf(rate *float64, of *stat.Range) (lo, hi float64) {
	if of != nil {
		return of.Lo, of.Hi
	}
	return *rate, *rate
}

// The states of a grading: what its errors are corrected by.
const (
	AsRead            = "as_read"             // nothing
	CorrectedByLabels = "corrected_by_labels" // what people say of a random sample of the answers (double sampling)
	CorrectedByCheck  = "corrected_by_check"  // what the grader made of other labelled answers (inversion)
)

// A Grading says what the incorrect share rests on. What corrects it, or says how far it errs, stands beside AsRead.
type Grading struct {
	State    string `json:"state"`
	Labelled int    `json:"labelled"` // answers that a person labelled
	// of what was decided and is not incorrect: read as incorrect; null without a check
	FW *stat.Rate `json:"fw"`
	// of what was decided and is incorrect: read otherwise; null without a check
	FR      *stat.Rate             `json:"fr"`
	AsRead  *Share                 `json:"as_read"` // incorrect by the verdicts as they are
	Graders map[string]GraderCount `json:"graders"`
	// Implied is what the shipped check of the graders implies for answers read like these; absent where it says
	// nothing of them.
	Implied *grading.Implied `json:"implied,omitempty" gate:"figure"`
}

// A GraderCount is how many answers a grader decided, or could not.
type GraderCount struct {
	N int `json:"n"`
}

// A reading gives the least and the most that a row can count for in a share, which differ where it was not graded,
// and false where the row is not one of those that the share is of.
type reading func(r *Row) (least, most float64, ok bool)

func ofOutcome(o grade.Outcome) reading {
	return func(r *Row) (float64, float64, bool) {
		switch got := r.Outcome(); {
		case got == grade.NoOutcome:
			return 0, 0, false
		case got == grade.CannotGrade && o != grade.CannotGrade:
			return 0, 1, true
		default:
			return stat.Bit(got == o), stat.Bit(got == o), true
		}
	}
}

var (
	correct      = ofOutcome(grade.Correct)
	incorrect    = ofOutcome(grade.Incorrect)
	notAttempted = ofOutcome(grade.NotAttempted)
	ungradable   = ofOutcome(grade.CannotGrade)
)

// incorrectGivenAttempted is of the answers that were attempts. An ungradable one counts least as a right attempt
// and most as a wrong one: that it was no attempt lies between.
func incorrectGivenAttempted(r *Row) (least, most float64, ok bool) {
	if r.Outcome() == grade.NotAttempted {
		return 0, 0, false
	}
	return incorrect(r)
}

// unsupported is of the correct answers. An ungradable one counts least as right with support and most as right
// without.
func unsupported(r *Row) (least, most float64, ok bool) {
	switch o, v := r.Outcome(), r.Grade.Reciprocity.Verdict; {
	case o == grade.CannotGrade, o == grade.Correct && v == grade.Ungradable:
		return 0, 1, true
	case o == grade.Correct && v != grade.Unscored:
		return stat.Bit(v == grade.Fail), stat.Bit(v == grade.Fail), true
	}
	return 0, 0, false
}

// newShare estimates a share at its two extremes. Lo is the lower bound of the least, Hi the upper bound of the most.
func newShare(of reading, rows []*Row, estimate func(measure) stat.Estimate) *Share {
	least := estimate(func(r *Row) (float64, bool) { v, _, ok := of(r); return v, ok })
	if !least.OK() {
		return nil
	}
	for _, r := range rows {
		if lo, hi, ok := of(r); ok && lo < hi {
			most := estimate(func(r *Row) (float64, bool) { _, v, ok := of(r); return v, ok })
			return &Share{Range: &stat.Range{Lo: least.Value, Hi: most.Value}, Interval: stat.Between(least, most)}
		}
	}
	return shareOf(least)
}

// newOutcomes returns the outcomes of rows,
//
//	k/n, or the range [k/n, (k + u)/n] where u > 0 answers are ungradable
//
// for each outcome, n the answers that came back; by the estimator that is given, Wilson's for a row per case.
// Range: [0, 1]; null where n = 0. It changes nothing. Source: GRADING 2.
func newOutcomes(rows []*Row, estimate func(measure) stat.Estimate) Outcomes {
	of := func(r reading) *Share { return newShare(r, rows, estimate) }
	o := Outcomes{
		Correct: of(correct), Incorrect: of(incorrect), NotAttempted: of(notAttempted), Ungradable: of(ungradable),
		Unsupported: of(unsupported), IncorrectGivenAttempted: of(incorrectGivenAttempted),
		Grading: Grading{State: AsRead, Graders: map[string]GraderCount{}},
	}
	for _, r := range rows {
		if r.Grade.Outcome() == grade.NoOutcome {
			continue
		}
		o.N++
		by := r.Grade.Grader
		if r.Label != "" {
			by = ByLabel
			o.Grading.Labelled++
		}
		if by != "" {
			o.Grading.Graders[by] = GraderCount{o.Grading.Graders[by].N + 1}
		}
	}
	if o.Grading.Labelled > 0 {
		o.Grading.AsRead = of(asGraded)
	} else if i := o.Incorrect; i != nil {
		o.Grading.AsRead = new(*i)
	}
	return o
}

// A MostWrong is the class of which the least share of incorrect answers lies above the most over all classes, by
// bounds that hold for all of them together.
type MostWrong struct {
	Class   string  `json:"class"`
	Classes int     `json:"classes"` // that were compared
	Lo      float64 `json:"lo"`      // of the class, at Level
	Above   float64 `json:"above"`   // the upper bound over all, at Level
	Level   float64 `json:"level"`
}

// mostWrong finds the class with the highest lower bound of incorrect answers, of equal ones the first in the alphabet,
// if it lies above the upper bound over all. Formula: each bound is of a share at 1 - (1 - level)/(classes + 1), so
// that those of all classes and of the whole hold together (Bonferroni). Edge case: nil with fewer than two classes.
func mostWrong(rows []*Row, level float64) *MostWrong {
	sets := split(rows, ofClass)
	together := 1 - (1-level)/float64(len(sets)+1)
	of := func(rows []*Row) *Share { return newShare(incorrect, rows, sharesOf(rows, together)) }
	all := of(rows)
	if len(sets) < 2 || all == nil {
		return nil
	}
	m := MostWrong{Classes: len(sets), Lo: all.Hi, Above: all.Hi, Level: together}
	for _, class := range slices.Sorted(maps.Keys(sets)) {
		if s := of(sets[class]); s != nil && s.Lo > m.Lo {
			m.Class, m.Lo = class, s.Lo
		}
	}
	if m.Class == "" {
		return nil
	}
	return &m
}

// ByLabel is the grader of an answer that people labelled.
const ByLabel = "label"

// asGraded is incorrect by the verdicts of the grader, whatever people say.
func asGraded(r *Row) (least, most float64, ok bool) {
	unlabelled := *r
	unlabelled.Label = ""
	return incorrect(&unlabelled)
}

// Corrected puts the shares of the outcomes in the place of those that were read, in a state that says what
// corrected them. ungradable stays how many could not be read.
func (o *Outcomes) Corrected(state string, correct, incorrect, notAttempted, given *stat.Rate) {
	share := func(r *stat.Rate) *Share {
		if r == nil {
			return nil
		}
		return shareOf(stat.Estimate(*r))
	}
	o.Grading.State = state
	o.Correct, o.Incorrect, o.NotAttempted, o.IncorrectGivenAttempted = share(correct), share(incorrect),
		share(notAttempted), share(given)
}

// implied returns what the check of the options implies for the answers of rows, by how they were read; nil where
// it says nothing of them: there is none, a verdict is not one of rules on a text, a case has passages, or nothing
// could be graded. Where the answers do not fit the check, its Incorrect is null.
func implied(rows []*Row, opt Options) *grading.Implied {
	if opt.Check == nil || inflated(rows) {
		return nil
	}
	read, ok := byLength(rows, func(r *Row) grading.Length { return r.Length })
	if !ok {
		return nil
	}
	i := opt.Check.Implied(read, opt.Seed, opt.level())
	if i != nil && !i.Fits {
		i.Incorrect = nil
	}
	return i
}

// byLength counts how the answers of rows were read, by their length: false where a check of the grader says
// nothing of one, which has none.
func byLength(rows []*Row, length func(*Row) grading.Length) (map[grading.Length]grading.Reads[int], bool) {
	read := map[grading.Length]grading.Reads[int]{}
	decided := false
	for _, r := range rows {
		o := r.Grade.Outcome()
		if o == grade.NoOutcome {
			continue
		}
		l := length(r)
		if l == "" {
			return nil, false
		}
		counts := read[l]
		*counts.Of(o)++
		read[l] = counts
		decided = decided || o != grade.CannotGrade
	}
	return read, decided
}

// A Grader is what tells graders apart: their version, and the judges that have a part, of every answer where All
// is set.
type Grader struct {
	Version string
	Judges  []string
	All     bool
}

// CheckedBy corrects the outcomes of rows by a check of the grader that read them on other labelled answers. It
// returns why it cannot, "" where it did. Source: GRADING 4 (inversion).
func (o *Outcomes) CheckedBy(c *grading.Check, by Grader, rows []Row, seedValue uint64, level float64) string {
	read, ok := byLength(sorted(rows), func(r *Row) grading.Length { return r.Words })
	switch {
	case c.GradingVersion != by.Version:
		return fmt.Sprintf("the check of the grader is of grading version %s, and the answers were read by "+
			"version %s: make it again", c.GradingVersion, by.Version)
	case !slices.Equal(c.Judges, by.Judges) || c.All != by.All:
		return "the check of the grader is not of this one, as other judges have a part in it: make it with the " +
			"same --judge"
	case !ok:
		return "the check of the grader says nothing of these answers, as options were scored"
	case inflated(sorted(rows)):
		return "the check of the grader takes each answer for an observation of its own, and many of these cases " +
			"ask the same or belong together"
	}
	x, n := c.Invert(read, seedValue, level)
	switch {
	case n == 0:
		return "the check of the grader holds no labelled answers"
	case !x.Fits():
		return fmt.Sprintf("the check of the grader does not carry over to these answers, which are not read as "+
			"its were (test of fit: p = %s): label some of them", figure.Digits(x.FitP, 3))
	}
	o.Corrected(CorrectedByCheck, x.Rates[0].Rate(), x.Rates[1].Rate(), x.Rates[2].Rate(), nil)
	g := c.Group(level)
	o.Grading.FW, o.Grading.FR = g.FW.Known(), g.FR.Known()
	return ""
}

// Count returns how many of the answers are of a share that has a rate.
func (o Outcomes) Count(s *Share) int {
	if s == nil || s.Rate == nil {
		return 0
	}
	return int(*s.Rate*float64(o.N) + .5)
}

// warning says in words that answers could not be graded, "" where all were.
func (o Outcomes) warning() string {
	u := o.Count(o.Ungradable)
	switch {
	case u == 0:
		return ""
	case u == o.N:
		return fmt.Sprintf("none of the %d answers could be graded, so nothing is known of the model: compare the "+
			"answers with the accepted ones before anything is used", o.N)
	}
	return fmt.Sprintf("%d of %d answers could not be graded, so rates are ranges of what these can be: list the "+
		"other names of the right answer in the suite, or give such cases an oracle of type judge", u, o.N)
}

// unscoredH reports whether a row has no H, though not because its text could not be graded.
func unscoredH(r *Row) bool {
	if _, scored := hallucination(r); scored {
		return false
	}
	if r.Grade.Outcome() == grade.NoOutcome {
		return true
	}
	for i, j := range r.Grade.Axes() {
		if j.Verdict == grade.Ungradable && (i < 3 || r.Gates) {
			return false
		}
	}
	return true
}
