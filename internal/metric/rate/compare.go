package rate

import (
	"math"

	"hallmark/internal/grade"
	"hallmark/internal/metric/consistency"
	"hallmark/internal/metric/grading"
	"hallmark/internal/metric/method"
	"hallmark/internal/stat"
)

// A Reduction is the paired comparison of two runs over the same cases, as analyze reduction prints it.
type Reduction struct {
	N int `json:"n"` // cases with H scored in both runs
	// Clusters counts the questions, or clusters, that intervals and p are by; 0 where every case is one of its own.
	Clusters int    `json:"clusters,omitempty"`
	Base     Result `json:"base"`
	Other    Result `json:"other"`
	// Outcomes compare what the answers did; the figures below compare H, the rubric failure rate.
	Outcomes OutcomeChange `json:"outcomes"`

	Reduction           Reductions     `json:"reduction"`
	CommissionReduction *stat.Estimate `json:"commission_reduction"`
	// FewInBase names the members of Reduction, and commission, of which base has too little for a percentage of it
	// to say anything (stat.FewInBase): read Difference.
	FewInBase         []string       `json:"few_in_base,omitempty"`
	QualityDifference *stat.Estimate `json:"quality_difference"` // mean S of other less that of base
	OverRefusal       OverRefusal    `json:"over_refusal"`       // the price of a reduction, over the paired cases
	// Difference holds other - base of the shares, in points where Reduction is relative; it is there also where
	// the base is 0.
	Difference Differences `json:"difference"`

	McNemarP        float64 `json:"mcnemar_p"` // by stat.McNemarByCluster
	OnlyBaseFailed  int     `json:"only_base_failed"`
	OnlyOtherFailed int     `json:"only_other_failed"`
	// Discordant lists the cases that only one run failed, in order.
	Discordant struct {
		OnlyBaseFailed  []string `json:"only_base_failed"`
		OnlyOtherFailed []string `json:"only_other_failed"`
		// Cases tells the same cases with what happened to each, those that only base failed first.
		Cases []DiscordantCase `json:"cases"`
	} `json:"discordant"`

	ByClass   map[string]ClassReduction `json:"by_class"`
	Confusion ConfusionChange           `json:"confusion"` // class and tag by dimension, as differences
	// Transitions counts the paired cases by what the rubric said of base, then of other: pass, commission,
	// over-refusal, undecided, ungradable, unscored.
	Transitions map[string]map[string]int `json:"transitions"`
	// Categories is how cases moved between the categories of consistency; nil where one of the runs has none.
	Categories *consistency.Flow `json:"categories,omitempty"`
	// Stability pairs the runs on the other axis; absent where consistency was not measured in both.
	Stability *consistency.Paired `json:"stability,omitempty"`
	// Measured are the figures of added methods by their names; there where both runs have such.
	Measured method.Figures `json:"measured,omitempty"`
	Unscored int            `json:"unscored"` // cases of both runs with H unscored in one of them
	// Ungradable counts the other cases of both runs whose H could not be graded in one of them.
	Ungradable int      `json:"ungradable"`
	Warnings   []string `json:"warnings"`
	// Limits say why the runs say less of each other than they seem to, where whoever compares knows that.
	Limits []string `json:"limits,omitempty"`
}

// OverRefusal is the share that declined though the inputs sufficed: over the paired cases, and over those of them
// that call for an answer.
type OverRefusal struct {
	Change
	OfAnswerable Change `json:"of_answerable"`
}

// Differences are other - base of the means over the cases where both runs have the figure; below 0 other fails less.
type Differences struct {
	Hallucination     *stat.Estimate `json:"hallucination"`
	TruthError        *stat.Estimate `json:"truth_error"`
	DecidabilityError *stat.Estimate `json:"decidability_error"`
	ReciprocityError  *stat.Estimate `json:"reciprocity_error"`
	FormatError       *stat.Estimate `json:"format_error"`
	Commission        *stat.Estimate `json:"commission"`
	OverRefusal       *stat.Estimate `json:"over_refusal"`
	Undecided         *stat.Estimate `json:"undecided"`
}

