package annotate

import (
	"slices"

	"hallmark/internal/grade"
)

// theOutcome is what raters agree on, or not, beside the axes.
const theOutcome = "outcome"

// outcomeBy returns what a label says that the answer did, "" where its rater was not asked for that or does not say.
func (u *rated) outcomeBy(l *Label) string {
	if !l.ByReading {
		return ""
	}
	return string(l.outcome(u.Grade.Act))
}

// theH is what an answer is found to do over all axes, beside them.
const theH = "hallucination"

// says returns what a label says of an axis, or of H: Pass, Fail, NotApplicable, "" where that cannot be told.
func (u *rated) says(l *Label, axis string) string {
	axes := l.axes()
	if axis != theH {
		return axes[slices.Index(Axes, axis)]
	}
	judged := axes[:3]
	if u.Gates {
		judged = axes[:]
	}
	switch {
	case slices.Contains(judged, Fail):
		return Fail
	case slices.Contains(judged, ""):
		return ""
	}
	return Pass
}

// people returns what people say of an axis of an item, or of its H, 1 where it fails: the adjudicator, else the mean
// over raters. Without a verdict ok is false, and out says that they hold the axis not to apply.
func (u *rated) people(axis string) (value float64, ok, out bool) {
	votes := map[string]int{}
	for rater, l := range u.labels {
		said := u.says(l, axis)
		if rater == Adjudicator && said != "" {
			votes = map[string]int{said: 1}
			break
		}
		votes[said]++
	}
	n := votes[Fail] + votes[Pass]
	if n == 0 {
		return 0, false, votes[NotApplicable] > 0
	}
	return float64(votes[Fail]) / float64(n), true, false
}

// grader returns what the grader says of an axis of an item, or of its H; ok is false where the rate leaves the item
// out.
func (u *rated) grader(axis string) (value float64, ok bool) {
	fails := false
	switch {
	case axis == theH:
		fails, ok = u.Grade.Hallucinated(u.Gates)
	case axis != "format" || u.Format:
		v := u.Grade.Axes()[slices.Index(Axes, axis)].Verdict
		fails, ok = v == grade.Fail, v == grade.Fail || v == grade.Pass
	}
	if fails {
		value = 1
	}
	return value, ok
}
