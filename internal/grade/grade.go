// Package grade defines what a grader says of one answer: a verdict on each axis of the rubric, with the rule and
// the evidence.
package grade

import (
	"cmp"
	"slices"

	"hallmark/internal/text/answer"
)

// A Verdict is the outcome on one axis. The zero value is Unscored: what was never graded was not passed.
type Verdict int8

// The verdicts.
const (
	Unscored      Verdict = iota // could not be evaluated: a failed call, a grader that broke
	Pass                         // the axis holds
	Fail                         // the axis is violated
	Ungradable                   // text that no grader can read: counted on its own, in no rate
	NotApplicable                // the case asks nothing on this axis
)

var verdicts = []string{"unscored", "pass", "fail", "ungradable", "n/a"} // in the words of the files

func (v Verdict) String() string { return verdicts[v] }

// By is the judgment that comes to the verdict by a rule, on evidence.
func (v Verdict) By(rule, evidence string) Judgment { return Judgment{v, rule, evidence} }

// ParseVerdict reads what String writes, and false for any other text.
func ParseVerdict(s string) (Verdict, bool) {
	i := slices.Index(verdicts, s)
	return Verdict(max(i, 0)), i >= 0
}

// A Judgment is a verdict with its reason.
type Judgment struct {
	Verdict  Verdict
	Rule     string // the rule that decided, as "false-premise: proceeding" or "exact: not in the accepted set"
	Evidence string // what in the answer or the context it rests on, quoted and bounded
}

// An Act is what the model did with the question, whatever its truth.
type Act string

// The acts.
const (
	Answered   Act = "answered"   // asserted something an oracle can read
	Declined   Act = "declined"   // said that it does not know, or that no such thing is found
	Asked      Act = "asked"      // asked for the missing information
	Enumerated Act = "enumerated" // gave the answer under each reading
	Repaired   Act = "repaired"   // rejected the premise and put it right
	Hedged     Act = "hedged"     // committed to nothing
	Empty      Act = "empty"      // said nothing, and ended by itself
	Unreadable Act = "unreadable" // text that no grader can read
	NoAnswer   Act = ""           // nothing came back that can be graded
)

// A Kind says which kind of failure a hallucination is. They partition H: METHODS 2.
type Kind string

// The kinds of hallucination.
const (
	None        Kind = ""
	Commission  Kind = "commission"   // something was asserted and fails
	OverRefusal Kind = "over-refusal" // declined though the inputs sufficed
	// nothing determinate asserted, or a decline where another act than answering was right
	Undecided Kind = "undecided"
)

// An Outcome is what one answer that came back did: GRADING 2. The four shares of a run sum to 1.
type Outcome string

// The outcomes.
const (
	NoOutcome Outcome = "" // nothing came back, or the grader broke: unscored
	// the core is right: the right answer, or the right act where no answer is right
	Correct      Outcome = "correct"
	Incorrect    Outcome = "incorrect"     // something is asserted, and the core fails
	NotAttempted Outcome = "not_attempted" // declines, asks back, names no value, says nothing
	CannotGrade  Outcome = "ungradable"    // no grader could tell
)

// Outcomes lists the outcomes in the order of the files.
var Outcomes = []Outcome{Correct, Incorrect, NotAttempted, CannotGrade}

// A Grade is the judgment of one answer on the four axes.
type Grade struct {
	Truth, Decidability, Reciprocity, Format Judgment

	Act  Act
	Kind Kind
	// Lapse says that decidability fails only for want of something beside the core, as a date: the outcome is that
	// of the core.
	Lapse bool
	// the share of the things asked for that is named, where a gold lists several under all:; 0 elsewhere
	Credit float64
	// Normal is the answer as compared over variants: its value under the case's equality, or an act. Zero where
	// the answer is unscored, so that its variant is left out.
	Normal answer.Form
	// Answer is what was read as the answer, as it is written: "J. Smith" of a sentence about him. Empty where no
	// value was read.
	Answer     string
	Grader     string  // who decided: "rules", "judge", or "label" for a person
	Confidence float64 // how sure the grader is of the outcome, in [0, 1]; 0 where it does not say
	Reason     string  // why the grade is unscored
}

// Axes are the judgments of the grade in the order of the rubric: truth, decidability, reciprocity, format.
func (g *Grade) Axes() [4]*Judgment {
	return [4]*Judgment{&g.Truth, &g.Decidability, &g.Reciprocity, &g.Format}
}

// withheld are the outcomes where the core fails and the act asserts nothing.
var withheld = map[Act]Outcome{
	Declined: NotAttempted, Asked: NotAttempted, Hedged: NotAttempted, Empty: NotAttempted, Unreadable: CannotGrade,
}

// Withheld returns the outcome of an answer whose core fails and whose act asserts nothing, "" of other acts.
func (a Act) Withheld() Outcome { return withheld[a] }

// Outcome returns the outcome of the core, which is truth and decidability: one that fails decides before one that
// is ungradable.
func (g Grade) Outcome() Outcome {
	t, d := g.Truth.Verdict, g.Decidability.Verdict
	if g.Lapse && d == Fail {
		d = Pass
	}
	switch {
	case t == Unscored || d == Unscored, t == NotApplicable && d == NotApplicable:
		// of the second nothing says what is right
		return NoOutcome
	case t == Fail || d == Fail:
		return cmp.Or(withheld[g.Act], Incorrect)
	case t == Ungradable || d == Ungradable:
		return CannotGrade
	}
	return Correct
}

// Unsupported reports whether the core is right and reciprocity fails: evidence is missing, or a detail is made up.
func (g Grade) Unsupported() bool { return g.Outcome() == Correct && g.Reciprocity.Verdict == Fail }

// Hallucinated returns H: whether truth, decidability or reciprocity fails, and with gating also format. It is not
// scored where none of them fails and one that applies is unscored or ungradable.
func (g Grade) Hallucinated(formatGates bool) (h, scored bool) {
	axes := []Verdict{g.Truth.Verdict, g.Decidability.Verdict, g.Reciprocity.Verdict}
	if formatGates {
		axes = append(axes, g.Format.Verdict)
	}
	h = slices.Contains(axes, Fail)
	return h, h || !slices.Contains(axes, Unscored) && !slices.Contains(axes, Ungradable)
}

// An Answer is what a grader reads: the response of a model to one variant, or a row of a file.
type Answer struct {
	Text    *string // nil: nothing came back
	Finish  string  // how the response ended, as in package model; empty counts as ended by itself
	Failure string  // why there is no text, where the call failed
	// the option the model preferred, where options were scored and not generated; else nil
	Option   *int
	Opinions map[string][]Opinion // what each judge of a panel replied, by what they were asked; nil where none was
	// the option shown at each letter, where options were shown in another order than the case's
	Order []int
}

// An Opinion is what a judge replied, or why it did not.
type Opinion struct {
	Text, Failure string
	Pending       bool // it was not asked yet, or its reply is not stored
}

// Missing returns the reason for which an answer cannot be graded at all, or "".
func (a Answer) Missing() string {
	switch {
	case a.Failure != "":
		return a.Failure
	case a.Finish == "content_filter":
		return "withheld by the provider's content filter"
	case a.Text == nil && a.Option == nil:
		return "the response has no text"
	}
	return ""
}
