package docs

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/stat/distuv"

	"hallmark/internal/metric/equivalence"
	"hallmark/internal/stat"
	"hallmark/internal/stat/correct"
)

// differenceOfMeans draws ten answers of each case in two runs, of which the other fails at half the rate: its failures
// are among those of base.
func differenceOfMeans(clusters bool) sampled {
	return func(r *rand.Rand, n int, rate float64) (stat.Estimate, float64) {
		us, cluster := together(r, n, clusters)
		of := func(rate float64) []float64 {
			failed := make([]bool, n)
			for i, u := range us {
				failed[i] = u < rate
			}
			k, _ := answers(r, failed, rate, []int{10})
			for i := range k {
				k[i] /= 10
			}
			return k
		}
		return difference(of(rate), of(rate/2), cluster, .95), -rate / 2
	}
}

// middleOf draws texts of which a token costs (1 + x)/2 nats in the mean, with x a Chi² of 4 over 4, and 2 more in the
// share rate of them, for the middle one of their perplexities.
func middleOf(clusters bool) sampled {
	return func(r *rand.Rand, n int, rate float64) (stat.Estimate, float64) {
		heavy, cluster := drawCases(r, n, rate, clusters)
		x := distuv.Gamma{Alpha: 2, Beta: 2, Src: r}
		texts := make([]float64, n)
		for i := range texts {
			nats := (1 + x.Rand()) / 2
			if heavy[i] {
				nats += 2
			}
			texts[i] = math.Exp(nats)
		}
		e := stat.MedianByCluster(texts, cluster, .95)
		if len(e.Warnings) > 0 { // too few: nothing is printed
			return stat.Estimate{}, 0
		}
		lo, hi := .5, 4. // the middle of the law of nats, by bisection
		for range 60 {
			at := (lo + hi) / 2
			below := func(nats float64) float64 { return distuv.Gamma{Alpha: 2, Beta: 2}.CDF(max(0, 2*nats-1)) }
			if (1-rate)*below(at)+rate*below(at-2) < .5 {
				lo = at
			} else {
				hi = at
			}
		}
		return e, math.Exp(lo)
	}
}

// How answers are read: of each kind (correct, incorrect, not attempted) the shares that are read as one of these, and
// as none.
var readers = [3][4]float64{{.82, .05, .03, .1}, {.2, .65, .02, .13}, {.03, .02, .8, .15}}

// kindsOf draws what n answers are: incorrect where the case fails, and of the others a tenth not attempted; and how
// they are read.
func kindsOf(r *rand.Rand, failed []bool) (kinds, read []int) {
	for _, f := range failed {
		k := 0
		if f {
			k = 1
		} else if r.Float64() < .1 {
			k = 2
		}
		u, j := r.Float64(), 0
		for ; j < 3 && u >= readers[k][j]; j++ {
			u -= readers[k][j]
		}
		kinds, read = append(kinds, k), append(read, j)
	}
	return kinds, read
}

// labels is how many of n answers are labelled.
func labels(n int) int { return max(n/2, min(n, 50)) - max(0, n/2-100) }

// labelledShare draws answers of which labels correct the share that is incorrect, of all or of those that attempt an
// answer.
func labelledShare(clusters, attempts bool) sampled {
	return func(r *rand.Rand, n int, rate float64) (stat.Estimate, float64) {
		failed, cluster := drawCases(r, n, rate, clusters)
		kinds, read := kindsOf(r, failed)
		cases := make([][]correct.Answer, n)
		for i := range cases {
			cases[i] = []correct.Answer{{Stratum: read[i], Kind: correct.NoLabel}}
		}
		take := correct.Of(cases, 4, 3).Next(1, labels(n))
		for _, p := range correct.Draw(cases, take, r.Uint64()) {
			cases[p.Case][0].Kind, cases[p.Case][0].Weight = kinds[p.Case], p.Weight
		}
		of := correct.OfClusters(cases, cluster, 4, 3)
		if attempts {
			return of.Among(1, []int{0, 1}, .95, r.Uint64()), rate / (rate + .9*(1-rate))
		}
		return of.Rates(.95, r.Uint64())[1], rate
	}
}

// poweredRate draws answers of which a grader takes 20 % of the failures for passes and 5 % of the others for failures,
// in strata that are how they were read, and labels some.
func poweredRate(clusters bool) sampled {
	return func(r *rand.Rand, n int, rate float64) (stat.Estimate, float64) {
		failed, cluster := drawCases(r, n, rate, clusters)
		strata, others := make([]stat.Stratum, 2), make([][]int32, 2)
		for at, i := range r.Perm(n) {
			y, chance := 0., .05
			if failed[i] {
				y, chance = 1, .8
			}
			f := int(stat.Bit(r.Float64() < chance))
			s := &strata[f]
			if at >= labels(n) {
				s.Others, others[f] = append(s.Others, float64(f)), append(others[f], cluster[i])
				continue
			}
			s.Human, s.Grader = append(s.Human, y), append(s.Grader, float64(f))
			s.Clusters = append(s.Clusters, cluster[i])
		}
		for f := range strata {
			strata[f].Clusters = append(strata[f].Clusters, others[f]...)
		}
		return stat.PredictionPowered(strata, .95).Estimate, rate
	}
}

// falseMerges draws n labelled pairs of 10 n that ended in one class and n of 20 n that did not: of the first 1 - rate
// are equal, and of the second .05.
func falseMerges(r *rand.Rand, n int, rate float64) (stat.Estimate, float64) {
	joined, apart := equivalence.Sampled{Pairs: 10 * n}, equivalence.Sampled{Pairs: 20 * n}
	for range n {
		joined.DifferentJoined += int(stat.Bit(r.Float64() < rate))
		apart.EqualApart += int(stat.Bit(r.Float64() < .05))
	}
	joined.EqualJoined, apart.DifferentApart = n-joined.DifferentJoined, n-apart.EqualApart
	_, merge := equivalence.FromSample(joined, apart, .95)
	return merge, 10 * rate / (10*rate + 20*.95)
}
