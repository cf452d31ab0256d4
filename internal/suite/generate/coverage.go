package generate

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"hallmark/internal/stat/figure"
	"hallmark/internal/suite"
)

// A Coverage says what a suite covers: how many cases of each class, domain and difficulty, and which places are
// empty and why.
type Coverage struct {
	Cells []Cell `json:"cells"` // in the order of suite.Classes, suite.Domains and suite.Difficulties; those of 0 too
	Gaps  []Gap  `json:"gaps"`
	// Checked counts the cases by how their answers are checked.
	Checked Checked `json:"checked"`
}

// A Cell counts the cases of one class, domain and difficulty.
type Cell struct {
	Class      string `json:"class"`
	Domain     string `json:"domain"`
	Difficulty string `json:"difficulty"`
	N          int    `json:"n"`
}

// A Gap is a place of the matrix without a case. Domain and Difficulty are empty where all of them are.
type Gap struct {
	Class      string `json:"class"`
	Domain     string `json:"domain,omitempty"`
	Difficulty string `json:"difficulty,omitempty"`
	Why        string `json:"why"`
}

// Checked counts cases by how their answers are checked. Each case counts once, under the last of the three that holds.
type Checked struct {
	Auto      int `json:"auto"`        // by an oracle alone
	Retrieval int `json:"retrieval"`   // by an oracle that holds them against the text that the case supplies
	Audit     int `json:"human_audit"` // by an oracle, and by people: the edges of reciprocity
}

// AuditTag marks the cases that people judge beside the oracle.
const AuditTag = "human-audit"

// coverage counts a suite that the maker made.
func (m *maker) coverage(s *suite.Suite, gens []generator) Coverage {
	c := Count(s)
	c.Gaps = m.gaps
	for _, g := range gens {
		domains := g.domains(m.ix)
		for _, domain := range suite.Domains {
			if !slices.Contains(domains, domain) {
				c.Gaps = append(c.Gaps, Gap{Class: g.class, Domain: domain, Why: nothing})
				continue
			}
			for _, difficulty := range suite.Difficulties {
				why := m.spent[cell{g.class, domain, difficulty}]
				if why != "" || c.Total(g.class, domain, difficulty) == 0 {
					c.Gaps = append(c.Gaps, Gap{g.class, domain, difficulty, cmp.Or(why, tooFew)})
				}
			}
		}
	}
	return c
}

// Count counts any suite's cases. It knows no reasons, so it names no gaps.
func Count(s *suite.Suite) Coverage {
	n := map[cell]int{}
	classes := map[string]bool{}
	var c Coverage
	for _, k := range s.Cases.Pass() {
		n[cell{k.Class, k.Domain, k.Difficulty}]++
		classes[k.Class] = true
		switch {
		case slices.Contains(k.Tags, AuditTag):
			c.Checked.Audit++
		case len(k.Context) > 0:
			c.Checked.Retrieval++
		default:
			c.Checked.Auto++
		}
	}
	for _, class := range suite.Classes {
		if !classes[class] {
			continue
		}
		for _, domain := range suite.Domains {
			for _, difficulty := range suite.Difficulties {
				c.Cells = append(c.Cells, Cell{class, domain, difficulty, n[cell{class, domain, difficulty}]})
			}
		}
	}
	return c
}

// Total returns the number of cases that fit; an empty name fits all.
func (c Coverage) Total(class, domain, difficulty string) int {
	n := 0
	for _, l := range c.Cells {
		if (class == "" || l.Class == class) && (domain == "" || l.Domain == domain) &&
			(difficulty == "" || l.Difficulty == difficulty) {
			n += l.N
		}
	}
	return n
}

// Write prints the matrix for people: a row a class, and in each domain the cases by difficulty, easy/medium/hard.
func (c Coverage) Write(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "CLASS\t%s\tALL\n", strings.ToUpper(strings.Join(suite.Domains, "\t")))
	for _, class := range append(slices.Clone(suite.Classes), "") { // "" is all of them
		if class != "" && c.Total(class, "", "") == 0 {
			continue
		}
		fmt.Fprint(t, cmp.Or(class, "all"))
		for _, domain := range suite.Domains {
			fmt.Fprintf(t, "\t%s", c.row(class, domain))
		}
		fmt.Fprintf(t, "\t%d\n", c.Total(class, "", ""))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	share := func(n int) string {
		return figure.InPercent(float64(n)/float64(max(1, c.Total("", "", ""))), 0)
	}
	fmt.Fprintf(w, "checked by oracle %d (%s), against supplied text %d (%s), also by people %d (%s)\n",
		c.Checked.Auto, share(c.Checked.Auto), c.Checked.Retrieval, share(c.Checked.Retrieval), c.Checked.Audit,
		share(c.Checked.Audit))
	for _, l := range c.gapLines() {
		if _, err := fmt.Fprintf(w, "gap: %s\n", l); err != nil {
			return err
		}
	}
	return nil
}

// row are the cases of a class in a domain by difficulty; of all classes where none is named.
func (c Coverage) row(class, domain string) string {
	if class != "" && c.Total(class, domain, "") == 0 {
		return "-"
	}
	var parts []string
	for _, difficulty := range suite.Difficulties {
		parts = append(parts, fmt.Sprint(c.Total(class, domain, difficulty)))
	}
	return strings.Join(parts, "/")
}

// gapLines puts gaps of one class and reason on one line.
func (c Coverage) gapLines() []string {
	type key struct{ class, why string }
	at := map[key][]string{}
	var order []key
	for _, g := range c.Gaps {
		k := key{g.Class, g.Why}
		if _, seen := at[k]; !seen {
			order = append(order, k)
		}
		at[k] = append(at[k], strings.TrimSpace(g.Domain+" "+g.Difficulty))
	}
	var lines []string
	for _, k := range order {
		lines = append(lines, k.class+": "+cmp.Or(strings.Join(at[k], ", "), "all domains")+": "+k.why)
	}
	return lines
}

// short says for an error which classes hold the world's cases back.
func (c Coverage) short() string {
	var parts []string
	for _, class := range suite.Classes {
		spent := 0
		for _, g := range c.Gaps {
			if g.Class == class && g.Difficulty != "" && g.Why != tooFew {
				spent++
			}
		}
		if spent > 0 {
			parts = append(parts, fmt.Sprintf("%s ends at %d", class, c.Total(class, "", "")))
		}
	}
	return strings.Join(parts, ", ")
}
