package consistency

import (
	"math/big"
	"slices"

	"hallmark/internal/stat"
)

// tolerated is the share of ungradable answers up to which leaving them out is no more than noise beside the intervals.
const tolerated = .05

// Ranges bound the figures where more than 5 % of the answers could not be graded: from each of these an answer of
// its own to all of a case the same. They are over the cases with two answers that came back, graded or not, so
// also over those that the estimates leave out.
type Ranges struct {
	Questions         int         `json:"questions"`
	SemanticStability stat.Range  `json:"semantic_stability"`
	SelfConsistency   stat.Range  `json:"self_consistency"`
	Ambiguity         stat.Range  `json:"ambiguity"`
	Accuracy          *stat.Range `json:"accuracy,omitempty"` // none of them right, all of them right
	// the least is the cases that are in the category whatever the ungradable answers are
	Taxonomy *Taxonomy[stat.Range] `json:"taxonomy,omitempty"`
}

// bounding collects what ranges are made of.
type bounding struct {
	n, withGold              int
	ss, sc, accuracy         [2]sum
	ambiguous                [2]int
	factual, wrong, unstable [2]int // in the category for sure, and perhaps
}

// add counts a case's answers that could not be graded, and bounds it where at least two came back.
func (b *bounding) add(a *analysis, c *Case, t tally) {
	r := t.r + t.open
	a.res.Ungradable += t.open
	a.came += r
	if r < 2 {
		return
	}
	b.n++
	apart := slices.Concat(t.count, slices.Repeat([]int{1}, t.open)) // each its own answer
	most := 0
	if len(t.count) > 0 {
		most = t.count[t.mode]
	}
	together := replaced(t.count, t.mode, most+t.open) // each the mode
	for i, counts := range [][]int{apart, together} {
		pc, _ := PC(counts)
		sc, _ := SC(counts, a.opt.WithReplacement)
		b.ss[i].add(pc)
		b.sc[i].add(sc)
	}
	count(&b.ambiguous, len(t.class) > 1 || t.open > 0, len(t.class) <= 1)
	if c.HasGold() {
		b.classify(a, c, t, apart, most)
	}
}

// count adds a case that may be in a category, and is in it for sure where it can be in no other.
func count(category *[2]int, may, other bool) {
	if may {
		category[1]++
		if !other {
			category[0]++
		}
	}
}

// classify bounds the accuracy on a case, and the categories of the taxonomy that it can be in. The largest right
// class and the largest wrong one take all the ungradable answers; where there is none, they are a new one.
func (b *bounding) classify(a *analysis, c *Case, t tally, apart []int, most int) {
	b.withGold++
	right, wrong, rights := -1, -1, 0
	for i, k := range t.class {
		of := &wrong
		if c.isGold(k) {
			of = &right
			rights += t.count[i]
		}
		if *of < 0 || t.count[i] > t.count[*of] {
			*of = i
		}
	}
	r := float64(t.r + t.open)
	b.accuracy[0].add(float64(rights) / r)
	b.accuracy[1].add(float64(rights+t.open) / r)
	stable := func(counts []int) bool {
		num, den := scFraction(counts, a.opt.WithReplacement)
		return big.NewRat(num, den).Cmp(a.tau) >= 0
	}
	can := func(class int) bool { // the class can be the mode of a stable case
		have := 0
		if class >= 0 {
			have = t.count[class]
		}
		if have+t.open == 0 || t.open == 0 && class != t.mode || have+t.open < most {
			return false
		}
		return stable(replaced(t.count, class, have+t.open))
	}
	factual, prompt, random := can(right), can(wrong), !stable(apart)
	count(&b.factual, factual, prompt || random)
	count(&b.wrong, prompt, factual || random)
	count(&b.unstable, random, factual || prompt)
}

// replaced returns counts with that of class i set to n, or with n added where there is no such class.
func replaced(counts []int, i, n int) []int {
	out := slices.Clone(counts)
	switch {
	case n == 0:
	case i < 0 || i >= len(out):
		out = append(out, n)
	default:
		out[i] = n
	}
	return out
}

// ranges returns the bounds; nil without a case.
func (b *bounding) ranges() *Ranges {
	if b.n == 0 {
		return nil
	}
	mean := func(s [2]sum, n int) stat.Range {
		return stat.Range{Lo: s[0].value() / float64(n), Hi: s[1].value() / float64(n)}
	}
	share := func(k [2]int, n int) stat.Range {
		return stat.Range{Lo: float64(k[0]) / float64(n), Hi: float64(k[1]) / float64(n)}
	}
	r := &Ranges{Questions: b.n, SemanticStability: mean(b.ss, b.n), SelfConsistency: mean(b.sc, b.n),
		Ambiguity: share(b.ambiguous, b.n)}
	if g := b.withGold; g > 0 {
		r.Accuracy = new(mean(b.accuracy, g))
		r.Taxonomy = &Taxonomy[stat.Range]{share(b.factual, g), share(b.wrong, g), share(b.unstable, g)}
	}
	return r
}

// ungradable warns of the answers that could not be graded, and bounds the figures where they are more than a few.
func (a *analysis) ungradable() {
	u := a.res.Ungradable
	if a.res.Unread = u; u == 0 {
		return
	}
	if float64(u) <= tolerated*float64(a.came) {
		a.warn("%d of %d answers could not be graded and are left out", u, a.came)
		return
	}
	if a.res.Range = a.bounds.ranges(); a.res.Range != nil {
		a.warn("%d of %d answers could not be graded and are left out of the estimates: range holds what the "+
			"figures could be with them", u, a.came)
	}
}
