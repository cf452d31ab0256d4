package posterior

import (
	"cmp"
	"math"
	"slices"

	"hallmark/internal/stat"
	"hallmark/internal/stat/figure"
)

// muchElse is the mass on no label from which a warning says so.
const muchElse = .2

// A Group is what was measured after one context: its queries, and the chains of each, which are fewer than M where
// some are missing, and none where the query is unscored. Chains of one number belong to one extension, so a
// group's queries lose them together.
type Group struct {
	Context int // pairs
	Queries []Query
	Chains  [][]Chain
}

// Collect makes the result of groups, whose answers are so many labels, 0 where they are numbers: means over the
// queries that have chains. The unit of its intervals is the context, which the queries of a group share; where
// there is one group it is the chain.
func Collect(groups []Group, labels int, o Options) Result {
	r := Result{
		Estimator: o.Estimator, Eps: o.Eps, Extend: o.Extend, M: o.M, PerQuery: []Query{}, Warnings: o.warnings(),
		Limits: o.limits(labels), AbstainFrom: cmp.Or(o.Abstain, DefaultAbstain),
	}
	if o.Estimator == Published {
		r.K = o.K
	}
	var units []Chain
	var scored []Query
	var mhr []float64
	for _, g := range groups {
		r.Context = max(r.Context, g.Context)
		r.PerQuery = append(r.PerQuery, g.Queries...)
		each, queries, single := g.units(len(groups) > 1)
		r.Unscored += len(g.Queries) - len(queries)
		units, scored, mhr = append(units, each...), append(scored, queries...), append(mhr, single...)
	}
	if r.N = len(scored); r.N == 0 {
		return r
	}
	for i := range scored {
		if scored[i].Abstain {
			r.Abstain++
		}
	}
	if r.Unit = "extension"; len(groups) > 1 {
		r.Unit = "context"
	}
	var all Query
	all.Fill(Of(units, o), o)
	r.PHR, r.PHRCorrected, r.MutualInformation, r.StandardError = all.PHR, all.PHRCorrected, all.MutualInformation,
		all.StandardError
	r.fillExact(scored)
	r.fillMeans(scored)
	r.Entropy = entropies(groups, labels, o, func(q *Query) float64 { return q.Entropy })
	r.Aleatoric = entropies(groups, labels, o, func(q *Query) float64 { return *q.Aleatoric })
	r.ErrorRate = errorRate(groups, o.Level)
	r.AgainstError = lineOver(groups, (*Query).phr, (*Query).errorRate)
	r.AgainstMHR = lineOver(groups, (*Query).phr, (*Query).mhr)
	r.AgainstMHRSingle = lineOver(groups, (*Query).phr, func(q *Query) *float64 { return q.MHRSingle })
	r.MHR = stat.Mean(mhr, o.Level).Known()
	r.warnOfLabels(labels, o.Eps)
	return r
}

// units are a group's chains over its queries that have some, these queries, and the MHR of each set of true pairs
// over them; where the group is one unit of several, one chain and one rate.
func (g Group) units(one bool) (chains []Chain, scored []Query, mhr []float64) {
	var rows [][]Chain
	var sets [][]float64
	share := func(rates []float64) float64 { return min(1, averageOf(rates)) }
	for i := range g.Queries {
		if len(g.Chains[i]) == 0 {
			continue
		}
		rows, scored = append(rows, g.Chains[i]), append(scored, g.Queries[i])
		if t := g.Queries[i].true; len(t) > 0 {
			sets = append(sets, t)
		}
	}
	if chains = across(rows, average); one && len(chains) > 0 {
		chains = []Chain{average(chains)}
	}
	if mhr = across(sets, share); one && len(mhr) > 0 {
		mhr = []float64{share(mhr)}
	}
	return chains, scored, mhr
}

// fillExact sets the exact rates where the queries have them, and says why one is missing.
func (r *Result) fillExact(scored []Query) {
	if scored[0].Exact == nil {
		return
	}
	r.Exact = &Exact{
		Limit:    mean(scored, func(q *Query) *float64 { return q.Exact.Limit }),
		AtExtend: mean(scored, func(q *Query) *float64 { return q.Exact.AtExtend }),
	}
	if r.Exact.Limit == nil {
		r.Warnings = append(r.Warnings, "the exact limit is not computed beyond 4 labels")
	}
	if r.Exact.AtExtend == nil {
		r.Warnings = append(r.Warnings, "the exact rate at_extend is not computed beyond 4 labels, 10,000,000 "+
			"terms, one dimension with x=normal, or where x=uniform")
	}
}

