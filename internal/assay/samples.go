package assay

import (
	"cmp"
	"math"
	"slices"

	"hallmark/internal/metric/consistency"
	"hallmark/internal/stat"
	"hallmark/internal/stat/figure"
	"hallmark/internal/suite"
	"hallmark/internal/text/answer"
)

// ofSamples is the consistency of the samples, and the agreement of identical asks.
func (x *sitting) ofSamples() error {
	p, out := x.plan, x.out
	if e := consistency.RepeatAgreement(x.repeats, x.repeatsOf, level); e.OK() {
		out.RepeatAgreement = &RepeatAgreement{p.Repeats, e.N, e.Known(), append([]string{}, e.Warnings...)}
	}
	if len(x.sampled) == 0 {
		return nil
	}
	opt := p.consistencyOptions()
	opt.ExcludeDefault, opt.CommonR, opt.Taus = false, 0, false
	res, err := consistency.Analyze(x.sampled, opt)
	if err != nil {
		return err
	}
	byID := perQuestion(res)
	for i, ci := range x.sampledAt {
		if q, ok := byID[x.sampled[i].ID]; ok {
			x.on(ci).sampledSC = new(q.SC)
		}
	}
	out.ConsistencySampled = sampledResult(&res, p.Sampled)
	out.ConsistencySampled.SemanticEntropy = x.semanticEntropy()
	if x.byGreedy != nil && !x.model.Sampling {
		out.ConsistencySampled.UnseenByGreedy = unseenByGreedy(x.cases, x.byGreedy, byID)
	}
	return nil
}

// sampledResult adds the predictive entropy to the consistency of samples, which is per question: nats, in
// [0, ln samples].
func sampledResult(r *consistency.Result, samples int) *Sampled {
	r.Overstatement, r.OverstatementP, r.OldTerms = nil, nil, nil // no draw is the default one
	if r.Accuracy != nil {
		r.Accuracy.Default = nil
	}
	out := &Sampled{Result: r, Samples: samples}
	entropies := entropies{scale: math.Log(float64(samples))}
	low := 0. // Σ (answers - 1)/(2 samples): about what the plug-in is low by
	for _, q := range r.PerQuestion {
		counts := countsOf(&q)
		if nats, ok := consistency.Entropy(counts); ok {
			entropies.add(nats, q.Cluster)
			low += float64(len(counts)-1) / float64(2*q.R)
		}
	}
	r.PerQuestion = nil
	if e := entropies.mean(); e != nil {
		out.PredictiveEntropy = e
		low /= float64(len(entropies.shares))
		if room := mostBias * (e.Hi - e.Value); low > room {
			note(&r.Warnings, "the predictive entropy is that of %d samples, low by %s nats or more: its interval "+
				"need not hold the entropy of the model, and it takes %d samples or more", samples, figure.Decimal(low),
				int(math.Ceil(low*float64(samples)/room)))
		}
	}
	return out
}

// mostBias is the part of the interval above the predictive entropy that its bias may take before a warning says
// so. It is small, as the bias is known to first order only, and is larger where many answers are rare.
const mostBias = .1

// entropies are those of samples by case, as shares of the largest that so many samples can have (scale), for an
// interval wants values in [0, 1].
type entropies struct {
	scale   float64
	shares  []float64
	cluster []int32
}

func (x *entropies) add(nats float64, cluster int32) {
	x.shares, x.cluster = append(x.shares, min(1, nats/x.scale)), append(x.cluster, cluster)
}

// mean is their mean in nats; nil where there is none.
func (x *entropies) mean() *stat.Estimate {
	return stat.MeanByCluster(x.shares, x.cluster, level).Times(x.scale).Known()
}

// countsOf are how many answers to a question are of each class.
func countsOf(q *consistency.Question) []int {
	counts := make([]int, len(q.Answers))
	for i, a := range q.Answers {
		counts[i] = a.Count
	}
	return counts
}

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
			note(&out.Warnings, "the semantic entropy is that of %d samples, low by %s nats or more: its interval "+
				"need not hold the entropy of the model", p.Sampled, figure.Decimal(low))
		}
	}
	if n := out.Cases - out.WeightedCases; n > 0 && out.WeightedCases > 0 {
		note(&out.Warnings, "%d cases have samples without log-probabilities, and are not in the weighted form", n)
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
		d.texts, d.classes = append(d.texts, c.said()), append(d.classes, c.class)
		lps, sum := answerLogProbs(c), 0.
		for _, lp := range lps {
			sum += lp
		}
		d.logProbs, d.known = append(d.logProbs, sum/float64(max(1, len(lps)))), d.known && len(lps) > 0
	}
	return d
}

// Unseen counts what greedy consistency cannot see: cases whose answers agree over the prompt variants when decoded
// greedily, and do not agree when the default prompt is drawn. A belief that is split, but always decoded the same
// way, is one.
type Unseen struct {
	UnseenGroup
	// ByTag holds the same of the cases with each tag.
	ByTag map[string]UnseenGroup `json:"by_tag,omitempty"`
}

// An UnseenGroup is that count over a set of cases, and its shares; these are null where there is no case to count.
type UnseenGroup struct {
	Cases    int            `json:"cases"`     // with at least two scored variants and two scored samples
	Stable   int            `json:"stable"`    // of Cases: greedy self-consistency is at least tau
	Split    int            `json:"split"`     // of Stable: self-consistency of the samples is below tau
	Share    *stat.Estimate `json:"share"`     // Split of Cases
	OfStable *stat.Estimate `json:"of_stable"` // Split of Stable

	split, ofStable     []float64 // 1 of a case that is, by case and by stable case
	cluster, stablesOwn []int32
}

func (g *UnseenGroup) add(greedy, drawn consistency.Question) {
	split := stat.Bit(greedy.Stable && !drawn.Stable)
	g.Cases, g.Split = g.Cases+1, g.Split+int(split)
	g.split, g.cluster = append(g.split, split), append(g.cluster, greedy.Cluster)
	if greedy.Stable {
		g.Stable++
		g.ofStable, g.stablesOwn = append(g.ofStable, split), append(g.stablesOwn, greedy.Cluster)
	}
}

func (g UnseenGroup) withShares() UnseenGroup {
	g.Share = g.shareAt(level).Known()
	g.OfStable = stat.ShareByCluster(g.ofStable, g.stablesOwn, level).Known()
	return g
}

// shareAt returns the share of split cases with bounds at a level, by cluster where cases go together; by the counts
// alone where a document was read.
func (g *UnseenGroup) shareAt(level float64) stat.Estimate {
	if g.split == nil {
		return stat.Wilson(g.Split, g.Cases, level)
	}
	return stat.ShareByCluster(g.split, g.cluster, level)
}

// unseenByGreedy sets the consistency of the greedy answers and of the samples side by side, over the cases that have
// both.
func unseenByGreedy(cases suite.List, greedy, drawn map[string]consistency.Question) *Unseen {
	var all UnseenGroup
	tags := map[string]*UnseenGroup{}
	for _, c := range cases.Pass() {
		g, ok := greedy[c.ID]
		d, both := drawn[c.ID]
		if both = both && ok; both {
			all.add(g, d)
		}
		for _, tag := range slices.Compact(slices.Sorted(slices.Values(c.Tags))) {
			if tags[tag] == nil {
				// stands with nothing counted, too, so that a gate can name it before the run
				tags[tag] = &UnseenGroup{}
			}
			if both {
				tags[tag].add(g, d)
			}
		}
	}
	out := &Unseen{UnseenGroup: all.withShares()}
	for tag, g := range tags {
		setIn(&out.ByTag, tag, g.withShares())
	}
	return out
}
