package assay

import (
	"cmp"
	"math"

	"hallmark/internal/metric/consistency"
	"hallmark/internal/stat"
	"hallmark/internal/text/answer"
)

// SemanticEntropy is the entropy of the samples of a case over classes of answers that say the same, as a mean over
// the cases that are compared for semantic equivalence, in nats.
type SemanticEntropy struct {
	Cases int `json:"cases"` // compared for semantic equivalence, with a scored draw
	// Discrete takes each draw for one: the plug-in entropy of the counts of the classes.
	Discrete *stat.Estimate `json:"discrete"`
	// Weighted goes by the likelihood of the distinct samples, over the cases whose draws all came with
	// log-probabilities; null without any.
	Weighted      *stat.Estimate `json:"weighted"`
	WeightedCases int            `json:"weighted_cases"`
	// Forms is the discrete entropy over the same samples by normal form, before any were joined: how much of it was
	// wording.
	Forms *stat.Estimate `json:"forms"`
	// Bias is about what Discrete is low by, the mean of (classes - 1)/(2 samples); more where many answers are rare.
	Bias     *float64 `json:"bias"`
	Warnings []string `json:"warnings"`
}

// semanticEntropy computes the entropy of the samples of each case that is compared for semantic equivalence, and their
// mean; nil where none is.
func (x *sitting) semanticEntropy() *SemanticEntropy {
	p := x.plan
	if x.equivalences == nil || p.Sampled < 2 {
		return nil
	}
	out := &SemanticEntropy{Warnings: []string{}}
	scale := math.Log(float64(p.Sampled))
	discrete, weighted, forms := entropies{scale: scale}, entropies{scale: scale}, entropies{scale: scale}
	var low float64
	for ci := range x.cases.Len() {
		if !p.semantic(x.cases.At(ci)) {
			continue
		}
		d := samplesOf(x.table[ci])
		nats, ok := consistency.Entropy(d.byClass.counts)
		if !ok {
			continue
		}
		out.Cases++
		x.on(ci).semanticEntropy = &nats
		discrete.add(nats, x.cluster(ci))
		low += float64(len(d.byClass.counts)-1) / float64(2*d.byClass.asked)
		h, _ := consistency.Entropy(d.byForm.counts)
		forms.add(h, x.cluster(ci))
		if h, ok := consistency.WeightedEntropy(d.texts, d.classes, d.logProbs); ok && d.known {
			x.on(ci).weightedEntropy = &h
			weighted.add(h, x.cluster(ci))
		}
	}
	out.Discrete, out.Weighted, out.Forms = discrete.mean(), weighted.mean(), forms.mean()
	out.WeightedCases = len(weighted.shares)
	if out.Discrete != nil {
		low /= float64(out.Cases)
		out.Bias = &low
		if room := mostBias * (out.Discrete.Hi - out.Discrete.Value); low > room {
			note(&out.Warnings, "the semantic entropy is that of %d draws, low by %.3f nats or more: its interval "+
				"need not hold the entropy of the model", p.Sampled, low)
		}
	}
	if n := out.Cases - out.WeightedCases; n > 0 && out.WeightedCases > 0 {
		note(&out.Warnings, "%d cases have draws without log-probabilities, and are not in the weighted form", n)
	}
	return out
}

// comparedSamples are the samples of a case that can be compared.
type comparedSamples struct {
	texts           []string
	classes         []answer.Form
	logProbs        []float64 // means over tokens
	known           bool      // all have one
	byClass, byForm tally
}

func samplesOf(trials []trial) *comparedSamples {
	d := &comparedSamples{known: true}
	for i := range trials {
		c := &trials[i]
		if c.purpose != forSample || !c.class.Compares() {
			continue
		}
		d.byClass.add(c.class)
		d.byForm.add(cmp.Or(c.more().form, c.class))
		d.texts, d.classes = append(d.texts, c.text), append(d.classes, c.class)
		lps, sum := answerLogProbs(c), 0.
		for _, lp := range lps {
			sum += lp
		}
		d.logProbs, d.known = append(d.logProbs, sum/float64(max(1, len(lps)))), d.known && len(lps) > 0
	}
	return d
}
