package detect

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// BySuite is a result over all suites of the scores, and the same of each suite by itself.
type BySuite struct {
	*Result
	// Pooled names the suites that the figures above take together, and Suites has each by itself, its p adjusted by
	// Holm over its own tests; neither is there where the scores are of one suite.
	Pooled []string           `json:"pooled,omitempty"`
	Suites map[string]*Result `json:"suites,omitempty"`
}

// noSuite names the rows that say no suite, beside others that do.
const noSuite = "(no suite)"

// pools says of a result that it pools the suites of the table, where these are several.
func (t *Table) pools(r *Result) {
	if len(t.suites.names) < 2 {
		return
	}
	for _, name := range t.suites.names {
		r.suites = append(r.suites, cmp.Or(name, noSuite))
	}
	slices.Sort(r.suites)
	r.Warnings = append(r.Warnings, fmt.Sprintf("pooled over %d suites (%s): their scores may be of different sizes, "+
		"and their shares of wrong answers differ, so a difference of means may be one between suites; read each by "+
		"itself", len(r.suites), strings.Join(r.suites, "; ")))
}

// BySuite is Analyze of all scores, and of those of each suite.
func (t *Table) BySuite(level float64) BySuite {
	pooled := t.Analyze(level)
	r := BySuite{Result: &pooled, Pooled: pooled.suites}
	if len(r.Pooled) == 0 {
		return r
	}
	parts := make([]Table, len(t.suites.names))
	for _, s := range t.scores {
		l := &t.labels[s.item]
		x := Score{Model: t.models.names[s.model], ID: strconv.Itoa(int(s.item)),
			Detector: t.detectors.names[s.detector], Correct: l.axis[0].passes(), Consistent: l.axis[1].passes(),
			Contrast: l.axis[2].passes(), Cluster: l.cluster}
		if s.value == s.value {
			x.Value = &s.value
		}
		if err := parts[l.suite].Add(x, s.at); err != nil {
			panic("detect: labels that agreed differ: " + err.Error())
		}
	}
	r.Suites = map[string]*Result{}
	for i, name := range t.suites.names {
		parts[i].contrasts = t.contrasts
		r.Suites[cmp.Or(name, noSuite)] = new(parts[i].Analyze(level))
	}
	return r
}

// passes is the label as Score has it.
func (l Label) passes() *bool {
	if l == Unknown {
		return nil
	}
	return new(l == Passing)
}
