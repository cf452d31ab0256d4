package assay

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"hallmark/internal/ask/prompt"
	"hallmark/internal/grade"
	"hallmark/internal/metric/consistency"
	"hallmark/internal/stat"
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

// sampledResult adds the predictive entropy to the consistency of samples, which is per question: nats, in
// [0, ln samples].
func sampledResult(r *consistency.Result, samples int) *Sampled {
	r.Overstatement, r.OverstatementP, r.OldTerms = nil, nil, nil // no draw is the default one
	if r.Accuracy != nil {
		r.Accuracy.Default = nil
	}
	out := &Sampled{Result: r, Samples: samples}
	entropies := entropies{scale: math.Log(float64(samples))}
	low := 0. // Σ (answers - 1)/(2 samples): about what the plug-in is low by
	for _, q := range r.PerQuestion {
		counts := countsOf(&q)
		if nats, ok := consistency.Entropy(counts); ok {
			entropies.add(nats, q.Cluster)
			low += float64(len(counts)-1) / float64(2*q.R)
		}
	}
	r.PerQuestion = nil
	if e := entropies.mean(); e != nil {
		out.PredictiveEntropy = e
		low /= float64(len(entropies.shares))
		if room := mostBias * (e.Hi - e.Value); low > room {
			note(&r.Warnings, "the predictive entropy is that of %d draws, low by %.3f nats or more: its interval "+
				"need not hold the entropy of the model, and it takes %d draws or more", samples, low,
				int(math.Ceil(low*float64(samples)/room)))
		}
	}
	return out
}

// entropies are those of samples by case, as shares of the largest that so many samples can have (scale), for an
// interval wants values in [0, 1].
type entropies struct {
	scale   float64
	shares  []float64
	cluster []int32
}

func (x *entropies) add(nats float64, cluster int32) {
	x.shares, x.cluster = append(x.shares, min(1, nats/x.scale)), append(x.cluster, cluster)
}

// mean is their mean in nats; nil where there is none.
func (x *entropies) mean() *stat.Estimate {
	e := stat.MeanByCluster(x.shares, x.cluster, level)
	if !e.OK() {
		return nil
	}
	return &stat.Estimate{Value: e.Value * x.scale, Lo: e.Lo * x.scale, Hi: e.Hi * x.scale}
}

// countsOf are how many answers to a question are of each class.
func countsOf(q *consistency.Question) []int {
	counts := make([]int, len(q.Answers))
	for i, a := range q.Answers {
		counts[i] = a.Count
	}
	return counts
}

// mostBias is the part of the interval above the predictive entropy that its bias may take before a warning says
// so. It is small, as the bias is known to first order only, and is larger where many answers are rare.
const mostBias = .1

// repeatAgreement is the test–retest agreement under every stability figure, from the class counts of each case's
// repeats. Source: METHODS 3.
func repeatAgreement(repeats int, counts [][]int, cluster []int32) *RepeatAgreement {
	e := consistency.RepeatAgreement(counts, cluster, level)
	if !e.OK() {
		return nil
	}
	return &RepeatAgreement{Repeats: repeats, Cases: e.N, Agreement: e.Known(),
		Warnings: append([]string{}, e.Warnings...)}
}
