package consistency

import (
	"math"
	"slices"

	"hallmark/internal/stat"
)

// PC returns the paraphrase consistency of a case whose answers fall into classes of the given counts,
//
//	PC@k = max_a c_a / k,  k = Σ c_a
//
// in [1/k, 1], and false if there is no answer. It does not change counts. Source: arXiv:2601.07058, on answers as
// classes.
func PC(counts []int) (pc float64, ok bool) {
	k, most := 0, 0
	for _, c := range counts {
		k += c
		most = max(most, c)
	}
	if k == 0 {
		return 0, false
	}
	return float64(most) / float64(k), true
}

// SC returns the self-consistency of a case whose answers fall into classes of the given counts: the chance that
// two of its r variants agree,
//
//	SC = Σ_a c_a (c_a - 1) / (r (r - 1)),  or Σ_a (c_a / r)² with replacement
//
// in [0, 1] ([1/r, 1] with replacement), and false if r < 2. It does not change counts. Source: Cooper et al., AAAI
// 2024, for the first form; the definition in the prompt-multiplicity paper allows both.
func SC(counts []int, withReplacement bool) (sc float64, ok bool) {
	num, den := scFraction(counts, withReplacement)
	if den == 0 {
		return 0, false
	}
	return float64(num) / float64(den), true
}

// scFraction returns SC as a fraction; den is 0 if it is not defined.
func scFraction(counts []int, withReplacement bool) (num, den int64) {
	var r, sq int64
	for _, c := range counts {
		r += int64(c)
		sq += int64(c) * int64(c)
	}
	switch {
	case r < 2:
		return 0, 0
	case withReplacement:
		return sq, r * r
	}
	return sq - r, r * (r - 1)
}

// AmbiguityAt returns the chance that m answers, drawn without replacement from classes of the given counts, are
// not all equal,
//
//	1 - Σ_a C(c_a, m) / C(r, m)
//
// in [0, 1]; 0 at m = 1; false if m < 1 or m > r. It does not change counts. Source: the hypergeometric law;
// ambiguity (Cooper et al. 2024) is its value at m = r rounded up to 0 or 1.
func AmbiguityAt(counts []int, m int) (chance float64, ok bool) {
	r := stat.Sum(counts)
	if m < 1 || m > r {
		return 0, false
	}
	var same float64
	for _, c := range counts {
		same += among(c, r, m)
	}
	return max(0, 1-same), true
}

// among is C(c, m)/C(r, m): the chance that m of r answers, drawn without replacement, are all among c of them.
func among(c, r, m int) float64 {
	p := 1.
	for i := 0; i < m && p > 0; i++ {
		p *= float64(max(0, c-i)) / float64(r-i)
	}
	return p
}

// PassAt returns the chance that at least one of k answers, drawn without replacement from n of which c are right,
// is right,
//
//	pass@k = 1 - C(n - c, k) / C(n, k)
//
// in [0, 1], which is the unbiased estimate of 1 - (1 - p)^k for draws that are right with chance p; false if k < 1,
// k > n or c is not in 0..n. At k = 1 it is c/n. Source: Chen et al., arXiv:2107.03374.
func PassAt(n, c, k int) (pass float64, ok bool) {
	if k < 1 || k > n || c < 0 || c > n {
		return 0, false
	}
	return 1 - among(n-c, n, k), true
}

// A Pair is the bias² and the variance of zero-one loss, whose sum is the error, as numbers or with their intervals.
type Pair[T float64 | *stat.Estimate] struct {
	BiasSquared T `json:"bias_squared"`
	Variance    T `json:"variance"`
}

// Decompose splits the zero-one error of one case into bias and variance. counts are the counts of its classes, r in
// all, and gold, of the same length, says which are right: these count as one class g. The unbiased pair is
//
//	variance = ½(1 - SC),  bias² = error - variance,  SC = Σ_a c_a (c_a - 1) / (r (r - 1))
//
// and the plug-in pair variance = ½(1 - Σ_a p_a²), bias² = ½[(1 - p_g)² + Σ_{a≠g} p_a²], p_a = c_a/r, which is that
// of these r variants only: its variance is (r - 1)/r of the unbiased one.
//
// Range: error and both bias² in [0, 1], the variances in [0, ½]; each pair sums to error = 1 - p_g but for rounding.
// The unbiased bias² is the sum of ½ c (c - 1)/(r (r - 1)) with c the count of all wrong answers and that of each
// wrong class, so it is below 0 in no case. Over variants drawn independently its expectation, and that of the
// variance, are the plug-in forms at the true chances, whatever r is. False with fewer than two answers. It changes
// nothing. Source: Kohavi and Wolpert, ICML 1996, without noise, as the gold is one class; METHODS 3.
func Decompose(counts []int, gold []bool) (errorRate float64, unbiased, plugIn Pair[float64], ok bool) {
	var r, right, wrongSq int64
	for a, c := range counts {
		r += int64(c)
		if gold[a] {
			right += int64(c)
		} else {
			wrongSq += int64(c) * int64(c)
		}
	}
	if r < 2 {
		return 0, unbiased, plugIn, false
	}
	wrong := r - right
	apart := float64(r*r - right*right - wrongSq) // ordered pairs of answers that differ
	sq, pairs := float64(r)*float64(r), float64(r)*float64(r-1)
	unbiased = Pair[float64]{float64(wrong*wrong+wrongSq-2*wrong) / (2 * pairs), apart / (2 * pairs)}
	plugIn = Pair[float64]{float64(wrong*wrong+wrongSq) / (2 * sq), apart / (2 * sq)}
	return float64(wrong) / float64(r), unbiased, plugIn, true
}

// Entropy returns the entropy of the answers in nats, -Σ p_a ln p_a, p_a = c_a/r: the plug-in estimate, in [0, ln r],
// biased down for small r; false if there is no answer. On sampled answers it is the predictive entropy over classes.
// It does not change counts. Source: Shannon 1948; on classes of equal answers, Kuhn et al., ICLR 2023.
func Entropy(counts []int) (nats float64, ok bool) {
	r := stat.Sum(counts)
	if r == 0 {
		return 0, false
	}
	for _, c := range counts {
		if c > 0 {
			p := float64(c) / float64(r)
			nats -= p * math.Log(p)
		}
	}
	return max(0, nats), true
}

// A sum adds with Neumaier's compensation, so that parts over many cases still add up to the whole.
type sum struct{ total, lost float64 }

func (s *sum) add(x float64) {
	t := s.total + x
	if math.Abs(s.total) >= math.Abs(x) {
		s.lost += (s.total - t) + x
	} else {
		s.lost += (x - t) + s.total
	}
	s.total = t
}

func (s *sum) value() float64 { return s.total + s.lost }

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
