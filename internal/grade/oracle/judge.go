package oracle

import (
	"cmp"

	"hallmark/internal/grade"
	judging "hallmark/internal/grade/judge"
	"hallmark/internal/suite"
	"hallmark/internal/text/evidence"
)

// judged leaves the decision to a model. It asks none: it says what there is to ask, and reads the reply that is
// stored.
type judged struct {
	*env
	spec  *suite.Oracle
	golds []string
}

// An Asker is an oracle that needs a judge's opinion of an answer.
type Asker interface {
	// Questions returns what a judge is to be asked about the answer, none where it can be decided without.
	Questions(r Reading) []string
}

// The rules of a judge.
const (
	JudgePending   = "judge: pending" // no judge was asked of the answer
	JudgeAccepted  = "judge: accepted"
	JudgeRejected  = "judge: rejected"
	JudgeNoReply   = "judge: no reply"   // its call failed
	JudgeNoVerdict = "judge: no verdict" // its reply is none
	JudgesSplit    = "judge: no majority of the panel"
)

// AcceptedByJudge stands for the answers that a judge accepts where the case lists none.
const AcceptedByJudge = "accepted by the judge"

func (e *env) judge(s *suite.Oracle) (Oracle, error) {
	return &judged{env: e, spec: s, golds: e.given(s.Accept)}, nil
}

func (o *judged) Golds() []string {
	if len(o.golds) > 0 {
		return o.golds
	}
	return []string{AcceptedByJudge}
}

// Questions implements Asker. Nothing is asked about an empty answer or a decline.
func (o *judged) Questions(r Reading) []string {
	if f, ok := o.withheld(r.Text); ok && f.Act != grade.Hedged {
		return nil
	}
	return []string{o.question(r.Text)}
}

func (o *judged) question(t *evidence.Text) string {
	return judging.Asked{Question: o.c.Prompt, Passages: evidence.Marked(o.c.Context), References: o.golds,
		Rejected: o.spec.Reject, Readings: o.spec.Readings, Repair: o.spec.Repair, Criteria: o.spec.Criteria,
		Answer: t.Plain}.ForVerdict()
}

func (o *judged) Judge(r Reading) Ruling {
	if f, ok := o.withheld(r.Text); ok && f.Act != grade.Hedged { // what commits to nothing is for the judge to say
		return f
	}
	opinions, asked := r.Opinions[o.question(r.Text)]
	if !asked {
		return unscored(JudgePending, "no judge was asked; name one with --judge")
	}
	given, said, open := make([]grade.Outcome, len(opinions)), "", unread(JudgesSplit, r.Text)
	for i, opinion := range opinions {
		right, reason, err := judging.ReadVerdict(opinion.Text)
		switch {
		case opinion.Failure != "":
			open = unscored(JudgeNoReply, opinion.Failure)
		case err != nil:
			open = unscored(JudgeNoVerdict, err.Error()+": "+quoted(opinion.Text))
		default:
			given[i] = map[bool]grade.Outcome{true: grade.Correct, false: grade.Incorrect}[right]
			said = cmp.Or(said, quoted(reason)+" of "+quoted(r.Plain))
		}
	}
	switch decided, _ := judging.Majority(given); decided {
	case grade.Correct:
		return answered(pass(JudgeAccepted, said), o.Golds()[0])
	case grade.Incorrect:
		return answered(fail(JudgeRejected, said), o.extract(r.Text))
	}
	return open
}
