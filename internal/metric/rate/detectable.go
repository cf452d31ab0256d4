package rate

import (
	"math"

	"hallmark/internal/stat"
)

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
