package rate

import (
	"cmp"
	"fmt"
	"slices"

	"hallmark/internal/base/seed"
	"hallmark/internal/grade"
	"hallmark/internal/metric/consistency"
	"hallmark/internal/metric/grading"
	"hallmark/internal/stat"
	double "hallmark/internal/stat/correct"
)

// A PairedGrading says what the differences of a comparison rest on.
type PairedGrading struct {
	State    string `json:"state"`    // as_read or corrected_by_labels
	Labelled int    `json:"labelled"` // cases whose answers people labelled in both runs
	Drawn    int    `json:"drawn"`    // of them, those of the common sample, which correct
	// DrawnClusters is how many clusters these are of, by which they correct; 0 where every case is one of its own.
	DrawnClusters int `json:"drawn_clusters,omitempty"`
	// the difference of incorrect by the verdicts as they are; null without cases
	AsRead *Bounded `json:"as_read"`
	// all differences by the verdicts as they are; null where nothing corrects them
	Read *OutcomeIntervals `json:"read"`
}

// Common puts the ids of cases in the order in which a common sample of two runs is drawn, whatever other cases
// there are: by the first number of the stream (0, "annotate", "like", id). A sample of n is the first n.
func Common(ids []string) []string {
	ids = slices.Clone(ids)
	at := make(map[string]uint64, len(ids))
	for _, id := range ids {
		at[id] = seed.Stream(0, "annotate", "like", id).Uint64()
	}
	slices.SortFunc(ids, func(a, b string) int { return cmp.Or(cmp.Compare(at[a], at[b]), cmp.Compare(a, b)) })
	return ids
}

// leastCommon is the share of the cases of a common sample that must be labelled in both runs: of the others raters
// could not tell.
const leastCommon = .9

// commonSample returns the longest beginning of the common order of which leastCommon is labelled in both runs:
// labels that either run drew for itself are no random sample of the cases that both have.
func commonSample(pairs []pair) []pair {
	byID := make(map[string]pair, len(pairs))
	ids := make([]string, len(pairs))
	for i, p := range pairs {
		ids[i], byID[p[0].CaseID] = p[0].CaseID, p
	}
	var drawn, best []pair
	labelled := 0
	for _, id := range Common(ids) {
		p := byID[id]
		drawn = append(drawn, p)
		if labelledBoth(p) {
			labelled++
		}
		if float64(labelled) >= leastCommon*float64(len(drawn)) {
			best = drawn[:len(drawn):len(drawn)]
		}
	}
	return slices.DeleteFunc(slices.Clone(best), func(p pair) bool { return !labelledBoth(p) })
}

func labelledBoth(p pair) bool { return p[0].Label != "" && p[1].Label != "" }

// correctByLabels puts the differences that people's labels of a common sample make in the place of those that were
// read, by correct.PairedByCluster over cells of how both answers were read. It takes correct.LeastLabels labelled
// cases, of as many clusters where cases go together. Each outcome has cells of its own; so that the differences
// sum to 0, that of correct is what the two others leave, and its interval holds it.
func (c *OutcomeChange) correctByLabels(pairs []pair, level float64, seedValue uint64) {
	c.Grading.State = AsRead
	for _, p := range pairs {
		if labelledBoth(p) {
			c.Grading.Labelled++
		}
	}
	was := make([]pair, len(pairs))
	for i, p := range pairs {
		was[i] = unlabelled(p)
	}
	c.Grading.AsRead = ends(was, incorrect).difference(level)
	sample := commonSample(pairs)
	c.Grading.Drawn, c.Grading.DrawnClusters = len(sample), stat.Clusters(consistency.ClustersOf(sample))
	if cmp.Or(c.Grading.DrawnClusters, c.Grading.Drawn) < double.LeastLabels {
		return
	}
	c.Grading.State, c.Grading.Read = CorrectedByLabels, &OutcomeIntervals{}
	for _, o := range grading.Truths {
		*c.Grading.Read.Of(o) = ends(was, ofOutcome(o)).difference(level)
		*c.Difference.Of(o) = fixed(double.PairedByCluster(cellsOf(pairs, sample, o), level, seedValue))
	}
	d := c.Difference
	rest := stat.Estimate(d.Correct.Interval)
	rest.Value = -d.Incorrect.Value - d.NotAttempted.Value
	rest.Lo, rest.Hi = min(rest.Lo, rest.Value), max(rest.Hi, rest.Value)
	c.Difference.Correct = fixed(rest)
	c.Grading.Read.Ungradable = ends(was, ungradable).difference(level)
	// which would be of shares as read
	c.Reduction.Correct, c.Reduction.Incorrect, c.Reduction.NotAttempted = nil, nil, nil
	c.FewInBase = slices.DeleteFunc(c.FewInBase, func(name string) bool { return name != "ungradable" })
}

