package report

import (
	"fmt"
	"strings"

	"hallmark/internal/metric/rate"
	"hallmark/internal/stat/figure"
)

// runsCompared says in which runs a question has to be answered to be compared, and what the two are called.
type runsCompared struct{ over, base, other string }

var bothRuns = runsCompared{"both runs", "base", "other"}

// A changeSaid is what became of wrong answers, by the verdict of the document: a sentence, and what it rests on, with
// what can be said and, where no difference was found, which would have been and how many questions it takes.
type changeSaid struct{ Verdict, Detail string }

// block sets it out, the sentence first.
func (c changeSaid) block() block {
	return article{Headline: say(c.Verdict, only(inTerminal, ".")), Body: []block{sentence(c.Detail)}}
}

// compared says what became of wrong answers, in points.
func compared(t tree, in runsCompared) changeSaid {
	t.named = comparedFigures()
	at := func(side, key string) fig { return t.of("outcomes", side, key) }
	was, is, d := at("base", "incorrect"), at("other", "incorrect"), at("difference", "incorrect")
	if !was.OK || !is.OK || !d.OK {
		return changeSaid{Verdict: "Nothing can be compared: no question was answered in " + in.over}
	}
	over := fmt.Sprintf("%s were wrong in %s and %s in %s, %s and %s not attempted, of %s answered in %s. The change "+
		"is %s points; with 95 %% confidence it lies within %s to %s.", was.Text(), in.base, is.Text(), in.other,
		at("base", "not_attempted").Text(), at("other", "not_attempted").Text(),
		count(t.Whole("outcomes", "base", "n"), "question"), in.over, inPoints(d), share.Change(d.Lo),
		share.Change(d.Hi))
	if t.Text("outcomes", "grading", "state") == rate.CorrectedByLabels {
		over = fmt.Sprintf("Corrected by what people said of both answers to %s; as read, %s",
			count(t.Whole("outcomes", "grading", "drawn"), "question"), over)
	}
	says := changeSaid{Detail: over}
	switch t.Text("outcomes", "verdict") {
	case rate.Fell:
		says.Verdict = fmt.Sprintf("Wrong answers fell by %s points", by(d))
	case rate.Rose:
		says.Verdict = fmt.Sprintf("Wrong answers rose by %s points", by(d))
	case rate.Equivalent:
		says.Verdict = "Wrong answers are equivalent within " + marginOf(t, "equivalence")
	default:
		says.Verdict = "No difference in wrong answers was found"
		says.Detail += detectable(t)
	}
	says.Detail += equivalence(t) + noninferiority(t)
	return says
}

// by is how far wrong answers fell or rose, without a sign.
func by(d fig) string {
	x := d
	if d.Value < 0 || d.Ranged && d.Most < 0 {
		x.Value, x.Most = -d.Value, -d.Value
		if d.Ranged {
			x.Value = -d.Most
		}
	}
	return strings.ReplaceAll(inPoints(x), "+", "")
}

// detectable says what difference would have been found, or that none would be, and how many questions find one as
// small as was seen.
func detectable(t tree) string {
	d, ok := t.Number("outcomes", "detectable", "difference")
	if !ok {
		return " With so few questions no difference could have been found."
	}
	power, _ := t.Number("outcomes", "detectable", "power")
	about := ""
	if t.Text("outcomes", "detectable", "test") != rate.ByMcNemar {
		about = "about "
	}
	says := fmt.Sprintf(" So many questions find a difference of %s%s points or more in %s of 100 such comparisons",
		about, points(d), figure.Trimmed(100*power))
	if n := t.Whole("outcomes", "detectable", "needed"); n > t.Whole("outcomes", "detectable", "n") {
		unit := "question"
		if t.Whole("outcomes", "detectable", "n") != t.Whole("outcomes", "base", "n") {
			unit = "cluster"
		}
		says += fmt.Sprintf("; to find one as small as this takes about %s", count(n, unit))
	}
	return says + "."
}

// marginOf writes a margin that was given.
func marginOf(t tree, of string) string {
	m, _ := t.Number("outcomes", of, "margin")
	return figure.Digits(100*m, 6) + " points"
}

// equivalence says whether the change lies within a margin that was given; "" where none was.
func equivalence(t tree) string {
	at := func(key string) float64 { x, _ := t.Number("outcomes", "equivalence", key); return x }
	within, given := t.Bool("outcomes", "equivalence", "within")
	if !given {
		return ""
	}
	says := "Equivalence within " + marginOf(t, "equivalence") + " is not shown: the"
	switch {
	case t.Text("outcomes", "verdict") == rate.Equivalent: // the sentence begins with it
		says = "The"
	case within:
		says = "They are equivalent within " + marginOf(t, "equivalence") + ": the"
	}
	return fmt.Sprintf(" %s %s %% interval of the change is %s to %s.", says, figure.Trimmed(100*at("level")),
		share.Change(at("lo")), share.Change(at("hi")))
}

// noninferiority says whether wrong answers grew by less than a margin that was given; "" where none was.
func noninferiority(t tree) string {
	at := func(key string) float64 { x, _ := t.Number("outcomes", "noninferiority", key); return x }
	shown, given := t.Bool("outcomes", "noninferiority", "shown")
	if !given {
		return ""
	}
	says := "That other is no worse than base by " + marginOf(t, "noninferiority") + " or more is not shown"
	if shown {
		says = "Other is no worse than base by " + marginOf(t, "noninferiority") + " or more"
	}
	return fmt.Sprintf(" %s: with %s %% confidence wrong answers changed by at most %s points.", says,
		figure.Trimmed(100*(1-at("alpha"))), share.Change(at("hi")))
}