// A DiscordantCase is a case that only one of the runs failed.
type DiscordantCase struct {
	CaseID string `json:"case_id"`
	Class  string `json:"class"`
	Failed string `json:"failed"` // the run that failed: base or other
	As     string `json:"as"`     // its kind of failure
	// Axes are the axes on which it failed, by truth, decidability, reciprocity and (where it gates) format.
	Axes []string `json:"axes"`
	// Answers are what was asked and answered, of the first cases of either kind, where whoever compares has them.
	Answers *BothAnswers `json:"answers,omitempty"`
}

// BothAnswers are the answers of two runs to the default prompt of a case, as they came.
type BothAnswers struct {
	Question string `json:"question"`
	Gold     string `json:"gold"`
	Base     string `json:"base"`
	Other    string `json:"other"`
}

// Reductions are (base - other)/base of the means, null where the base is 0.
type Reductions struct {
	Hallucination     *stat.Estimate `json:"hallucination"`
	TruthError        *stat.Estimate `json:"truth_error"`
	DecidabilityError *stat.Estimate `json:"decidability_error"`
	ReciprocityError  *stat.Estimate `json:"reciprocity_error"`
	QualityLoss       *stat.Estimate `json:"quality_loss"` // of 1 - S
}

// A ClassReduction is the comparison within one class.
type ClassReduction struct {
	N               int            `json:"n"`
	Base            *stat.Rate     `json:"base"`  // H over the paired cases
	Other           *stat.Rate     `json:"other"` // H over the paired cases
	Reduction       *stat.Estimate `json:"reduction"`
	FewInBase       bool           `json:"few_in_base,omitempty"` // as Reduction.FewInBase
	Difference      *stat.Estimate `json:"difference"`            // other - base
	McNemarP        float64        `json:"mcnemar_p"`
	McNemarPHolm    float64        `json:"mcnemar_p_holm"` // adjusted for the number of classes
	OnlyBaseFailed  int            `json:"only_base_failed"`
	OnlyOtherFailed int            `json:"only_other_failed"`
}

// A pair is a case in two runs, as consistency.Shared has it: its row in base, then that in other.
type pair = []*Row

// labelBoth keeps the labels of the cases whose answers were labelled in both runs, as else labels would mend one
// side only; it returns of how many cases they were left out.
func labelBoth(pairs []pair) (left int) {
	for i, p := range pairs {
		if (p[0].Label == "") == (p[1].Label == "") {
			continue
		}
		left++
		pairs[i] = unlabelled(p)
	}
	return left
}

// unlabelled is a pair without its labels.
func unlabelled(p pair) pair {
	base, other := *p[0], *p[1]
	base.Label, other.Label = "", ""
	return pair{&base, &other}
}

