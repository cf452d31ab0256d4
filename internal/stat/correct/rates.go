package correct

import (
	"slices"
	"strconv"

	"hallmark/internal/base/seed"
	"hallmark/internal/stat"
)

// draws is how many samples make bounds.
const draws = 4000

// Rates returns the share of all answers that are truly of each kind: double sampling for misclassified data.
//
// Formula: with W_s the share of the answers that stand in stratum s, each case weighing the same, and a_sj of the k_s
// labels there of kind j,
//
//	θ_j = Σ_s W_s a_sj/k_s
//
// which sum to 1 over j. Bounds are quantiles at the level of Σ_s w_s P_sj over 4,000 samples, with n_s of the
// answers in stratum s, S strata that have any,
//
//	w ~ Dirichlet(n_1 + 1/2, …, n_S + 1/2)                                    where each case has one answer, and else
//	w_s ∝ Σ_c g_c m_cs + h_s m,  g_c ~ Exponential(1), h_s ~ Gamma(1/2)       the Bayesian bootstrap over cases
//	lower: P_sj ~ Beta(a_sj + 1/(2S), k_s - a_sj + 1/3),  upper: P_sj ~ Beta(a_sj + 1/3, k_s - a_sj + 1/(2S))
//
// with 1/2 in the place of 1/3 where it is added to no label, m_cs the share of the answers of case c that stand in
// stratum s, times m, and m answers to a case in the mean. The lower bound is 0 where no label is of the kind, the
// upper one 1 where all are. The bounds of a kind mirror those of all others: with 1/(2S) on both sides of the lower
// bound, as GRADING 4 has it, strata of few labels that agree have hardly any width, and 300 answers in 9 strata, 60
// adaptive labels, a rate of .5, fw .05 and fr .3 covered .917 in place of .971 (1,500 runs).
//
// The 1/2 is for two strata of which the larger has few failures: of some 25 labels at .07 none fails in one run of
// six, and the upper bound of none, with 1/3, is about .075. So 2,000 answers, a rate of .2, fw .05 and fr .3,
// covered .924 with 30 labels as Next says (5,500 runs) and with 60 (9,000). With 1/2 no cell of the grids is below
// .93, and where some label is of the kind in each stratum nothing changes.
//
// Range: [0, 1]; θ lies within its bounds; N counts answers. Edge cases: no answer, no value. A stratum with
// answers and without a label panics: ask Lack first. Source: Tenenbein, A double sampling scheme for estimating
// from binomial data with misclassifications, JASA 65 (1970) 1350; Rubin, The Bayesian bootstrap, Ann. Statist. 9
// (1981) 130; the priors were chosen by simulation (GRADING 4, docs/decisions/0028).
func (s *Sample) Rates(level float64, seedValue uint64) []stat.Estimate {
	kinds := make([]int, s.kinds)
	for j := range kinds {
		kinds[j] = j
	}
	return s.rates(kinds, level, draws, seedValue)
}

// A prior is added to the labels: of the kind in question, and of all others together.
type prior struct{ own, others float64 }

// at is the prior beside so many labels of either: of the two the larger one is 1/2 where it stands for labels of
// which there are none.
func (p prior) at(own, others float64) prior {
	switch {
	case p.own > p.others && own == 0:
		p.own = .5
	case p.others > p.own && others == 0:
		p.others = .5
	}
	return p
}

// priors returns those of the lower and of the upper bound, of so many strata.
func priors(strata int) (lower, upper prior) {
	least := 1 / float64(2*strata)
	return prior{least, 1. / 3}, prior{1. / 3, least}
}

