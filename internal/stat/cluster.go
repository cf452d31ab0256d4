package stat

import "slices"

// Together sums k and m over clusters: cluster[i] numbers that of case i, and 0 or a nil cluster is a case by itself.
// Clusters stand where their first case does. Where no two cases go together it returns k and m themselves. It panics
// where lengths differ, and changes nothing.
func Together(k, m []float64, cluster []int32) (ks, ms []float64) {
	checkPaired(k, m)
	if !together(len(k), cluster) {
		return k, m
	}
	at, n := places(cluster)
	ks, ms = make([]float64, n), make([]float64, n)
	for i, j := range at {
		ks[j], ms[j] = ks[j]+k[i], ms[j]+m[i]
	}
	return ks, ms
}

// places returns the place of each case's cluster among the n of them.
func places(cluster []int32) (at []int, n int) {
	at, first := make([]int, len(cluster)), map[int32]int{}
	for i, c := range cluster {
		j, seen := first[c]
		if c == 0 || !seen {
			j, n = n, n+1
			first[c] = j
		}
		at[i] = j
	}
	return at, n
}

// together reports whether two of n cases are of one cluster.
func together(n int, cluster []int32) bool {
	if cluster != nil && len(cluster) != n {
		panic("stat: cases and their clusters of different numbers")
	}
	seen := map[int32]bool{}
	for _, c := range cluster {
		if c != 0 && seen[c] {
			return true
		}
		if c != 0 {
			seen[c] = true
		}
	}
	return false
}

// Clusters counts what cases are observations of, as Together numbers them; 0 where each is one of its own.
func Clusters(cluster []int32) int {
	if !together(len(cluster), cluster) {
		return 0
	}
	_, n := places(cluster)
	return n
}

// RatioByCluster is Ratio with the clusters of Together as units. N counts cases.
func RatioByCluster(k, m []float64, cluster []int32, level float64) Estimate {
	ks, ms := Together(k, m, cluster)
	if len(ks) < len(k) {
		for i := range ks {
			ks[i] = min(ks[i], ms[i]) // a sum of rounded values may pass their number by a bit
		}
	}
	e := Ratio(ks, ms, level)
	if e.OK() {
		e.N = len(k)
	}
	return e
}

// MeanByCluster returns the mean over cases of values in [0, 1], with an interval that takes the clusters of Together as
// the units: Ratio over their sums and sizes, and Mean, to the bit, where no two cases go together. N counts cases; range,
// edge cases and panics are those of Mean. Coverage: TestByClusterCovers. Source: as Ratio.
func MeanByCluster(values []float64, cluster []int32, level float64) Estimate {
	if !together(len(values), cluster) {
		return Mean(values, level)
	}
	return RatioByCluster(values, ones(len(values)), cluster, level)
}

// ShareByCluster is MeanByCluster of values that are 0 or 1, and Wilson, to the bit, where no two cases go together.
func ShareByCluster(values []float64, cluster []int32, level float64) Estimate {
	if together(len(values), cluster) {
		return RatioByCluster(values, ones(len(values)), cluster, level)
	}
	k := 0
	for _, v := range values {
		k += int(v)
	}
	return Wilson(k, len(values), level)
}

func ones(n int) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = 1
	}
	return out
}

// DifferenceByCluster is PairedDifference with the clusters of Together as units, and PairedDifference itself, to the bit,
// where no two cases go together. N counts cases.
//
// Formula: Ratio of Σ (1 + other_i - base_i)/2 over the cases of a cluster to their number, mapped back by 2x - 1. Range,
// edge cases and panics are those of PairedDifference. Source: as there.
func DifferenceByCluster(base, other []float64, cluster []int32, level float64) Estimate {
	if !together(len(base), cluster) {
		return PairedDifference(base, other, level)
	}
	checkPaired(base, other)
	var sum float64
	halves := make([]float64, len(base))
	for i := range base {
		checkRange(base[i], 0, 1)
		checkRange(other[i], 0, 1)
		sum += other[i] - base[i]
		halves[i] = (1 + other[i] - base[i]) / 2
	}
	e := RatioByCluster(halves, ones(len(base)), cluster, level)
	e.Value = sum / float64(len(base))
	e.Lo, e.Hi = min(2*e.Lo-1, e.Value), max(2*e.Hi-1, e.Value)
	e.Method = "paired " + meanMethod
	return e
}

// ReductionByCluster is Reduction with the clusters of Together as units, and Reduction itself, to the bit, where no two
// cases go together. N counts cases.
//
// Formula: Reduction of the clusters' sums over the size of the largest, so that the case it adds is as large as that.
// Range, edge cases and panics are those of Reduction. Source: as there.
func ReductionByCluster(base, other []float64, cluster []int32, level float64) Estimate {
	if !together(len(base), cluster) {
		return Reduction(base, other, level)
	}
	bs, sizes := Together(base, ones(len(base)), cluster)
	os, _ := Together(other, base, cluster)
	largest := slices.Max(sizes)
	for i := range bs {
		bs[i], os[i] = min(1, bs[i]/largest), min(1, os[i]/largest)
	}
	e := Reduction(bs, os, level)
	if e.OK() {
		e.N = len(base)
	}
	return e
}

// SignFlipByCluster is SignFlip with the signs of whole clusters flipped, as Together numbers them.
func SignFlipByCluster(d []int64, cluster []int32) (p float64, exact bool) {
	if !together(len(d), cluster) {
		return SignFlip(d)
	}
	at, n := places(cluster)
	sums := make([]int64, n)
	for i, j := range at {
		sums[j] += d[i]
	}
	return SignFlip(sums)
}

// McNemarByCluster returns the p of whether two shares of the same cases, values that are 0 or 1, are one: McNemar's, and
// where cases go together SignFlipByCluster of their differences, which without clusters is the same.
func McNemarByCluster(base, other []float64, cluster []int32) float64 {
	d, fewer, more := make([]int64, len(base)), 0, 0
	for i := range base {
		switch {
		case base[i] > other[i]:
			d[i], fewer = -1, fewer+1
		case other[i] > base[i]:
			d[i], more = 1, more+1
		}
	}
	if together(len(d), cluster) {
		p, _ := SignFlipByCluster(d, cluster)
		return p
	}
	return McNemar(fewer, more)
}
