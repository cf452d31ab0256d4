package correct

import (
	"slices"

	"hallmark/internal/seed"
	"hallmark/internal/stat"
)

// A Pair is the cases whose two answers, by models A and B, were read alike in an outcome: both or neither of it, only A's, only B's, or any of them
// ungradable. Of some, drawn at random, both answers were labelled. Read and Labels count by the difference d of B to A: -1 where only A has the outcome,
// 0, or 1 where only B has.
type Pair struct {
	N      int    // cases
	Read   [3]int // of all cases by what was read; none where answers are ungradable
	Labels [3]int // of the labelled cases by what people say
}

func (p *Pair) labelled() int { return p.Labels[0] + p.Labels[1] + p.Labels[2] }

// prior is added to the labels: 1/6 of each difference, and half a label that says what was read.
func (p *Pair) prior() (add [3]float64) {
	read := p.Read[0] + p.Read[1] + p.Read[2]
	for d := range add {
		if add[d] = 1. / 6; read > 0 {
			add[d] += .5 * float64(p.Read[d]) / float64(read)
		}
	}
	return add
}

// mean is that of the difference: of the labels, or of the prior where there are none; pulled is how far it is above that of labels and prior together.
func (p *Pair) mean() (mean, pulled float64) {
	add, k := p.prior(), float64(p.labelled())
	more := float64(p.Labels[2] - p.Labels[0])
	both := (more + add[2] - add[0]) / (k + add[0] + add[1] + add[2])
	if k == 0 {
		return both, 0
	}
	return more / k, more/k - both
}

// pairedDraws is how many samples make the bounds of Paired: shares of -1 in small cells have long tails, and 4,000 leave the second digit open.
const pairedDraws = 20_000

// Paired returns by how much the share of an outcome of model B exceeds that of A on the same cases. With n_s of n cases in cell s, and d in {-1, 0,
// 1} for each of its labelled ones,
//
//	Δ = Σ_s (n_s/n) mean(d in s),   bounds: quantiles at the level of Σ_s w_s (D_s3 - D_s1),
//	w ~ Dirichlet(n_s + 1/2),  D_s ~ Dirichlet(labels of s + 1/6 + read_s/2)
//
// over 20,000 samples, with read_s the shares of -1, 0 and 1 as the cases of s were read (0 where they could not be). The priors pull Δ by
// Σ_s (n_s/n) (mean(d in s) - mean of the samples in s): the bound that is farther in that direction is moved by as much. A cell without labels has
// the mean of its prior. Range: [-1, 1]; Δ lies within its bounds. Edge cases: no case, no value; cells
// without cases are left out. It panics where a cell has more labels than cases. Source: GRADING 4; the half label, and that no cells are joined, were
// chosen by simulation (docs/decisions/0029).
func Paired(pairs []Pair, level float64, seedValue uint64) stat.Estimate {
	return paired(pairs, level, pairedDraws, seedValue)
}

func paired(pairs []Pair, level float64, draws int, seedValue uint64) stat.Estimate {
	pairs = slices.DeleteFunc(slices.Clone(pairs), func(p Pair) bool { return p.N == 0 })
	e := stat.Estimate{Level: level, Method: "double sampling, paired"}
	for _, p := range pairs {
		if p.labelled() > p.N {
			panic("correct: a cell of pairs has more labels than cases")
		}
		e.N += p.N
	}
	if e.N == 0 {
		return stat.Estimate{Level: level}
	}
	pulled := 0.
	for _, p := range pairs {
		share := float64(p.N) / float64(e.N)
		mean, by := p.mean()
		e.Value += float64(share * mean)
		pulled += float64(share * by)
	}
	r := seed.Stream(seedValue, "correct", "paired")
	out := make([]float64, draws)
	for i := range out {
		var sum, all float64
		for _, p := range pairs {
			w := gamma(float64(p.N)+.5, r)
			var x [3]float64
			for d, add := range p.prior() {
				x[d] = gamma(float64(p.Labels[d])+add, r)
			}
			sum += float64(w * (x[2] - x[0]) / (x[0] + x[1] + x[2]))
			all += w
		}
		out[i] = sum / all
	}
	lo, hi := bounds(out, level)
	lo, hi = lo+min(0, pulled), hi+max(0, pulled)
	e.Lo, e.Hi = max(-1, min(e.Value, lo)), min(1, max(e.Value, hi))
	return e
}
