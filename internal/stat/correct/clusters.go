package correct

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"

	"hallmark/internal/stat"
)

// OfClusters is Of of cases that may go together: cluster[i] numbers what case i is an observation of, with others, and
// 0 or a nil cluster is a case by itself. It is Of, to the bit, where no two cases that have an answer go together.
//
// Shares are those of Of. Their bounds are by the Bayesian bootstrap over clusters: with m_cs what the answers of
// cluster c weigh in stratum s, a_csj its labels there of kind j, and g_c ~ Exponential(1), Rates has
//
//	w_s ∝ Σ_c g_c m_cs + Gamma(1/2) m,   P_sj = A/(A + B),   A = Σ_c g_c a_csj + Gamma(prior) m_s
//
// and B likewise of all other kinds, with the priors of Rates, m what the answers of the largest cluster weigh, and m_s
// the most labels of one in s: what is added is worth a cluster. Labels are drawn by answer, whatever their cluster;
// so Lack and Next count cases, and Next and Enough take labels of a cluster for one observation, by Kish. Coverage:
// TestRatesByClusterCovers. Source: as Rates; its use here is this project's, as in PairedByCluster.
func OfClusters(cases [][]Answer, cluster []int32, strata, kinds int) *Sample {
	s := Of(cases, strata, kinds)
	if cluster != nil && len(cluster) != len(cases) {
		panic("correct: cases and their clusters of different numbers")
	}
	made := map[int32]*makeup{} // by cluster
	var alone []*makeup
	together := false
	for c, answers := range cases {
		if len(answers) == 0 {
			continue
		}
		var number int32
		if cluster != nil {
			number = cluster[c]
		}
		m := made[number]
		together = together || number != 0 && m != nil
		if number == 0 || m == nil {
			m = &makeup{in: make([]float64, strata), labels: matrix(strata, kinds)}
			if number == 0 {
				alone = append(alone, m)
			} else {
				made[number] = m
			}
		}
		s.addTo(m, answers)
	}
	if !together {
		return s
	}
	for _, number := range slices.Sorted(maps.Keys(made)) {
		alone = append(alone, made[number])
	}
	s.bootstrapped(alone)
	return s
}

// addTo adds to a cluster what the answers of a case weigh, and its labels, each case as heavy as the others.
func (s *Sample) addTo(m *makeup, answers []Answer) {
	unit := float64(s.Answers) / float64(s.Cases*len(answers))
	counted := make([]bool, len(s.Strata))
	for i, a := range answers {
		m.in[a.Stratum] += unit
		if kind := counts(answers, i, counted); kind != NoLabel {
			m.labels[a.Stratum][kind] += float64(unit * a.Weight)
		}
	}
}

// bootstrapped puts clusters in the place of what cases are made of, those that are alike once; their labels are
// scaled as those of the strata are.
func (s *Sample) bootstrapped(clusters []*makeup) {
	s.sizes = slices.Repeat([]float64{1}, len(s.Strata))
	alike := map[string]*makeup{}
	scale := make([]float64, len(s.Strata))
	for i := range s.Strata {
		var all float64
		for _, m := range clusters {
			all += stat.Sum(m.labels[i])
		}
		if all > 0 {
			scale[i] = s.Strata[i].labelled() / all
		}
	}
	for _, m := range clusters {
		for i, labels := range m.labels {
			if m.in[i] > 0 {
				m.at = append(m.at, i)
			}
			for j := range labels {
				if labels[j] *= scale[i]; labels[j] > 0 {
					m.said = append(m.said, [2]int{i, j})
				}
			}
			s.sizes[i] = max(s.sizes[i], stat.Sum(labels))
		}
		key := fmt.Sprint(m.in, m.labels)
		if alike[key] == nil {
			alike[key] = m
		}
		alike[key].cases++
	}
	s.made = nil
	for _, key := range slices.Sorted(maps.Keys(alike)) {
		s.made = append(s.made, *alike[key])
		s.largest = max(s.largest, stat.Sum(alike[key].in))
	}
}

// drawClusters fills w with a sample of the shares of the answers that stand in each stratum, and labels with one of
// their labels, by the Bayesian bootstrap over clusters.
func (s *Sample) drawClusters(w []float64, labels [][]float64, at []int, r *rand.Rand) {
	clear(w)
	for _, row := range labels {
		clear(row)
	}
	for _, m := range s.made {
		g := gamma(m.cases, r)
		for _, i := range m.at {
			w[i] += float64(g * m.in[i])
		}
		for _, at := range m.said {
			labels[at[0]][at[1]] += float64(g * m.labels[at[0]][at[1]])
		}
	}
	for _, i := range at {
		w[i] += float64(gamma(.5, r) * s.largest)
	}
	toShares(w)
}

// drawShare returns a sample of the share of a kind in a stratum under a prior, whose labels are as drawClusters has
// them where cases are in clusters.
func (s *Sample) drawShare(stratum, kind int, p prior, labels [][]float64, r *rand.Rand) float64 {
	x := &s.Strata[stratum]
	a, b := x.Labels[kind], max(0, x.labelled()-x.Labels[kind])
	p = p.at(a, b)
	others := 0.
	for j, k := range labels[stratum] {
		if j != kind {
			others += k
		}
	}
	own := s.drawWeight(stratum, a, p.own, labels[stratum][kind], r)
	return own / (own + s.drawWeight(stratum, b, p.others, others, r))
}

// drawWeight returns what labels weigh in a sample: Gamma(labels + prior), or where cases are in clusters what
// drawClusters made of the labels and the prior as heavy as the most labels of one.
func (s *Sample) drawWeight(stratum int, labels, prior, bootstrapped float64, r *rand.Rand) float64 {
	if s.sizes == nil {
		return gamma(labels+prior, r)
	}
	return bootstrapped + float64(s.sizes[stratum]*gamma(prior, r))
}

// method names how shares are corrected.
func (s *Sample) method() string {
	if s.sizes == nil {
		return "double sampling"
	}
	return "double sampling, by cluster"
}

// worth returns how much of what labels of a stratum would tell by themselves they do in clusters, by Kish's
// (Σ l_c)²/Σ l_c² over their number, with l_c those of a cluster; 1 where every case is a cluster.
func (s *Sample) worth(stratum int) float64 {
	var all, squares float64
	for _, m := range s.made {
		if s.sizes != nil {
			l := stat.Sum(m.labels[stratum])
			all, squares = all+float64(m.cases*l), squares+float64(m.cases*l*l)
		}
	}
	if squares == 0 {
		return 1
	}
	return min(1, all/squares)
}
