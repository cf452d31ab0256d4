package stat

import (
	"fmt"
	"slices"
)

// Together sums k and m over clusters: cluster[i] numbers that of case i, and 0 or a nil cluster is a case by itself.
// Clusters stand where their first case does. Where no two cases go together it returns k and m themselves. It panics
// where lengths differ, and changes nothing.
func Together(k, m []float64, cluster []int32) (ks, ms []float64) {
	checkPaired(k, m)
	return summed(k, cluster), summed(m, cluster)
}

// summed returns the sums of values by cluster, as Together.
func summed[T int64 | float64](values []T, cluster []int32) []T {
	if !together(len(values), cluster) {
		return values
	}
	at, n := places(cluster)
	out := make([]T, n)
	for i, j := range at {
		out[j] += values[i]
	}
	return out
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

// A Numbering numbers clusters by their names: from 1, in the order in which they are asked for.
type Numbering[K comparable] map[K]int32

// Of returns the number of a cluster; that of the zero name is 0, which is none.
func (n Numbering[K]) Of(name K) int32 {
	var none K
	if name != none && n[name] == 0 {
		n[name] = int32(len(n) + 1)
	}
	return n[name]
}

// Clusters counts what cases are observations of, as Together numbers them; 0 where each is one of its own.
func Clusters(cluster []int32) int {
	if !together(len(cluster), cluster) {
		return 0
	}
	_, n := places(cluster)
	return n
}

const byClusterMethod = "bayesian bootstrap by cluster with one cluster added at the far end"

// RatioByCluster is Ratio with the clusters of Together as units. N counts cases.
func RatioByCluster(k, m []float64, cluster []int32, level float64) Estimate {
	ks, ms := Together(k, m, cluster)
	if len(ks) < len(k) {
		for i := range ks {
			ks[i] = min(ks[i], ms[i]) // a sum of rounded values may pass their number by a bit
		}
	}
	e := Ratio(ks, ms, level)
	if len(ks) < len(k) {
		e.N, e.Method = len(k), byClusterMethod
	}
	return e
}

// MeanByCluster returns the mean over cases of values in [0, 1], with an interval that takes the clusters of Together
// as the units: Ratio over their sums and sizes, and Mean, to the bit, where no two cases go together. N counts cases;
// range, edge cases and panics are those of Mean. Coverage: TestByClusterCovers. Source: as Ratio.
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
	return Wilson(int(Sum(values)), len(values), level)
}

func ones(n int) []float64 { return slices.Repeat([]float64{1}, n) }

// McNemarByCluster returns the p of whether two shares of the same cases, values that are 0 or 1, are one:
// McNemar's, and where cases go together the sign-flip test's on their differences summed by cluster, as Paired has
// it.
func McNemarByCluster(base, other []float64, cluster []int32) float64 {
	return flipOf(base, other, cluster).p
}

// Clustered says that n cases, or what else counts, are fewer clusters, and what is computed by these ("intervals").
func Clustered(n int, what string, clusters int, computed string) string {
	if clusters == 1 {
		return fmt.Sprintf(
			"the %d %s are one cluster, as they ask the same question or belong together: %s are by cluster", n, what,
			computed)
	}
	return fmt.Sprintf(
		"the %d %s are %d clusters, as some ask the same question or belong together: %s are by cluster", n, what,
		clusters, computed)
}