// rates is Rates of some kinds, from so many samples.
func (s *Sample) rates(kinds []int, level float64, draws int, seedValue uint64) []stat.Estimate {
	at := s.filled()
	out := make([]stat.Estimate, len(kinds))
	if len(at) == 0 {
		return out
	}
	lower, upper := priors(len(at))
	w := make([]float64, len(s.Strata))
	labels := matrix(len(s.Strata), s.kinds)
	lows, highs := make([][]float64, len(out)), make([][]float64, len(out))
	r := seed.Stream(seedValue, "correct", "rates")
	for d := range draws {
		switch {
		case s.sizes != nil:
			s.drawClusters(w, labels, at, r)
		case s.made == nil || d%4 == 0: // the bootstrap over cases is slow: what it gives serves four samples
			s.draw(w, at, .5, r)
		}
		for o, j := range kinds {
			var lo, hi float64
			for _, i := range at {
				lo += float64(w[i] * s.drawShare(i, j, lower, labels, r))
				hi += float64(w[i] * s.drawShare(i, j, upper, labels, r))
			}
			lows[o], highs[o] = append(lows[o], lo), append(highs[o], hi)
		}
	}
	for o, j := range kinds {
		e := stat.Estimate{Level: level, N: s.Answers, Method: s.method(), Hi: 1}
		none, all := true, true
		for _, i := range at {
			x := &s.Strata[i]
			e.Value += float64(x.Mass / float64(s.Answers) * x.Labels[j] / x.labelled())
			none = none && x.Labels[j] == 0
			for k, n := range x.Labels {
				all = all && (k == j || n == 0)
			}
		}
		if !none {
			lo, _ := bounds(lows[o], level)
			e.Lo = min(e.Value, lo)
		}
		if !all {
			_, hi := bounds(highs[o], level)
			e.Hi = max(e.Value, hi)
		}
		out[o] = e
	}
	return out
}

// Among returns the share of a kind among some kinds, itself with them, as that of the incorrect answers among
// those that attempt one:
//
//	θ_kind / Σ_{j in among} θ_j
//
// with θ of Rates, and bounds as there with P_s ~ Dirichlet in the place of Beta: the kind's own prior to it, and
// that of the others to each other one of among, and to the rest together. It has no value where no label is of
// among. It panics as Rates does.
func (s *Sample) Among(kind int, among []int, level float64, seedValue uint64) stat.Estimate {
	at := s.filled()
	e := stat.Estimate{Level: level, Method: s.method(), Hi: 1}
	var own, all float64
	for _, i := range at {
		x := &s.Strata[i]
		for j, k := range x.Labels {
			if share := float64(x.Mass * k / x.labelled()); j == kind {
				own, all = own+share, all+share
			} else if slices.Contains(among, j) {
				all += share
			}
		}
	}
	if all == 0 {
		return stat.Estimate{Level: level}
	}
	e.N, e.Value = s.Answers, own/all
	lower, upper := priors(len(at))
	if own > 0 {
		lo, _ := bounds(s.among(kind, among, at, lower, seedValue, "lower"), level)
		e.Lo = min(e.Value, lo)
	}
	if own < all {
		_, hi := bounds(s.among(kind, among, at, upper, seedValue, "upper"), level)
		e.Hi = max(e.Value, hi)
	}
	return e
}

// among returns samples of the share under one prior.
func (s *Sample) among(kind int, among, at []int, p prior, seedValue uint64, name string) (out []float64) {
	r := seed.Stream(seedValue, "correct", "among", strconv.Itoa(kind), name)
	w := make([]float64, len(s.Strata))
	labels := matrix(len(s.Strata), s.kinds)
	for range draws {
		if s.sizes != nil {
			s.drawClusters(w, labels, at, r)
		} else {
			s.draw(w, at, .5, r)
		}
		var own, all float64
		for _, i := range at {
			var rest, others, x float64
			outside, sums := 0., 0.
			for j, k := range s.Strata[i].Labels {
				switch bootstrapped := labels[i][j]; {
				case j == kind:
					x = s.drawWeight(i, k, p.at(k, 1).own, bootstrapped, r)
				case slices.Contains(among, j):
					others += s.drawWeight(i, k, p.at(1, k).others, bootstrapped, r)
				default:
					outside, sums = outside+k, sums+bootstrapped
				}
			}
			rest = s.drawWeight(i, outside, p.at(1, outside).others, sums, r)
			total := x + others + rest
			own += float64(w[i] * x / total)
			all += float64(w[i] * (x + others) / total)
		}
		out = append(out, own/all)
	}
	return out
}
