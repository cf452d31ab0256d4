package assay

import (
	"context"
	"fmt"
	"iter"

	"hallmark/internal/grade"
	"hallmark/internal/grade/rubric"
	"hallmark/internal/metric/grading"
	"hallmark/internal/run"
	"hallmark/internal/suite"
	"hallmark/internal/text/answer"
)

// Readings are how all answers of a run were read, so that every figure can be computed from them without a reader.
type Readings struct {
	Version string // the grading version that they are of
	Golds   []GoldForms
	Answers []Reading // in the plan's order, where they were given; see All

	noted map[string]bool // suites of Golds
	sets  []*answerSet    // where they were read
}

// All lays out the readings one after another, in the plan's order: each takes as much as all else that is held of its
// case.
func (r *Readings) All() iter.Seq[*Reading] {
	return func(yield func(*Reading) bool) {
		for i := range r.Answers {
			if !yield(&r.Answers[i]) {
				return
			}
		}
		for _, x := range r.sets {
			for ci, trial := range eachTrial(x.table) {
				if !yield(x.reading(ci, trial)) {
					return
				}
			}
		}
	}
}

// GoldForms are the forms that count as right among the compared answers to a case.
type GoldForms struct {
	Suite  string        `json:"suite"`
	CaseID string        `json:"case_id"`
	Golds  []answer.Form `json:"golds"`
}

// What an answer is read for, beside the figures over variants.
const (
	ForSample = "sample" // a draw at temperature 1
	ForRepeat = "repeat" // the default prompt, asked again
)

// uses are those of answers, by their purposes.
var uses = [...]string{forVariant: "", forSample: ForSample, forRetest: ForRepeat}

// An AnswerID names one planned answer of a run.
type AnswerID struct {
	Model   string `json:"model"`
	Suite   string `json:"suite"`
	CaseID  string `json:"case_id"`
	Use     string `json:"use,omitempty"` // ForSample, ForRepeat, or "" for the answer to a variant
	Variant int    `json:"variant"`
	Repeat  int    `json:"repeat"`
}

// A Reading is how one planned answer was read.
type Reading struct {
	AnswerID
	Key     string        `json:"key"`               // of its call
	Outcome grade.Outcome `json:"outcome,omitempty"` // empty: unscored

	Truth        grading.Stated `json:"truth"`
	Decidability grading.Stated `json:"decidability"`
	Reciprocity  grading.Stated `json:"reciprocity"`
	Format       grading.Stated `json:"format"`

	Act        grade.Act   `json:"act,omitempty"`
	Kind       grade.Kind  `json:"kind,omitempty"`
	Lapse      bool        `json:"lapse,omitempty"`
	Grader     string      `json:"grader,omitempty"`     // rules, judge or label
	Confidence float64     `json:"confidence,omitempty"` // of the outcome; 0 where the grader does not say
	Normal     answer.Form `json:"normal,omitzero"`      // the answer as the grader compares it
	// the answer as consistency compares it: that of a gold, or of answers that say the same
	Class  answer.Form `json:"class,omitzero"`
	Reason string      `json:"reason,omitempty"` // why it is unscored
	Open   string      `json:"open,omitempty"`   // why its class is not known though it was read
}

// Grade returns the grade that the reading holds. The error says which verdict is none, or that the outcome is not
// the one of the verdicts.
func (r *Reading) Grade() (grade.Grade, error) {
	g, err := r.grade()
	if err != nil {
		return g, err
	}
	if got := g.Outcome(); got != r.Outcome {
		return g, fmt.Errorf("%s: its verdicts make it %q, and its outcome is %.40q", r.AnswerID, got, r.Outcome)
	}
	return g, nil
}

// Follows returns the outcome that follows from the verdicts and the act.
func (r *Reading) Follows() (grade.Outcome, error) {
	g, err := r.grade()
	return g.Outcome(), err
}

func (r *Reading) grade() (grade.Grade, error) {
	g := grade.Grade{Act: r.Act, Kind: r.Kind, Lapse: r.Lapse, Normal: r.Normal, Grader: r.Grader,
		Confidence: r.Confidence, Reason: r.Reason}
	axes := r.Axes()
	for i, j := range g.Axes() {
		x := axes[i]
		v, ok := grade.ParseVerdict(x.Verdict)
		if !ok {
			return g, fmt.Errorf("%s of %s: %.40q is no verdict that this release knows", x.Name, r.AnswerID, x.Verdict)
		}
		*j = grade.Judgment{Verdict: v, Rule: x.Rule, Evidence: x.Evidence}
	}
	return g, nil
}

// Axes are the verdicts with their names, in the order of the rubric.
func (r *Reading) Axes() (out [4]Axis) {
	for i, x := range [...]grading.Stated{r.Truth, r.Decidability, r.Reciprocity, r.Format} {
		out[i] = Axis{Name: grading.AxisNames[i], Verdict: x.Verdict, Rule: x.Rule, Evidence: x.Evidence}
	}
	return out
}

