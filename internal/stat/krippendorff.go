package stat

import (
	"math"
	"math/rand/v2"
	"slices"
	"sort"

	"hallmark/internal/base/seed"
)

// alphaResamples is the number of reweighted samples behind an interval of alpha.
const alphaResamples = 2000

// KrippendorffByCluster returns Krippendorff's alpha for nominal labels; units[u] holds the ratings of unit u, in any
// order, missing ones left out, and cluster[u] numbers what unit u is an observation of, with others: 0 or a nil
// cluster is a unit by itself.
//
// Formula: over the units with at least two ratings, with n ratings in all, n_u in unit u, n_c of label c and n_uc
// of both,
//
//	alpha = 1 - D_o/D_e,  D_o = Σ_u Σ_c n_uc (n_u - n_uc) / (n_u - 1),  D_e = Σ_c n_c (n - n_c) / (n - 1)
//
// Interval: the Bayesian bootstrap over clusters, 2000 samples from the stream (seed, "krippendorff"), with one more
// unit of two ratings, as often as the largest has units: one that disagrees on the two commonest labels for the lower
// bound, and one that agrees on the rarest for the upper one. So it is not of zero width where all units agree; a bound
// never passes the value.
//
// Range: (-1, 1]; 1 is perfect, 0 chance; N counts the units with two ratings. Edge cases: no such unit, or one label
// only: no value, and a warning. It does not change units. Source: Krippendorff, Content Analysis (2004) ch. 11; the
// added unit is as in Mean. Coverage: TestKrippendorffByClusterCovers.
func KrippendorffByCluster(units [][]string, cluster []int32, seedValue uint64, level float64) Estimate {
	a := Estimate{Level: level, Method: "bayesian bootstrap by unit with one unit added"}
	Z(level)
	if cluster != nil && len(cluster) != len(units) {
		panic("stat: units and their clusters of different numbers")
	}
	codes := make(map[string]int)
	var us []ratedUnit
	var of []int32
	for i, labels := range units {
		if len(labels) < 2 {
			continue
		}
		if cluster != nil {
			of = append(of, cluster[i])
		}
		count := make(map[int]float64)
		for _, l := range labels {
			c, ok := codes[l]
			if !ok {
				c = len(codes)
				codes[l] = c
			}
			count[c]++
		}
		us = append(us, newRatedUnit(count))
	}
	if len(us) == 0 {
		a.Warnings = []string{"no unit has two ratings, so agreement cannot be measured"}
		return a
	}
	if len(codes) < 2 {
		a.Warnings = []string{"only one label occurs, so alpha is not defined"}
		return a
	}
	a.N = len(us)
	totals := make([]float64, len(codes))
	for _, u := range us {
		u.addTo(totals, 1)
	}
	byCount := make([]int, len(codes))
	for c := range byCount {
		byCount[c] = c
	}
	sort.SliceStable(byCount, func(i, j int) bool { return totals[byCount[i]] > totals[byCount[j]] })
	doubtful := newRatedUnit(map[int]float64{byCount[0]: 1, byCount[1]: 1})
	assuring := newRatedUnit(map[int]float64{byCount[len(byCount)-1]: 2})

	weights := append(ones(len(us)), 0)
	at, n := placesOf(len(us), of)
	drawn, largest := make([]float64, n), slices.Max(summed(ones(len(us)), of))
	if largest > 1 {
		a.Method = "bayesian bootstrap by cluster with one cluster added"
	}
	a.Value, _ = alpha(append(us, doubtful), weights, totals)
	r := seed.Stream(seedValue, "krippendorff")
	los, his := make([]float64, 0, alphaResamples), make([]float64, 0, alphaResamples)
	for range alphaResamples {
		reweigh(weights, drawn, at, largest, r)
		if v, ok := alpha(append(us, doubtful), weights, totals); ok {
			los = append(los, v)
		}
		if v, ok := alpha(append(us, assuring), weights, totals); ok {
			his = append(his, v)
		}
	}
	sort.Float64s(los)
	sort.Float64s(his)
	tail := (1 - level) / 2
	a.Lo = min(a.Value, los[int(tail*float64(len(los)))])
	a.Hi = max(a.Value, his[min(len(his)-1, int(math.Ceil((1-tail)*float64(len(his))))-1)])
	return a
}

// reweigh draws weights of units, one for each cluster, of which at has the places, and of the unit that is added, as
// often as the largest cluster has units. They sum to the number of units.
func reweigh(weights, drawn []float64, at []int, largest float64, r *rand.Rand) {
	for k := range drawn {
		drawn[k] = r.ExpFloat64()
	}
	n := len(at)
	for i, k := range at {
		weights[i] = drawn[k]
	}
	weights[n] = float64(largest * r.ExpFloat64())
	all := Sum(weights)
	for i := range weights {
		weights[i] *= float64(n) / all
	}
}

// A ratedUnit holds the counts of the labels of one unit, labels ascending.
type ratedUnit struct {
	label    []int
	count    []float64
	disagree float64 // Σ_c n_uc (n_u - n_uc) / (n_u - 1)
}

func newRatedUnit(count map[int]float64) (u ratedUnit) {
	var n float64
	for c, k := range count {
		u.label = append(u.label, c)
		n += k
	}
	sort.Ints(u.label)
	for _, c := range u.label {
		k := count[c]
		u.count = append(u.count, k)
		u.disagree += k * (n - k) / (n - 1)
	}
	return u
}

func (u ratedUnit) addTo(totals []float64, weight float64) {
	for i, c := range u.label {
		totals[c] += weight * u.count[i]
	}
}

// alpha computes the coefficient of weighted units; false if the weights leave one label only. It overwrites totals.
func alpha(us []ratedUnit, weights, totals []float64) (float64, bool) {
	clear(totals)
	var observed, expected float64
	for i, u := range us {
		u.addTo(totals, weights[i])
		observed += weights[i] * u.disagree
	}
	n := Sum(totals)
	for _, k := range totals {
		expected += k * (n - k)
	}
	if expected <= 0 || n <= 1 {
		return 0, false
	}
	return 1 - observed*(n-1)/expected, true
}
