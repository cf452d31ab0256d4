package assay

import "fmt"

// goldNotes counts the cases that have nothing to be graded by, and names the first: they are in no figure of correctness. Where no case has
// anything, that accuracy was not measured is said beside the figures, unless there are none.
func (p *Plan) goldNotes() (notes []string) {
	for _, s := range p.Suites {
		n, first := 0, ""
		for _, c := range p.cases(s) {
			if c.Gold.IsZero() && c.Oracle == nil && !c.Decline {
				if n++; n == 1 {
					first = c.ID
				}
			}
		}
		if n > 0 && (n < len(p.cases(s)) || !p.Has(Consistency)) {
			notes = append(notes, fmt.Sprintf("suite %s: %d of %d cases have no gold answer and nothing else to be graded by, the first is %q; they are in no figure of correctness", s.Name, n, len(p.cases(s)), first))
		}
	}
	return notes
}