// Compare compares two runs case by case. Cases that only one of them has are left out, with a warning.
//
// Formulas: the reduction (base - other)/base of H, e_T, e_D, e_R, commission and 1 - S over the cases where both
// runs have the figure, by stat.Reduction, and the differences other - base by stat.Paired; the rubrics of base and
// other over the cases with H scored in both, their outcomes over those with an answer in both; McNemar's exact
// test on the discordant cases, by cluster where these go together; within classes, and over the cells of the
// confusion map, also Holm's adjustment. The range of a reduction is (-∞, 1]; where the base is 0 it is null with a
// warning. It changes nothing. Source: Hallucination Testing, 2025; METHODS 2 and 6.
func Compare(base, other []Row, opt Options) Reduction {
	level := opt.level()
	opt.Variants = nil
	res := Reduction{Warnings: []string{}}
	pairs, left := consistency.Shared(base, other)
	if left > 0 {
		stat.Warn(&res.Warnings, "%d cases are in only one of the runs and are left out of the comparison", left)
	}
	if n := labelBoth(pairs); n > 0 {
		stat.Warn(&res.Warnings, "labels of %d cases count in no comparison, as people labelled the answer of one of "+
			"the runs alone", n)
	}
	cameBack := allCameBack(pairs)
	res.Clusters = stat.Clusters(consistency.ClustersOf(cameBack))
	var scored []pair // those with H scored in both
	scored, res.Transitions, res.Unscored, res.Ungradable = transitions(pairs)
	res.Base, res.Other = analyzeSide(0, cameBack, scored, opt), analyzeSide(1, cameBack, scored, opt)
	res.Outcomes = compareOutcomes(cameBack, opt)
	if res.Clusters > 0 {
		res.Warnings = append(res.Warnings, stat.Clustered(len(cameBack), "cases", res.Clusters, "intervals and p")+
			", p by sign flip in place of McNemar's test")
	}
	if w := res.Outcomes.Grading.doubt(); w != "" {
		res.Warnings = append(res.Warnings, w)
	}
	if w := lengths(cameBack); w != "" && res.Outcomes.Grading.State == AsRead {
		res.Warnings = append(res.Warnings, w)
	}
	by := newComparer(level)
	res.reduce(pairs, by)
	qb, qo, cluster := valuesIn(pairs, (*Row).Quality)
	res.QualityDifference = stat.Paired(qb, qo, cluster, level).Known()
	res.OverRefusal.Change, _ = by.change(pairs, overRefusal)
	res.OverRefusal.OfAnswerable, _ = by.change(pairs, overRefusalOfAnswerable)
	res.Confusion = by.confusion(pairs)
	failed, n := by.change(pairs, hallucination)
	res.N, res.McNemarP = n, failed.McNemarP
	res.OnlyBaseFailed, res.OnlyOtherFailed = failed.OnlyBaseFailed, failed.OnlyOtherFailed
	res.discordant(pairs)
	res.ByClass = by.classes(pairs)
	if u := res.Ungradable; u > 0 {
		stat.Warn(&res.Warnings, "%d of %d cases have an answer that could not be graded in one of the runs: the "+
			"outcomes are ranges, and H is over the other cases", u, len(pairs))
	}
	if len(cameBack) == 0 {
		res.Warnings = append(res.Warnings, "no case has an answer in both runs")
	}
	if s := opt.Standings; len(s) == 2 && s[0] != nil && s[1] != nil {
		res.Stability = consistency.Compare(s[0], s[1], level)
	}
	return res
}

// reduce fills in the differences and reductions, and names those of which base has too little for a percentage.
func (res *Reduction) reduce(pairs []pair, by *comparer) {
	d, r := &res.Difference, &res.Reduction
	for _, m := range []struct {
		name                  string
		of                    measure
		difference, reduction **stat.Estimate
	}{
		{"hallucination", hallucination, &d.Hallucination, &r.Hallucination},
		{"truth_error", truth, &d.TruthError, &r.TruthError},
		{"decidability_error", decidability, &d.DecidabilityError, &r.DecidabilityError},
		{"reciprocity_error", reciprocity, &d.ReciprocityError, &r.ReciprocityError},
		{"quality_loss", loss, nil, &r.QualityLoss},
		{"commission", commission, &d.Commission, &res.CommissionReduction},
		{"format_error", formatError, &d.FormatError, nil}, {"over_refusal", overRefusal, &d.OverRefusal, nil},
		{"undecided", undecided, &d.Undecided, nil},
	} {
		b, o, cluster := valuesIn(pairs, m.of)
		if m.difference != nil {
			*m.difference = by.difference(b, o, cluster)
		}
		if m.reduction == nil {
			continue
		}
		e := stat.Reduction(b, o, cluster, by.level)
		if *m.reduction = finite(e); *m.reduction != nil && stat.FewInBase(b, cluster, by.level) {
			res.FewInBase = append(res.FewInBase, m.name)
		}
		for _, w := range e.Warnings {
			res.Warnings = append(res.Warnings, m.name+": "+w)
		}
	}
}

