// Package suitecheck says, before a model is asked, what a suite covers and what is wrong with it: classes and domains
// without cases, duplicate questions, the smallest difference that its size can detect, golds that its own oracles
// reject, and wrong variants of golds that these oracles accept.
package suitecheck

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"hallmark/internal/commands/suites"
	"hallmark/internal/grade"
	"hallmark/internal/grade/rubric"
	"hallmark/internal/metric/mutation"
	"hallmark/internal/stat"
	"hallmark/internal/stat/figure"
	"hallmark/internal/suite"
)

// Options of Check.
type Options struct {
	AsOf      string // today, in place of the suite's
	Seed      uint64
	Mutants   int     // cases of which mutants are made; negative: all
	HalfWidth float64 // of the interval that is wanted, in (0, .5)
	Level     float64
}

// A Document is what `hallmark suite check --json` prints.
type Document struct {
	Suites []*Checked `json:"suites"`
}

// A Checked is one suite, looked through.
type Checked struct {
	Suite      string           `json:"suite"`
	File       string           `json:"file"` // as it was named
	Version    string           `json:"version,omitempty"`
	Hash       suite.Hash       `json:"hash"`
	Cases      int              `json:"cases"`
	Coverage   Coverage         `json:"coverage"`
	Duplicates Duplicates       `json:"duplicates"`
	Clusters   Clusters         `json:"clusters"`
	Size       Size             `json:"size"`
	Golds      Golds            `json:"golds"`
	Mutation   *mutation.Result `json:"mutation"`
	Faults     []string         `json:"faults"` // what --strict fails on, a sentence each
	Warnings   []string         `json:"warnings"`
}

// Clusters are the observations that the cases of a suite are: docs/decisions/0035.
type Clusters struct {
	By      string `json:"by,omitempty"` // what the suite groups by; empty: cases that ask the same
	N       int    `json:"n"`            // with a case by itself as one
	Largest int    `json:"largest"`      // cases of the largest
}

// Golds are the right answers that the cases themselves give, as their oracles read them.
type Golds struct {
	Cases      int    `json:"cases"`     // that have a gold that can be graded
	Rejected   int    `json:"rejected"`  // cases whose gold, alone or in a sentence, is called wrong or no attempt
	Ungradable int    `json:"unread"`    // and where it cannot be graded
	Bare       int    `json:"bare"`      // of both: where the gold alone is not called correct
	Found      []Gold `json:"not_right"` // each
}

// A Gold is one that its oracle does not call correct.
type Gold struct {
	mutation.Misread
	Remedy string `json:"remedy"`
}

// Check looks a suite through. The error is of an oracle that cannot be made, of a size that cannot be planned, or of
// the context.
func Check(ctx context.Context, file string, s *suite.Suite, o Options) (*Checked, error) {
	r, err := suites.Rubric(s, o.AsOf)
	if err != nil {
		return nil, err
	}
	d := &Checked{Suite: s.Name, File: file, Version: s.Version, Hash: s.Hash(), Cases: s.Cases.Len(),
		Coverage: covers(s), Duplicates: DuplicatesOf(s, true), Clusters: clusters(s), Faults: []string{},
		Warnings: append(append([]string{}, s.Warnings...), doubtful(s)...)}
	if d.Size, err = size(d.Clusters.N, o); err != nil {
		return nil, err
	}
	d.Mutation, err = mutation.Test(ctx, s, r, mutation.Options{Seed: o.Seed, Most: o.Mutants, Level: o.Level})
	if err != nil {
		return nil, err
	}
	d.Golds = golds(s, r, d.Mutation)
	d.faults()
	return d, nil
}

// clusters counts what the cases are observations of.
func clusters(s *suite.Suite) Clusters {
	of := suite.Clusters(s.Cases, s.Cluster)
	c := Clusters{By: s.Cluster, N: s.Cases.Len(), Largest: min(1, s.Cases.Len())}
	sizes := map[int32]int{}
	for _, id := range of {
		if id > 0 {
			sizes[id]++
			c.Largest = max(c.Largest, sizes[id])
		}
	}
	if n := stat.Clusters(of); n > 0 {
		c.N = n
	}
	return c
}

// golds takes from the right forms those that are the gold alone or in a sentence.
func golds(s *suite.Suite, r *rubric.Rubric, m *mutation.Result) Golds {
	g := Golds{Found: []Gold{}}
	for _, c := range s.Cases.Pass() {
		if r.Gradable(c) {
			g.Cases++
		}
	}
	last := [3]string{}
	once := func(i int, id string, n *int) {
		if last[i] != id {
			last[i] = id
			*n++
		}
	}
	for _, f := range m.Missed {
		if f.Form == "bold" || f.Form == "rewritten" {
			continue
		}
		if f.Outcome == grade.CannotGrade {
			once(0, f.CaseID, &g.Ungradable)
		} else {
			once(1, f.CaseID, &g.Rejected)
		}
		if f.Form != "sentence" {
			once(2, f.CaseID, &g.Bare)
		}
		g.Found = append(g.Found, Gold{f, remedy(f)})
	}
	return g
}

// remedy says what to do about a gold that its oracle does not call correct.
func remedy(f mutation.Misread) string {
	switch {
	case strings.HasPrefix(f.Rule, "choice"):
		return "write the options so that none begins like the letter or with the words of another"
	case f.Outcome == grade.NotAttempted:
		return "where not to answer is right, write decline: true in place of the gold"
	case f.Form == "bare" && f.Outcome != grade.CannotGrade:
		return "the case contradicts itself: correct its gold, or what its oracle accepts and rejects"
	case f.Gold == "sentence":
		return "shorten the gold to the words that answer, or name a judge (--judge)"
	case strings.Contains(f.Rule, "list"):
		return "if each must be named, write gold: {all: […, …]}"
	}
	return "write the gold as the value alone, and other wordings under aliases:"
}

// faults lists what makes a strict check fail.
func (d *Checked) faults() {
	say := func(n int, one, many string) {
		switch {
		case n == 1:
			d.Faults = append(d.Faults, "1 "+one)
		case n > 1:
			d.Faults = append(d.Faults, fmt.Sprintf("%d %s", n, many))
		}
	}
	say(d.Golds.Bare, "gold alone is not called correct by its own oracle",
		"golds alone are not called correct by their own oracles")
	say(len(d.Duplicates.Identical), "question stands more than once", "questions stand more than once")
	say(len(d.Mutation.Toothless), "oracle kills none of its mutants", "oracles kill none of their mutants")
	for _, m := range d.Mutation.ByGold {
		if slices.Contains(exact, m.Gold) && m.Killed.Value < wanted {
			d.Faults = append(d.Faults, fmt.Sprintf("%s of the mutants of golds that are a %s are killed, less than "+
				"%s", figure.Decimal(m.Killed.Value), m.Gold, figure.Fixed(wanted, 2)))
		}
	}
}

// wanted is the share of mutants of exact golds that oracles must kill.
const wanted = .98

// exact are the kinds of gold of which it is plain that another value is wrong.
var exact = []string{"number", "date", "choice"}
