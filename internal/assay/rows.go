package assay

import (
	"cmp"
	"slices"
	"strings"

	"hallmark/internal/ask/prompt"
	"hallmark/internal/grade"
	"hallmark/internal/metric/consistency"
	"hallmark/internal/suite"
	"hallmark/internal/text/answer"
)

// GoldShown returns the reference answer as a reader sees it.
func GoldShown(c *suite.Case) string {
	switch {
	case c.Decline:
		return "decline"
	case !c.Gold.IsZero():
		return c.GoldText()
	case c.Oracle == nil:
		return ""
	case c.Oracle.Type == "clarification":
		return "ask, or give each reading: " + strings.Join(c.Oracle.Readings, " | ")
	case c.Oracle.Type == "refusal":
		return strings.TrimRight("decline, or reject the premise and put it right: "+
			strings.Join(c.Oracle.Repair, " | "), ": ")
	case c.Oracle.Value != "":
		return strings.TrimSpace(c.Oracle.Value + " " + c.Oracle.Unit)
	}
	return strings.Join(c.Oracle.Accept, " | ")
}

// grade fills in the rubric's part of a row.
func (r *CaseRow) grade(g *grade.Grade, gates, gradable bool) {
	for i, j := range g.Axes() {
		r.Axes[i] = Axis{axisNames[i], j.Verdict.String(), j.Rule, j.Evidence}
	}
	r.Kind, r.Act, r.Grader, r.Confidence = string(g.Kind), string(g.Act), g.Grader, g.Confidence
	if !gradable {
		return
	}
	r.Outcome = string(g.Outcome())
	if h, scored := g.Hallucinated(gates); scored {
		r.Hallucinated = &h
	}
}

// stability fills in the consistency's part of a row.
func (r *CaseRow) stability(q *consistency.Question) {
	r.R, r.PC, r.SC, r.Ambiguous, r.Category, r.Quadrant = q.R, q.PC, q.SC, q.Ambiguous, q.Category, q.Quadrant
	r.Mode = classShown(q.Mode)
}

// FlowCategory is the case's category with declines apart, as a consistency.Flow has them; "" where the case has none.
func (r *CaseRow) FlowCategory() string {
	if r.Category == consistency.PromptAgnosticError && r.Mode == shownDeclined {
		return consistency.DeclinedAgnostic
	}
	return r.Category
}

// shownDeclined stands for the class of answers that declined.
const shownDeclined = "(declined)"

// classShown returns a class of answers, named as in files or as in results, in words a person reads.
func classShown(class string) string {
	switch class {
	case answer.RightAct.Text(), answer.RightAct.String():
		return "(the right act)"
	case answer.Declined.Text(), answer.Declined.String():
		return shownDeclined
	case answer.Empty.Text(), answer.Empty.String():
		return "(empty)"
	case answer.Hedged.Text(), answer.Hedged.String():
		return "(no definite answer)"
	case answer.Ungradable.Text():
		return "(could not be graded)"
	}
	return class
}

// answerRow returns one answer as a report shows it.
func (t *answerSet) answerRow(c *suite.Case, trial *trial, golds []answer.Form) AnswerRow {
	row := AnswerRow{
		Variant: trial.variant.Number, Repeat: int(trial.repeat), Kind: string(trial.variant.Kind),
		Family: string(trial.variant.Family),
		Prompt: prompt.Asked(c, *trial.variant, t.by.layout()),
		Text:   trial.text, Read: classShown(trial.class.Text()),
		Failure: cmp.Or(trial.grade.Reason, trial.more().open),
		Order:   trial.variant.OptionOrder,
	}
	if trial.purpose == forSample {
		row.Kind = "sampled"
	}
	row.Retrieved = t.by.retrieved(trial)
	switch {
	case trial.class.IsZero():
		row.Verdict = "unscored"
	case trial.class == answer.Ungradable:
		row.Verdict = "ungradable"
	case slices.Contains(golds, trial.class):
		row.Verdict = "right"
	case trial.class == answer.Declined:
		row.Verdict = "declined"
	case len(golds) > 0:
		row.Verdict = "wrong"
	}
	return row
}
