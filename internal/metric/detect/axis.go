package detect

import (
	"slices"

	"hallmark/internal/stat"
)

// Classes are the two classes of an axis as one detector scores them. Failing are the wrong answers on the axis of
// correctness, and the questions whose answer moves with the prompt on the axis of consistency.
type Classes struct {
	Failing     int      `json:"failing"` // cases
	Passing     int      `json:"passing"`
	MeanFailing *float64 `json:"mean_failing"` // of their scores; null without a case
	MeanPassing *float64 `json:"mean_passing"`
	// Difference is MeanFailing - MeanPassing; null without both.
	Difference *float64 `json:"difference"`
}

// An Axis is how well a detector tells the two classes of an axis apart.
type Axis struct {
	AUROC *stat.Estimate `json:"auroc"` // null without cases of both classes; .5 is chance
	Classes
	Warnings []string `json:"warnings"`
}

// A Label is what is known of a case on one axis.
type Label int8

// The labels. A case that is Unknown is left out of the axis.
const (
	Unknown Label = iota
	Passing
	Failing
)

// LabelOf returns the label of a case that passes or not; nil is unknown.
func LabelOf(passes *bool) Label {
	switch {
	case passes == nil:
		return Unknown
	case *passes:
		return Passing
	}
	return Failing
}

// AxisOf returns how the scores tell the failing cases from the passing ones; cases whose label is unknown are left
// out. Means are taken about the lowest score, so that equal scores differ by 0 and by nothing else. The AUROC is
// by stat.AUROCClustered, with the clusters of the cases, nil for none. It does not change its arguments.
func AxisOf(scores []float64, labels []Label, cluster []int32, level float64) Axis {
	var failing, passing, known []float64
	var fails []bool
	var of []int32
	for i, s := range scores {
		switch labels[i] {
		case Failing:
			failing = append(failing, s)
		case Passing:
			passing = append(passing, s)
		default:
			continue
		}
		if known, fails = append(known, s), append(fails, labels[i] == Failing); cluster != nil {
			of = append(of, cluster[i])
		}
	}
	a := Axis{Classes: classesOf(failing, passing), Warnings: []string{}}
	a.AUROC = stat.AUROCClustered(known, fails, of, level).Known()
	return a
}

func classesOf(failing, passing []float64) Classes {
	c := Classes{Failing: len(failing), Passing: len(passing)}
	if len(failing)+len(passing) == 0 {
		return c
	}
	base := slices.Min(slices.Concat(failing, passing))
	above := func(xs []float64) (sum float64, mean *float64) {
		if len(xs) == 0 {
			return 0, nil
		}
		for _, x := range xs {
			sum += x - base
		}
		sum /= float64(len(xs))
		return sum, new(base + sum)
	}
	var f, p float64
	f, c.MeanFailing = above(failing)
	p, c.MeanPassing = above(passing)
	if len(failing) > 0 && len(passing) > 0 {
		c.Difference = new(f - p)
	}
	return c
}

// Gain returns how much better the scores tell the axis of consistency than that of correctness, AUROC by AUROC,
// over the cases whose two labels are known, with their clusters, nil for none: null without cases of all four
// classes, with the reasons for doubt.
func Gain(scores []float64, correctness, consistency []Label, cluster []int32, level float64) (*stat.Estimate,
	[]string) {
	var both []float64
	var wrong, moves []bool
	var of []int32
	for i, s := range scores {
		if correctness[i] != Unknown && consistency[i] != Unknown {
			both, wrong, moves = append(both, s), append(wrong, correctness[i] == Failing),
				append(moves, consistency[i] == Failing)
			if cluster != nil {
				of = append(of, cluster[i])
			}
		}
	}
	e := stat.AUROCDifference(both, moves, wrong, of, level)
	return e.Known(), e.Warnings
}
