package stat

import (
	"fmt"
	"math"
	"slices"
	"sort"

	"gonum.org/v1/gonum/stat/distuv"
)

// AUROCByCluster is AUROC where cases come in clusters that go together, such as queries of one context; cluster
// names that of each case.
//
// Interval: the union of AUROC's, which takes cases for independent, and logit A ± t·se/(A(1−A)) with the standard
// error of AUROCPaired for clusters and t of one degree of freedom fewer than the clusters with a case of the rarer
// class; where A is 0 or 1, or fewer than two clusters have a case of a class, the first stands alone, with a
// warning in the second case. Range, edge cases and panics are AUROC's; it panics where lengths differ. It does not
// change its arguments. Source: Obuchowski, Biometrics 53 (1997) 567-578; the union is this project's.
func AUROCByCluster(scores []float64, positive []bool, cluster []int, level float64) Estimate {
	checkLengths(scores, scores, positive, cluster)
	xs, ys := classes(scores, positive)
	e := AUROC(xs, ys, level)
	if e.N == 0 {
		return e
	}
	e.Method += ", joined with obuchowski's by cluster"
	a, v, least := obuchowski(scores, nil, positive, cluster)
	switch {
	case least < 2:
		e.Warnings = append(e.Warnings,
			"fewer than two clusters have a case of each class: the interval takes cases for independent")
	case a > 0 && a < 1:
		e.joinLogit(v, float64(least-1))
	}
	return e
}

// AUROCClustered is AUROC where cases come in clusters as Together numbers them, such as those that ask the same
// question, and AUROC itself, to the bit, where no two cases go together.
//
// Interval: the union of Newcombe's, by the variance under two exponential distributions taken at the bound itself
// and so never of zero width, with k/(1 + (Σ m²/k - 1) ρ) cases of a class in place of its k, which are m in each
// cluster, and of AUROCPaired's variance for clusters on the logit scale with t of one degree of freedom fewer than
// the class with fewer clusters has. ρ is how alike the placements of the class's cases within a cluster are: the
// correlation within clusters by analysis of variance, in [0, 1], and 1 where placements do not vary or no two
// cases of the class go together. Where A is 0 or 1, or a class is in one cluster, the first stands alone. Range,
// edge cases and panics are AUROC's. Coverage of 95 % (TestAUROCClusteredCoverage, 60 clusters of 1 to 30 cases,
// 400 draws each): .938 to .988, of cases that are all alike in a cluster, half and not at all. AUROCByCluster
// takes many clusters and is narrower.
// Source: Newcombe, Statistics in Medicine 25 (2006) 559-573, method 5; as AUROCPaired; ρ: Donner, International
// Statistical Review 54 (1986) 67-82; the union is this project's.
func AUROCClustered(scores []float64, positive []bool, cluster []int32, level float64) Estimate {
	xs, ys := classes(scores, positive)
	e := AUROC(xs, ys, level)
	if e.N == 0 || !together(len(scores), cluster) {
		return e
	}
	e.Method =
		"newcombe 2006 method 5 at the sizes that clusters are worth, joined with obuchowski's on the logit scale"
	at, _ := places(cluster)
	placed, _ := shares(scores, positive)
	e.Lo, e.Hi = newcombe(e.Value, worth(placed, positive, true, at), worth(placed, positive, false, at), level)
	if _, v, least := obuchowski(scores, nil, positive, at); least > 1 && e.Value > 0 && e.Value < 1 {
		e.joinLogit(v, float64(least-1))
	}
	return e
}

// newcombe returns the bounds of an area A by Newcombe's method 5 with m and n cases of the classes.
func newcombe(area, m, n, level float64) (lo, hi float64) {
	z, star := Z(level), (m+n)/2-1
	// excess is negative where θ is inside the interval; it changes sign once on each side of the value.
	excess := func(θ float64) float64 {
		v := θ * (1 - θ) / (m * n) * (1 + star*(1-θ)/(2-θ) + star*θ/(1+θ))
		return math.Abs(area-θ) - z*math.Sqrt(v)
	}
	edge := func(outside float64) float64 {
		in, out := halve(area, outside, 60, func(θ float64) bool { return !(excess(θ) < 0) })
		return (in + out) / 2
	}
	return edge(0), edge(1)
}

// joinLogit joins the interval of an area inside (0, 1) with that of a variance on the logit scale, by t.
func (e *Estimate) joinLogit(variance, df float64) {
	t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: df}.Quantile((1 + e.Level) / 2)
	half := t * math.Sqrt(variance) / (e.Value * (1 - e.Value))
	logit := math.Log(e.Value / (1 - e.Value))
	e.Lo = min(e.Lo, 1/(1+math.Exp(half-logit)))
	e.Hi = max(e.Hi, 1/(1+math.Exp(-half-logit)))
}

// worth returns how many cases by themselves those of a class are worth.
func worth(placed []float64, positive []bool, class bool, at []int) float64 {
	var values []float64
	var in []int
	for i, x := range placed {
		if positive[i] == class {
			values, in = append(values, x), append(in, at[i])
		}
	}
	return worthOf(values, in, false)
}

