package suitecheck

import (
	"cmp"
	"slices"

	"hallmark/internal/suite"
)

// A Coverage counts the cases by class and domain.
type Coverage struct {
	Classes []string `json:"classes"` // that cases have, "" for none, in the order of suite.Classes
	Domains []string `json:"domains"` // likewise
	Cells   [][]int  `json:"cells"`   // of each class, the cases by domain
	// Gaps are the cells without a case, of classes and domains that cases have; Missing are the classes of the
	// format that no case has, where any has one.
	Gaps    []Gap    `json:"gaps"`
	Missing []string `json:"missing_classes"`
}

// A Gap is a cell without a case.
type Gap struct {
	Class  string `json:"class"`
	Domain string `json:"domain"`
}

// covers counts the cases of a suite.
func covers(s *suite.Suite) Coverage {
	n := map[Gap]int{}
	c := Coverage{Classes: []string{}, Domains: []string{}, Gaps: []Gap{}, Missing: []string{}}
	for _, k := range s.Cases.Pass() {
		n[Gap{k.Class, k.Domain}]++
		if !slices.Contains(c.Classes, k.Class) {
			c.Classes = append(c.Classes, k.Class)
		}
		if !slices.Contains(c.Domains, k.Domain) {
			c.Domains = append(c.Domains, k.Domain)
		}
	}
	order(c.Classes, suite.Classes)
	order(c.Domains, suite.Domains)
	for _, class := range c.Classes {
		var row []int
		for _, domain := range c.Domains {
			at := Gap{class, domain}
			if row = append(row, n[at]); n[at] == 0 && class != "" && domain != "" {
				c.Gaps = append(c.Gaps, at)
			}
		}
		c.Cells = append(c.Cells, row)
	}
	if !slices.Equal(c.Classes, []string{""}) {
		for _, class := range suite.Classes {
			if !slices.Contains(c.Classes, class) {
				c.Missing = append(c.Missing, class)
			}
		}
	}
	return c
}

// order sorts names as the format lists them, with "" last.
func order(names, as []string) {
	slices.SortFunc(names, func(a, b string) int {
		place := func(s string) int { return (slices.Index(as, s) + len(as) + 1) % (len(as) + 1) }
		return cmp.Or(cmp.Compare(place(a), place(b)), cmp.Compare(a, b))
	})
}
