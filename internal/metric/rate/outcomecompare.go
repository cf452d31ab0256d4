package rate

import (
	"math"
	"slices"

	"hallmark/internal/grade"
	"hallmark/internal/metric/grading"
	"hallmark/internal/stat"
)

// OutcomeChange compares the outcomes of two runs over the cases to which an answer came back in both.
type OutcomeChange struct {
	Base       Outcomes         `json:"base"`
	Other      Outcomes         `json:"other"`
	Difference OutcomeIntervals `json:"difference"` // other - base, in points
	// (base - other)/base; null where base is 0, or may be, and where labels correct the difference
	Reduction OutcomeIntervals `json:"reduction"`
	// FewInBase names the members of Reduction of which base has too little for a percentage of it to say anything,
	// at the most that it can be.
	FewInBase []string `json:"few_in_base,omitempty"`
	// Verdict is on incorrect: fell or rose where the bounds of its difference are on one side of 0, equivalent where
	// Equivalence is within its margin, else undecided.
	Verdict string `json:"verdict"`
	// Equivalence is there where a margin was given.
	Equivalence *Equivalence `json:"equivalence,omitempty"`
	// Noninferiority is there where a margin for it was given.
	Noninferiority *Noninferiority `json:"noninferiority,omitempty"`
	// Detectable is what difference of incorrect would have been found; absent where no difference is by so few cases.
	Detectable *Detectable `json:"detectable,omitempty" gate:"figure"`
	// Grading says whether people's labels correct the differences; the shares of the two runs are as read.
	Grading PairedGrading `json:"grading"`
}

// An Equivalence says whether the difference of incorrect lies within a margin on both sides of 0, by two one-sided
// tests: its interval at 1 - 2α does, with α what the level of the comparison leaves. Source: Schuirmann, Journal of
// Pharmacokinetics and Biopharmaceutics 15 (1987) 657-680.
type Equivalence struct {
	Margin float64 `json:"margin"` // a fraction
	Level  float64 `json:"level"`  // of the interval
	stat.Interval
	Within bool `json:"within"`
}

// The verdicts on a change of incorrect.
const (
	Fell       = "fell"
	Rose       = "rose"
	Equivalent = "equivalent"
	Undecided  = "undecided"
)

// OutcomeIntervals hold a figure for each outcome. Members without cases are null.
type OutcomeIntervals = grading.Reads[*Bounded]

// A Bounded is a figure that has an estimate, or in its place a range while answers are ungradable, as a Share.
type Bounded struct {
	Estimate *float64    `json:"estimate,omitempty"` // the Value of the interval
	Range    *stat.Range `json:"range,omitempty"`
	stat.Interval
}

// fixed is an estimate as a figure that is no range.
func fixed(e stat.Estimate) *Bounded { return &Bounded{Estimate: &e.Value, Interval: stat.Interval(e)} }

// extremes are the values of a share of pairs at its two ends: lo the ones that make other less and base more.
type extremes struct {
	baseLeast, baseMost, otherLeast, otherMost []float64
	same                                       []bool // both gave the same ungradable answer
	cluster                                    []int32
}

// ends reads a share of the pairs that have it in both runs.
func ends(pairs []pair, of reading) (e extremes) {
	for _, p := range pairs {
		bl, bm, okB := of(p[0])
		ol, om, okO := of(p[1])
		if !okB || !okO {
			continue
		}
		e.baseLeast, e.baseMost = append(e.baseLeast, bl), append(e.baseMost, bm)
		e.otherLeast, e.otherMost = append(e.otherLeast, ol), append(e.otherMost, om)
		e.cluster = append(e.cluster, p[0].Cluster)
		e.same = append(e.same, bl < bm && ol < om && p[0].Answer != "" && p[0].Answer == p[1].Answer)
	}
	return e
}

// with returns the values with those of equal ungradable answers set.
func (e extremes) with(values []float64, same float64) []float64 {
	out := make([]float64, len(values))
	for i, v := range values {
		if out[i] = v; e.same[i] {
			out[i] = same
		}
	}
	return out
}

// bounded joins the figure at the extremes: its lower bound at the least, its upper one at the most.
func bounded(least, most stat.Estimate) *Bounded {
	if !least.OK() || !most.OK() {
		return nil
	}
	least.Lo = max(least.Lo, -math.MaxFloat64)
	within := stat.Between(least, most)
	if least.Value == most.Value {
		return fixed(stat.Estimate(within))
	}
	return &Bounded{Range: &stat.Range{Lo: least.Value, Hi: most.Value}, Interval: within}
}

// difference returns other - base of a share,
//
//	[i_B - i_A - u_A, i_B + u_B - i_A]
//
// by stat.Paired at both ends. Where both runs gave the same text to a case and it could not be graded, it
// is the same outcome in both, so it cancels. Source: GRADING 2.
func (e extremes) difference(level float64) *Bounded {
	at := func(base, other []float64) stat.Estimate {
		return stat.Paired(e.with(base, 0), e.with(other, 0), e.cluster, level).Estimate
	}
	return bounded(at(e.baseMost, e.otherLeast), at(e.baseLeast, e.otherMost))
}

