// Package rate turns graded cases into the rates of the rubric: how often a model hallucinates, on which axis, in which
// kind and where, with intervals; and into the paired comparison of two runs.
package rate

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"hallmark/internal/grade"
	"hallmark/internal/metric/consistency"
	"hallmark/internal/metric/grading"
	"hallmark/internal/stat"
	"hallmark/internal/stat/figure"
	"hallmark/internal/suite"
)

// A Row is the grade of one answer to one case, with what the rates need to know of the case.
type Row struct {
	CaseID, Class, Domain, Difficulty string
	Tags                              []string
	Grade                             *grade.Grade // never nil
	Weights                           suite.Weights
	Gates                             bool // format failures count as hallucination here
	// numbers what the case is an observation of, with others; 0: of itself alone (suite.Clusters)
	Cluster    int32
	Answerable bool // an answer is called for, so that a decline is over-refusal
	HasFormat  bool
	// Label is the outcome that people gave the answer, in place of the grader's; "" of others.
	Label grade.Outcome
	// Answer is the text of an answer that could not be graded, by which Compare knows that two runs gave the same
	// one; "" of others.
	Answer string
	// Length is the band of the answer's words; "" where the check of the graders says nothing of the verdict, as it is
	// not one of rules on a text.
	Length grading.Length
	Words  grading.Length // the band of the answer's words, whoever decided
}

// Unit names the case, and numbers what it is an observation of.
func (r Row) Unit() (id string, cluster int32) { return r.CaseID, r.Cluster }

// Outcome returns what the answer did: as people say, else as it was graded.
func (r *Row) Outcome() grade.Outcome { return cmp.Or(r.Label, r.Grade.Outcome()) }

// Options of the estimates.
type Options struct {
	Level float64 // of the intervals; 0 means .95
	// Variants are rows of all variants, variant 0 among them, from which the second figure is made; nil for none.
	Variants []Row
	// Standings are how the cases stood in consistency, in each run that Compare or NewSeries takes; nil where it
	// was not measured.
	Standings [][]consistency.Standing
	// Margin is the difference of incorrect, as a fraction, within which two runs are equivalent; 0 for none.
	Margin float64
	// Noninferiority is the growth of incorrect, as a fraction, below which a run is no worse; 0 for none.
	Noninferiority float64
	// Baseline is how many of the first runs of a series its control limits are from; 0 means 1.
	Baseline int
	// Check is a check of the graders that read the answers, from which Analyze has what it implies for them; nil for
	// none. Seed is that of its samples.
	Check *grading.Check
	Seed  uint64
}

func (o Options) level() float64 { return cmp.Or(o.Level, .95) }

// Rates are those of the rubric, over the cases that could be graded.
type Rates struct {
	Hallucination *stat.Rate `json:"hallucination"` // H, the rubric failure rate

	TruthError        *stat.Rate `json:"truth_error"`
	DecidabilityError *stat.Rate `json:"decidability_error"`
	ReciprocityError  *stat.Rate `json:"reciprocity_error"`

	// The three kinds sum to Hallucination.
	Commission  *stat.Rate `json:"commission"`
	OverRefusal *stat.Rate `json:"over_refusal"`
	Undecided   *stat.Rate `json:"undecided"`
}

// ratesOf returns the rates as they are estimated.
func ratesOf(estimate func(measure) stat.Estimate) Rates {
	of := func(m measure) *stat.Rate { return estimate(m).Rate() }
	return Rates{of(hallucination), of(truth), of(decidability), of(reciprocity), of(commission), of(overRefusal),
		of(undecided)}
}

// A Group holds the rates of a set of cases. Members without cases to be had from are null.
type Group struct {
	Outcomes Outcomes `json:"outcomes"`

	N int `json:"n"` // cases with H scored
	Rates

	OverRefusalOfAnswerable *stat.Rate     `json:"over_refusal_of_answerable"`
	ErrorsPerCase           *float64       `json:"errors_per_case"` // e_T + e_D + e_R, may exceed 1
	WeightedQuality         *stat.Estimate `json:"weighted_quality"`
	WeightedHallucination   *stat.Estimate `json:"weighted_hallucination"` // 1 - weighted_quality
	FormatCompliance        *stat.Rate     `json:"format_compliance"`
	FormatError             *stat.Rate     `json:"format_error"` // 1 - format_compliance

	Ungradable int `json:"unread"` // answers that could not be graded: the count of outcomes.ungradable
	// cases whose H is missing though their text could be graded: a failed call, a grader that broke
	Unscored int `json:"unscored"`
}

