// Package joint sets the two axes side by side: what the rubric says of a case
// and how stable its answers are. It holds the two joins that no source has
// alone: the failures of each axis split by stability, and the hallucination
// rate under each source's definition over the same cases.
package joint

// A Case is one case on both axes.
type Case struct {
	ID string
	// RubricScored says that H could be decided on variant 0; Variants counts the scored variants.
	RubricScored bool
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
}

// Definitions hold the hallucination rate by each source's definition, over the same cases; nil where it needs a
// gold answer that no case has.
type Definitions struct {
	Rubric              *float64 `json:"rubric"`                // a failed axis
	PromptAgnosticError *float64 `json:"prompt_agnostic_error"` // stable and wrong
	Randomness          *float64 `json:"randomness"`            // unstable, right or wrong
	Either              *float64 `json:"either"`                // 1 - prompt-agnostic factual
	VarianceOnly        *float64 `json:"variance_only"`         // the decomposition's variance
}

// A Result is the joint table of a run, as CONTRACT's "joint".
type Result struct {
	N          int              `json:"n"`
	WithGold   int              `json:"with_gold"`
	ByAxis     map[string]Split `json:"by_axis"`
	Definition Definitions      `json:"hallucination_by_definition"`
	Warnings   []string         `json:"warnings"`
}

// Analyze joins the axes over the cases whose rubric is scored and that have at least two scored variants; others are
// passed over. Shares are plain counts without an interval: the intervals stand with the rates that they join. The
// definitions that need gold are over the joined cases that have one. It does not change cases. Source: METHODS 1.
func Analyze(cases []Case) Result {
	r := Result{ByAxis: map[string]Split{}, Warnings: []string{}}
	var failures, stableFailures [3]int
	var hallucinated, errors, random, factual int
	var variance float64
	for _, c := range cases {
		if !c.RubricScored || c.Variants < 2 {
			continue
		}
		r.N++
		if c.Hallucinated {
			hallucinated++
		}
		for axis, failed := range c.Failed {
			if failed {
				failures[axis]++
				if c.Stable {
					stableFailures[axis]++
				}
			}
		}
		if !c.HasGold {
			continue
		}
		r.WithGold++
		variance += c.Variance
		switch {
		case !c.Stable:
			random++
		case c.Right:
			factual++
		default:
			errors++
		}
	}
	for axis, name := range Axes {
		r.ByAxis[name] = Split{
			PromptAgnostic: share(stableFailures[axis], failures[axis]),
			Random:         share(failures[axis]-stableFailures[axis], failures[axis]),
			Failures:       failures[axis],
		}
	}
	r.Definition = Definitions{
		Rubric:              share(hallucinated, r.N),
		PromptAgnosticError: share(errors, r.WithGold),
		Randomness:          share(random, r.WithGold),
		Either:              share(r.WithGold-factual, r.WithGold),
	}
	if r.WithGold > 0 {
		v := variance / float64(r.WithGold)
		r.Definition.VarianceOnly = &v
	}
	if r.N == 0 {
		r.Warnings = append(r.Warnings, "no case has both a scored rubric and two scored variants: ask each case in more variants")
	} else if r.WithGold < r.N {
		r.Warnings = append(r.Warnings, "some cases have no gold answer: the definitions other than the rubric's are over those that have one")
	}
	return r
}

func share(k, n int) *float64 {
	if n == 0 {
		return nil
	}
	s := float64(k) / float64(n)
	return &s
}