// reduction returns (base - other)/base of a share, by stat.Reduction at both ends. The same ungradable
// answers are none or all of the share, whichever goes further.
func (e extremes) reduction(level float64) *Bounded {
	at := func(base, other []float64, same float64) stat.Estimate {
		return stat.Reduction(e.with(base, same), e.with(other, same), e.cluster, level)
	}
	least, most := at(e.baseLeast, e.otherMost, 0), at(e.baseMost, e.otherLeast, 0)
	if !least.OK() { // base is 0, or may be
		return nil
	}
	if x := at(e.baseLeast, e.otherMost, 1); x.OK() && x.Value < least.Value {
		least = x
	}
	if x := at(e.baseMost, e.otherLeast, 1); x.OK() && x.Value > most.Value {
		most = x
	}
	return bounded(least, most)
}

// compareOutcomes compares the outcomes over the pairs to which an answer came back in both runs.
func compareOutcomes(pairs []pair, opt Options) OutcomeChange {
	level := opt.level()
	of := func(rows []*Row) Outcomes { return newOutcomes(rows, sharesOf(rows, level)) }
	c := OutcomeChange{Base: of(side(pairs, 0)), Other: of(side(pairs, 1)), Verdict: Undecided}
	for _, o := range grade.Outcomes {
		e := ends(pairs, ofOutcome(o))
		*c.Difference.Of(o), *c.Reduction.Of(o) = e.difference(level), e.reduction(level)
		if *c.Reduction.Of(o) != nil && stat.FewInBase(e.baseMost, e.cluster, level) {
			c.FewInBase = append(c.FewInBase, string(o))
		}
	}
	c.correctByLabels(pairs, level, opt.Seed)
	c.Equivalence, c.Noninferiority = equivalence(pairs, opt), noninferiority(c.Difference.Incorrect, opt)
	c.Detectable = c.detectable(pairs, level)
	switch d := c.Difference.Incorrect; {
	case d == nil:
	case d.Hi < 0:
		c.Verdict = Fell
	case d.Lo > 0:
		c.Verdict = Rose
	case c.Equivalence != nil && c.Equivalence.Within:
		c.Verdict = Equivalent
	}
	return c
}

// equivalence holds the difference of incorrect against the margin of the options; nil without one, or without a
// difference.
func equivalence(pairs []pair, opt Options) *Equivalence {
	e := Equivalence{Margin: opt.Margin, Level: 1 - 2*(1-opt.level())}
	if e.Margin <= 0 {
		return nil
	}
	at := OutcomeChange{Difference: OutcomeIntervals{Incorrect: ends(pairs, incorrect).difference(e.Level)}}
	at.correctByLabels(pairs, e.Level, opt.Seed)
	d := at.Difference.Incorrect
	if d == nil {
		return nil
	}
	e.Interval, e.Within = d.Interval, d.Lo > -e.Margin && d.Hi < e.Margin
	return &e
}

// allCameBack returns the cases whose answers came back in every run and were read by a grader that did not break.
func allCameBack(rows [][]*Row) [][]*Row {
	return slices.DeleteFunc(slices.Clone(rows), func(of []*Row) bool {
		return slices.ContainsFunc(of, func(r *Row) bool { return r.Grade.Outcome() == grade.NoOutcome })
	})
}

// analyzeSide returns the rubric of one run of a comparison: outcomes over all answers that came back in both
// runs, and H with its axes over the cases with H scored in both. Else the outcomes would be of those answers alone
// that could be graded, which is a biased choice.
func analyzeSide(i int, cameBack, scored []pair, opt Options) Result {
	wide, res := analyze(side(cameBack, i), opt), analyze(side(scored, i), opt)
	widen := func(to *Group, from Group) { to.Outcomes, to.Ungradable = from.Outcomes, from.Ungradable }
	widen(&res.Group, wide.Group)
	for _, by := range []struct{ to, from map[string]Group }{{res.ByClass, wide.ByClass},
		{res.ByDomain, wide.ByDomain}, {res.ByTag, wide.ByTag}} {
		for name, from := range by.from {
			g := by.to[name]
			widen(&g, from)
			by.to[name] = g
		}
	}
	res.UngradableShare, res.Warnings = wide.UngradableShare, wide.Warnings
	return res
}

// Detectable is the power at hand: the least difference of incorrect, as a fraction, that a comparison of so many cases
// would have found, for a reader whom "no difference was found" would mislead.
type Detectable struct {
	Difference float64 `json:"difference"`
	Power      float64 `json:"power"`      // of the test, at Difference
	Level      float64 `json:"level"`      // of the interval that had to exclude 0
	N          int     `json:"n"`          // cases, or clusters of them
	Discordant float64 `json:"discordant"` // the share whose outcome differs, as it was seen
	// Test is what finds it: McNemar's exact test, or where differences are by cluster or corrected by labels, one of
	// the normal limit, which is approximate.
	Test string `json:"test"`
	// Needed is about how many cases, or clusters, find a difference as small as the one that was seen, with Power;
	// absent where it was seen to be 0, is a range or corrected by labels, of which more would do, or takes over a
	// million.
	Needed int `json:"needed,omitempty"`
}