// transitions counts pairs by what the rubric said of both, and returns those with H scored in both.
func transitions(pairs []pair) (scored []pair, counts map[string]map[string]int, unscored, ungradable int) {
	counts = map[string]map[string]int{}
	for _, p := range pairs {
		from, to := outcome(p[0]), outcome(p[1])
		if counts[from] == nil {
			counts[from] = map[string]int{}
		}
		counts[from][to]++
		switch {
		case from == "unscored" || to == "unscored":
			unscored++
		case from == "ungradable" || to == "ungradable":
			ungradable++
		default:
			scored = append(scored, p)
		}
	}
	return scored, counts, unscored, ungradable
}

// side returns the rows of one of two runs, 0 or 1.
func side(pairs []pair, i int) (rows []*Row) {
	for _, p := range pairs {
		rows = append(rows, p[i])
	}
	return rows
}

// outcome sorts the grade of a row.
func outcome(r *Row) string {
	switch h, scored := hallucination(r); {
	case unscoredH(r):
		return "unscored"
	case !scored:
		return "ungradable"
	case h == 0:
		return "pass"
	}
	if r.Grade.Kind == grade.None {
		return string(grade.Commission)
	}
	return string(r.Grade.Kind)
}

// valuesIn returns a measure of the pairs in which both rows have it, and their clusters.
func valuesIn(pairs []pair, m measure) (base, other []float64, cluster []int32) {
	both, cluster := consistency.Values(m, pairs, 2)
	return both[0], both[1], cluster
}

// finite returns the interval of an estimate. A bound of a reduction that is beyond all numbers is held at the
// largest, as JSON has no infinity.
func finite(e stat.Estimate) *stat.Estimate {
	i := e.Known()
	if i != nil {
		i.Lo = max(i.Lo, -math.MaxFloat64)
	}
	return i
}

// discordant lists the cases that one run alone failed, those of base first.
func (res *Reduction) discordant(pairs []pair) {
	d := &res.Discordant
	d.OnlyBaseFailed, d.OnlyOtherFailed, d.Cases = []string{}, []string{}, []DiscordantCase{}
	for _, failed := range []string{"base", "other"} {
		for _, p := range pairs {
			b, okB := hallucination(p[0])
			o, okO := hallucination(p[1])
			if !okB || !okO || b == o || (b > o) != (failed == "base") {
				continue
			}
			r, ids := p[0], &d.OnlyBaseFailed
			if failed == "other" {
				r, ids = p[1], &d.OnlyOtherFailed
			}
			*ids = append(*ids, r.CaseID)
			c := DiscordantCase{CaseID: r.CaseID, Class: r.Class, Failed: failed, As: outcome(r), Axes: []string{}}
			for i, j := range r.Grade.Axes() {
				if j.Verdict == grade.Fail && (i < 3 || r.Gates) {
					c.Axes = append(c.Axes, grading.AxisNames[i])
				}
			}
			d.Cases = append(d.Cases, c)
		}
	}
}

// classes compares H within each class.
func (x *comparer) classes(pairs []pair) map[string]ClassReduction {
	by := map[string]ClassReduction{}
	var names []string
	var ps []float64
	for name, set := range split(pairs, func(p pair) []string { return []string{p[0].Class} }) {
		d, n := x.change(set, hallucination)
		c := ClassReduction{N: n, Base: d.Base, Other: d.Other, Difference: d.Difference, McNemarP: d.McNemarP,
			OnlyBaseFailed: d.OnlyBaseFailed, OnlyOtherFailed: d.OnlyOtherFailed}
		b, o, cluster := valuesIn(set, hallucination)
		c.Reduction = finite(stat.Reduction(b, o, cluster, x.level))
		c.FewInBase = c.Reduction != nil && stat.FewInBase(b, cluster, x.level)
		by[name], names, ps = c, append(names, name), append(ps, c.McNemarP)
	}
	for i, p := range stat.Holm(ps) {
		c := by[names[i]]
		c.McNemarPHolm = p
		by[names[i]] = c
	}
	return by
}