// worthOf returns how many cases by themselves values in clusters are worth, n/(1 + (Σ m²/n - 1) ρ), with ρ the
// correlation within clusters by analysis of variance; the least they are worth is by its upper bound (95 %,
// one-sided, of normal values), for which the variance between clusters is divided by the 5 % quantile of F.
// Source: Searle, Linear Models, 1971.
func worthOf(values []float64, at []int, least bool) float64 {
	var all, squares, total float64
	type group struct{ n, sum, squares float64 }
	by := map[int]*group{}
	var groups []*group // in the order of cases
	for i, x := range values {
		g := by[at[i]]
		if g == nil {
			g = &group{}
			by[at[i]], groups = g, append(groups, g)
		}
		g.n, g.sum, g.squares = g.n+1, g.sum+x, g.squares+x*x
		all, total = all+1, total+x
	}
	var between, within float64
	for _, g := range groups {
		d := g.sum/g.n - total/all
		between, within = between+g.n*d*d, within+max(0, g.squares-g.sum*g.sum/g.n)
		squares += g.n * g.n
	}
	k, alike := float64(len(groups)), 1.
	if all > k && k > 1 && between+within > 0 {
		between, within = between/(k-1), within/(all-k)
		if least {
			between /= distuv.F{D1: k - 1, D2: all - k}.Quantile(.05)
		}
		alike = max(0, min(1, (between-within)/(between+((all-squares/all)/(k-1)-1)*within)))
	}
	return all / (1 + (squares/all-1)*alike)
}

// AUROCPaired returns AUROC(a) − AUROC(b) of two scores of the same cases, that come in clusters which go together,
//
//	difference ± t sqrt(S10/m + S01/n + 2 S11/(mn)),
//
// where S10, S01 and S11 are the variances and the covariance over clusters of the summed differences of placements
// (the share of the other class that a score beats, ties half), and t is Student's with one degree of freedom fewer
// than the clusters that have a case of the rarer class: with z in its place the interval held the truth in .84 to
// .89 where these were few (docs/methods.md, 6.1). Range: −1 <= lo <= hi <= 1; of zero width where both scores rank
// the cases alike. Edge cases: no case of a class gives no value and a warning; fewer than two clusters with a case
// of a class give [−1, 1] and a warning. It panics on NaN and on different lengths. It does not change its
// arguments. Coverage: TestAUROCPairedCoverage.
// Source: Obuchowski, Biometrics 53 (1997) 567-578; DeLong et al., Biometrics 44 (1988) 837-845.
func AUROCPaired(a, b []float64, positive []bool, cluster []int, level float64) Estimate {
	checkLengths(a, b, positive, cluster)
	e := Estimate{Level: level, Method: "obuchowski by cluster", N: len(a)}
	Z(level)
	if !slices.Contains(positive, true) || !slices.Contains(positive, false) {
		e.N, e.Warnings = 0, []string{"an AUROC needs cases of both classes"}
		return e
	}
	d, v, least := obuchowski(a, b, positive, cluster)
	e.Value, e.Lo, e.Hi = d, -1, 1
	if least < 2 {
		e.Warnings = []string{"fewer than two clusters have a case of each class"}
		return e
	}
	half := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(least - 1)}.Quantile((1+level)/2) * math.Sqrt(v)
	e.Lo, e.Hi = max(-1, d-half), min(1, d+half)
	return e
}

func checkLengths(a, b []float64, positive []bool, cluster []int) {
	if len(a) != len(b) || len(a) != len(positive) || len(a) != len(cluster) {
		panic(fmt.Sprintf("stat: %d and %d scores of %d cases in %d clusters", len(a), len(b), len(positive),
			len(cluster)))
	}
}

// obuchowski returns the AUROC of a, less that of b unless b is nil, its variance by cluster, which takes two
// clusters with a case of either class, and how many have one of the rarer.
func obuchowski(a, b []float64, positive []bool, cluster []int) (value, variance float64, least int) {
	share, _ := shares(a, positive)
	if b != nil {
		others, _ := shares(b, positive)
		for i, s := range others {
			share[i] -= s
		}
	}
	type sums struct{ v10, v01, m, n float64 }
	place := map[int]int{}
	var by []sums
	var m, n float64
	for i, s := range share {
		k, seen := place[cluster[i]]
		if !seen {
			k = len(by)
			place[cluster[i]] = k
			by = append(by, sums{})
		}
		if positive[i] {
			by[k].v10, by[k].m, m = by[k].v10+s, by[k].m+1, m+1
			value += s
		} else {
			by[k].v01, by[k].n, n = by[k].v01+s, by[k].n+1, n+1
		}
	}
	value /= m
	var s10, s01, s11 float64
	with10, with01 := 0, 0
	for _, c := range by {
		if c.m > 0 {
			with10++
		}
		if c.n > 0 {
			with01++
		}
		x, y := c.v10-c.m*value, c.v01-c.n*value
		s10, s01, s11 = s10+x*x, s01+y*y, s11+x*y
	}
	if least = min(with10, with01); least < 2 {
		return value, 0, least
	}
	all := float64(len(by))
	s10 *= float64(with10) / (float64(with10-1) * m)
	s01 *= float64(with01) / (float64(with01-1) * n)
	s11 *= all / (all - 1)
	return value, max(0, s10/m+s01/n+2*s11/(m*n)), least
}

// shares returns for each positive case the share of the negative ones that score lower, for each negative one the
// share of the positive ones that score higher, ties half; and twice how many pairs of both rank as they should.
func shares(scores []float64, positive []bool) (share []float64, twice float64) {
	xs, ys := classes(scores, positive)
	xs, ys = sorted(xs), sorted(ys)
	beaten, below := placements(xs, ys), placements(ys, xs) // by rank, twice
	share = make([]float64, len(scores))
	for i, s := range scores {
		if positive[i] {
			share[i] = beaten[sort.SearchFloat64s(xs, s)] / float64(2*len(ys))
		} else {
			share[i] = 1 - below[sort.SearchFloat64s(ys, s)]/float64(2*len(xs))
		}
	}
	return share, sum(beaten)
}
