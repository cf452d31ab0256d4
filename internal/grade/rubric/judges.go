package rubric

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"hallmark/internal/base/lists"
	"hallmark/internal/grade"
	"hallmark/internal/grade/judge"
	"hallmark/internal/grade/oracle"
	"hallmark/internal/suite"
	"hallmark/internal/text/answer"
	"hallmark/internal/text/evidence"
)

// A Bench is the models that have a part in grading. Of several the majority decides.
type Bench struct {
	Judges int  // how many there are; 0: none
	All    bool // they decide every answer; else those that rules leave
}

// The rules of judges that are asked of outcomes; those of the oracle judge are in package oracle.
const (
	JudgeCorrect      = "judge: correct"
	JudgeIncorrect    = "judge: incorrect"
	JudgeNotAttempted = "judge: not attempted"
)

// A Question is what a judge is asked about an answer.
type Question struct {
	Text string
	// Asked is what it asks, where it is of the outcome; nil for the question of the oracle judge, whose reply is a
	// verdict.
	Asked *judge.Asked
}

// Reads returns an error where a reply to the question cannot be read, so that it is worth asking again.
func (q Question) Reads(reply string) error {
	if q.Asked == nil {
		return nil
	}
	_, _, err := judge.Read(reply, q.Asked.Answer)
	return err
}

// Judged reports whether a judge is sure to have a part in deciding the case, so that it does not count as graded
// automatically.
func (r *Rubric) Judged(c *suite.Case) bool {
	return c.Oracle.Has("judge") || r.Judges > 0 && r.All
}

// Questions returns what a judge is to be asked before an answer to the case can be graded; none where none has a
// part in it.
func (r *Rubric) Questions(c *suite.Case, a grade.Answer) (all []Question) {
	k := r.ready(c)
	if asker, ok := k.oracle.(oracle.Asker); ok && a.Missing() == "" && !(r.Judges > 0 && r.All) {
		x, _ := read(c, a)
		all = lists.Map(asker.Questions(x), func(text string) Question { return Question{Text: text} })
	}
	if r.Judges == 0 {
		return all
	}
	if asked, ok := r.asked(k, c, a, k.byRules(c, a, r.Contract)); ok {
		all = append(all, Question{Text: asked.Text(), Asked: &asked})
	}
	return all
}

// asked returns what judges are asked of the outcome of an answer that rules grade so; false where it is not theirs
// to decide, or nothing tells what is right.
func (r *Rubric) asked(k *compiled, c *suite.Case, a grade.Answer, g grade.Grade) (judge.Asked, bool) {
	own := c.Oracle.Has("judge")
	switch {
	case r.Judges == 0, k.oracle == nil, a.Missing() != "", g.Act == grade.Empty, g.Grader != "" && Blotted(c, a):
		return judge.Asked{}, false
	case r.All && g.Reason != "" && !own, !r.All && (own || g.Outcome() != grade.CannotGrade):
		return judge.Asked{}, false
	}
	x, ok := read(c, a)
	if x.Cut { // who judges what is left of an answer judges another answer
		return judge.Asked{}, false
	}
	asked := judge.Asked{System: c.System, Question: strings.Join(append([]string{c.Prompt}, options(c, a.Order)...),
		"\n"), Answer: x.Plain, Passages: evidence.Marked(c.Context)}
	asked.References, asked.RightAct = k.references(), k.rightAct()
	for o := range c.Oracle.All() {
		asked.Rejected, asked.Readings, asked.Repair = append(asked.Rejected, o.Reject...),
			append(asked.Readings, o.Readings...), append(asked.Repair, o.Repair...)
		asked.Criteria = cmp.Or(asked.Criteria, o.Criteria)
	}
	return asked, ok && len(x.Words) > 0 && (len(asked.References) > 0 || asked.RightAct != "" || asked.Criteria != "")
}

// options are the options of a case as they were shown, each with its letter; order has the option at each letter,
// nil for the case's own.
func options(c *suite.Case, order []int) (lines []string) {
	for i := range c.Options {
		at := i
		if i < len(order) && order[i] < len(c.Options) {
			at = order[i]
		}
		lines = append(lines, fmt.Sprintf("%c) %s", 'A'+rune(i%26), c.Options[at]))
	}
	return lines
}

// references are the right answers as a judge is told them.
func (k *compiled) references() (all []string) {
	c := k.c
	if g := c.Gold; c.Oracle == nil && (g.Option != nil || len(g.All) > 0 || len(g.Range) > 0 || g.Tolerance != "" ||
		g.Significant > 0) {
		all = append(all, c.GoldText())
	}
	for _, text := range slices.Concat(k.Golds, c.Aliases) {
		if len(c.Gold.All) == 0 && text != oracle.AcceptedByJudge && !slices.Contains(all, text) {
			all = append(all, text)
		}
	}
	return all
}

