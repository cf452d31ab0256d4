package assay

import (
	"cmp"
	"fmt"

	"hallmark/internal/suite"
)

// GradesNothing says of each suite in which no case can be graded, first of all that is said of a run, that nothing
// will be; nil where correctness was not asked for.
func (p *Plan) GradesNothing() (notes []string) {
	if !p.Has(Rubric) {
		return nil
	}
	for _, s := range p.Suites {
		if cases := p.cases(s); cases.Len() > 0 && !cases.Has(hasReference) {
			note(&notes, "suite %s: no case has a gold answer or an oracle, so nothing is graded and no rate of "+
				"wrong answers can be given: add gold to the cases", s.Name)
		}
	}
	return notes
}

// hasReference reports whether a case has something to be graded by.
func hasReference(c *suite.Case) bool { return !c.Gold.IsZero() || c.Oracle != nil || c.Decline }

// goldNotes counts the cases that have nothing to be graded by, and names the first: they are in no figure of
// correctness. Where no case has anything, GradesNothing says so.
func (p *Plan) goldNotes() (notes []string) {
	for _, s := range p.Suites {
		n, first := 0, ""
		for _, c := range p.cases(s).Pass() {
			if !hasReference(c) {
				n, first = n+1, cmp.Or(first, c.ID)
			}
		}
		if n > 0 && (n < p.cases(s).Len() || !p.Has(Consistency) && !p.Has(Rubric)) {
			note(&notes, "suite %s: %d of %d cases have no gold answer and nothing else to be graded by, the first "+
				"is %q; they are in no figure of correctness", s.Name, n, p.cases(s).Len(), first)
		}
	}
	return notes
}

// note adds a sentence to a list.
func note(list *[]string, format string, args ...any) {
	*list = append(*list, fmt.Sprintf(format, args...))
}
