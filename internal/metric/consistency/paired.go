package consistency

import (
	"maps"
	"slices"

	"hallmark/internal/stat"
)

// A Standing is how one case stood in one run: what pairs it with itself in another.
type Standing struct {
	ID        string
	R         int     // scored variants, at least 2
	PC        float64 // c/R for a whole number c
	Ambiguous bool
	Cluster   int32 // as Case.Cluster
	// Right is how many of the variants were right; negative where the case has no gold.
	Right int
	// The parts of its error, with gold: those that do not depend on R but by chance.
	Pair[float64]
}

// StandingsOf returns how the cases of a result stood. It needs PerQuestion.
func StandingsOf(r Result) []Standing {
	out := make([]Standing, 0, len(r.PerQuestion))
	for _, q := range r.PerQuestion {
		out = append(out, Standing{q.ID, q.R, q.PC, q.Ambiguous, q.Cluster, q.Right, q.Parts})
	}
	return out
}

// Unit names the case, and numbers what it is an observation of.
func (s Standing) Unit() (id string, cluster int32) { return s.ID, s.Cluster }

// Stability names the figures of stability that runs are compared by, in order.
var Stability = []string{"semantic_stability", "ambiguity", "accuracy"}

// A Paired is the stability of two runs over the cases that both asked in at least two variants.
type Paired struct {
	N int `json:"n"` // cases paired
	// Clusters counts the questions or clusters of cases that intervals and p are by; 0 where every case is one of its own.
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
	of := make([]int32, len(rows))
	for i, row := range rows {
		_, of[i] = (*row[0]).Unit()
	}
	return of
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
		stat.Warn(&p.Warnings, "%d cases have other numbers of scored variants in the two runs: their stability has "+
			"another floor", differ)
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