// The tests of Detectable.
const (
	ByMcNemar = "McNemar, exact"
	ByNormal  = "normal limit"
)

// detectablePower is the power at which a difference counts as one that would have been found, as plans have it.
const detectablePower = .8

// mostExact is the number of cases up to which the power of the exact test is summed: with more it is that of the
// normal limit to three digits.
const mostExact = 100_000

// A Noninferiority says whether incorrect grew by less than a margin, by a one-sided test: the upper bound of the
// difference is below it. That is of the interval which the comparison shows, so the test is at (1 - level)/2. Source:
// Piaggio and others, JAMA 308 (2012) 2594-2604.
type Noninferiority struct {
	Margin float64 `json:"margin"` // a fraction
	Level  float64 `json:"level"`  // of the two-sided interval that Hi is of
	Alpha  float64 `json:"alpha"`  // of the one-sided test
	Hi     float64 `json:"hi"`     // of the difference of incorrect, other - base
	Shown  bool    `json:"shown"`
}

// noninferiority holds the difference of incorrect against the margin of the options; nil without one, or without a
// difference.
func noninferiority(d *Bounded, opt Options) *Noninferiority {
	if opt.Noninferiority <= 0 || d == nil {
		return nil
	}
	level := opt.level()
	return &Noninferiority{Margin: opt.Noninferiority, Level: level, Alpha: (1 - level) / 2, Hi: d.Hi,
		Shown: d.Hi < opt.Noninferiority}
}

// detectable returns the power at hand of the difference of incorrect; nil where no difference is found by so many
// cases. The bound that has to exclude 0 is that of the end which is further from the truth, where answers could not be
// graded: so the width of what these may be is added to the larger of what the two ends find.
//
// Formula: of cases that stand by themselves, stat.DetectableAt with the share of pairs whose outcome differs; of
// clusters stat.DetectableBy with sqrt(Σ d_g²)/n, which is the error of the difference where there is none; where
// labels correct, with the half-width of the interval over z. Needed is N (Difference/d)², d being the difference that
// was seen, as the error falls with the root of the number of cases: approximate.
func (c *OutcomeChange) detectable(pairs []pair, level float64) *Detectable {
	d := c.Difference.Incorrect
	if d == nil {
		return nil
	}
	e := ends(pairs, incorrect)
	out := &Detectable{Power: detectablePower, Level: level, N: len(e.baseLeast), Test: ByMcNemar}
	if n := stat.Clusters(e.cluster); n > 0 {
		out.N, out.Test = n, ByNormal
	}
	if c.Grading.State == CorrectedByLabels {
		out.Test = ByNormal
	}
	some := false
	for _, at := range [][2][]float64{{e.with(e.baseMost, 0), e.with(e.otherLeast, 0)},
		{e.with(e.baseLeast, 0), e.with(e.otherMost, 0)}} {
		differ, squares := discordance(at[0], at[1], e.cluster)
		out.Discordant = max(out.Discordant, differ)
		found, ok := stat.DetectableBy(math.Sqrt(squares)/float64(len(e.baseLeast)), level, detectablePower),
			squares > 0
		if out.Test == ByMcNemar && out.N <= mostExact {
			found, ok = stat.DetectableAt(out.N, differ, level, detectablePower)
		}
		out.Difference, some = max(out.Difference, found), some || ok
	}
	if c.Grading.State == CorrectedByLabels {
		out.Difference, some = stat.DetectableBy((d.Hi-d.Lo)/(2*stat.Z(level)), level, detectablePower), true
	} else if d.Range != nil {
		out.Difference += d.Range.Hi - d.Range.Lo
	}
	if !some || out.Difference > 1 {
		return nil
	}
	if d.Estimate != nil && *d.Estimate != 0 && c.Grading.State != CorrectedByLabels { // else labels would do
		if n := float64(out.N) * math.Pow(out.Difference / *d.Estimate, 2); n <= stat.MostPaired {
			out.Needed = int(math.Ceil(n - 1e-9))
		}
	}
	return out
}

// discordance returns the share of cases whose outcome differs, and the sum of the squares of the differences, by
// cluster.
func discordance(base, other []float64, cluster []int32) (differ, squares float64) {
	of := map[int32]float64{}
	for i := range base {
		d := other[i] - base[i]
		differ += math.Abs(d)
		if cluster[i] > 0 {
			of[cluster[i]] += d
		} else {
			squares += d * d
		}
	}
	for _, d := range of {
		squares += d * d
	}
	return differ / float64(max(1, len(base))), squares
}
