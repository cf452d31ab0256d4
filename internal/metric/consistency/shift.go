package consistency

import (
	"cmp"
	"slices"

	"hallmark/internal/stat"
)

// A Shift says how bias and variance moved from one run to another on the same cases, such as from a teacher to its
// student or from one version of a model to the next.
type Shift struct {
	N           int    `json:"n"` // cases with gold in both
	BiasSquared *Moved `json:"bias_squared"`
	Variance    *Moved `json:"variance"`
	// Regime says which part moved, by the intervals of the two differences.
	Regime string `json:"regime"`
	// OtherBeatsBase is whether bias² + variance fell, AsPublished whether that of other is below the variance of
	// base alone, which supposes a base without bias.
	OtherBeatsBase *Test `json:"other_beats_base"`
	AsPublished    *Test `json:"other_beats_base_as_published"`
}

// Moved is a mean in both runs over the same cases, and other - base with its interval.
type Moved struct {
	Base       float64        `json:"base"`
	Other      float64        `json:"other"`
	Difference *stat.Estimate `json:"difference"`
}

// A Test is an inequality as a difference that has to be below 0.
type Test struct {
	Difference *stat.Estimate `json:"difference"`
	Holds      string         `json:"holds"` // yes, no or undecided, by the interval
}

// The regimes of a shift.
const (
	Undecided         = "undecided"          // the interval of one of the two differences holds 0
	BothBetter        = "both_better"        // bias² and variance fell
	BothWorse         = "both_worse"         // both grew
	VarianceDominated = "variance_dominated" // one fell and one grew, and their sum fell
	BiasDominated     = "bias_dominated"     // one fell and one grew, and their sum did not fall
)

// newShift compares the decompositions of two runs over rows of their cases. Formula: means over the cases with
// gold in both, differences other - base by stat.Paired; a variance is at most ½, so its interval is half of that
// of its double. other_beats_base is
//
//	bias²_o + variance_o < bias²_b + variance_b,  and as published  bias²_o + variance_o < variance_b
//
// each decided where the interval of left less right lies on one side of 0. Edge case: nil without gold. It changes
// nothing. Source: arXiv:2601.07058, equation 5, and the general form for a teacher that has a bias of its own.
func newShift(rows [][]*Standing, level float64) *Shift {
	gold := slices.DeleteFunc(slices.Clone(rows), func(row []*Standing) bool { return row[0].Right < 0 || row[1].Right < 0 })
	if len(gold) == 0 {
		return nil
	}
	cluster := ClustersOf(gold)
	of := func(most float64, was, is func(*Standing) float64) *Moved {
		var b, o []float64
		var sums [2]sum
		for _, row := range gold {
			x, y := was(row[0]), is(row[1])
			sums[0].add(x)
			sums[1].add(y)
			b, o = append(b, min(1, x/most)), append(o, min(1, y/most))
		}
		n := float64(len(gold))
		p := &Moved{Base: sums[0].value() / n, Other: sums[1].value() / n,
			Difference: stat.Paired(b, o, cluster, level).Known()}
		p.Difference.Value = p.Other - p.Base
		p.Difference.Lo, p.Difference.Hi = min(most*p.Difference.Lo, p.Difference.Value),
			max(most*p.Difference.Hi, p.Difference.Value)
		return p
	}
	failure := func(s *Standing) float64 { return 1 - float64(s.Right)/float64(s.R) }
	bias, variance := func(s *Standing) float64 { return s.BiasSquared }, func(s *Standing) float64 {
		return s.Variance
	}
	s := &Shift{N: len(gold), BiasSquared: of(1, bias, bias), Variance: of(.5, variance, variance)}
	s.OtherBeatsBase, s.AsPublished = below(of(1, failure, failure)), below(of(1, variance, failure))
	s.Regime = regime(s.BiasSquared.Difference, s.Variance.Difference)
	return s
}

func below(p *Moved) *Test {
	t := &Test{Difference: p.Difference, Holds: Undecided}
	switch {
	case p.Difference.Hi < 0:
		t.Holds = "yes"
	case p.Difference.Lo > 0:
		t.Holds = "no"
	}
	return t
}

// regime reads the differences of bias² and variance, in the order that METHODS 5 gives.
func regime(bias, variance *stat.Estimate) string {
	sides := [2]int{}
	for i, d := range []*stat.Estimate{bias, variance} {
		if d.Lo <= 0 && d.Hi >= 0 {
			return Undecided
		}
		sides[i] = cmp.Compare(d.Value, 0)
	}
	switch {
	case sides == [2]int{-1, -1}:
		return BothBetter
	case sides == [2]int{1, 1}:
		return BothWorse
	case bias.Value+variance.Value < 0:
		return VarianceDominated
	}
	return BiasDominated
}