// fillMeans sets what is a plain mean over the queries that have it.
func (r *Result) fillMeans(scored []Query) {
	r.THR = mean(scored, func(q *Query) *float64 { return q.THR })
	r.MHRSingle = mean(scored, func(q *Query) *float64 { return q.MHRSingle })
	r.UnlistedMass = mean(scored, func(q *Query) *float64 { return q.UnlistedMass })
	r.OtherMass = mean(scored, func(q *Query) *float64 { return q.OtherMass })
	scored = slices.DeleteFunc(slices.Clone(scored), func(q Query) bool { return q.GoldMass == nil })
	if lo := mean(scored, func(q *Query) *float64 { return &q.GoldMass.Lo }); lo != nil {
		r.GoldMass = &stat.Range{Lo: *lo, Hi: *mean(scored, func(q *Query) *float64 { return &q.GoldMass.Hi })}
	}
}

// warnOfLabels says where a rate says little of the labels.
func (r *Result) warnOfLabels(labels int, eps float64) {
	if eps > .5 && labels == 2 {
		r.Warnings = append(r.Warnings, "two labels and eps above .5: the rarer label always counts as a "+
			"hallucination, so the rate acts as an error rate")
	}
	if m := r.OtherMass; m != nil && *m > muchElse {
		stat.Warn(&r.Warnings, "%s of the mass is on no label: the model mostly answers something else, which "+
			"counts as one more answer, so the rate says little of the labels", figure.Fixed(*m, 2))
	}
}

// entropies is the mean of what get returns of the queries that have a chain, by context where there are several. Over
// k labels, with all other answers one of them where a model may give any, it is in [0, ln k] and has the interval of
// rates; else the interval is Student's, cut to what an entropy can be, and there is none where there is one query.
func entropies(groups []Group, labels int, o Options, get func(*Query) float64) *stat.Estimate {
	units := unitsOf(groups, func(q *Query) *float64 { return new(get(q)) })
	var chains []Chain
	for _, g := range groups {
		chains = append(chains, slices.Concat(g.Chains...)...)
	}
	most := mostOf(chains)
	switch {
	case most == 0 && labels > 1: // drawn answers, that may be any text
		return finite(clamped(student(units, o.Level), 0, math.Inf(1)))
	case most == 0:
		return finite(student(units, o.Level))
	case o.Estimator == Published: // entropies by samples, which may lie beyond what they estimate
		return finite(clamped(student(units, o.Level), 0, most))
	}
	for i := range units {
		units[i] = min(1, max(0, units[i]/most))
	}
	return stat.Mean(units, o.Level).Times(most).Known()
}

// errorRate is the mean error over the queries that have a chain and a right answer, by context where there are
// several.
func errorRate(groups []Group, level float64) *stat.Estimate {
	units := unitsOf(groups, (*Query).errorRate)
	for i := range units {
		units[i] = min(1, max(0, units[i]))
	}
	return stat.Mean(units, level).Known()
}

// unitsOf are the values of the queries that have one and a chain; where there are several contexts, the mean of each.
func unitsOf(groups []Group, get func(*Query) *float64) (units []float64) {
	for _, g := range groups {
		var each []float64
		for i := range g.Queries {
			if len(g.Chains[i]) == 0 {
				continue
			}
			if v := get(&g.Queries[i]); v != nil {
				each = append(each, *v)
			}
		}
		if len(groups) > 1 && len(each) > 0 {
			each = []float64{averageOf(each)}
		}
		units = append(units, each...)
	}
	return units
}

// lineOver fits y to x over the queries that have both, errors clustered by context; nil where no line can be drawn.
func lineOver(groups []Group, x, y func(*Query) *float64) *Fit {
	var xs, ys []float64
	var cluster []int
	for gi, g := range groups {
		for i := range g.Queries {
			q := &g.Queries[i]
			if a, b := x(q), y(q); a != nil && b != nil {
				xs, ys, cluster = append(xs, *a), append(ys, *b), append(cluster, gi)
			}
		}
	}
	return FitTo(xs, ys, cluster)
}

// across returns the mean of each column of rows of equal length.
func across[T any](rows [][]T, mean func([]T) T) (out []T) {
	if len(rows) == 0 {
		return nil
	}
	column := make([]T, len(rows))
	for j := range rows[0] {
		for i, row := range rows {
			column[i] = row[j]
		}
		out = append(out, mean(column))
	}
	return out
}

// average is the mean of chains, member by member; Inner is the variance of that.
func average(chains []Chain) Chain {
	var out Chain
	n := float64(len(chains))
	for _, c := range chains {
		out.THR += c.THR / n
		out.Twice += c.Twice / n
		out.Low += c.Low / n
		out.High += c.High / n
		out.Inner += c.Inner / n
		out.Information += c.Information / n
		out.Left += c.Left / n
		out.Most += c.Most / n
	}
	out.THR, out.Inner = min(1, out.THR), out.Inner/n
	return out
}

// mean is the mean over the queries that have a value, nil where none has.
func mean(queries []Query, get func(*Query) *float64) *float64 {
	var sum float64
	n := 0
	for i := range queries {
		if v := get(&queries[i]); v != nil {
			sum += *v
			n++
		}
	}
	if n == 0 {
		return nil
	}
	sum /= float64(n)
	return &sum
}
