// Package crosstab counts cases by two things at once: what the rubric says of the answer, and how stable the answers
// are over prompt variants. It holds the two tables that no source has alone: the failures of each axis split by
// stability, and the hallucination rate under each source's definition over the same cases.
package crosstab

import (
	_ "embed" // the catalogue
	"slices"

	"hallmark/internal/base/lists"
	"hallmark/internal/stat"
	"hallmark/internal/stat/figure"
)

// A Case is one case on both axes.
type Case struct {
	ID      string
	Cluster int32 // numbers what the case is an observation of, with others; 0: of itself alone (suite.Clusters)
	// RubricScored says that H could be decided on variant 0, Ungradable that it could not as no grader could tell;
	// Variants counts the scored variants.
	RubricScored bool
	Ungradable   bool
	Variants     int
	// Hallucinated is H; Failed says per axis (truth, decidability, reciprocity) whether variant 0 failed it.
	Hallucinated bool
	Failed       [3]bool
	// Stable says that self-consistency is at least tau.
	Stable bool
	// HasGold says that Right and Variance are known: whether the modal answer is the gold, and the case's variance
	// in the decomposition of its error.
	HasGold  bool
	Right    bool
	Variance float64
}

// Axes are the names of Case.Failed, in its order.
var Axes = [3]string{"truth", "decidability", "reciprocity"}

// A Split divides an axis' failures by stability. Its members are shares of the failures and sum to 1; nil where the
// axis has none.
type Split struct {
	PromptAgnostic *float64 `json:"prompt_agnostic"`
	Random         *float64 `json:"random"`
	Failures       int      `json:"failures"`
	// PromptAgnosticInterval is the interval of PromptAgnostic, over the failures.
	PromptAgnosticInterval *stat.Estimate `json:"prompt_agnostic_interval"`
}

// Definitions hold the hallucination rate by each source's definition, over the same cases, as numbers or with their
// intervals (stat.ShareByCluster of shares of cases, stat.MeanByCluster of the variance); nil where it needs a gold
// answer that no case has.
type Definitions[T interface{ *float64 | *stat.Estimate }] struct {
	Rubric              T `json:"rubric"`                // a failed axis
	PromptAgnosticError T `json:"prompt_agnostic_error"` // stable and wrong
	Randomness          T `json:"randomness"`            // unstable, right or wrong
	Either              T `json:"either"`                // 1 - prompt-agnostic factual
	VarianceOnly        T `json:"variance_only"`         // the decomposition's variance
}

// A Result is the joint table of a run, as CONTRACT's "joint".
type Result struct {
	N          int `json:"n"`
	WithGold   int `json:"with_gold"`
	Ungradable int `json:"ungradable"` // cases left out, as the answer to variant 0 could not be graded
	// Clusters counts the questions, or clusters of cases, that intervals are by; 0 where every case is one of its own.
	Clusters   int                   `json:"clusters,omitempty"`
	ByAxis     map[string]Split      `json:"by_axis"`
	Definition Definitions[*float64] `json:"hallucination_by_definition"`
	// Intervals belong to Definition.
	Intervals Definitions[*stat.Estimate] `json:"hallucination_by_definition_intervals"`
	Warnings  []string                    `json:"warnings"`
}

// Analyze joins the axes over the cases whose rubric is scored and that have at least two scored variants; others are
// passed over. Intervals are at the level, with the case as the unit, or the cluster where cases are of some: of shares
// by stat.ShareByCluster, and of the variance half of stat.MeanByCluster of its double, as a case's variance is at most
// ½. The definitions that need gold are over the joined cases that have one. It does not change cases.
// Source: METHODS 1.
func Analyze(cases []Case, level float64) Result {
	r := Result{ByAxis: map[string]Split{}, Warnings: []string{}}
	joined, gold := r.join(cases)
	r.N, r.WithGold, r.Clusters = len(joined), len(gold), stat.Clusters(clustersOf(joined))
	share := func(of []*Case, such func(*Case) bool) (*float64, *stat.Estimate) {
		values := lists.Map(of, func(c *Case) float64 { return stat.Bit(such(c)) })
		i := stat.ShareByCluster(values, clustersOf(of), level).Known()
		if i == nil {
			return nil, nil
		}
		return &i.Value, i
	}
	for axis, name := range Axes {
		failed := slices.DeleteFunc(slices.Clone(joined), func(c *Case) bool { return !c.Failed[axis] })
		s := Split{Failures: len(failed)}
		s.PromptAgnostic, s.PromptAgnosticInterval = share(failed, func(c *Case) bool { return c.Stable })
		s.Random, _ = share(failed, func(c *Case) bool { return !c.Stable })
		r.ByAxis[name] = s
	}
	d, i := &r.Definition, &r.Intervals
	d.Rubric, i.Rubric = share(joined, func(c *Case) bool { return c.Hallucinated })
	d.PromptAgnosticError, i.PromptAgnosticError = share(gold, func(c *Case) bool { return c.Stable && !c.Right })
	d.Randomness, i.Randomness = share(gold, func(c *Case) bool { return !c.Stable })
	d.Either, i.Either = share(gold, func(c *Case) bool { return !c.Stable || !c.Right })
	// twice each, in [0, 1]
	variances := lists.Map(gold, func(c *Case) float64 { return min(1, 2*c.Variance) })
	if e := stat.MeanByCluster(variances, clustersOf(gold), level).Times(.5); e.OK() {
		i.VarianceOnly = &e
		d.VarianceOnly = &i.VarianceOnly.Value
	}
	if r.Clusters > 0 {
		r.Warnings = append(r.Warnings, stat.Clustered(r.N, "cases", r.Clusters, "intervals"))
	}
	if r.Ungradable > 0 {
		stat.Warn(&r.Warnings, "%d cases are left out, as the answer to their default prompt could not be graded: "+
			"their rates may be higher or lower", r.Ungradable)
	}
	if r.N == 0 {
		r.Warnings = append(r.Warnings,
			"no case has both a scored rubric and two scored variants: ask each case in more variants")
	} else if r.WithGold < r.N {
		r.Warnings = append(r.Warnings,
			"some cases have no gold answer: the definitions other than the rubric's are over those that have one")
	}
	return r
}

// join returns the cases that are on both axes, and those of them that have a gold; it counts what is ungradable.
func (r *Result) join(cases []Case) (joined, gold []*Case) {
	for i := range cases {
		switch c := &cases[i]; {
		case c.RubricScored && c.Variants >= 2:
			if joined = append(joined, c); c.HasGold {
				gold = append(gold, c)
			}
		case !c.RubricScored && c.Ungradable:
			r.Ungradable++
		}
	}
	return joined, gold
}

func clustersOf(cases []*Case) []int32 {
	return lists.Map(cases, func(c *Case) int32 { return c.Cluster })
}

//go:embed figures.txt
var figures string

// Figures is the catalogue of what Result has.
var Figures = figure.Read(figures)