// rightAct says what is right where no answer, or not only an answer, is; "" where one is called for.
func (k *compiled) rightAct() string {
	beside := ""
	if len(k.references()) > 0 {
		beside = ", or to give an answer that the references have"
	}
	switch {
	case bears(k.c, "ambiguity") || k.c.Oracle.Has("clarification"):
		return "to ask which is meant, to say that there are several, or to answer for each reading"
	case bears(k.c, "false-premise", "entity-conflation", "near-duplicate"):
		return "to reject what the question wrongly takes for granted, and to put it right where that is given" + beside
	case !k.Answerable || k.c.Decline:
		return "to say that it is not known, cannot be answered or is not in what was given" + beside
	}
	return ""
}

// byJudges grades an answer by what judges replied of its outcome, which sets truth and decidability; the rest is
// as rules have it.
func (r *Rubric) byJudges(k *compiled, c *suite.Case, a grade.Answer, g grade.Grade, asked judge.Asked) grade.Grade {
	x, _ := read(c, a)
	opinions := a.Opinions[asked.Text()]
	given := make([]grade.Outcome, max(len(opinions), r.Judges))
	reason, failed, unread, pending := "", "", "", len(opinions) < r.Judges
	for i, o := range opinions {
		switch {
		case o.Pending:
			pending = true
		case o.Failure != "":
			failed = o.Failure
		default:
			outcome, why, err := judge.Read(o.Text, asked.Answer)
			if err != nil {
				unread = err.Error() + ": " + quoted(o.Text)
			}
			given[i], reason = outcome, cmp.Or(reason, why)
		}
	}
	if g.Reason != "" { // of the oracle judge, in whose place this one is
		j := grade.Pass.By("nothing made up was found", "")
		g = grade.Grade{Truth: j, Decidability: j, Reciprocity: j}
		g.Format = k.format(x.Text, oracle.Ruling{Grade: g, Option: -1})
	}
	outcome, decided := judge.Majority(given)
	switch {
	case decided:
		return k.judged(x, g, outcome, quoted(reason)+" of "+quoted(x.Plain))
	case pending && !r.All:
		return g // as if there were no judge: the same command asks it
	case pending:
		return unscoredBy(oracle.JudgePending, "its reply is not stored")
	case failed != "":
		return unscoredBy(oracle.JudgeNoReply, failed)
	case unread != "":
		return k.undecided(g, oracle.JudgeNoVerdict, unread)
	}
	return k.undecided(g, oracle.JudgesSplit, quoted(x.Plain))
}

func unscoredBy(rule, why string) grade.Grade {
	j := grade.Unscored.By(rule, why)
	return grade.Grade{Truth: j, Decidability: j, Reciprocity: j, Format: j, Reason: rule + ": " + why}
}

// undecided is the grade of an answer of which the judges did not say what it did.
func (k *compiled) undecided(g grade.Grade, rule, why string) grade.Grade {
	j := grade.Ungradable.By(rule, why)
	g.Truth, g.Decidability, g.Act, g.Kind, g.Lapse, g.Credit = j, j, grade.Unreadable, grade.None, false, 0
	g.Normal, g.Answer, g.Grader, g.Confidence = answer.Ungradable, "", "judge", 0
	return g
}

// judged is the grade of an answer whose outcome judges gave.
func (k *compiled) judged(x oracle.Reading, g grade.Grade, outcome grade.Outcome, ev string) grade.Grade {
	f := oracle.Ruling{Grade: g, Option: -1}
	said := asserts(g.Act)
	silent := g.Act == grade.Unreadable || g.Act == grade.NoAnswer
	if f.Reciprocity.Verdict == grade.Ungradable {
		f.Reciprocity = grade.Pass.By("nothing made up was found", "")
	}
	switch outcome {
	case grade.Correct:
		f.Truth, f.Decidability = grade.Pass.By(JudgeCorrect, ev), grade.Pass.By(JudgeCorrect, ev)
		f.Right = len(k.references()) == 0 || k.Acts && !said && !silent
		if f.Right && (g.Act == grade.Answered || silent) {
			f.Act = grade.Declined
		}
	case grade.Incorrect:
		f.Truth, f.Decidability = grade.Fail.By(JudgeIncorrect, ev), grade.Pass.By(JudgeIncorrect, ev)
	case grade.NotAttempted:
		f.Truth = grade.Fail.By(JudgeNotAttempted, ev)
		f.Decidability, f.Reciprocity = f.Truth, grade.Pass.By("nothing is asserted", ev)
		if said || silent {
			f.Act = grade.Declined
		}
	}
	asserts := outcome != grade.NotAttempted && !f.Right
	if asserts && !said {
		f.Act = grade.Answered
	}
	if f.Answer = ""; asserts {
		f.Answer = cmp.Or(g.Answer, oracle.Extract(k.c, x.Text))
	}
	f.Lapse, f.Grader, f.Confidence = false, "judge", 0
	f.Normal = k.normal(f)
	f.Kind = k.kind(f)
	return f.Grade
}
