package rate

import (
	"maps"
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
	Level  float64 `json:"level"`  // of Lo and Hi
	Lo     float64 `json:"lo"`
	Hi     float64 `json:"hi"`
	Within bool    `json:"within"`
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
	Estimate *float64 `json:"estimate,omitempty"`
	Range    *Range   `json:"range,omitempty"`
	Lo       float64  `json:"lo"`
	Hi       float64  `json:"hi"`
}

// extremes are the values of a share of pairs at its two ends: lo the ones that make other less and base more.
type extremes struct {
	baseLeast, baseMost, otherLeast, otherMost []float64
	same                                       []bool // both gave the same ungradable answer
	cluster                                    []int32
}

// ends reads a share of the pairs that have it in both runs.
func ends(pairs []pair, of reading) (e extremes) {
	for _, p := range pairs {
		bl, bm, okB := of(p.base)
		ol, om, okO := of(p.other)
		if !okB || !okO {
			continue
		}
		e.baseLeast, e.baseMost = append(e.baseLeast, bl), append(e.baseMost, bm)
		e.otherLeast, e.otherMost = append(e.otherLeast, ol), append(e.otherMost, om)
		e.cluster = append(e.cluster, p.base.Cluster)
		e.same = append(e.same, bl < bm && ol < om && p.base.Answer != "" && p.base.Answer == p.other.Answer)
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
	b := &Bounded{Lo: max(least.Lo, -math.MaxFloat64), Hi: most.Hi}
	if least.Value == most.Value {
		b.Estimate = &least.Value
	} else {
		b.Range = &Range{least.Value, most.Value}
	}
	return b
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
	var base, other []*Row
	for _, p := range pairs {
		base, other = append(base, p.base), append(other, p.other)
	}
	of := func(rows []*Row) Outcomes { return newOutcomes(rows, sharesOf(rows, level)) }
	c := OutcomeChange{Base: of(base), Other: of(other), Verdict: Undecided}
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
	e.Lo, e.Hi, e.Within = d.Lo, d.Hi, d.Lo > -e.Margin && d.Hi < e.Margin
	return &e
}

// bothCameBack returns the pairs whose answers came back in both runs and were read by a grader that did not break.
func bothCameBack(pairs []pair) []pair {
	return slices.DeleteFunc(slices.Clone(pairs), func(p pair) bool {
		return p.base.Grade.Outcome() == grade.NoOutcome || p.other.Grade.Outcome() == grade.NoOutcome
	})
}

// analyzePairs returns the rubric of one run of a comparison: outcomes over all answers that came back in both
// runs, and H with its axes over the cases with H scored in both. Else the outcomes would be of those answers alone
// that could be graded, which is a biased choice.
func analyzePairs(cameBack, scored []Row, opt Options) Result {
	wide, res := Analyze(cameBack, opt), Analyze(scored, opt)
	widen := func(to *Group, from Group) { to.Outcomes, to.Ungradable = from.Outcomes, from.Ungradable }
	widen(&res.Group, wide.Group)
	for _, by := range []struct{ to, from map[string]Group }{{res.ByClass, wide.ByClass},
		{res.ByDomain, wide.ByDomain}, {res.ByTag, wide.ByTag}} {
		for name := range maps.Keys(by.from) {
			g := by.to[name]
			widen(&g, by.from[name])
			by.to[name] = g
		}
	}
	res.UngradableShare, res.Warnings = wide.UngradableShare, wide.Warnings
	return res
}
