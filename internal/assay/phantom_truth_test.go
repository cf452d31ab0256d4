package assay

import (
	"math"

	"gonum.org/v1/gonum/mathext"

	"hallmark/internal/model/simulated"
	"hallmark/internal/stat"
)

// What is true of a run of a phantom, computed from its rates alone and by no code of the estimators: the expectation
// of each figure over all runs in which the cases are drawn anew. A case draws its behaviour once, an answer to a
// random case is drawn for each prompt, and every call fails with the same chance.

// An estimand is what a figure of the document estimates.
type estimand struct {
	path  string // in the document, under the model
	truth float64
	kind  kind
	n     int     // cases asked
	keep  float64 // chance that a case counts in the share; of shares
}

// A kind says what is promised of a figure's interval.
type kind int

const (
	exact        kind = iota // Wilson on a binomial count: the coverage is known exactly
	conservative             // covers at least 95 %
	point                    // has no interval
	noted                    // counted, and nothing is promised
)

// A group is a part of the cases that behave alike: the chances of the answers, the right one first.
type group struct {
	weight           float64
	greedy, drawn    []float64
	declined, unread bool
}

// always are the chances of a case that keeps one answer.
func always(right bool) []float64 {
	if right {
		return []float64{1}
	}
	return []float64{0, 1}
}

// inventions is how many wrong answers a phantom makes up.
const inventions = 7

// groups returns the parts of a population.
func groups(r simulated.Rates) []group {
	of := func(v *float64) float64 {
		if v == nil {
			return 0
		}
		return *v
	}
	right := .5
	if r.RandomnessRight != nil {
		right = *r.RandomnessRight
	}
	guess := []float64{right}
	for range inventions {
		guess = append(guess, (1-right)/inventions)
	}
	toss := []float64{right, 1 - right}
	known, wrong := always(true), always(false)
	return []group{
		{weight: of(r.Factual), greedy: known, drawn: known},
		{weight: of(r.Error), greedy: wrong, drawn: wrong},
		{weight: of(r.Randomness), greedy: guess, drawn: guess},
		{weight: of(r.Decline), greedy: wrong, drawn: wrong, declined: true},
		{weight: of(r.Unread), greedy: wrong, drawn: wrong, unread: true},
		{weight: of(r.Coin) * right, greedy: known, drawn: toss},
		{weight: of(r.Coin) * (1 - right), greedy: wrong, drawn: toss},
	}
}

// figures are the expectations of one case's figures over its answers.
type figures struct {
	pc, sc, below, atLeast, ambiguous, entropy float64
	stable, stableRight, modeRight             float64
	right, bias, variance                      float64
	stableButWrongThere                        float64 // stable, and the answer to one given variant is wrong
}

func (f *figures) add(g figures, w float64) {
	for _, x := range []struct{ sum, part *float64 }{
		{&f.pc, &g.pc}, {&f.sc, &g.sc}, {&f.below, &g.below}, {&f.atLeast, &g.atLeast}, {&f.ambiguous, &g.ambiguous},
		{&f.entropy, &g.entropy},
		{&f.stable, &g.stable}, {&f.stableRight, &g.stableRight}, {&f.modeRight, &g.modeRight}, {&f.right, &g.right},
		{&f.bias, &g.bias},
		{&f.variance, &g.variance}, {&f.stableButWrongThere, &g.stableButWrongThere},
	} {
		*x.sum += w * *x.part
	}
}

// expect returns the figures of a case with r answers of the given chances, by going through all counts that they may
// have.
func expect(p []float64, r int) (sum figures) {
	counts := make([]int, len(p))
	var visit func(class, left int, chance float64)
	visit = func(class, left int, chance float64) {
		if class == len(p)-1 {
			if chance *= math.Pow(p[class], float64(left)); chance > 0 {
				counts[class] = left
				sum.add(figuresOf(counts, r), chance)
			}
			return
		}
		ways := 1.
		for c := 0; c <= left; c++ {
			counts[class] = c
			visit(class+1, left-c, chance*ways*math.Pow(p[class], float64(c)))
			ways *= float64(left-c) / float64(c+1)
		}
	}
	visit(0, r, 1)
	return sum
}