// cellsOf counts by cluster the cases, how they were read and the labels of a sample of them, by whether both
// answers were read as an outcome: alike, base's alone, other's alone, or one of them ungradable.
func cellsOf(pairs, sample []pair, as grade.Outcome) [][]double.Pair {
	difference := func(base, other grade.Outcome) int { // 1 + d
		return 1 + int(stat.Bit(other == as)-stat.Bit(base == as))
	}
	var clusters [][]double.Pair
	type unit struct {
		cluster int32
		alone   string // the case that is one by itself
	}
	of := map[unit][]double.Pair{}
	at := func(p pair) (cell *double.Pair, read int) {
		u := unit{cluster: p[0].Cluster}
		if u.cluster == 0 {
			u.alone = p[0].CaseID
		}
		cells := of[u]
		if cells == nil {
			cells = make([]double.Pair, 4)
			of[u], clusters = cells, append(clusters, cells)
		}
		b, o := p[0].Grade.Outcome(), p[1].Grade.Outcome()
		if b == grade.CannotGrade || o == grade.CannotGrade {
			return &cells[3], -1
		}
		read = difference(b, o)
		return &cells[read], read
	}
	for _, p := range pairs {
		cell, read := at(p)
		cell.N++
		if read >= 0 {
			cell.Read[read]++
		}
	}
	for _, p := range sample {
		cell, _ := at(p)
		cell.Labels[difference(p[0].Label, p[1].Label)]++
	}
	return clusters
}

// doubt says what labels of both runs do not do; "" where they correct, or there are none.
func (g *PairedGrading) doubt() string {
	if g.Labelled == 0 || g.State == CorrectedByLabels {
		return ""
	}
	drawn, many := fmt.Sprint(g.Drawn), ""
	if g.DrawnClusters > 0 {
		drawn, many = fmt.Sprintf("%d in %d clusters", g.Drawn, g.DrawnClusters), ", of as many clusters,"
	}
	return fmt.Sprintf("people labelled the answers of both runs to %d cases, of which %s are of a common sample; "+
		"%d of one%s correct the differences: `hallmark annotate export RUN --like OTHER` draws it from each run",
		g.Labelled, drawn, double.LeastLabels, many)
}

// What it takes to say that the answers of two runs differ in length: the share of the cases by which more are
// longer than shorter, and the chance of that.
const (
	lengthShare  = .2
	lengthChance = .001
)

// lengths says that the answers of one run are longer than those of the other, by bands of their words, as graders
// read long and short answers differently; "" where they are not, or answers are not text. Source: GRADING 4.
func lengths(pairs []pair) string {
	longer, shorter := 0, 0
	for _, p := range pairs {
		b, o := slices.Index(grading.Lengths, p[0].Words), slices.Index(grading.Lengths, p[1].Words)
		switch {
		case b < 0 || o < 0:
			return ""
		case o > b:
			longer++
		case o < b:
			shorter++
		}
	}
	n := len(pairs)
	if n == 0 || float64(max(longer, shorter)-min(longer, shorter)) < lengthShare*float64(n) ||
		stat.McNemar(longer, shorter) > lengthChance {
		return ""
	}
	return fmt.Sprintf("the answers of the two runs differ in length: other's is of a longer band of words than "+
		"base's in %d of %d cases and of a shorter one in %d; graders read long and short answers differently, "+
		"which alone could make a difference: labels of a common sample (`hallmark annotate export RUN --like "+
		"OTHER`) or a judge tell", longer, n, shorter)
}
