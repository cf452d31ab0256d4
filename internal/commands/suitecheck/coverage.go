package suitecheck

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"hallmark/internal/base/jsonl"
	"hallmark/internal/metric/grading"
	"hallmark/internal/stat"
	"hallmark/internal/suite"
	"hallmark/internal/text/evidence"
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

// A Size says what the observations of a suite can find, for rates that may be. N counts clusters.
type Size struct {
	N         int     `json:"n"`
	HalfWidth float64 `json:"half_width"` // that is wanted
	Power     float64 `json:"power"`      // the chance that the interval is no wider, and that a fall is found
	Paired    float64 `json:"paired"`     // the correlation of two runs on the same cases
	Rates     []Rate  `json:"rates"`
}

// A Rate is what is needed, and what there is, where the rate is Base.
type Rate struct {
	Base  float64 `json:"base"`
	Needs int     `json:"needs"` // cases for the half-width that is wanted
	// Half is half the width of the interval that N cases give; null where there is none.
	Half *float64 `json:"half"`
	// Fall is the least fall that a comparison of two runs finds with this power; null where none is found.
	Fall *float64 `json:"fall"`
}

// bases are the rates for which a size is told.
var bases = []float64{.05, .1, .25, .5}

const (
	power  = .8
	paired = .5
)

// size says what n observations find: stat.SizeHalfWidth, stat.HalfWidth and stat.DetectablePaired, as `hallmark plan`
// has them.
func size(n int, o Options) (Size, error) {
	s := Size{N: n, HalfWidth: o.HalfWidth, Power: power, Paired: paired}
	for _, base := range bases {
		needs, err := stat.SizeHalfWidth(base, o.HalfWidth, o.Level, power)
		if err != nil {
			return s, err
		}
		r := Rate{Base: base, Needs: needs.N}
		if n > 0 {
			r.Half = new(stat.HalfWidth(base, n, o.Level))
			if fall, ok := stat.DetectablePaired(base, paired, min(n, stat.MostPaired), o.Level, power); ok {
				r.Fall = &fall
			}
		}
		s.Rates = append(s.Rates, r)
	}
	return s, nil
}

// doubtful warns of golds that their oracles call correct and that hardly any answer gives: whole sentences, which are
// right in other words too, and texts that decline to answer, as tables have them for what is not known; and of names
// that stand in the question, which an answer that repeats it gives. Cases with an oracle, options or a call to decline
// say themselves what is right.
func doubtful(s *suite.Suite) (warnings []string) {
	var first [3]string // that decline, that are long, and that are in the question
	var n [3]int
	doubt := func(i int, c *suite.Case, format string) {
		if n[i]++; n[i] == 1 {
			first[i] = cmp.Or(c.Place, c.ID) + ": " + fmt.Sprintf(format, jsonl.Excerpt([]byte(c.Answers()[0])))
		}
	}
	for _, c := range s.Cases.Pass() {
		golds := c.Answers()
		if c.Oracle != nil || c.Decline || len(c.Options) > 0 || len(golds) == 0 {
			continue
		}
		if _, ok := evidence.Read(golds[0]).Declines(); ok {
			doubt(0, c, "the gold %q says that there is no answer; where not to answer is right, write decline: true "+
				"in its place, else the answer")
			continue
		}
		switch kind := grading.GoldOf(c); {
		case kind == "sentence":
			doubt(1, c, "the gold %q is a sentence, and answers in other words could not be graded; shorten it to the "+
				"words that answer, or name a judge (--judge)")
		case kind == "name" && strings.Contains(spaced(c.Prompt), spaced(golds[0])):
			doubt(2, c, "the gold %q stands in its question; leave it out there, unless the question gives answers to "+
				"choose from or the text that it asks about")
		}
	}
	for i, text := range first {
		switch {
		case n[i] == 2:
			text += "; so is another"
		case n[i] > 2:
			text += fmt.Sprintf("; so are %d others", n[i]-1)
		}
		if n[i] > 0 {
			warnings = append(warnings, text)
		}
	}
	return warnings
}

// spaced is a text as its words, in small letters, each between spaces.
func spaced(text string) string {
	words := strings.FieldsFunc(strings.ToLower(text), func(c rune) bool {
		return !unicode.In(c, unicode.L, unicode.N, unicode.M)
	})
	return " " + strings.Join(words, " ") + " "
}
