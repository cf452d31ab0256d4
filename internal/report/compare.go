package report

import (
	"fmt"
	"io"
	"strings"

	"hallmark/internal/figure"
	"hallmark/internal/metric/rate"
)

// Compare writes a paired comparison for a terminal: the outcomes of both runs, what changed from base to other, each reduction with its interval, the
// classes with the test adjusted for their number, and how outcomes moved. The names are those of the two runs, as a reader
// knows them. A reduction is relative: 50 % means that half of base's rate is gone; below 0 there is more than before.
func Compare(w io.Writer, r *rate.Reduction, base, other string, style Style) error {
	t := treeOf(r)
	p := newPrinter(w, style)
	p.line(p.bold("hallmark compare"), clip(gap(oneLine(base)+" → "+oneLine(other)), p.width-16))
	p.line()
	p.painted("", narrow(compared(t, bothRuns)), p.bold)
	if rows := outcomeRows(t); len(rows) > 0 {
		p.head("OUTCOMES", fmt.Sprintf("over %s answered in both runs; the difference in points", count(t.Whole("outcomes", "base", "n"), "question")))
		p.line(p.dim(fit("", p.compareLabel()) + fitLeft("base", compareCells) + fitLeft("other", compareCells) +
			fitLeft("change", compareCells+6) + fitLeft("95 % interval", 16)))
		for _, r := range rows {
			p.line(fit(r.Label, p.compareLabel()), fitLeft(narrow(r.Base.Text()), compareCells), fitLeft(narrow(r.Other.Text()), compareCells),
				fitLeft(inPoints(r.Difference), compareCells+6),
				p.dim(fitLeft(share.Change(r.Difference.Lo)+" to "+share.Change(r.Difference.Hi), 16)))
		}
	}
	p.head("RUBRIC", fmt.Sprintf("over %s scored in both runs", count(t.Whole("n"), "question")))
	p.compareHead("")
	rows := []struct{ label, key, reduction string }{
		{"failure rate (H)", "hallucination", "hallucination"}, {"  truth error", "truth_error", "truth_error"},
		{"  decidability error", "decidability_error", "decidability_error"}, {"  reciprocity error", "reciprocity_error", "reciprocity_error"},
	}
	for _, x := range rows {
		p.compareRow(x.label, t.fig("", share, "", "base", x.key), t.fig("", share, "", "other", x.key), t.fig("", share, "", "reduction", x.reduction), "")
	}
	p.compareRow("as commission", t.fig("", share, "", "base", "commission"), t.fig("", share, "", "other", "commission"), t.fig("", share, "", "commission_reduction"), "")
	p.compareRow("as over-refusal", t.fig("", share, "", "over_refusal", "base"), t.fig("", share, "", "over_refusal", "other"), fig{}, "")
	p.compareRow("weighted quality", t.fig("", mean, "", "base", "weighted_quality"), t.fig("", mean, "", "other", "weighted_quality"), fig{}, "")
	p.compareRow("quality loss", fig{}, fig{}, t.fig("", share, "", "reduction", "quality_loss"), "")
	if d := t.fig("", mean, "", "quality_difference"); d.OK {
		p.line()
		p.para("", fmt.Sprintf("Quality differs by %s (95 %% interval %s), other less base.", d.Text(), d.Range()))
	}
	if s := price(t); s != "" {
		p.line()
		p.para("", narrow(s))
	}
	p.line()
	p.para("", fmt.Sprintf("%s failed only in base, %s only in other; McNemar’s exact test p %s.",
		count(t.Whole("only_base_failed"), "question"), grouped(t.Whole("only_other_failed")), equals(pvalue(t, "mcnemar_p"))))
	if names := t.Names("by_class"); len(names) > 0 {
		p.head("BY CLASS", "rubric failure rate (H); p by McNemar, adjusted by Holm")
		p.compareHead("p")
		for _, name := range names {
			c := func(key string) fig { return t.fig("", share, "", "by_class", name, key) }
			label := name
			if label == "" {
				label = "(none)"
			}
			p.compareRow(fmt.Sprintf("%s (%d)", clip(oneLine(label), 20), t.Whole("by_class", name, "n")), c("base"), c("other"), c("reduction"), pvalue(t, "by_class", name, "mcnemar_p_holm"))
		}
	}
	p.stability(t)
	p.shift(t)
	p.confusionChange(t)
	p.discordant(t)
	p.transitions(t)
	p.flow(t)
	if list := t.texts("warnings"); len(list) > 0 {
		p.line()
		p.warnings(list)
	}
	return p.w.Flush()
}

// runsCompared says in which runs a question has to be answered to be compared.
type runsCompared struct{ over, none string }

var bothRuns = runsCompared{"both runs", "both runs"}

// compared says what became of wrong answers, by the verdict of the document.
func compared(t tree, in runsCompared) string {
	was, is := t.fig("", share, "", "outcomes", "base", "incorrect"), t.fig("", share, "", "outcomes", "other", "incorrect")
	d := t.fig("", share, "", "outcomes", "difference", "incorrect")
	if !was.OK || !is.OK || !d.OK {
		return "No question was answered in " + in.none + ": nothing can be compared."
	}
	over := fmt.Sprintf("from %s to %s (difference %s points, 95 %% interval %s to %s), over %s answered in %s; "+
		"not attempted: %s and %s.", was.Text(), is.Text(),
		inPoints(d), share.Change(d.Lo), share.Change(d.Hi), count(t.Whole("outcomes", "base", "n"), "question"), in.over,
		t.fig("", share, "", "outcomes", "base", "not_attempted").Text(), t.fig("", share, "", "outcomes", "other", "not_attempted").Text())
	switch t.Text("outcomes", "verdict") {
	case rate.Fell:
		return "Wrong answers fell " + over
	case rate.Rose:
		return "Wrong answers rose " + over
	case rate.Equivalent:
		return "Wrong answers are equivalent within the margin: " + over
	}
	return "Whether wrong answers fell or rose cannot be said: " + over
}