// A Result is what analyze rubric prints.
type Result struct {
	Group
	ByClass map[string]Group `json:"by_class"`
	// MostWrong is the class that is wrong more often than all answers, for sure; absent where there is none.
	MostWrong *MostWrong `json:"most_wrong,omitempty"`

	ByDomain map[string]Group `json:"by_domain"`
	ByTag    map[string]Group `json:"by_tag"`
	// UnreadShare is outcomes.ungradable with its rate, kept for old scripts.
	UngradableShare *stat.Rate `json:"unread_share"`
	Confusion       Confusion  `json:"confusion"` // class and tag by dimension
	// Slices are the outcomes by class, domain, difficulty and tag, each beside the rest; absent where cases have none.
	Slices       *Slices       `json:"slices,omitempty"`
	OverVariants *OverVariants `json:"over_variants,omitempty"`
	// Clusters counts the questions, or clusters of cases, that intervals are by; 0 where every case is one of its own.
	Clusters int      `json:"clusters,omitempty"`
	Warnings []string `json:"warnings"`
	// PerCase is how each case was graded, where that was asked for.
	PerCase []CaseGrade `json:"per_case,omitempty"`
}

// OverVariants holds the rates over all answers to all variants, with the case as the unit of inference: each has the
// same weight.
type OverVariants struct {
	Cases    int      `json:"cases"`
	Answers  int      `json:"answers"` // with H scored
	Outcomes Outcomes `json:"outcomes"`

	Rates
	WeightedQuality  *stat.Estimate `json:"weighted_quality"`
	FormatCompliance *stat.Rate     `json:"format_compliance"`
	Ungradable       int            `json:"unread"`
	UngradableShare  *stat.Rate     `json:"unread_share"` // outcomes.ungradable with its rate
	Unscored         int            `json:"unscored"`
}

// A measure gives the value of one row, 0 or 1 for shares, and false where it does not count the row.
type measure func(r *Row) (value float64, ok bool)

func hallucination(r *Row) (float64, bool) {
	h, scored := r.Grade.Hallucinated(r.Gates)
	return stat.Bit(h), scored
}

// axis counts the failures of one of Grade.Axes over the rows where it was judged, not ungradable or unscored.
func axis(i int) measure {
	return func(r *Row) (float64, bool) {
		switch r.Grade.Axes()[i].Verdict {
		case grade.Fail:
			return 1, true
		case grade.Pass:
			return 0, true
		}
		return 0, false
	}
}

var truth, decidability, reciprocity, format = axis(0), axis(1), axis(2), axis(3)

func kind(k grade.Kind) measure {
	return func(r *Row) (float64, bool) {
		h, scored := hallucination(r)
		return stat.Bit(h == 1 && r.Grade.Kind == k), scored
	}
}

var (
	commission  = kind(grade.Commission)
	overRefusal = kind(grade.OverRefusal)
	undecided   = kind(grade.Undecided)
)

func overRefusalOfAnswerable(r *Row) (float64, bool) {
	v, ok := overRefusal(r)
	return v, ok && r.Answerable
}

func compliance(r *Row) (float64, bool) {
	v, ok := format(r)
	return 1 - v, ok && r.HasFormat
}

// Quality returns the weighted score S of the three axes, in [0, 1], and false where one of them is ungradable or
// unscored, or truth does not apply.
func (r *Row) Quality() (s float64, ok bool) {
	if r.Grade.Truth.Verdict == grade.NotApplicable {
		return 0, false // nothing was said, so that there is no quality to it
	}
	weights := []float64{r.Weights.Truth, r.Weights.Decidability, r.Weights.Reciprocity}
	for i, weight := range weights {
		switch r.Grade.Axes()[i].Verdict {
		case grade.Pass, grade.NotApplicable:
			s += weight
		case grade.Unscored, grade.Ungradable:
			return 0, false
		}
	}
	return max(0, min(s, 1)), true
}

func loss(r *Row) (float64, bool) {
	s, ok := r.Quality()
	return 1 - s, ok
}

// sharesOf estimates shares of rows by Wilson's interval, by cluster where rows are of clusters.
func sharesOf(rows []*Row, level float64) func(measure) stat.Estimate {
	return func(m measure) stat.Estimate {
		values, cluster := measured(rows, m)
		return stat.ShareByCluster(values, cluster, level)
	}
}

// measured returns a measure of the rows that it counts, and their clusters: nil where no row is of any.
func measured(rows []*Row, m measure) (values []float64, cluster []int32) {
	of := slices.ContainsFunc(rows, func(r *Row) bool { return r.Cluster != 0 })
	values = make([]float64, 0, len(rows))
	for _, r := range rows {
		if v, ok := m(r); ok {
			values = append(values, v)
			if of {
				cluster = append(cluster, r.Cluster)
			}
		}
	}
	return values, cluster
}