// figuresOf returns the figures of r answers with these counts, the right one's first.
func figuresOf(counts []int, r int) (f figures) {
	most, modes, pairs := 0, 0, 0
	for _, c := range counts {
		switch {
		case c > most:
			most, modes = c, 1
		case c == most:
			modes++
		}
		pairs += c * (c - 1)
		share := float64(c) / float64(r)
		if c > 0 {
			f.entropy -= share * math.Log(share)
		}
	}
	f.right = float64(counts[0]) / float64(r)
	f.pc, f.sc = float64(most)/float64(r), float64(pairs)/float64(r*(r-1))
	f.below, f.atLeast, f.ambiguous = bit(2*most < r), bit(5*most >= 4*r), bit(most < r)
	if counts[0] == most { // which of equal ones came first is a matter of chance
		f.modeRight = 1 / float64(modes)
	}
	if 5*pairs >= 4*r*(r-1) { // tau is .8
		f.stable, f.stableRight, f.stableButWrongThere = 1, bit(counts[0] == most), 1-f.right
	}
	return f
}

func bit(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// answered returns the chances that so many of r calls have an answer, given at least two; one call's is certain if
// there is a given one. It also returns the chance of at least two.
func answered(r int, fail float64, given bool) (chance []float64, twoOrMore float64) {
	sure := 0
	if given {
		sure = 1
	}
	chance = make([]float64, r+1)
	for k := sure; k <= r; k++ {
		if k >= 2 {
			chance[k] = binomial(k-sure, r-sure, 1-fail)
			twoOrMore += chance[k]
		}
	}
	for k := range chance {
		chance[k] /= twoOrMore
	}
	return chance, twoOrMore
}

func binomial(k, n int, p float64) float64 {
	if p <= 0 || p >= 1 {
		return bit(k == int(p)*n)
	}
	a, _ := math.Lgamma(float64(n + 1))
	b, _ := math.Lgamma(float64(k + 1))
	c, _ := math.Lgamma(float64(n - k + 1))
	return math.Exp(a - b - c + float64(k)*math.Log(p) + float64(n-k)*math.Log1p(-p))
}

// over is the expectation of a case's figures over the number of its answers, on which its bias² and variance do not
// depend.
func over(p []float64, chance []float64) (sum figures) {
	for r, w := range chance {
		if w > 0 {
			sum.add(expect(p, r), w)
		}
	}
	sum.bias, sum.variance = (1-p[0])*(1-p[0])/2, .5
	for i, x := range p {
		if sum.variance -= x * x / 2; i > 0 {
			sum.bias += x * x / 2
		}
	}
	return sum
}

// truths returns what the figures of a run estimate where n cases of one population are asked in so many variants and
// samples.
func truths(rates simulated.Rates, n, variants, samples int) []estimand {
	fail := 0.
	if rates.Fail != nil {
		fail = *rates.Fail
	}
	chance, two := answered(variants, fail, false)
	chanceGiven, _ := answered(variants, fail, true)
	drawnChance, drawnTwo := answered(samples, fail, false)
	var all, given, drawn figures
	var commission, declined, ungradable, truthFails, truthFailsStable, unseen, factualGiven, entropy float64
	for _, g := range groups(rates) {
		if g.weight == 0 {
			continue
		}
		greedy, there, sampled := over(g.greedy, chance), over(g.greedy, chanceGiven), over(g.drawn, drawnChance)
		all.add(greedy, g.weight)
		given.add(there, g.weight)
		drawn.add(sampled, g.weight)
		unseen += g.weight * greedy.stable * (1 - sampled.stable)
		factualGiven += g.weight * there.stableRight
		for _, p := range g.drawn {
			if p > 0 {
				entropy -= g.weight * p * math.Log(p)
			}
		}
		wrong := g.weight * (1 - g.greedy[0])
		switch {
		case g.declined:
			declined += wrong
		case g.unread:
			ungradable += wrong
			continue // nobody knows whether it is true
		default:
			commission += wrong
		}
		truthFails += wrong
		truthFailsStable += g.weight * there.stableButWrongThere
	}
	h := commission + declined + ungradable
	var out []estimand
	shareOf := func(path string, truth, keep float64) {
		out = append(out, estimand{path, truth, exact, n, keep})
	}
	meanOf := func(path string, truth float64) {
		out = append(out, estimand{path, truth, conservative, n, 1})
	}
	pointOf := func(path string, truth float64) { out = append(out, estimand{path, truth, point, n, 1}) }

	scored := 1 - fail
	shareOf("rubric.hallucination", h, scored)
	shareOf("rubric.commission", commission, scored)
	shareOf("rubric.over_refusal", declined, scored)
	shareOf("rubric.undecided", ungradable, scored)
	shareOf("rubric.truth_error", truthFails/(1-ungradable), scored*(1-ungradable))
	shareOf("rubric.decidability_error", declined+ungradable, scored)
	meanOf("rubric.weighted_quality", (1-h+.4*commission+.15*declined)/(1-ungradable))
	meanOf("rubric.over_variants.hallucination", h)
	meanOf("rubric.over_variants.commission", commission)

	meanOf("consistency.semantic_stability", all.pc)
	meanOf("consistency.self_consistency", all.sc)
	meanOf("consistency.accuracy", all.right)
	meanOf("consistency.overstatement", 1-h-factualGiven)
	shareOf("consistency.ambiguity", all.ambiguous, two)
	shareOf("consistency.prompt_sensitive", 1-all.stable, two)
	shareOf("consistency.pc_intervals.below_0.5", all.below, two)
	shareOf("consistency.pc_intervals.at_least_0.8", all.atLeast, two)
	shareOf("consistency.taxonomy_intervals.prompt_agnostic_factual", all.stableRight, two)
	shareOf("consistency.taxonomy_intervals.prompt_agnostic_error", all.stable-all.stableRight, two)
	shareOf("consistency.taxonomy_intervals.randomness", 1-all.stable, two)
	pointOf("consistency.taxonomy.prompt_agnostic_factual", all.stableRight)
	pointOf("consistency.taxonomy.prompt_agnostic_error", all.stable-all.stableRight)
	pointOf("consistency.taxonomy.randomness", 1-all.stable)
	pointOf("consistency.decomposition.error", 1-all.right)
	pointOf("consistency.decomposition.bias_squared", all.bias)
	pointOf("consistency.decomposition.variance", all.variance)
	pointOf("consistency.decomposition.mode_error", 1-all.modeRight)
	pointOf("consistency.answer_entropy_nats", all.entropy)
	pointOf("consistency.quadrants.unstable_wrong", 1-all.stable-all.modeRight+all.stableRight)

	pointOf("joint.hallucination_by_definition.rubric", h)
	pointOf("joint.hallucination_by_definition.prompt_agnostic_error", given.stable-given.stableRight)
	pointOf("joint.hallucination_by_definition.randomness", 1-given.stable)
	pointOf("joint.hallucination_by_definition.either", 1-given.stableRight)
	pointOf("joint.hallucination_by_definition.variance_only", given.variance)
	pointOf("joint.by_axis.truth.prompt_agnostic", truthFailsStable/truthFails)

	shareOf("designed.all.as_designed", 1-all.stableRight, two)
	if samples == 0 {
		return out
	}
	both := two * drawnTwo
	shareOf("designed.all.sampled_ambiguous", drawn.ambiguous, both)
	shareOf("designed.all.unseen_by_greedy", unseen, both)
	meanOf("consistency_sampled.semantic_stability", drawn.pc)
	meanOf("consistency_sampled.self_consistency", drawn.sc)
	meanOf("consistency_sampled.accuracy", drawn.right)
	meanOf("consistency_sampled.predictive_entropy", drawn.entropy) // of the plug-in at so many samples
	out = append(out, estimand{"consistency_sampled.predictive_entropy", entropy, noted, n, 1})
	shareOf("consistency_sampled.ambiguity", drawn.ambiguous, drawnTwo)
	shareOf("consistency_sampled.taxonomy_intervals.randomness", 1-drawn.stable, drawnTwo)
	shareOf("consistency_sampled.unseen_by_greedy.share", unseen, both)
	shareOf("consistency_sampled.unseen_by_greedy.of_stable", unseen/all.stable, both*all.stable)
	return out
}

// coverage is the exact chance that Wilson's interval holds the truth, where each of n cases counts with the chance
// keep.
func (e estimand) coverage() (held float64) {
	for m := 1; m <= e.n; m++ {
		w := binomial(m, e.n, e.keep)
		if w < 1e-12 {
			continue
		}
		for k := 0; k <= m; k++ {
			if i := stat.Wilson(k, m, level); holds(e.truth, i.Lo, i.Hi) {
				held += w * binomial(k, m, e.truth)
			}
		}
	}
	return held
}

// holds allows for the rounding of the truth.
func holds(truth, lo, hi float64) bool { return lo-1e-9 <= truth && truth <= hi+1e-9 }

// tails returns the chances of at most, and of at least, k of n at the chance p.
func tails(k, n int, p float64) (atMost, atLeast float64) {
	atMost, atLeast = 1, 1
	if p <= 0 || p >= 1 {
		return bit(k >= int(p)*n), bit(k <= int(p)*n)
	}
	if k < n {
		atMost = mathext.RegIncBeta(float64(n-k), float64(k+1), 1-p)
	}
	if k > 0 {
		atLeast = mathext.RegIncBeta(float64(k), float64(n-k+1), p)
	}
	return atMost, atLeast
}
