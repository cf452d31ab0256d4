package report

import (
	"fmt"
	"strconv"
	"strings"

	"hallmark/internal/metric/rate"
	"hallmark/internal/stat/figure"
)

// runsCompared says in which runs a question has to be answered to be compared.
type runsCompared struct{ over, none string }

var bothRuns = runsCompared{"both runs", "both runs"}

// compared says what became of wrong answers, by the verdict of the document: in points, with what can be said and, where
// no difference was found, which would have been.
func compared(t tree, in runsCompared) string {
	t.named = comparedFigures()
	at := func(side, key string) fig { return t.of("outcomes", side, key) }
	was, is, d := at("base", "incorrect"), at("other", "incorrect"), at("difference", "incorrect")
	if !was.OK || !is.OK || !d.OK {
		return "No question was answered in " + in.none + ": nothing can be compared."
	}
	moved := fmt.Sprintf("%s points, 95 %% interval [%s, %s]", inPoints(d), change(d.Lo), change(d.Hi))
	over := fmt.Sprintf("%s and %s were wrong, %s and %s not attempted, of %s answered in %s.", was.Text(), is.Text(),
		at("base", "not_attempted").Text(), at("other", "not_attempted").Text(),
		count(t.Whole("outcomes", "base", "n"), "question"), in.over)
	if t.Text("outcomes", "grading", "state") == rate.CorrectedByLabels {
		over = fmt.Sprintf("corrected by what people said of both answers to %s; as read, %s",
			count(t.Whole("outcomes", "grading", "drawn"), "question"), over)
	}
	over += equivalence(t) + noninferiority(t)
	switch t.Text("outcomes", "verdict") {
	case rate.Fell:
		return fmt.Sprintf("Wrong answers fell by %s: %s", by(d), over)
	case rate.Rose:
		return fmt.Sprintf("Wrong answers rose by %s: %s", by(d), over)
	case rate.Equivalent:
		return fmt.Sprintf("Wrong answers are equivalent within %s (difference %s): %s", marginOf(t, "equivalence"), moved,
			over)
	}
	return fmt.Sprintf("No difference in wrong answers was found%s (difference %s): %s", detectable(t), moved, over)
}

// by is how far wrong answers fell or rose, without a sign, and the interval in brackets.
func by(d fig) string {
	x := d
	if d.Value < 0 || d.Ranged && d.Most < 0 {
		x.Value, x.Most, x.Lo, x.Hi = -d.Value, -d.Value, -d.Hi, -d.Lo
		if d.Ranged {
			x.Value = -d.Most
		}
	}
	return fmt.Sprintf("%s points [%s, %s], 95 %% interval", strings.ReplaceAll(inPoints(x), "+", ""), points(x.Lo),
		points(x.Hi))
}

// detectable says what difference would have been found; that none would be, where it is so.
func detectable(t tree) string {
	d, ok := t.Number("outcomes", "detectable", "difference")
	if !ok {
		return ", nor could one have been with so few questions"
	}
	power, _ := t.Number("outcomes", "detectable", "power")
	about := ""
	if t.Text("outcomes", "detectable", "test") != rate.ByMcNemar {
		about = "about "
	}
	return fmt.Sprintf("; one of %s%s points or more would have been, with a power of %s %%", about, points(d),
		figure.Trimmed(100*power))
}

// marginOf writes a margin that was given.
func marginOf(t tree, of string) string {
	m, _ := t.Number("outcomes", of, "margin")
	return strconv.FormatFloat(100*m, 'g', 6, 64) + " points"
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
		change(at("lo")), change(at("hi")))
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
		figure.Trimmed(100*(1-at("alpha"))), change(at("hi")))
}