// inPoints writes a difference in points, or the ends of its range.
func inPoints(d fig) string {
	switch {
	case !d.OK:
		return "–"
	case d.Ranged && figure.WholeChange(d.Value) == figure.WholeChange(d.Most):
		return share.Change(d.Value) + " to " + share.Change(d.Most)
	case d.Ranged:
		return figure.WholeChange(d.Value) + " to " + figure.WholeChange(d.Most)
	}
	return share.Change(d.Value)
}

// outcomeRows are the shares of both runs that have a difference.
func outcomeRows(t tree) (rows []compareRate) {
	for _, x := range []struct{ label, key string }{{"wrong answers", "incorrect"}, {"correct", "correct"}, {"not attempted", "not_attempted"}, {"could not be graded", "ungradable"}} {
		at := func(side string) fig { return t.fig("", share, "", "outcomes", side, x.key) }
		r := compareRate{Label: x.label, Base: at("base"), Other: at("other"), Difference: at("difference"), Cut: at("reduction")}
		if r.Difference.OK {
			rows = append(rows, r)
		}
	}
	return rows
}

// pvalue writes a probability.
func pvalue(t tree, keys ...string) string {
	if x, ok := t.Number(keys...); ok {
		return figure.Probability(x)
	}
	return "–"
}

// equals puts a sign before a probability that has none.
func equals(p string) string {
	if strings.HasPrefix(p, "<") {
		return "< " + p[1:]
	}
	return "= " + p
}

const compareCells = 9

func (p *printer) compareLabel() int { return max(14, min(30, p.width-3*compareCells-22-9)) }

func (p *printer) compareHead(last string) {
	p.line(p.dim(fit("", p.compareLabel()) + fitLeft("base", compareCells) + fitLeft("other", compareCells) + fitLeft("cut by", compareCells) + fitLeft("95 % interval", 22) + fitLeft(last, 9)))
}

func (p *printer) compareRow(label string, base, other, cut fig, last string) {
	if !base.OK && !other.OK && !cut.OK {
		return
	}
	show := func(f fig) string {
		if !f.OK {
			return ""
		}
		return narrow(f.Text())
	}
	tone := ""
	if cut.OK && cut.Bounded && cut.Lo > 0 {
		tone = "ok"
	} else if cut.OK && cut.Bounded && cut.Hi < 0 {
		tone = "err"
	}
	p.line(fit(label, p.compareLabel()), fitLeft(show(base), compareCells), fitLeft(show(other), compareCells),
		p.tone(tone, fitLeft(show(cut), compareCells)), p.dim(fitLeft(narrow(cut.Range()), 22)), fitLeft(last, 9))
}

// confusionChange writes the map by class as differences in points, a star at those that stand after Holm's adjustment.
func (p *printer) confusionChange(t tree) {
	maps := confusionChanges(t)
	if len(maps) == 0 || maps[0].Head != "class" {
		return
	}
	p.head("BY CLASS AND DIMENSION", "other less base, in points; * p < .05 by Holm")
	const cellWidth = 16
	label := max(8, min(24, p.width-4*cellWidth))
	line := fit("", label)
	for _, d := range dimensions {
		line += fitLeft(d, cellWidth)
	}
	p.line(p.dim(line))
	rows := maps[0].Rows
	for _, r := range rows[:min(most, len(rows))] {
		parts := []string{fit(r.Name, label-1) + " "}
		for _, c := range r.Cells {
			text, tone := "·", ""
			if d := c.Difference; d.OK {
				text = fmt.Sprintf("%s (%s, %s)", figure.WholeChange(d.Value), figure.WholeChange(d.Lo), figure.WholeChange(d.Hi))
				if c.star {
					text += "*"
					tone = map[bool]string{true: "ok", false: "err"}[d.Value < 0]
				}
			}
			parts = append(parts, p.tone(tone, fitLeft(text, cellWidth)))
		}
		p.line(parts...)
	}
	p.more(len(rows), "class", "classes")
}

// discordant lists the cases that only one run failed, both kinds.
func (p *printer) discordant(t tree) {
	for _, v := range discordantViews(t) {
		if len(v.Cases) == 0 {
			continue
		}
		p.head(strings.ToUpper(v.Title), "")
		for _, c := range v.Cases[:min(most, len(v.Cases))] {
			class := " (" + c.Class + ")"
			if c.Class == named("") {
				class = ""
			}
			p.line("  ", clip(fmt.Sprintf("%s%s: %s, on %s", c.ID, class, c.As, c.Axes), p.width-2))
		}
		if n := v.total; n > most {
			p.line(p.dim(fmt.Sprintf("  and %d more; --json lists all", n-most)))
		}
	}
}

// transitions writes how many questions went from which outcome to which.
func (p *printer) transitions(t tree) {
	var moved []string
	for _, from := range outcomes {
		for _, to := range outcomes {
			if n := t.Whole("transitions", from, to); n > 0 && from != to {
				moved = append(moved, fmt.Sprintf("%s → %s %s", from, to, grouped(n)))
			}
		}
	}
	if len(moved) > 0 {
		p.head("MOVED", "")
		p.para("", strings.Join(moved, "; "))
	}
}
