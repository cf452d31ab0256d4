package consistency

import (
	"math"
	"slices"
)

// WeightedEntropy returns the semantic entropy of sampled answers by their likelihood, in nats,
//
//	-Σ_c P(c) ln P(c),   P(c) = Σ_{s in c} exp(l_s) / Σ_s exp(l_s)
//
// over the distinct texts s, each with its class c and its mean log-probability per token l_s. A text that was
// drawn several times counts once, as its likelihood already says how often it is drawn; its mean is that of the
// first. Range: [0, ln of the number of classes]. Edge cases: false if there is no answer, or any l is not a
// number, positive (beyond rounding) or infinite. It does not change its arguments, which are of one length.
// Source: Farquhar et al., Nature 630 (2024) 625-630, with the likelihoods normalized by length as there; Kuhn et
// al., ICLR 2023, for the classes.
func WeightedEntropy[C comparable](texts []string, classes []C, logProbs []float64) (nats float64, ok bool) {
	if len(texts) == 0 || len(texts) != len(classes) || len(texts) != len(logProbs) {
		return 0, false
	}
	top := math.Inf(-1)
	for _, l := range logProbs {
		if math.IsNaN(l) || math.IsInf(l, 0) || l > 1e-6 {
			return 0, false
		}
		top = max(top, l)
	}
	var order []C // of the classes, so that sums are taken in one order
	mass := map[C]float64{}
	seen := map[string]bool{}
	var total float64
	for i, text := range texts {
		if seen[text] {
			continue
		}
		seen[text] = true
		if !slices.Contains(order, classes[i]) {
			order = append(order, classes[i])
		}
		p := math.Exp(logProbs[i] - top)
		mass[classes[i]] += p
		total += p
	}
	for _, c := range order {
		if p := mass[c] / total; p > 0 {
			nats -= float64(p * math.Log(p))
		}
	}
	return max(0, nats), true
}
