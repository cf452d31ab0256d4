package rate

import (
	"slices"

	"hallmark/internal/grade"
	"hallmark/internal/stat"
)

// outcomeCurves are the curves of what the answers did: wrong answers first, beside them those that were not attempted.
var outcomeCurves = []string{"incorrect", "not_attempted", "correct", "ungradable"}

var outcomeOf = map[string]reading{
	"incorrect": incorrect, "not_attempted": notAttempted, "correct": correct, "ungradable": ungradable,
}

// outcomes adds the curves of what the answers did, over the cases to which an answer came back in every run, and
// compares the last run with the first.
func (s *Series) outcomes(shared [][]*Row, opt Options) {
	runs := make([][]*Row, len(s.Runs))
	for _, rows := range shared {
		if slices.ContainsFunc(rows, func(r *Row) bool { return r.Grade.Outcome() == grade.NoOutcome }) {
			continue
		}
		for i, r := range rows {
			runs[i] = append(runs[i], r)
		}
	}
	for _, curve := range outcomeCurves {
		s.outcome(curve, runs, opt.level())
	}
	s.Outcomes = compareOutcomes(paired(runs[0], runs[len(runs)-1]), opt)
}

// outcome adds the curve of one outcome. A point is a range where an answer of its run could not be graded, and so
// is the difference of such a one, as in compareOutcomes.
func (s *Series) outcome(curve string, runs [][]*Row, level float64) {
	of := outcomeOf[curve]
	points := make([]Point, len(runs))
	least, most := make([][]float64, len(runs)), make([][]float64, len(runs))
	cluster := clustersOf(paired(runs[0], runs[0]))
	var tests []stat.Holmed
	for i, rows := range runs {
		p := &points[i]
		p.N = len(rows)
		for _, r := range rows {
			lo, hi, _ := of(r)
			least[i], most[i] = append(least[i], lo), append(most[i], hi)
		}
		share := newShare(of, rows, sharesOf(rows, level))
		if share == nil {
			continue
		}
		p.Rate, p.Range, p.Lo, p.Hi = share.Rate, share.Range, &share.Lo, &share.Hi
		if p.Range == nil {
			p.Failed = new(ones(least[i]))
		}
		if i == 0 {
			continue
		}
		p.Difference = ends(paired(runs[0], rows), of).difference(level)
		if p.Range == nil && points[0].Range == nil {
			p.McNemarP = new(stat.McNemarByCluster(least[0], least[i], cluster))
			tests = append(tests, stat.Holmed{P: p.McNemarP, To: &p.McNemarPHolm})
		}
	}
	stat.AdjustHolm(tests)
	s.control(curve, points, least, most, cluster, true)
	s.Curves[curve], s.Last[curve] = points, points[len(points)-1]
}

// paired pairs the rows of two runs of the same cases in the same order.
func paired(base, other []*Row) []pair {
	pairs := make([]pair, len(base))
	for i := range base {
		pairs[i] = pair{base[i], other[i]}
	}
	return pairs
}