// String names the answer for people.
func (id AnswerID) String() string {
	at := fmt.Sprintf("%.80s on %.80s, case %.80q, variant %d", id.Model, id.Suite, id.CaseID, id.Variant)
	if id.Use != "" {
		at += fmt.Sprintf(", %.20s %d", id.Use, id.Repeat)
	}
	return at
}

// Read is Evaluate that also returns how each answer was read.
func Read(ctx context.Context, store run.Store, p *Plan, version string) (*Assay, *Readings, error) {
	kept := &Readings{Version: grade.Version, noted: map[string]bool{}}
	out, err := evaluateWith(ctx, store, p, version, &evaluation{kept: kept})
	return out, kept, err
}

// EvaluateRead is Evaluate of answers that were read before, by whatever version of grading: it takes every
// verdict, gold and class from the readings and reads no answer. What rests on calls that follow from a reading (a
// judge's, comparisons for semantic equivalence) is absent. The error says which planned answer has no reading, or one
// of another call.
func EvaluateRead(ctx context.Context, store run.Store, p *Plan, version string, from *Readings) (*Assay, error) {
	g := &recalled{Readings: from, golds: map[[2]string][]answer.Form{}, answers: map[AnswerID]*Reading{}}
	for _, x := range from.Golds {
		at := [2]string{x.Suite, x.CaseID}
		if _, twice := g.golds[at]; twice {
			return nil, fmt.Errorf("the golds of case %.80q are there twice", x.CaseID)
		}
		g.golds[at] = x.Golds
	}
	for i := range from.Answers {
		r := &from.Answers[i]
		if g.answers[r.AnswerID] != nil {
			return nil, fmt.Errorf("%s: its reading is there twice", r.AnswerID)
		}
		g.answers[r.AnswerID] = r
	}
	out, err := evaluateWith(ctx, store, p, version, &evaluation{given: g})
	if err == nil && g.taken < len(from.Answers) {
		return nil, fmt.Errorf("%d readings are of no planned answer", len(from.Answers)-g.taken)
	}
	return out, err
}

// recalled are readings by what they are of.
type recalled struct {
	*Readings
	golds   map[[2]string][]answer.Form
	answers map[AnswerID]*Reading
	taken   int
}

// answerID names the answer of a trial.
func (x *answerSet) answerID(ci int, trial *trial) AnswerID {
	return AnswerID{x.model.Name(), x.suite.Name, x.cases.ID(ci), uses[trial.purpose], trial.variant.Number,
		int(trial.repeat)}
}

// recall gives the trials of a table what was read before.
func (x *sitting) recall() error {
	for ci, trial := range eachTrial(x.table) {
		id := x.answerID(ci, trial)
		r := x.given.answers[id]
		switch {
		case r == nil:
			return fmt.Errorf("%s: it has no reading", id)
		case r.Key != trial.key.String():
			return fmt.Errorf("%s: the reading is of the call %.80q, and the plan's is %s", id, r.Key, trial.key)
		case r.Reason == "" && (!trial.stored || trial.response == nil):
			return fmt.Errorf("%s: it has a verdict and no answer", id)
		}
		g, err := r.Grade()
		if err != nil {
			return err
		}
		x.given.taken++
		a, _ := x.plan.answer(x.cases.At(ci), trial)
		trial.option = a.Option
		trial.grade, trial.class, trial.seen = &g, r.Class, true
		if r.Open != "" {
			trial.own().open = r.Open
		}
	}
	return nil
}

// reading is how a trial of a case was read.
func (x *answerSet) reading(ci int, trial *trial) *Reading {
	g := x.whole(ci, trial)
	return &Reading{
		AnswerID: x.answerID(ci, trial), Key: trial.key.String(), Outcome: g.Outcome(),
		Truth: grading.StatedOf(g.Truth), Decidability: grading.StatedOf(g.Decidability),
		Reciprocity: grading.StatedOf(g.Reciprocity), Format: grading.StatedOf(g.Format),
		Act: g.Act, Kind: g.Kind, Lapse: g.Lapse, Grader: g.Grader,
		Confidence: g.Confidence, Normal: g.Normal, Class: trial.class, Reason: g.Reason, Open: trial.more().open,
	}
}

// golds returns the forms that count as right, as they were read before or as the reader has them.
func (e *evaluation) golds(rub *rubric.Rubric, s *suite.Suite, c *suite.Case) []answer.Form {
	if e.given != nil {
		return e.given.golds[[2]string{s.Name, c.ID}]
	}
	return rub.Golds(c, e.plan.relation())
}

// keepGolds notes the forms that count as right in the cases of a suite.
func (e *evaluation) keepGolds(s *suite.Suite, golds [][]answer.Form) {
	if e.kept == nil || e.kept.noted[s.Name] { // every model has the same
		return
	}
	e.kept.noted[s.Name] = true
	for i, c := range e.plan.Covered(s).All() {
		e.kept.Golds = append(e.kept.Golds, GoldForms{s.Name, c.ID, append([]answer.Form{}, golds[i]...)})
	}
}

// grading says which version the verdicts are of.
func (e *evaluation) grading() grade.Grading {
	if e.given != nil {
		return grade.Grading{Version: e.given.Version}
	}
	return grade.Current()
}
