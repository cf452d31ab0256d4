package rate

import (
	"cmp"
	"fmt"
	"slices"

	"hallmark/internal/grade"
	"hallmark/internal/seed"
	double "hallmark/internal/stat/correct"
)

// A PairedGrading says what the differences of a comparison rest on.
type PairedGrading struct {
	State    string   `json:"state"`    // as_read or corrected_by_labels
	Labelled int      `json:"labelled"` // cases whose answers people labelled in both runs
	Drawn    int      `json:"drawn"`    // of them, those of the common sample, which correct
	AsRead   *Bounded `json:"as_read"`  // the difference of incorrect by the verdicts as they are; null without cases
}

// Common puts the ids of cases in the order in which a common sample of two runs is drawn, whatever other cases there are: by the first number of
// the stream (0, "annotate", "like", id). A sample of n is the first n.
func Common(ids []string) []string {
	ids = slices.Clone(ids)
	at := make(map[string]uint64, len(ids))
	for _, id := range ids {
		at[id] = seed.Stream(0, "annotate", "like", id).Uint64()
	}
	slices.SortFunc(ids, func(a, b string) int { return cmp.Or(cmp.Compare(at[a], at[b]), cmp.Compare(a, b)) })
	return ids
}

// leastCommon is the share of the cases of a common sample that must be labelled in both runs: of the others raters could not tell.
const leastCommon = .9

// commonSample returns the longest beginning of the common order of which leastCommon is labelled in both runs: labels that either run drew for itself
// are no random sample of the cases that both have.
func commonSample(pairs []pair) []pair {
	byID := make(map[string]pair, len(pairs))
	ids := make([]string, len(pairs))
	for i, p := range pairs {
		ids[i], byID[p.base.CaseID] = p.base.CaseID, p
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

func labelledBoth(p pair) bool { return p.base.Label != "" && p.other.Label != "" }

// correctByLabels puts the differences that people's labels of a common sample make in the place of those that were read, by correct.Paired over the
// cells of how both answers were read. It takes correct.LeastLabels labelled cases. Cells with fewer than three labels go together.
func (c *OutcomeChange) correctByLabels(pairs []pair, level float64, seedValue uint64) {
	c.Grading = PairedGrading{State: AsRead, AsRead: ends(asGradedPairs(pairs), incorrect).difference(level)}
	for _, p := range pairs {
		if labelledBoth(p) {
			c.Grading.Labelled++
		}
	}
	if c.Grading.Labelled == 0 {
		return
	}
	sample := commonSample(pairs)
	if c.Grading.Drawn = len(sample); c.Grading.Drawn < double.LeastLabels {
		return
	}
	for _, o := range []struct {
		as grade.Outcome
		to **Bounded
	}{{grade.Correct, &c.Difference.Correct}, {grade.Incorrect, &c.Difference.Incorrect}, {grade.NotAttempted, &c.Difference.NotAttempted}} {
		e := double.Paired(cellsOf(pairs, sample, o.as), level, seedValue)
		*o.to = &Bounded{Estimate: &e.Value, Lo: e.Lo, Hi: e.Hi}
	}
	c.Grading.State = CorrectedByLabels
	c.Reduction.Correct, c.Reduction.Incorrect, c.Reduction.NotAttempted = nil, nil, nil // which would be of shares as read
}

// asGradedPairs are pairs without their labels.
func asGradedPairs(pairs []pair) []pair {
	out := make([]pair, len(pairs))
	for i, p := range pairs {
		base, other := *p.base, *p.other
		base.Label, other.Label = "", ""
		out[i] = pair{&base, &other}
	}
	return out
}

// cellsOf counts the cases and the labels of a sample of them by how both answers were read: with one outcome alike, in base alone, in other alone, or
// one of them ungradable.
func cellsOf(pairs, sample []pair, as grade.Outcome) (cells []double.Pair) {
	of := func(p pair) int {
		b, o := p.base.Grade.Outcome(), p.other.Grade.Outcome()
		switch {
		case b == grade.CannotGrade || o == grade.CannotGrade:
			return 3
		case (b == as) == (o == as):
			return 0
		case b == as:
			return 1
		}
		return 2
	}
	all := make([]double.Pair, 4)
	for _, p := range pairs {
		all[of(p)].N++
	}
	for _, p := range sample {
		d := 1
		if p.base.Label == as {
			d--
		}
		if p.other.Label == as {
			d++
		}
		all[of(p)].Labels[d]++
	}
	return merged(all)
}

// merged joins the cells with fewer labels than correct.LeastEach, the smallest first, until none is left or all are one.
func merged(cells []double.Pair) []double.Pair {
	cells = slices.DeleteFunc(cells, func(p double.Pair) bool { return p.N == 0 })
	labels := func(p double.Pair) int { return p.Labels[0] + p.Labels[1] + p.Labels[2] }
	for len(cells) > 1 {
		slices.SortStableFunc(cells, func(a, b double.Pair) int { return labels(a) - labels(b) })
		if labels(cells[0]) >= min(double.LeastEach, cells[0].N) {
			break
		}
		for d, k := range cells[0].Labels {
			cells[1].Labels[d] += k
		}
		cells[1].N += cells[0].N
		cells = cells[1:]
	}
	return cells
}

// doubt says what labels of both runs do not do; "" where they correct, or there are none.
func (g *PairedGrading) doubt() string {
	if g.Labelled == 0 || g.State == CorrectedByLabels {
		return ""
	}
	return fmt.Sprintf("people labelled the answers of both runs to %d cases, of which %d are of a common sample; %d of one correct the differences: `hallmark annotate export RUN --like OTHER` draws it from each run",
		g.Labelled, g.Drawn, double.LeastLabels)
}
