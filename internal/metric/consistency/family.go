package consistency

import (
	"cmp"
	"maps"
	"slices"

	"hallmark/internal/stat"
)

// A Family is one kind of variant: cases whose variant 0 is the default prompt, and whose other variants change one
// thing of it.
type Family struct {
	Name  string
	Cases []*Case
}

// Families says which kind of variant moves the answers most.
type Families struct {
	// CommonR is the number of variants, the default among them, at which ambiguity is given: the fewest of any
	// case of any family.
	CommonR int `json:"common_r,omitempty"`
	// Ranking holds the families, the one whose variants disagree most first.
	Ranking []FamilyResult `json:"ranking"`
	// Differences compare each family with each that stands below it, over the cases that both have.
	Differences []FamilyDifference `json:"differences,omitempty"`
	// ChangesMost is the family that disagrees more than every other, by intervals that hold together; absent where
	// that is open.
	ChangesMost string   `json:"moves_most,omitempty"`
	Warnings    []string `json:"warnings"`
}

// A FamilyResult is what one family's variants do, over the cases with two of them, the default counted.
type FamilyResult struct {
	Family    string   `json:"family"`
	Questions int      `json:"questions"`
	Variants  Extremes `json:"variants"` // scored answers a case, the default counted
	// Disagreement is the mean of 1 - SC without replacement: the chance that two of a case's variants give
	// different answers.
	Disagreement *stat.Estimate `json:"disagreement"`
	AmbiguityAtR *AmbiguityAtR  `json:"ambiguity_at_r,omitempty"`
	// Changed is the mean share of the family's variants whose answer is not that of variant 0, over the cases with
	// both.
	Changed *stat.Estimate `json:"changed"`
}

// A FamilyDifference is the disagreement of one family less that of another, over the cases that both have.
type FamilyDifference struct {
	Family    string `json:"family"`
	Less      string `json:"less"` // the family that is subtracted
	Questions int    `json:"questions"`
	// at Level, so that all differences hold together at the level asked for
	Difference *stat.Estimate `json:"difference"`
	P          float64        `json:"p"` // by the sign-flip test
	Level      float64        `json:"level"`
}

// CompareFamilies sets kinds of variants side by side.
//
// Formula: per case and family, over the default and the family's variants, 1 - SC without replacement, AmbiguityAt and
// the share of variants whose class is not the default's; means over cases by stat.MeanByCluster. Differences of 1 - SC
// by stat.Paired at level 1 - (1 - level)/pairs (Bonferroni). Ranges: [0, 1]; differences [-1, 1]. Disagreement does
// not grow with the number of variants, as pairs without replacement are unbiased for any; ambiguity does, so it is at
// a common number. Edge cases: a family without a case of two scored answers is left out with a warning; nil if none is
// left. With opt.ExcludeDefault the default is no member, but still what Changed compares with. It does not change its
// arguments. Source: the split of variance by kind of prompt change is this project's; SC as in SC.
func CompareFamilies(families []Family, opt Options) *Families {
	out := &Families{Warnings: []string{}}
	by := make(map[string]familyCases)
	fewest := 0
	for _, f := range families {
		res, of := familyOf(f, opt)
		if res.Questions == 0 {
			stat.Warn(&out.Warnings, "variants of kind %s: no question has two scored ones", f.Name)
			continue
		}
		if by[f.Name] = of; fewest == 0 || res.Variants.Min < fewest {
			fewest = res.Variants.Min
		}
		out.Ranking = append(out.Ranking, res)
	}
	if len(out.Ranking) == 0 {
		return nil
	}
	slices.SortFunc(out.Ranking, func(a, b FamilyResult) int {
		return cmp.Or(cmp.Compare(b.Disagreement.Value, a.Disagreement.Value), cmp.Compare(a.Family, b.Family))
	})
	if out.CommonR = cmp.Or(opt.CommonR, fewest); out.CommonR > fewest {
		stat.Warn(&out.Warnings, "ambiguity by kind of variant cannot be had at %d variants: some questions have only "+
			"%d of a kind, the default counted", out.CommonR, fewest)
		out.CommonR = 0
	}
	for i := range out.Ranking {
		if r := &out.Ranking[i]; out.CommonR > 0 {
			of := by[r.Family]
			r.AmbiguityAtR = MeanAmbiguityAt(of.counts, of.cluster, out.CommonR, opt.Level)
		}
	}
	out.differences(by, opt.Level)
	return out
}

// familyCases are the cases of a family with two scored answers.
type familyCases struct {
	at      map[string]int // by id
	sc      []float64
	counts  [][]int
	cluster []int32
}

func familyOf(f Family, opt Options) (res FamilyResult, of familyCases) {
	res.Family = f.Name
	of.at = make(map[string]int)
	var apart, changed []float64
	var changedOf []int32
	for _, c := range f.Cases {
		t := c.tally(opt.ExcludeDefault)
		if s, ok := SC(t.count, false); ok {
			if res.Questions++; res.Questions == 1 {
				res.Variants = Extremes{t.r, t.r}
			}
			res.Variants = Extremes{min(res.Variants.Min, t.r), max(res.Variants.Max, t.r)}
			of.at[c.ID] = len(of.sc)
			apart, of.sc = append(apart, 1-s), append(of.sc, s)
			of.counts, of.cluster = append(of.counts, t.count), append(of.cluster, c.Cluster)
		}
		if share, ok := c.changed(); ok {
			changed, changedOf = append(changed, share), append(changedOf, c.Cluster)
		}
	}
	res.Disagreement = stat.MeanByCluster(apart, of.cluster, opt.Level).Known()
	res.Changed = stat.MeanByCluster(changed, changedOf, opt.Level).Known()
	return res, of
}

// changed returns the share of the other variants whose answer is not that of variant 0, and false without it or them.
func (c *Case) changed() (share float64, ok bool) {
	at := slices.IndexFunc(c.votes, func(v vote) bool { return v.variant == 0 })
	if at < 0 || len(c.votes) == 1 {
		return 0, false
	}
	moved := 0
	for _, v := range c.votes {
		if v.class != c.votes[at].class {
			moved++
		}
	}
	return float64(moved) / float64(len(c.votes)-1), true
}

// differences compares each two families over their common cases.
func (f *Families) differences(by map[string]familyCases, level float64) {
	n := len(f.Ranking)
	if n < 2 {
		return
	}
	together := 1 - (1-level)/float64(n*(n-1)/2)
	decided := true
	for i := range f.Ranking {
		for j := i + 1; j < n; j++ {
			more, less := by[f.Ranking[i].Family], by[f.Ranking[j].Family]
			var a, b []float64
			var cluster []int32
			for _, id := range slices.Sorted(maps.Keys(more.at)) {
				if k, both := less.at[id]; both {
					m := more.at[id]
					a, b, cluster = append(a, more.sc[m]), append(b, less.sc[k]), append(cluster, more.cluster[m])
				}
			}
			e := stat.Paired(a, b, cluster, together) // of SC, the other way round
			d := FamilyDifference{Family: f.Ranking[i].Family, Less: f.Ranking[j].Family, Questions: len(a),
				Difference: e.Known(), P: e.P, Level: together}
			f.Differences = append(f.Differences, d)
			if i == 0 && (d.Difference == nil || d.Difference.Lo <= 0) {
				decided = false
			}
		}
	}
	if decided {
		f.ChangesMost = f.Ranking[0].Family
	}
}