// cameBack counts the rows with an outcome.
func cameBack(r *Row) (float64, bool) { return 1, r.Grade.Outcome() != grade.NoOutcome }

// inflated reports whether intervals that take each row for an observation of its own may be more than 5 % too narrow:
// where rows of a cluster are all alike, their variance is Σ m²/Σ m times as large, with m rows in each.
func inflated(rows []*Row) bool {
	var n, squares float64
	counted, cluster := measured(rows, cameBack)
	_, sizes := stat.Together(counted, counted, cluster)
	for _, m := range sizes {
		n, squares = n+m, squares+m*m
	}
	return squares > 1.05*1.05*n
}

// means are estimates of means that were made before, by a hash of the values. One takes longer than all else of a
// group, and most groups of a suite with many tags are alike.
type means map[[sha256.Size]byte]stat.Estimate

func (m means) of(values []float64, level float64) *stat.Estimate {
	bits := make([]byte, 0, 8*len(values))
	for _, v := range values {
		bits = binary.LittleEndian.AppendUint64(bits, math.Float64bits(v))
	}
	key := sha256.Sum256(bits)
	e, known := m[key]
	if !known {
		e = stat.Mean(values, level)
		m[key] = e
	}
	return e.Known()
}

// group returns the rates of a set of rows, in any order.
func group(rows []*Row, level float64, known means) Group {
	shares := sharesOf(rows, level)
	g := Group{
		Rates: ratesOf(shares), OverRefusalOfAnswerable: shares(overRefusalOfAnswerable).Rate(),
		FormatCompliance: shares(compliance).Rate(), FormatError: shares(formatError).Rate(),
	}
	g.Outcomes = newOutcomes(rows, shares)
	g.Ungradable = g.Outcomes.Count(g.Outcomes.Ungradable)
	for _, r := range rows {
		if _, ok := hallucination(r); ok {
			g.N++
		} else if unscoredH(r) {
			g.Unscored++
		}
	}
	if g.TruthError != nil && g.DecidabilityError != nil && g.ReciprocityError != nil {
		g.ErrorsPerCase = new(g.TruthError.Value + g.DecidabilityError.Value + g.ReciprocityError.Value)
	}
	if values, cluster := measured(rows, (*Row).Quality); stat.Clusters(cluster) > 0 {
		g.WeightedQuality = stat.MeanByCluster(values, cluster, level).Known()
	} else {
		g.WeightedQuality = known.of(values, level)
	}
	if q := g.WeightedQuality; q != nil {
		g.WeightedHallucination = new(q.Rest())
	}
	return g
}

// Analyze returns the rates of one run: rows hold the grade of variant 0 of each case, a row per case. It panics if
// a case has two rows.
//
// Formulas: METHODS 2, and GRADING 2 for the outcomes. H is the share of cases that fail truth, decidability or
// reciprocity (or format, where it gates) over those with H scored; e_T, e_D, e_R the shares that fail an axis over
// those where it was judged; S the mean of .60 T + .25 D + .15 R or of the weights of the case; shares by Wilson, S
// by stat.Mean, where rows are clusters both by stat.Ratio over these. Nothing is a rate where n is 0: null. It
// does not change rows, and their order changes no bit. Source: Hallucination Testing, 2025.
func Analyze(rows []Row, opt Options) Result { return analyze(sorted(rows), opt) }

// analyze is Analyze of rows in the order of their cases.
func analyze(all []*Row, opt Options) Result {
	for i := 1; i < len(all); i++ {
		if all[i].CaseID == all[i-1].CaseID {
			panic(fmt.Sprintf("rate: case %q has two rows", all[i].CaseID))
		}
	}
	level := opt.level()
	known := means{}
	res := Result{Group: group(all, level, known), Warnings: []string{}}
	res.ByClass = by(all, level, known, ofClass)
	res.MostWrong = mostWrong(all, level)
	res.ByDomain = by(all, level, known, func(r *Row) []string { return []string{r.Domain} })
	res.ByTag = by(all, level, known, ofTags)
	res.Confusion = confusion(all, level)
	res.Slices = slicesOf(all, level)
	res.UngradableShare = asRate(res.Outcomes.Ungradable)
	res.Outcomes.Grading.Implied = implied(all, opt)
	if opt.Variants != nil {
		res.OverVariants = overVariants(opt.Variants, level)
	}
	_, cluster := measured(all, cameBack)
	if res.Clusters = stat.Clusters(cluster); res.Clusters > 0 {
		res.Warnings = append(res.Warnings, stat.Clustered(res.Outcomes.N, "cases", res.Clusters, "intervals"))
	}
	res.Warnings = append(res.Warnings, res.warnings(len(all), res.Clusters, level)...)
	return res
}

