package annotate

import (
	"maps"
	"slices"
	"strings"

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

// hallucinates returns H of one rater's verdicts, false where it cannot be told.
func hallucinates(l *Label, gates bool) (float64, bool) {
	axes := l.axes()
	judged := axes[:3]
	if gates {
		judged = axes[:]
	}
	missing := false
	for _, v := range judged {
		if v == Fail {
			return 1, true
		}
		missing = missing || v == ""
	}
	return 0, !missing
}

// people returns what people say of a measure of an item: the adjudicator, else the mean over raters. Without a
// verdict ok is false, and out says that they hold the axis not to apply.
func (u *rated) people(measure string) (value float64, ok, out bool) {
	one := func(l *Label) (v float64, ok, out bool) {
		if measure == "hallucination" {
			v, ok = hallucinates(l, u.Gates)
			return v, ok, false
		}
		switch l.axes()[axisOf(measure)] {
		case Fail:
			return 1, true, false
		case Pass:
			return 0, true, false
		case NotApplicable:
			return 0, false, true
		}
		return 0, false, false
	}
	if l := u.labels[Adjudicator]; l != nil {
		if v, ok, out := one(l); ok || out {
			return v, ok, out
		}
	}
	var sum, n float64
	for _, rater := range slices.Sorted(maps.Keys(u.labels)) {
		if rater == Adjudicator {
			continue
		}
		v, has, no := one(u.labels[rater])
		if has {
			sum += v
			n++
		}
		out = out || no
	}
	if n == 0 {
		return 0, false, out
	}
	return sum / n, true, false
}

func axisOf(measure string) int {
	return slices.Index(Axes, strings.TrimSuffix(measure, "_error"))
}

// grader returns what the grader says of a measure of an item; ok is false where the rate leaves the item out.
func (u *rated) grader(measure string) (float64, bool) {
	if measure == "hallucination" {
		h, scored := u.Grade.Hallucinated(u.Gates)
		if h {
			return 1, scored
		}
		return 0, scored
	}
	i := axisOf(measure)
	if i == 3 && !u.Format {
		return 0, false
	}
	switch judgments(&u.Grade)[i].Verdict {
	case grade.Fail:
		return 1, true
	case grade.Pass:
		return 0, true
	}
	return 0, false
}
