package report

import (
	"fmt"
	"html/template"
	"slices"
)

// An impliedView is what the shipped check of the graders implies for the answers of a section. Share has no value where
// the check does not carry over to them.
type impliedView struct {
	Share, Labelled fig
	P               template.HTML // of the test of fit
	Date, Grading   string        // of the check
	Warnings        []string
	p               string
}

// newImplied returns nil where the check says nothing of the answers.
func newImplied(t tree) *impliedView {
	at := func(keys ...string) []string {
		return slices.Concat([]string{"rubric", "outcomes", "grading", "implied"}, keys)
	}
	if !t.Has(at()...) {
		return nil
	}
	v := &impliedView{
		Share:    t.fig("wrong answers, by the check of the grader", share, "err", at("incorrect")...),
		Labelled: t.fig("", tally, "", at("check_n")...),
		P:        probability(t, at("fit_p")...), p: equals(pvalue(t, at("fit_p")...)),
		Date: oneLine(t.Text(at("date")...)), Grading: oneLine(t.Text(at("grading_version")...)),
	}
	if v.Share.OK { // else they say what the sentence says
		v.Warnings = t.texts(at("warnings")...)
	}
	return v
}

// sentence says what the check implies, or that it does not carry over.
func (v *impliedView) sentence() string {
	if !v.Share.OK {
		return fmt.Sprintf("The shipped check of the grader does not carry over to these answers, as they are not read as "+
			"its %s labelled answers were (test of fit: p %s): label some of them to learn how many are wrong.", v.Labelled.Text(), v.p)
	}
	return narrow(fmt.Sprintf("The shipped check of the grader implies that %s are wrong (95 %% interval %s), "+
		"if these answers are read as its %s labelled answers were (test of fit: p %s).", v.Share.Text(), v.Share.Range(), v.Labelled.Text(), v.p))
}

// note says what the check is, for the table of the outcomes.
func (v *impliedView) note() string {
	return fmt.Sprintf(" What the check of the grader implies takes such errors into account: the check is of %s labelled "+
		"answers, read on %s by grading version %s.", v.Labelled.Text(), v.Date, v.Grading)
}