// warnings says what stands against the figures of a group of so many cases, of so many clusters where it has any.
func (g *Group) warnings(cases, of int, level float64) []string {
	var out []string
	what := "answer"
	if of > 0 {
		what = "cluster"
	}
	if w := g.Outcomes.warning(); w != "" {
		out = append(out, w)
	}
	switch n := cmp.Or(of, g.Outcomes.N); {
	case cases == 0:
		out = append(out, "no case of the suite has a gold answer or an oracle, so nothing is graded")
	case n == 0:
		out = append(out, "no answer came back that could be scored")
	case n < 50 && g.Ungradable < n:
		e := stat.Wilson(n/2, n, level)
		out = append(out, fmt.Sprintf("%s an interval of ±%s at a rate of one half; 385 give ±.05",
			figure.Plural(n, what+" gives", what+"s give"), figure.Fixed((e.Hi-e.Lo)/2, 2)))
	}
	return out
}

// asRate returns a share that has a rate under the name of before.
func asRate(s *Share) *stat.Rate {
	if s == nil || s.Rate == nil {
		return nil
	}
	return new(stat.Rate(s.Interval))
}

// sorted returns the rows by case, so that sums do not depend on the order in which answers came.
func sorted(rows []Row) []*Row {
	all := make([]*Row, len(rows))
	for i := range rows {
		all[i] = &rows[i]
	}
	slices.SortStableFunc(all, func(a, b *Row) int { return cmp.Compare(a.CaseID, b.CaseID) })
	return all
}

func by(rows []*Row, level float64, known means, keys func(*Row) []string) map[string]Group {
	sets := split(rows, keys)
	groups := make(map[string]Group, len(sets))
	for k, set := range sets {
		groups[k] = group(set, level, known)
	}
	return groups
}

// split sorts rows by their keys; a row counts once under each, and under none for an empty key.
func split[R any](rows []R, keys func(R) []string) map[string][]R {
	sets := map[string][]R{}
	for _, r := range rows {
		seen := map[string]bool{"": true}
		for _, k := range keys(r) {
			if !seen[k] {
				seen[k] = true
				sets[k] = append(sets[k], r)
			}
		}
	}
	return sets
}

// overVariants returns the rates over all answers. Each case has the same weight, however many of its answers came
// back: Σ k_c/m_c over Σ n_c/m_c, with k_c of n_c answers of m_c that came back, by stat.Ratio with the case as the
// unit, as its answers are not independent.
func overVariants(rows []Row, level float64) *OverVariants {
	all := sorted(rows)
	var cases [][]*Row // the rows of each
	for i, r := range all {
		if i == 0 || r.CaseID != all[i-1].CaseID {
			cases = append(cases, nil)
		}
		cases[len(cases)-1] = append(cases[len(cases)-1], r)
	}
	var came []float64 // by case
	most := 0.
	for _, rows := range cases {
		n := 0.
		for _, r := range rows {
			n += stat.Bit(r.Grade.Outcome() != grade.NoOutcome)
		}
		came, most = append(came, n), max(most, n)
	}
	ratio := func(m measure) stat.Estimate {
		kk, nn, at := make([]float64, 0, len(came)), make([]float64, 0, len(came)), make([]int32, 0, len(came))
		for i, rows := range cases {
			var k, n float64
			for _, r := range rows {
				if v, ok := m(r); ok {
					k, n = k+v, n+1
				}
			}
			if n > 0 { // sums of rounded values may pass their number by a bit
				weight := most / max(n, came[i]) // 1 with equal cases
				kk, nn, at = append(kk, min(k, n)*weight), append(nn, n*weight), append(at, rows[0].Cluster)
			}
		}
		return stat.RatioByCluster(kk, nn, at, level)
	}
	o := &OverVariants{
		Cases: len(came), Outcomes: newOutcomes(all, ratio), Rates: ratesOf(ratio),
		WeightedQuality: ratio((*Row).Quality).Known(), FormatCompliance: ratio(compliance).Rate(),
	}
	o.UngradableShare = asRate(o.Outcomes.Ungradable)
	for _, r := range all {
		if r.Grade.Outcome() == grade.CannotGrade { // counted, as the share weighs cases alike
			o.Ungradable++
		}
		if _, ok := hallucination(r); ok {
			o.Answers++
		} else if unscoredH(r) {
			o.Unscored++
		}
	}
	return o
}
