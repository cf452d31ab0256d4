package consistency

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"hallmark/internal/base/lists"
	"hallmark/internal/stat"
)

// A Standing is how one case stood in one run: what pairs it with itself in another.
type Standing struct {
	ID        string  `json:"id"`
	R         int     `json:"r"`  // scored variants, at least 2
	PC        float64 `json:"pc"` // c/R for a whole number c
	SC        float64 `json:"sc"`
	Ambiguous bool    `json:"ambiguous"`
	Cluster   int32   `json:"-"` // as Case.Cluster
	// Right is how many of the variants were right; negative where the case has no gold.
	Right int `json:"-"`
	// The parts of its error, with gold: those that do not depend on R but by chance.
	Parts Pair[float64] `json:"-"`
}

// StandingsOf returns how the cases of a result stood. It needs PerQuestion.
func StandingsOf(r Result) []Standing {
	return lists.Map(r.PerQuestion, func(q Question) Standing { return q.Standing })
}

// Unit names the case, and numbers what it is an observation of.
func (s Standing) Unit() (id string, cluster int32) { return s.ID, s.Cluster }

// Stability names the figures of stability that runs are compared by, in order.
var Stability = []string{"semantic_stability", "ambiguity", "accuracy"}

// A Paired is the stability of two runs over the cases that both asked in at least two variants.
type Paired struct {
	N int `json:"n"` // cases paired
	// Clusters counts the questions, or clusters, that intervals and p are by; 0 where every case is one of its own.
	Clusters          int     `json:"clusters,omitempty"`
	SemanticStability *Change `json:"semantic_stability"`
	Ambiguity         *Change `json:"ambiguity"`
	Accuracy          *Change `json:"accuracy"` // over the variants; null without gold in both
	// Decomposition is how bias² and variance moved; null without gold in both.
	Decomposition *Shift `json:"decomposition"`
	// Steadier and Shakier count the cases whose PC rose, and fell.
	Steadier int      `json:"steadier"`
	Shakier  int      `json:"shakier"`
	Warnings []string `json:"warnings"`
}

// A Change is one figure in two runs, paired by case.
type Change struct {
	N          int            `json:"n"`
	Base       *stat.Estimate `json:"base"`
	Other      *stat.Estimate `json:"other"`
	Difference *stat.Estimate `json:"difference"` // other - base
	P          float64        `json:"p"`          // Difference holds 0 unless it is below what the level leaves
	Test       string         `json:"test"`       // as stat.Difference has it; of shares it is McNemar's exact test
}

// Value returns a figure of Stability of a case, in [0, 1], and whether the case has it.
func (s *Standing) Value(figure string) (float64, bool) {
	switch figure {
	case "semantic_stability":
		return s.PC, true
	case "ambiguity":
		return stat.Bit(s.Ambiguous), true
	}
	return float64(s.Right) / float64(s.R), s.Right >= 0
}

// StabilityOf returns a figure of Stability over cases with their clusters, with the interval that Analyze gives it: by
// stat.ShareByCluster for ambiguity, and stat.MeanByCluster for the others. Cases that lack it are left out.
func StabilityOf(figure string, values []float64, cluster []int32, level float64) stat.Estimate {
	if figure != "ambiguity" {
		return stat.MeanByCluster(values, cluster, level)
	}
	return stat.ShareByCluster(values, cluster, level)
}

// An Observation is a case of one run.
type Observation interface {
	Unit() (id string, cluster int32) // as Case.ID and Case.Cluster
}

// Shared returns a row of observations for each case that every run has, in the order of ids, and how many cases are
// not in every run.
func Shared[T Observation](runs ...[]T) (rows [][]*T, left int) {
	byID := map[string][]*T{}
	for i, run := range runs {
		for k := range run {
			id, _ := run[k].Unit()
			if byID[id] == nil {
				byID[id] = make([]*T, len(runs))
			}
			byID[id][i] = &run[k]
		}
	}
	for _, id := range slices.Sorted(maps.Keys(byID)) {
		if !slices.Contains(byID[id], nil) {
			rows = append(rows, byID[id])
		}
	}
	return rows, len(byID) - len(rows)
}

// ClustersOf returns the clusters of rows of Shared.
func ClustersOf[T Observation](rows [][]*T) []int32 {
	return lists.Map(rows, func(row []*T) int32 {
		_, cluster := (*row[0]).Unit()
		return cluster
	})
}

// Values returns a figure in each run, over the rows in which every run has it, and their clusters.
func Values[T Observation](figure func(*T) (float64, bool), rows [][]*T, runs int) ([][]float64, []int32) {
	values := make([][]float64, runs)
	var having [][]*T
	for _, row := range rows {
		vs := make([]float64, 0, runs)
		for _, x := range row {
			if v, ok := figure(x); ok {
				vs = append(vs, v)
			}
		}
		if len(vs) < runs {
			continue
		}
		for i, v := range vs {
			values[i] = append(values[i], v)
		}
		having = append(having, row)
	}
	return values, ClustersOf(having)
}

