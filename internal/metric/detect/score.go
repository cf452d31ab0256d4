// Package detect measures detectors: scores of one answer that should be higher the more likely it is hallucinated,
// and how well they tell apart the two classes of an axis: wrong answers from right ones, and
// prompt-sensitive questions from those that get the same answer to every prompt variant.
package detect

import (
	"math"

	"hallmark/internal/base/lists"
	"hallmark/internal/model"
	"hallmark/internal/stat"
)

// The detectors. All are oriented: higher means more likely hallucinated.
const (
	Perplexity         = "perplexity"
	Entropy            = "entropy"
	EntropyAsPublished = "entropy_as_published"
	TokenEntropy       = "token_entropy"
	Surprisal          = "surprisal"
	SelfCheck          = "selfcheck"
	SelfCheckPublished = "selfcheck_as_published"
	PTrue              = "p_true"
	SemanticEntropy    = "semantic_entropy"
	SampleDisagreement = "sample_disagreement"
)

// Names lists the detectors in the order of reports.
var Names = []string{
	Perplexity, Entropy, EntropyAsPublished, TokenEntropy, Surprisal, SelfCheck, SelfCheckPublished, PTrue,
	SemanticEntropy, SampleDisagreement,
}

// PerplexityOf returns the perplexity of the tokens of an answer,
//
//	exp(-(1/L) Σ ln p(token))
//
// in [1, ∞), and false without tokens, or where the result is no finite number. Of a multiple-choice answer these are
// the tokens of the option that was chosen (arXiv:2602.00723, "perplexity"), of a free answer the generated ones.
func PerplexityOf(logProbs []float64) (float64, bool) {
	ppl := math.Exp(-min(0, stat.Sum(logProbs)/float64(len(logProbs))))
	return ppl, len(logProbs) > 0 && finite(ppl)
}

// EntropyOf returns the entropy over options from their perplexities, in nats,
//
//	-Σ p_i ln p_i,  p_i = (1/ppl_i) / Σ_j (1/ppl_j)
//
// in [0, ln n]. The options' likelihoods are what is normalized, so that the likeliest has most of the mass; a
// perplexity of +Inf has none. It is false without options and where all are +Inf. Source: arXiv:2602.00723,
// "entropy", whose own reading is EntropyOfPublished.
func EntropyOf(perplexities []float64) (float64, bool) {
	weights := lists.Map(perplexities, func(ppl float64) float64 { return 1 / ppl })
	return EntropyOfPublished(weights)
}

// EntropyOfPublished is EntropyOf with the perplexities themselves normalized, p_i = ppl_i / Σ ppl_j, as the source
// writes it: most of the mass is on the worst option. Of two options it is the same. It is false where a perplexity
// is +Inf. Source: arXiv:2602.00723.
func EntropyOfPublished(perplexities []float64) (nats float64, ok bool) {
	total := stat.Sum(perplexities)
	if !(total > 0) || !finite(total) {
		return 0, false
	}
	for _, w := range perplexities {
		if p := w / total; p > 0 {
			nats -= p * math.Log(p)
		}
	}
	return max(0, nats), true
}

// SurprisalOf returns how far the answer moves the model's last hidden state,
//
//	1 - cos(h(question), h(question and answer))
//
// in [0, 2], from the cosine. Source: arXiv:2602.00723, "surprisal", which is the cosine itself: the signed-rank
// test is the same by either.
func SurprisalOf(cosine float64) float64 { return 1 - cosine }

// DoubtOf returns how far a model does not stand by its answer, from the probabilities of the spellings of yes and
// of no,
//
//	1 - yes/(yes + no)
//
// in [0, 1], and false where both are 0. It is SelfCheck where it was asked whether the statement is correct, and
// P(True) where it was asked which of true and false holds. Sources: arXiv:2602.00723, "SelfCheck"; Kadavath et
// al., arXiv:2207.05221.
func DoubtOf(yes, no float64) (float64, bool) {
	if !(yes+no > 0) {
		return 0, false
	}
	return 1 - yes/(yes+no), true
}

// TokenEntropyOf returns the mean over the generated tokens of the entropy of the next token, in nats, from the
// alternatives listed at each: their probabilities, and one bucket for the rest of the vocabulary. So it is a lower
// bound, close where the rest is small. It is false without tokens, and where one lists no alternatives.
func TokenEntropyOf(tokens []model.Token) (float64, bool) {
	var sum float64
	for _, t := range tokens {
		if len(t.Top) == 0 {
			return 0, false
		}
		rest := 1.
		for _, top := range t.Top {
			p := math.Exp(top.LogProb)
			rest -= p
			if p > 0 {
				sum -= p * top.LogProb
			}
		}
		if rest > 1e-12 {
			sum -= rest * math.Log(rest)
		}
	}
	if len(tokens) == 0 || !finite(sum) {
		return 0, false
	}
	return max(0, sum/float64(len(tokens))), true
}

// DisagreementOf returns the share of the drawn answers that are not the answer, in [0, 1], and false without draws. It
// is self-consistency by sampling, turned round. Source: after Manakul et al., arXiv:2303.08896, on whole answers.
func DisagreementOf[A comparable](answer A, draws []A) (float64, bool) {
	other := 0
	for _, d := range draws {
		if d != answer {
			other++
		}
	}
	return float64(other) / float64(len(draws)), len(draws) > 0
}

func finite(x float64) bool { return x-x == 0 }
