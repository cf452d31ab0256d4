package grading

import (
	"maps"
	"math"
	"slices"

	"hallmark/internal/grade"
	"hallmark/internal/stat"
)

// An estimator makes the shares of one document, all of them in one unit.
type estimator struct {
	level float64
	unit  string
}

// A counted is how many of the answers to a case are such as are asked for.
type counted struct{ k, m float64 }

// tally counts the rows that count, and those of them for which yes holds: k of m of each case, and all together.
func tally(rows []*Row, counts, yes func(*Row) bool) (byCase map[string]counted, s Share) {
	byCase = map[string]counted{}
	for _, r := range rows {
		if !counts(r) {
			continue
		}
		t := byCase[r.CaseID]
		s.N++
		t.m++
		if yes(r) {
			s.K++
			t.k++
		}
		byCase[r.CaseID] = t
	}
	return byCase, s
}

// share returns the share of the rows that count for which yes holds.
func (e estimator) share(rows []*Row, counts, yes func(*Row) bool) *Share {
	byCase, s := tally(rows, counts, yes)
	if s.N == 0 {
		return nil
	}
	est := stat.Wilson(s.K, s.N, e.level)
	if e.unit == ByCase {
		var k, m []float64
		for _, t := range byCase { // Ratio sorts: the order changes no bit
			k, m = append(k, t.k), append(m, t.m)
		}
		est = stat.Ratio(k, m, e.level)
	}
	s.Rate = stat.Rate(est)
	return &s
}

func (e estimator) group(rows []*Row) Group {
	wrong := func(r *Row) bool { return r.Truth == grade.Incorrect }
	g := Group{
		N: len(rows), Decided: e.share(rows, every, decided), Agreement: e.share(rows, decided, right),
		FW: e.share(rows, func(r *Row) bool { return decided(r) && !wrong(r) }, isRead(grade.Incorrect)),
		FR: e.share(rows, func(r *Row) bool { return decided(r) && wrong(r) }, func(r *Row) bool {
			return r.Read != grade.Incorrect
		}),
		Coverage: Coverage{
			e.share(rows, isTruth(grade.Correct), decided), e.share(rows, wrong, decided),
			e.share(rows, isTruth(grade.NotAttempted), decided),
		},
	}
	cases := map[string]bool{}
	for _, r := range rows {
		cases[r.CaseID] = true
		*g.Matrix.Of(r.Truth).Of(r.Read)++
	}
	g.Cases = len(cases)
	if e.unit == ByCase {
		g.DesignEffect = designEffect(rows)
	}
	return g
}

// designEffect returns the variance of the share p of k = Σ k_c answers among n = Σ m_c that are not read as they
// are, cases taken as drawn, over the binomial one,
//
//	C/(C-1) · Σ_c (k_c - p m_c)² / (n p (1 - p))
//
// for C cases; nil where C < 2 or p is 0 or 1. Range: [0, ∞), about 1 where answers of a case are independent.
// Source: Cochran, Sampling Techniques (1977) ch. 9.
func designEffect(rows []*Row) *float64 {
	byCase, s := tally(rows, every, func(r *Row) bool { return !right(r) })
	n, c := float64(s.N), float64(len(byCase))
	if c < 2 || s.K == 0 || s.K == s.N {
		return nil
	}
	p, sum := float64(s.K)/n, 0.
	for _, id := range slices.Sorted(maps.Keys(byCase)) {
		d := byCase[id].k - float64(p*byCase[id].m)
		sum += float64(d * d)
	}
	return new(c / (c - 1) * sum / (n * p * (1 - p)))
}

// split returns a group for each value but the empty one.
func split[K ~string](e estimator, rows []*Row, by func(*Row) K) map[K]Group {
	parts := map[K][]*Row{}
	for _, r := range rows {
		if k := by(r); k != "" {
			parts[k] = append(parts[k], r)
		}
	}
	groups := map[K]Group{}
	for k, part := range parts {
		groups[k] = e.group(part)
	}
	return groups
}

// binEnds are where bins of confidence begin; the last is where they end. They are fine where graders decide.
var binEnds = []float64{0, .5, .6, .7, .8, .9, .95, .99, 1}

func (e estimator) calibration(rows []*Row) *Calibration {
	c := Calibration{Bins: []Bin{}}
	sure := func(r *Row) bool { return decided(r) && r.Confidence > 0 }
	for i := range len(binEnds) - 1 {
		in := func(r *Row) bool {
			return sure(r) && r.Confidence >= binEnds[i] && (r.Confidence < binEnds[i+1] || i == len(binEnds)-2)
		}
		b := Bin{From: binEnds[i], To: binEnds[i+1], Right: e.share(rows, in, right)}
		if b.Right == nil {
			continue
		}
		for _, r := range rows {
			if !in(r) {
				continue
			}
			miss := r.Confidence
			if right(r) {
				miss = 1 - r.Confidence
			}
			b.Confidence += r.Confidence
			c.Brier += float64(miss * miss)
		}
		n := float64(b.Right.N)
		b.Confidence /= n
		c.N += b.Right.N
		c.ECE += float64(n * math.Abs(b.Confidence-b.Right.Value))
		c.Bins = append(c.Bins, b)
	}
	if c.N == 0 {
		return nil
	}
	c.Brier /= float64(c.N)
	c.ECE /= float64(c.N)
	return &c
}

func (e estimator) support(rows []*Row) *Support {
	said := func(unsupported bool) func(*Row) bool {
		return func(r *Row) bool {
			return r.Truth == grade.Correct && r.Read == grade.Correct && r.Unsupported != nil &&
				*r.Unsupported == unsupported
		}
	}
	s := Support{
		Missed: e.share(rows, said(true), func(r *Row) bool { return !r.ReadUnsupported }),
		Wrong:  e.share(rows, said(false), func(r *Row) bool { return r.ReadUnsupported }),
	}
	if s.Missed == nil && s.Wrong == nil {
		return nil
	}
	return &s
}