// Compare compares the stability of two runs, case by case. Cases that only one of them asked in two variants are
// left out, with a warning.
//
// Formulas: the means over the shared cases by StabilityOf; other - base and p by stat.Paired. Range of a difference:
// [-1, 1]. Cases in common none: every figure is nil, with a warning. Where cases have other numbers of variants in the
// two runs a warning says so, as PC has the floor 1/r. It changes nothing. Source: METHODS 3 and 6.
func Compare(base, other []Standing, level float64) *Paired {
	rows, left := Shared(base, other)
	p := &Paired{N: len(rows), Clusters: stat.Clusters(ClustersOf(rows)), Warnings: []string{}}
	if left > 0 {
		stat.Warn(&p.Warnings, "%d cases have two scored variants in only one of the runs and are left out of the "+
			"stability", left)
	}
	if p.N == 0 {
		p.Warnings = append(p.Warnings, "no case has two scored variants in both runs, so stability is not compared")
		return p
	}
	differ := 0
	for _, row := range rows {
		switch {
		case row[1].PC > row[0].PC:
			p.Steadier++
		case row[1].PC < row[0].PC:
			p.Shakier++
		}
		if row[0].R != row[1].R {
			differ++
		}
	}
	if differ > 0 {
		stat.Warn(&p.Warnings, "%d cases have other numbers of scored variants in the two runs: their stability "+
			"has another least value", differ)
	}
	for i, to := range []**Change{&p.SemanticStability, &p.Ambiguity, &p.Accuracy} {
		figure := Stability[i]
		vs, cluster := Values(func(s *Standing) (float64, bool) { return s.Value(figure) }, rows, 2)
		if len(vs[0]) == 0 {
			continue
		}
		d := stat.Paired(vs[0], vs[1], cluster, level)
		*to = &Change{
			N: d.N, Base: StabilityOf(figure, vs[0], cluster, level).Known(),
			Other:      StabilityOf(figure, vs[1], cluster, level).Known(),
			Difference: d.Known(), P: d.P, Test: d.Test,
		}
	}
	p.Decomposition = newShift(rows, level)
	return p
}

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
	gold := slices.DeleteFunc(slices.Clone(rows), func(row []*Standing) bool {
		return row[0].Right < 0 || row[1].Right < 0
	})
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
	bias, variance := func(s *Standing) float64 { return s.Parts.BiasSquared }, func(s *Standing) float64 {
		return s.Parts.Variance
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

// DeclinedAgnostic is the category of prompt-agnostic errors whose answer is a decline, which a flow keeps apart:
// they assert nothing.
const DeclinedAgnostic = "declined"

// FlowCategories are the categories between which cases move from one run to another, in order.
var FlowCategories = []string{PromptAgnosticFactual, PromptAgnosticError, DeclinedAgnostic, Randomness}

// A Flow says which category each case had in one run and which it has in another, such as without and with retrieval.
type Flow struct {
	N    int `json:"n"`        // cases with a category in both runs
	Left int `json:"left_out"` // cases with a category in one of them only
	// Base and Other count the cases by category in each run, Transitions by both: base, then other. They hold all
	// categories.
	Base        map[string]int            `json:"base"`
	Other       map[string]int            `json:"other"`
	Transitions map[string]map[string]int `json:"transitions"`
	// Changed is the share of cases whose category is another one, by stat.ShareByCluster.
	Changed *stat.Estimate `json:"changed"`
	// Difference is other - base of the share of cases in each category, over the same cases.
	Difference map[string]*stat.Estimate `json:"difference"`
}

// NewFlow compares the categories of cases, by id, of two runs:
//
//	changed = |{i : base_i ≠ other_i}| / n,  difference_c = (|{i : other_i = c}| - |{i : base_i = c}|)/n
//
// over the n cases that have one of FlowCategories in both. Where there is none the result is nil. Any other
// category is an error of the caller. Clusters are those of cases that have one, by id; nil for none. It changes
// nothing. Source: arXiv:2602.00723, figure 5, where it is drawn for retrieval; declines apart are Hallmark's.
func NewFlow(base, other map[string]string, clusters map[string]int32, level float64) (*Flow, error) {
	f := FlowShape()
	var was, is []string
	var changed []float64
	var cluster []int32
	for _, id := range slices.Sorted(maps.Keys(base)) {
		from := base[id]
		to, both := other[id]
		if !both {
			continue
		}
		row, known := f.Transitions[from]
		if _, ok := row[to]; !known || !ok {
			return nil, fmt.Errorf("case %q goes from %q to %q; want categories", id, from, to)
		}
		row[to]++
		f.Base[from]++
		f.Other[to]++
		f.N++
		was, is = append(was, from), append(is, to)
		changed, cluster = append(changed, stat.Bit(from != to)), append(cluster, clusters[id])
	}
	if f.N == 0 {
		return nil, nil
	}
	f.Left = len(base) + len(other) - 2*f.N
	f.Changed = stat.ShareByCluster(changed, cluster, level).Known()
	for _, c := range FlowCategories {
		b, o := make([]float64, f.N), make([]float64, f.N)
		for i := range was {
			b[i], o[i] = stat.Bit(was[i] == c), stat.Bit(is[i] == c)
		}
		f.Difference[c] = stat.Paired(b, o, cluster, level).Known()
	}
	return f, nil
}

// FlowShape returns a flow of nothing: all its counts are there, and 0.
func FlowShape() *Flow {
	f := &Flow{Base: map[string]int{}, Other: map[string]int{}, Transitions: map[string]map[string]int{},
		Difference: map[string]*stat.Estimate{}}
	for _, c := range FlowCategories {
		f.Base[c], f.Other[c], f.Transitions[c], f.Difference[c] = 0, 0, map[string]int{}, nil
		for _, d := range FlowCategories {
			f.Transitions[c][d] = 0
		}
	}
	return f
}
